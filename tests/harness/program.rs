//! A program of `run/`, `examples/` or `projects/`: its source text, and the directives in the comments at its start.

use crate::{
    ROOT,
    project::{self, SourceFile},
    stem,
};
use clef_oracle::process::Feed;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};

/// A program and its expectations.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its kind and name: `run::name`.
    pub(crate) name: String,
    /// Its path from the root of the test data: `run/name.clef`, or the directory of a project.
    pub(crate) path: String,
    /// Its files, in the order of compilation; the last is the main one.
    pub(crate) files: Vec<SourceFile>,
    /// The file of its standard output.
    pub(crate) output: PathBuf,
    pub(crate) input: Vec<u8>,
    /// `// input: after the first line`: when it gets its input, for programs that read from a line they must start first.
    pub(crate) feed: Feed,
    /// `// arguments: ["a", "two words"]`: the arguments of its entry point.
    pub(crate) arguments: Vec<String>,
    /// `// status: 7`.
    pub(crate) status: i32,
    /// The prefix of locations in reports: `run/name.clef:`, or the directory of a project.
    pub(crate) place: String,
    /// `// trap: division by zero at 3:5`: the report without this prefix, or its start without a location.
    pub(crate) trap: Option<String>,
    /// `// only: word32`: the required word size in bits.
    pub(crate) only_word: Option<u32>,
    /// `// boards: host-linux …`: the only boards.
    pub(crate) only_boards: Option<Vec<String>>,
    /// `// models: microbit-v2 …`: it runs on models of chips, such as those of these boards, and in no emulator.
    pub(crate) on_models: bool,
    /// False for `// interpreter: never`, for programs that need a board.
    pub(crate) interpreted: bool,
    /// `// stack: 4096`: the bytes of stack on boards whose stack size we choose.
    pub(crate) stack: Option<u64>,
    /// `// bound: stack regions`: the kinds of memory for which the compiler must report a bound.
    pub(crate) bounded: Vec<String>,
}

impl Program {
    /// Reads a program of `run/`, with its input and its directives.
    pub(crate) fn of_run(path: &Path) -> Result<Program, Failed> {
        let file = format!("run/{}.clef", stem(path));
        Program::of_file("run", file, &path.with_extension("out"))
    }

    /// Reads an example; its input and output are in `examples/` of the test data.
    pub(crate) fn of_example(path: &Path) -> Result<Program, Failed> {
        let output = Path::new(ROOT).join("examples").join(stem(path)).with_extension("out");
        if path.is_dir() {
            return Program::of_project("examples", format!("../examples/{}", stem(path)), &output);
        }
        Program::of_file("examples", format!("../examples/{}.clef", stem(path)), &output)
    }

    /// Reads a project of `projects/`; `expected.out` is its output.
    pub(crate) fn of_projects(directory: &Path) -> Result<Program, Failed> {
        Program::of_project("projects", format!("projects/{}", stem(directory)), &directory.join("expected.out"))
    }

    fn of_file(kind: &str, path: String, output: &Path) -> Result<Program, Failed> {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&path))?;
        let directives: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("// ")).collect();
        let files = vec![SourceFile { name: path.clone(), text: text.clone(), project: 0, defines: Vec::new() }];
        let place = format!("{path}:");
        Program::new(kind, path, place, files, &directives, output)
    }

    /// The directives of a project are comments of its project file.
    fn of_project(kind: &str, path: String, output: &Path) -> Result<Program, Failed> {
        let text = std::fs::read_to_string(project::manifest(Path::new(&path))?)?;
        let directives: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
        let files = project::files(&path)?;
        let place = format!("{path}/");
        Program::new(kind, path, place, files, &directives, output)
    }

    fn new(
        kind: &str,
        path: String,
        place: String,
        files: Vec<SourceFile>,
        directives: &[&str],
        output: &Path,
    ) -> Result<Program, Failed> {
        let input = output.with_extension("in");
        let mut program = Program {
            name: format!("{kind}::{}", stem(Path::new(&path))),
            path,
            place,
            files,
            output: output.to_owned(),
            input: if input.exists() { std::fs::read(input)? } else { Vec::new() },
            feed: Feed::AtOnce,
            arguments: Vec::new(),
            status: 0,
            trap: None,
            only_word: None,
            only_boards: None,
            on_models: false,
            interpreted: true,
            stack: None,
            bounded: Vec::new(),
        };
        for line in directives {
            if let Some((key, value)) = line.split_once(": ") {
                program.directive(key, value.trim()).map_err(|message| format!("{}: {message}", program.path))?;
            }
        }
        Ok(program)
    }

    fn directive(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| format!("`{key}` wants a number"));
        match key {
            "status" => self.status = number()? as i32,
            "trap" => {
                self.trap = Some(value.to_owned());
                self.status = clef_interpret::TRAP_STATUS;
            }
            "only" => match value {
                "word32" => self.only_word = Some(32),
                "word64" => self.only_word = Some(64),
                _ => return Err("`only` wants `word32` or `word64`".to_owned()),
            },
            "boards" => self.only_boards = Some(value.split_whitespace().map(str::to_owned).collect()),
            "models" => {
                self.only_boards = Some(value.split_whitespace().map(str::to_owned).collect());
                self.on_models = true;
            }
            "interpreter" => match value {
                "never" => self.interpreted = false,
                _ => return Err("`interpreter` wants `never`".to_owned()),
            },
            "input" => match value {
                "after the first line" => self.feed = Feed::AfterFirstLine,
                _ => return Err("`input` wants `after the first line`".to_owned()),
            },
            "stack" => self.stack = Some(number()?),
            "arguments" => {
                let wrong = |error| format!("`arguments` expects a list of strings: {error}");
                self.arguments = serde_json::from_str(value).map_err(wrong)?;
            }
            "bound" => self.bounded = value.split_whitespace().map(str::to_owned).collect(),
            // An ordinary comment with a colon.
            _ => {}
        }
        Ok(())
    }

    /// The file of its log, one message per line; it exists for programs that log.
    pub(crate) fn log(&self) -> PathBuf {
        self.output.with_extension("log")
    }

    /// Whether it can run with words of this size.
    pub(crate) fn fits_word(&self, bits: u32) -> bool {
        self.only_word.is_none_or(|only| only == bits)
    }

    /// Whether a report of a trap, a line such as `trap: no match at run/a.clef:3:5`, is the expected one.
    pub(crate) fn is_expected_trap(&self, report: &str) -> bool {
        match self.trap.as_deref().map(|trap| (trap, trap.rsplit_once(" at "))) {
            Some((_, Some((kind, place)))) => report == format!("trap: {kind} at {}{place}", self.place),
            Some((kind, None)) => report == format!("trap: {kind}") || report.starts_with(&format!("trap: {kind} at ")),
            None => false,
        }
    }
}
