//! `printf` and related functions: a call with a known format is a function with as many parameters as the format has.
//!
//! In: the format, a string literal. Out: a lambda whose body writes the parts, or that body itself if the format has no
//! placeholder. So `printfn "%d %s"` is a value like any function of two parameters: its arguments are evaluated first,
//! then the whole string is written.

use crate::{
    checker::Checker,
    expressions::formats::{Format, Placed, Size, Wanted},
    names::paths::Found,
    state::{Expect, Reason},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Lambda, Literal, NodeId, NodeKind, Part, VariableId};
use clef_scopes::{Builtin, Meaning, Printf};
use clef_syntax::{
    ast::{self, ExprId, ExprKind},
    places,
};
use clef_types::Intrinsic;

/// The role of an argument.
#[derive(Clone, Copy)]
enum Purpose {
    /// The value of a placeholder.
    Value(Format),
    /// The width or the precision of a placeholder.
    Size(Format),
}

/// A parameter of the function for a format.
struct Parameter {
    purpose: Purpose,
    variable: VariableId,
    ty: Ty,
}

/// A piece of a format.
enum FormatPiece {
    /// Literal text.
    Text(String),
    /// A string expression.
    Made(NodeId),
    /// A value.
    Placeholder(Format),
}

impl Checker<'_> {
    /// The format function that an expression names.
    pub(crate) fn printf_named(&self, head: ExprId) -> Option<Printf> {
        let ExprKind::Name(path) = &self.input.ast.exprs[head].kind else { return None };
        match self.find_value(path) {
            Found::Value(entry, used) if used == path.segments.len() => match entry.meaning {
                Meaning::Builtin(Builtin::Printf(printf)) => Some(printf),
                Meaning::Builtin(
                    Builtin::Primitive(_) | Builtin::Convert(_) | Builtin::ConvertChecked(_) | Builtin::Enum,
                )
                | Meaning::Variable(_)
                | Meaning::Case(_)
                | Meaning::EnumValue(..)
                | Meaning::Intrinsic(_) => None,
            },
            Found::Value(..) | Found::Nothing => None,
        }
    }

    /// Reports a format function without its format.
    pub(crate) fn report_no_format(&mut self, printf: Printf, span: Span) -> NodeId {
        let name = printf.name();
        let message = format!("cannot infer the type of `{name}` without its format");
        let error = Diagnostic::error(codes::FORMAT_NOT_LITERAL, span, message);
        self.report(error.help(format!("write the format directly after it: `{name} \"%d\"`")));
        self.graph.error_node(span)
    }

    /// A call: the format, and perhaps arguments.
    pub(crate) fn printf(&mut self, printf: Printf, head: ExprId, arguments: &[ExprId], span: Span) -> NodeId {
        let Some((&format, arguments)) = arguments.split_first() else { return self.graph.error_node(span) };
        let function_span = self.input.ast.exprs[head].span.to(self.input.ast.exprs[format].span);
        let Some(pieces) = self.format_pieces(printf, format) else {
            for argument in arguments {
                self.infer(*argument);
            }
            return self.graph.error_node(span);
        };
        let (function, parameters) = self.printf_function(printf, pieces, function_span, span);
        let mut values = Vec::with_capacity(arguments.len());
        let reported = self.reports.diagnostics.len();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            values.push(self.printf_argument(parameter, *argument));
        }
        let superfluous = &arguments[values.len()..];
        match superfluous {
            [] => self.make_call(function, values, span),
            [..] if self.reports.diagnostics.len() > reported => {
                // A surplus argument is perhaps meant as an argument of a call before it.
                let last = self.reports.diagnostics.pop();
                self.reports
                    .diagnostics
                    .extend(last.map(|last| last.help("an argument that is a call needs parentheses")));
                self.graph.error_node(span)
            }
            [first, ..] if printf != Printf::Fail => self.report_superfluous(printf, format, *first, values.len()),
            [first, ..] => {
                let here = function_span.to(self.input.ast.exprs[*first].span);
                let call = self.make_call(function, values, here);
                self.apply(call, superfluous, span)
            }
        }
    }

    fn report_superfluous(&mut self, printf: Printf, format: ExprId, argument: ExprId, taken: usize) -> NodeId {
        self.infer(argument);
        let span = self.input.ast.exprs[argument].span;
        let takes = match taken {
            0 => "no value".to_owned(),
            1 => "one value".to_owned(),
            count => format!("{count} values"),
        };
        let message = format!("this format of `{}` takes {takes}, but this is one more", printf.name());
        let error = Diagnostic::error(codes::TOO_MANY_ARGUMENTS, span, message).label("superfluous");
        self.report(error.also(self.input.ast.exprs[format].span, "the format"));
        self.graph.error_node(span)
    }

    /// The pieces of a format; an interpolated string is one string expression.
    fn format_pieces(&mut self, printf: Printf, format: ExprId) -> Option<Vec<FormatPiece>> {
        let ast = self.input.ast;
        let span = ast.exprs[format].span;
        if let ExprKind::Literal(ast::Literal::String(text)) = &ast.exprs[format].kind {
            let places = places::characters(self.input.sources.text(span));
            let placed = text.chars().enumerate().map(|(index, c)| {
                let place = places.get(index).map(|place| Span {
                    start: span.start + place.start as u32,
                    end: span.start + place.end as u32,
                    ..span
                });
                (c, place.unwrap_or(span))
            });
            let placed: Vec<Placed> = placed.collect();
            return self.parse_format(&placed);
        }
        if let ExprKind::Interpolated(parts) = &ast.exprs[format].kind {
            let text = self.interpolated(parts, span, &Expect::anything(Ty::string()));
            return Some(vec![FormatPiece::Made(text)]);
        }
        let node = self.infer(format);
        if let NodeKind::Literal(Literal::String(text)) = self.graph.psg.nodes[node].kind {
            let placed: Vec<Placed> = text.as_str().chars().map(|c| (c, span)).collect();
            return self.parse_format(&placed);
        }
        let ty = self.graph.type_of(node);
        let constructor = match self.inference.shallow(&ty) {
            Ty::Constructor(TypeConstructor::Error, _) => return None,
            Ty::Constructor(constructor, _) => Some(constructor),
            Ty::Variable(_) => None,
        };
        let message = format!("the format of `{}` must be a string literal", printf.name());
        let error = Diagnostic::error(codes::FORMAT_NOT_LITERAL, span, message)
            .note("the placeholders determine the types of the arguments at compile time");
        self.report(match constructor {
            Some(TypeConstructor::Tuple) => error.help("write the format and its arguments without commas"),
            None | Some(TypeConstructor::String) => {
                error.help(format!("to write any string, use `{} \"%s\"`", printf.name()))
            }
            Some(_) => error.help(format!("to write any value, use `{} \"%A\"`", printf.name())),
        });
        None
    }

    fn parse_format(&mut self, text: &[Placed]) -> Option<Vec<FormatPiece>> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut fine = true;
        let mut at = 0;
        while let Some(&(c, _)) = text.get(at) {
            if c != '%' {
                literal.push(c);
                at += 1;
                continue;
            }
            if let Some(('%', _)) = text.get(at + 1) {
                literal.push('%');
                at += 2;
                continue;
            }
            let (format, length) = self.placeholder(&text[at..]);
            at += length;
            match format {
                Some(format) => {
                    pieces.push(FormatPiece::Text(std::mem::take(&mut literal)));
                    pieces.push(FormatPiece::Placeholder(format));
                }
                None => fine = false,
            }
        }
        pieces.push(FormatPiece::Text(literal));
        fine.then_some(pieces)
    }

    /// The function that writes the pieces; `span` is that of the whole call, which `failwithf` reports.
    fn printf_function(
        &mut self,
        printf: Printf,
        pieces: Vec<FormatPiece>,
        function_span: Span,
        span: Span,
    ) -> (NodeId, Vec<Parameter>) {
        let is_function = pieces.iter().any(|piece| matches!(piece, FormatPiece::Placeholder(_)));
        if is_function {
            self.frames.enter();
        }
        let mut parameters = Vec::new();
        let mut parts = Vec::new();
        for piece in pieces {
            parts.push(match piece {
                FormatPiece::Text(text) => Part::Text(Symbol::new(&text)),
                FormatPiece::Made(text) => Part::Value(text),
                FormatPiece::Placeholder(format) => Part::Value(self.placeholder_text(format, &mut parameters)),
            });
        }
        let body = self.printf_body(printf, parts, span);
        if !is_function {
            return (body, parameters);
        }
        let captures = self.frames.leave();
        let types = parameters.iter().map(|parameter| parameter.ty.clone());
        let ty = Ty::functions(types, self.graph.type_of(body));
        let params = parameters.iter().map(|parameter| parameter.variable).collect();
        let lambda = self.graph.psg.lambdas.alloc(Lambda { name: None, params, body, captures, span: function_span });
        (self.graph.node(NodeKind::Lambda(lambda), ty, function_span), parameters)
    }

    /// The string of a placeholder, as an expression of parameters, which are added.
    fn placeholder_text(&mut self, format: Format, parameters: &mut Vec<Parameter>) -> NodeId {
        let mut parameter = |this: &mut Self, purpose: Purpose, ty: Ty| {
            let variable = this.fresh_variable("argument", ty.clone(), format.span);
            parameters.push(Parameter { purpose, variable, ty });
            this.use_variable(variable, format.span)
        };
        let mut size = |this: &mut Self, size: Size| match size {
            Size::Argument => Some(parameter(this, Purpose::Size(format), Ty::int())),
            Size::None | Size::Fixed(_) => None,
        };
        let width = size(self, format.width);
        let precision = size(self, format.precision);
        let ty = match format.wanted {
            Wanted::Exactly(constructor) => Ty::simple(constructor),
            Wanted::Satisfying(constraint) => self.inference.fresh_with(constraint, None),
            Wanted::Anything => self.inference.fresh(),
        };
        let value = parameter(self, Purpose::Value(format), ty);
        self.formatted(value, &format, width, precision)
    }

    fn printf_body(&mut self, printf: Printf, mut parts: Vec<Part>, span: Span) -> NodeId {
        let (intrinsic, line, result) = match printf {
            Printf::Make => return self.graph.node(NodeKind::Interpolate(parts), Ty::string(), span),
            Printf::Write => (Intrinsic::ConsoleWrite, false, Ty::unit()),
            Printf::WriteLine => (Intrinsic::ConsoleWrite, true, Ty::unit()),
            Printf::Error => (Intrinsic::ConsoleError, false, Ty::unit()),
            Printf::ErrorLine => (Intrinsic::ConsoleError, true, Ty::unit()),
            Printf::Fail => (Intrinsic::Fail, false, self.inference.fresh()),
        };
        if line {
            parts.push(Part::Text(Symbol::new("\n")));
        }
        let text = self.graph.node(NodeKind::Interpolate(parts), Ty::string(), span);
        let function =
            self.graph.node(NodeKind::Intrinsic(intrinsic), Ty::function(Ty::string(), result.clone()), span);
        self.graph.node(NodeKind::Apply { function, arguments: vec![text] }, result, span)
    }

    fn printf_argument(&mut self, parameter: &Parameter, argument: ExprId) -> NodeId {
        let node = match &parameter.purpose {
            Purpose::Value(format) => self.formatted_value(argument, format),
            Purpose::Size(format) => {
                let reason = Reason::Format(format.name, format.span);
                self.expr(argument, &Expect { ty: Ty::int(), reason })
            }
        };
        let (ty, span) = (self.graph.type_of(node), self.graph.span_of(node));
        if self.inference.unify(&parameter.ty, &ty).is_err() {
            // The mismatch was reported against the format.
            return self.graph.error_node(span);
        }
        node
    }
}
