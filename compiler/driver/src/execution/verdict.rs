//! What the end of a child process says about the program.

use super::invocation::{Invocation, StatusCode};
use super::process::{End, Finished};
use super::{Ending, Outcome};

const SIGABRT: i32 = 6;

/// What a shell or `setpriv` reports for a program that aborted.
const ABORTED: u8 = 134;

pub(super) fn outcome(invocation: &Invocation, finished: Finished) -> Outcome {
    let Finished { end, allowed, output, errors, report } = finished;
    let ending = match end {
        None => Ending::TimedOut(allowed),
        Some(end) => ending(invocation, end, report),
    };
    Outcome { ending, output, errors }
}

fn ending(invocation: &Invocation, end: End, report: Vec<String>) -> Ending {
    let is_lockup = report.iter().any(|line| line.contains("Lockup"));
    let died = |reason: &str, report| Ending::Died { reason: reason.to_owned(), report };
    match end {
        End::Signal(SIGABRT) | End::Status(ABORTED) if is_lockup => Ending::LockedUp { report: last_words(report) },
        End::Signal(signal) => died(&format!("signal {signal}"), last_words(report)),
        End::Status(status) => match invocation.status_code {
            StatusCode::Plain if status != 0 && is_refusal(&report) => died("the emulator refuses", last_words(report)),
            StatusCode::Plain => Ending::Status(status),
            StatusCode::IsaDebugExit => debug_exit(status, report),
        },
    }
}

/// The runtime writes `v = status + 1` modulo 128, of which QEMU makes `(v << 1) | 1`.
fn debug_exit(status: u8, report: Vec<String>) -> Ending {
    if status.is_multiple_of(2) {
        let reason = "the machine was reset, which a fault while handling a fault does";
        return Ending::Died { reason: reason.to_owned(), report: last_words(report) };
    }
    if status == 1 && is_refusal(&report) {
        return Ending::Died { reason: "the emulator refuses".to_owned(), report: last_words(report) };
    }
    Ending::Status((status >> 1).wrapping_sub(1) & 0x7f)
}

/// Whether QEMU complains about its arguments or the image; warnings do not count.
fn is_refusal(report: &[String]) -> bool {
    report.iter().any(|line| line.starts_with("qemu-system-") && !line.contains("warning:"))
}

/// QEMU's words without the registers that follow them.
fn last_words(report: Vec<String>) -> Vec<String> {
    report.into_iter().filter(|line| line.starts_with("qemu")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invocation(status_code: StatusCode) -> Invocation {
        Invocation { program: "qemu".into(), arguments: Vec::new(), status_code, is_machine: true, is_serial: false }
    }

    #[test]
    fn every_status_of_the_debug_port_comes_back() {
        for status in 0..=127_u8 {
            let written = (status + 1) & 0x7f;
            let code = End::Status(written << 1 | 1);
            assert_eq!(ending(&invocation(StatusCode::IsaDebugExit), code, Vec::new()), Ending::Status(status));
        }
    }

    #[test]
    fn a_reset_machine_is_no_success() {
        let ending = ending(&invocation(StatusCode::IsaDebugExit), End::Status(0), Vec::new());
        assert!(matches!(ending, Ending::Died { .. }), "{ending:?}");
    }

    #[test]
    fn lockups_and_refusals_are_told_apart_from_statuses() {
        let plain = invocation(StatusCode::Plain);
        let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
        let lockup = ending(&plain, End::Signal(6), lines("qemu: fatal: Lockup: x\nR00=0"));
        assert_eq!(lockup, Ending::LockedUp { report: lines("qemu: fatal: Lockup: x") });
        let refusal = ending(&plain, End::Status(1), lines("qemu-system-arm: could not load kernel"));
        assert!(matches!(refusal, Ending::Died { .. }), "{refusal:?}");
        assert_eq!(ending(&plain, End::Status(1), Vec::new()), Ending::Status(1));
        assert_eq!(ending(&plain, End::Status(0), lines("qemu-system-arm: warning: x")), Ending::Status(0));
    }
}
