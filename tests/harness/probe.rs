//! Runs on a simulated real board: `clefc` opens a simulated probe as it opens any other, programs the flash of an
//! emulated micro:bit by the chip's own flash algorithm, and runs the program there.

use crate::{
    ROOT,
    compiler::{Call, binary, clefc},
};
use clef_interpret::TRAP_STATUS;
use libtest_mimic::{Failed, Trial};
use probe_sim::{Fault, Options, Simulator, selector};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// A program that writes to both streams, reads, and ends with a status.
const PROGRAM: &str = "\
[<EntryPoint>]
let main argv =
    Console.writeln \"begun\"
    Console.errorln \"wrong\"
    Console.writeln (\"read \" + (Console.tryReadln () |> Option.defaultValue \"nothing\"))
    7
";

/// A program that logs.
const LOGGING: &str = "\
[<EntryPoint>]
let main argv =
    let reading, state = 3, \"high\"
    Log.info $\"reading {reading} is {state}\"
    Log.error $\"{reading + 17} readings are lost\"
    Console.writeln \"begun\"
    7
";

/// A program that does not end by itself.
const ENDLESS: &str = "\
let rec turn count =
    if count = 1 then Console.writeln \"begun\"
    turn (count + 1)

turn 0
";

/// A program that writes more than any buffer holds.
const LONG: &str = "\
[<EntryPoint>]
let main argv =
    for i in 1 .. 200 do
        Console.writeln $\"line {i} of the output\"
    7
";

/// A micro:bit whose console is RTT.
const RTT_BOARD: &str = "inherits: microbit\ndescription: micro:bit with RTT\nconsole: { kind: rtt }\n";

/// The time limit of a run in seconds.
const TIMEOUT: &str = "60";

/// A trial for each possible course of a run on a board.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("probe::semihosting", semihosting),
        Trial::test("probe::rtt", rtt),
        Trial::test("probe::log", log),
        Trial::test("probe::processor_fault", processor_fault),
        Trial::test("probe::trap", trap),
        Trial::test("probe::example", example),
        Trial::test("probe::flash", flash),
        Trial::test("probe::missing", missing),
        Trial::test("probe::interrupt", interrupt),
        Trial::test("probe::interrupt_flashing", interrupt_flashing),
        Trial::test("probe::time", time),
    ];
    trials.extend(
        FAULTS.map(|(fault, code, help)| {
            Trial::test(format!("probe::fault::{fault}"), move || faulty(fault, code, help))
        }),
    );
    let without_emulator = !Path::new("/usr/bin/qemu-system-arm").exists();
    trials.into_iter().map(|trial| trial.with_ignored_flag(without_emulator)).collect()
}

/// The faults of a probe or a chip, with the error code and a part of its help.
const FAULTS: [(Fault, &str, &str); 5] = [
    (Fault::WrongChip, "E0945", "connect the right board"),
    (Fault::VerifyMismatch, "E0948", "try again"),
    (Fault::ConnectionLost, "E0949", "try again"),
    (Fault::LockedUp, "E0934", "check the memory map in the board's descriptor"),
    (Fault::ReadProtected, "E0946", "clefc erase --board microbit"),
];

/// The number of runs of a program on the same board: `RUNS`.
fn runs() -> Result<u32, Failed> {
    Ok(std::env::var("RUNS").map_or(Ok(1), |runs| runs.parse())?)
}

fn semihosting() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let program = source("semihosting", PROGRAM)?;
    for _ in 0..runs()? {
        let call = run(&simulator.selector(), "microbit", &program, b"a line\n")?;
        ended(&call, 7, "begun\nread a line\n", "wrong\n")?;
    }
    // The input has ended.
    let call = run(&simulator.selector(), "microbit", &program, b"")?;
    ended(&call, 7, "begun\nread nothing\n", "wrong\n")
}

fn rtt() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let board = file("rtt.yaml", RTT_BOARD)?;
    let output: String = (1..=200).map(|line| format!("line {line} of the output\n")).collect();
    for _ in 0..runs()? {
        let call = run(&simulator.selector(), &board, &source("long", LONG)?, b"")?;
        ended(&call, 7, &output, "")?;
    }
    let call = run(&simulator.selector(), &board, &source("rtt", PROGRAM)?, b"a line\n")?;
    ended(&call, 7, "begun\nread a line\n", "wrong\n")
}

/// Log messages have locations, by semihosting and by RTT.
fn log() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let (board, program) = (file("rtt_log.yaml", RTT_BOARD)?, source("log", LOGGING)?);
    for board in ["microbit", &board] {
        let call = run(&simulator.selector(), board, &program, b"")?;
        let logged = format!("INFO  {program}:4  reading 3 is high\nERROR {program}:5  20 readings are lost\n");
        ended(&call, 7, "begun\n", &logged)?;
    }
    Ok(())
}

/// A processor fault is decoded, by semihosting and by RTT.
fn processor_fault() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let board = file("rtt_fault.yaml", RTT_BOARD)?;
    for board in ["microbit", &board] {
        let call = run(&simulator.selector(), board, "faults/address.clef", b"")?;
        let shown = format!("{}{}", String::from_utf8_lossy(&call.output), call.errors);
        let is_right = call.status == Some(TRAP_STATUS) && shown.contains("a hard fault in `Address.poke`");
        expect(is_right, &format!("{board}: status {:?}\n{shown}", call.status))?;
    }
    Ok(())
}

/// A trap of an image that does not report it itself, and its calls: during a run, and when it happened before the probe was
/// attached.
fn trap() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let selector = simulator.selector();
    let program = source(
        "trap",
        "let pick (from: int[]) i = from.[i]\nlet n = pick [| 3 |] 0\n\
         printfn \"before\"\nprintfn \"%d\" (pick [| 1 |] n)\n",
    )?;
    let board = file("rtt_trap.yaml", RTT_BOARD)?;
    let report = format!(
        "trap: index out of range at {program}:1:28\n  0  Trap.pick     {program}:1:28\n  \
         1  start.item.3  {program}:4:15\n  2  start         {program}:4:1\n"
    );
    // Without a probe, semihosting calls have no effect, and text stays in buffers.
    for (board, kept) in [("microbit", ""), (&board, "before\n")] {
        ended(&run(&selector, board, &program, b"")?, TRAP_STATUS, "before\n", &report)?;
        let call = clefc(&["reset", "--board", board, "--probe", &selector], b"")?;
        expect(call.status == Some(0), &call.errors)?;
        let arguments = ["attach", "--board", board, "--timeout", TIMEOUT, "--probe", &selector, &program];
        ended(&clefc(&arguments, b"")?, TRAP_STATUS, kept, &report)?;
    }
    Ok(())
}

/// An example: flashed, verified, logged with locations; its status is ours.
fn example() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let call = run(&simulator.selector(), "microbit", "../examples/self_test.clef", b"")?;
    let place = "ERROR ../examples/self_test.clef:34  supply in millivolts: 2710 is not between 3000 and 3600\n";
    expect(call.errors.contains(place), &call.errors)?;
    ended(&call, 7, "checks that failed: 3\n", &call.errors)
}

/// `clefc flash` of a finished image; then a reset runs it.
fn flash() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let (program, selector) = (source("flash", PROGRAM)?, simulator.selector());
    let image = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe").join("flash.elf").display().to_string();
    expect(clefc(&["--board", "microbit", "-o", &image, &program], b"")?.status == Some(0), "it compiles")?;
    let call = clefc(&["flash", "--board", "microbit", "--probe", &selector, &image], b"")?;
    let said = String::from_utf8_lossy(&call.output).into_owned();
    expect(call.status == Some(0) && said.contains("programmed into `microbit` and verified"), &said)?;
    expect(call.errors.is_empty(), &call.errors)?;
    for command in ["reset", "erase"] {
        let call = clefc(&[command, "--board", "microbit", "--probe", &selector], b"")?;
        expect(call.status == Some(0) && call.errors.is_empty(), &call.errors)?;
    }
    // An empty flash cannot run.
    let arguments = ["attach", "--board", "microbit", "--timeout", TIMEOUT, "--probe", &selector];
    let call = clefc(&arguments, b"")?;
    expect(call.status == Some(125) && call.errors.contains("E0934"), &call.errors)
}

/// A probe that is missing first, and then present.
fn missing() -> Result<(), Failed> {
    let port = Simulator::start(&Options::microbit())?.port();
    let program = source("missing", PROGRAM)?;
    let call = run(&selector(port), "microbit", &program, b"")?;
    refused(&call, "E0940", "the server listens at")?;
    let simulator = Simulator::start(&Options { port: Some(port), ..Options::microbit() })?;
    ended(&run(&simulator.selector(), "microbit", &program, b"")?, 7, "begun\nread nothing\n", "wrong\n")
}

fn faulty(fault: Fault, code: &str, help: &str) -> Result<(), Failed> {
    let simulator = Simulator::start(&Options { fault: Some(fault), ..Options::microbit() })?;
    let program = source(&fault.to_string(), PROGRAM)?;
    let call = run(&simulator.selector(), "microbit", &program, b"")?;
    refused(&call, code, help)?;
    let call = run(&simulator.selector(), "microbit", &program, b"a line\n")?;
    ended(&call, 7, "begun\nread a line\n", "wrong\n")
}

/// Control C ends the run and leaves the board usable for the next one.
fn interrupt() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let selector = simulator.selector();
    let endless = source("endless", ENDLESS)?;
    for afterwards in ["halt", "run"] {
        let arguments = ["run", "--board", "microbit", "--probe", &selector, "--on-interrupt", afterwards, &endless];
        let mut child = Command::new(binary()?)
            .args(arguments)
            .current_dir(ROOT)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("it has an output")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
        let status = child.wait()?;
        let mut rest = String::new();
        output.read_to_string(&mut rest)?;
        expect(killed.success() && line == "begun\n" && rest.is_empty(), &format!("{line}{rest}"))?;
        expect(status.code() == Some(130), &format!("{afterwards}: {status}"))?;
    }
    ended(&run(&selector, "microbit", &source("after", PROGRAM)?, b"")?, 7, "begun\nread nothing\n", "wrong\n")
}

/// Control C while flash is programmed: it holds the whole image afterwards, which does not start unless requested.
fn interrupt_flashing() -> Result<(), Failed> {
    let program = source("flashing", PROGRAM)?;
    for (command, output) in [("run", ""), ("gdb", ""), ("flash", "programmed into `microbit` and verified\n")] {
        let simulator = Simulator::start(&Options { fault: Some(Fault::SlowFlash), ..Options::microbit() })?;
        let selector = simulator.selector();
        let mut child = Command::new(binary()?)
            .args([command, "--board", "microbit", "--probe", &selector, &program])
            .current_dir(ROOT)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        while simulator.calls() < 2 && child.try_wait()?.is_none() {
            thread::sleep(Duration::from_millis(10));
        }
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
        let call = child.wait_with_output()?;
        let written = String::from_utf8_lossy(&call.stdout).into_owned();
        let is_right = killed.success() && call.status.code() == Some(130) && written.ends_with(output);
        expect(is_right && call.stderr.is_empty(), &format!("{command}: {:?}", call))?;
        expect(!written.contains("begun"), &written)?;
        if command == "run" {
            // It waits as after a reset.
            let arguments = ["attach", "--board", "microbit", "--timeout", TIMEOUT, "--probe", &selector];
            ended(&clefc(&arguments, b"")?, 7, "begun\nread nothing\n", "wrong\n")?;
        }
    }
    Ok(())
}

/// A program that exceeds its time limit.
fn time() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let endless = source("late", ENDLESS)?;
    let arguments = ["run", "--board", "microbit", "--timeout", "1", "--probe", &simulator.selector(), &endless];
    let call = clefc(&arguments, b"")?;
    expect(call.output == b"begun\n", &call.errors)?;
    refused(&call, "E0932", "--timeout")
}

fn run(selector: &str, board: &str, program: &str, input: &[u8]) -> Result<Call, Failed> {
    clefc(&["run", "--board", board, "--timeout", TIMEOUT, "--probe", selector, program], input)
}

/// Asserts a program's status and its complete output.
fn ended(call: &Call, status: i32, output: &str, errors: &str) -> Result<(), Failed> {
    let written = String::from_utf8_lossy(&call.output);
    let is_right = call.status == Some(status) && written == output && call.errors == errors;
    expect(is_right, &format!("status {:?}\n{written}\n{}", call.status, call.errors))
}

/// Asserts one error with this code and help, and the status of runs that could not be made.
fn refused(call: &Call, code: &str, help: &str) -> Result<(), Failed> {
    let is_right = call.status == Some(125)
        && call.errors.matches("error[").count() == 1
        && call.errors.contains(&format!("error[{code}]"))
        && call.errors.lines().any(|line| line.contains("= help:") && line.contains(help));
    expect(is_right, &format!("status {:?}\n{}", call.status, call.errors))
}

fn expect(is_right: bool, otherwise: &str) -> Result<(), Failed> {
    if is_right { Ok(()) } else { Err(otherwise.into()) }
}

/// The path of a file with this source text.
fn source(name: &str, text: &str) -> Result<String, Failed> {
    file(&format!("{name}.clef"), text)
}

fn file(name: &str, text: &str) -> Result<String, Failed> {
    let directory: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe");
    fs::create_dir_all(&directory)?;
    let path = directory.join(name);
    fs::write(&path, text)?;
    Ok(path.display().to_string())
}
