//! The FFI boundary: the types of imported and exported functions.
//!
//! In: the graph with its imports and exports. Out: errors for
//!
//! - handlers and exported functions of an invalid form;
//! - types without a foreign representation;
//! - symbols declared twice;
//! - addresses of functions that are not exported.

use clef_base::{Diagnostic, HashMap, Span, Symbol, codes};
use clef_psg::{
    NodeKind, Psg, VariableId,
    plain::{Unsuitable, fits_ffi_boundary},
    print::types::type_text,
};
use clef_types::{DeclaredKind, DeclaredTypeId, Intrinsic, Type, TypeKind, interrupt_symbol};

/// Checks everything that crosses the boundary.
pub fn check(psg: &mut Psg) -> Vec<Diagnostic> {
    let mut boundary = Boundary { psg, diagnostics: Vec::new() };
    boundary.check_exports();
    boundary.check_signatures();
    boundary.check_addresses();
    boundary.diagnostics
}

struct Boundary<'a> {
    psg: &'a mut Psg,
    diagnostics: Vec<Diagnostic>,
}

impl Boundary<'_> {
    fn check_exports(&mut self) {
        for export in self.psg.exports.clone() {
            let data = &self.psg.variables[export.variable];
            let (name, span) = (data.name, data.span);
            let refusal = if let Some(number) = interrupt_symbol::interrupt(export.symbol) {
                self.is_no_handler(export.variable).then(|| {
                    (
                        format!("the handler `{name}` of the interrupt {number} must have type `unit -> unit`"),
                        format!("write `let {name} () : unit = …`"),
                    )
                })
            } else if data.arity.is_none() {
                Some((
                    format!("the exported `{name}` is not a function with parameters"),
                    "add its parameters: `let f (a: int32) = …`".to_owned(),
                ))
            } else if !data.generics.is_empty() {
                Some((
                    format!("the exported `{name}` has a generic type"),
                    "annotate its parameters: other languages require concrete types".to_owned(),
                ))
            } else {
                None
            };
            if let Some((message, help)) = refusal {
                self.diagnostics.push(Diagnostic::error(codes::FOREIGN_FORM, span, message).help(help));
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

    /// Checks the types of parameters and results, and reports duplicate symbols.
    fn check_signatures(&mut self) {
        let imports = self.psg.imports.iter().map(|import| (import.variable, import.symbol, import.span, true));
        let exports = self.psg.exports.iter().map(|export| (export.variable, export.symbol, export.span, false));
        let all: Vec<(VariableId, Symbol, Span, bool)> = imports.chain(exports).collect();
        let mut seen: HashMap<Symbol, (Type, Span, bool)> = HashMap::default();
        for (variable, symbol, span, import) in all {
            let data = &self.psg.variables[variable];
            let (ty, arity) = (data.ty, data.arity.unwrap_or_default());
            match seen.get(&symbol) {
                Some((other, _, true)) if import && *other == ty => {}
                Some((_, first, _)) => {
                    let message = match interrupt_symbol::interrupt(symbol) {
                        Some(number) => format!("the interrupt {number} has two handlers"),
                        None => format!("conflicting declarations of the symbol `{symbol}`"),
                    };
                    self.diagnostics
                        .push(Diagnostic::error(codes::BAD_SYMBOL, span, message).also(*first, "first declared here"));
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
            let Err(unsuitable) = fits_ffi_boundary(self.psg, ty) else { continue };
            let shown = type_text(self.psg, ty);
            let message = format!("the type `{shown}` cannot cross the FFI boundary");
            let diagnostic = Diagnostic::error(codes::FOREIGN_TYPE, span, message);
            let declared = &self.psg.declared_types;
            let is_record = |of: DeclaredTypeId| declared[of].kind == DeclaredKind::Record;
            let diagnostic = match matches!(unsuitable.kind, TypeKind::Declared(of, _) if is_record(of)) {
                true => diagnostic
                    .note("a record that is recursive or has `mutable` fields is represented by the address of a node"),
                false => diagnostic,
            };
            self.diagnostics.push(why(diagnostic, &unsuitable, ty, &type_text(self.psg, unsuitable.part)));
        }
    }

    /// Checks that only addresses of exported functions are taken.
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
            let message = "only an `[<Export>]` function has an address that other languages can call";
            let diagnostic = Diagnostic::error(codes::FUNCTION_ADDRESS, span, message);
            self.diagnostics.push(if lambda {
                diagnostic.note("a closure needs its captures, which a foreign caller cannot pass").help(
                    "export a module-level function, and pass its data through the context pointer that most C \
                           APIs have",
                )
            } else {
                diagnostic.help("pass the exported function directly: `NativePtr.ofFunction f`")
            });
        }
        for span in values {
            let message = "`NativePtr.ofFunction` must be applied directly to the name of an exported function";
            self.diagnostics.push(Diagnostic::error(codes::FUNCTION_ADDRESS, span, message));
        }
    }
}

fn is_address_of(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Intrinsic(Intrinsic::FunctionAddress))
}

/// Explains which part of a type cannot cross, and the alternative.
fn why(diagnostic: Diagnostic, unsuitable: &Unsuitable, whole: Type, part: &str) -> Diagnostic {
    let diagnostic = if unsuitable.part == whole {
        diagnostic
    } else {
        diagnostic.note(format!("because of its part of type `{part}`"))
    };
    diagnostic.help(match unsuitable.kind {
        TypeKind::String => "pass a pointer and a length: `NativePtr.ofString text` and `String.length text`",
        TypeKind::Array(_) => "pass a pointer to the elements and a length",
        TypeKind::Function(..) => {
            "pass `NativePtr.ofFunction f`, of type `nativeptr<…>`, where `f` is an `[<Export>]` function"
        }
        TypeKind::Reference(_) => "pass a pointer to memory allocated by `NativePtr.stackalloc`",
        TypeKind::Declared(..) => {
            "pass its parts: numbers, pointers, and records and tuples of them can cross the FFI boundary"
        }
        TypeKind::Parameter(_) => "annotate the type: other languages require concrete types",
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
        | TypeKind::Region => {
            "numbers, `bool`, `char`, pointers, and records and tuples of them can cross the FFI boundary"
        }
    })
}
