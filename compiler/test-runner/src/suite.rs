//! The programs that have tests, and their images.

use super::{
    TestName,
    boot::{Test, TestImage},
    place::Place,
};
use clef_base::{Diagnostic, codes, internal::bug};
use clef_host::user_files::reason;
use clef_session::{
    Session,
    emit::Emit,
    job::{Job, Purpose},
    options::{CodeChoice, DebugInfo, Optimisation},
    pipeline,
    products::{Compilation, Product},
    program::{self, Program},
    project::is_project,
};
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The directory of a project whose files are tests of the project.
const TESTS: &str = "tests";

/// A program whose tests are run.
pub struct Suite {
    /// Its name in reports.
    pub(crate) name: String,
    /// Its files and its machine.
    pub program: Program,
}

/// The programs of these paths: source files are one program; a project is one, and one more with each file of its
/// directory `tests`; each file with tests in another directory is one.
pub fn find(session: &mut Session, paths: &[PathBuf]) -> Result<Vec<Suite>, Vec<Diagnostic>> {
    session.enter("read");
    let is_directory_or_project = |path: &PathBuf| path.is_dir() || is_project(path);
    if !paths.is_empty() && !paths.iter().any(is_directory_or_project) {
        let program = program::read(session, paths)?;
        return Ok(vec![Suite { name: stem(paths.last().map_or(Path::new(""), PathBuf::as_path)), program }]);
    }
    let mut suites = Vec::new();
    if paths.is_empty() {
        suites.extend(of_project(session, &[])?);
    }
    for path in paths {
        if is_project(path) {
            suites.extend(of_project(session, std::slice::from_ref(path))?);
        } else if path.is_dir() {
            suites.extend(of_directory(session, path)?);
        } else {
            let message = format!("cannot combine the source file `{}` with projects or directories", path.display());
            let help = "pass the source files of one program, or projects and directories";
            return Err(vec![Diagnostic::general(codes::UNSUITABLE_OPTION, message).help(help)]);
        }
    }
    Ok(suites)
}

/// The suites of a project: of the current directory's, if no path is given.
fn of_project(session: &mut Session, path: &[PathBuf]) -> Result<Vec<Suite>, Vec<Diagnostic>> {
    let program = program::read(session, path)?;
    let project = stem(&program.product);
    let tests = program.product.with_file_name(TESTS);
    let mut suites = vec![Suite { name: project.clone(), program }];
    if tests.is_dir() {
        for file in sources(&tests)? {
            let program = program::read_with(session, path, &file)?;
            let inner = file.strip_prefix(&tests).unwrap_or(&file).with_extension("");
            suites.push(Suite { name: format!("{project}/{TESTS}/{}", inner.display()), program });
        }
    }
    Ok(suites)
}

/// The files of a directory that have tests, each a program of its own.
fn of_directory(session: &mut Session, directory: &Path) -> Result<Vec<Suite>, Vec<Diagnostic>> {
    let mut suites = Vec::new();
    for file in sources(directory)? {
        if !may_have_tests(&file) {
            continue;
        }
        let program = program::read(session, std::slice::from_ref(&file))?;
        let named: PathBuf = file.components().filter(|part| *part != Component::CurDir).collect();
        suites.push(Suite { name: named.with_extension("").display().to_string(), program });
    }
    Ok(suites)
}

/// The last component of a path, without extension.
fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether a file may contain an attribute `Test`. Files that cannot be read are reported later.
fn may_have_tests(file: &Path) -> bool {
    let marks = |text: String| text.lines().any(|line| line.contains("[<") && line.contains("Test"));
    fs::read_to_string(file).map_or(true, marks)
}

/// The source files below a directory, in order.
fn sources(directory: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut found = Vec::new();
    collect(directory, &mut found).map_err(|error| {
        let message = format!("cannot read `{}`: {}", directory.display(), reason(&error));
        Diagnostic::general(codes::UNREADABLE_FILE, message)
    })?;
    found.sort();
    Ok(found)
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        // A link may lead to a parent directory.
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "clef" || extension == "fs") {
            found.push(path);
        }
    }
    Ok(())
}

/// The image of a suite's tests for a place, optionally for a debugger; nothing if it has none. It has debug information,
/// which a backtrace shows.
pub fn build(
    session: &mut Session,
    suite: &Suite,
    place: &Place,
    code: &CodeChoice,
    debugged: bool,
) -> Result<Option<TestImage>, Vec<Diagnostic>> {
    let mut code = code.clone();
    if debugged {
        code.optimisation = code.optimisation.or(Some(Optimisation::Debugging));
    }
    code.debug = if debugged { DebugInfo::Variables } else { code.debug.max(DebugInfo::Places) };
    let job = Job::of(session, &suite.program, place.machine.clone(), &code, Purpose::Test)?;
    let Compilation { mut products, uses_uart, tests, .. } = pipeline::compile(session, &job, &[Emit::Elf])?;
    if tests.is_empty() {
        return Ok(None);
    }
    let Some((Emit::Elf, Product::Bytes(bytes))) = products.pop() else {
        bug("test", None, "the pipeline produced no image")
    };
    let tests = tests.into_iter().map(|test| {
        let source = session.sources.file(test.span.file);
        let name = TestName {
            suite: suite.name.clone(),
            place: place.name.clone(),
            name: test.name.to_string(),
            file: source.name.clone(),
            line: session.sources.line_column(test.span).line,
        };
        Test { name, should_trap: test.should_trap }
    });
    let Some(image) = TestImage::new(bytes, uses_uart, tests.collect()) else {
        let message =
            format!("`{}` never reaches its tests: the initialisation of its modules does not end", suite.name);
        return Err(vec![
            Diagnostic::general(codes::NO_TESTS, message)
                .help("move endless loops to the entry point, which tests do not run"),
        ]);
    };
    Ok(Some(image))
}
