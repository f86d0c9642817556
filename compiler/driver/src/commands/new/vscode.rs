//! The files of a new project for Visual Studio Code: tasks, and the debugger of its C/C++ extension.
//!
//! The extension speaks to a GDB by its machine interface. What it starts as GDB is a script, which runs `clefc gdb`; so
//! the program is built, started on its board and shown as at a terminal. `customLaunchSetupCommands` replaces what the
//! extension would do to start a program.

use super::File;
use clef_descriptors::{Board, Run};

/// The files, for a project of this name and its board, or for this machine.
pub(super) fn files(name: &str, board: Option<&Board>) -> Vec<File> {
    let mut files = vec![File::text(".vscode/tasks.json", tasks(board))];
    if let Some(launch) = launch(name, board) {
        files.push(File::text(".vscode/launch.json", launch));
        files.push(File { is_executable: true, ..File::text(".vscode/gdb", DEBUGGER.to_owned()) });
    }
    files
}

/// The tasks; an image is flashed where the board's chip is known to debug probes, and tests run on this machine where
/// the board is not emulated.
fn tasks(board: Option<&Board>) -> String {
    let runs_here = board.is_none_or(|board| board.run != Run::None);
    let tests = if runs_here { r#""test", ".""# } else { r#""test", "--plan", "testplan.yaml""# };
    let has_chip = board.is_some_and(|board| board.chip.is_some());
    let flash = if has_chip { ",\n    { \"label\": \"flash\", \"args\": [\"flash\", \".\"] }" } else { "" };
    TASKS.replace("TESTS", tests).replace("FLASH", flash)
}

/// The configuration of the debugger, if programs on the board can be debugged.
fn launch(name: &str, board: Option<&Board>) -> Option<String> {
    let (runs_here, place) = match board.map(|board| (&board.run, &board.name)) {
        None => (true, "this machine"),
        Some((Run::Native, name)) => (true, name.as_str()),
        Some((Run::Qemu(_) | Run::None, name)) => (false, name.as_str()),
        Some((Run::QemuUser(_), _)) => return None,
    };
    // GDB starts a process; on a board or in an emulator the program waits at its first instruction.
    let (product, start) = if runs_here { ("", "exec-run") } else { (".elf", "exec-continue") };
    let target = board.filter(|_| !runs_here).map_or(std::env::consts::ARCH, |board| &board.target);
    let processor = match target {
        target if target.starts_with("thumb") => "arm",
        target if target.starts_with("aarch64") => "arm64",
        _ => "x64",
    };
    let replaced =
        [("PLACE", place), ("PROGRAM", &format!("{name}{product}")), ("START", start), ("PROCESSOR", processor)];
    Some(replaced.into_iter().fold(LAUNCH.to_owned(), |text, (key, value)| text.replace(key, value)))
}

const DEBUGGER: &str = "\
#!/bin/sh
# What Visual Studio Code starts as GDB: the program of this project under GDB, on the project's board.
exec clefc gdb \"$(dirname \"$0\")/..\" -- \"$@\"
";

const LAUNCH: &str = r#"{
  "version": "0.2.0",
  "configurations": [
    {
      "name": "Debug on PLACE",
      "type": "cppdbg",
      "request": "launch",
      "program": "${workspaceFolder}/PROGRAM",
      "cwd": "${workspaceFolder}",
      "preLaunchTask": "build",
      "MIMode": "gdb",
      "miDebuggerPath": "${workspaceFolder}/.vscode/gdb",
      "targetArchitecture": "PROCESSOR",
      "customLaunchSetupCommands": [],
      "launchCompleteCommand": "START"
    }
  ]
}
"#;

const TASKS: &str = r#"{
  "version": "2.0.0",
  "command": "clefc",
  "options": { "cwd": "${workspaceFolder}" },
  "problemMatcher": {
    "owner": "clefc",
    "fileLocation": ["autoDetect", "${workspaceFolder}"],
    "pattern": [
      { "regexp": "^(error|warning)\\[(\\w+)\\]: (.*)$", "severity": 1, "code": 2, "message": 3 },
      { "regexp": "^ *--> (.*):(\\d+):(\\d+)$", "file": 1, "line": 2, "column": 3 }
    ]
  },
  "tasks": [
    { "label": "build", "args": ["."], "group": { "kind": "build", "isDefault": true } },
    { "label": "run", "args": ["run", "."] },
    { "label": "test", "args": [TESTS], "group": { "kind": "test", "isDefault": true } }FLASH
  ]
}
"#;
