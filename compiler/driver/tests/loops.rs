//! The code that is left of loops.

use std::{
    fs,
    process::{Command, Stdio},
};

const PROGRAM: &str = "\
[<Extern(\"limit\")>]
let limit () : int32 = Unchecked.defaultof<_>

[<Extern(\"take\")>]
let take (value: int32) : unit = Unchecked.defaultof<_>

for one in 1l .. limit () do
    for other in 1l .. 100l do
        take (one ^^^ other)
";

/// At `-Oz`, LLVM does not copy the test of a loop to its end; it is there from the beginning.
#[test]
fn a_counted_loop_keeps_no_flag() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("program.clef"), PROGRAM).expect("it is writable");
    let emitted = Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(["--board", "mps2-an386", "-O", "z", "--emit", "llvm-ir", "program.clef", "-o", "program.ll"])
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .output()
        .expect("clefc can be started");
    assert!(emitted.status.success(), "{}", String::from_utf8_lossy(&emitted.stderr));
    let ir = fs::read_to_string(directory.path().join("program.ll")).expect("it was emitted");
    let count = |part: &str| ir.lines().filter(|line| line.contains(part)).count();
    assert_eq!((count("phi i32"), count("phi i1")), (2, 0), "{ir}");
}
