//! Effects that stop the program.

use super::{Generator, effect::binary, sequence};
use crate::{
    tree::{Expr, Kind, Parameter, Pattern},
    types::{Library, Type, Width, function},
};

impl Generator {
    /// An effect that stops the program, somewhere within its effects.
    pub(super) fn trap(&mut self) -> Expr {
        let int = Type::Integer(Width::Int);
        let value = self.trapping();
        let value = match self.random.below(5) {
            0 | 1 => value,
            2 => {
                let lazy = Type::Library(Library::Lazy, vec![int.clone()]);
                let delayed = Expr::new(lazy, Kind::Lazy(Box::new(value)));
                Expr::apply(int, "Lazy.force", vec![delayed])
            }
            3 => {
                let ty = function(&[Type::Unit], int.clone());
                let unit = Parameter { pattern: Pattern::Unit, ty: Type::Unit, annotated: true };
                let lambda = Expr::new(ty, Kind::Lambda(vec![unit], Box::new(value)));
                Expr::new(int, Kind::Apply(Box::new(lambda), vec![Expr::unit()]))
            }
            _ => {
                let list = Type::Library(Library::List, vec![int.clone()]);
                let ty = function(std::slice::from_ref(&int), int.clone());
                let item = Parameter { pattern: Pattern::Any, ty: int.clone(), annotated: true };
                let lambda = Expr::new(ty, Kind::Lambda(vec![item], Box::new(value)));
                let items = [1, 2].map(|item| Expr::constant(int.clone(), item.to_string()));
                let items = Expr::new(list.clone(), Kind::Items(items.into()));
                let all = Expr::apply(list.clone(), "List.map", vec![lambda, items]);
                Expr::apply(int, "List.length", vec![all])
            }
        };
        Expr::new(Type::Unit, Kind::Show(Box::new(value)))
    }

    /// An expression whose evaluation traps.
    fn trapping(&mut self) -> Expr {
        let int = Type::Integer(Width::Int);
        let zero = || Expr::name(Type::Integer(Width::Int), "zero");
        match self.random.below(9) {
            0 => {
                let dividend = self.expression(&int, 6);
                binary(&int, self.random.word(&["/", "%"]), dividend, zero())
            }
            1 => {
                let message = self.expression(&Type::String, 4);
                Expr::apply(int, "failwith", vec![message])
            }
            2 => {
                let never = binary(&Type::Bool, "<>", zero(), zero());
                let asserted = Expr::apply(Type::Unit, "assert", vec![never]);
                sequence(vec![asserted, self.expression(&int, 3)])
            }
            3 => self.uncovered_match(),
            4 | 5 => {
                let outside = *self.random.pick(&["4", "-1", "1000000", "0x7fffffff", "(-0x80000000)"]);
                let family = *self.random.pick(&[Library::Array, Library::Array, Library::List]);
                let items = (0..4).map(|_| self.expression(&int, 1)).collect();
                let items = Expr::new(Type::Library(family, vec![int.clone()]), Kind::Items(items));
                let index = binary(&int, "+", zero(), Expr::constant(int.clone(), outside));
                Expr::new(int, Kind::Index(Box::new(items), Box::new(index)))
            }
            6 => {
                let (name, ty) = *self.random.pick(&[("Option.get", Library::Option), ("List.head", Library::List)]);
                let value = match ty {
                    Library::Option => "None",
                    _ => "[]",
                };
                let nothing = Expr::constant(Type::Library(ty, vec![int.clone()]), value);
                Expr::apply(int, name, vec![nothing])
            }
            7 => {
                let largest = Expr::constant(Type::Integer(Width::Int16), "32767s");
                let added = Expr::apply(
                    Type::Integer(Width::Int16),
                    "int16",
                    vec![binary(&int, "+", zero(), Expr::constant(int.clone(), "1"))],
                );
                let name = self.random.word(&["Checked.(+)", "Checked.(*)"]);
                let both = if name == "Checked.(+)" { vec![largest, added] } else { vec![largest.clone(), largest] };
                let sum = Expr::apply(Type::Integer(Width::Int16), name, both);
                Expr::apply(int, "int", vec![sum])
            }
            _ => self.formatted_failure(int),
        }
    }

    fn formatted_failure(&mut self, ty: Type) -> Expr {
        self.formatted(ty, "failwithf", 4)
    }
}
