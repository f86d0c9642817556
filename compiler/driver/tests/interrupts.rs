//! Interrupts at all places of a program: QEMU counts instructions, so that the system timer's interrupt comes between any two of
//! them and not only where a block of code ends, and at the same ones in each run.

use std::{
    fs,
    process::{Command, Stdio},
};

const PROGRAM: &str = include_str!("../../../tests/run/interrupts_whole.clef");
const OUTPUT: &str = include_str!("../../../tests/run/interrupts_whole.out");

#[test]
fn what_handlers_share_is_read_and_written_as_a_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    for board in ["microbit", "mps2-an386"] {
        let descriptor = format!(
            "inherits: {board}\nrun:\n  arguments: [-display, none, -monitor, none, -semihosting-config, \
             \"enable=on,target=native\", -icount, \"shift=3\"]\n"
        );
        fs::write(path.join("counting.yaml"), descriptor).expect("it is writable");
        for (level, period) in [("-O0", "331"), ("-O2", "97"), ("-O2", "331"), ("-Oz", "331")] {
            let program = PROGRAM.replace("startTimer 331", &format!("startTimer {period}"));
            fs::write(path.join("whole.clef"), program).expect("it is writable");
            let mut clefc = Command::new(env!("CARGO_BIN_EXE_clefc"));
            clefc.args(["run", "--timeout", "120", "--board", "./counting.yaml", level, "whole.clef"]);
            let output = clefc.current_dir(path).stdin(Stdio::null()).output().expect("clefc starts");
            let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(printed, OUTPUT, "{board} {level} {period}: {errors}");
        }
    }
}
