//! A function of Core under construction.
//!
//! In: right-hand sides and ends of blocks. Out: the locals, joins and body of a declared function. The builder knows
//! neither the graph nor what is lowered: it numbers locals and joins, and collects the statements of the open block.

use clef_base::{Span, Symbol};
use clef_core::{
    Atom, Block, End, Function, FunctionId, JoinId, Local, LocalId, MakeClosure, Rhs, Statement, StatementKind,
};
use clef_types::Type;
use la_arena::Arena;

/// The name of locals that the source does not name.
const UNNAMED: &str = "$";

/// The locals and joins of a function, and the statements of the block that is open. Each local is bound once.
pub(super) struct Builder {
    id: FunctionId,
    locals: Arena<Local>,
    joins: u32,
    statements: Vec<Statement>,
}

/// The statements of a block that is interrupted by a nested one.
pub(super) struct Outer(Vec<Statement>);

impl Builder {
    /// Opens the body of a declared function.
    pub(super) fn new(id: FunctionId, function: &Function) -> Builder {
        Builder { id, locals: function.locals.clone(), joins: 0, statements: Vec::new() }
    }

    /// Closes the body, and puts it into the function.
    pub(super) fn finish(self, function: &mut Function, end: End) {
        function.locals = self.locals;
        function.joins = self.joins;
        function.body = Block { statements: self.statements, end };
    }

    /// The function.
    pub(super) fn id(&self) -> FunctionId {
        self.id
    }

    /// A fresh local.
    pub(super) fn local(&mut self, name: Symbol, ty: Type, span: Span) -> LocalId {
        self.locals.alloc(Local { name, ty, span })
    }

    /// The type of a local.
    pub(super) fn type_of(&self, local: LocalId) -> Type {
        self.locals[local].ty
    }

    /// Names a local that has no name yet; returns whether it had none.
    pub(super) fn name(&mut self, local: LocalId, name: Symbol, span: Span) -> bool {
        let local = &mut self.locals[local];
        let is_unnamed = local.name == Symbol::new(UNNAMED);
        if is_unnamed {
            local.name = name;
            local.span = span;
        }
        is_unnamed
    }

    /// Adds a statement that binds a local.
    pub(super) fn let_(&mut self, local: LocalId, rhs: Rhs, span: Span) {
        self.statements.push(Statement { kind: StatementKind::Let(local, rhs), place: span.into() });
    }

    /// Adds a statement that binds a fresh unnamed local.
    pub(super) fn bind(&mut self, rhs: Rhs, ty: Type, span: Span) -> Atom {
        let local = self.local(Symbol::new(UNNAMED), ty, span);
        self.let_(local, rhs, span);
        Atom::Local(local)
    }

    /// Adds a statement that creates closures which may capture one another.
    pub(super) fn group(&mut self, members: Vec<(LocalId, MakeClosure)>, span: Span) {
        self.statements.push(Statement { kind: StatementKind::Group(members), place: span.into() });
    }

    /// Opens a nested block.
    pub(super) fn open(&mut self) -> Outer {
        Outer(std::mem::take(&mut self.statements))
    }

    /// Closes the nested block; the outer one continues.
    pub(super) fn close(&mut self, outer: Outer, end: End) -> Block {
        Block { statements: std::mem::replace(&mut self.statements, outer.0), end }
    }

    /// Continues the open block with another one, whose end is returned.
    pub(super) fn append(&mut self, block: Block) -> End {
        self.statements.extend(block.statements);
        block.end
    }

    /// A fresh join.
    pub(super) fn join(&mut self) -> JoinId {
        let id = JoinId(self.joins);
        self.joins += 1;
        id
    }
}
