//! The text that is printed is what `mlir-opt` reads with the dialect's file.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use clef_mlir::{IRDL, Session};

use super::{
    fixture::{lowered, make_adder, x86_64},
    static_slots::handler,
};

/// The prefix that the crate was built with, as the workspace's configuration gives it.
fn mlir_opt() -> std::path::PathBuf {
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").expect("set by the workspace's configuration");
    Path::new(&prefix).join("bin/mlir-opt")
}

fn accepted(text: &str) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("clef-{}.irdl.mlir", std::process::id()));
    std::fs::write(&file, IRDL).expect("a writable directory");
    let mut tool = Command::new(mlir_opt())
        .arg(format!("--irdl-file={}", file.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mlir-opt");
    tool.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("reads all of it");
    let output = tool.wait_with_output().expect("ends");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn mlir_opt_accepts_what_is_printed() {
    let session = Session::new();
    let mut module = session.module(|m| make_adder(m, 64)).expect("verifies");
    accepted(&module.to_string());
    lowered(&mut module, &x86_64());
    accepted(&module.to_string());
    accepted(&session.module(|m| handler(m, false)).expect("verifies").to_string());
}

#[test]
fn printed_text_reads_back_as_itself() {
    let session = Session::new();
    let text = session.module(|m| make_adder(m, 64)).expect("verifies").to_string();
    let again = session.parse(&text).expect("parses").to_string();
    assert_eq!(text, again);
}
