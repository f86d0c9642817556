//! Queries about functions and programs, and how calls are created.

use super::{Atom, Call, Callee, Convention, Function, FunctionId, LocalId, Program, Rhs};
use clef_base::{Span, Symbol};
use clef_types::{Intrinsic, Type, TypeKind, Types};

impl Call {
    /// A call before its regions are known.
    pub fn new(callee: Callee, arguments: Vec<Atom>) -> Call {
        Call { callee, arguments, regions: Vec::new() }
    }

    /// The function that is called, if it is known by name.
    pub fn known_callee(&self) -> Option<FunctionId> {
        match self.callee {
            Callee::Known(function) | Callee::Direct(function, _) => Some(function),
            Callee::Closure(_) => None,
        }
    }
}

impl Convention {
    /// The interrupt that a function of this convention handles.
    pub fn interrupt(&self) -> Option<Symbol> {
        match self {
            Convention::Exported(symbol) => clef_types::interrupt_symbol::interrupt(*symbol),
            Convention::Known | Convention::Closure { .. } => None,
        }
    }
}

impl Program {
    /// Whether the program asks for the time, or waits.
    pub fn tells_time(&self) -> bool {
        self.performs(&[Intrinsic::TimeNow, Intrinsic::TimeWait, Intrinsic::TimeIdle])
    }

    /// Whether the time since the start is needed. It is not if the program only waits, in one place at a time: neither
    /// interrupt handlers nor other languages call its functions.
    pub fn needs_clock(&self) -> bool {
        let is_exported = |function: &Function| match function.convention {
            Convention::Exported(symbol) => !clef_types::console_symbol::is_of_console(symbol),
            Convention::Known | Convention::Closure { .. } => false,
        };
        self.performs(&[Intrinsic::TimeNow, Intrinsic::TimeIdle]) || self.functions.values().any(is_exported)
    }

    /// Whether the program takes addresses of elements of arrays.
    pub fn has_pointers_to_arrays(&self) -> bool {
        self.performs(&[Intrinsic::ArrayPointer])
    }

    /// Whether addresses become numbers, so that devices may access the memory there.
    pub fn reveals_addresses(&self) -> bool {
        self.performs(&[Intrinsic::PointerAddress])
    }

    /// Whether the program uses its arguments.
    pub fn reads_arguments(&self) -> bool {
        self.performs(&[Intrinsic::ArgumentCount, Intrinsic::Argument])
    }

    /// Whether the program handles interrupts, or uses the controller of them.
    pub fn uses_interrupts(&self) -> bool {
        let mut found = self.functions.values().any(|function| function.convention.interrupt().is_some());
        for function in self.functions.values() {
            function.body.each_statement(&mut |statement| {
                if let Some(Rhs::Foreign { symbol, .. }) = statement.rhs() {
                    found |= clef_types::interrupt_symbol::is_of_controller(*symbol);
                }
            });
        }
        found
    }

    fn performs(&self, wanted: &[Intrinsic]) -> bool {
        let mut found = false;
        for function in self.functions.values() {
            function.body.each_statement(&mut |statement| {
                if let Some(Rhs::Intrinsic { intrinsic, .. }) = statement.rhs() {
                    found |= wanted.contains(intrinsic);
                }
            });
        }
        found
    }

    /// A place where the program logs, if any.
    pub fn logs(&self) -> Option<Span> {
        let mut found = None;
        for function in self.functions.values() {
            function.body.each_statement(&mut |statement| {
                if matches!(statement.rhs(), Some(Rhs::Intrinsic { intrinsic: Intrinsic::LogBegin, .. })) {
                    found = found.or(Some(statement.place.span));
                }
            });
        }
        found
    }
}

impl Function {
    /// The locals that hold a closure's captures; none for a known function.
    pub fn captures(&self) -> &[LocalId] {
        match &self.convention {
            Convention::Known | Convention::Exported(_) => &[],
            Convention::Closure { captures, .. } => captures,
        }
    }

    /// The captures that are cells within the closure; none for a known function.
    pub fn owned(&self) -> &[LocalId] {
        match &self.convention {
            Convention::Known | Convention::Exported(_) => &[],
            Convention::Closure { owned, .. } => owned,
        }
    }

    /// The type of what a closure is created with for a capture: for a cell that it owns, the type of the content.
    pub fn capture_type(&self, types: &Types, capture: LocalId) -> Type {
        let ty = self.locals[capture].ty;
        if let TypeKind::Reference(content) = types.kind(ty)
            && self.owned().contains(&capture)
        {
            return *content;
        }
        ty
    }

    /// The local that holds the closure itself.
    pub fn itself(&self) -> Option<LocalId> {
        match &self.convention {
            Convention::Known | Convention::Exported(_) => None,
            Convention::Closure { itself, .. } => *itself,
        }
    }

    /// The type that a closure of the function has: from its explicit parameters to its result.
    pub fn closure_type(&self, types: &mut Types) -> Type {
        let params = self.params[self.leading_captures..].iter().rev();
        params.fold(self.result, |result, param| types.intern(TypeKind::Function(self.locals[*param].ty, result)))
    }
}
