//! The FFI boundary, and memory that the source manages itself.

use super::{
    Lowering,
    body::{Body, Outcome, Position},
    function::Signature,
    instance::Substitution,
};
use clef_base::{Span, Symbol, internal};
use clef_core::{AllocationKind, Atom, Call, Callee, Convention, FunctionId, Inlining, Local, Rhs};
use clef_psg::{Export, NodeId, NodeKind, plain::Plain};
use clef_types::{Intrinsic, Type, TypeKind, console_symbol::is_of_console};
use la_arena::Arena;

impl Lowering<'_> {
    /// Creates, for each exported function, a function of the C calling convention that calls it.
    pub(super) fn exports(&mut self) {
        let psg = self.psg;
        for export in &psg.exports {
            let id = self.exported(export);
            self.instances.export(export.variable, id);
        }
    }

    fn exported(&mut self, export: &Export) -> FunctionId {
        let none = Substitution::new(&[], &[]);
        let known = self.known(export.variable, &none, &[], export.span);
        let callee = &self.core.functions[known];
        let result = callee.result;
        let mut locals = Arena::new();
        let copy = |local| locals.alloc(Local { ..callee.locals[local] });
        let params: Vec<_> = callee.params.iter().copied().map(copy).collect();
        let arguments = params.iter().copied().map(Atom::Local).collect();
        let id = self.declare(Signature {
            name: Symbol::new(&format!("export {}", export.symbol)),
            convention: Convention::Exported(export.symbol),
            params,
            leading_captures: 0,
            result,
            locals,
            // The bound of the stack finds the console by its symbol.
            inlining: if is_of_console(export.symbol) { Inlining::Never } else { Inlining::Free },
            span: export.span,
        });
        let mut body = Body::new(self, id, none);
        let outcome = Outcome::Call(Call::new(Callee::Known(known), arguments));
        let end = body.end_with(outcome, result, export.span, Position::Scope);
        body.finish(end);
        id
    }

    /// A type as plain data; the checker rejects all others.
    fn plain(&mut self, ty: Type, span: Span) -> Plain {
        match Plain::of(self.psg, &mut self.types, ty, self.facts) {
            Ok(plain) => plain,
            Err(_) => internal::bug("lower", span, format!("`{}` is not plain data", self.type_name(ty))),
        }
    }

    /// The pointee type of a pointer.
    fn pointee(&self, pointer: Type, span: Span) -> Type {
        let TypeKind::NativePointer(of) = self.types.kind(pointer) else {
            internal::bug("lower", span, "a pointer operation on a value that is not a pointer")
        };
        *of
    }
}

impl Body<'_, '_> {
    /// The address of an exported function.
    pub(super) fn function_address(&mut self, argument: NodeId, result: Type, span: Span) -> Atom {
        let NodeKind::Variable { variable, .. } = &self.psg.nodes[argument].kind else {
            internal::bug("lower", span, "address of an expression")
        };
        match self.lowering.instances.exported(*variable) {
            Some(id) => self.bind(Rhs::FunctionAddress(id), result, span),
            None => internal::bug("lower", span, "address of a function that is not exported"),
        }
    }

    /// Memory for `n` values.
    pub(super) fn stack_allocate(&mut self, arguments: Vec<Atom>, result: Type, span: Span) -> Atom {
        let element = self.lowering.pointee(result, span);
        let plain = self.lowering.plain(element, span);
        let kind = AllocationKind::Memory(plain.extent());
        let allocation = Some(self.allocation(kind, span));
        self.bind(Rhs::Intrinsic { intrinsic: Intrinsic::StackAllocate, arguments, allocation }, result, span)
    }

    /// The size of a pointee in bytes.
    pub(super) fn size_of(&mut self, pointer: &Atom, span: Span) -> Atom {
        let pointer = self.type_of(pointer);
        let element = self.lowering.pointee(pointer, span);
        let size = self.lowering.plain(element, span).extent().size;
        self.integer(i128::from(size.0))
    }
}
