//! Expressions of type `unit`, for their effects.

use super::{
    Generator, Style,
    library::LOG,
    scope::{Nature, Variable},
    sequence,
};
use crate::{
    tree::{Expr, Kind, Surroundings},
    types::{Library, Shape, Type, Width, reference},
};

/// `left operator right`
pub(super) fn binary(ty: &Type, operator: &'static str, left: Expr, right: Expr) -> Expr {
    Expr::new(ty.clone(), Kind::Binary(operator, Box::new(left), Box::new(right)))
}

impl Generator {
    /// An effect.
    pub(super) fn effect(&mut self, size: usize) -> Expr {
        if size == 0 || !self.charge(1) {
            return Expr::unit();
        }
        let size = size - 1;
        if self.style == Style::State && self.random.chance(1, 3) {
            return self.written(size).unwrap_or_else(|| self.traced_unit());
        }
        if self.setting.surroundings == Surroundings::Log && self.random.chance(1, 4) {
            return self.logged(size);
        }
        match self.random.below(14) {
            0 | 1 => self.show(size),
            12 if self.style == Style::Mixed => self.formatted(Type::Unit, "printfn", size),
            13 => self.field_assignment(size).unwrap_or_else(|| self.traced_unit()),
            2..=4 => self.assignment(size).unwrap_or_else(|| self.traced_unit()),
            5 => self.cell_assignment(size),
            6 => self.while_loop(size),
            7 if self.random.chance(1, 2) => self.for_loop(size),
            7 => self.for_each(size),
            8 => {
                let [condition, body] = self.split(size);
                let condition = self.expression(&Type::Bool, condition);
                let body = self.effect(body);
                Expr::new(Type::Unit, Kind::When(Box::new(condition), Box::new(body)))
            }
            9 => {
                let ignored = self.any_type(1);
                let value = self.expression(&ignored, size);
                Expr::apply(Type::Unit, "ignore", vec![value])
            }
            10 => {
                let [first, second] = self.split(size);
                let first = self.effect(first);
                sequence(vec![first, self.effect(second)])
            }
            _ => self.expression(&Type::Unit, size),
        }
    }

    fn traced_unit(&mut self) -> Expr {
        let number = self.random.below(100) as u64;
        Expr::new(Type::Unit, Kind::Trace(number, Box::new(Expr::unit())))
    }

    /// A statement of the log.
    fn logged(&mut self, size: usize) -> Expr {
        let line = *self.random.pick(&LOG);
        let name = line.split(':').next().unwrap_or(line);
        let message = self.expression(&Type::String, size + 2);
        Expr::apply(Type::Unit, name, vec![message])
    }

    fn show(&mut self, size: usize) -> Expr {
        let ty = self.data_type(2);
        let value = self.expression(&ty, size);
        Expr::new(Type::Unit, Kind::Show(Box::new(value)))
    }

    /// `x <- …` for a visible slot.
    fn assignment(&mut self, size: usize) -> Option<Expr> {
        let slots: Vec<(String, Type)> = self
            .scope
            .iter()
            .enumerate()
            .filter(|(place, variable)| match variable.nature {
                Nature::Slot => *place >= self.barrier,
                Nature::ModuleSlot => true,
                Nature::Value | Nature::OnlyCalled => false,
            })
            .map(|(_, variable)| (variable.name.clone(), variable.result.clone()))
            .collect();
        if slots.is_empty() {
            return None;
        }
        let (name, ty) = self.random.pick(&slots).clone();
        let value = self.expression(&ty, size);
        Some(Expr::new(Type::Unit, Kind::Assign(name, Box::new(value))))
    }

    /// `record.Field <- …`
    fn field_assignment(&mut self, size: usize) -> Option<Expr> {
        let records: Vec<(Type, String, Type)> = self
            .declarations
            .iter()
            .enumerate()
            .filter(|(_, declaration)| declaration.parameters == 0)
            .flat_map(|(place, declaration)| match &declaration.shape {
                Shape::Record(fields) => fields
                    .iter()
                    .filter(|field| field.mutable)
                    .map(|field| (Type::Declared(place, Vec::new()), field.name.clone(), field.ty.clone()))
                    .collect::<Vec<_>>(),
                Shape::Union(_) | Shape::Enum(..) => Vec::new(),
            })
            .collect();
        if records.is_empty() {
            return None;
        }
        let (record, name, ty) = self.random.pick(&records).clone();
        let [base, value] = self.split(size);
        let (base, value) = (self.expression(&record, base), self.expression(&ty, value));
        Some(Expr::new(Type::Unit, Kind::SetField(Box::new(base), name, Box::new(value))))
    }

    /// `cell := …`
    fn cell_assignment(&mut self, size: usize) -> Expr {
        let contents: Vec<Type> = self
            .scope
            .iter()
            .filter_map(|variable| match &variable.result {
                Type::Library(Library::Ref, parts) if variable.parameters.is_empty() => Some(parts[0].clone()),
                _ => None,
            })
            .collect();
        let content = if contents.is_empty() { self.data_type(1) } else { self.random.pick(&contents).clone() };
        let [cell, value] = self.split(size);
        let cell = self.expression(&reference(content.clone()), cell / 2);
        let value = self.expression(&content, value);
        binary(&Type::Unit, ":=", cell, value)
    }

    fn while_loop(&mut self, size: usize) -> Expr {
        let bound = self.random.between(1, 5);
        let [condition, body] = self.split(size);
        let counter = self.fresh("w");
        // The condition is evaluated once more.
        let (condition, body) = self.repeated(bound + 1, |generator| {
            generator.scoped(|generator| {
                generator.scope.push(Variable::value(&counter, Type::Integer(Width::Int), Nature::OnlyCalled));
                (generator.expression(&Type::Bool, condition), generator.effect(body))
            })
        });
        let bound = bound.to_string();
        Expr::new(Type::Unit, Kind::While { counter, bound, condition: Box::new(condition), body: Box::new(body) })
    }

    fn for_loop(&mut self, size: usize) -> Expr {
        // A long loop has a small body.
        let iterations = if self.random.chance(1, 8) { 300 } else { self.random.between(0, 4) };
        let low = self.random.between(0, 5) as i64 - 2;
        let high = low + iterations as i64 - 1;
        let range = match self.random.below(5) {
            0 => format!(" = {high} downto {low}"),
            1 => format!(" in {low} .. {high}"),
            2 => format!(" in {low} .. 2 .. {high}"),
            3 => format!(" in {high} .. -1 .. {low}"),
            _ => format!(" = {low} to {high}"),
        };
        let variable = self.fresh("i");
        let body = self.repeated(iterations.max(1), |generator| {
            generator.scoped(|generator| {
                generator.scope.push(Variable::value(&variable, Type::Integer(Width::Int), Nature::Value));
                generator.effect(size)
            })
        });
        Expr::new(Type::Unit, Kind::For { variable, range, body: Box::new(body) })
    }

    fn for_each(&mut self, size: usize) -> Expr {
        let family = *self.random.pick(&[Library::List, Library::Array]);
        let item = self.data_type(1);
        let [source, body] = self.split(size);
        let source = self.expression(&Type::Library(family, vec![item.clone()]), source);
        self.repeated(4, |generator| {
            generator.scoped(|generator| {
                let pattern = generator.irrefutable(&item, 1);
                let body = generator.effect(body);
                Expr::new(Type::Unit, Kind::ForIn(pattern, Box::new(source), Box::new(body)))
            })
        })
    }
}
