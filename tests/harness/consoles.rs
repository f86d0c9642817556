//! Consoles on serial lines of the board: programs that print, read and trap, in the program and in handlers, on models of chips and in QEMU.
//! Nothing of it needs interrupts, and what is sent in the background is not lost.

use crate::{
    board,
    chips::{self, Model},
    compiler::{clefc_fed, clefc_in},
    serial, tool, transfers,
};
use chip_sim::{Ending, Session};
use clef_oracle::process::Feed;
use libtest_mimic::{Failed, Trial};
use std::fs;

/// Boards in QEMU with what their descriptors need besides the console, one of each kind of line, and two whose line has two drivers.
const EMULATED: [(&str, &str, &str); 10] = [
    ("lm3s6965evb", "lm3s6965evb", ""),
    ("microbit", "microbit", ""),
    ("mps2-an386", "mps2-an386", ""),
    ("mps2-an505", "mps2-an505", ""),
    ("netduino2", "netduino2", ""),
    ("netduinoplus2", "netduinoplus2", ""),
    ("qemu-virt-aarch64", "qemu-virt-aarch64", "console_error: { kind: uart }\n"),
    ("qemu-virt-aarch64-two", "qemu-virt-aarch64", "console_error: { kind: pl011, base: 0x09000000 }\n"),
    ("qemu-q35", "qemu-q35", "console_error: { kind: uart }\n"),
    ("qemu-q35-two", "qemu-q35", "console_error: { kind: com, port: 0x3f8 }\n"),
];

/// The trials: several on each model with a serial line, and one on each emulated board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    let models = chips::models()?;
    let is_modelled = |model: &&Model| serial::BOARDS.iter().any(|(name, _)| *name == model.name);
    for (index, model) in models.iter().filter(is_modelled).enumerate() {
        let level = ["0", "2", "z"][index % 3];
        let test = |name: &str, program: &'static str, check: fn(&str) -> bool| {
            let model = model.clone();
            let name = format!("consoles::{name}::{}-O{level}", model.name);
            Trial::test(name, move || run(&model, level, program, check))
        };
        let of_lines = model.clone();
        let name = format!("consoles::lines::{}-O{level}", model.name);
        trials.push(Trial::test(name, move || lines(&of_lines, level)));
        trials.push(test("handler", HANDLER, |sent| sent.starts_with("handled\ntrap: in a handler at ")));
        if transfers::BOARDS.iter().any(|(name, _)| *name == model.name) {
            trials.push(test("background", BACKGROUND, |sent| sent == format!("{}after\n", "abcdefgh".repeat(40))));
            trials.push(test("masked", MASKED, |sent| {
                let rest = sent.strip_prefix(&"abcdefgh".repeat(25));
                rest.is_some_and(|report| report.starts_with("trap: masked at "))
            }));
        }
    }
    for (name, board, more) in EMULATED {
        let trial = Trial::test(format!("consoles::emulated::{name}"), move || emulated(board, more));
        let emulator = emulator(board);
        trials.push(if tool::find(emulator).is_none() { tool::ignored(trial, emulator) } else { trial });
    }
    let trial = Trial::test("consoles::tests::mps2-an386", tests);
    let emulator = emulator("mps2-an386");
    trials.push(if tool::find(emulator).is_none() { tool::ignored(trial, emulator) } else { trial });
    Ok(trials)
}

/// Tests whose output, errors and marks are on one line.
fn tests() -> Result<(), Failed> {
    const TESTS: &str = "\
[<Test>]
let ``adds`` () = Assert.equal 2 (1 + 1)
[<Test>]
let ``traps`` () =
    printfn \"before\"
    failwith \"on purpose\"
[<Test>]
let ``adds again`` () = Assert.equal 3 (1 + 2)
";
    let directory = tempfile::tempdir()?;
    let descriptor = "inherits: mps2-an386\ndescription: The same\nconsole: { kind: uart }\n";
    fs::write(directory.path().join("board.yaml"), descriptor)?;
    fs::write(directory.path().join("tested.clef"), TESTS)?;
    let call = clefc_in(directory.path(), &["test", "--board", "./board.yaml", "tested.clef"], b"")?;
    let all = format!("{}{}", String::from_utf8_lossy(&call.output), call.errors);
    let fits = all.contains("2 passed, 1 failed") && all.contains("on purpose") && all.contains("before");
    if fits { Ok(()) } else { Err(all.into()) }
}

/// The emulator of a board.
fn emulator(board: &str) -> &'static str {
    match board {
        "qemu-virt-aarch64" => "qemu-system-aarch64",
        "qemu-q35" => "qemu-system-x86_64",
        _ => "qemu-system-arm",
    }
}

/// The model with its console on its first serial line.
fn with_console(model: &Model) -> Model {
    let mut model = model.clone();
    let others = model.descriptor.lines().filter(|line| !line.starts_with("console:"));
    let others: String = others.filter(|line| !line.starts_with("exit:")).map(|line| format!("{line}\n")).collect();
    // What is sent at the end leaves the device while the processor sleeps.
    model.descriptor = others + "console: { kind: uart }\nexit: { kind: halt }\n";
    model
}

/// Prints, reads lines, and goes on at another rate.
const LINES: &str = "\
Console.writeln \"ready\"
let name = Console.readln ()
printfn \"%d bytes\" (String.length name)
eprintfn \"an error\"
Uart.start Serial.main 9600
Uart.write Serial.main \"slow \"
Interrupt.critical (fun () -> Console.writeln \"and masked\")
if (Console.tryReadln ()).IsNone then Console.writeln \"the end\"
Time.sleep 20
let numbers = [| 1; 2 |]
printfn \"%d\" numbers.[String.length name]
";

fn lines(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = serial::start(&with_console(model), level, LINES)?;
    serial::expect(&mut chip, 5, "ready\n")?;
    chip.send("abc\r");
    // A byte takes a millisecond at 9600 baud.
    serial::expect(&mut chip, 50, "3 bytes\nan error\nslow and masked\n")?;
    chip.send("\u{4}");
    serial::expect(&mut chip, 20, "the end\n")?;
    let report = finish(&mut chip, 400)?;
    let fits = report.starts_with("trap: index out of range at serial.clef:11:") && report.contains("\nstack:");
    if fits { Ok(()) } else { Err(report.into()) }
}

/// Runs a chip to its end, or for some milliseconds; what it has sent.
fn finish(chip: &mut Session, milliseconds: u64) -> Result<String, Failed> {
    let ending = chip.run(milliseconds);
    if matches!(ending, Ending::Asleep | Ending::Running) {
        return Ok(chip.received());
    }
    Err(format!("{ending:?} after {:?}", chip.received()).into())
}

/// A handler prints, and traps.
const HANDLER: &str = "\
Interrupt.on 5 (fun () ->
    Console.writeln \"handled\"
    failwith \"in a handler\")
Interrupt.pend 5
";

/// Prints while the line sends in the background, without interrupts.
const BACKGROUND: &str = "\
let bytes = Array.init 320 (fun index -> byte (97 + index % 8))
Uart.start Serial.main 115200
Uart.writeThen Serial.main bytes ignore
Interrupt.waitUntil (fun () -> not (Uart.isWriting Serial.main))
Interrupt.critical (fun () -> Console.writeln \"after\")
Time.sleep 20
";

/// Traps while the line sends in the background, and interrupts are masked.
const MASKED: &str = "\
let bytes = Array.init 200 (fun index -> byte (97 + index % 8))
Uart.start Serial.main 115200
Uart.writeThen Serial.main bytes ignore
Interrupt.critical (fun () -> failwith \"masked\")
";

fn run(model: &Model, level: &str, program: &str, fits: fn(&str) -> bool) -> Result<(), Failed> {
    let mut chip = serial::start(&with_console(model), level, program)?;
    let sent = finish(&mut chip, 500)?;
    if fits(&sent) { Ok(()) } else { Err(format!("it has sent {sent:?}").into()) }
}

/// Prints, reads and traps, with a line of the program that is the same.
const EMULATED_PROGRAM: &str = "\
Console.writeln \"ready\"
let name = Console.readln ()
printfn \"%d bytes\" (String.length name)
Uart.start Serial.main 115200
Uart.write Serial.main \"both\\n\"
failwith \"the end\"
";

fn emulated(board: &str, more: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let descriptor = format!("inherits: {board}\ndescription: The same\nconsole: {{ kind: uart }}\n{more}");
    fs::write(directory.path().join("board.yaml"), descriptor)?;
    fs::write(directory.path().join("console.clef"), EMULATED_PROGRAM)?;
    let [board, program] =
        ["board.yaml", "console.clef"].map(|name| directory.path().join(name).to_string_lossy().into_owned());
    let run = ["run", "--board", &board, "--timeout", board::TIMEOUT, &program];
    // A line that has not been started loses what it receives.
    let call = clefc_fed(&run, b"abc\n", Feed::AfterFirstLine)?;
    let all = format!("{}{}", String::from_utf8_lossy(&call.output), call.errors);
    let fits = call.status == Some(101)
        && call.output.starts_with(b"ready\n3 bytes\nboth\n")
        && all.contains("trap: the end at ")
        && all.contains("console.clef:6:")
        && !all.contains("stack: ");
    if fits { Ok(()) } else { Err(format!("{:?}\n{all}", call.status).into()) }
}
