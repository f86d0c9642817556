//! The parameters and the result of a function, as the source would write them.
//!
//! A parameter that is a tuple has parts, if the function takes it apart by names: `first: int * second: float`.

use super::Index;
use clef_base::Symbol;
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{Lambda, NodeKind, PatternId, PatternKind, VariableId};
use clef_scopes::{Entity, builtin_facts};
use clef_types::CaseId;

/// The type of a function, by parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The type of its result.
    pub result: String,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name, if it has one.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: String,
    /// The parts of a tuple that is taken apart; none otherwise.
    pub parts: Vec<Parameter>,
}

/// The name of a parameter, or those of the parts of a tuple.
#[derive(Clone, Debug, Default)]
struct Names {
    name: Option<Symbol>,
    parts: Vec<Option<Symbol>>,
}

impl Parameter {
    fn new(name: Option<Symbol>, ty: String) -> Parameter {
        Parameter { name, ty, parts: Vec::new() }
    }

    /// `x: int`, its type alone, or `x: int * y: int`.
    pub fn text(&self) -> String {
        if !self.parts.is_empty() {
            let part = |part: &Parameter| {
                let is_compound = [" * ", "->"].iter().any(|sign| part.ty.contains(sign)) && !part.ty.starts_with('(');
                let ty = if is_compound { format!("({})", part.ty) } else { part.ty.clone() };
                Parameter::new(part.name, ty).text()
            };
            return self.parts.iter().map(part).collect::<Vec<_>>().join(" * ");
        }
        match self.name {
            Some(name) => format!("{name}: {}", self.ty),
            None => self.ty.clone(),
        }
    }

    /// The same before an arrow.
    pub fn before_arrow(&self) -> String {
        let is_function = self.parts.is_empty() && self.ty.contains("->") && !self.ty.starts_with('(');
        let ty = if is_function { format!("({})", self.ty) } else { self.ty.clone() };
        Parameter { ty, ..self.clone() }.text()
    }
}

impl Signature {
    /// `x: int -> y: int -> int`.
    pub fn arrows(&self) -> String {
        let parameters = self.parameters.iter().map(Parameter::before_arrow);
        parameters.chain([self.result.clone()]).collect::<Vec<_>>().join(" -> ")
    }
}

impl Index {
    /// The parameters and the result of a function, or the type of a value; nothing for what has no type of its own.
    pub fn signature(&mut self, entity: Entity) -> Option<Signature> {
        let name = self.name(entity).to_string();
        let (names, ty) = match entity {
            Entity::Variable(variable) => (self.parameter_names(variable), self.graph.facts(variable).ty.clone()),
            Entity::Intrinsic(index) => (Vec::new(), self.declared.intrinsics[index].ty.clone()),
            Entity::Case(case) => return Some(self.case_signature(name, case)),
            Entity::Builtin(name) => return of_builtin(name),
            Entity::Field(..)
            | Entity::EnumValue(..)
            | Entity::Type(_)
            | Entity::Enum(_)
            | Entity::Named(_)
            | Entity::Module(_) => return None,
        };
        let mut types = Vec::new();
        let mut rest = self.inference.shallow(&ty);
        while let Ty::Constructor(TypeConstructor::Function, ends) = &rest
            && (names.is_empty() || types.len() < names.len())
        {
            types.push(ends[0].clone());
            rest = self.inference.shallow(&ends[1].clone());
        }
        let mut names = names;
        names.resize(types.len(), Names::default());
        let (parameters, result) = self.shown_parameters(&names, &types, rest);
        Some(Signature { name, parameters, result })
    }

    /// Parameters and a result, whose type variables have the same names.
    fn shown_parameters(&mut self, names: &[Names], types: &[Ty], result: Ty) -> (Vec<Parameter>, String) {
        let parts: Vec<Vec<Ty>> = names.iter().zip(types).map(|(names, ty)| self.parts_of(names, ty)).collect();
        let each = types.iter().zip(&parts).flat_map(|(ty, parts)| std::iter::once(ty).chain(parts));
        let all: Vec<Ty> = each.cloned().chain([result]).collect();
        let mut shown = self.show_all(&all).into_iter();
        let mut next = || shown.next().unwrap_or_default();
        let parameters = names.iter().zip(&parts).map(|(names, parts)| Parameter {
            name: names.name,
            ty: next(),
            parts: names.parts.iter().zip(parts).map(|(name, _)| Parameter::new(*name, next())).collect(),
        });
        let parameters = parameters.collect();
        (parameters, next())
    }

    /// The types of the parts of a parameter that is taken apart.
    fn parts_of(&mut self, names: &Names, ty: &Ty) -> Vec<Ty> {
        match self.inference.shallow(ty) {
            Ty::Constructor(TypeConstructor::Tuple, parts) if parts.len() == names.parts.len() => parts.to_vec(),
            Ty::Constructor(..) | Ty::Variable(_) => Vec::new(),
        }
    }

    fn case_signature(&mut self, name: String, case: CaseId) -> Signature {
        let types = self.declared.case_fields.get(&case).cloned().unwrap_or_default();
        let shown = self.show_all(&types);
        let fields = &self.graph.psg.cases[case].fields;
        let parameters = fields.iter().zip(shown).map(|((name, _), ty)| Parameter::new(*name, ty)).collect();
        let owner = self.graph.psg.cases[case].owner;
        Signature { name, parameters, result: self.graph.psg.declared_types[owner].name.to_string() }
    }

    /// The names of the parameters of a function, as far as they are names.
    fn parameter_names(&self, variable: VariableId) -> Vec<Names> {
        let psg = &self.graph.psg;
        let lambda = psg.lambdas.values().find(|lambda| lambda.name == Some(variable));
        let written = |name: Symbol| (!name.as_str().contains('$')).then_some(name);
        let names = |lambda: &Lambda, param: VariableId| Names {
            name: written(psg.variables[param].name),
            parts: self.part_names(lambda, param),
        };
        lambda.map(|lambda| lambda.params.iter().map(|&param| names(lambda, param)).collect()).unwrap_or_default()
    }

    /// The names of the parts of a parameter that a function takes apart when it starts.
    fn part_names(&self, lambda: &Lambda, param: VariableId) -> Vec<Option<Symbol>> {
        let psg = &self.graph.psg;
        let mut node = lambda.body;
        while let NodeKind::Let { binding, body } = &psg.nodes[node].kind {
            let is_param =
                matches!(psg.nodes[binding.value].kind, NodeKind::Variable { variable, .. } if variable == param);
            if let (true, PatternKind::Tuple(parts)) = (is_param, &psg.patterns[binding.pattern].kind) {
                let name = |part: &PatternId| {
                    let PatternKind::Variable(variable) = psg.patterns[*part].kind else { return None };
                    Some(psg.variables[variable].name)
                };
                return parts.iter().map(name).collect();
            }
            node = *body;
        }
        Vec::new()
    }
}

/// The type of a function that the language itself defines.
fn of_builtin(name: Symbol) -> Option<Signature> {
    let builtin = builtin_facts::find(name)?;
    let parameter = |ty: &&str| Parameter { name: None, ty: (*ty).to_owned(), parts: Vec::new() };
    let parameters = builtin.parameters.iter().map(parameter).collect();
    Some(Signature { name: builtin.name.to_owned(), parameters, result: builtin.result.to_owned() })
}
