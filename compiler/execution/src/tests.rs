//! Runs of stand-ins for emulators: small shell scripts.

use super::*;
use clef_base::codes;
use clef_descriptors::{Bytes, Request, Resolver, Run};
use clef_host::output::{Mode, write_file};
use std::{
    ffi::OsString,
    fs,
    time::{Duration, Instant},
};

fn board(name: &str) -> Board {
    let mut sources = clef_base::SourceMap::default();
    let no_files = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    Resolver::new(&mut sources, &no_files)
        .machine(Request::Board(name))
        .expect("the shipped board must be valid")
        .board
        .value
}

/// Runs a script as if it were an image of this machine.
fn run_script(script: &str, timeout: Duration, input: &str) -> Outcome {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("image");
    let script = format!("#!/bin/sh\n{script}\n");
    write_file(&path, script.as_bytes(), Mode::Executable).expect("it is writable");
    let execution = Execution {
        arguments: &["one two".into()],
        timeout: Some(timeout),
        streams: Streams::Captured { input: input.into() },
        uses_uart: false,
        means: Means::Here,
    };
    execute(&path, &board("host-linux"), &execution).expect("there is a shell")
}

#[test]
fn streams_arguments_and_status_pass_through() {
    let outcome =
        run_script("read line; echo \"$1:$line\"; echo wrong >&2; exit 7", Duration::from_secs(10), "hello\n");
    let expected =
        Outcome { ending: Ending::Status(7), output: b"one two:hello\n".to_vec(), errors: b"wrong\n".to_vec() };
    assert_eq!(outcome, expected);
}

#[test]
fn time_runs_out() {
    let start = Instant::now();
    let outcome = run_script("echo begun; exec sleep 30", Duration::from_millis(300), "");
    assert_eq!(outcome.ending, Ending::TimedOut(Duration::from_millis(300)));
    assert_eq!(outcome.output, b"begun\n");
    assert!(start.elapsed() < Duration::from_secs(10));
    let message = outcome.ending.diagnostic(&board("host-linux"), None).expect("a timeout is reported").message;
    assert_eq!(message, "the program did not end within 0.3 s on `host-linux`");
}

#[test]
fn a_stack_that_is_too_small_is_told_where_a_processor_locks_up() {
    let help = |stack, need| {
        let board = Board { stack: Bytes(stack), ..board("microbit") };
        let diagnostic = Ending::LockedUp { report: Vec::new() }.diagnostic(&board, need).expect("it is reported");
        format!("{diagnostic:?}")
    };
    assert!(help(16, None).contains("it has 16 bytes, but an exception pushes 32"));
    assert!(help(64, Some(240)).contains("it has 64 bytes, but the program may need 240"));
    assert!(help(4096, Some(240)).contains("check the memory map in the board's descriptor"));
}

#[test]
fn what_a_program_has_started_ends_with_it() {
    for script in ["sleep 300 & echo begun; sleep 300", "sleep 300 & echo begun"] {
        let start = Instant::now();
        let outcome = run_script(script, Duration::from_millis(300), "");
        assert_eq!(outcome.output, b"begun\n");
        assert!(start.elapsed() < Duration::from_secs(10), "{script}");
    }
}

#[test]
fn images_of_another_processor_are_not_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("image");
    fs::write(&path, b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0").expect("it is writable");
    let refused = foreign::check(&path, &board("host-linux")).expect_err("it is for Arm");
    assert_eq!(refused.code, codes::NOT_RUNNABLE);
    assert!(foreign::check(&path, &board("microbit")).is_ok());
}

#[test]
fn a_killed_process_died() {
    let outcome = run_script("kill -SEGV $$", Duration::from_secs(10), "");
    assert!(matches!(&outcome.ending, Ending::Died { reason, .. } if reason == "signal 11"), "{outcome:?}");
}

#[test]
fn a_missing_emulator_and_a_board_without_one_are_told() {
    let mut board = board("microbit");
    board.run = Run::None;
    assert_eq!(missing_emulator(&board).map(|diagnostic| diagnostic.code), Some(codes::NOT_RUNNABLE));
    board.run =
        Run::QemuUser(clef_descriptors::QemuUser { program: "qemu-z80".into(), cpu: None, arguments: Vec::new() });
    assert_eq!(missing_emulator(&board).map(|diagnostic| diagnostic.code), Some(codes::EMULATOR_MISSING));
}

#[test]
fn literals_on_a_semihosting_console_go_to_standard_output() {
    let arguments = |board: &Board| {
        let given = ["chardev=x".into()];
        let invocation = Invocation::of(Path::new("image.elf"), board, &given, Used::default());
        let invocation = invocation.expect("it is installed");
        let words = invocation.arguments.iter().map(|word| word.to_string_lossy().into_owned());
        (words.collect::<Vec<_>>().join(" "), invocation.is_relayed)
    };
    let (line, is_relayed) = arguments(&board("microbit"));
    assert!(line.contains("-semihosting-config enable=on,target=native,arg="), "{line}");
    assert!(line.contains(",chardev=clef-console"), "{line}");
    assert!(line.contains("-chardev file,id=clef-console,path=/dev/fd/1,append=on"), "{line}");
    assert!(is_relayed);
    let mut own = board("microbit");
    let Run::Qemu(qemu) = &mut own.run else { panic!("QEMU runs the board") };
    let configuration = qemu.arguments.iter_mut().find(|argument| argument.starts_with("enable=on"));
    configuration.expect("semihosting is configured").push_str(",chardev=mine");
    assert!(!arguments(&own).0.contains("clef-console"));
    // Its console is a serial line.
    assert!(!arguments(&board("qemu-virt-aarch64")).0.contains("clef-console"));
}

#[test]
fn what_cannot_be_passed_on_is_told() {
    let given = |board: &Board, argument: OsString| {
        let found = Invocation::of(Path::new("image.elf"), board, &[argument], Used::default());
        found.map(drop).map_err(|refused| (refused.code, refused.message))
    };
    let none = |message: &str| Err((codes::NO_ARGUMENTS, message.to_owned()));
    let (mut without, long) = (board("microbit"), "x".repeat(clef_runtime::COMMAND_LINE));
    let Run::Qemu(qemu) = &mut without.run else { panic!("QEMU runs the board") };
    qemu.arguments.clear();
    let message =
        "cannot pass arguments to a program on `microbit`: its descriptor does not pass `-semihosting-config` to QEMU";
    assert_eq!(given(&without, "x".into()), none(message));
    let message = "the arguments have 1032 bytes, but a program on `microbit` accepts at most 1023";
    assert_eq!(given(&board("microbit"), long.clone().into()), none(message));
    let message = "the arguments have 1024 bytes, but a program on `qemu-q35` accepts at most 1023";
    assert_eq!(given(&board("qemu-q35"), long.into()), none(message));
    let bytes: OsString = std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff]);
    let message = "the program's argument 1 is not UTF-8: \"a\\xFF\"";
    for name in ["host-linux", "linux-aarch64", "microbit", "qemu-q35"] {
        assert_eq!(given(&board(name), bytes.clone()), none(message), "{name}");
    }
}
