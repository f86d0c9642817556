//! The console of a program on a board: our standard streams, or captured ones.

use super::interrupt;
use crate::{
    fault::{FaultReader, stopped},
    outcome::Streams,
};
use clef_base::Diagnostic;
use clef_probe::Input;
use std::{
    io::{self, Read, Write},
    sync::{
        Arc,
        atomic::AtomicBool,
        mpsc::{self, Receiver, TryRecvError},
    },
    thread,
};

/// The input and output of the program.
pub(super) struct Console<'a> {
    source: Source,
    /// Its output, if that is captured.
    captured: Option<Captured>,
    /// The decoders of its fault reports, on standard output and on standard error.
    faults: [FaultReader; 2],
    log: &'a mut dyn FnMut(&[u8]),
    is_interrupted: Interrupts,
}

/// How the user ends a run.
enum Interrupts {
    /// By control C.
    Ours(Arc<AtomicBool>),
    /// Control C is GDB's; other signals end the run.
    OfDebugger,
}

#[derive(Default)]
struct Captured {
    output: Vec<u8>,
    errors: Vec<u8>,
}

/// Where input comes from.
enum Source {
    /// Given as a whole; the rest of it.
    Given(Vec<u8>),
    /// Our own standard input, which is not read before the program reads.
    Untouched,
    /// Our standard input in progress, with the bytes not passed on yet.
    Reading(Receiver<Vec<u8>>, Vec<u8>),
}

impl<'a> Console<'a> {
    pub(super) fn new(
        streams: &Streams,
        faults: [FaultReader; 2],
        log: &'a mut dyn FnMut(&[u8]),
    ) -> Result<Console<'a>, Diagnostic> {
        let (source, captured) = match streams {
            Streams::Inherited => (Source::Untouched, None),
            Streams::Captured { input } => (Source::Given(input.clone()), Some(Captured::default())),
        };
        Ok(Console { source, captured, faults, log, is_interrupted: Interrupts::Ours(interrupt::watch()?) })
    }

    /// The console of a program under a debugger, which receives the terminal's input and its interrupts.
    pub(super) fn under_debugger(faults: [FaultReader; 2], log: &'a mut dyn FnMut(&[u8])) -> Console<'a> {
        let source = Source::Given(Vec::new());
        Console { source, captured: None, faults, log, is_interrupted: Interrupts::OfDebugger }
    }

    /// The captured standard output and standard error.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        let [output, errors] = &mut self.faults;
        let (output, errors) = (output.finish(), errors.finish());
        self.show_output(&output);
        self.show_errors(&errors);
        let Captured { output, errors } = self.captured.unwrap_or_default();
        (output, errors)
    }

    fn show_output(&mut self, bytes: &[u8]) {
        match &mut self.captured {
            Some(captured) => captured.output.extend_from_slice(bytes),
            None => pass_on(io::stdout().lock(), bytes),
        }
    }

    fn show_errors(&mut self, bytes: &[u8]) {
        match &mut self.captured {
            Some(captured) => captured.errors.extend_from_slice(bytes),
            None => pass_on(io::stderr().lock(), bytes),
        }
    }
}

impl clef_probe::Console for Console<'_> {
    fn output(&mut self, bytes: &[u8]) {
        let shown = self.faults[0].pass(bytes);
        self.show_output(&shown);
    }

    fn errors(&mut self, bytes: &[u8]) {
        let shown = self.faults[1].pass(bytes);
        self.show_errors(&shown);
    }

    fn log(&mut self, bytes: &[u8]) {
        (self.log)(bytes);
    }

    fn input(&mut self, most: usize) -> Input {
        if let Source::Untouched = self.source {
            self.source = Source::Reading(read_in_background(), Vec::new());
        }
        match &mut self.source {
            Source::Given(rest) => some(rest, most).unwrap_or(Input::End),
            Source::Untouched => Input::Pending,
            Source::Reading(blocks, rest) => {
                if rest.is_empty() {
                    match blocks.try_recv() {
                        Ok(block) => *rest = block,
                        Err(TryRecvError::Empty) => return Input::Pending,
                        Err(TryRecvError::Disconnected) => return Input::End,
                    }
                }
                some(rest, most).unwrap_or(Input::Pending)
            }
        }
    }

    fn trapped(&mut self, registers: &[u32; 16], read: &mut dyn FnMut(u64, usize) -> Option<Vec<u8>>) {
        let report = self.faults[1].stopped(&registers.map(u64::from), read);
        let report = report.unwrap_or_else(|| stopped::UNREADABLE.to_owned());
        self.show_errors(report.as_bytes());
    }

    fn notice(&mut self, text: &str) {
        pass_on(io::stderr().lock(), format!("{text}\n").as_bytes());
    }

    fn is_interrupted(&mut self) -> bool {
        match &self.is_interrupted {
            Interrupts::Ours(flag) => interrupt::is_up(flag),
            Interrupts::OfDebugger => interrupt::termination().is_some(),
        }
    }
}

/// Takes at most `most` bytes.
fn some(rest: &mut Vec<u8>, most: usize) -> Option<Input> {
    let count = rest.len().min(most.max(1));
    (count > 0).then(|| Input::Bytes(rest.drain(..count).collect()))
}

/// Ignores errors: a closed pipe is no error.
fn pass_on(mut stream: impl Write, bytes: &[u8]) {
    let _ = stream.write_all(bytes).and_then(|()| stream.flush());
}

/// Reads standard input to its end; otherwise the thread ends only with us.
fn read_in_background() -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut block = [0; 4096];
        while let Ok(count @ 1..) = io::stdin().lock().read(&mut block) {
            if sender.send(block[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Source;
    use clef_descriptors::Boot;
    use clef_probe::Console as _;

    #[test]
    fn given_input_ends_and_output_is_captured() {
        let mut logged = Vec::new();
        let mut log = |bytes: &[u8]| logged.extend_from_slice(bytes);
        let streams = Streams::Captured { input: b"abc".to_vec() };
        let faults = || FaultReader::new(Source::Unknown, Boot::CortexM);
        let mut console = Console::new(&streams, [faults(), faults()], &mut log).expect("signals can be handled");
        assert_eq!(console.input(2), Input::Bytes(b"ab".to_vec()));
        assert_eq!(console.input(2), Input::Bytes(b"c".to_vec()));
        assert_eq!(console.input(2), Input::End);
        console.output(b"out");
        console.errors(b"wrong");
        console.log(&[1, 2]);
        assert_eq!(console.finish(), (b"out".to_vec(), b"wrong".to_vec()));
        assert_eq!(logged, [1, 2]);
    }
}
