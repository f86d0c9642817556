//! Images, objects, archives, logs, test plans and descriptors that are nearly right: what reads them says what is wrong, and never
//! panics or hangs, and an image that is made for memory that exists boots. `MUTANTS` in the environment says how many of each are
//! tried; of those that take a process, a fiftieth.

use clef_base::SourceMap;
use clef_descriptors::{Machine, Request, Resolver};
use clef_execution::log::LogTable;
use clef_image::{MemoryTable, link::LinkInput};
use fastrand::Rng;
use std::{
    env, fs,
    io::ErrorKind,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The bytes with a few changes: of bits, of bytes and words that mean much, of length.
fn changed(random: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.usize(..4) {
        // Headers stand at both ends.
        let place = match random.usize(..3) {
            0 => random.usize(..bytes.len().clamp(1, 64)),
            1 => bytes.len().saturating_sub(1 + random.usize(..1500)),
            _ => random.usize(..bytes.len().max(1)),
        };
        match random.usize(..6) {
            _ if bytes.is_empty() => {}
            0 => bytes[place] ^= 1 << random.usize(..8),
            1 => bytes[place] = [0, 1, 0x7f, 0x80, 0xff][random.usize(..5)],
            2 => bytes.truncate(place),
            3 => {
                let word = [0, 1, u32::MAX, i32::MAX as u32, 0x8000_0000, random.u32(..)][random.usize(..6)];
                let end = bytes.len().min(place + 4);
                bytes[place..end].copy_from_slice(&word.to_le_bytes()[..end - place]);
            }
            4 => {
                let end = bytes.len().min(place + random.usize(..64));
                let piece = bytes[place..end].to_vec();
                bytes.splice(place..place, piece);
            }
            _ => drop(bytes.drain(place..bytes.len().min(place + random.usize(..16)))),
        }
    }
    bytes
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
    let mut random = Rng::with_seed(seed);
    for number in 0..count() {
        let mutant = changed(&mut random, bytes);
        let start = Instant::now();
        check(&mutant);
        assert!(start.elapsed() < Duration::from_secs(5), "mutant {number} of seed {seed} takes too long");
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
        assert!(clef_image::check(&bytes, &target, &board).is_empty(), "{}", board.name);
        each(&bytes, seed, |mutant| {
            let findings = clef_image::check(mutant, &target, &board);
            let table = MemoryTable::of(mutant, &board);
            let pieces = clef_image::contents(mutant, &board).is_ok();
            if findings.is_empty() {
                assert!(table.is_ok() && pieces, "a readable source must be counted");
            }
            let _ = table.map(|table| table.to_string());
            let _ = (
                clef_image::binary(mutant),
                clef_image::intel_hex(mutant),
                board.uf2.map(|uf2| clef_image::uf2(mutant, uf2)),
            );
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
    let mut random = Rng::with_seed(7);
    for _ in 0..count() {
        let length = random.usize(..200);
        let bytes: Vec<u8> = (0..length).map(|_| if random.usize(..3) == 0 { 0 } else { random.u8(..) }).collect();
        let mut decoder = table.decoder();
        for piece in bytes.chunks(1 + random.usize(..32)) {
            decoder.receive(piece);
        }
    }
}

/// What clefc says of files, and whether it is content; it never panics and takes no longer than any program may.
fn said(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_clefc")).args(arguments).current_dir(directory).output();
    let output = output.expect("clefc starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(matches!(output.status.code(), Some(0..=2 | 101)), "{:?}\n{text}", output.status);
    assert!(!text.contains("internal compiler error") && !text.contains("LLVM ERROR"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(30), "{arguments:?} takes long\n{text}");
    (output.status.success(), text)
}

/// The memory that an emulated machine has: where programs are loaded, and for data.
struct Real {
    board: &'static str,
    flash: (&'static str, u64, u64),
    ram: (&'static str, u64, u64),
    /// Whether the machine begins at the first byte of the flash, wherever the image lies.
    fixed: bool,
}

const REAL: [Real; 4] = [
    Real { board: "microbit", flash: ("flash", 0, 256 << 10), ram: ("ram", 0x2000_0000, 16 << 10), fixed: true },
    Real { board: "mps2-an386", flash: ("flash", 0, 4 << 20), ram: ("ram", 0x2000_0000, 4 << 20), fixed: true },
    Real {
        board: "qemu-virt-aarch64",
        flash: ("image", 0x4008_0000, 15872 << 10),
        ram: ("ram", 0x4100_0000, 112 << 20),
        fixed: false,
    },
    Real { board: "qemu-q35", flash: ("image", 1 << 20, 15 << 20), ram: ("ram", 16 << 20, 112 << 20), fixed: false },
];

/// A range of memory near the real one, and whether it lies within it.
fn near(random: &mut Rng, (name, origin, length): (&str, u64, u64), kind: &str, fixed: bool) -> (String, bool) {
    let offsets = [1, 2, 4, 8, 0x40, 0x80, 0x100, 0x1000, 0x2010, length / 2, length - 4, length, 1 << 40];
    let lengths = [length / 2, length - 1, length - 4, 0, 1, 4, 0xc0, 0x400, 0x1000, 0x3001, u64::MAX];
    let offset = if fixed || random.usize(..2) == 0 { 0 } else { offsets[random.usize(..offsets.len())] };
    let size =
        if random.usize(..2) == 0 { length - offset.min(length) } else { lengths[random.usize(..lengths.len())] };
    let within = offset.saturating_add(size) <= length;
    (format!("{name}: {{ kind: {kind}, origin: {:#x}, length: {size} }}", origin + offset), within)
}

#[test]
fn descriptors() {
    const HELLO: &str = "let square x = x * x\nprintfn \"hello %d\" (List.sum (List.map square [1 .. 3]))\n";
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.clef"), HELLO).expect("it is writable");
    let mut random = Rng::with_seed(11);
    let mut booted = 0;
    for number in 0..count() / 50 {
        let real = &REAL[number % REAL.len()];
        let (flash, has_flash) = near(&mut random, real.flash, "flash", real.fixed);
        let (ram, has_ram) = near(&mut random, real.ram, "ram", false);
        let mut text = format!("inherits: {}\nmemory: {{ {flash}, {ram} }}\n", real.board);
        let sizes = ["0", "1", "8", "100", "1K", "1000", "2K", "4K", "1M", "4G", "18446744073709551615"];
        let mut size = || sizes[random.usize(..sizes.len())];
        let keys = [
            format!("stack: {}\n", size()),
            format!("region_pool: {{ size: {}, page: 256 }}\n", size()),
            format!("region_pool: {{ page: {} }}\n", size()),
            if real.fixed { format!("vectors: {}\n", size()) } else { String::new() },
        ];
        for key in [&keys[0], &keys[random.usize(..2) + 1], &keys[3]] {
            if random.usize(..4) == 0 {
                text += key;
            }
        }
        fs::write(directory.path().join("m.yaml"), &text).expect("it is writable");
        let (built, messages) = said(directory.path(), &["--board", "./m.yaml", "-o", "out", "a.clef"]);
        if !built {
            assert!(messages.contains("error[E"), "{text}\n{messages}");
            continue;
        }
        if has_flash && has_ram {
            let (_, printed) = said(directory.path(), &["run", "--board", "./m.yaml", "--timeout", "10", "a.clef"]);
            // What needs more memory than it is given says so.
            let printed_all = printed.contains("hello 14");
            let trapped = printed.contains("trap: ") && !printed.contains("processor fault");
            assert!(printed_all || trapped, "{text}\n{printed}");
            booted += usize::from(printed_all);
        }
    }
    assert!(booted > 0 || count() < 1000, "some of them boot");
}

#[test]
fn test_plans() {
    const PLAN: &str = "devices:\n  bench: { board: microbit, probe: \"0d28:0204\" }\nsuites:\n  - paths: [t.clef]\n    \
        on: [host-linux, microbit, bench]\n    timeout: 10\n    boot: test\n";
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("t.clef"), "[<Test>]\nlet adds () = Assert.equal 4 (2 + 2)\n")
        .expect("it is writable");
    let mut random = Rng::with_seed(13);
    for _ in 0..count() / 50 {
        fs::write(directory.path().join("testplan.yaml"), changed(&mut random, PLAN.as_bytes()))
            .expect("it is writable");
        let (_, text) = said(directory.path(), &["test", "--list"]);
        assert!(!text.is_empty());
    }
}
