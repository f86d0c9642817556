//! Backtraces of damaged images and of damaged reports: the decoder ends, and shows no more calls than there are words.

use clef_descriptors::Boot;
use clef_execution::fault::{FaultReader, Source};
use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const PROGRAM: &str = "\
[<NoInline>]
let pick (table: int[]) i = 10 * table[i]

[<NoInline>]
let through (f: int -> int) x = 1 + f x

printfn \"%d\" (through (fun i -> pick [| 1; 2; 3 |] i + 1) 7)
";

/// An image for this machine, and what it reports if somebody decodes that.
fn trapped() -> (Vec<u8>, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("program.clef"), PROGRAM).expect("it is writable");
    let compiled = Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(["-g", "--board", "host-linux", "-o", "program.elf", "program.clef"])
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .status();
    assert!(compiled.expect("clefc can be started").success());
    let run = Command::new("bash")
        .args(["-c", "exec ./program.elf 188>/dev/null"])
        .current_dir(directory.path())
        .output()
        .expect("it can be started");
    let image = fs::read(directory.path().join("program.elf")).expect("it was compiled");
    (image, String::from_utf8(run.stderr).expect("it is text"))
}

fn decoded(image: &[u8], report: &str) -> String {
    let mut reader = FaultReader::new(Source::Bytes(image.into()), Boot::Linux);
    let mut shown = reader.pass(report.as_bytes());
    shown.extend(reader.finish());
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn damage_ends_a_backtrace() {
    let (image, report) = trapped();
    let calls = "\
trap: index out of range at program.clef:2:34
  0  Program.pick     program.clef:2:34
  1  fun              program.clef:7:33
  2  Program.through  program.clef:";
    assert!(decoded(&image, &report).starts_with(calls), "{report}\n{}", decoded(&image, &report));
    let (start, mut random) = (Instant::now(), fastrand::Rng::with_seed(1));
    // The code and the headers are at the start, the tables and the symbols after them.
    for beginning in [0, image.len() / 4, image.len() / 2] {
        for _ in 0..1000 {
            let mut damaged = image.clone();
            for _ in 0..random.usize(1..30) {
                let at = random.usize(beginning..damaged.len());
                damaged[at] = if random.bool() { random.u8(..) } else { [0, 1, 0x7f, 0xff][random.usize(..4)] };
            }
            damaged.truncate(if random.u8(..) < 16 { random.usize(..image.len()) } else { image.len() });
            assert!(decoded(&damaged, &report).lines().count() < 100);
        }
    }
    for _ in 0..1000 {
        let mut damaged = report.clone().into_bytes();
        for _ in 0..random.usize(1..30) {
            let at = random.usize(..damaged.len());
            damaged[at] = b"0123456789abcdef /;\n"[random.usize(..20)];
        }
        decoded(&image, &String::from_utf8_lossy(&damaged));
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}
