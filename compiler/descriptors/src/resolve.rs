//! From a name or a path to a complete descriptor.
//!
//! In: the user's request, and a closure that reads files. Out: a [`Described`] target or board, or diagnostics. A word
//! that looks like a path (it contains a `/` or ends in `.yaml`) is a user's file; all others are shipped descriptors.
//! Names in a user's file, in `inherits` or `target`, are first looked for next to that file.

use crate::{
    Board, Target, board_schema, clocks,
    compatibility::{check_pair, check_reach, check_vectors},
    embedded::{self, Family},
    files::{Completed, Files},
    inherit::{ResolvedLine, lines},
    memory_check::check_devices,
    target_schema,
    yaml::Node,
};
use clef_base::{Diagnostic, FileId, SourceMap, Span, codes};
use std::{io, path::Path};

/// A descriptor with the locations of its values.
#[derive(Clone, Debug)]
pub struct Described<T> {
    /// The descriptor.
    pub value: T,
    /// The same as YAML, each value with its location.
    pub lines: Vec<ResolvedLine>,
    /// The requested file.
    pub file: FileId,
    tree: Node,
}

impl<T> Described<T> {
    /// The location where the value of a top-level key was set; the start of the file if it was not.
    pub fn place(&self, key: &str) -> Span {
        self.tree.get(key).map_or(Span::new(self.file, 0, 0), |entry| entry.value.span)
    }

    /// The location where an item of a top-level list was set.
    pub fn place_of_item(&self, key: &str, index: usize) -> Span {
        let item = self.tree.get(key).and_then(|entry| entry.value.item(index));
        item.map_or_else(|| self.place(key), |item| item.span)
    }
}

/// The machine that an image is for.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The target.
    pub target: Described<Target>,
    /// The board.
    pub board: Described<Board>,
}

/// The user's request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request<'a> {
    /// A target, with its default board.
    Target(&'a str),
    /// A board, with its target.
    Board(&'a str),
}

/// Finds, reads and completes descriptors. The files that it reads are added to the source map.
pub struct Resolver<'a> {
    files: Files<'a>,
}

impl<'a> Resolver<'a> {
    /// A resolver that reads the user's files with `read`, for example `|path| std::fs::read_to_string(path)`.
    pub fn new(sources: &'a mut SourceMap, read: &'a dyn Fn(&Path) -> io::Result<String>) -> Resolver<'a> {
        Resolver { files: Files::new(sources, read) }
    }

    /// Registers a file that names descriptors, such as a project file. They are first looked for next to it.
    pub fn know(&mut self, path: &Path, file: FileId) {
        self.files.know(path, file);
    }

    /// The target and the board of a request.
    pub fn machine(&mut self, request: Request<'_>) -> Result<Machine, Vec<Diagnostic>> {
        self.machine_named(request, None)
    }

    /// Like [`Resolver::machine`]; `from` is the location in a file that contains the request.
    pub fn machine_named(&mut self, request: Request<'_>, from: Option<Span>) -> Result<Machine, Vec<Diagnostic>> {
        let machine = match request {
            Request::Target(name) => {
                let target = self.target_named(name, from)?;
                let board = self.board_of(&target)?;
                Machine { target, board }
            }
            Request::Board(name) => {
                let board = self.described_board(name, from)?;
                let target = self.target_of(&board)?;
                Machine { target, board }
            }
        };
        let at = match request {
            Request::Target(_) => machine.target.place("default_board"),
            Request::Board(_) => machine.board.place("target"),
        };
        let (target, board) = (&machine.target.value, &machine.board);
        check_pair(target, &board.value, at).map_err(|diagnostic| vec![diagnostic])?;
        check_vectors(target, &board.value, board.place("vectors")).map_err(|diagnostic| vec![diagnostic])?;
        check_reach(target, &board.value, board.place("memory"), board.place("region_pool"))
            .map_err(|diagnostic| vec![diagnostic])?;
        let errors = check_devices(&board.tree, &board.value);
        if errors.is_empty() { Ok(machine) } else { Err(errors) }
    }

    /// The target with that name, alias, triple or path.
    pub fn target(&mut self, name: &str) -> Result<Described<Target>, Vec<Diagnostic>> {
        self.target_named(name, None)
    }

    /// The board with that name or path.
    pub fn board(&mut self, name: &str) -> Result<Described<Board>, Vec<Diagnostic>> {
        self.described_board(name, None)
    }

    /// All shipped targets, without abstract ones.
    pub fn shipped_targets(&mut self) -> Result<Vec<Target>, Vec<Diagnostic>> {
        let names = self.concrete(Family::Targets)?;
        names.into_iter().map(|name| Ok(self.target(name)?.value)).collect()
    }

    /// All shipped boards, without abstract ones.
    pub fn shipped_boards(&mut self) -> Result<Vec<Board>, Vec<Diagnostic>> {
        let names = self.concrete(Family::Boards)?;
        names.into_iter().map(|name| Ok(self.board(name)?.value)).collect()
    }

    /// The shipped descriptors that are not abstract.
    fn concrete(&mut self, family: Family) -> Result<Vec<&'static str>, Vec<Diagnostic>> {
        let mut names = Vec::new();
        for (name, _) in embedded::all(family) {
            if !self.files.completed(family, name, None)?.is_abstract {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The target that a board names.
    fn target_of(&mut self, board: &Described<Board>) -> Result<Described<Target>, Vec<Diagnostic>> {
        self.target_named(&board.value.target, Some(board.place("target")))
    }

    /// The board that a target names.
    fn board_of(&mut self, target: &Described<Target>) -> Result<Described<Board>, Vec<Diagnostic>> {
        self.described_board(&target.value.default_board, Some(target.place("default_board")))
    }

    /// Like [`Resolver::target`]; `from` is the location in a file that names it.
    pub fn target_named(&mut self, name: &str, from: Option<Span>) -> Result<Described<Target>, Vec<Diagnostic>> {
        let completed = self.concrete_file(Family::Targets, name, from)?;
        let aliases = completed.aliases.clone();
        self.describe(completed, |node, place, name, report| target_schema::target(node, place, name, aliases, report))
    }

    fn described_board(&mut self, name: &str, from: Option<Span>) -> Result<Described<Board>, Vec<Diagnostic>> {
        let mut completed = self.concrete_file(Family::Boards, name, from)?;
        let mut report = Vec::new();
        let Some((tree, mut start)) = clocks::schema::completed(&completed.tree, &mut report) else {
            return Err(report);
        };
        completed.tree = tree;
        self.describe(completed, |node, place, name, report| {
            let board = board_schema::board(node, place, name, report)?;
            start.extend(board.start);
            Some(Board { start, ..board })
        })
    }

    fn concrete_file(&mut self, family: Family, name: &str, from: Option<Span>) -> Result<Completed, Vec<Diagnostic>> {
        let completed = self.files.completed(family, name, from)?;
        if !completed.is_abstract {
            return Ok(completed);
        }
        let singular = family.singular();
        let message = format!("`{}` is an abstract base of other {}s, not a {singular}", name, singular);
        let diagnostic = match from {
            Some(span) => Diagnostic::error(codes::INVALID_PARENT, span, message),
            None => Diagnostic::general(codes::INVALID_PARENT, message),
        };
        Err(vec![diagnostic.help(format!("`clefc {singular}s` lists the {singular}s"))])
    }

    fn describe<T>(
        &mut self,
        completed: Completed,
        read: impl FnOnce(&Node, Span, &str, &mut Vec<Diagnostic>) -> Option<T>,
    ) -> Result<Described<T>, Vec<Diagnostic>> {
        let mut report = Vec::new();
        let place = completed.tree.span.at_start();
        let value = read(&completed.tree, place, &completed.name, &mut report);
        let lines = lines(self.files.sources(), &completed.tree);
        match value {
            Some(value) if report.is_empty() => {
                Ok(Described { value, lines, file: completed.file, tree: completed.tree })
            }
            Some(_) | None => Err(report),
        }
    }
}
