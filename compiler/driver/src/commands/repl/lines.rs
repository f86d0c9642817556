//! Lines from a terminal, with editing and history, or from anything else.

use clef_base::{Diagnostic, codes};
use clef_host::{input::KnownLines, user_files::reason};
use rustyline::{Config, Editor, error::ReadlineError, history::FileHistory};
use std::{
    env, fs,
    io::{self, BufRead, IsTerminal},
    path::PathBuf,
};

/// The most entries that the history keeps.
const HISTORY: usize = 1000;

/// A line.
pub(super) enum Line {
    /// Without its end.
    Text(String),
    /// Ctrl-C at the prompt.
    Cancelled,
    /// The input is over.
    End,
}

/// Where lines come from.
pub(super) struct Lines {
    source: Source,
    known: KnownLines,
}

enum Source {
    Terminal(Box<Terminal>),
    /// A file: looking ahead waits for nobody.
    File,
    /// A pipe: whoever writes may wait for an answer first.
    Pipe,
}

struct Terminal {
    editor: Editor<(), FileHistory>,
    /// The file of the history, if there is a place for it.
    history: Option<PathBuf>,
}

impl Lines {
    /// Standard input.
    pub(super) fn open() -> Result<Lines, Diagnostic> {
        let stdin = io::stdin();
        let source = if stdin.is_terminal() && io::stdout().is_terminal() {
            Source::Terminal(Box::new(Terminal::open().map_err(|error| unreadable(&error.to_string()))?))
        } else if fs::metadata("/dev/stdin").is_ok_and(|metadata| metadata.is_file()) {
            Source::File
        } else {
            Source::Pipe
        };
        Ok(Lines { source, known: KnownLines::default() })
    }

    /// The lines that are known already. A program that runs reads them first.
    pub(super) fn known(&self) -> &KnownLines {
        &self.known
    }

    /// Whether a person types.
    pub(super) fn is_terminal(&self) -> bool {
        matches!(self.source, Source::Terminal(_))
    }

    /// The next line; a terminal shows the prompt.
    pub(super) fn next(&mut self, prompt: &str) -> Result<Line, Diagnostic> {
        let known = self.known.lines().pop_front();
        if let Some(known) = known {
            return Ok(Line::Text(known));
        }
        match &mut self.source {
            Source::Terminal(terminal) => match terminal.editor.readline(prompt) {
                Ok(text) => {
                    self.known.lines().extend(text.split('\n').map(str::to_owned));
                    let first = self.known.lines().pop_front();
                    Ok(first.map_or(Line::End, Line::Text))
                }
                Err(ReadlineError::Interrupted) => Ok(Line::Cancelled),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(error) => Err(unreadable(&error.to_string())),
            },
            Source::File | Source::Pipe => plain(),
        }
    }

    /// The next line, if it is known without waiting.
    pub(super) fn peek(&mut self) -> Result<Option<String>, Diagnostic> {
        if self.known.lines().is_empty()
            && let Source::File = self.source
            && let Line::Text(line) = plain()?
        {
            self.known.lines().push_back(line);
        }
        Ok(self.known.lines().front().cloned())
    }

    /// Puts back a line that belongs to the next entry.
    pub(super) fn put_back(&mut self, line: String) {
        self.known.lines().push_front(line);
    }

    /// Adds an entry to the history.
    pub(super) fn remember(&mut self, entry: &str) {
        if let Source::Terminal(terminal) = &mut self.source {
            // Without a history the session goes on.
            let _ = terminal.editor.add_history_entry(entry.trim_end());
            if let Some(history) = &terminal.history {
                let _ = terminal.editor.append_history(history);
            }
        }
    }
}

impl Terminal {
    fn open() -> rustyline::Result<Terminal> {
        let config = Config::builder().max_history_size(HISTORY)?.build();
        let history = FileHistory::with_config(&config);
        let mut terminal = Terminal { editor: Editor::with_history(config, history)?, history: history_file() };
        if let Some(history) = &terminal.history {
            let _ = terminal.editor.load_history(history);
        }
        Ok(terminal)
    }
}

/// The file of the history, in the directory that the XDG Base Directory Specification names for it.
fn history_file() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let directory = state.or_else(home)?.join("clefc");
    fs::create_dir_all(&directory).ok()?;
    Some(directory.join("history"))
}

fn plain() -> Result<Line, Diagnostic> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => Ok(Line::End),
        Ok(_) => Ok(Line::Text(line.trim_end_matches(['\n', '\r']).to_owned())),
        Err(error) => Err(unreadable(&reason(&error))),
    }
}

fn unreadable(reason: &str) -> Diagnostic {
    let message = format!("cannot read standard input: {reason}");
    Diagnostic::general(codes::UNREADABLE_FILE, message).help("pass UTF-8 text, or use a terminal")
}
