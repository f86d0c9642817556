//! The `clefc` binary: built once, called as a user calls it.

use crate::ROOT;
use libtest_mimic::Failed;
use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    time::{Duration, Instant},
};

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Call {
    /// `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: String,
}

/// No call takes longer, or something hangs.
const LONGEST: Duration = Duration::from_secs(120);

/// The binary, or why there is none.
static BINARY: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| match std::env::var_os("CLEFC") {
    Some(path) => Ok(path.into()),
    None => build(),
});

/// Builds the binary, in the profile of this harness, and asks Cargo where it is.
fn build() -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", "clefc", "--bin", "clefc", "--message-format", "json-render-diagnostics"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let built = cargo.current_dir(ROOT).stderr(Stdio::piped()).output().map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(format!("clefc cannot be built:\n{}", String::from_utf8_lossy(&built.stderr)));
    }
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "clefc")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| "Cargo names no executable of clefc".to_owned())
}

/// Calls the compiler in the root of the test data.
pub(crate) fn clefc<S: AsRef<std::ffi::OsStr>>(arguments: &[S], input: &[u8]) -> Result<Call, Failed> {
    clefc_in(Path::new(ROOT), arguments, input)
}

/// Calls the compiler in a directory.
pub(crate) fn clefc_in<S: AsRef<std::ffi::OsStr>>(
    directory: &Path,
    arguments: &[S],
    input: &[u8],
) -> Result<Call, Failed> {
    let binary = BINARY.as_ref().map_err(String::as_str)?;
    call(Command::new(binary).arg("--color=never").args(arguments).current_dir(directory), input)
}

/// Runs a program with that standard input, to its end.
pub(crate) fn call(command: &mut Command, input: &[u8]) -> Result<Call, Failed> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("a pipe is missing".into());
    };
    std::thread::scope(|scope| {
        let output = scope.spawn(|| all(stdout));
        let errors = scope.spawn(|| all(stderr));
        scope.spawn(move || {
            // A program need not read its input.
            let _ = stdin.write_all(input);
        });
        let status = wait(&mut child)?;
        let output = output.join().map_err(|_| "a reader failed")?;
        let errors = errors.join().map_err(|_| "a reader failed")?;
        Ok(Call { status, output, errors: String::from_utf8_lossy(&errors).into_owned() })
    })
}

fn all(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What came until the error is what there is to judge.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// Waits for the end, for as long as anything may take.
fn wait(child: &mut Child) -> Result<Option<i32>, Failed> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if start.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Err(format!("a program did not end within {} s", LONGEST.as_secs()).into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
