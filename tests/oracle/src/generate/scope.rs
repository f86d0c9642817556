//! Names in scope, and the ways to get from one of them to a given type.

use super::Generator;
use crate::types::{Type, function, is_data, is_recursive};

/// The type variables of functions of the library; functions of programs have fewer.
pub(super) const LIBRARY_GENERICS: usize = 3;

/// A name in scope.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// The number of type variables in which its type is generic.
    pub(super) generics: usize,
    /// Whether these are restricted to numbers.
    pub(super) numeric: bool,
    /// Whether they are restricted to types whose values can be compared.
    pub(super) data_only: bool,
    /// The parameters of a known function; none for other values.
    pub(super) parameters: Vec<Type>,
    /// For each parameter, whether it is only called.
    pub(super) only_called: Vec<bool>,
    /// The type of the result, or of the value.
    pub(super) result: Type,
    /// The steps of a call.
    pub(super) cost: u32,
    pub(super) nature: Nature,
    pub(super) recursion: Recursion,
    /// The length of an array, if known: a power of two.
    pub(super) items: Option<usize>,
}

/// How a name may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nature {
    /// In every way.
    Value,
    /// A local mutable variable: not by closures that may outlive it.
    Slot,
    /// A mutable variable of the module.
    ModuleSlot,
    /// A function that is only called, since it may capture slots.
    OnlyCalled,
}

/// Whether a function is recursive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recursion {
    /// It is not.
    None,
    /// Its first parameter counts down, and starts with at most this number.
    AtMost(usize),
    /// Its body is being made: it may be called with one less than this parameter.
    Within,
}

/// A way to use a name.
#[derive(Clone, Debug)]
pub(super) struct Use {
    /// The index in the scope.
    pub(super) variable: usize,
    /// The number of arguments.
    pub(super) arguments: usize,
    /// The bindings of its type variables, as far as the given type determines them.
    pub(super) generics: Vec<Option<Type>>,
}

impl Variable {
    /// A value.
    pub(super) fn value(name: &str, ty: Type, nature: Nature) -> Variable {
        Variable {
            name: name.to_owned(),
            generics: 0,
            numeric: false,
            data_only: false,
            parameters: Vec::new(),
            only_called: Vec::new(),
            result: ty,
            cost: 0,
            nature,
            recursion: Recursion::None,
            items: None,
        }
    }

    /// Whether it is a function of the library, or of every batch's prelude.
    pub(super) fn is_of_library(&self) -> bool {
        self.generics == LIBRARY_GENERICS
    }

    /// The type, generic or not.
    pub(super) fn ty(&self) -> Type {
        function(&self.parameters, self.result.clone())
    }
}

/// The step limit of a call of a function of unknown body: given by its type.
pub(super) fn unknown_cost(ty: &Type) -> u32 {
    40 << (2 * ty.order().saturating_sub(1).min(3))
}

/// Whether inline arithmetic is defined for the types of type variables.
fn all_numbers(generics: &[Option<Type>]) -> bool {
    generics.iter().flatten().all(|ty| matches!(ty, Type::Integer(_) | Type::Float | Type::Single))
}

impl Generator {
    /// Whether a name is visible to the code that is being made.
    pub(super) fn in_sight(&self, place: usize) -> bool {
        match self.scope[place].nature {
            Nature::Value | Nature::ModuleSlot => true,
            Nature::Slot | Nature::OnlyCalled => place >= self.barrier,
        }
    }

    /// The ways to get to a type, with a number of arguments in this range.
    pub(super) fn uses(&self, wanted: &Type, arguments: std::ops::RangeInclusive<usize>) -> Vec<Use> {
        let mut uses = Vec::new();
        for place in (0..self.scope.len()).filter(|&place| self.in_sight(place)) {
            let variable = &self.scope[place];
            let (parameters, last) = variable.ty().spine();
            for count in 0..=parameters.len() {
                if !arguments.contains(&count) || !self.may_take(variable, count, parameters.len()) {
                    continue;
                }
                let result = function(&parameters[count..], last.clone());
                let mut generics = vec![None; variable.generics];
                let fits = result.fits(wanted, &mut generics)
                    && (!variable.numeric || all_numbers(&generics))
                    && (!variable.data_only || self.all_data(&generics))
                    // An array must not become an item of itself.
                    && (variable.name != "put" || !self.any_recursive(&generics));
                if fits && self.affordable(variable, count, wanted) {
                    uses.push(Use { variable: place, arguments: count, generics });
                }
            }
        }
        uses
    }

    fn any_recursive(&self, generics: &[Option<Type>]) -> bool {
        generics.iter().flatten().any(|ty| is_recursive(ty, &self.declarations))
    }

    /// Whether the types of type variables can be compared.
    fn all_data(&self, generics: &[Option<Type>]) -> bool {
        generics.iter().flatten().all(|ty| is_data(ty, &self.declarations))
    }

    fn may_take(&self, variable: &Variable, count: usize, all: usize) -> bool {
        let own = variable.parameters.len();
        let recursion = match variable.recursion {
            Recursion::None => true,
            Recursion::AtMost(_) => count >= 1,
            Recursion::Within => count == own && self.recursive_calls > 0,
        };
        recursion && (variable.nature != Nature::OnlyCalled || count == all)
    }

    /// Whether the budget suffices, for a call now or for one that the type of the value allows.
    fn affordable(&self, variable: &Variable, count: usize, wanted: &Type) -> bool {
        let own = variable.parameters.len();
        if own > 0 && count < own {
            return variable.cost <= unknown_cost(wanted);
        }
        self.call_cost(variable, count).saturating_mul(self.cost.iterations) <= self.cost.steps
    }

    /// The steps of an application to `count` arguments.
    pub(super) fn call_cost(&self, variable: &Variable, count: usize) -> u32 {
        let own = variable.parameters.len();
        if count < own {
            return 1;
        }
        let known = variable.cost + 1;
        if count > own { known + unknown_cost(&variable.result) } else { known }
    }
}
