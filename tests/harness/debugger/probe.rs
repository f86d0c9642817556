//! GDB at a simulated probe: its requests are carried out on an emulated micro:bit, and no failure leaves a process
//! behind.

use super::{PROGRAM, TO_THE_END, debugger, holds, said_in};
use crate::{
    compiler::{binary, clefc_in},
    tool,
};
use libtest_mimic::{Failed, Trial};
use probe_sim::{Options, Simulator};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
};
use tempfile::TempDir;

/// A program that ends with a status.
const FAILING: &str = "\
[<EntryPoint>]
let main argv =
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

/// A program that does not wait for readers of its output.
const COUNTING: &str = "\
let rec turn count =
    turn (count + 1)

turn 0
";
const SILENT: &str = "\
let rec turn (sum: float32) =
    turn (sum * 0.5f + 1.0f)

turn 0.0f
";

const TESTS: &str = "\
[<Test>]
let adds () = Assert.equal 4 (2 + 2)

[<Test>]
let subtracts () =
    Assert.equal 1 (3 - 2)
";

/// A micro:bit whose console is RTT.
const RTT_BOARD: &str = "inherits: microbit\ndescription: micro:bit with RTT\nconsole: { kind: rtt }\n";

/// A board whose processor has floating point.
const FLOAT_BOARD: &str = "inherits: mps2-an386\ndescription: a Cortex-M4 at a probe\nchip: Cortex-M4\n";

/// Interrupts a program from within GDB, a second later.
const LATER: &str = "python import os, signal, threading; \
                     threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()";

/// The trials; all are ignored if something is missing.
pub(super) fn trials() -> Vec<Trial> {
    let trials = vec![
        Trial::test("gdb::probe::stops", stops),
        Trial::test("gdb::probe::ends", ends),
        Trial::test("gdb::probe::steps", steps),
        Trial::test("gdb::probe::interrupted", interrupted),
        Trial::test("gdb::probe::breakpoints", breakpoints),
        Trial::test("gdb::probe::watchpoints", watchpoints),
        Trial::test("gdb::probe::locks_up", locks_up),
        Trial::test("gdb::probe::tests", tests),
        Trial::test("gdb::probe::leaves", leaves),
        Trial::test("gdb::probe::attaches", attaches),
        Trial::test("gdb::probe::killed", killed),
        Trial::test("gdb::probe::terminated", terminated),
        Trial::test("gdb::probe::lost", lost),
    ];
    let emulator = || tool::find("qemu-system-arm").is_none().then(|| "qemu-system-arm".to_owned());
    match debugger().or_else(emulator) {
        Some(missing) => trials.into_iter().map(|trial| tool::ignored(trial, &missing)).collect(),
        None => trials,
    }
}

/// A board at a simulated probe, and a directory for programs.
pub(super) struct Bench {
    pub(super) simulator: Simulator,
    directory: TempDir,
}

impl Bench {
    /// A micro:bit, with a program named `squares.clef`.
    pub(super) fn new(program: &str) -> Result<Bench, Failed> {
        let bench = Bench { simulator: Simulator::start(&Options::microbit())?, directory: tempfile::tempdir()? };
        bench.write("squares.clef", program)?;
        bench.write("rtt.yaml", RTT_BOARD)?;
        Ok(bench)
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failed> {
        Ok(fs::write(self.path().join(name), text)?)
    }

    /// The output and the status of GDB with some commands.
    fn gdb(&self, arguments: &[&str], orders: &[&str]) -> Result<(Option<i32>, String), Failed> {
        let selector = self.simulator.selector();
        let call = ["gdb", "--board", "microbit", "--probe", &selector];
        said_in(self.path(), &[&call[..], arguments, &batch(orders)].concat())
    }

    /// Starts a session, and waits until the program has started.
    fn begun(&self, arguments: &[&str], orders: &[&str]) -> Result<(Child, impl Read + use<>), Failed> {
        let mut child = Command::new(binary()?)
            .arg("gdb")
            .args(arguments)
            .args(batch(orders))
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("it has an output")?);
        let (mut said, mut line) = (String::new(), String::new());
        while line != "begun\n" {
            line.clear();
            if output.read_line(&mut line)? == 0 {
                return Err(format!("the program does not begin:\n{said}").into());
            }
            said += &line;
        }
        Ok((child, output))
    }
}

/// The arguments that pass commands to GDB.
fn batch<'a>(orders: &[&'a str]) -> Vec<&'a str> {
    ["--", "-batch"].into_iter().chain(orders.iter().flat_map(|order| ["-ex", *order])).collect()
}

/// The status and the output, including errors, when nobody holds our streams any more: GDB has exited too.
fn end(mut child: Child, mut output: impl Read) -> Result<(ExitStatus, String), Failed> {
    let mut said = String::new();
    output.read_to_string(&mut said)?;
    child.stderr.take().ok_or("it has errors")?.read_to_string(&mut said)?;
    Ok((child.wait()?, said))
}

/// The output, if the status is zero.
fn well((status, said): (Option<i32>, String)) -> Result<String, Failed> {
    if status == Some(0) { Ok(said) } else { Err(format!("status {status:?}\n{said}").into()) }
}

/// The output of GDB for a program on a board; a breakpoint is set first, and GDB gets these arguments.
fn at_probe(board: &str, program: &str, breakpoint: &str, arguments: &[&str]) -> Result<String, Failed> {
    let bench = Bench::new(program)?;
    let selector = bench.simulator.selector();
    let call = ["gdb", "--board", board, "--probe", &selector, "--break", breakpoint, "squares.clef"];
    well(said_in(bench.path(), &[&call[..], arguments].concat())?)
}

/// By semihosting and by RTT.
fn stops() -> Result<(), Failed> {
    for board in ["microbit", "./rtt.yaml"] {
        let said = at_probe(board, PROGRAM, "squares.clef:2", &TO_THE_END)?;
        let exit = "[Inferior 1 (process 1) exited normally]";
        holds(&said, &["Breakpoint 1, ", "at squares.clef:2", "let result = x * x", "sum 14", exit])?;
    }
    Ok(())
}

fn ends() -> Result<(), Failed> {
    for board in ["microbit", "./rtt.yaml"] {
        let said = at_probe(board, FAILING, "squares.clef:3", &TO_THE_END)?;
        holds(&said, &["at squares.clef:3", "begun", "exited with code 07]"])?;
    }
    Ok(())
}

/// Steps lines and instructions, also across breakpoints and semihosting calls; resets the chip; shows system
/// registers; reports unsupported requests.
fn steps() -> Result<(), Failed> {
    let orders = [
        "stepi",
        "next",
        "monitor reset",
        "p $msp == $sp",
        "p $primask + 5",
        "load",
        "set {int}0 = 5",
        "delete",
        "stepi 50",
        "continue",
    ];
    let said = at_probe("microbit", PROGRAM, "squares.clef:2", &batch(&orders))?;
    let refused = ["Load failed", "Cannot access memory at address 0x0"];
    holds(
        &said,
        &[&["\n6\tfor i in", "halted at its first instruction", "$1 = 1", "$2 = 5", "sum 14"][..], &refused].concat(),
    )
}

/// Control C stops an endless program.
fn interrupted() -> Result<(), Failed> {
    let said = at_probe("microbit", ENDLESS, "squares.clef:5", &batch(&["delete", LATER, "continue"]))?;
    holds(&said, &["received signal SIGINT", "squares.clef"])
}

/// A micro:bit has four of them.
fn breakpoints() -> Result<(), Failed> {
    let more = ["3", "5", "6", "7", "8"].map(|line| format!("break squares.clef:{line}"));
    let then = ["continue", "delete 2 3 4", "continue", "delete", "continue"];
    let orders: Vec<&str> = more.iter().map(String::as_str).chain(then).collect();
    let said = at_probe("microbit", PROGRAM, "squares.clef:2", &batch(&orders))?;
    let refused = "You may have requested too many hardware breakpoints";
    holds(&said, &["Cannot insert hardware breakpoint", refused, "sum 14", "exited normally"])?;
    let stops = said.matches("\nBreakpoint ").count();
    if stops > 6 { Ok(()) } else { Err(format!("{stops} places are named in\n{said}").into()) }
}

/// Memory accesses stop the program, also after a reset; a third watchpoint is rejected.
fn watchpoints() -> Result<(), Failed> {
    let orders = [
        "delete",
        "set var $slot = $sp - 4",
        "watch -location *(int *) $slot",
        "rwatch -location *(int *) $sp",
        "rwatch -location *(int *) ($sp + 4)",
        "continue",
        "delete 4 5",
        "continue",
        "awatch -location *(int *) $slot",
        "monitor reset",
        "continue",
        "delete",
        "continue",
    ];
    let said = at_probe("microbit", PROGRAM, "squares.clef:2", &batch(&orders))?;
    let refused = ["Could not insert hardware watchpoint", "too many hardware breakpoints/watchpoints"];
    holds(&said, &[&["Old value = ", "New value = "][..], &refused].concat())?;
    // Each is reported when it is set, and when the program stops there, perhaps within a line of its output.
    for watchpoint in ["Hardware watchpoint 3: ", "Hardware access (read/write) watchpoint 6: "] {
        if said.matches(watchpoint).count() < 2 {
            return Err(format!("the program does not stop at `{watchpoint}` in\n{said}").into());
        }
    }
    Ok(())
}

/// A processor that locks up is stopped, and starts again when it is reset.
fn locks_up() -> Result<(), Failed> {
    let orders = ["delete", "set $pc = 0xf0000000", "continue", "backtrace", "monitor reset", "continue"];
    let said = at_probe("microbit", PROGRAM, "squares.clef:2", &batch(&orders))?;
    let locked = ["the processor locked up", "received signal SIGSEGV", "#0  0xf000000"];
    holds(&said, &[&locked[..], &["halted at its first instruction", "sum 14", "exited normally"]].concat())
}

/// One test, selected by the command line or at a plan's device.
fn tests() -> Result<(), Failed> {
    let bench = Bench::new(TESTS)?;
    let selector = bench.simulator.selector();
    let device = format!("devices:\n  bench: {{ board: microbit, probe: \"{selector}\" }}\n");
    bench.write("plan.yaml", &format!("{device}suites:\n  - {{ paths: [squares.clef], on: [bench] }}\n"))?;
    let orders = batch(&["next", "delete", "continue"]);
    let by_hand = ["--board", "microbit", "--probe", &selector, "squares.clef"];
    for place in [
        &by_hand[..],
        &["--on", "probe", by_hand[0], by_hand[1], by_hand[2], by_hand[3], by_hand[4]],
        &["--plan", "plan.yaml"],
    ] {
        let call = [&["test", "--gdb", "--filter", "subtracts"], place, &orders].concat();
        let said = well(said_in(bench.path(), &call)?)?;
        holds(&said, &["Breakpoint 1, ", "squares.clef:6", "begin 1", "exited normally"])?;
    }
    let call = clefc_in(bench.path(), &[&["test", "--gdb"], &by_hand[..]].concat(), b"")?;
    holds(&call.errors, &["requires a single test on a single board, but there are 2"])
}

/// What happens to the program depends on how GDB exits.
fn leaves() -> Result<(), Failed> {
    let bench = Bench::new(COUNTING)?;
    let compiled =
        clefc_in(bench.path(), &["--board", "microbit", "-g", "-O0", "-o", "silent.elf", "squares.clef"], b"")?;
    holds(&compiled.errors, &[])?;
    for (order, is_halted) in [("detach", false), ("info line", false), ("kill", true), ("disconnect", true)] {
        well(bench.gdb(&["--break", "squares.clef:4", "silent.elf"], &[order])?)?;
        let said = well(bench.gdb(&["--attach", "silent.elf"], &["frame"])?)?;
        holds(&said, &[if is_halted { "squares.clef:4" } else { "turn" }])?;
    }
    Ok(())
}

/// A running program is stopped where it is; floating-point registers are read and written.
fn attaches() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("silent.clef"), SILENT)?;
    fs::write(directory.path().join("m4.yaml"), FLOAT_BOARD)?;
    let compile = ["--board", "./m4.yaml", "-g", "-O0", "-o", "silent.elf", "silent.clef"];
    holds(&clefc_in(directory.path(), &compile, b"")?.errors, &[])?;
    let image = Some(directory.path().join("silent.elf"));
    let options = Options { machine: "mps2-an386".to_owned(), image, ..Options::microbit() };
    let simulator = Simulator::start(&options)?;
    let selector = simulator.selector();
    let call = ["gdb", "--attach", "--board", "./m4.yaml", "--probe", &selector];
    let orders = [
        "backtrace 1",
        "p $s0 >= 1.0 && $s0 <= 2.0",
        "set $d9 = 2.5",
        "set $s20 = 0.25",
        "maintenance flush register-cache",
        "p $d9",
        "p $s20",
        "p/x $basepri",
        "hbreak silent.clef:2",
        "continue",
        "delete",
        LATER,
        "continue",
    ];
    let said = well(said_in(directory.path(), &[&call[..], &["silent.elf"], &batch(&orders)].concat())?)?;
    let seen = ["Silent.turn<unit> (sum=", "$1 = 1", "$2 = 2.5", "$3 = 0.25", "$4 = 0x0", "Breakpoint 2, "];
    holds(&said, &[&seen[..], &["received signal SIGINT"]].concat())?;
    // Another program is not mistaken for this one.
    fs::write(directory.path().join("other.clef"), ENDLESS)?;
    let refused = clefc_in(directory.path(), &[&call[..], &["other.clef"]].concat(), b"")?;
    holds(&refused.errors, &["error[E0951]", "--attach"])?;
    if refused.status == Some(125) { Ok(()) } else { Err(format!("status {:?}", refused.status).into()) }
}

/// GDB is killed while the program runs, and the probe is free for the next.
fn killed() -> Result<(), Failed> {
    let bench = Bench::new(ENDLESS)?;
    let kill = "python import os, signal, threading; \
                threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()";
    let (status, said) = bench.gdb(&["--break", "squares.clef:5", "squares.clef"], &["delete", kill, "continue"])?;
    holds(&said, &["begun", "error[E0933]: GDB was terminated by signal 9"])?;
    if status != Some(125) {
        return Err(format!("status {status:?}\n{said}").into());
    }
    stops_again(&bench)
}

/// A session begins and ends normally.
fn stops_again(bench: &Bench) -> Result<(), Failed> {
    let said = well(bench.gdb(&["--break", "squares.clef:5", "squares.clef"], &["detach"])?)?;
    holds(&said, &["Breakpoint 1, "])
}

/// We are terminated, at a probe and in an emulator: GDB ends with us.
fn terminated() -> Result<(), Failed> {
    let bench = Bench::new(ENDLESS)?;
    let selector = bench.simulator.selector();
    for place in [&["--board", "microbit", "--probe", &selector][..], &["--board", "mps2-an386"]] {
        let arguments = [place, &["--break", "squares.clef:5", "squares.clef"]].concat();
        let (child, output) = bench.begun(&arguments, &["delete", "continue"])?;
        let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
        let (status, said) = end(child, output)?;
        if !sent.success() || status.code() != Some(143) || said.contains("error") {
            return Err(format!("{status}\n{said}").into());
        }
    }
    stops_again(&bench)
}

/// The probe is disconnected while the program runs.
fn lost() -> Result<(), Failed> {
    let bench = Bench::new(ENDLESS)?;
    let selector = bench.simulator.selector();
    let arguments = ["--board", "microbit", "--probe", &selector, "--break", "squares.clef:5", "squares.clef"];
    let (child, output) = bench.begun(&arguments, &["delete", "continue"])?;
    drop(bench.simulator);
    let (status, said) = end(child, output)?;
    holds(&said, &["error[E0949]", "check the connection of the probe"])?;
    if status.code() == Some(125) { Ok(()) } else { Err(format!("{status}\n{said}").into()) }
}
