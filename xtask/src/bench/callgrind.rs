//! Counts the instructions of a Linux program by Callgrind.

use super::linux::sized;
use crate::Failure;
use std::path::Path;

/// The instructions of a run, without those of a run whose size is zero.
pub(crate) fn instructions(program: &Path, size: u32) -> Result<u64, Failure> {
    let count = |size| {
        let mut command = sized("valgrind".as_ref(), size);
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
        let output = command.output().map_err(|error| format!("cannot start valgrind: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        collected(&text).ok_or_else(|| format!("Callgrind counts no instructions: {text}"))
    };
    Ok(count(size)?.saturating_sub(count(0)?))
}

/// The count in what Callgrind prints: the line `==PID== Collected : N`.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_count_is_read() {
        let text = "==7== Callgrind, a call-graph generating cache profiler\n==7== Events    : Ir\n\
                    ==7== Collected : 3549230\n==7== \n==7== I   refs:      3,549,230\n";
        assert_eq!(collected(text), Some(3_549_230));
        assert_eq!(collected("==7== Process terminating with default action of signal 11\n"), None);
    }
}
