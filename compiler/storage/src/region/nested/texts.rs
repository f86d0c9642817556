//! Whether texts are alone: nothing is allocated and no region begins or ends while one grows, and no other one does.
//!
//! Then each text can grow at the end of the newest region, byte by byte. A function may pass its text on to be continued, but
//! none that it does not own.

use super::{
    super::{fewer::ends, transitive::Transitive},
    appends,
    ends::allocates,
};
use clef_base::HashMap;
use clef_core::{Block, ConstantTypes, End, Function, JoinId, LocalId, Program, Rhs, Statement, StatementKind};
use clef_types::Intrinsic;

/// Whether all texts of a program are.
pub(super) fn are_alone(program: &Program, constants: ConstantTypes) -> bool {
    let loud = Transitive::new(program, constants, &|_, function| {
        let mut is_loud = false;
        function.body.each_statement(&mut |statement| is_loud |= allocates(program, statement));
        is_loud
    });
    program.functions.iter().all(|(_, function)| {
        let mut walk = Walk { program, loud: &loud, function, text: None, joins: HashMap::default(), is_alone: true };
        walk.block(&function.body, None);
        walk.is_alone
    })
}

/// The walk over one function, in the order of execution.
struct Walk<'a> {
    program: &'a Program,
    loud: &'a Transitive<'a>,
    function: &'a Function,
    /// The text that grows.
    text: Option<LocalId>,
    /// The text that grows where each join is continued.
    joins: HashMap<JoinId, Option<LocalId>>,
    is_alone: bool,
}

impl Walk<'_> {
    /// A block; `outer` is the text that grows where its value goes.
    fn block(&mut self, block: &Block, outer: Option<LocalId>) {
        for statement in &block.statements {
            self.statement(statement);
        }
        let text = self.text;
        match &block.end {
            End::Yield(_) | End::Continue(_) | End::TailCall { .. } => self.is_alone &= text == outer,
            End::Jump(join, _) => self.is_alone &= self.joins.get(join) == Some(&text),
            End::Join { join, .. } => drop(self.joins.insert(join.id, text)),
            End::If { .. } | End::Switch { .. } | End::Trap(..) => {}
        }
        for nested in block.end.blocks() {
            self.text = text;
            self.block(nested, outer);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        if let StatementKind::Let(local, Rhs::Intrinsic { intrinsic: Intrinsic::TextBegin, .. }) = &statement.kind {
            self.is_alone &= self.text.is_none();
            self.text = Some(*local);
            return;
        }
        let Some(text) = self.text else {
            return self.nested(statement);
        };
        self.is_alone &= !allocates(self.program, statement) && ends(statement).is_none();
        if let Some(call) = statement.call() {
            let target = self.function.locals[text].ty;
            let mut passed = call.arguments.iter().filter_map(|argument| argument.local());
            let passes_other = passed.any(|local| local != text && self.function.locals[local].ty == target);
            self.is_alone &= !passes_other && !self.loud.is_called(call, self.function);
        }
        if let Some(Rhs::Intrinsic { intrinsic, arguments, .. }) = statement.rhs()
            && appends(*intrinsic)
            && let Some(target) = arguments.first().and_then(|target| target.local())
        {
            self.is_alone &= target == text;
            if *intrinsic == Intrinsic::TextEnd {
                self.text = None;
            }
        }
        self.nested(statement);
    }

    /// The blocks of a statement, after each of which the same text grows as before.
    fn nested(&mut self, statement: &Statement) {
        let text = self.text;
        for block in statement.rhs().map(Rhs::blocks).unwrap_or_default() {
            self.block(block, text);
            self.text = text;
        }
    }
}
