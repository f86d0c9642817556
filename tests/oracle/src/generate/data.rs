//! The type-specific forms: constants, and the ways to make a value.

use super::{Generator, Style, effect::binary, scope::unknown_cost};
use crate::{
    tree::{Expr, Kind, Part, Pattern},
    types::{Declaration, Library, Made, Shape, Type, WIDTHS, Width, field_name, function, is_recursive, made, option},
};

const STRINGS: [&str; 8] =
    ["\"\"", "\"a\"", "\"abc\"", "\"Zo\\n\"", "\"hé€\"", "\"0123456789\"", "\"q\\\"\\\\\"", "\"b\\u0041\""];
const CHARS: [&str; 8] = ["'a'", "'Z'", "'0'", "' '", "'\\n'", "'é'", "'€'", "'\\u1F60'"];
const FLOATS: [&str; 13] = [
    "nan",
    "infinity",
    "(-infinity)",
    "0.0",
    "1.0",
    "(-1.5)",
    "0.1",
    "1e10",
    "2.5",
    "(-0.0)",
    "1e-300",
    "3.75",
    "1e308",
];
const SINGLES: [&str; 10] =
    ["nanf", "infinityf", "0.0f", "1.0f", "(-1.5f)", "0.1f", "1e10f", "16777217.0f", "(-0.0f)", "3e38f"];

impl Generator {
    /// A value of a type that needs only what is in scope.
    pub(super) fn constant(&mut self, ty: &Type) -> Expr {
        let text = match ty {
            Type::Unit => "()",
            Type::Bool => self.random.word(&["true", "false", "(zero = 0)"]),
            Type::Char => *self.random.pick(&CHARS),
            Type::String if self.style == Style::State => *self.random.pick(&STRINGS[..7]),
            Type::String => *self.random.pick(&STRINGS),
            Type::Float => return self.hidden(ty, &FLOATS),
            Type::Single => return self.hidden(ty, &SINGLES),
            Type::Integer(width) => return self.integer(*width),
            Type::Measured(base, measure) => return self.quantity(*base, *measure),
            Type::Tuple(parts) => {
                let items = parts.iter().map(|part| self.leaf(part)).collect();
                return Expr::new(ty.clone(), Kind::Tuple(items));
            }
            Type::Function(..) => return self.lambda(ty, 0, true),
            Type::Library(Library::Ref, parts) => {
                let content = self.leaf(&parts[0]);
                return Expr::apply(ty.clone(), "ref", vec![content]);
            }
            Type::Library(Library::List | Library::Array, parts) => {
                // Otherwise it might be endless.
                let empty = is_recursive(&parts[0], &self.declarations);
                let count = if empty { 0 } else { self.random.weighted(&[2, 2, 1]) };
                let items = (0..count).map(|_| self.leaf(&parts[0])).collect();
                return Expr::new(ty.clone(), Kind::Items(items));
            }
            Type::Library(Library::Seq | Library::Lazy | Library::Map | Library::Set, _) => return self.kept(ty, 0),
            Type::Library(Library::Option | Library::Result, _) | Type::Declared(..) => return self.built(ty, 0),
            Type::Variable(_) => return self.of_variable_type(ty),
        };
        Expr::constant(ty.clone(), text)
    }

    /// A parameter whose type is a type variable: generic functions have one for each.
    fn of_variable_type(&self, ty: &Type) -> Expr {
        let found = self.scope.iter().rev().find(|variable| variable.generics == 0 && variable.ty() == *ty);
        match found {
            Some(variable) => Expr::name(ty.clone(), &variable.name),
            None => Expr::apply(ty.clone(), "failwith", vec![Expr::constant(Type::String, "\"no value\"")]),
        }
    }

    /// A literal, or the same value in a form that does not fold.
    fn hidden(&mut self, ty: &Type, literals: &[&str]) -> Expr {
        let literal = Expr::constant(ty.clone(), *self.random.pick(literals));
        if self.random.chance(3, 4) {
            return literal;
        }
        let conversion = if *ty == Type::Float { "float" } else { "float32" };
        let zero = Expr::apply(ty.clone(), conversion, vec![Expr::name(Type::Integer(Width::Int), "zero")]);
        binary(ty, "+", literal, zero)
    }

    fn integer(&mut self, width: Width) -> Expr {
        let ty = Type::Integer(width);
        let bits = width.bits() - u32::from(width.is_signed());
        let largest = (1i128 << bits) - 1;
        let smallest = if width.is_signed() { -largest - 1 } else { 0 };
        let value = match self.random.below(10) {
            0 => 0,
            1 => 1,
            2 => largest,
            3 => smallest,
            4 => 1i128 << self.random.below(bits as usize),
            5 => (self.random.next() as i128) % (largest + 1),
            6 if width.is_signed() => -1,
            _ => self.random.below(12) as i128,
        };
        let literal = Expr::constant(ty.clone(), width.literal(value));
        if self.random.chance(2, 3) {
            return literal;
        }
        let zero = Expr::name(Type::Integer(Width::Int), "zero");
        let zero = if width == Width::Int { zero } else { Expr::apply(ty.clone(), width.name(), vec![zero]) };
        binary(&ty, "+", literal, zero)
    }

    /// A value by an operation that makes values of its type.
    pub(super) fn made(&mut self, ty: &Type, size: usize) -> Expr {
        match ty {
            Type::Unit => self.effect(size),
            Type::Bool => self.truth(size),
            Type::Char => self.character(size),
            Type::String => self.text(size),
            Type::Float | Type::Single => self.float(ty, size),
            Type::Integer(width) => self.computed(*width, size),
            Type::Measured(base, measure) => self.measured(*base, *measure, size),
            Type::Tuple(parts) => {
                let each = size / parts.len();
                let items = parts.iter().map(|part| self.expression(part, each)).collect();
                Expr::new(ty.clone(), Kind::Tuple(items))
            }
            Type::Function(..) => self.function_value(ty, size),
            Type::Library(Library::Ref, parts) => {
                let content = self.expression(&parts[0], size);
                Expr::apply(ty.clone(), "ref", vec![content])
            }
            Type::Library(Library::List | Library::Array, parts) => self.collection(ty, &parts[0], size),
            Type::Library(Library::Seq | Library::Lazy | Library::Map | Library::Set, _) => self.kept(ty, size),
            Type::Library(Library::Option | Library::Result, _) | Type::Declared(..) => self.built(ty, size),
            Type::Variable(_) => self.leaf(ty),
        }
    }

    /// A record or a case.
    fn built(&mut self, ty: &Type, size: usize) -> Expr {
        let declarations = self.declarations.clone();
        match made(ty, &declarations) {
            Made::Fields(fields) => {
                let each = size / fields.len().max(1);
                if size > 1 && self.random.chance(1, 3) {
                    let base = self.expression(ty, each);
                    let (name, field) = self.random.pick(&fields).clone();
                    let value = self.expression(&field, each);
                    return Expr::new(ty.clone(), Kind::Update(Box::new(base), vec![(name.to_owned(), value)]));
                }
                let mut values: Vec<(String, Expr)> =
                    fields.iter().map(|(name, field)| ((*name).to_owned(), self.expression(field, each))).collect();
                // They are evaluated in source order.
                self.random.shuffle(&mut values);
                Expr::new(ty.clone(), Kind::Record(values))
            }
            Made::Cases(cases) => {
                let ends =
                    |fields: &[Type]| !fields.iter().any(|field| field == ty || is_recursive(field, &declarations));
                let mut simple: Vec<_> = cases.iter().filter(|(_, fields)| ends(fields)).collect();
                if simple.is_empty() {
                    simple = cases.iter().filter(|(_, fields)| !fields.contains(ty)).collect();
                }
                let (name, fields) = match size {
                    0 => (*self.random.pick(&simple)).clone(),
                    _ => self.random.pick(&cases).clone(),
                };
                self.case(ty, name, &fields, size)
            }
            Made::Other => self.enumerated(ty, size),
        }
    }

    fn case(&mut self, ty: &Type, name: &str, fields: &[Type], size: usize) -> Expr {
        let each = size / fields.len().max(1);
        let mut values: Vec<Expr> = fields.iter().map(|field| self.expression(field, each)).collect();
        if self.has_named_fields(ty, name) && self.random.chance(2, 3) {
            let mut values: Vec<(String, Expr)> =
                values.into_iter().enumerate().map(|(index, value)| (field_name(index), value)).collect();
            self.random.shuffle(&mut values);
            return Expr::new(ty.clone(), Kind::NamedCase(name.to_owned(), values));
        }
        match values.len() {
            0 => Expr::name(ty.clone(), name),
            1 => Expr::apply(ty.clone(), name, vec![values.remove(0)]),
            _ => {
                let tuple = Expr::new(Type::Tuple(fields.to_vec()), Kind::Tuple(values));
                Expr::apply(ty.clone(), name, vec![tuple])
            }
        }
    }

    /// Whether the fields of a case have names.
    pub(super) fn has_named_fields(&self, ty: &Type, name: &str) -> bool {
        let Type::Declared(declaration, _) = ty else { return false };
        let Shape::Union(cases) = &self.declarations[*declaration].shape else { return false };
        cases.iter().any(|case| case.name == name && case.named && !case.fields.is_empty())
    }

    /// A value of an enum: a case, or a number that need not be one.
    fn enumerated(&mut self, ty: &Type, size: usize) -> Expr {
        let Type::Declared(declaration, _) = ty else { return self.leaf(ty) };
        let Declaration { name, shape: Shape::Enum(width, cases), .. } = self.declarations[*declaration].clone() else {
            return self.leaf(ty);
        };
        if size > 0 && width == Width::Int && self.random.chance(1, 4) {
            let number = self.expression(&Type::Integer(width), size);
            // With a type argument, since the context may not determine the type (`ignore`).
            return Expr::apply(ty.clone(), &format!("enum<{name}>"), vec![number]);
        }
        let (case, _) = self.random.pick(&cases);
        Expr::constant(ty.clone(), format!("{name}.{case}"))
    }

    /// A list or an array.
    fn collection(&mut self, ty: &Type, item: &Type, size: usize) -> Expr {
        let is_list = matches!(ty, Type::Library(Library::List, _));
        let [first, second] = self.split(size);
        match self.random.below(6) {
            0 if is_list => {
                let (head, tail) = (self.expression(item, first), self.expression(ty, second));
                binary(ty, "::", head, tail)
            }
            1 if is_list => {
                let both = [first, second].map(|size| self.expression(ty, size));
                Expr::apply(ty.clone(), "join", both.into())
            }
            2 => self.comprehension(ty, item, size),
            3 if self.style == Style::Mixed && self.random.chance(1, 2) => {
                let whole = self.expression(ty, size);
                self.slice(whole)
            }
            3 => self.generated(ty, item, size),
            _ => {
                let count = self.random.between(0, 4);
                let items = (0..count).map(|_| self.expression(item, size / count)).collect();
                Expr::new(ty.clone(), Kind::Items(items))
            }
        }
    }

    /// A lazy value, a sequence, a map or a set.
    fn kept(&mut self, ty: &Type, size: usize) -> Expr {
        let Type::Library(library, parts) = ty else { return self.leaf(ty) };
        match library {
            Library::Lazy => {
                let inner = self.delayed(ty, |generator| generator.expression(&parts[0], size));
                Expr::new(ty.clone(), Kind::Lazy(Box::new(inner)))
            }
            Library::Seq if size > 1 => {
                let item = parts[0].clone();
                let steps = self.random.chance(1, 2);
                self.delayed(ty, |generator| match steps {
                    true => generator.generated(ty, &item, size),
                    false => generator.comprehension(ty, &item, size),
                })
            }
            _ => {
                let item = if parts.len() == 1 { parts[0].clone() } else { Type::Tuple(parts.clone()) };
                let list = Type::Library(Library::List, vec![item]);
                let items = if size == 0 { self.leaf(&list) } else { self.expression(&list, size) };
                let name = match library {
                    Library::Map => "Map.ofList",
                    Library::Set => "Set.ofList",
                    _ => "Seq.ofList",
                };
                Expr::apply(ty.clone(), name, vec![items])
            }
        }
    }

    /// Makes code that runs when a value of the type is forced, after the surrounding code.
    fn delayed(&mut self, ty: &Type, make: impl FnOnce(&mut Generator) -> Expr) -> Expr {
        let around = std::mem::replace(&mut self.barrier, self.scope.len());
        let calls = std::mem::take(&mut self.recursive_calls);
        let (made, _) = self.within(unknown_cost(ty) - 1, make);
        self.barrier = around;
        self.recursive_calls = calls;
        made
    }

    fn comprehension(&mut self, ty: &Type, item: &Type, size: usize) -> Expr {
        let family = *self.random.pick(&[Library::List, Library::Array]);
        let from = self.data_type(1);
        let [source, body] = self.split(size);
        let source = self.expression(&Type::Library(family, vec![from.clone()]), source);
        self.repeated(4, |generator| {
            generator.scoped(|generator| {
                let pattern = generator.irrefutable(&from, 1);
                let filtered = generator.random.chance(1, 3);
                let condition = filtered.then(|| Box::new(generator.expression(&Type::Bool, body / 2)));
                let body = Box::new(generator.expression(item, body));
                let source = Box::new(source);
                Expr::new(ty.clone(), Kind::Comprehension { pattern, source, condition, body })
            })
        })
    }

    fn truth(&mut self, size: usize) -> Expr {
        let [left, right] = self.split(size);
        match self.random.below(8) {
            0..=3 | 7 if self.style == Style::State => self.compared(left, right),
            7 => {
                let place = self.expression(&Type::Integer(Width::Int), left);
                let tested = Type::Integer(*self.random.pick(&WIDTHS));
                let number = self.expression(&tested, right);
                Expr::apply(Type::Bool, "Bits.test", vec![place, number])
            }
            0..=3 => {
                let compared = if self.random.chance(1, 2) { self.simple_type() } else { self.data_type(2) };
                let operator = self.random.word(&["=", "<>", "<", ">", "<=", ">="]);
                let (left, right) = (self.expression(&compared, left), self.expression(&compared, right));
                binary(&Type::Bool, operator, left, right)
            }
            4 | 5 => {
                let operator = self.random.word(&["&&", "||"]);
                let (left, right) = (self.expression(&Type::Bool, left), self.expression(&Type::Bool, right));
                binary(&Type::Bool, operator, left, right)
            }
            _ => {
                let inner = self.expression(&Type::Bool, size);
                Expr::apply(Type::Bool, "not", vec![inner])
            }
        }
    }

    /// Numbers compared, or data tested for equality.
    fn compared(&mut self, left: usize, right: usize) -> Expr {
        let (compared, operators) = match self.random.chance(1, 2) {
            true => (self.numeric_type(), &["=", "<>", "<", ">", "<=", ">="][..]),
            false => (self.data_type(2), &["=", "<>"][..]),
        };
        let operator = self.random.word(operators);
        let (left, right) = (self.expression(&compared, left), self.expression(&compared, right));
        binary(&Type::Bool, operator, left, right)
    }

    fn character(&mut self, size: usize) -> Expr {
        if self.random.chance(1, 2) {
            let inner = self.expression(&Type::Char, size);
            return Expr::apply(Type::Char, self.random.word(&["Char.toUpper", "Char.toLower"]), vec![inner]);
        }
        let int = Type::Integer(Width::Int);
        let number = self.expression(&int, size);
        let masked = binary(&int, "&&&", number, Expr::constant(int.clone(), "31"));
        let code = binary(&int, "+", masked, Expr::constant(int.clone(), "65"));
        Expr::apply(Type::Char, "char", vec![code])
    }

    fn text(&mut self, size: usize) -> Expr {
        let [first, second] = self.split(size);
        match self.random.below(5) {
            4 if self.style == Style::Mixed => {
                let text = self.formatted(Type::String, "sprintf", size);
                Expr::apply(Type::String, "cut", vec![text])
            }
            0 => {
                let both = [first, second].map(|size| self.expression(&Type::String, size));
                Expr::apply(Type::String, "cat", both.into())
            }
            1 => {
                let copied = self.expression(&Type::String, first);
                let count = Expr::constant(Type::Integer(Width::Int), self.random.below(3).to_string());
                let copies = Expr::apply(Type::String, "String.replicate", vec![count, copied]);
                Expr::apply(Type::String, "cat", vec![copies, self.leaf(&Type::String)])
            }
            _ => {
                let mut parts = Vec::new();
                for size in [first, second] {
                    parts.push(Part::Text((self.random.word(&["", "x", " = ", "{{", ",", "\u{e9}"])).to_owned()));
                    parts.push(self.interpolated(size));
                }
                Expr::new(Type::String, Kind::Text(parts))
            }
        }
    }

    fn interpolated(&mut self, size: usize) -> Part {
        if self.style == Style::State {
            let ty = if self.random.chance(1, 4) { Type::Bool } else { self.numeric_type() };
            return Part::Value(self.expression(&ty, size), None);
        }
        match self.random.below(6) {
            0 => Part::Value(self.expression(&Type::Char, size), None),
            1 => Part::Value(self.expression(&Type::Bool, size), None),
            2 => Part::Value(self.expression(&Type::Float, size), *self.random.pick(&[None, Some("F3"), Some("E2")])),
            _ => {
                let width = self.width();
                let format = *self.random.pick(&[None, None, Some("D4"), Some("X"), Some("x6"), Some("B")]);
                Part::Value(self.expression(&Type::Integer(width), size), format)
            }
        }
    }

    fn float(&mut self, ty: &Type, size: usize) -> Expr {
        let [left, right] = self.split(size);
        match self.random.below(10) {
            0..=4 => {
                let operator = self.random.word(&["+", "-", "*", "/", "%", "**"]);
                let (left, right) = (self.expression(ty, left), self.expression(ty, right));
                binary(ty, operator, left, right)
            }
            5 => {
                let name =
                    self.random.word(&["sqrt", "abs", "floor", "ceil", "round", "truncate", "exp", "log", "sin"]);
                let inner = self.expression(ty, size);
                Expr::apply(ty.clone(), name, vec![inner])
            }
            6 => {
                let both = [left, right].map(|size| self.expression(ty, size));
                Expr::apply(ty.clone(), self.random.word(&["min", "max"]), both.into())
            }
            7 => {
                let inner = self.expression(ty, size);
                Expr::new(ty.clone(), Kind::Prefix("-", Box::new(inner)))
            }
            _ => {
                let from = if self.random.chance(1, 5) { self.measured_type() } else { self.numeric_type() };
                let inner = self.expression(&from, size);
                Expr::apply(ty.clone(), if *ty == Type::Float { "float" } else { "float32" }, vec![inner])
            }
        }
    }

    fn computed(&mut self, width: Width, size: usize) -> Expr {
        let ty = Type::Integer(width);
        let int = Type::Integer(Width::Int);
        let [left, right] = self.split(size);
        let forms = if self.style == Style::State {
            [0, 1, 2, 3, 5, 7, 8, 9, 12][self.random.below(9)]
        } else {
            self.random.below(17)
        };
        match forms {
            14 => self.bits(width, size),
            15 if width == Width::Int => {
                let counted = Type::Integer(*self.random.pick(&WIDTHS));
                let name = self.random.word(&["Bits.count", "Bits.leadingZeros", "Bits.trailingZeros"]);
                let inner = self.expression(&counted, size);
                Expr::apply(ty, name, vec![inner])
            }
            16 => {
                let both = [left, right].map(|size| self.expression(&ty, size));
                Expr::apply(ty, self.random.word(&["Saturating.add", "Saturating.subtract"]), both.into())
            }
            0..=4 => {
                let operator = self.random.word(&["+", "-", "*", "&&&", "|||", "^^^"]);
                let (left, right) = (self.expression(&ty, left), self.expression(&ty, right));
                binary(&ty, operator, left, right)
            }
            5 => {
                // An odd divisor is not zero.
                let (left, right) = (self.expression(&ty, left), self.expression(&ty, right));
                let odd = binary(&ty, "|||", right, Expr::constant(ty.clone(), width.literal(1)));
                binary(&ty, self.random.word(&["/", "%"]), left, odd)
            }
            6 => {
                let (left, amount) = (self.expression(&ty, left), self.expression(&int, right));
                binary(&ty, self.random.word(&["<<<", ">>>"]), left, amount)
            }
            7 => {
                let both = [left, right].map(|size| self.expression(&ty, size));
                Expr::apply(ty, self.random.word(&["min", "max"]), both.into())
            }
            8 => {
                let prefix = if width.is_signed() && self.random.chance(1, 2) { "-" } else { "~~~" };
                let inner = self.expression(&ty, size);
                Expr::new(ty, Kind::Prefix(prefix, Box::new(inner)))
            }
            9 if width == Width::Int => {
                let text = self.expression(&Type::String, size);
                Expr::apply(ty, "String.length", vec![text])
            }
            10 if width == Width::Int => {
                let compared = self.data_type(2);
                let both = [left, right].map(|size| self.expression(&compared, size));
                Expr::apply(ty, "compare", both.into())
            }
            11 => {
                let inner = self.expression(&Type::Char, size);
                Expr::apply(ty, width.name(), vec![inner])
            }
            _ => {
                let measured = self.style == Style::Mixed && self.random.chance(1, 6);
                let from = if measured { self.measured_type() } else { self.numeric_type() };
                let inner = self.expression(&from, size);
                Expr::apply(ty, width.name(), vec![inner])
            }
        }
    }

    /// The bits of a number reordered, or one of them changed.
    fn bits(&mut self, width: Width, size: usize) -> Expr {
        let ty = Type::Integer(width);
        let [number, place] = self.split(size);
        let number = self.expression(&ty, number);
        if self.random.chance(1, 3) {
            return Expr::apply(ty, self.random.word(&["Bits.reverse", "Bits.reverseBytes"]), vec![number]);
        }
        let place = self.expression(&Type::Integer(Width::Int), place);
        let name = self.random.word(&["Bits.rotateLeft", "Bits.rotateRight", "Bits.set", "Bits.clear", "Bits.toggle"]);
        Expr::apply(ty, name, vec![place, number])
    }

    fn function_value(&mut self, ty: &Type, size: usize) -> Expr {
        let (parameters, result) = ty.spine();
        if let ([Type::Integer(one), Type::Integer(other)], Type::Integer(result)) = (parameters.as_slice(), &result)
            && one == other
            && one == result
            && self.style == Style::Mixed
            && self.random.chance(1, 2)
        {
            return Expr::name(ty.clone(), self.random.word(&["(+)", "(*)", "(-)", "(&&&)", "max", "Saturating.add"]));
        }
        if let Type::Function(from, to) = ty
            && from.order() == 0
            && self.random.chance(1, 4)
        {
            let around = std::mem::replace(&mut self.barrier, self.scope.len());
            let calls = std::mem::take(&mut self.recursive_calls);
            let (arms, _) = self.within(unknown_cost(ty) - 1, |generator| generator.arms(from, to, size));
            self.barrier = around;
            self.recursive_calls = calls;
            return Expr::new(ty.clone(), Kind::Cases(arms));
        }
        self.lambda(ty, size, true)
    }

    /// A record type with a field of this type, and that field.
    pub(super) fn field_of_type(&mut self, ty: &Type) -> Option<(Type, String)> {
        let mut found = Vec::new();
        for (place, declaration) in self.declarations.iter().enumerate() {
            if declaration.parameters > 0 {
                continue;
            }
            let record = Type::Declared(place, Vec::new());
            if let Made::Fields(fields) = made(&record, &self.declarations) {
                let fitting = fields.iter().filter(|(_, field)| field == ty);
                found.extend(fitting.map(|(name, _)| (record.clone(), (*name).to_owned())));
            }
        }
        if found.is_empty() { None } else { Some(self.random.pick(&found).clone()) }
    }

    /// A call of the library that returns the type.
    pub(super) fn library(&mut self, ty: &Type, size: usize) -> Option<Expr> {
        let [first, second] = self.split(size);
        let from = self.data_type(1);
        let step = function(std::slice::from_ref(&from), ty.clone());
        if !self.charge(unknown_cost(&step) + 4) {
            return None;
        }
        if let Type::Library(Library::Option, parts) = ty
            && self.random.chance(1, 2)
        {
            let (name, f) = match self.random.below(3) {
                0 => ("Option.map", function(std::slice::from_ref(&from), parts[0].clone())),
                1 => ("Option.bind", step),
                _ => {
                    let condition = self.lambda_of(&parts[0], &Type::Bool, first);
                    let value = self.expression(ty, second);
                    return Some(Expr::apply(ty.clone(), "Option.filter", vec![condition, value]));
                }
            };
            let f = self.expression(&f, first);
            let value = self.expression(&option(from), second);
            return Some(Expr::apply(ty.clone(), name, vec![f, value]));
        }
        Some(match self.random.below(6) {
            0 => Expr::apply(ty.clone(), "id", vec![self.expression(ty, size)]),
            1 => {
                let (value, otherwise) = (self.expression(&option(ty.clone()), first), self.expression(ty, second));
                Expr::apply(ty.clone(), "defaultArg", vec![value, otherwise])
            }
            2 => {
                let otherwise = self.lambda_of(&Type::Unit, ty, first);
                let value = self.expression(&option(ty.clone()), second);
                Expr::apply(ty.clone(), "Option.defaultWith", vec![otherwise, value])
            }
            3 => {
                let folder = function(&[ty.clone(), from.clone()], ty.clone());
                let folder = self.expression(&folder, first);
                let (state, value) = (self.leaf(ty), self.expression(&option(from), second));
                Expr::apply(ty.clone(), "Option.fold", vec![folder, state, value])
            }
            4 => {
                let result = Type::Library(Library::Result, vec![ty.clone(), from.clone()]);
                let otherwise = self.expression(&function(&[from], ty.clone()), first);
                let value = self.expression(&result, second);
                Expr::apply(ty.clone(), "Result.defaultWith", vec![otherwise, value])
            }
            _ => {
                let pair = Type::Tuple(vec![from.clone(), from.clone()]);
                let f = self.expression(&function(&[from.clone(), from], ty.clone()), first);
                let pair = self.expression(&pair, second);
                binary(ty, "||>", pair, f)
            }
        })
    }

    fn lambda_of(&mut self, parameter: &Type, result: &Type, size: usize) -> Expr {
        let ty = function(std::slice::from_ref(parameter), result.clone());
        self.lambda(&ty, size, true)
    }

    /// An element of a collection of four.
    pub(super) fn element(&mut self, ty: &Type, size: usize) -> Expr {
        let [items, index] = self.split(size);
        let family = *self.random.pick(&[Library::List, Library::Array]);
        let items = (0..4).map(|_| self.expression(ty, items / 4)).collect();
        let items = Expr::new(Type::Library(family, vec![ty.clone()]), Kind::Items(items));
        let int = Type::Integer(Width::Int);
        let index = self.expression(&int, index);
        let index = binary(&int, "&&&", index, Expr::constant(int.clone(), "3"));
        Expr::new(ty.clone(), Kind::Index(Box::new(items), Box::new(index)))
    }

    /// A slice of a collection; it may exceed the bounds.
    fn slice(&mut self, whole: Expr) -> Expr {
        let ends = [0, 1].map(|_| {
            let bound = self.random.chance(2, 3).then(|| self.random.between(0, 3).to_string());
            bound.map(|bound| Box::new(Expr::constant(Type::Integer(Width::Int), bound)))
        });
        let [first, last] = ends;
        match (first, last) {
            (None, None) => whole,
            (first, last) => Expr::new(whole.ty.clone(), Kind::Slice(Box::new(whole), first, last)),
        }
    }

    /// A pattern of literals of a type, if it has literals.
    pub(super) fn literal_pattern(&mut self, ty: &Type) -> Option<Pattern> {
        let text = match ty {
            Type::Bool => (self.random.word(&["true", "false"])).to_owned(),
            Type::Char => (*self.random.pick(&CHARS)).to_owned(),
            Type::String => (*self.random.pick(&STRINGS)).to_owned(),
            Type::Integer(Width::Uint) => return None,
            Type::Integer(width) => {
                let value =
                    if width.is_signed() && self.random.chance(1, 4) { -1 } else { self.random.below(5) as i128 };
                width.literal(value)
            }
            Type::Declared(declaration, _) => match &self.declarations[*declaration] {
                Declaration { name, shape: Shape::Enum(_, cases), .. } => {
                    let (case, _) = self.random.pick(cases);
                    format!("{name}.{case}")
                }
                Declaration { shape: Shape::Record(_) | Shape::Union(_), .. } => return None,
            },
            Type::Measured(base, measure) if !base.is_float() => format!("{}<{}>", base.literal(3), measure.text()),
            Type::Unit | Type::Float | Type::Single | Type::Tuple(_) | Type::Function(..) => return None,
            Type::Measured(..) | Type::Library(..) | Type::Variable(_) => return None,
        };
        Some(Pattern::Literal(text))
    }
}
