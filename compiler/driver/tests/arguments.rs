//! Arguments from outside: those that cannot be passed are rejected, what an emulator passes by itself arrives, and a line that is
//! too long stops the program.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

const PROGRAM: &str = "[<EntryPoint>]\nlet main argv =\n    printfn \"%A\" argv\n    argv.Length\n";

/// The status, the output, and the errors of `clefc run`.
fn run(directory: &Path, board: &str, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(["--color=never", "run", "--timeout", "30", "--board", board, "program.clef"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("clefc can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("clefc ends by itself"), text(&output.stdout), text(&output.stderr))
}

fn is_installed(emulator: &str) -> bool {
    let found = Command::new(emulator).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("ignored: {emulator} is not installed");
    }
    found
}

/// A directory with the program and boards.
fn workshop(boards: &[(&str, String)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).expect("it is writable");
    write("program.clef", PROGRAM);
    boards.iter().for_each(|(name, text)| write(name, text));
    directory
}

/// A board like another, whose emulator has arguments of its own.
fn like(board: &str, arguments: &[&str]) -> String {
    let arguments = arguments.iter().map(|argument| format!("\"{argument}\"")).collect::<Vec<_>>().join(", ");
    format!("inherits: {board}\ndescription: Another\nrun:\n  arguments: [{arguments}]\n")
}

#[test]
fn a_debug_probe_passes_none_on() {
    let directory = workshop(&[]);
    for board in ["nucleo-f446re", "rpi-pico"] {
        let (status, output, errors) = run(directory.path(), board, &["--", "x"]);
        let message = format!(
            "error[E0935]: cannot pass arguments to a program on `{board}`: debug probes do not pass arguments"
        );
        assert!(errors.contains(&message), "{errors}");
        assert_eq!((status, output.as_str()), (1, ""), "{errors}");
    }
}

#[test]
fn a_program_without_an_entry_point_takes_none() {
    let directory = workshop(&[("program.clef", "printfn \"started\"\n".to_owned())]);
    let (status, output, errors) = run(directory.path(), "microbit", &["--", "x"]);
    assert!(errors.contains("error[E0935]: the program has no entry point"), "{errors}");
    assert_eq!((status, output.as_str()), (1, ""), "{errors}");
}

#[test]
fn lines_that_are_too_long_are_refused_or_stop_the_program() {
    let long = "x".repeat(1100);
    let semihosting = ["-display", "none", "-monitor", "none", "-semihosting-config"];
    let configuration = format!("enable=on,target=native,arg=p,arg={long}");
    let boards = [("long.yaml", like("microbit", &[&semihosting[..], &[configuration.as_str()]].concat()))];
    let directory = workshop(&boards);
    for board in ["microbit", "qemu-q35"] {
        let (status, _, errors) = run(directory.path(), board, &["--", &long]);
        assert!(errors.contains("error[E0935]: the arguments have 11"), "{errors}");
        assert_eq!(status, 1);
    }
    if is_installed("qemu-system-arm") {
        let (status, output, errors) = run(directory.path(), "./long.yaml", &[]);
        assert!(errors.contains("trap: the arguments are too long at program.clef:2:5"), "{errors}");
        assert_eq!((status, output.as_str()), (101, ""), "{errors}");
    }
}

#[test]
fn the_longest_line_arrives() {
    let directory = workshop(&[]);
    for (board, emulator, length) in
        [("microbit", "qemu-system-arm", 1023 - "program ".len()), ("qemu-q35", "qemu-system-x86_64", 1023)]
    {
        if is_installed(emulator) {
            let longest = "x".repeat(length);
            let (status, output, errors) = run(directory.path(), board, &["--", &longest]);
            assert_eq!((status, output), (1, format!("[|\"{longest}\"|]\n")), "{errors}");
        }
    }
}
