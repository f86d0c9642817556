//! Runs commands: each is shown as it could be typed, and a failure names the command.

use crate::Failure;
use std::{
    ffi::OsStr,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// A command and its purpose.
pub(crate) struct Step {
    /// Its name in the heading and the summary.
    pub(crate) name: &'static str,
    /// The command.
    pub(crate) command: Command,
}

/// The time of a step.
pub(crate) struct Timing {
    name: &'static str,
    duration: Duration,
}

impl Step {
    /// Announces and runs the step.
    pub(crate) fn run(mut self) -> Result<Timing, Failure> {
        eprintln!("\n==> {}\n    {}", self.name, shown(&self.command));
        let start = Instant::now();
        let status = self.command.status().map_err(|error| cannot_start(&self.command, &error))?;
        let timing = Timing { name: self.name, duration: start.elapsed() };
        match status.success() {
            true => {
                eprintln!("    done in {}", seconds(timing.duration));
                Ok(timing)
            }
            false => Err(format!("the step \"{}\" failed ({status})", self.name)),
        }
    }
}

/// Runs steps up to the first that fails, and prints a summary.
pub(crate) fn run_all(steps: Vec<Step>) -> Result<(), Failure> {
    let total = steps.len();
    let mut timings = Vec::new();
    for step in steps {
        match step.run() {
            Ok(timing) => timings.push(timing),
            Err(failure) => {
                summary(&timings);
                return Err(format!("{failure}, after {} of {total} steps", timings.len()));
            }
        }
    }
    summary(&timings);
    eprintln!("all {total} steps passed");
    Ok(())
}

fn summary(timings: &[Timing]) {
    eprintln!();
    for Timing { name, duration } in timings {
        eprintln!("{:>9}  {name}", seconds(*duration));
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// The standard output of a command, or `None` if it cannot be run or fails.
pub(crate) fn output(mut command: Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The failure of a program that could not be started.
fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    format!("cannot start `{}`: {error}", command.get_program().to_string_lossy())
}

/// The command as it could be typed.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    std::iter::once(program).chain(command.get_args()).map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:+,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.into_owned() } else { format!("'{text}'") }
}
