//! Operators between expressions: arithmetic, comparison, logic and assignment to ref cells.

use crate::{
    checker::Checker,
    inference::literal_operands::{Operand, Operands},
    names::builtin::operand_constraint,
    names::{library::LibraryFunction, paths::Found},
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstraint, TypeConstructor, UnificationError};
use clef_psg::{Lambda, Mutability, NodeId, NodeKind};
use clef_scopes::{Builtin, Entity, Meaning};
use clef_syntax::{
    ast::{ExprId, ExprKind, Literal, Name},
    elsewhere,
};
use clef_types::Primitive;

/// Operators that the checker desugars itself; the library may define them for their use as values.
const OWN: [&str; 11] = ["&&", "||", "|>", "<|", "||>", "<||", ">>", "<<", "::", "@", "~+"];

impl Checker<'_> {
    /// `left operator right`.
    pub(crate) fn binary(
        &mut self,
        operator: Name,
        left: ExprId,
        right: ExprId,
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        if self.report_bitwise(operator, left, right) {
            return self.graph.error_node(span);
        }
        if let Some(meaning) = self.defined_operator(operator.symbol) {
            self.recording.value_used(operator.span, operator.symbol, &meaning);
            let function = self.meaning(meaning, operator.span);
            let node = self.apply(function, &[left, right], span);
            return self.expected(node, expect);
        }
        self.operator_used(operator.span, operator.symbol);
        let node = match operator.symbol.as_str() {
            "&&" => self.logical(operator, left, right, true, span),
            "||" => self.logical(operator, left, right, false, span),
            "|>" => self.pipe_forward(left, right, span, &expect.ty),
            "<|" => self.pipe_backward(left, right, span, &expect.ty),
            "||>" => self.pipe_pair_forward(left, right, span, &expect.ty),
            "<||" => self.pipe_pair_backward(left, right, span, &expect.ty),
            ">>" => self.compose((left, right), true, span, expect),
            "<<" => self.compose((left, right), false, span, expect),
            ":=" => self.assign_reference(left, right, span),
            "::" => self.cons(operator, left, right, span, expect),
            "@" => self.append(operator, left, right, span),
            _ => match self.builtin_operator(operator.symbol) {
                Some(primitive @ (Primitive::Multiply | Primitive::MultiplyChecked | Primitive::Divide)) => {
                    let hint = self.number_of(&expect.ty);
                    let operands = self.operands(left, right, hint);
                    self.product(primitive, operator, operands, span)
                }
                Some(primitive) => self.arithmetic(primitive, operator, (left, right), span, expect),
                None => {
                    let operand = self.infer(left);
                    self.infer(right);
                    self.report_unknown_operator(operator, Some((left, right)), operand);
                    self.graph.error_node(span)
                }
            },
        };
        self.expected(node, expect)
    }

    /// Records an operator of the language or of the library.
    fn operator_used(&mut self, span: Span, symbol: Symbol) {
        match self.names.values.get(symbol) {
            Some(entry) => self.recording.value_used(span, symbol, &entry.meaning),
            None if OWN.contains(&symbol.as_str()) => self.recording.used(span, Entity::Builtin(symbol)),
            None => {}
        }
    }

    /// The program's definition of an operator.
    fn defined_operator(&self, symbol: Symbol) -> Option<Meaning> {
        let meaning = self.names.values.get(symbol)?.meaning;
        match meaning {
            Meaning::Builtin(_) => None,
            Meaning::Variable(variable)
                if self.graph.psg.variables[variable].marks.library && OWN.contains(&symbol.as_str()) =>
            {
                None
            }
            // `::` is a case of the library's list type.
            Meaning::Case(_) => None,
            Meaning::Variable(_) | Meaning::EnumValue(..) | Meaning::Intrinsic(_) => Some(meaning),
        }
    }

    /// Whether an operator is the built-in `>>`, or `<<`.
    pub(crate) fn is_composition(&self, operator: Name) -> Option<bool> {
        let forward = match operator.symbol.as_str() {
            ">>" => true,
            "<<" => false,
            _ => return None,
        };
        self.defined_operator(operator.symbol).is_none().then_some(forward)
    }

    fn builtin_operator(&self, symbol: Symbol) -> Option<Primitive> {
        match self.names.values.get(symbol)?.meaning {
            Meaning::Builtin(Builtin::Primitive(primitive)) => Some(primitive),
            Meaning::Builtin(Builtin::Convert(_) | Builtin::ConvertChecked(_) | Builtin::Enum | Builtin::Printf(_))
            | Meaning::Variable(_)
            | Meaning::Case(_)
            | Meaning::EnumValue(..)
            | Meaning::Intrinsic(_) => None,
        }
    }

    /// Reports an operator of strings or functions between integers, where other languages have an operator on bits.
    fn report_bitwise(&mut self, operator: Name, left: ExprId, right: ExprId) -> bool {
        let Some(&(symbol, does, (help, instead))) =
            elsewhere::BITWISE.iter().find(|(known, ..)| *known == operator.symbol.as_str())
        else {
            return false;
        };
        let own = self.defined_operator(operator.symbol).is_none_or(|meaning| match meaning {
            Meaning::Variable(variable) => self.graph.psg.variables[variable].marks.library,
            Meaning::Builtin(_) | Meaning::Case(_) | Meaning::EnumValue(..) | Meaning::Intrinsic(_) => false,
        });
        let seen = [left, right].map(|operand| self.is_integer_at_sight(operand));
        if !own || !seen.contains(&Some(true)) || seen.contains(&Some(false)) {
            return false;
        }
        let message = format!("the operator `{symbol}` does not support integers");
        let error = Diagnostic::error(codes::UNMET_CONSTRAINT, operator.span, message);
        self.report(error.note(format!("`{symbol}` {does}")).fix(help, operator.span, instead));
        true
    }

    /// Whether an expression is an integer, if a literal or the name of a variable tells.
    fn is_integer_at_sight(&mut self, id: ExprId) -> Option<bool> {
        let ast = self.input.ast;
        if let ExprKind::Literal(literal) = &ast.exprs[id].kind {
            return Some(matches!(literal, Literal::Integer { .. }));
        }
        let ExprKind::Name(path) = &ast.exprs[id].kind else { return None };
        let Found::Value(entry, count) = self.find_value(path) else { return None };
        let Meaning::Variable(variable) = entry.meaning else { return None };
        let ty = self.graph.facts(variable).ty.clone();
        match self.inference.shallow(&ty) {
            Ty::Constructor(constructor, _) if count == path.segments.len() => {
                Some(matches!(constructor, TypeConstructor::Integer(_)))
            }
            Ty::Constructor(..) | Ty::Variable(_) => None,
        }
    }

    /// Reports an undefined operator, with a suggestion if it is between two operands; `operand` is the first.
    fn report_unknown_operator(&mut self, operator: Name, operands: Option<(ExprId, ExprId)>, operand: NodeId) {
        let symbol = operator.symbol;
        let ty = self.graph.type_of(operand);
        let is_bool = self.inference.shallow(&ty) == Ty::bool();
        let updating = elsewhere::UPDATING.iter().find(|(known, _)| *known == symbol.as_str());
        if let (Some((_, [sign, logic])), Some((left, right))) = (updating, operands) {
            self.report_updating_operator(operator, if is_bool { logic } else { sign }, left, right);
            return;
        }
        if let ("~+" | "~-" | "~~~~", None) = (symbol.as_str(), operands) {
            let message = format!("a prefix operator is applied without its `~`: `{symbol}`");
            let error = Diagnostic::error(codes::UNKNOWN_NAME, operator.span, message);
            self.report(error.fix("remove it", operator.span, &symbol.as_str()[1..]));
            return;
        }
        if let Some((_, help)) = elsewhere::OPERATORS.iter().find(|(known, _)| *known == symbol.as_str()) {
            let message = format!("Clef has no operator `{symbol}`");
            self.report(Diagnostic::error(codes::UNKNOWN_NAME, operator.span, message).help(*help));
            return;
        }
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, operator.span, format!("unknown operator `{symbol}`"));
        let instead = elsewhere::SPELLINGS.iter().find(|(known, ..)| *known == symbol.as_str());
        self.report(match instead {
            Some((_, help, [bits, logic])) => {
                diagnostic.fix(*help, operator.span, if is_bool { *logic } else { *bits })
            }
            None if operands.is_none() => diagnostic.help(format!("define it: `let ({symbol}) a = …`")),
            None => diagnostic.help(format!("define it: `let ({symbol}) a b = …`")),
        });
    }

    /// `x += e`.
    fn report_updating_operator(&mut self, operator: Name, sign: &str, left: ExprId, right: ExprId) {
        let (target, value) = (self.input.ast.exprs[left].span, self.input.ast.exprs[right].span);
        let text = |span: Span| self.input.sources.text(span);
        let atomic = matches!(self.input.ast.exprs[right].kind, ExprKind::Literal(_) | ExprKind::Name(_));
        let value = if atomic { text(value).to_owned() } else { format!("({})", text(value)) };
        let instead = format!("{0} <- {0} {sign} {value}", text(target));
        let whole = target.to(self.input.ast.exprs[right].span);
        let message = format!("Clef has no operator `{}`", operator.symbol);
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, operator.span, message).fix(
            "assign with `<-`",
            whole,
            instead,
        ));
    }

    fn arithmetic(
        &mut self,
        primitive: Primitive,
        operator: Name,
        (left, right): (ExprId, ExprId),
        span: Span,
        expect: &Expect,
    ) -> NodeId {
        let compares = operand_constraint(primitive).contains(TypeConstraint::EQUALITY);
        let hint = if compares { None } else { self.number_of(&expect.ty) };
        let shifts = matches!(primitive, Primitive::ShiftLeft | Primitive::ShiftRight);
        let Operands { left, right } = match shifts {
            true => Operands { left: self.operand(left, hint), right: Operand::Expression(right) },
            false => self.operands(left, right, hint),
        };
        if let Some(function) = self.set_operator(primitive, left) {
            let wanted = Expect {
                ty: self.graph.type_of(left),
                reason: Reason::Operand { operator: operator.symbol, other: self.graph.span_of(left) },
            };
            let right = self.right_operand(right, &wanted);
            return self.library_call(function, vec![left, right], span);
        }
        let works = self.constrain_operand(operator, left, operand_constraint(primitive));
        let operand = if works { self.graph.type_of(left) } else { Ty::error() };
        let wanted = if shifts {
            let reason = Reason::Operator { operator: operator.symbol, place: operator.span };
            Expect { ty: Ty::int(), reason }
        } else {
            let reason = Reason::Operand { operator: operator.symbol, other: self.graph.span_of(left) };
            Expect { ty: operand.clone(), reason }
        };
        let reported = self.reports.diagnostics.len();
        let right = self.right_operand(right, &wanted);
        let result = if compares {
            Ty::bool()
        } else if self.reports.diagnostics.len() > reported {
            // It is not known which operand is wrong.
            Ty::error()
        } else {
            operand
        };
        let types = [self.graph.type_of(left), self.graph.type_of(right)];
        let function_type = Ty::functions(types.into_iter(), result.clone());
        let function = self.graph.node(NodeKind::Primitive(primitive), function_type, operator.span);
        self.graph.node(NodeKind::Apply { function, arguments: vec![left, right] }, result, span)
    }

    /// The library function of an operator on sets.
    fn set_operator(&mut self, primitive: Primitive, left: NodeId) -> Option<LibraryFunction> {
        let function = if primitive == Primitive::Add {
            LibraryFunction::SetUnion
        } else if primitive == Primitive::Subtract {
            LibraryFunction::SetDifference
        } else {
            return None;
        };
        let ty = self.graph.type_of(left);
        let Ty::Constructor(constructor, _) = self.inference.shallow(&ty) else { return None };
        self.is_set(constructor).then_some(function)
    }

    /// Adds an operator's constraint to an operand; whether it is satisfied.
    pub(crate) fn constrain_operand(&mut self, operator: Name, operand: NodeId, constraint: TypeConstraint) -> bool {
        let ty = self.graph.type_of(operand);
        let Err(UnificationError::Unmet(unmet, part)) = self.inference.constrain(&ty, constraint) else { return true };
        let shown = self.show_all(&[&ty, &part]);
        let mut diagnostic = Diagnostic::error(
            codes::UNMET_CONSTRAINT,
            operator.span,
            format!("the operator `{}` does not support `{}`", operator.symbol, shown[0]),
        )
        .also(self.graph.span_of(operand), format!("this has type `{}`", shown[0]));
        if shown[0] != shown[1] {
            diagnostic = diagnostic.note(format!("it contains `{}`", shown[1]));
        }
        let diagnostic = if matches!(part, Ty::Constructor(TypeConstructor::NativePointer, _)) {
            diagnostic.help("compare the values that the pointers point to, or the addresses: `NativePtr.toNativeInt`")
        } else {
            diagnostic.note(format!("`{}` expects {}", operator.symbol, unmet.describe()))
        };
        let diagnostic = self.explain_option(diagnostic, &ty);
        self.report(diagnostic);
        false
    }

    fn logical(&mut self, operator: Name, left: ExprId, right: ExprId, and: bool, span: Span) -> NodeId {
        let reason = Reason::Operator { operator: operator.symbol, place: operator.span };
        let wanted = Expect { ty: Ty::bool(), reason };
        let condition = self.expr(left, &wanted);
        let right = self.expr(right, &wanted);
        self.logical_node(condition, right, and, span)
    }

    /// `&&` and `||` as a conditional.
    fn logical_node(&mut self, condition: NodeId, right: NodeId, and: bool, span: Span) -> NodeId {
        let constant = self.graph.bool_node(!and, span);
        let (then, otherwise) = if and { (right, constant) } else { (constant, right) };
        self.graph.node(NodeKind::If { condition, then, otherwise }, Ty::bool(), span)
    }

    /// `(&&)` and `(||)` as functions, unless the library or the program defines them.
    pub(crate) fn logical_operator_value(&mut self, name: Name) -> Option<NodeId> {
        let and = match name.symbol.as_str() {
            "&&" => true,
            "||" => false,
            _ => return None,
        };
        if self.names.values.get(name.symbol).is_some() {
            return None;
        }
        self.frames.enter();
        let params = [0, 1].map(|_| self.fresh_variable("operand", Ty::bool(), name.span));
        let [left, right] = params.map(|variable| self.use_variable(variable, name.span));
        let body = self.logical_node(left, right, and, name.span);
        let captures = self.frames.leave();
        let lambda = Lambda { name: None, params: params.to_vec(), body, captures, span: name.span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        let ty = Ty::functions([Ty::bool(), Ty::bool()].into_iter(), Ty::bool());
        Some(self.graph.node(NodeKind::Lambda(lambda), ty, name.span))
    }

    /// `cell := value`.
    fn assign_reference(&mut self, left: ExprId, right: ExprId, span: Span) -> NodeId {
        let cell = self.infer(left);
        let of = self.reference_content(cell, span);
        let reason = Reason::Assigned(self.graph.span_of(cell));
        let value = self.expr(right, &Expect { ty: of, reason });
        self.primitive_call(Primitive::WriteReference, vec![cell, value], Ty::unit(), span)
    }

    /// The content type of a ref cell.
    fn reference_content(&mut self, cell: NodeId, span: Span) -> Ty {
        let ty = self.graph.type_of(cell);
        let mut of = self.inference.fresh();
        if self.inference.unify(&Ty::reference(of.clone()), &ty).is_err() {
            of = Ty::error();
            let shown = self.show(&ty);
            let at = self.graph.span_of(cell);
            let mut diagnostic = Diagnostic::error(
                codes::NOT_A_REFERENCE,
                at,
                format!("`:=` assigns to a ref cell, but this has type `{shown}`"),
            );
            let mutable = self
                .variable_of(cell)
                .is_some_and(|variable| self.graph.psg.variables[variable].mutability == Mutability::Mutable);
            if let (Some(sign), true) = (self.input.sources.text(span).find(":="), mutable) {
                let sign = Span { start: span.start + sign as u32, end: span.start + sign as u32 + 2, ..span };
                diagnostic = diagnostic.fix("use `<-` to assign to a `let mutable`", sign, "<-");
            } else {
                diagnostic = diagnostic.help("bind it with `let mutable` and assign with `<-`, or make it a `ref`");
            }
            self.report(diagnostic);
        }
        of
    }

    /// `-x`, `!x`, `~~~x` and prefix operators of the program.
    pub(crate) fn prefix(&mut self, operator: Name, operand: ExprId, span: Span, expect: &Expect) -> NodeId {
        let ast = self.input.ast;
        let text = operator.symbol.as_str();
        let own = Symbol::new(&format!("~{text}"));
        if let Some(meaning) = self.defined_operator(own).or_else(|| self.defined_prefix(operator.symbol)) {
            self.recording.value_used(operator.span, operator.symbol, &meaning);
            let function = self.meaning(meaning, operator.span);
            let node = self.apply(function, &[operand], span);
            return self.expected(node, expect);
        }
        if let ("-", ExprKind::Literal(literal @ (Literal::Integer { .. } | Literal::Float { .. }))) =
            (text, &ast.exprs[operand].kind)
        {
            return self.literal(literal, true, span, expect);
        }
        self.operator_used(operator.span, if let "-" | "+" = text { own } else { operator.symbol });
        let hint = self.number_of(&expect.ty);
        if let ("-", ExprKind::TypeApply { function, arguments }) = (text, &ast.exprs[operand].kind)
            && let (ExprKind::Literal(literal), [measure]) = (&ast.exprs[*function].kind, arguments.as_slice())
        {
            return self.measured_literal(literal, true, *measure, span, expect);
        }
        let node = match text {
            "-" => {
                let negate = self.builtin_operator(Symbol::new("~-")).unwrap_or(Primitive::Negate);
                self.signed(negate, operator, operand, span, hint)
            }
            "~~~" => self.signed(Primitive::BitNot, operator, operand, span, hint),
            "+" => {
                let node = self.operand(operand, hint);
                match self.constrain_operand(operator, node, TypeConstraint::NUMBER) {
                    true => node,
                    false => self.graph.error_node(span),
                }
            }
            "!" => self.read_reference(operator, operand, span),
            _ => {
                let operand = self.infer(operand);
                self.report_unknown_operator(operator, None, operand);
                self.graph.error_node(span)
            }
        };
        self.expected(node, expect)
    }

    /// The definition of a prefix operator; `-` and `+` between operands are different operators.
    fn defined_prefix(&self, symbol: Symbol) -> Option<Meaning> {
        if matches!(symbol.as_str(), "-" | "+") { None } else { self.defined_operator(symbol) }
    }

    fn signed(
        &mut self,
        primitive: Primitive,
        operator: Name,
        operand: ExprId,
        span: Span,
        hint: Option<TypeConstructor>,
    ) -> NodeId {
        let node = self.operand(operand, hint);
        let works = self.constrain_operand(operator, node, operand_constraint(primitive));
        let ty = if works { self.graph.type_of(node) } else { Ty::error() };
        self.primitive_call(primitive, vec![node], ty, span)
    }

    fn read_reference(&mut self, operator: Name, operand: ExprId, span: Span) -> NodeId {
        let cell = self.infer(operand);
        let ty = self.graph.type_of(cell);
        let mut of = self.inference.fresh();
        if self.inference.unify(&Ty::reference(of.clone()), &ty).is_err() {
            of = Ty::error();
            let shown = self.show(&ty);
            let diagnostic = Diagnostic::error(
                codes::NOT_A_REFERENCE,
                self.graph.span_of(cell),
                format!("`!` reads a ref cell, but this has type `{shown}`"),
            );
            let is_bool = shown == "bool";
            self.report(match is_bool {
                true => diagnostic.fix("use `not` for negation", operator.span, "not "),
                false => diagnostic,
            });
        }
        self.primitive_call(Primitive::ReadReference, vec![cell], of, span)
    }
}
