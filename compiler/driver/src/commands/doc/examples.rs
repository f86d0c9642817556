//! Runs the examples of documentation comments, by the reference interpreter.

use clef_base::{Diagnostic, FileId, Severity, Span, codes, internal::bug};
use clef_descriptors::Machine;
use clef_documentation::{
    comment::Comment,
    examples::{Claim, Examples, REPORTER, REPORTER_TEXT, of_file},
    reference::Module,
};
use clef_host::user_files::reason;
use clef_interpret::{Console, Limits, Outcome};
use clef_session::{Session, pipeline, program::ProgramFile};
use clef_types::TargetFacts;
use std::{collections::BTreeMap, io};

/// Checks the examples of modules, and runs those that run. They see the files of the program as another file after them would.
pub(super) fn run(
    session: &mut Session,
    files: &[ProgramFile],
    machine: &Machine,
    modules: &[Module],
) -> Result<(), Vec<Diagnostic>> {
    let made = examples(session, modules);
    let project = files.iter().map(|file| file.project).max().unwrap_or(0);
    let add = |session: &mut Session, name: &str, text: &str| {
        let file = session.sources.add(name, text);
        ProgramFile { file, project }
    };
    let usable = usable(session, files, &made)?;
    let mut checked = usable.clone();
    for (name, examples) in made.iter().filter(|(_, examples)| !examples.checked.is_empty()) {
        checked.push(add(session, name, &examples.checked));
    }
    if checked.len() == usable.len() {
        return Ok(());
    }
    check(session, &checked, machine)?;
    let mut running = usable;
    running.push(add(session, REPORTER, REPORTER_TEXT));
    for (name, examples) in made.iter().filter(|(_, examples)| !examples.run.is_empty()) {
        running.push(add(session, name, &examples.run));
    }
    let all = All::of(&made);
    interpret(session, &running, machine, &all)
}

/// The examples of the files of modules, with the names of the files.
fn examples(session: &Session, modules: &[Module]) -> Vec<(String, Examples)> {
    let mut comments: BTreeMap<FileId, Vec<&Comment>> = BTreeMap::new();
    for module in modules {
        let own = module.comment.iter().map(|comment| (module.span.file, comment));
        let items = module.items.iter().flat_map(|item| {
            let members = item.members.iter().map(|(_, comment)| comment);
            item.comment.iter().chain(members).map(|comment| (item.span.file, comment))
        });
        own.chain(items).for_each(|(file, comment)| comments.entry(file).or_default().push(comment));
    }
    let (mut examples, mut claims) = (0, 0);
    let made = comments.into_iter().map(|(file, comments)| {
        let made = of_file(&session.sources, file, comments.into_iter(), (examples, claims));
        examples += made.examples.len();
        claims += made.claims.len();
        (session.sources.file(file).name.clone(), made)
    });
    made.collect()
}

/// The files that examples can use: all but a last one without a module or with the entry point.
fn usable(
    session: &Session,
    files: &[ProgramFile],
    made: &[(String, Examples)],
) -> Result<Vec<ProgramFile>, Vec<Diagnostic>> {
    let mut usable = files.to_vec();
    let is_main = |file: &mut ProgramFile| {
        let (tree, _) = clef_syntax::parse(&session.sources, file.file);
        tree.header.is_none() || session.sources.file(file.file).text.contains("EntryPoint")
    };
    let Some(main) = usable.pop_if(is_main) else { return Ok(usable) };
    let name = &session.sources.file(main.file).name;
    match made.iter().find(|(file, examples)| file == name && !examples.checked.is_empty()) {
        None => Ok(usable),
        Some((_, examples)) => {
            let message = format!("`{name}` is the main file of the program, so its examples cannot run");
            let place = examples.examples.first().map(|(span, _)| *span);
            Err(vec![
                Diagnostic::general(codes::WRONG_EXAMPLE, message)
                    .at_if(place)
                    .help("move the function to a file that starts with a module, such as `module Light`"),
            ])
        }
    }
}

/// The errors of the examples as they are written.
fn check(session: &mut Session, files: &[ProgramFile], machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    // That the value of `a = b` is dropped is intended.
    let (_, found) = session.collect(|session| pipeline::graph(session, files, machine));
    let errors: Vec<Diagnostic> = found.into_iter().filter(|found| found.severity == Severity::Error).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The examples and claims of all files.
struct All<'a> {
    examples: Vec<&'a (Span, Option<String>)>,
    claims: Vec<&'a Claim>,
}

impl<'a> All<'a> {
    fn of(made: &'a [(String, Examples)]) -> All<'a> {
        let examples = made.iter().flat_map(|(_, examples)| &examples.examples).collect();
        let claims = made.iter().flat_map(|(_, examples)| &examples.claims).collect();
        All { examples, claims }
    }
}

fn interpret(
    session: &mut Session,
    files: &[ProgramFile],
    machine: &Machine,
    all: &All<'_>,
) -> Result<(), Vec<Diagnostic>> {
    // Warnings are those of the program, which `clefc check` reports.
    let (psg, found) = session.collect(|session| pipeline::graph(session, files, machine));
    let Some(mut psg) = psg else { return Err(found) };
    psg.entry = None;
    session.enter("run examples");
    let (mut output, mut rest) = (Vec::new(), io::sink());
    let (mut input, mut log) = (io::empty(), io::sink());
    let console = Console { arguments: &[], input: &mut input, output: &mut output, errors: &mut rest, log: &mut log };
    let facts = TargetFacts { word_bits: machine.target.value.pointer_bits.bits() };
    let end = clef_interpret::run(&psg, facts, console, Limits::default());
    let end = end.unwrap_or_else(|error| bug("run examples", None, reason(&error)));
    let output = String::from_utf8_lossy(&output).into_owned();
    let mut failures = reported(&output, all);
    let stopped = |message: &str| {
        Diagnostic::general(codes::WRONG_EXAMPLE, format!("the example ends with a trap: {message}"))
            .at_if(last_begun(&output, all))
            .help(
                "correct it; the interpreter has no devices, so an example that uses them is marked with `clef,check`",
            )
    };
    match end {
        Outcome::Finished { .. } => {}
        Outcome::Trapped(trap) => {
            let message = trap.report(&session.sources);
            failures.push(stopped(message.strip_prefix("trap: ").unwrap_or(&message)));
        }
        Outcome::OutOfFuel => failures.push(stopped("it takes too many steps")),
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// The example that ran last.
fn last_begun(output: &str, all: &All<'_>) -> Option<Span> {
    let (_, last) = output.rsplit_once('\u{1}')?;
    let number: usize = last.split('\n').next()?.parse().ok()?;
    all.examples.get(number).map(|(span, _)| *span)
}

/// The claims that do not hold, and the outputs that differ, from what the examples wrote.
fn reported(output: &str, all: &All<'_>) -> Vec<Diagnostic> {
    let mut failures = Vec::new();
    for part in output.split('\u{1}').skip(1) {
        let (number, rest) = part.split_once('\n').unwrap_or((part, ""));
        let mut written = String::new();
        let mut pieces = rest.split('\u{2}');
        written.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (report, after) = piece.split_once('\u{3}').unwrap_or((piece, ""));
            failures.extend(wrong_claim(report, all));
            written.push_str(after);
        }
        let example = number.parse().ok().and_then(|number: usize| all.examples.get(number));
        if let Some((span, Some(expected))) = example
            && *expected != written
        {
            let message = format!("the example printed {:?}, but says {expected:?}", written);
            failures.push(wrong(*span, message));
        }
    }
    failures
}

fn wrong_claim(report: &str, all: &All<'_>) -> Option<Diagnostic> {
    let (number, value) = report.split_once('\n')?;
    let claim = all.claims.get(number.parse::<usize>().ok()?)?;
    Some(wrong(claim.span, format!("the value is {value}, but the example says {}", claim.expected)))
}

fn wrong(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(codes::WRONG_EXAMPLE, span, message).help("correct the example, or the function")
}
