//! The border to other languages: functions that are linked from elsewhere, functions that elsewhere may call, and the
//! types that cross.
//!
//! `[<Extern("symbol")>] let f (a: int32) : int32 = Unchecked.defaultof<_>` becomes a function whose lambda does nothing
//! but [`NodeKind::Foreign`], so that it is applied, partially applied and passed on like any other. What may cross the
//! border is looked at when all types are known.

use super::{
    Checker,
    attributes::{Attributes, ForeignName},
    ty::Ty,
};
use crate::{
    intrinsic::Intrinsic,
    plain::{Unfit, fits_border},
    print::types::type_text,
    psg::{
        self, Binding as PsgBinding, DeclaredKind, Export, Import, Item, Lambda, Mutability, NodeId, NodeKind,
        PatternKind as PsgPattern, Scope, VariableId,
    },
    types::{Type, TypeKind},
};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_syntax::ast::{
    self, Binding, BindingHead, ExprId, ExprKind, Literal, Name, PatternId, PatternKind, Statement, TypeExprId,
};
use std::collections::HashMap;

const FORM: &str =
    "write `let f (a: int32) : int32 = Unchecked.defaultof<_>`: each parameter and the result with its type";

/// How symbols of the compiler and its runtime begin, of LLVM, and of the log, and whose they are.
const RESERVED: [(&str, &str); 7] = [
    ("clef_", THE_RUNTIME),
    ("__clef_", THE_RUNTIME),
    ("clef.", "the compiler"),
    ("_clef.", "the compiler"),
    ("llvm.", "LLVM"),
    ("_defmt_", "the log"),
    (".L", "assemblers, for names within a file"),
];

/// Symbols that the runtime defines beside.
const TAKEN: [&str; 2] = ["_start", "_SEGGER_RTT"];

const THE_RUNTIME: &str = "the runtime";

/// Where linkers and debuggers note what kind of code or data begins (ELF for the Arm Architecture, mapping symbols).
const MAPPING: [&str; 4] = ["$a", "$d", "$t", "$x"];

/// Whose a symbol is, if no program may use it.
fn owner(symbol: &str) -> Option<&'static str> {
    let reserved = RESERVED.iter().find(|(prefix, _)| symbol.starts_with(prefix)).map(|(_, owner)| *owner);
    let before_dot = symbol.split_once('.').map_or(symbol, |(name, _)| name);
    reserved
        .or_else(|| (TAKEN.contains(&symbol) || symbol.contains("clef_runtime")).then_some(THE_RUNTIME))
        .or_else(|| MAPPING.contains(&before_dot).then_some("linkers and debuggers"))
}

/// The functions of ISO C that take any number of arguments, sorted.
const VARIADIC: [&str; 13] = [
    "fprintf", "fscanf", "fwprintf", "fwscanf", "printf", "scanf", "snprintf", "sprintf", "sscanf", "swprintf",
    "swscanf", "wprintf", "wscanf",
];

impl Checker<'_> {
    /// `[<Extern("symbol")>] let f (a: t) : u = Unchecked.defaultof<_>`.
    pub(super) fn import(&mut self, foreign: ForeignName, binding: &Binding, attributes: &Attributes) {
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
                let message =
                    format!("the attribute `{name}` means nothing on a function that is linked from elsewhere");
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, foreign.span, message));
            }
        }
        let BindingHead::Function { name, type_parameters, parameters } = &binding.head else {
            self.malformed_import(binding.span, "a foreign binding must be a function with parameters");
            return;
        };
        if !type_parameters.is_empty() || binding.mutable || binding.inline {
            self.malformed_import(binding.span, "a foreign function is neither generic nor `inline`");
            return;
        }
        self.inference.level += 1;
        self.type_variables.push(HashMap::new());
        let checked = self.imported_function(foreign.symbol, *name, parameters, binding);
        self.type_variables.pop();
        self.inference.level -= 1;
        let (variable, value) = checked;
        self.generalise_group(&[variable], &[], &HashMap::new(), (false, true));
        let ty = self.variable_facts(variable).ty.clone();
        let pattern = self.pattern(PsgPattern::Variable(variable), ty, name.span);
        self.psg.items.push(Item::Let(PsgBinding { pattern, value }));
        self.psg.imports.push(Import {
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
            let span = self.ast.patterns[parameter].span;
            params.push(self.new_variable(name, ty.clone(), Mutability::Immutable, Scope::Local, span));
            types.push(ty);
        }
        let result = match binding.annotation {
            Some(annotation) => self.type_expr(annotation),
            None => {
                self.malformed_import(name.span, "the result of a foreign function needs its type");
                Ty::error()
            }
        };
        self.imported_body(binding.body, &result);
        let arguments = params
            .iter()
            .zip(&types)
            .map(|(&variable, ty)| {
                let kind = NodeKind::Variable { variable, instantiation: Vec::new() };
                self.node(kind, ty.clone(), self.psg.variables[variable].span)
            })
            .collect();
        let body = self.node(NodeKind::Foreign { symbol, arguments }, result.clone(), binding.span);
        let ty = Ty::functions(types.into_iter(), result);
        let variable = self.new_variable(name.symbol, ty.clone(), Mutability::Immutable, Scope::Module, name.span);
        self.psg.variables[variable].arity = Some(params.len());
        let lambda = Lambda { name: Some(variable), params, body, captures: Vec::new(), span: binding.span };
        let lambda = self.psg.lambdas.alloc(lambda);
        (variable, self.node(NodeKind::Lambda(lambda), ty, binding.span))
    }

    /// `(name: type)`, `(_: type)` or `()`.
    fn imported_parameter(&mut self, pattern: PatternId) -> (Symbol, Ty) {
        let ast = self.ast;
        let unnamed = Symbol::new("argument$");
        let ast::Pattern { kind, span } = &ast.patterns[pattern];
        if let PatternKind::Literal { literal: Literal::Unit, .. } = kind {
            return (unnamed, Ty::unit());
        }
        let PatternKind::Annotated { pattern: inner, annotation } = kind else {
            let message = if matches!(kind, PatternKind::Tuple(_)) {
                "the parameters of a foreign function stand one by one, without commas"
            } else {
                "a parameter of a foreign function needs its type"
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
            self.malformed_import(*span, "a parameter of a foreign function is a name");
        }
        (unnamed, ty)
    }

    /// The right side must be `Unchecked.defaultof<type>`: it says that nothing is defined here, and F# reads it too.
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
                self.ast.exprs[body].span,
                "the right side of a foreign function must be `Unchecked.defaultof<_>`, or name the type of the result",
            );
        }
    }

    /// The type within `Unchecked.defaultof<type>`.
    fn default_of(&self, body: ExprId) -> Option<TypeExprId> {
        if let ExprKind::Block(statements) = &self.ast.exprs[body].kind {
            let [Statement::Expr(only)] = statements.as_slice() else { return None };
            return self.default_of(*only);
        }
        let ExprKind::TypeApply { function, arguments } = &self.ast.exprs[body].kind else { return None };
        let ExprKind::Name(path) = &self.ast.exprs[*function].kind else { return None };
        let names: Vec<&str> = path.segments.iter().map(|segment| segment.symbol.as_str()).collect();
        match (names.as_slice(), arguments.as_slice()) {
            (["Unchecked", "defaultof"], [argument]) => Some(*argument),
            _ => None,
        }
    }

    fn malformed_import(&mut self, span: Span, message: &str) {
        self.report(Diagnostic::error(codes::FOREIGN_FORM, span, message).help(FORM));
    }

    /// Notes a function that elsewhere may call.
    pub(super) fn export(&mut self, foreign: ForeignName, variable: VariableId) {
        self.check_symbol(foreign);
        self.variable_facts(variable).used = true;
        self.psg.exports.push(Export { variable, symbol: foreign.symbol, span: foreign.span });
    }

    /// Notes a function that handles an interrupt.
    pub(super) fn handler(&mut self, name: ForeignName, variable: VariableId) {
        self.variable_facts(variable).used = true;
        self.psg.exports.push(Export { variable, symbol: name.symbol, span: name.span });
    }

    fn check_symbol(&mut self, foreign: ForeignName) {
        if self.library {
            return;
        }
        let text = foreign.symbol.as_str();
        let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '.' || c == '$';
        let written = text.starts_with(is_start) && text.chars().all(|c| is_start(c) || c.is_ascii_digit());
        let (message, help) = match (written, owner(text)) {
            (true, None) => return,
            (false, _) => (
                format!("`{}` is not a symbol", text.escape_debug()),
                "use letters, digits, `_`, `.` and `$`, and do not begin with a digit",
            ),
            (true, Some(owner)) => (
                format!("the symbol `{text}` belongs to {owner}"),
                "choose another symbol, for example one that begins with the name of your program",
            ),
        };
        self.report(Diagnostic::error(codes::BAD_SYMBOL, foreign.span, message).help(help));
    }

    /// Conventions pass variable arguments in ways of their own, for which Clef has no declaration.
    fn check_fixed(&mut self, foreign: ForeignName) {
        let symbol = foreign.symbol;
        if VARIADIC.contains(&symbol.as_str()) {
            let message = format!("`{symbol}` takes any number of arguments, and such functions cannot be called");
            let diagnostic = Diagnostic::error(codes::BAD_SYMBOL, foreign.span, message);
            self.report(diagnostic.help("call a C function of your own with fixed parameters, which calls it"));
        }
    }

    /// Looks at all that crosses the border, when types are known.
    pub(super) fn check_border(&mut self) {
        self.check_exports();
        self.check_signatures();
        self.check_addresses();
    }

    fn check_exports(&mut self) {
        for export in self.psg.exports.clone() {
            let data = &self.psg.variables[export.variable];
            let (name, span) = (data.name, data.span);
            let refusal = if let Some(number) = psg::interrupt(export.symbol) {
                self.is_no_handler(export.variable).then(|| {
                    (
                        format!("`{name}` handles the interrupt {number}, and is not of type `unit -> unit`"),
                        format!("write `let {name} () = …`, with a body of type `unit`"),
                    )
                })
            } else if data.arity.is_none() {
                Some((
                    format!("`{name}` is exported, and is no function with parameters"),
                    "give it its parameters: `let f (a: int32) = …`".to_owned(),
                ))
            } else if !data.generics.is_empty() {
                Some((
                    format!("`{name}` is exported, and its type is generic"),
                    "annotate its parameters: other languages know only particular types".to_owned(),
                ))
            } else {
                None
            };
            if let Some((message, help)) = refusal {
                self.report(Diagnostic::error(codes::FOREIGN_FORM, span, message).help(help));
            }
        }
    }

    /// Whether a function cannot handle interrupts.
    fn is_no_handler(&self, variable: VariableId) -> bool {
        let data = &self.psg.variables[variable];
        let unit = |ty: Type| matches!(self.psg.types.kind(ty), TypeKind::Unit);
        let taken = data.arity.filter(|arity| *arity == 1).and_then(|arity| self.psg.types.uncurry(data.ty, arity));
        !taken.is_some_and(|(parameters, result)| parameters.into_iter().all(unit) && unit(result))
    }

    /// Types of parameters and results, and symbols that are used twice.
    fn check_signatures(&mut self) {
        let imports = self.psg.imports.iter().map(|import| (import.variable, import.symbol, import.span, true));
        let exports = self.psg.exports.iter().map(|export| (export.variable, export.symbol, export.span, false));
        let all: Vec<(VariableId, Symbol, Span, bool)> = imports.chain(exports).collect();
        let mut seen: HashMap<Symbol, (Type, Span, bool)> = HashMap::new();
        for (variable, symbol, span, import) in all {
            let data = &self.psg.variables[variable];
            let (ty, arity) = (data.ty, data.arity.unwrap_or_default());
            match seen.get(&symbol) {
                Some((other, _, true)) if import && *other == ty => {}
                Some((_, first, _)) => {
                    let message = match psg::interrupt(symbol) {
                        Some(number) => format!("the interrupt {number} has two handlers"),
                        None => format!("the symbol `{symbol}` is declared twice, and not in the same way"),
                    };
                    self.report(
                        Diagnostic::error(codes::BAD_SYMBOL, span, message).also(*first, "declared here first"),
                    );
                }
                None => {
                    seen.insert(symbol, (ty, span, import));
                }
            }
            self.check_crossing(variable, ty, arity, import);
        }
    }

    fn check_crossing(&mut self, variable: VariableId, ty: Type, arity: usize, import: bool) {
        let generic_export = !import && !self.psg.variables[variable].generics.is_empty();
        let Some((parameters, result)) = self.psg.types.uncurry(ty, arity).filter(|_| !generic_export) else { return };
        let params = self.psg.lambdas.values().find(|lambda| lambda.name == Some(variable));
        let spans: Vec<Span> = params
            .map_or(Vec::new(), |lambda| lambda.params.iter().map(|param| self.psg.variables[*param].span).collect());
        let own = self.psg.variables[variable].span;
        let parameters = parameters.into_iter().enumerate();
        let places = parameters.map(|(index, ty)| (ty, spans.get(index).copied().unwrap_or(own)));
        for (ty, span) in places.chain([(result, own)]).collect::<Vec<_>>() {
            let Err(unfit) = fits_border(&mut self.psg, ty) else { continue };
            let shown = type_text(&self.psg, ty);
            let message = format!("a value of type `{shown}` cannot cross the border to another language");
            let diagnostic = Diagnostic::error(codes::FOREIGN_TYPE, span, message);
            let declared = &self.psg.declared_types;
            let diagnostic = if matches!(unfit.kind, TypeKind::Declared(of, _) if declared[of].kind == DeclaredKind::Record)
            {
                diagnostic.note("a record with `mutable` fields, or that contains itself, is the address of a node")
            } else {
                diagnostic
            };
            self.report(why(diagnostic, &unfit, ty, &type_text(&self.psg, unfit.part)));
        }
    }

    /// The address of a function can only be that of an exported one.
    fn check_addresses(&mut self) {
        let mut wrong = Vec::new();
        let mut applied = Vec::new();
        for (_, node) in self.psg.nodes.iter() {
            let NodeKind::Apply { function, arguments } = &node.kind else { continue };
            if !is_address_of(&self.psg.nodes[*function].kind) {
                continue;
            }
            applied.push(*function);
            let argument = &self.psg.nodes[arguments[0]];
            let mut exports = self.psg.exports.iter();
            let exported = matches!(&argument.kind, NodeKind::Variable { variable, .. }
                if exports.any(|export| export.variable == *variable));
            if !exported {
                wrong.push((argument.span, matches!(argument.kind, NodeKind::Lambda(_))));
            }
        }
        let values = self.psg.nodes.iter().filter(|(id, node)| is_address_of(&node.kind) && !applied.contains(id));
        let values: Vec<Span> = values.map(|(_, node)| node.span).collect();
        for (span, lambda) in wrong {
            let message = "only a function marked `[<Export>]` has an address that other languages can call";
            let diagnostic = Diagnostic::error(codes::FUNCTION_ADDRESS, span, message);
            self.report(if lambda {
                diagnostic
                    .note("a closure is more than its code: whoever calls the code alone cannot give it its captures")
                    .help("export a function at module level, and pass what it needs through the context pointer that most C interfaces have")
            } else {
                diagnostic.help("name the exported function itself: `NativePtr.ofFunction f`")
            });
        }
        for span in values {
            let message = "`NativePtr.ofFunction` must be applied to the name of an exported function at once";
            self.report(Diagnostic::error(codes::FUNCTION_ADDRESS, span, message));
        }
    }
}

fn is_address_of(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Intrinsic(Intrinsic::FunctionAddress))
}

/// Says which part of a type does not cross, and what does instead.
fn why(diagnostic: Diagnostic, unfit: &Unfit, whole: Type, part: &str) -> Diagnostic {
    let diagnostic =
        if unfit.part == whole { diagnostic } else { diagnostic.note(format!("its part of type `{part}` cannot")) };
    diagnostic.help(match unfit.kind {
        TypeKind::String => {
            "pass `NativePtr.ofString text` and `String.length text`: a pointer to the bytes and their number"
        }
        TypeKind::Array(_) => "pass a pointer to the elements and their number",
        TypeKind::Function(..) => {
            "pass `NativePtr.ofFunction f`, of type `nativeptr<…>`, for a function `f` that is marked `[<Export>]`"
        }
        TypeKind::Reference(_) => "pass a pointer to memory of `NativePtr.stackalloc`",
        TypeKind::Declared(..) => "pass its parts: numbers, pointers, and records and tuples of them cross the border",
        TypeKind::Parameter(_) => "annotate the type: other languages know only particular types",
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Tuple(_)
        | TypeKind::NativePointer(_)
        | TypeKind::Slot(_)
        | TypeKind::Region => "numbers, `bool`, `char`, pointers, and records and tuples of them cross the border",
    })
}
