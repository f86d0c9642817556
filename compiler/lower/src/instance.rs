//! Specialisation: one instance of each function per choice of types.
//!
//! In: a request for a function at some types. Out: its [`FunctionId`]; a new one is queued, so that recursion finds it. An
//! instance depends on the types of all type parameters in scope at its binding, not on the requester.

use super::{Lowering, partial::Target, usage::FunctionBinding};
use clef_base::{Diagnostic, HashMap, Span, codes, internal};
use clef_core::{FunctionId, GlobalId};
use clef_psg::VariableId;
use clef_types::{Intrinsic, Type, TypeKind, TypeParameterId, Types};
use std::{cell::RefCell, rc::Rc};

/// The origin of an instance.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// A named function, called directly.
    Known(VariableId, Vec<Type>),
    /// A named function as a closure.
    Closure(VariableId, Vec<Type>),
    /// A generalised module-level value.
    Template(VariableId, Vec<Type>),
    /// A target with this number of arguments, waiting for the others; one per place if its traps report a place.
    Partial(Target, usize, Option<Span>),
    /// Structural comparison.
    Comparison(super::equality::Comparison, Type),
    /// Structural comparison of the elements of arrays of this type.
    ElementComparison(super::equality::Comparison, Type),
    /// The hash of a value of a type, or of the elements of an array from an index on.
    Hash(Type, bool),
    /// `%A`.
    Show(super::show::Part, Type),
    /// The name of an enum value.
    EnumName(Type),
    /// Sends the name of a value to the log.
    LogName(Type),
    /// Writes the result of a formatting intrinsic to a target, perhaps padded: one per intrinsic, so that its buffer is in a
    /// frame of its own.
    Writer { intrinsic: Intrinsic, padded: bool },
    /// A call of a function of this type with this number of arguments.
    Apply(Type, usize),
}

/// What variables of the graph have become, at the types of their uses.
#[derive(Default)]
pub(super) struct Instances {
    /// The functions declared so far. A function is here before its body is lowered, so that recursion finds it.
    functions: HashMap<Key, FunctionId>,
    /// The number of instances of each variable.
    counts: HashMap<VariableId, usize>,
    /// The C entry points of exported functions.
    exports: HashMap<VariableId, FunctionId>,
    /// The globals of module-level variables.
    globals: HashMap<VariableId, GlobalId>,
}

impl Instances {
    /// The function of an origin, if it is declared.
    pub(super) fn get(&self, key: &Key) -> Option<FunctionId> {
        self.functions.get(key).copied()
    }

    /// Records a declared function.
    pub(super) fn insert(&mut self, key: Key, function: FunctionId) {
        self.functions.insert(key, function);
    }

    /// Counts another instance of a variable; returns how many there are.
    fn count(&mut self, variable: VariableId) -> usize {
        let count = self.counts.entry(variable).or_insert(0);
        *count += 1;
        *count
    }

    /// The C entry point of an exported function.
    pub(super) fn exported(&self, variable: VariableId) -> Option<FunctionId> {
        self.exports.get(&variable).copied()
    }

    /// Records the C entry point of an exported function.
    pub(super) fn export(&mut self, variable: VariableId, function: FunctionId) {
        self.exports.insert(variable, function);
    }

    /// The global of a module-level variable, if it is declared.
    pub(super) fn global(&self, variable: VariableId) -> Option<GlobalId> {
        self.globals.get(&variable).copied()
    }

    /// Records the global of a module-level variable.
    pub(super) fn insert_global(&mut self, variable: VariableId, global: GlobalId) {
        self.globals.insert(variable, global);
    }
}

/// A choice of types for type parameters.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    map: HashMap<TypeParameterId, Type>,
    known: RefCell<HashMap<Type, Type>>,
}

impl Substitution {
    /// Pairs parameters with types.
    pub(super) fn new(parameters: &[TypeParameterId], arguments: &[Type]) -> Rc<Substitution> {
        let map = parameters.iter().copied().zip(arguments.iter().copied()).collect();
        Rc::new(Substitution { map, known: RefCell::default() })
    }

    /// The type of a parameter; `unit` if no use determines it, since then no value of it exists.
    pub(super) fn parameter(&self, types: &mut Types, parameter: TypeParameterId) -> Type {
        self.map.get(&parameter).copied().unwrap_or_else(|| types.intern(TypeKind::Unit))
    }

    /// Whether a parameter is instantiated with `string`.
    pub(super) fn is_string(&self, types: &Types, parameter: TypeParameterId) -> bool {
        self.map.get(&parameter).is_some_and(|ty| *types.kind(*ty) == TypeKind::String)
    }

    /// Substitutes the parameters of a type.
    pub(super) fn apply(&self, types: &mut Types, ty: Type) -> Type {
        if let Some(&known) = self.known.borrow().get(&ty) {
            return known;
        }
        let replace =
            types.parameters(ty).into_iter().map(|parameter| (parameter, self.parameter(types, parameter))).collect();
        let replaced = types.substitute(ty, &replace);
        self.known.borrow_mut().insert(ty, replaced);
        replaced
    }
}

/// The maximum number of instances of one function; only infinite specialisation exceeds it.
const MAX_INSTANCES: usize = 4096;
/// The maximum number of parts of a type that a function is specialised for.
const LARGEST_TYPE: usize = 4096;

impl Lowering<'_> {
    /// The binding of a named function.
    pub(super) fn function_binding(&self, variable: VariableId) -> &FunctionBinding {
        match self.usage.functions.get(&variable) {
            Some(binding) => binding,
            None => internal::bug("lower", self.psg.variables[variable].span, "a function without a binding"),
        }
    }

    /// The types for all parameters of a binding; those for its own `generics` come from the use.
    pub(super) fn arguments(
        &mut self,
        variable: VariableId,
        generics: &[TypeParameterId],
        outer: &Substitution,
        instantiation: &[Type],
    ) -> Vec<Type> {
        let own = &self.psg.variables[variable].generics;
        let enclosing = generics.len() - own.len();
        let mut arguments: Vec<_> =
            generics[..enclosing].iter().map(|parameter| outer.parameter(&mut self.types, *parameter)).collect();
        for (index, parameter) in own.iter().enumerate() {
            arguments.push(match instantiation.get(index) {
                Some(ty) => outer.apply(&mut self.types, *ty),
                // A use within the binding itself is at the binding's own parameters.
                None => outer.parameter(&mut self.types, *parameter),
            });
        }
        arguments
    }

    /// Counts a new instance, and reports infinite specialisation.
    pub(super) fn count_instance(&mut self, variable: VariableId, arguments: &[Type], span: Span) {
        let count = self.instances.count(variable);
        let large = arguments.iter().any(|ty| !smaller_than(&self.types, *ty, &mut { LARGEST_TYPE }));
        if count > MAX_INSTANCES || large {
            let data = &self.psg.variables[variable];
            let message = match large {
                true => format!("`{}` is instantiated at a type of more than {LARGEST_TYPE} parts", data.name),
                false => format!("`{}` is instantiated at more than {MAX_INSTANCES} types", data.name),
            };
            let diagnostic = Diagnostic::error(codes::TOO_MANY_INSTANCES, span, message)
                .label("instantiated here")
                .also(data.span, "bound here")
                .note("a generic function is compiled once for each type at which it is used")
                .help("use a declared type, whose size does not grow with each use");
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Whether a type has at most `budget` parts; consumes the budget.
fn smaller_than(types: &Types, ty: Type, budget: &mut usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match types.kind(ty) {
        TypeKind::Function(argument, result) => {
            smaller_than(types, *argument, budget) && smaller_than(types, *result, budget)
        }
        TypeKind::Tuple(parts) | TypeKind::Declared(_, parts) => {
            parts.iter().all(|part| smaller_than(types, *part, budget))
        }
        TypeKind::Reference(of) | TypeKind::Array(of) | TypeKind::NativePointer(of) | TypeKind::Slot(of) => {
            smaller_than(types, *of, budget)
        }
        TypeKind::Unit
        | TypeKind::Bool
        | TypeKind::Char
        | TypeKind::String
        | TypeKind::Integer(_)
        | TypeKind::Enum(..)
        | TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Region
        | TypeKind::Parameter(_) => true,
    }
}
