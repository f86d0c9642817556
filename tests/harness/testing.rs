//! `clefc test`: the library's tests in Clef pass by their plan, each kind of failure is reported, and no process is
//! left.

use crate::{
    ROOT,
    board::missing,
    compiler::{Call, LONGEST, binary, clefc},
    tool,
};
use clef_descriptors::Machine;
use clef_golden::{compare, compare_with_file, is_updating};
use libtest_mimic::{Failed, Trial};
use probe_sim::{Fault, Options, Simulator};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The status of `clefc test` if tests failed.
const TESTS_FAILED: i32 = 100;

/// The tests that fail in every way.
const VERDICTS: &str = "testing/verdicts.clef";

/// The places of the tests of one plan.
const PLACES: [&str; 4] = ["host-linux", "mps2-an386", "qemu-virt-aarch64", "bench"];

/// The trials; those for boards that lack something are ignored.
pub(crate) fn trials(boards: &[Machine]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for machine in boards {
        let board = &machine.board.value;
        let (name, shared) = (board.name.clone(), board.name.clone());
        let trial = Trial::test(format!("testing::verdicts::{name}"), move || verdicts(&name, "test"));
        let trial_shared =
            Trial::test(format!("testing::verdicts_shared::{shared}"), move || verdicts(&shared, "shared"));
        for trial in [trial, trial_shared] {
            trials.push(match missing(board) {
                Some(missing) => tool::ignored(trial, &missing),
                None => trial,
            });
        }
    }
    let missing = boards.iter().find_map(|machine| missing(&machine.board.value));
    for trial in [
        Trial::test("testing::library", library),
        Trial::test("testing::example", example),
        Trial::test("testing::plan", plan),
        Trial::test("testing::logs", logs),
        Trial::test("testing::lockup", lockup),
        Trial::test("testing::lockup_at_a_probe", lockup_at_a_probe),
        Trial::test("testing::interrupted", interrupted),
    ] {
        trials.push(match &missing {
            Some(missing) => tool::ignored(trial, missing),
            None => trial,
        });
    }
    trials
}

/// All tests of the library pass at the places of their plan, and the report contains each of them.
fn library() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let report = directory.path().join("report.xml");
    let arguments = ["test", "--plan", "library/testplan.yaml", "--json", "-", "--junit"].map(Path::new);
    let call = clefc(&[&arguments[..], &[report.as_path()]].concat(), b"")?;
    if call.status != Some(0) {
        return Err(format!("status {:?} with\n{}", call.status, call.errors).into());
    }
    let results = results(&call)?;
    let xml = fs::read_to_string(&report)?;
    let head = format!("<testsuites name=\"clefc test\" tests=\"{}\" skipped=\"0\" failures=\"0\"", results.len());
    if !xml.contains(&head) || xml.matches("<testcase ").count() != results.len() {
        return Err(format!("the report does not have all {} results:\n{xml}", results.len()).into());
    }
    for place in ["host-linux", "mps2-an386", "qemu-virt-aarch64", "microbit"] {
        if !results.iter().any(|result| result["place"] == place) {
            return Err(format!("nothing ran on {place}").into());
        }
    }
    Ok(())
}

/// The tests of examples pass on their boards, and those of the drivers on two boards.
fn example() -> Result<(), Failed> {
    pass("../examples/button", &[])?;
    pass("../examples/data_logger", &[])?;
    crate::entries("../examples/drivers")?
        .iter()
        .try_for_each(|driver| pass(&driver.to_string_lossy(), &["--board", "host-linux", "--board", "mps2-an386"]))
}

/// The tests of a project pass.
fn pass(project: &str, boards: &[&str]) -> Result<(), Failed> {
    let all = [&["test", project, "--json", "-"][..], boards].concat();
    let arguments: Vec<&Path> = all.iter().map(Path::new).collect();
    let call = clefc(&arguments, b"")?;
    if call.status != Some(0) || results(&call)?.is_empty() {
        return Err(format!("{project}: status {:?} with\n{}", call.status, call.errors).into());
    }
    Ok(())
}

/// The log of a test is in its result, with the location, whether or not tests share boots; results are the same
/// without a log.
fn logs() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let selector = simulator.selector();
    let probe = ["--board", "microbit", "--probe", &selector];
    let expected = Path::new(ROOT).join("testing/logging.out");
    for place in [&probe[..], &["--board", "host-linux"], &["--board", "microbit"], &["--board", "qemu-q35"]] {
        for boot in ["test", "shared"] {
            let told = |options: &[&str]| -> Result<String, Failed> {
                let arguments = ["test", "testing/logging.clef", "--json", "-", "--boot", boot];
                Ok(results(&clefc(&[&arguments[..], place, options].concat(), b"")?)?.iter().map(told).collect())
            };
            compare_with_file(&expected, &told(&[])?)?;
            let logged = |line: &&str| line.starts_with("  logged: ");
            let all = fs::read_to_string(&expected)?;
            let others: String = all.lines().filter(|line| !logged(line)).map(|line| format!("{line}\n")).collect();
            compare(&others, &told(&["--log-level", "off"])?)?;
        }
    }
    Ok(())
}

/// A test that locks up the processor fails for that, and those after it run, whether or not they share its boot.
fn lockup() -> Result<(), Failed> {
    for boot in ["test", "shared"] {
        let arguments = ["test", "testing/lockup.clef", "--board", "mps2-an386", "--boot", boot, "--json", "-"];
        expect_lockup(&clefc(&arguments, b"")?)?;
    }
    Ok(())
}

/// The same on a board at a probe, whose processor locks up the first time.
fn lockup_at_a_probe() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options { fault: Some(Fault::LockedUp), ..Options::microbit() })?;
    let selector = simulator.selector();
    // The simulator locks up in its first boot, which is that of the first test if tests run one at a time.
    let probe = ["--board", "microbit", "--probe", &selector, "--jobs", "1"];
    let arguments = [&["test", "testing/logging.clef", "--json", "-"][..], &probe].concat();
    expect_lockup(&clefc(&arguments, b"")?)
}

/// Asserts that the first test locked the processor up, and no other did.
fn expect_lockup(call: &Call) -> Result<(), Failed> {
    let results = results(call)?;
    let kinds: Vec<&Value> = results.iter().map(|result| &result["failures"][0]["kind"]).collect();
    let is_right = call.status == Some(TESTS_FAILED)
        && kinds.len() > 1
        && kinds[0] == "lockup"
        && kinds[1..].iter().all(|kind| **kind != "lockup");
    if is_right { Ok(()) } else { Err(format!("status {:?}, {kinds:?} with\n{}", call.status, call.errors).into()) }
}

/// Passing and failing tests by one plan, here, in two emulators, and on a board at a simulated probe: with the same
/// results everywhere, and with one that hangs.
fn plan() -> Result<(), Failed> {
    let simulator = Simulator::start(&Options::microbit())?;
    let directory = tempfile::tempdir()?;
    let (plan, report) = (directory.path().join("plan.yaml"), directory.path().join("report.xml"));
    let text = format!(
        "devices:\n  bench: {{ board: microbit, probe: {:?} }}\nsuites:\n  \
         - {{ paths: [{ROOT}/library/closures.clef], on: {PLACES:?}, boot: shared }}\n  \
         - {{ paths: [{ROOT}/{VERDICTS}], on: {PLACES:?}, timeout: 6 }}\n",
        simulator.selector()
    );
    fs::write(&plan, text)?;
    let arguments = ["test", "--json", "-", "--plan"].map(Path::new);
    let call = clefc(&[&arguments[..], &[&plan, Path::new("--junit"), &report]].concat(), b"")?;
    let results = results(&call)?;
    let of_place = |place: &str| -> Vec<String> {
        let own = results.iter().filter(|result| result["place"] == place);
        // Locations contain file names, for which the plan uses absolute paths.
        own.map(|result| told(result).replace(&format!("{ROOT}/"), "")).collect()
    };
    let first = of_place(PLACES[0]);
    let verdicts = fs::read_to_string(Path::new(ROOT).join(VERDICTS).with_extension("out"))?;
    if call.status != Some(TESTS_FAILED) || !first.concat().ends_with(&verdicts) {
        return Err(format!("status {:?} with\n{}", call.status, call.errors).into());
    }
    if let Some(other) = PLACES.iter().find(|place| of_place(place) != first) {
        return Err(format!("on {other} tests come to\n{}", of_place(other).concat()).into());
    }
    let xml = fs::read_to_string(&report)?;
    let failures = PLACES.len() * verdicts.lines().filter(|line| line.starts_with("failed ")).count();
    let head = format!("tests=\"{}\" skipped=\"0\" failures=\"{failures}\"", results.len());
    if xml.contains(&head) { Ok(()) } else { Err(format!("the report is not of {head}:\n{xml}").into()) }
}

/// The tests have the same results on every board, whether or not they share boots.
fn verdicts(board: &str, boot: &str) -> Result<(), Failed> {
    let call = clefc(&["test", VERDICTS, "--board", board, "--boot", boot, "--timeout", "6", "--json", "-"], b"")?;
    if call.status != Some(TESTS_FAILED) {
        return Err(format!("status {:?} with\n{}", call.status, call.errors).into());
    }
    let told: String = results(&call)?.iter().map(told).collect();
    let expected = Path::new(ROOT).join(VERDICTS).with_extension("out");
    if is_updating() && board != "host-linux" { Ok(()) } else { Ok(compare_with_file(&expected, &told)?) }
}

fn results(call: &Call) -> Result<Vec<Value>, Failed> {
    let report: Value = serde_json::from_slice(&call.output)?;
    Ok(report["tests"].as_array().cloned().unwrap_or_default())
}

/// A result without the parts that differ between runs.
fn told(result: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let failures = result["failures"].as_array().cloned().unwrap_or_default();
    let failures = failures.iter().map(|failure| {
        let at = failure["at"].as_str().unwrap_or("somewhere");
        format!("  {} at {at}: {}\n", text(&failure["kind"]), text(&failure["message"]))
    });
    let (name, line) = (text(&result["name"]), &result["line"]);
    let head = format!("{} {name} (line {line})\n", text(&result["result"]));
    let (written, logged) = (text(&result["stdout"]), text(&result["log"]));
    let written = written.lines().map(|line| format!("  wrote: {line}\n"));
    let logged = logged.lines().map(|line| format!("  logged: {line}\n"));
    [head].into_iter().chain(failures).chain(written).chain(logged).collect()
}

/// An interrupted run leaves no emulator behind.
fn interrupted() -> Result<(), Failed> {
    // Emulators are recognised by the directory of their images.
    let directory = tempfile::tempdir()?;
    let mut command = Command::new(binary()?);
    command.args(["test", VERDICTS, "--board", "microbit", "--filter", "hangs", "--timeout", "100"]);
    command.current_dir(ROOT).env("TMPDIR", directory.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let appeared = eventually(|| emulates(directory.path()));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let ended = eventually(|| matches!(child.try_wait(), Ok(Some(_))));
    if !ended {
        child.kill()?;
    }
    child.wait()?;
    let gone = eventually(|| !emulates(directory.path()));
    match (appeared, interrupt?.success() && ended, gone) {
        (true, true, true) => Ok(()),
        (false, _, _) => Err("no emulator was started".into()),
        (true, false, _) => Err("the interrupt did not end the run".into()),
        (true, true, false) => Err("an emulator is left".into()),
    }
}

fn eventually(holds: impl FnMut() -> bool) -> bool {
    let mut holds = holds;
    let start = Instant::now();
    while start.elapsed() < LONGEST {
        if holds() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Whether an emulator runs an image of a directory.
fn emulates(directory: &Path) -> bool {
    let directory = directory.display().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let command = |process: fs::DirEntry| fs::read(process.path().join("cmdline")).unwrap_or_default();
    processes.map(command).any(|command| {
        let command = String::from_utf8_lossy(&command).into_owned();
        command.contains("qemu-system") && command.contains(&directory)
    })
}
