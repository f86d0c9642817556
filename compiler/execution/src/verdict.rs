//! Interprets the end of a child process as the end of the program.

use super::invocation::{Invocation, StatusCode};
use super::process::{End, Finished};
use super::{Ending, Outcome};

/// The status of a program that trapped.
pub(super) const TRAPPED: u8 = 101;

const SIGABRT: i32 = 6;

/// The status that a shell or `setpriv` reports for a program that aborted.
const ABORTED: u8 = 134;

pub(super) fn outcome(invocation: &Invocation, finished: Finished) -> Outcome {
    let Finished { end, allowed, output, errors, status, report, is_trapped } = finished;
    let ending = match end {
        _ if is_trapped => Ending::Status(TRAPPED),
        None => Ending::TimedOut(allowed),
        Some(end) => ending(invocation, end, status, report),
    };
    Outcome { ending, output, errors }
}

fn ending(invocation: &Invocation, end: End, whole: Option<u8>, report: Vec<String>) -> Ending {
    let is_lockup = report.iter().any(|line| line.contains("Lockup"));
    let died = |reason: &str, report| Ending::Died { reason: reason.to_owned(), report };
    match end {
        End::Signal(SIGABRT) | End::Status(ABORTED) if is_lockup => Ending::LockedUp { report: last_words(report) },
        End::Signal(signal) => died(&format!("signal {signal}"), last_words(report)),
        End::Status(status) => match invocation.status_code {
            StatusCode::Plain if status != 0 && is_refusal(&report) => died("the emulator failed", last_words(report)),
            StatusCode::Plain => Ending::Status(status),
            StatusCode::IsaDebugExit => debug_exit(status, whole, report),
        },
    }
}

/// The runtime sends the whole status, and then ends QEMU with an odd one.
fn debug_exit(status: u8, whole: Option<u8>, report: Vec<String>) -> Ending {
    let reason = match whole {
        _ if status.is_multiple_of(2) => "the machine was reset, as by a fault while handling a fault".to_owned(),
        Some(whole) => return Ending::Status(whole),
        None if is_refusal(&report) => "the emulator failed".to_owned(),
        None => format!("the emulator exited with status {status} before the program ended"),
    };
    Ending::Died { reason, report: last_words(report) }
}

/// Whether QEMU rejects its arguments or the image; warnings do not count.
fn is_refusal(report: &[String]) -> bool {
    report.iter().any(|line| line.starts_with("qemu-system-") && !line.contains("warning:"))
}

/// QEMU's messages without the registers that follow them.
fn last_words(report: Vec<String>) -> Vec<String> {
    report.into_iter().filter(|line| line.starts_with("qemu")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invocation(status_code: StatusCode) -> Invocation {
        Invocation {
            program: "qemu".into(),
            arguments: Vec::new(),
            status_code,
            is_machine: true,
            is_serial: false,
            is_relayed: false,
        }
    }

    #[test]
    fn every_status_of_the_debug_port_comes_back() {
        for status in 0..=u8::MAX {
            let code = End::Status(status << 1 | 1);
            let ending = ending(&invocation(StatusCode::IsaDebugExit), code, Some(status), Vec::new());
            assert_eq!(ending, Ending::Status(status));
        }
    }

    #[test]
    fn a_machine_that_sends_no_status_has_not_run_the_program() {
        for code in [0, 1, 3, 255] {
            let ending = ending(&invocation(StatusCode::IsaDebugExit), End::Status(code), None, Vec::new());
            assert!(matches!(ending, Ending::Died { .. }), "{code}: {ending:?}");
        }
    }

    #[test]
    fn a_reset_machine_is_no_success() {
        let ending = ending(&invocation(StatusCode::IsaDebugExit), End::Status(0), None, Vec::new());
        assert!(matches!(ending, Ending::Died { .. }), "{ending:?}");
    }

    #[test]
    fn lockups_and_refusals_are_told_apart_from_statuses() {
        let plain = invocation(StatusCode::Plain);
        let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
        let lockup = ending(&plain, End::Signal(6), None, lines("qemu: fatal: Lockup: x\nR00=0"));
        assert_eq!(lockup, Ending::LockedUp { report: lines("qemu: fatal: Lockup: x") });
        let refusal = ending(&plain, End::Status(1), None, lines("qemu-system-arm: could not load kernel"));
        assert!(matches!(refusal, Ending::Died { .. }), "{refusal:?}");
        assert_eq!(ending(&plain, End::Status(1), None, Vec::new()), Ending::Status(1));
        assert_eq!(ending(&plain, End::Status(0), None, lines("qemu-system-arm: warning: x")), Ending::Status(0));
    }
}
