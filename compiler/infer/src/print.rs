//! Types of inference in source syntax.
//!
//! In: types that may contain type variables, and the graph, which has the names of declared types. Out: text as the source
//! would write it. A variable without a name of its own is `'a`, `'b`, …, and has the same name in all types that one
//! [`Printer`] prints.

use crate::{
    measure::Factor,
    ty::{Ty, TypeConstraint, TypeConstructor, TypeVariable},
    unify::Inference,
};
use clef_base::HashMap;
use clef_psg::{
    Psg,
    print::types::{View, write},
};

/// Prints types with consistent names for their type variables.
pub struct Printer<'a> {
    inference: &'a mut Inference,
    psg: &'a Psg,
    names: HashMap<TypeVariable, String>,
}

impl<'a> Printer<'a> {
    /// A printer that has named no variable yet.
    pub fn new(inference: &'a mut Inference, psg: &'a Psg) -> Printer<'a> {
        Printer { inference, psg, names: HashMap::default() }
    }

    /// Several types, in order.
    pub fn types(mut self, types: &[&Ty]) -> Vec<String> {
        types.iter().map(|&ty| write(ty.clone(), &mut |ty| self.view(&ty))).collect()
    }

    /// The unit of a number type: `m/s`, or `1`.
    pub fn unit(&mut self, number: &Ty) -> String {
        match self.inference.shallow(number) {
            Ty::Constructor(_, parts) if !parts.is_empty() => self.measure(&parts[0]),
            Ty::Constructor(..) | Ty::Variable(_) => "1".into(),
        }
    }

    fn view(&mut self, ty: &Ty) -> View<Ty> {
        let (constructor, parts) = match self.inference.shallow(ty) {
            Ty::Constructor(constructor, parts) => (constructor, parts),
            Ty::Variable(variable) => {
                return match self.inference.open_element(variable) {
                    Some(element) => self.view(&self.inference.sequence_of(element)),
                    None => View::Name(self.variable(variable)),
                };
            }
        };
        let simple = |name: &str| View::Name(name.into());
        match constructor {
            TypeConstructor::Unit => simple("unit"),
            TypeConstructor::Bool => simple("bool"),
            TypeConstructor::Char => simple("char"),
            TypeConstructor::String => simple("string"),
            TypeConstructor::Integer(kind) => View::Name(self.number(kind.name(), &parts)),
            TypeConstructor::Float32 => View::Name(self.number("float32", &parts)),
            TypeConstructor::Float64 => View::Name(self.number("float", &parts)),
            TypeConstructor::MeasureOne
            | TypeConstructor::MeasureBase(_)
            | TypeConstructor::MeasurePower(_)
            | TypeConstructor::MeasureProduct => View::Name(self.measure(&Ty::of(constructor, parts))),
            TypeConstructor::Function => View::Function(parts[0].clone(), parts[1].clone()),
            TypeConstructor::Tuple => View::Tuple(parts.to_vec()),
            TypeConstructor::Reference => View::Applied("ref".into(), parts.to_vec()),
            TypeConstructor::Array => View::Applied("array".into(), parts.to_vec()),
            TypeConstructor::NativePointer => View::Applied("nativeptr".into(), parts.to_vec()),
            TypeConstructor::Declared(declared) => {
                let name = self.psg.declared_types[declared].name.to_string();
                let is_suffix = matches!(name.as_str(), "list" | "option" | "seq");
                match (parts.is_empty(), is_suffix) {
                    (true, _) => View::Name(name),
                    (false, true) => View::Applied(name, parts.to_vec()),
                    (false, false) => View::Prefix(name, parts.to_vec()),
                }
            }
            TypeConstructor::Enum(id, _) => View::Name(self.psg.enums[id].name.to_string()),
            TypeConstructor::Parameter(parameter) => {
                View::Name(format!("'{}", self.psg.type_parameters[parameter].name))
            }
            TypeConstructor::Error => simple("_"),
        }
    }

    /// A number type with its unit, unless that is one.
    fn number(&mut self, name: &str, parts: &[Ty]) -> String {
        let measure = parts.first().map(|measure| self.measure(measure));
        match measure.as_deref() {
            None | Some("1") => name.into(),
            Some(measure) => format!("{name}<{measure}>"),
        }
    }

    fn measure(&mut self, measure: &Ty) -> String {
        let Some(measure) = self.inference.shown_measure(measure) else { return "_".into() };
        measure.text(&mut |factor| match factor {
            Factor::Base(id) => self.inference.measures[id.0 as usize].to_string(),
            Factor::Parameter(parameter) => format!("'{}", self.psg.type_parameters[parameter].name),
            Factor::Variable(variable) => self.variable(variable),
        })
    }

    /// The name of a type variable: its own, or a letter; `u`, `v`, … for a unit of measure.
    fn variable(&mut self, variable: TypeVariable) -> String {
        let next = self.names.len();
        let (_, constraint, given) = self.inference.open(variable);
        let start = if constraint.contains(TypeConstraint::MEASURE) { 20 } else { 0 };
        let name = self.names.entry(variable).or_insert_with(|| match given {
            Some(name) => format!("'{name}"),
            None => format!("'{}", letter(start + next)),
        });
        name.clone()
    }
}

/// The `index`-th name for a type variable: `a` … `z`, `a1`, ….
pub fn letter(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}
