//! The types of type parameters while generic code runs.
//!
//! Few operations depend on types that no value carries: conversions, zeros and `sizeof`. So a function value of generic code
//! carries the types of the type parameters in scope, which are those of its creation and, for its own parameters, those of
//! its use. A generalised value that is no function is evaluated at each use. A type is not substituted, but paired with the
//! types of its parameters, so that running code makes no new types.

use super::value::{Callable, Function, Value};
use clef_base::HashMap;
use clef_psg::{Psg, VariableId};
use clef_types::{Type, TypeKind, TypeParameterId, Types};
use std::rc::Rc;

/// The types of the type parameters in scope; `None` outside of generic code.
pub(super) type Instantiation = Option<Rc<[(TypeParameterId, Instance)]>>;

/// A type, and the types of its type parameters.
#[derive(Clone)]
pub(super) struct Instance {
    pub(super) ty: Type,
    pub(super) scope: Instantiation,
}

/// The type of a parameter.
fn lookup(scope: &Instantiation, parameter: TypeParameterId) -> Option<&Instance> {
    scope.as_deref()?.iter().find(|(name, _)| *name == parameter).map(|(_, instance)| instance)
}

impl Instance {
    /// A type in a scope. If it is a type parameter, the type of that; a parameter without a type remains.
    pub(super) fn new(types: &Types, ty: Type, scope: &Instantiation) -> Instance {
        match types.kind(ty) {
            TypeKind::Parameter(parameter) if let Some(instance) = lookup(scope, *parameter) => instance.clone(),
            _ if types.parameters(ty).is_empty() => Instance { ty, scope: None },
            _ => Instance { ty, scope: scope.clone() },
        }
    }

    /// The type, substituted.
    pub(super) fn closed(&self, types: &mut Types) -> Type {
        let replace: HashMap<_, _> = self.scope.iter().flat_map(|scope| scope.iter()).cloned().collect();
        let replace = replace.into_iter().map(|(parameter, instance)| (parameter, instance.closed(types))).collect();
        types.substitute(self.ty, &replace)
    }
}

/// The types of a variable's own type parameters at a use. A use within the binding of the variable names none: there the
/// parameters keep their types.
pub(super) fn arguments(
    psg: &Psg,
    variable: VariableId,
    types: &[Type],
    scope: &Instantiation,
) -> Vec<(TypeParameterId, Instance)> {
    let own = psg.variables[variable].generics.iter().enumerate();
    let instance = |(index, parameter): (usize, &TypeParameterId)| {
        let instance = match types.get(index) {
            Some(ty) => Instance::new(&psg.types, *ty, scope),
            None => lookup(scope, *parameter)?.clone(),
        };
        Some((*parameter, instance))
    };
    own.filter_map(instance).collect()
}

/// A scope with further types, which hide others of the same parameters.
pub(super) fn extended(scope: &Instantiation, own: &[(TypeParameterId, Instance)]) -> Instantiation {
    let outer = scope.iter().flat_map(|scope| scope.iter());
    let outer = outer.filter(|(parameter, _)| !own.iter().any(|(name, _)| name == parameter));
    Some(own.iter().chain(outer).cloned().collect())
}

/// A function with the types of its own type parameters; other values are unchanged.
pub(super) fn instantiate(value: Value, own: &[(TypeParameterId, Instance)]) -> Value {
    match &value {
        Value::Function(function) if !own.is_empty() => Value::Function(Rc::new(function_at(function, own))),
        _ => value,
    }
}

fn function_at(function: &Function, own: &[(TypeParameterId, Instance)]) -> Function {
    let callable = match &function.callable {
        Callable::Closure(lambda, captures, scope) => {
            Callable::Closure(*lambda, captures.clone(), extended(scope, own))
        }
        Callable::Member(lambda, group, scope) => Callable::Member(*lambda, group.clone(), extended(scope, own)),
        Callable::Placed(inner, span) => Callable::Placed(Rc::new(function_at(inner, own)), *span),
        Callable::Operation { .. } | Callable::Case(_) => function.callable.clone(),
    };
    Function { callable, applied: function.applied.clone() }
}
