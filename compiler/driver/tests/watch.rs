//! `clefc watch`: the command runs again when a file changes, and ends with us.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

/// How long a result may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The status after an interrupt.
const INTERRUPTED: i32 = 130;

/// Takes lines until one contains a text.
fn await_line(lines: &Receiver<String>, wanted: &str) {
    let mut seen = Vec::new();
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if line.contains(wanted) => return,
            Ok(line) => seen.push(line),
            Err(error) => panic!("{wanted}: {error}\n{}", seen.join("\n")),
        }
    }
}

#[test]
fn a_change_leads_to_another_result() {
    watches(&["check", "a.clef"]);
}

#[test]
fn files_without_a_command_are_checked() {
    watches(&["a.clef"]);
}

fn watches(arguments: &[&str]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let program = directory.path().join("a.clef");
    fs::write(&program, "let x = 1\n").expect("it is writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    command.arg("watch").args(arguments).current_dir(directory.path());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("clefc can be started");
    let printed = BufReader::new(child.stderr.take().expect("a pipe"));
    let (sender, lines) = channel();
    thread::spawn(move || printed.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));

    await_line(&lines, "[done; waiting for changes]");
    fs::write(&program, "let x = 1 + zz\n").expect("it is writable");
    await_line(&lines, "[changed: a.clef]");
    await_line(&lines, "E0301");
    await_line(&lines, "[failed; waiting for changes]");
    fs::write(&program, "let x = 12345\n").expect("it is writable");
    await_line(&lines, "[done; waiting for changes]");

    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is kill");
    assert!(interrupt.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(INTERRUPTED));
}
