//! Images, objects, archives and logs that are nearly right: what reads them says what is wrong, and never panics or hangs. `MUTANTS`
//! in the environment says how many of each are tried.

use clef_base::SourceMap;
use clef_target::{Machine, Request, Resolver};
use clefc::{
    image::{self, MemoryTable},
    link::LinkInput,
    log::LogTable,
};
use std::{
    env, fs,
    io::ErrorKind,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Numbers that look random, and are the same in each run (Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// The bytes with a few changes: of bits, of bytes and words that mean much, of length.
    fn changed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            // Headers stand at both ends.
            let place = match self.below(3) {
                0 => self.below(bytes.len().min(64)),
                1 => bytes.len().saturating_sub(1 + self.below(1500)),
                _ => self.below(bytes.len()),
            };
            match self.below(6) {
                _ if bytes.is_empty() => {}
                0 => bytes[place] ^= 1 << self.below(8),
                1 => bytes[place] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                2 => bytes.truncate(place),
                3 => {
                    let word = [0, 1, u32::MAX, i32::MAX as u32, 0x8000_0000, self.next() as u32][self.below(6)];
                    let end = bytes.len().min(place + 4);
                    bytes[place..end].copy_from_slice(&word.to_le_bytes()[..end - place]);
                }
                4 => {
                    let end = bytes.len().min(place + self.below(64));
                    let piece = bytes[place..end].to_vec();
                    bytes.splice(place..place, piece);
                }
                _ => drop(bytes.drain(place..bytes.len().min(place + self.below(16)))),
            }
        }
        bytes
    }
}

fn count() -> usize {
    env::var("MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000)
}

fn machine(board: &str) -> Machine {
    let no_files = |_: &Path| Err(ErrorKind::NotFound.into());
    Resolver::new(&mut SourceMap::default(), &no_files).machine(Request::Board(board)).expect("it is shipped")
}

const PROGRAM: &str = "let rec fill n = if n = 0 then [] else n :: fill (n - 1)\n\
    Log.info $\"{fill 3} {2.5f} {Some 'c'}\"\nLog.warn $\"plain {7uy}\"\nprintfn \"%d\" (List.sum (fill 5))\n";

/// What clefc makes of the program.
fn made(board: &str, arguments: &[&str]) -> Vec<u8> {
    let directory: TempDir = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.clef"), PROGRAM).expect("it is writable");
    let mut clefc = Command::new(env!("CARGO_BIN_EXE_clefc"));
    let made = clefc.args(["--board", board, "-o", "out"]).args(arguments).arg("a.clef").current_dir(&directory);
    assert!(made.output().is_ok_and(|output| output.status.success()), "{board} {arguments:?}");
    fs::read(directory.path().join("out")).expect("it is there")
}

/// Tries a function on many mutants; none may take long.
fn each(bytes: &[u8], seed: u64, mut check: impl FnMut(&[u8])) {
    let mut random = Random(seed);
    for number in 0..count() {
        let mutant = random.changed(bytes);
        let start = Instant::now();
        check(&mutant);
        assert!(start.elapsed() < Duration::from_secs(5), "mutant {number} of seed {seed} takes long");
    }
}

#[test]
fn images() {
    for (seed, board) in
        (1..).zip(["microbit", "rpi-pico", "rpi-pico-2", "qemu-virt-aarch64", "qemu-q35", "host-linux"])
    {
        let Machine { target, board } = machine(board);
        let (target, board) = (target.value, board.value);
        let bytes = made(&board.name, &["-O2"]);
        assert!(image::check(&bytes, &target, &board).is_empty(), "{}", board.name);
        each(&bytes, seed, |mutant| {
            let findings = image::check(mutant, &target, &board);
            let table = MemoryTable::of(mutant, &board);
            let pieces = image::contents(mutant, &board).is_ok();
            if findings.is_empty() {
                assert!(table.is_ok() && pieces, "what can be read can be counted");
            }
            let _ = table.map(|table| table.to_string());
            let _ = (image::binary(mutant), image::intel_hex(mutant), board.uf2.map(|uf2| image::uf2(mutant, uf2)));
            let _ = LogTable::read(mutant);
        });
    }
}

#[test]
fn objects_and_archives() {
    for (seed, board) in (1..).zip(["microbit", "mps2-an386", "qemu-virt-aarch64", "qemu-q35"]) {
        let target = machine(board).target.value;
        let object = made(board, &["--emit", "obj"]);
        let header = format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "a.o/", 0, 0, 0, 644, object.len());
        let archive = [b"!<arch>\n", header.as_bytes(), &object].concat();
        for bytes in [object, archive] {
            assert!(LinkInput::new("a".into(), bytes.clone(), &target).is_ok(), "{board}");
            each(&bytes, seed, |mutant| drop(LinkInput::new("a".into(), mutant.to_vec(), &target)));
        }
    }
}

#[test]
fn logs() {
    let image = made("microbit", &["-O2"]);
    let table = LogTable::read(&image).expect("it is readable").expect("it logs");
    let mut random = Random(7);
    for _ in 0..count() {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| if random.below(3) == 0 { 0 } else { random.next() as u8 }).collect();
        let mut decoder = table.decoder();
        for piece in bytes.chunks(1 + random.below(32)) {
            decoder.receive(piece);
        }
    }
}
