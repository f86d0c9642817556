//! Catches bugs of the compiler and reports them as such: with the phase and the location, never as the user's fault.
//!
//! The compiler runs on a separate thread with a large stack, because syntax trees and types are walked recursively.

use crate::{commands::Outcome, terminal::Terminal};
use clef_base::internal::Bug;
use clef_host::say;
use clef_session::{Session, options::SessionOptions};
use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
    process::{self, ExitCode},
    sync::Mutex,
    thread,
};

/// The exit status for bugs of the compiler, the same as for panics of Rust programs.
const INTERNAL_ERROR: u8 = 101;

/// Stack space for recursion over deeply nested programs.
const STACK_BYTES: usize = 256 << 20;

/// The location of the last panic, which the payload does not contain.
static PANIC_PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work` on a session that reports to the terminal; returns the exit status for its outcome.
pub(crate) fn guarded(
    terminal: Terminal,
    options: SessionOptions,
    work: impl FnOnce(&mut Session) -> Outcome + Send + 'static,
) -> ExitCode {
    clef_mlir::llvm::on_fatal_error(of_llvm);
    let usual_hook = panic::take_hook();
    panic::set_hook(Box::new(|information| {
        let place = information.location().map(ToString::to_string);
        *PANIC_PLACE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = place;
    }));
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let mut session = Session::new(options, move |sources, report| terminal.report(sources, report));
        let ended = panic::catch_unwind(AssertUnwindSafe(|| work(&mut session)));
        let status = match ended {
            Ok(Ok(status)) => ExitCode::from(status),
            Ok(Err(diagnostics)) => {
                let status = crate::status(&diagnostics);
                terminal.diagnostics(&session.sources, &session.judged(diagnostics));
                ExitCode::from(status)
            }
            Err(payload) => {
                terminal.internal_error(&message(&session, payload.as_ref()));
                ExitCode::from(INTERNAL_ERROR)
            }
        };
        if let Some(timings) = session.finish() {
            terminal.timings(timings);
        }
        status
    });
    let ended = thread.map(thread::JoinHandle::join);
    panic::set_hook(usual_hook);
    match ended {
        Ok(Ok(status)) => status,
        // Only the report itself can still have failed.
        Ok(Err(_)) => ExitCode::from(INTERNAL_ERROR),
        Err(error) => {
            say(&format!("error: cannot start a thread with a stack of {} MiB: {error}\n", STACK_BYTES >> 20));
            ExitCode::from(crate::USER_ERROR)
        }
    }
}

/// Ends the process on a fatal error of LLVM, since nothing unwinds through it.
fn of_llvm(what: &str) -> ! {
    say(&text("generate", &format!("LLVM: {what}"), "LLVM"));
    process::exit(INTERNAL_ERROR.into())
}

/// The message for a panic of the compiler.
fn message(session: &Session, payload: &(dyn Any + Send)) -> String {
    let raised = PANIC_PLACE.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take().unwrap_or_default();
    let (phase, what, place) = match payload.downcast_ref::<Bug>() {
        Some(bug) => (bug.phase, bug.message.clone(), bug.span.map(|span| session.sources.place(span))),
        None => (session.phase(), panic_text(payload), None),
    };
    let at = place.map(|place| format!("\n  while handling {place}")).unwrap_or_default();
    text(phase, &format!("{what}{at}"), &raised)
}

fn text(phase: &str, what: &str, raised: &str) -> String {
    format!(
        "internal compiler error in phase `{phase}`: {what}\n  raised at {raised}\nThis is a bug in clefc {}, not in \
         your program. Please report it with the source file.\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::DiagnosticOptions;
    use clef_base::Span;

    #[test]
    fn a_bug_names_its_phase_and_place() {
        let mut session = Session::new(SessionOptions::default(), |_, _| {});
        let file = session.sources.add("a.clef", "let x = 1\n");
        let bug = Bug { phase: "lower", span: Some(Span::new(file, 4, 5)), message: "no such local".to_owned() };
        let text = message(&session, &bug);
        for part in ["internal compiler error in phase `lower`: no such local", "a.clef:1:5", "not in your program"] {
            assert!(text.contains(part), "{part:?} is missing in {text}");
        }
    }

    #[test]
    fn statuses_tell_bugs_from_errors() {
        let terminal = Terminal::new(&DiagnosticOptions::default());
        let status = |work: fn(&mut Session) -> Outcome| guarded(terminal, SessionOptions::default(), work);
        let same = |left: ExitCode, right: u8| format!("{left:?}") == format!("{:?}", ExitCode::from(right));
        assert!(same(status(|_| Ok(7)), 7));
        assert!(same(status(|_| Err(Vec::new())), 1));
        assert!(same(status(|_| clef_base::internal::bug("check", None, "a test")), 101));
        assert!(same(status(|_| panic!("a test")), 101));
    }

    #[test]
    fn a_plain_panic_names_the_phase_of_the_session() {
        let mut session = Session::new(SessionOptions::default(), |_, _| {});
        session.enter("check");
        assert!(message(&session, &"index out of bounds").contains("in phase `check`: index out of bounds"));
    }
}
