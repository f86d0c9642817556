//! What is checked: the files of the library and of the program, and the one that is being checked.

use clef_base::SourceMap;
use clef_scopes::Owner;
use clef_syntax::ast::Ast;
use clef_types::TargetFacts;
use std::sync::LazyLock;

/// The files of nothing.
static NOTHING: LazyLock<(SourceMap, Ast)> = LazyLock::new(Default::default);

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Its syntax.
    pub ast: &'a Ast,
    /// Its owner.
    pub owner: Owner,
}

/// The input of the checker. `ast`, `library` and `later` are those of the current file.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) sources: &'a SourceMap,
    pub(crate) facts: TargetFacts,
    pub(crate) ast: &'a Ast,
    /// Whether the file belongs to the library.
    pub(crate) library: bool,
    /// The files after the current one.
    pub(crate) later: &'a [Unit<'a>],
    /// Whether the program runs its tests in place of its entry point.
    pub(crate) runs_tests: bool,
}

impl Input<'static> {
    /// No files.
    pub(crate) fn nothing(facts: TargetFacts) -> Input<'static> {
        let (sources, ast) = &*NOTHING;
        Input { sources, facts, ast, library: false, later: &[], runs_tests: false }
    }
}
