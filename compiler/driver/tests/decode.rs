//! `clefc decode`: logs of a machine in QEMU, which its serial line writes to a file.
#![cfg(unix)]

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// A board whose program has its console on a serial line, and reports its traps itself.
const BOARD: &str = "inherits: mps2-an386\ndescription: A machine with a serial line\nconsole: { kind: uart }\n";

const PROGRAM: &str = "\
[<NoInline>]
let pick (table: int[]) i = 10 * table[i]

[<NoInline>]
let load (place: unativeint) : int = NativePtr.read (NativePtr.ofNativeInt (nativeint place))

[<NoInline>]
let choose kind = if kind = 0 then 1 + pick [| 1; 2; 3 |] 7 else 1 + load 0x70000000un

printfn \"before\"
printfn \"%d\" (choose KIND)
";

/// A directory with the images of a program that traps and one that faults, and their logs; nothing without QEMU.
fn logged() -> Option<TempDir> {
    if Command::new("qemu-system-arm").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("ignored: qemu-system-arm is not installed");
        return None;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    fs::write(path.join("board.yaml"), BOARD).expect("it is writable");
    for (name, kind) in [("trap", "0"), ("fault", "1")] {
        let [source, image] = ["clef", "elf"].map(|extension| format!("{name}.{extension}"));
        fs::write(path.join(&source), PROGRAM.replace("KIND", kind)).expect("it is writable");
        clefc(path, &["-g", "--board", "./board.yaml", "-o", &image, &source], b"", 0);
        let serial = format!("file:{name}.txt");
        let ended = Command::new("qemu-system-arm")
            .args(["-M", "mps2-an386", "-display", "none", "-monitor", "none", "-serial", &serial])
            .args(["-semihosting-config", "enable=on,target=native", "-kernel", &image])
            .current_dir(path)
            .status();
        assert_eq!(ended.expect("QEMU can be started").code(), Some(101), "{name}");
    }
    Some(directory)
}

/// The standard output and the standard error of clefc, which ends with this status.
fn clefc(directory: &Path, arguments: &[&str], input: &[u8], status: i32) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("clefc can be started");
    child.stdin.take().expect("it is a pipe").write_all(input).expect("clefc reads it");
    let output = child.wait_with_output().expect("clefc ends");
    let text = |bytes| String::from_utf8(bytes).expect("clefc writes UTF-8");
    let (shown, errors) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{shown}{errors}");
    (shown, errors)
}

/// What a terminal makes of a log.
type Terminal = fn(&str) -> String;

/// What a terminal program may make of a log.
const TERMINALS: [(&str, Terminal); 4] = [
    ("line ends", |log| log.replace("\r\n", "\n").replace('\n', "\r\n")),
    ("the time", |log| log.lines().map(|line| format!("[2026-11-29 12:00:01.250] {line}\n")).collect()),
    ("short lines", |log| broken(log, 80)),
    ("shorter lines, without blanks at their ends", |log| {
        broken(log, 43).lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }),
];

/// A log with the lines that a terminal of this width has.
fn broken(log: &str, width: usize) -> String {
    let pieces = |line: &str| {
        let pieces: Vec<String> =
            line.as_bytes().chunks(width).map(|piece| String::from_utf8_lossy(piece).into_owned()).collect();
        pieces.join("\n") + "\n"
    };
    log.lines().map(pieces).collect()
}

/// The lines of a text without what a terminal program has put before them.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.split_once("250] ").map_or(line, |(_, line)| line).trim_end()).collect()
}

#[test]
fn a_saved_log_is_decoded() {
    let Some(directory) = logged() else { return };
    let path = directory.path();
    for (name, expected) in [
        ("trap", &["before", "trap: index out of range at trap.clef:2:34", "  0  Trap.pick     trap.clef:2:34"][..]),
        (
            "fault",
            &["before", "trap: processor fault", "  an address without memory was accessed (PRECISERR), at address"],
        ),
    ] {
        let (image, file) = (format!("{name}.elf"), format!("{name}.txt"));
        let log = fs::read_to_string(path.join(&file)).expect("QEMU has written it");
        let (shown, _) = clefc(path, &["decode", &image, &file], b"", 0);
        for (line, expected) in shown.lines().zip(expected) {
            assert!(line.starts_with(expected), "{shown}");
        }
        assert!(shown.contains(".choose") && !shown.contains("unknown") && !shown.contains("00000000 0"), "{shown}");
        assert_eq!(clefc(path, &["decode", &image], log.as_bytes(), 0).0, shown);
        for (what, terminal) in TERMINALS {
            let (decoded, _) = clefc(path, &["decode", &image, "-"], terminal(&log).as_bytes(), 0);
            assert_eq!(lines(&decoded), lines(&shown), "{what}:\n{decoded}");
        }
        // What was cut off, and what is no report, stays.
        let cut = &log[..log.len() - 12];
        assert!(clefc(path, &["decode", &image], cut.as_bytes(), 0).0.contains(".choose"));
        let other = "trap: a\nstack: of plates\ntrap: processor fault\nfault:y\nb\u{fffd}";
        assert_eq!(clefc(path, &["decode", &image], other.as_bytes(), 0).0, other);
    }
}

#[test]
fn the_log_and_the_image_must_fit() {
    let Some(directory) = logged() else { return };
    let path = directory.path();
    let small = BOARD.to_owned() + "stack: 8K\n";
    fs::write(path.join("small.yaml"), small).expect("it is writable");
    clefc(path, &["-g", "--board", "./small.yaml", "-o", "small.elf", "trap.clef"], b"", 0);
    clefc(path, &["-g", "--board", "qemu-virt-aarch64", "-o", "other.elf", "trap.clef"], b"", 0);
    for (image, log) in
        [("small.elf", "trap.txt"), ("small.elf", "fault.txt"), ("other.elf", "trap.txt"), ("other.elf", "fault.txt")]
    {
        let (shown, errors) = clefc(path, &["decode", image, log], b"", 125);
        assert!(shown.contains("(these numbers are not of a program with this image)"), "{image} {log}: {shown}");
        for part in ["E0951", "line 3", image, "the same sources"] {
            assert!(errors.contains(part), "{image} {log}: {part:?} is missing in\n{errors}");
        }
    }
    fs::write(path.join("trap.uf2"), "UF2\n").expect("it is writable");
    fs::copy("/bin/sh", path.join("sh")).expect("there is a shell");
    for (arguments, parts) in [
        (&["decode", "trap.uf2", "trap.txt"][..], &["E0910", "`trap.uf2` is no ELF file", "--emit elf,uf2"][..]),
        (&["decode", "sh", "trap.txt"], &["E0910", "`sh` is no image of `clefc`"]),
        (&["decode", "none.elf", "trap.txt"], &["E0001", "none.elf"]),
        (&["decode", "trap.elf", "none.txt"], &["E0001", "cannot read `none.txt`: no such file"]),
        (&["decode", "trap.elf", "."], &["E0001", "cannot read `.`"]),
    ] {
        let (shown, errors) = clefc(path, arguments, b"", 1);
        assert_eq!(shown, "", "{arguments:?}");
        for part in parts {
            assert!(errors.contains(part), "{arguments:?}: {part:?} is missing in\n{errors}");
        }
    }
}
