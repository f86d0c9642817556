//! The steps that a board's descriptor lists under `start` are done before the program begins: here on words of RAM that nothing
//! else uses, in QEMU.

use std::{
    fs,
    process::{Command, Stdio},
};

#[test]
fn steps_are_done_in_their_order() {
    if Command::new("qemu-system-arm").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("ignored: qemu-system-arm is not installed");
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).expect("it is writable");
    // Stack and pool are at the start of RAM, and take 12 of its 16 KiB.
    write(
        "board.yaml",
        "inherits: microbit
description: A board that is set up before the program begins
start:
  - { kind: write, address: 0x20003ff0, value: 0x1f0 }
  - { kind: set, address: 0x20003ff0, bits: 0x8000000f }
  - { kind: clear, address: 0x20003ff0, bits: 0x81 }
  - { kind: await, address: 0x20003ff0, bits: 0x8000017e }
  - { kind: write, address: 0x20003ff4, value: 4294967295 }
",
    );
    write("program.clef", "printfn \"%x %x\" (Mmio.read32 0x20003ff0un) (Mmio.read32 0x20003ff4un)\n");
    for level in ["0", "2", "z"] {
        let output = Command::new(env!("CARGO_BIN_EXE_clefc"))
            .args(["run", "--board", "./board.yaml", "-O", level, "--timeout", "30", "program.clef"])
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .output()
            .expect("clefc can be started");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "-O {level}: {errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "8000017e ffffffff\n", "-O {level}: {errors}");
    }
}
