//! Expressions.

use super::{Layout, STEP};
use clef_syntax::{
    ast::{CollectionKind, ExprId, ExprKind, Statement},
    token::{Keyword, Punctuation},
};

impl Layout<'_> {
    /// An expression with the parentheses around it.
    pub(super) fn expr(&mut self, expr: ExprId) {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        let (end, wrapped) = self.extent(self.position, span);
        if self.fits(end) {
            return self.flat(end);
        }
        if wrapped {
            return self.parenthesised(expr, end);
        }
        let column = self.start();
        self.bare(expr, column, end);
        self.flow(end, column + STEP);
    }

    /// An expression in parentheses or between `begin` and `end`.
    fn parenthesised(&mut self, expr: ExprId, end: usize) {
        let is_word = self.at_keyword(Keyword::Begin);
        let start = self.start();
        self.token();
        let base = if is_word { start } else { self.indentation };
        let broken = self.is_broken();
        if broken {
            self.newline(base + STEP);
        }
        self.expr(expr);
        self.flow(end - 1, base + STEP);
        let closes_word = is_word && !self.next().is_forced_down();
        if (broken || closes_word) && self.is_broken() {
            self.newline(base);
        }
        self.token();
    }

    fn bare(&mut self, expr: ExprId, column: usize, end: usize) {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Apply { function, arguments } => self.apply(*function, arguments, column),
            ExprKind::Binary { operator, .. } => self.chain(expr, *operator, column),
            ExprKind::Prefix { operand, .. } => {
                self.token();
                self.expr(*operand);
            }
            ExprKind::Field { target, .. } => {
                self.expr(*target);
                self.flow(end, column + STEP);
            }
            ExprKind::TypeApply { function, .. } => {
                self.expr(*function);
                self.flow(end, column + STEP);
            }
            ExprKind::Index { target, index } => {
                self.expr(*target);
                self.up_to_bracket();
                self.expr(*index);
                if self.next().is_forced_down() && self.position < end {
                    self.token();
                }
            }
            ExprKind::Lambda { body, .. } => self.lambda(*body),
            ExprKind::Function(arms) => self.function(arms, column),
            ExprKind::Block(statements) => self.block(statements, column, end),
            ExprKind::If { .. } => self.conditional(expr, column),
            ExprKind::Match { scrutinee, arms } => self.match_with(*scrutinee, arms, column),
            ExprKind::While { condition, body } => {
                self.token();
                self.expr(*condition);
                self.loop_body(*body, column);
            }
            ExprKind::ForRange { from, to, body, .. } => {
                let before = self.index_at(ast.exprs[*from].span.start);
                while !self.at(Punctuation::Equal) && self.position < before {
                    self.token();
                }
                self.token();
                self.expr(*from);
                self.token();
                self.expr(*to);
                self.loop_body(*body, column);
            }
            ExprKind::ForIn { source, body, .. } => {
                while !self.at_keyword(Keyword::In) && self.position < end {
                    self.token();
                }
                self.token();
                self.expr(*source);
                self.loop_body(*body, column);
            }
            ExprKind::Tuple(parts) => self.tuple(parts, column),
            ExprKind::StructTuple(parts) => {
                self.token();
                self.token();
                self.tuple(parts, self.column);
            }
            ExprKind::Record(fields) => self.record(fields),
            ExprKind::RecordUpdate { base, fields } => self.record_update(*base, fields, column),
            ExprKind::Collection { elements, .. } => self.collection(elements),
            ExprKind::Comprehension { kind: CollectionKind::Sequence, body } => self.sequence(*body, end),
            ExprKind::Comprehension { body, .. } => self.comprehension(*body, end),
            ExprKind::Assign { target, value } => {
                self.expr(*target);
                self.token();
                self.body(*value, column + STEP);
            }
            ExprKind::Annotated { expr, .. } => {
                self.expr(*expr);
                self.flow(end, column + STEP);
            }
            ExprKind::Yield(value) | ExprKind::YieldAll(value) | ExprKind::Lazy(value) | ExprKind::Assert(value) => {
                self.word(*value, column);
            }
            ExprKind::Range { from, step, to } => self.range([Some(*from), *step, Some(*to)], column),
            ExprKind::Slice { target, from, to } => self.range([Some(*target), *from, *to], column),
            ExprKind::Error
            | ExprKind::Unsupported(_)
            | ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Operator(_)
            | ExprKind::Interpolated(_) => self.flow(end, column + STEP),
        }
    }

    /// A keyword and its operand. `-> e` of a loop has no keyword here.
    fn word(&mut self, value: ExprId, column: usize) {
        let is_word = [Keyword::Yield, Keyword::YieldBang, Keyword::Lazy, Keyword::Assert];
        if !is_word.iter().any(|keyword| self.at_keyword(*keyword)) {
            return self.expr(value);
        }
        self.token();
        if self.is_broken() {
            self.newline(column + STEP);
        }
        self.expr(value);
    }

    /// The parts of a range, and what is between them.
    fn range(&mut self, parts: [Option<ExprId>; 3], column: usize) {
        let first = self.position;
        for part in parts.into_iter().flatten() {
            let start = self.wrapped_start(self.index_at(self.ast.exprs[part].span.start));
            if self.position > first && self.position < start && self.is_broken() {
                self.newline(column + STEP);
            }
            self.flow(start, column + STEP);
            if self.position > first && self.is_broken() {
                self.newline(column + STEP);
            }
            self.expr(part);
        }
    }

    fn up_to_bracket(&mut self) {
        while !self.at(Punctuation::LeftBracket) && self.position + 1 < self.pieces.len() {
            self.token();
        }
        self.token();
    }

    /// A function with its arguments: all on lines of their own, or on one line, of which the last may begin a block.
    fn apply(&mut self, function: ExprId, arguments: &[ExprId], column: usize) {
        let ast = self.ast;
        let mut starts = Vec::with_capacity(arguments.len());
        let mut at = self.extent(self.position, ast.exprs[function].span).0;
        for argument in arguments {
            starts.push(at);
            at = self.extent(at, ast.exprs[*argument].span).0;
        }
        let broken = starts.iter().any(|&start| self.pieces[start].starts_line || self.pieces[start].is_forced_down());
        let broken = broken || starts.windows(2).any(|pair| self.has_break(pair[0]..pair[1]));
        let broken = broken || !self.first_line_fits(at) && !self.last_begins_block(arguments, &starts);
        let adjacent = starts.first().is_some_and(|&start| !self.spaces[start]);
        self.expr(function);
        for (index, argument) in arguments.iter().enumerate() {
            if broken && !(index == 0 && adjacent) {
                self.newline(column + STEP);
            }
            self.expr(*argument);
        }
    }

    /// Whether the pieces up to `end` fit up to the first end of a line in the source text.
    pub(super) fn first_line_fits(&self, end: usize) -> bool {
        let first = self.position;
        let stop =
            (first + 1..end).find(|&index| self.pieces[index].starts_line || self.pieces[index].is_forced_down());
        stop.is_some() && self.start() + self.width(first..stop.unwrap_or(end)) <= super::WIDTH
    }

    /// Whether the last argument is one that begins on the line of the function and continues on others.
    fn last_begins_block(&self, arguments: &[ExprId], starts: &[usize]) -> bool {
        let (Some(last), Some(&start)) = (arguments.last(), starts.last()) else { return false };
        let head = match &self.ast.exprs[*last].kind {
            ExprKind::Lambda { body, .. } => self.index_at(self.ast.exprs[*body].span.start),
            ExprKind::Function(_) | ExprKind::Record(_) | ExprKind::Collection { .. } => start + 2,
            _ => return false,
        };
        let brackets = matches!(self.ast.exprs[*last].kind, ExprKind::Record(_) | ExprKind::Collection { .. });
        let head = if brackets { start + 1 } else { head };
        self.start() + self.width(self.position..head.max(start)) <= super::WIDTH
    }

    /// Statements, each on its own line in a column.
    fn block(&mut self, statements: &[Statement], column: usize, end: usize) {
        if !self.has_break(self.position..end) && (self.position..end).any(|at| self.pieces[at].is_keyword(Keyword::In))
        {
            return self.flat(end);
        }
        self.statements(statements, column);
    }

    /// Statements in a column. What follows `in` on its line stays there: the scope of the binding ends with that line.
    pub(super) fn statements(&mut self, statements: &[Statement], column: usize) {
        let mut inline = false;
        for (index, statement) in statements.iter().enumerate() {
            let after_in = index > 0 && self.pieces[self.position - 1].is_keyword(Keyword::In);
            inline = (inline || after_in) && !self.is_broken() && !self.next().is_forced_down();
            if inline {
                while self.at(Punctuation::Semicolon) {
                    self.token();
                }
            } else if index > 0 {
                self.between(column);
            }
            match statement {
                Statement::Let(group) => {
                    self.attributes(column);
                    self.let_group(group, column);
                    if self.at_keyword(Keyword::In) {
                        self.token();
                    }
                }
                Statement::Expr(expr) if self.at_keyword(Keyword::Do) => {
                    self.token();
                    self.body(*expr, column + STEP);
                }
                Statement::Expr(expr) => self.expr(*expr),
            }
        }
    }

    /// Ends a statement, element or field: what follows is on the next line, which replaces semicolons.
    pub(super) fn between(&mut self, column: usize) {
        while self.at(Punctuation::Semicolon) {
            let comments = self.next().is_forced_down() || !self.next().comments.is_empty();
            if comments {
                self.token();
            } else {
                self.position += 1;
            }
        }
        self.newline(column);
    }
}
