//! Interrupts in QEMU while it counts instructions: its time is that of the program, whatever else the machine does, and the system timer's
//! interrupt comes between any two instructions and not only where a block of code ends, at the same ones in each run.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// The arguments for an emulator of a Cortex-M that counts.
const CORTEX_M: &str =
    "[-display, none, -monitor, none, -semihosting-config, \"enable=on,target=native\", -icount, \"shift=3\"]";

/// The same for one of an AArch64 machine, and of a PC.
const AARCH64: &str = "[-m, 128M, -display, none, -monitor, none, -serial, stdio, -semihosting-config, \"enable=on,target=native\", \
                       -icount, \"shift=3\"]";
const PC: &str = "[-m, 128M, -display, none, -monitor, none, -serial, stdio, -serial, \"null\", -no-reboot, -device, \
                  \"isa-debug-exit,iobase=0xf4,iosize=0x04\", -icount, \"shift=3\"]";

/// What a program prints on a board in an emulator with these arguments, and its messages.
fn run(directory: &Path, board: &str, arguments: &str, level: &str, program: &str) -> (String, String) {
    let descriptor = format!("inherits: {board}\nrun:\n  arguments: {arguments}\n");
    fs::write(directory.join("counting.yaml"), descriptor).expect("it is writable");
    fs::write(directory.join("program.clef"), program).expect("it is writable");
    let mut clefc = Command::new(env!("CARGO_BIN_EXE_clefc"));
    clefc.args(["run", "--timeout", "120", "--board", "./counting.yaml", level, "program.clef"]);
    let output = clefc.current_dir(directory).stdin(Stdio::null()).output().expect("clefc starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

const PROGRAM: &str = include_str!("../../../tests/run/interrupts_whole.clef");
const OUTPUT: &str = include_str!("../../../tests/run/interrupts_whole.out");

#[test]
fn what_handlers_share_is_read_and_written_as_a_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    for board in ["microbit", "mps2-an386"] {
        for (level, period) in [("-O0", "331"), ("-O2", "97"), ("-O2", "331"), ("-Oz", "331")] {
            let program = PROGRAM.replace("startTimer 331", &format!("startTimer {period}"));
            let (printed, errors) = run(directory.path(), board, CORTEX_M, level, &program);
            assert_eq!(printed, OUTPUT, "{board} {level} {period}: {errors}");
        }
    }
}

/// A closure that captures a limit blinks at a rate, beside the time.
const RATE: &str = include_str!("../../../tests/run/interrupt_rate.clef");

#[test]
fn a_closure_blinks_at_its_rate() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = RATE.replace("time < expected * 5L", "time < expected + expected / 100L");
    assert_ne!(program, RATE, "the program has a bound for emulators that lose time");
    // On a Cortex-M the timer of the interrupts is that of the time; the models of chips have another one.
    for (board, arguments) in [("qemu-virt-aarch64", AARCH64), ("qemu-q35", PC)] {
        for level in ["-O0", "-O2", "-Oz"] {
            let (printed, errors) = run(directory.path(), board, arguments, level, &program);
            assert_eq!(printed, "true\ntrue\n20 true\n20\n", "{board} {level}: {errors}");
        }
    }
}
