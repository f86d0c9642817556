//! The front end for tests: from source text to a checked PSG, to Core, and to the results of running either.

use clef_base::{
    Diagnostic, FileId, SourceMap,
    diagnostic::has_errors,
    render::{Colour, render},
};
use clef_check::{Owner, Unit, check};
use clef_core::Program;
use clef_interpret::{Console, Limits, Outcome, machine};
use clef_lower::{Names, lower};
use clef_optimise::{Level, simplify};
use clef_psg::Psg;
use clef_storage::place::{FrameLimits, place};
use clef_types::TargetFacts;

/// The target facts of a 64-bit machine.
const FACTS: TargetFacts = TargetFacts { word_bits: 64 };

/// The limits of a run; no test takes more.
const LIMITS: Limits = Limits { fuel: 200_000_000, depth: 100_000 };

/// A checked program with its sources.
pub struct Checked {
    /// The program's text and the library's.
    pub sources: SourceMap,
    /// The program.
    pub psg: Psg,
}

/// Checks a program, which has only errors that later phases find.
pub fn checked(name: &str, text: &str) -> Checked {
    let mut sources = SourceMap::default();
    let program = sources.add(name, text);
    let library: Vec<FileId> = clef_library::SOURCES.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    let mut diagnostics = Vec::new();
    let mut parse = |file: FileId| {
        let (tree, found) = clef_syntax::parse(&sources, file);
        diagnostics.extend(found);
        tree
    };
    let library: Vec<_> = library.into_iter().map(&mut parse).collect();
    let tree = parse(program);
    let library = library.iter().map(|ast| Unit { ast, owner: Owner::Library });
    let units: Vec<Unit<'_>> = library.chain(std::iter::once(Unit { ast: &tree, owner: Owner::Project(0) })).collect();
    let (psg, found) = check(&units, &sources, FACTS);
    diagnostics.extend(found);
    assert!(!has_errors(&diagnostics), "{name}:\n{}", rendered(&sources, &diagnostics));
    Checked { psg: psg.expect("a program without errors has a PSG"), sources }
}

/// Diagnostics as a user sees them.
pub fn rendered(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(sources, diagnostic, Colour::Plain)).collect()
}

impl Checked {
    /// The program as Core.
    pub fn core(&self) -> Program {
        match lower(&self.psg, FACTS, Names::Needed) {
            Ok(program) => program,
            Err(diagnostics) => panic!("{}", rendered(&self.sources, &diagnostics)),
        }
    }

    /// The program as simplified Core.
    pub fn simplified(&self, level: Level) -> Program {
        simplify(self.core(), level)
    }

    /// The program with storage.
    pub fn placed(&self, level: Level) -> Program {
        let mut program = self.simplified(level);
        place(&mut program, FrameLimits::default());
        clef_storage::region::infer(&mut program);
        program
    }

    /// What the PSG writes and logs when it runs, and how it ends.
    pub fn run(&self, input: &str) -> (String, Outcome) {
        self.execute(None, input)
    }

    /// What a Core program compiled from it writes and logs when it runs, and how it ends.
    pub fn run_core(&self, program: &Program, input: &str) -> (String, Outcome) {
        self.execute(Some(program), input)
    }

    fn execute(&self, program: Option<&Program>, input: &str) -> (String, Outcome) {
        let (mut input, mut output, mut errors) = (input.as_bytes(), Vec::new(), Vec::new());
        let mut log = Vec::new();
        let console =
            Console { arguments: &[], input: &mut input, output: &mut output, errors: &mut errors, log: &mut log };
        let outcome = match program {
            Some(program) => machine::run(program, &self.psg, FACTS, console, LIMITS),
            None => clef_interpret::run(&self.psg, FACTS, console, LIMITS),
        };
        let outcome = outcome.expect("a console in memory does not fail");
        output.extend(log);
        (String::from_utf8_lossy(&output).into_owned(), outcome)
    }
}

/// Runs a test on a stack for deeply nested sources.
pub fn with_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(test).expect("a thread must be created");
    thread.join().unwrap_or_else(|panic| match panic.downcast::<clef_base::internal::Bug>() {
        Ok(bug) => panic!("{}: {}", bug.phase, bug.message),
        Err(panic) => std::panic::resume_unwind(panic),
    });
}
