//! Foreign functions, and functions exported to other languages: what their attributes compile to.
//!
//! `[<Extern("symbol")>] let f (a: int32) : int32 = Unchecked.defaultof<_>` becomes a function whose lambda consists of
//! [`NodeKind::Foreign`], so that it is applied, partially applied and passed like any other function. The types at the
//! FFI boundary are checked when all types are known ([`clef_analysis::ffi_boundary`]).

use crate::{
    checker::Checker,
    declarations::attributes::{Attributes, ForeignName},
};
use clef_analysis::symbols;
use clef_base::{Diagnostic, HashMap, Span, Symbol, codes};
use clef_infer::Ty;
use clef_psg::{
    Binding as PsgBinding, Export, Import, Item, Lambda, Mutability, NodeId, NodeKind, PatternKind as PsgPattern,
    Scope, VariableId,
};
use clef_syntax::ast::{
    self, Binding, BindingHead, ExprId, ExprKind, Literal, Name, PatternId, PatternKind, Statement, TypeExprId,
};

const FORM: &str =
    "write `let f (a: int32) : int32 = Unchecked.defaultof<_>`, with the type of each parameter and of the result";

/// The variadic functions of ISO C, sorted.
const VARIADIC: [&str; 13] = [
    "fprintf", "fscanf", "fwprintf", "fwscanf", "printf", "scanf", "snprintf", "sprintf", "sscanf", "swprintf",
    "swscanf", "wprintf", "wscanf",
];

impl Checker<'_> {
    /// `[<Extern("symbol")>] let f (a: t) : u = Unchecked.defaultof<_>`.
    pub(crate) fn import(&mut self, foreign: ForeignName, binding: &Binding, attributes: &Attributes) {
        self.check_symbol(foreign);
        self.check_fixed(foreign);
        for (other, name) in [
            (attributes.entry, "EntryPoint"),
            (attributes.literal, "Literal"),
            (attributes.export.is_some(), "Export"),
            (attributes.interrupt.is_some(), "Interrupt"),
            (attributes.section.is_some(), "Section"),
            (attributes.align.is_some(), "Align"),
            (attributes.test, "Test"),
        ] {
            if other {
                let message = format!("the attribute `{name}` has no effect on a foreign function");
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, foreign.span, message));
            }
        }
        let BindingHead::Function { name, type_parameters, parameters } = &binding.head else {
            self.malformed_import(binding.span, "a foreign binding must be a function with parameters");
            return;
        };
        if !type_parameters.is_empty() || binding.mutable || binding.inline {
            self.malformed_import(binding.span, "a foreign function cannot be generic or `inline`");
            return;
        }
        self.inference.enter_level();
        self.type_scopes.enter(HashMap::default());
        let checked = self.imported_function(foreign.symbol, *name, parameters, binding);
        self.type_scopes.leave();
        self.inference.leave_level();
        let (variable, value) = checked;
        self.generalise_group(&[variable], &[], &HashMap::default(), (false, true));
        let ty = self.graph.facts(variable).ty.clone();
        let pattern = self.graph.pattern(PsgPattern::Variable(variable), ty, name.span);
        self.graph.psg.items.push(Item::Let(PsgBinding { pattern, value }));
        self.graph.psg.imports.push(Import {
            variable,
            symbol: foreign.symbol,
            library: foreign.library,
            span: foreign.span,
        });
        self.declare_module_value(name.symbol, variable, binding.access);
    }

    /// The variable and the lambda of a foreign function.
    fn imported_function(
        &mut self,
        symbol: Symbol,
        name: Name,
        parameters: &[PatternId],
        binding: &Binding,
    ) -> (VariableId, NodeId) {
        let mut params = Vec::with_capacity(parameters.len());
        let mut types = Vec::with_capacity(parameters.len());
        for &parameter in parameters {
            let (name, ty) = self.imported_parameter(parameter);
            let span = self.input.ast.patterns[parameter].span;
            params.push(self.new_variable(name, ty.clone(), Mutability::Immutable, Scope::Local, span));
            types.push(ty);
        }
        let result = match binding.annotation {
            Some(annotation) => self.type_expr(annotation),
            None => {
                self.malformed_import(name.span, "the result of a foreign function needs a type annotation");
                Ty::error()
            }
        };
        self.imported_body(binding.body, &result);
        let arguments = params
            .iter()
            .zip(&types)
            .map(|(&variable, ty)| {
                let kind = NodeKind::Variable { variable, instantiation: Vec::new() };
                self.graph.node(kind, ty.clone(), self.graph.psg.variables[variable].span)
            })
            .collect();
        let body = self.graph.node(NodeKind::Foreign { symbol, arguments }, result.clone(), binding.span);
        let ty = Ty::functions(types.into_iter(), result);
        let variable = self.new_variable(name.symbol, ty.clone(), Mutability::Immutable, Scope::Module, name.span);
        self.graph.psg.variables[variable].arity = Some(params.len());
        let lambda = Lambda { name: Some(variable), params, body, captures: Vec::new(), span: binding.span };
        let lambda = self.graph.psg.lambdas.alloc(lambda);
        (variable, self.graph.node(NodeKind::Lambda(lambda), ty, binding.span))
    }

    /// `(name: type)`, `(_: type)` or `()`.
    fn imported_parameter(&mut self, pattern: PatternId) -> (Symbol, Ty) {
        let ast = self.input.ast;
        let unnamed = Symbol::new("argument$");
        let ast::Pattern { kind, span } = &ast.patterns[pattern];
        if let PatternKind::Literal { literal: Literal::Unit, .. } = kind {
            return (unnamed, Ty::unit());
        }
        let PatternKind::Annotated { pattern: inner, annotation } = kind else {
            let message = if matches!(kind, PatternKind::Tuple(_)) {
                "the parameters of a foreign function must be curried, without commas"
            } else {
                "a parameter of a foreign function needs a type annotation"
            };
            self.malformed_import(*span, message);
            return (unnamed, Ty::error());
        };
        let ty = self.type_expr(*annotation);
        let inner = &ast.patterns[*inner].kind;
        if let PatternKind::Name(name) = inner {
            return (name.symbol, ty);
        }
        if !matches!(inner, PatternKind::Wildcard) {
            self.malformed_import(*span, "a parameter of a foreign function must be a name");
        }
        (unnamed, ty)
    }

    /// The body must be `Unchecked.defaultof<type>`: a placeholder for a foreign definition that F# accepts too.
    fn imported_body(&mut self, body: ExprId, result: &Ty) {
        let fits = match self.default_of(body) {
            Some(argument) => {
                let ty = self.type_expr(argument);
                self.inference.unify(result, &ty).is_ok()
            }
            None => false,
        };
        if !fits {
            self.malformed_import(
                self.input.ast.exprs[body].span,
                "the right side of a foreign function must be `Unchecked.defaultof<_>` or `Unchecked.defaultof<type of \
                 the result>`",
            );
        }
    }

    /// The type within `Unchecked.defaultof<type>`.
    fn default_of(&self, body: ExprId) -> Option<TypeExprId> {
        if let ExprKind::Block(statements) = &self.input.ast.exprs[body].kind {
            let [Statement::Expr(only)] = statements.as_slice() else { return None };
            return self.default_of(*only);
        }
        let ExprKind::TypeApply { function, arguments } = &self.input.ast.exprs[body].kind else { return None };
        let ExprKind::Name(path) = &self.input.ast.exprs[*function].kind else { return None };
        let names: Vec<&str> = path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
        match (names.as_slice(), arguments.as_slice()) {
            (["Unchecked", "defaultof"], [argument]) => Some(*argument),
            _ => None,
        }
    }

    fn malformed_import(&mut self, span: Span, message: &str) {
        self.report(Diagnostic::error(codes::FOREIGN_FORM, span, message).help(FORM));
    }

    /// Records an exported function.
    pub(crate) fn export(&mut self, foreign: ForeignName, variable: VariableId) {
        self.check_symbol(foreign);
        self.graph.facts(variable).used = true;
        self.graph.psg.exports.push(Export { variable, symbol: foreign.symbol, span: foreign.span });
    }

    /// Records an interrupt handler.
    pub(crate) fn handler(&mut self, name: ForeignName, variable: VariableId) {
        self.graph.facts(variable).used = true;
        self.graph.psg.exports.push(Export { variable, symbol: name.symbol, span: name.span });
    }

    fn check_symbol(&mut self, foreign: ForeignName) {
        if !self.input.library {
            self.reports.diagnostics.extend(symbols::check(foreign.symbol, foreign.span));
        }
    }

    /// Rejects variadic functions: their calling conventions differ, and Clef has no declaration for them.
    fn check_fixed(&mut self, foreign: ForeignName) {
        let symbol = foreign.symbol;
        if VARIADIC.contains(&symbol.as_str()) {
            let message = format!("cannot call the variadic function `{symbol}`");
            let diagnostic = Diagnostic::error(codes::BAD_SYMBOL, foreign.span, message);
            self.report(diagnostic.help("write a C function with fixed parameters that calls it"));
        }
    }
}
