//! What Visual Studio Code's C/C++ extension starts for a new project: `.vscode/gdb`, with the arguments and the commands
//! that the extension passes ("MIEngine", `DebuggedProcess.cs`).

use super::{debugger, holds};
use crate::{
    compiler::{LONGEST, binary, call, clefc_in},
    tool,
};
use libtest_mimic::{Failed, Trial};
use std::{env, ffi::OsString, fs, path::Path, process::Command};

/// A board of a project; the command that starts the program; its emulator.
const BOARDS: [(&str, &str, Option<&str>); 3] = [
    ("host-linux", "-exec-run", None),
    ("mps2-an386", "-exec-continue", Some("qemu-system-arm")),
    ("qemu-virt-aarch64", "-exec-continue", Some("qemu-system-aarch64")),
];

/// The trials; those that lack something are ignored.
pub(super) fn trials() -> Vec<Trial> {
    let trials = BOARDS.into_iter().map(|(board, start, emulator)| {
        let trial = Trial::test(format!("gdb::editor::{board}"), move || session(board, start));
        let emulator = emulator.filter(|name| tool::find(name).is_none()).map(str::to_owned);
        match debugger().or(emulator) {
            Some(missing) => tool::ignored(trial, &missing),
            None => trial,
        }
    });
    trials.collect()
}

/// A breakpoint is set before the program starts; there, a variable is read.
fn session(board: &str, start: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let made = clefc_in(directory.path(), &["new", "project", "--board", board], b"")?;
    holds(&String::from_utf8_lossy(&made.output), &["created project"])?;
    let project = directory.path().join("project");
    let launch: serde_json::Value = serde_json::from_str(&fs::read_to_string(project.join(".vscode/launch.json"))?)?;
    let launch = &launch["configurations"][0];
    let complete = launch["launchCompleteCommand"].as_str().unwrap_or_default();
    holds(start, &[complete])?;
    fs::write(project.join("main.clef"), "let show count =\n    printfn \"%d\" count\n\nshow 42\n")?;
    let commands = format!(
        "1-gdb-set breakpoint pending on\n2-break-insert -f main.clef:2\n3{start}\n\
         4-stack-list-variables --thread 1 --frame 0 --simple-values\n5-gdb-exit\n"
    );
    let mut script = Command::new(project.join(".vscode/gdb"));
    script.arg("--interpreter=mi").env("PATH", search_path()?).current_dir(directory.path());
    let said = call(&mut script, commands.as_bytes(), LONGEST)?;
    let output = String::from_utf8_lossy(&said.output).into_owned() + &said.errors;
    holds(
        &output,
        &["2^done,bkpt=", "*stopped,reason=\"breakpoint-hit\"", "{name=\"count\",arg=\"1\",type=\"int\",value=\"42\"}"],
    )
}

/// The search path with the compiler.
fn search_path() -> Result<OsString, Failed> {
    let own = binary()?.parent().map(Path::to_owned);
    let rest = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(own.into_iter().chain(env::split_paths(&rest)))?)
}
