//! The types of operations and calls.

use super::FunctionVerifier;
use crate::{AllocationKind, Atom, Call, Callee, Convention, FunctionId, LocalId, MakeClosure, Move, Reuse, Rhs};
use clef_types::{IntegerType, Primitive, PrimitiveResult, Type, TypeKind};

impl FunctionVerifier<'_, '_> {
    /// Checks an operation with this result type; its operands are known to be bound.
    pub(super) fn operation(&mut self, rhs: &Rhs, result: Type) {
        match rhs {
            Rhs::Atom(atom) => self.atom_is(atom, result, "a copy"),
            Rhs::Primitive(primitive, atoms) => self.primitive(*primitive, atoms, result),
            Rhs::Intrinsic { intrinsic, arguments, .. } => {
                let (found, arity) = (arguments.len(), intrinsic.arity());
                self.require(found == arity, || format!("{} has {found} arguments, not {arity}", intrinsic.name()));
            }
            Rhs::Concatenate { parts, .. } => {
                self.require(parts.len() >= 2, || "a concatenation of fewer than two strings".into());
                let string = self.kind(TypeKind::String);
                self.atoms_are(parts, &vec![string; parts.len()], "the parts of a string");
                self.same(string, result, "a string");
            }
            Rhs::Call(call) => self.call(call, result),
            Rhs::Closure(closure) => self.closure(closure, result),
            Rhs::Arity(atom) => {
                let ty = self.constant(atom);
                let function = matches!(self.verifier.types.kind(ty), TypeKind::Function(..));
                self.require(function, || "arity of a value that is not a function".into());
                self.is_int(result);
            }
            Rhs::Tuple(atoms) => {
                let parts = atoms.iter().map(|atom| self.constant(atom)).collect();
                let tuple = self.kind(TypeKind::Tuple(parts));
                self.same(tuple, result, "a tuple");
            }
            Rhs::Component(atom, index) => {
                let ty = self.constant(atom);
                let kind = self.verifier.types.kind(ty);
                let part = if let TypeKind::Tuple(parts) = kind { parts.get(*index).copied() } else { None };
                self.part(part, result, "a component");
            }
            Rhs::Array { elements, .. } => {
                let of = if let TypeKind::Array(of) = self.verifier.types.kind(result) { Some(*of) } else { None };
                match of {
                    Some(of) => self.atoms_are(elements, &vec![of; elements.len()], "the elements of an array"),
                    None => self.require(false, || "an array has another type".into()),
                }
            }
            Rhs::Inject { ty, case, fields, allocation, reuse } => {
                let declared = self.verifier.program.declared.get(ty);
                let boxed = declared.is_some_and(|declared| declared.boxed) && !fields.is_empty();
                self.require(boxed == allocation.is_some(), || {
                    "a case is boxed but its type is not, or the reverse".into()
                });
                match declared.and_then(|declared| declared.cases.get(*case)) {
                    Some(declared) => self.atoms_are(fields, &declared.fields, "the fields of a case"),
                    None => self.require(false, || "unknown case".into()),
                }
                self.same(*ty, result, "a case");
                if let Some(Reuse { node, stays, .. }) = reuse {
                    let node = self.constant(node);
                    self.same(node, result, "a reused node");
                    self.require(boxed && stays.len() == fields.len(), || "a reused node has other fields".into());
                }
            }
            Rhs::Tag(atom) => {
                let ty = self.constant(atom);
                let declared = self.verifier.program.declared.contains_key(&ty);
                self.require(declared, || "tag of a value without tag".into());
                self.is_int(result);
            }
            Rhs::Field { value, case, field } => {
                let ty = self.constant(value);
                let declared = self.verifier.program.declared.get(&ty);
                let part = declared.and_then(|declared| declared.cases.get(*case)?.fields.get(*field)).copied();
                self.part(part, result, "a field");
            }
            Rhs::WriteField { value, case, field, content } => {
                let ty = self.constant(value);
                let declared = self.verifier.program.declared.get(&ty);
                let cases = declared.filter(|declared| declared.boxed).and_then(|declared| declared.cases.get(*case));
                let part = cases.filter(|case| case.mutable.contains(field)).map(|case| case.fields[*field]);
                let content = self.constant(content);
                self.part(part, content, "a mutable field");
                self.is_unit(result);
            }
            Rhs::Slot(atom) => {
                let ty = self.constant(atom);
                let slot = self.kind(TypeKind::Slot(ty));
                self.same(slot, result, "a slot");
            }
            Rhs::ReadSlot(slot) => {
                let slot = self.content(slot, |kind| matches!(kind, TypeKind::Slot(_)));
                self.part(slot, result, "the content of a slot");
            }
            Rhs::WriteSlot(slot, value) => {
                let slot = self.content(slot, |kind| matches!(kind, TypeKind::Slot(_)));
                let value = self.constant(value);
                self.part(slot, value, "the content of a slot");
                self.is_unit(result);
            }
            Rhs::MakeReference { value, .. } => {
                let ty = self.constant(value);
                let cell = self.kind(TypeKind::Reference(ty));
                self.same(cell, result, "a ref cell");
            }
            Rhs::ReadReference(cell) => {
                let content = self.content(cell, |kind| matches!(kind, TypeKind::Reference(_)));
                self.part(content, result, "the content of a ref cell");
            }
            Rhs::WriteReference(cell, value) => {
                let content = self.content(cell, |kind| matches!(kind, TypeKind::Reference(_)));
                let value = self.constant(value);
                self.part(content, value, "the content of a ref cell");
                self.is_unit(result);
            }
            Rhs::ReadGlobal(global) => {
                let ty = self.verifier.program.globals[*global].ty;
                self.same(ty, result, "a module-level value");
            }
            Rhs::WriteGlobal(global, value) => {
                let ty = self.verifier.program.globals[*global].ty;
                self.atom_is(value, ty, "a module-level value");
                self.is_unit(result);
            }
            Rhs::FunctionAddress(id) => {
                let callee = &self.verifier.program.functions[*id];
                let exported = matches!(callee.convention, Convention::Exported(_));
                self.require(exported, || format!("address of {}, which is not exported", callee.name));
            }
            Rhs::EnterRegion => self.is_region(result),
            Rhs::LeaveRegion(region) => {
                let ty = self.constant(region);
                self.is_region(ty);
                self.is_unit(result);
            }
            Rhs::PopClosure(region) => {
                let ty = self.constant(region);
                self.is_region(ty);
                self.is_unit(result);
                let is_closure = matches!(self.function.convention, Convention::Closure { .. });
                self.require(is_closure, || "a closure is popped outside of its code".to_owned());
            }
            Rhs::Evacuate { moves, roots, .. } => {
                for Move { from, to } in moves {
                    for handle in std::iter::once(from).chain(to) {
                        let ty = self.constant(handle);
                        self.is_region(ty);
                    }
                }
                let types = roots.iter().map(|root| self.constant(root)).collect();
                let tuple = self.kind(TypeKind::Tuple(types));
                self.same(tuple, result, "what is reachable from the roots");
            }
            Rhs::Foreign { .. } | Rhs::Scope(_) | Rhs::While { .. } => {}
        }
    }

    fn kind(&mut self, kind: TypeKind) -> Type {
        self.verifier.types.intern(kind)
    }

    fn is_int(&mut self, ty: Type) {
        let int = self.kind(TypeKind::Integer(IntegerType::Int));
        self.same(int, ty, "an int");
    }

    fn is_unit(&mut self, ty: Type) {
        let unit = self.kind(TypeKind::Unit);
        self.same(unit, ty, "unit");
    }

    fn is_region(&mut self, ty: Type) {
        let region = self.kind(TypeKind::Region);
        self.same(region, ty, "the handle of a region");
    }

    fn part(&mut self, part: Option<Type>, expected: Type, what: &str) {
        match part {
            Some(part) => self.same(part, expected, what),
            None => self.require(false, || format!("{what} does not exist")),
        }
    }

    fn content(&self, atom: &Atom, fits: impl Fn(&TypeKind) -> bool) -> Option<Type> {
        let kind = self.verifier.types.kind(self.constant(atom));
        let (TypeKind::Slot(content) | TypeKind::Reference(content)) = kind else { return None };
        fits(kind).then_some(*content)
    }

    fn primitive(&mut self, primitive: Primitive, atoms: &[Atom], result: Type) {
        use Primitive::*;
        let (found, arity) = (atoms.len(), primitive.arity());
        self.require(found == arity, || format!("{primitive:?} has {found} operands, not {arity}"));
        let types: Vec<_> = atoms.iter().map(|atom| self.constant(atom)).collect();
        let Some(&first) = types.first() else { return };
        let scalar = match self.verifier.types.kind(first) {
            TypeKind::Bool | TypeKind::Char | TypeKind::Integer(_) | TypeKind::Float32 | TypeKind::Float64 => true,
            TypeKind::String => {
                matches!(primitive, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | Compare)
            }
            TypeKind::Unit
            | TypeKind::Function(..)
            | TypeKind::Tuple(_)
            | TypeKind::Reference(_)
            | TypeKind::Array(_)
            | TypeKind::NativePointer(_)
            | TypeKind::Declared(..)
            | TypeKind::Enum(..)
            | TypeKind::Parameter(_)
            | TypeKind::Slot(_)
            | TypeKind::Region => false,
        };
        self.require(scalar, || format!("{primitive:?} on a type that is not primitive"));
        if !matches!(primitive, ShiftLeft | ShiftRight) {
            types.iter().for_each(|ty| self.same(*ty, first, "an operand"));
        }
        match primitive.properties().result {
            PrimitiveResult::Operand => self.same(first, result, "the result of an operation"),
            PrimitiveResult::Bool => {
                let bool = self.kind(TypeKind::Bool);
                self.same(bool, result, "the result of an operation");
            }
            PrimitiveResult::Int => self.is_int(result),
            PrimitiveResult::Any => {}
            PrimitiveResult::Replaced => self.require(false, || format!("{primitive:?} should have been lowered")),
        }
    }

    /// The type that a closure of a function has.
    pub(super) fn function_type(&mut self, id: FunctionId) -> Type {
        let function = &self.verifier.program.functions[id];
        let params = function.params[function.leading_captures..].iter().rev();
        params.fold(function.result, |result, param| {
            self.verifier.types.intern(TypeKind::Function(function.locals[*param].ty, result))
        })
    }

    /// Checks the creation of a closure; its captures are known to be bound.
    pub(super) fn closure(&mut self, closure: &MakeClosure, result: Type) {
        let callee = &self.verifier.program.functions[closure.function];
        let Convention::Closure { captures, .. } = &callee.convention else {
            return self.require(false, || format!("a closure of {}, which is not a closure", callee.name));
        };
        self.require(!captures.is_empty(), || format!("the closure {} captures nothing", callee.name));
        let capture_type = |capture: &LocalId| callee.capture_type(&self.verifier.types, *capture);
        let types: Vec<_> = captures.iter().map(capture_type).collect();
        self.atoms_are(&closure.captures, &types, "the captures of a closure");
        let ty = self.function_type(closure.function);
        self.same(ty, result, "a closure");
        let kind = self.verifier.program.allocations[closure.allocation].kind;
        self.require(kind == AllocationKind::Closure(closure.function), || {
            "a closure's allocation is of another".into()
        });
    }

    /// Checks a call; its operands are known to be bound.
    pub(super) fn call(&mut self, call: &Call, result: Type) {
        let program = self.verifier.program;
        let (params, result_type) = match &call.callee {
            Callee::Known(id) | Callee::Direct(id, _) => {
                let callee = &program.functions[*id];
                let known = matches!(call.callee, Callee::Known(_));
                let fits = known == (callee.convention == Convention::Known);
                self.require(fits, || format!("{} is called with another convention than its own", callee.name));
                if let Callee::Direct(_, closure) = &call.callee {
                    let ty = self.function_type(*id);
                    self.atom_is(closure, ty, "a closure that is called");
                }
                (callee.params.iter().map(|param| callee.locals[*param].ty).collect(), callee.result)
            }
            Callee::Closure(closure) => {
                let ty = self.constant(closure);
                match self.verifier.types.uncurry(ty, call.arguments.len()) {
                    Some(uncurried) => uncurried,
                    None => return self.require(false, || "a call has more arguments than its callee's type".into()),
                }
            }
        };
        self.atoms_are(&call.arguments, &params, "the arguments of a call");
        call.regions.iter().for_each(|region| {
            let ty = self.constant(region);
            self.is_region(ty);
        });
        if let Callee::Known(id) | Callee::Direct(id, _) = call.callee {
            let (found, wanted) = (call.regions.len(), program.functions[id].regions.len());
            self.require(found == wanted, || format!("{found} handles, expected {wanted}"));
        }
        self.same(result_type, result, "the result of a call");
    }
}
