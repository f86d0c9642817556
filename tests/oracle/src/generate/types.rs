//! Random types, and the declarations of a program.

use super::{Generator, Style};
use crate::types::{
    Base, Case, Declaration, Field, Library, Measure, Shape, Type, WIDTHS, Width, function, is_data, option, reference,
};

impl Generator {
    /// Declares a few types.
    pub(super) fn declare_types(&mut self) {
        if self.style == Style::State {
            self.declare_state_types();
        }
        for _ in 0..self.random.between(1, 3) {
            let parameters = self.random.weighted(&[3, 2, 1]);
            let (parameters, shape) = match self.random.below(13) {
                12 => (0, self.wide_record()),
                0..=3 => (parameters, self.record(parameters)),
                4 if self.style == Style::Mixed => (0, self.enumeration()),
                _ => (parameters, self.union(parameters)),
            };
            let name = self.fresh("T");
            self.declarations.push(Declaration { name, parameters, shape, with_previous: false });
        }
    }

    /// A mutable record, and mutually recursive types.
    fn declare_state_types(&mut self) {
        for _ in 0..self.random.between(1, 2) {
            let parameters = self.random.weighted(&[3, 1]);
            let mut shape = self.record(parameters);
            if let Shape::Record(fields) = &mut shape {
                let chosen = self.random.below(fields.len());
                fields[chosen].mutable = true;
            }
            let name = self.fresh("T");
            self.declarations.push(Declaration { name, parameters, shape, with_previous: false });
        }
        if self.random.chance(1, 3) {
            self.declare_group();
        }
    }

    /// Mutually recursive types, through lists, options, arrays, functions and records.
    fn declare_group(&mut self) {
        let first = self.declarations.len();
        let count = self.random.between(1, 3);
        for number in 0..count {
            let shape = if number > 0 && self.random.chance(1, 3) {
                let others = (0..self.random.between(1, 2)).map(|_| self.group_member(first, count, false)).collect();
                self.grouped_record(others)
            } else {
                let mut cases = vec![self.grouped_case(Vec::new())];
                for _ in 0..self.random.between(1, 3) {
                    let others =
                        (0..self.random.between(1, 2)).map(|_| self.group_member(first, count, true)).collect();
                    cases.push(self.grouped_case(others));
                }
                Shape::Union(cases)
            };
            let name = self.fresh("T");
            self.declarations.push(Declaration { name, parameters: 0, shape, with_previous: number > 0 });
        }
    }

    fn grouped_record(&mut self, others: Vec<Type>) -> Shape {
        let own = (self.simple_type(), self.random.chance(1, 2));
        let others = others.into_iter().map(|ty| (ty, false));
        let fields = std::iter::once(own).chain(others);
        let fields = fields.map(|(ty, mutable)| Field { name: self.fresh("F"), ty, mutable });
        Shape::Record(fields.collect())
    }

    fn grouped_case(&mut self, mut fields: Vec<Type>) -> Case {
        if self.random.chance(1, 2) {
            fields.push(self.simple_type());
        }
        self.random.shuffle(&mut fields);
        Case { name: self.fresh("C"), fields, named: false }
    }

    /// One of the types that are being declared, or a type that contains it.
    fn group_member(&mut self, first: usize, count: usize, direct: bool) -> Type {
        let own = Type::Declared(first + self.random.below(count), Vec::new());
        match self.random.below(if direct { 10 } else { 6 }) {
            0 | 1 => Type::Library(Library::List, vec![own]),
            2 => option(own),
            3 => Type::Library(Library::Array, vec![own]),
            // A record whose functions return records of its own type would have no first value.
            4 if !direct => function(&[Type::Integer(Width::Int)], Type::Declared(first, Vec::new())),
            4 => function(&[Type::Integer(Width::Int)], own),
            5 => Type::Library(Library::List, vec![Type::Tuple(vec![own, Type::Integer(Width::Int)])]),
            _ => own,
        }
    }

    /// A record of many fields, which takes much of a frame.
    fn wide_record(&mut self) -> Shape {
        let count = self.random.between(9, 20);
        let fields = (0..count).map(|_| {
            let ty = self.simple_type();
            Field { name: self.fresh("F"), ty, mutable: false }
        });
        Shape::Record(fields.collect())
    }

    fn record(&mut self, parameters: usize) -> Shape {
        let count = parameters.max(self.random.between(1, 4));
        let fields = (0..count).map(|index| {
            let ty = self.member_type(parameters, index);
            Field { name: self.fresh("F"), ty, mutable: self.random.chance(1, 5) }
        });
        Shape::Record(fields.collect())
    }

    fn union(&mut self, parameters: usize) -> Shape {
        let count = self.random.weighted(&[0, 1, 3, 3, 2, 1]);
        let mut cases: Vec<Case> = Vec::new();
        for index in 0..count {
            let fields = self.random.weighted(&[2, 4, 2, 1]);
            // Every parameter is used.
            let fields = if index < parameters { fields.max(1) } else { fields };
            let fields = (0..fields)
                .map(
                    |field| {
                        if field == 0 { self.member_type(parameters, index) } else { self.member_type(parameters, 9) }
                    },
                )
                .collect();
            cases.push(Case { name: self.fresh("C"), fields, named: self.random.chance(1, 4) });
        }
        if let Some(last) = cases.last_mut() {
            last.fields.extend((count..parameters).map(Type::Variable));
        }
        // A recursive union needs a base case.
        if cases.len() > 1 && self.random.chance(1, 2) {
            let own = Type::Declared(self.declarations.len(), (0..parameters).map(Type::Variable).collect());
            cases[0].fields.push(own);
        }
        self.random.shuffle(&mut cases);
        Shape::Union(cases)
    }

    fn enumeration(&mut self) -> Shape {
        let width = *self.random.pick(&[Width::Int, Width::Int, Width::Uint8, Width::Int64, Width::Uint16]);
        let count = self.random.between(1, 4);
        let cases = (0..count).map(|index| (self.fresh("E"), (index * index) as u8)).collect();
        Shape::Enum(width, cases)
    }

    /// The type of a member: the first ones use the parameters.
    fn member_type(&mut self, parameters: usize, index: usize) -> Type {
        if index < parameters {
            return Type::Variable(index);
        }
        if parameters > 0 && self.random.chance(1, 6) {
            return Type::Variable(self.random.below(parameters));
        }
        if self.random.chance(1, 6) { self.function_type(1) } else { self.data_type(1) }
    }

    /// A type without components.
    pub(super) fn simple_type(&mut self) -> Type {
        if self.style == Style::State {
            return match self.random.below(12) {
                0..=4 => Type::Integer(Width::Int),
                5..=7 => Type::Integer(self.any_width()),
                8 => Type::Bool,
                9 | 10 => Type::String,
                _ => Type::Unit,
            };
        }
        match self.random.below(18) {
            0..=3 => Type::Integer(crate::types::Width::Int),
            4..=7 => Type::Integer(*self.random.pick(&WIDTHS)),
            8 | 9 => Type::Bool,
            10 => Type::Char,
            11 | 12 => Type::String,
            13 => Type::Float,
            14 => Type::Single,
            15 => self.measured_type(),
            16 => self.enum_type(),
            _ => Type::Unit,
        }
    }

    pub(super) fn measured_type(&mut self) -> Type {
        let base = *self.random.pick(&[Base::Int, Base::Int64, Base::Float, Base::Float, Base::Single]);
        Type::Measured(base, self.measure())
    }

    pub(super) fn measure(&mut self) -> Measure {
        let metres = self.random.between(0, 3) as i8 - 1;
        let seconds = self.random.between(0, 3) as i8 - 1;
        if (metres, seconds) == (0, 0) { Measure { metres: 1, seconds } } else { Measure { metres, seconds } }
    }

    /// An enum of the program, if it has one.
    fn enum_type(&mut self) -> Type {
        let is_enum = |declaration: &Declaration| matches!(declaration.shape, Shape::Enum(..));
        let found = self.declarations.iter().position(is_enum);
        found.map_or(Type::Bool, |place| Type::Declared(place, Vec::new()))
    }

    /// A numeric type.
    pub(super) fn numeric_type(&mut self) -> Type {
        if self.style == Style::State {
            return Type::Integer(self.any_width());
        }
        match self.random.below(8) {
            0 => Type::Float,
            1 => Type::Single,
            _ => Type::Integer(*self.random.pick(&WIDTHS)),
        }
    }

    /// A type whose values can be printed and compared.
    pub(super) fn data_type(&mut self, depth: usize) -> Type {
        if depth == 0 || self.random.chance(2, 5) {
            return self.simple_type();
        }
        match self.random.below(11) {
            0..=2 => {
                let count = self.random.weighted(&[0, 0, 5, 2, 1]);
                Type::Tuple((0..count).map(|_| self.data_type(depth - 1)).collect())
            }
            3 => option(self.data_type(depth - 1)),
            4 => Type::Library(Library::Result, vec![self.data_type(depth - 1), self.simple_type()]),
            5 | 6 => Type::Library(Library::List, vec![self.data_type(depth - 1)]),
            7 => Type::Library(Library::Array, vec![self.data_type(depth - 1)]),
            _ => {
                let declared = self.declared_type(depth);
                match declared {
                    Some(ty) if is_data(&ty, &self.declarations) => ty,
                    Some(_) | None => self.simple_type(),
                }
            }
        }
    }

    fn declared_type(&mut self, depth: usize) -> Option<Type> {
        let count = self.declarations.len();
        let place = (count > 0).then(|| self.random.below(count))?;
        let arguments = (0..self.declarations[place].parameters).map(|_| self.data_type(depth - 1)).collect();
        Some(Type::Declared(place, arguments))
    }

    /// A type of functions.
    pub(super) fn function_type(&mut self, depth: usize) -> Type {
        let count = self.random.weighted(&[0, 5, 3, 1]);
        let parameters: Vec<Type> = (0..count)
            .map(|_| {
                let higher = depth > 1 && self.random.chance(1, 5);
                if higher { self.function_type(depth - 1) } else { self.data_type(1) }
            })
            .collect();
        let result = self.data_type(1);
        function(&parameters, result)
    }

    /// A lazy value, a sequence, a map or a set.
    fn kept_type(&mut self) -> Type {
        let item = self.data_type(1);
        match self.random.below(4) {
            0 => Type::Library(Library::Lazy, vec![item]),
            _ if self.style == Style::State => Type::Library(Library::Seq, vec![item]),
            1 => Type::Library(Library::Map, vec![self.simple_type(), item]),
            2 => Type::Library(Library::Set, vec![item]),
            _ => Type::Library(Library::Seq, vec![item]),
        }
    }

    /// A type for the state of a loop: something that takes memory.
    pub(super) fn state_type(&mut self) -> Type {
        match self.random.below(9) {
            0 | 1 => self.function_type(1),
            2 => Type::String,
            3 => Type::Library(Library::List, vec![self.data_type(1)]),
            4 => option(self.function_type(1)),
            5 => reference(self.data_type(1)),
            6 => Type::Tuple(vec![self.function_type(1), self.data_type(1)]),
            7 => self.declared_type(1).unwrap_or(Type::String),
            _ => self.data_type(2),
        }
    }

    /// Any type.
    pub(super) fn any_type(&mut self, depth: usize) -> Type {
        if self.style == Style::State && self.random.chance(1, 4) {
            return self.storage_type();
        }
        match self.random.below(15) {
            13 | 14 => {
                let family = *self.random.pick(&[Library::Array, Library::List, Library::Ref, Library::Option]);
                Type::Library(family, vec![self.function_type(1)])
            }
            0..=2 => self.function_type(depth),
            3 => reference(self.data_type(1)),
            4 if depth > 1 => Type::Tuple(vec![self.function_type(1), self.data_type(1)]),
            5 if depth > 1 => option(self.function_type(1)),
            7 => self.kept_type(),
            6 => self.declared_type(depth.max(1)).unwrap_or(Type::Bool),
            _ => self.data_type(depth),
        }
    }
}
