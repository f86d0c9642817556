//! Watchdogs in emulators: a program that feeds its watchdog in time lives, one that does not is reset.

use std::{
    fs,
    process::{Command, Output},
};

/// The boards, each with the emulator, the length of a RAM that leaves the last bytes of the board's own to the test, the address of
/// a word in those, and a handler of the interrupt that comes before the reset, where it is the non-maskable one.
const BOARDS: [(&str, &str, &str, bool); 3] = [
    ("lm3s6965evb", "60K", "0x2000fff0", false),
    ("mps2-an386", "4092K", "0x203ffff0", true),
    ("mps2-an505", "4092K", "0x383ffff0", true),
];

/// What runs until the watchdog interrupts it, if that is the non-maskable interrupt.
const HANDLER: &str = "\
[<Interrupt(\"NonMaskableInt\")>]
let late () =
    while true do
        ()
";

/// It lives for a second by feeding, and is then reset; the memory of the word survives that.
fn program(word: &str, feeds: bool) -> String {
    let feed = if feeds { "    for _ in 1 .. 10 do\n        Time.sleep 100\n        Watchdog.feed ()\n" } else { "" };
    format!(
        "if Mmio.read32 {word}un = 0x600DF00Du then\n    printfn \"was reset\"\nelse\n    Mmio.write32 {word}un 0x600DF00Du\n    \
         Watchdog.start 300\n{feed}    printfn \"started\"\n    while true do\n        ()\n"
    )
}

/// Runs a program on a board with a shorter RAM.
fn run(board: &str, ram: &str, program: &str) -> Output {
    let directory = tempfile::tempdir().expect("the system has temporary files");
    let descriptor = format!("inherits: {board}\ndescription: a shorter RAM\nmemory: {{ ram: {{ length: {ram} }} }}\n");
    fs::write(directory.path().join("b.yaml"), descriptor).expect("the directory is writable");
    fs::write(directory.path().join("watched.clef"), program).expect("the directory is writable");
    Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(["run", "--timeout", "20", "--board", "./b.yaml", "watched.clef"])
        .current_dir(directory.path())
        .output()
        .expect("the compiler starts")
}

fn is_absent() -> bool {
    Command::new("qemu-system-arm").arg("--version").output().is_err()
}

#[test]
fn who_does_not_feed_is_reset() {
    if is_absent() {
        return;
    }
    for (board, ram, word, is_non_maskable) in BOARDS {
        for feeds in [true, false] {
            let handler = if is_non_maskable { HANDLER } else { "" };
            let output = run(board, ram, &format!("{handler}{}", program(word, feeds)));
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(text, "started\nwas reset\n", "{board}, feeds: {feeds}: {errors}");
            assert!(output.status.success(), "{board}: {errors}");
        }
    }
}

/// Without a handler, the interrupt before the reset is reported like a fault.
#[test]
fn the_interrupt_before_the_reset_is_reported() {
    if is_absent() {
        return;
    }
    for (board, ram, word, _) in BOARDS.into_iter().filter(|(.., is_non_maskable)| *is_non_maskable) {
        let output = run(board, ram, &program(word, true));
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(text, "started\n", "{board}: {errors}");
        assert!(errors.contains("trap: processor fault"), "{board}: {errors}");
        assert_eq!(output.status.code(), Some(101), "{board}: {errors}");
    }
}

#[test]
fn times_that_the_watchdog_does_not_count_trap() {
    if is_absent() {
        return;
    }
    for time in ["0", "200_000"] {
        let output = run("mps2-an386", "4092K", &format!("Watchdog.start {time}\n"));
        let errors = String::from_utf8_lossy(&output.stderr);
        let expected =
            "Watchdog.start: the time must be from 1 to 171798 milliseconds on this board at watched.clef:1:1";
        assert!(errors.contains(expected), "{errors}");
    }
}
