//! Checks trees against the definition: for many random matches and all small values, the tree finds the same row and
//! bindings as trying the patterns in order, and repeats no test.

use super::{Constructor, Node, Occurrence, Step, Tree, compile};
use clef_base::{HashMap, HashSet, Span, Symbol};
use clef_psg::{Literal, Marks, Mutability, Pattern, PatternId, PatternKind, Psg, Scope, Variable, VariableId};
use clef_types::{Case, CaseId, DeclaredKind, DeclaredType, Type, TypeKind};
use fastrand::Rng;

/// A value of the type `(bool * int) * shape`, where `shape` has the cases `Empty`, `One of int` and `Two of bool * shape`.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    Bool(bool),
    Integer(i128),
    Tuple(Vec<Value>),
    Case(usize, Vec<Value>),
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Bool,
    Integer,
    Pair,
    Union,
    Whole,
}

/// A program that only contains patterns, and a random number generator.
struct Maker {
    psg: Psg,
    unit: Type,
    cases: [CaseId; 3],
    chance: Rng,
}

impl Maker {
    fn new(seed: u64) -> Maker {
        let mut psg = Psg::default();
        let unit = psg.types.intern(TypeKind::Unit);
        let name = Symbol::new("shape");
        let declared = DeclaredType {
            name,
            parameters: vec![],
            kind: DeclaredKind::Union,
            cases: vec![],
            library: false,
            boxed: false,
            span: Span::default(),
        };
        let owner = psg.declared_types.alloc(declared);
        let mut case = |tag: u32, fields: usize| {
            let fields = vec![(None, unit); fields];
            psg.cases.alloc(Case { name, owner, tag, fields, mutable: vec![], span: Span::default() })
        };
        let cases = [case(0, 0), case(1, 1), case(2, 2)];
        psg.declared_types[owner].cases = cases.to_vec();
        Maker { psg, unit, cases, chance: Rng::with_seed(seed) }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.chance.u64(..bound)
    }

    fn variable(&mut self) -> VariableId {
        self.psg.variables.alloc(Variable {
            name: Symbol::new("x"),
            path: Symbol::new("x"),
            ty: self.unit,
            generics: vec![],
            mutability: Mutability::Immutable,
            scope: Scope::Local,
            arity: None,
            marks: Marks::default(),
            span: Span::default(),
        })
    }

    fn alloc(&mut self, kind: PatternKind) -> PatternId {
        self.psg.patterns.alloc(Pattern { kind, ty: self.unit, span: Span::default() })
    }

    fn literal(&mut self, literal: Literal) -> PatternId {
        self.alloc(PatternKind::Literal(literal))
    }

    /// A random pattern; within an or-pattern none binds.
    fn pattern(&mut self, shape: Shape, depth: u64, binds: bool) -> PatternId {
        match self.below(8) {
            0 => return self.alloc(PatternKind::Wildcard),
            1 if binds => {
                let variable = self.variable();
                return self.alloc(PatternKind::Variable(variable));
            }
            2 if depth > 0 => {
                let (left, right) = (self.pattern(shape, depth - 1, false), self.pattern(shape, depth - 1, false));
                return self.alloc(PatternKind::Or(left, right));
            }
            3 if depth > 0 => {
                let (left, right) = (self.pattern(shape, depth - 1, binds), self.pattern(shape, depth - 1, binds));
                return self.alloc(PatternKind::And(left, right));
            }
            4 if binds && depth > 0 => {
                let (inner, variable) = (self.pattern(shape, depth - 1, binds), self.variable());
                return self.alloc(PatternKind::As(inner, variable));
            }
            _ => {}
        }
        match shape {
            Shape::Bool => {
                let value = self.below(2) == 0;
                self.literal(Literal::Bool(value))
            }
            Shape::Integer => {
                let value = i128::from(self.below(3));
                self.literal(Literal::Integer(value))
            }
            Shape::Pair | Shape::Whole => {
                let (one, other) = match shape {
                    Shape::Pair => (Shape::Bool, Shape::Integer),
                    Shape::Bool | Shape::Integer | Shape::Union | Shape::Whole => (Shape::Pair, Shape::Union),
                };
                let depth = depth.saturating_sub(1);
                let parts = vec![self.pattern(one, depth, binds), self.pattern(other, depth, binds)];
                self.alloc(PatternKind::Tuple(parts))
            }
            Shape::Union => {
                let tag = if depth == 0 { 0 } else { self.below(3) as usize };
                let depth = depth.saturating_sub(1);
                let fields = match tag {
                    0 => vec![],
                    1 => vec![self.pattern(Shape::Integer, depth, binds)],
                    _ => vec![self.pattern(Shape::Bool, depth, binds), self.pattern(Shape::Union, depth, binds)],
                };
                self.alloc(PatternKind::Case { case: self.cases[tag], fields })
            }
        }
    }

    /// Matches by the definition.
    fn matches(&self, pattern: PatternId, value: &Value, bound: &mut HashMap<VariableId, Value>) -> bool {
        match (&self.psg.patterns[pattern].kind, value) {
            (PatternKind::Wildcard, _) => true,
            (PatternKind::Variable(variable), _) => {
                bound.insert(*variable, value.clone());
                true
            }
            (PatternKind::Literal(Literal::Bool(wanted)), Value::Bool(found)) => wanted == found,
            (PatternKind::Literal(Literal::Integer(wanted)), Value::Integer(found)) => wanted == found,
            (PatternKind::Tuple(parts), Value::Tuple(values)) => {
                parts.iter().zip(values).all(|(part, value)| self.matches(*part, value, bound))
            }
            (PatternKind::Case { case, fields }, Value::Case(tag, values)) => {
                self.psg.cases[*case].tag as usize == *tag
                    && fields.iter().zip(values).all(|(field, value)| self.matches(*field, value, bound))
            }
            (PatternKind::As(inner, variable), _) => {
                bound.insert(*variable, value.clone());
                self.matches(*inner, value, bound)
            }
            (PatternKind::Or(left, right), _) => {
                self.matches(*left, value, bound) || self.matches(*right, value, bound)
            }
            (PatternKind::And(left, right), _) => {
                self.matches(*left, value, bound) && self.matches(*right, value, bound)
            }
            (pattern, value) => panic!("{pattern:?} against {value:?}"),
        }
    }
}

fn unions(depth: usize) -> Vec<Value> {
    let mut values = vec![Value::Case(0, vec![])];
    values.extend((0..4).map(|number| Value::Case(1, vec![Value::Integer(number)])));
    if depth > 0 {
        for inner in unions(depth - 1) {
            values.extend([true, false].map(|flag| Value::Case(2, vec![Value::Bool(flag), inner.clone()])));
        }
    }
    values
}

fn all_values() -> Vec<Value> {
    let mut values = Vec::new();
    for union in unions(2) {
        for flag in [true, false] {
            for number in 0..4 {
                let pair = Value::Tuple(vec![Value::Bool(flag), Value::Integer(number)]);
                values.push(Value::Tuple(vec![pair, union.clone()]));
            }
        }
    }
    values
}

fn part(value: &Value, occurrence: &Occurrence) -> Value {
    let Some((parent, step)) = occurrence.split() else { return value.clone() };
    match (part(value, &parent), step) {
        (Value::Tuple(parts), Step::Component(index)) => parts[index].clone(),
        (Value::Case(tag, fields), Step::Field { case, field }) if case.1 == tag => fields[field].clone(),
        (value, step) => panic!("{step:?} into {value:?}"),
    }
}

fn is(value: &Value, constructor: &Constructor) -> bool {
    match (value, constructor) {
        (Value::Bool(value), Constructor::Bool(wanted)) => value == wanted,
        (Value::Integer(value), Constructor::Integer(wanted)) => value == wanted,
        (Value::Case(value, _), Constructor::Case { tag, .. }) => value == tag,
        (value, constructor) => panic!("{constructor:?} against {value:?}"),
    }
}

/// The row and the bindings that a tree finds, without repeating a test.
fn follow(tree: &Tree, value: &Value) -> Option<(usize, HashMap<VariableId, Value>)> {
    let mut tested = HashSet::default();
    let mut at = tree.root();
    loop {
        match tree.node(at) {
            Node::Fail => return None,
            Node::Leaf { row, bindings } => {
                let bound = bindings.iter().map(|(variable, place)| (*variable, part(value, place)));
                return Some((*row, bound.collect()));
            }
            Node::Switch { occurrence, cases, default } => {
                assert!(tested.insert(occurrence.clone()), "a place is tested twice");
                let found = part(value, occurrence);
                let case = cases.iter().find(|(constructor, _)| is(&found, constructor)).map(|(_, next)| *next);
                at = case.or(*default).expect("a switch without default must cover all cases");
            }
        }
    }
}

#[test]
fn trees_find_what_the_definition_finds() {
    let values = all_values();
    for seed in 0..300 {
        let mut maker = Maker::new(seed);
        let count = 1 + maker.below(5);
        let patterns: Vec<_> = (0..count).map(|_| maker.pattern(Shape::Whole, 3, true)).collect();
        let tree = compile(&maker.psg, &patterns).expect("it is small");
        for value in &values {
            let expected = patterns.iter().enumerate().find_map(|(row, pattern)| {
                let mut bound = HashMap::default();
                maker.matches(*pattern, value, &mut bound).then_some((row, bound))
            });
            assert_eq!(follow(&tree, value), expected, "seed {seed}, value {value:?}");
        }
    }
}

#[test]
fn an_arm_with_or_patterns_is_one_row_reached_twice() {
    let mut maker = Maker::new(0);
    let (one, two) = (maker.literal(Literal::Integer(1)), maker.literal(Literal::Integer(2)));
    let (either, rest) = (maker.alloc(PatternKind::Or(one, two)), maker.alloc(PatternKind::Wildcard));
    let tree = compile(&maker.psg, &[either, rest]).expect("it is small");
    assert_eq!(tree.uses(2), [2, 1]);
    assert_eq!(tree.failures(), 0);
}

/// Each row tests two neighbours of a long tuple: without shared subtrees this tree has 2^n nodes.
#[test]
fn ways_that_lead_to_the_same_rows_share_a_node() {
    let mut maker = Maker::new(0);
    let count = 40;
    let mut patterns = Vec::new();
    for row in 0..count {
        let asks = |column: usize| column == row || column == (row + 1) % count;
        let columns = (0..count).map(|column| match asks(column) {
            true => maker.literal(Literal::Bool(true)),
            false => maker.alloc(PatternKind::Wildcard),
        });
        let columns = columns.collect();
        patterns.push(maker.alloc(PatternKind::Tuple(columns)));
    }
    let tree = compile(&maker.psg, &patterns).expect("it is small");
    assert!(tree.nodes.len() < 20 * count, "{} nodes", tree.nodes.len());
}

/// The variables of an or-pattern are at different occurrences in each alternative.
#[test]
fn too_many_ways_are_given_up() {
    let mut maker = Maker::new(0);
    let columns = (0..30).map(|_| {
        let variable = maker.variable();
        let mut side = |tag: usize, before: usize| {
            let mut fields = vec![maker.alloc(PatternKind::Wildcard); before];
            fields.push(maker.alloc(PatternKind::Variable(variable)));
            maker.alloc(PatternKind::Case { case: maker.cases[tag], fields })
        };
        let (one, two) = (side(1, 0), side(2, 1));
        maker.alloc(PatternKind::Or(one, two))
    });
    let columns = columns.collect();
    let pattern = maker.alloc(PatternKind::Tuple(columns));
    assert_eq!(compile(&maker.psg, &[pattern]), None);
}
