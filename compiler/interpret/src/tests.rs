//! Programs built by hand, for properties that must hold regardless of the checker's output.

use super::*;
use clef_base::Symbol;
use clef_psg::{
    Binding, Item, Lambda, Literal, Marks, Mutability, Node, NodeId, NodeKind, Pattern, PatternKind, Scope, Variable,
    VariableId,
};
use clef_types::{IntegerType, Primitive, Type, TypeKind};

/// A program under construction: everything of type `int`.
struct Program {
    psg: Psg,
    int: Type,
}

impl Program {
    fn new() -> Program {
        let mut psg = Psg::default();
        let int = psg.types.intern(TypeKind::Integer(IntegerType::Int));
        Program { psg, int }
    }

    fn node(&mut self, kind: NodeKind, ty: Type) -> NodeId {
        self.psg.nodes.alloc(Node { kind, ty, span: Span::default() })
    }

    fn integer(&mut self, value: i128) -> NodeId {
        self.node(NodeKind::Literal(Literal::Integer(value)), self.int)
    }

    fn variable(&mut self, name: &str, scope: Scope) -> VariableId {
        self.psg.variables.alloc(Variable {
            name: Symbol::new(name),
            path: Symbol::new(name),
            ty: self.int,
            generics: Vec::new(),
            mutability: Mutability::Immutable,
            scope,
            arity: None,
            marks: Marks::default(),
            span: Span::default(),
        })
    }

    fn read(&mut self, variable: VariableId) -> NodeId {
        self.node(NodeKind::Variable { variable, instantiation: Vec::new() }, self.int)
    }

    fn apply(&mut self, function: NodeId, arguments: Vec<NodeId>) -> NodeId {
        self.node(NodeKind::Apply { function, arguments }, self.int)
    }

    fn operation(&mut self, primitive: Primitive, left: NodeId, right: NodeId) -> NodeId {
        let one = self.psg.types.intern(TypeKind::Function(self.int, self.int));
        let two = self.psg.types.intern(TypeKind::Function(self.int, one));
        let operator = self.node(NodeKind::Primitive(primitive), two);
        self.apply(operator, vec![left, right])
    }

    fn lambda(&mut self, params: Vec<VariableId>, body: NodeId) -> NodeId {
        let lambda = Lambda { name: None, params, body, captures: Vec::new(), span: Span::default() };
        let lambda = self.psg.lambdas.alloc(lambda);
        self.node(NodeKind::Lambda(lambda), self.int)
    }

    /// `let rec f n = if n = 0 then 0 else …`, and the program that exits with `f count`.
    fn recursion(count: i128, step: impl FnOnce(&mut Program, NodeId) -> NodeId) -> Program {
        let mut program = Program::new();
        let (function, n) = (program.variable("f", Scope::Module), program.variable("n", Scope::Local));
        let (zero, one, from) = (program.integer(0), program.integer(1), program.read(n));
        let condition = program.operation(Primitive::Equal, from, zero);
        let less = program.operation(Primitive::Subtract, from, one);
        let callee = program.read(function);
        let again = program.apply(callee, vec![less]);
        let otherwise = step(&mut program, again);
        let body = program.node(NodeKind::If { condition, then: zero, otherwise }, program.int);
        let value = program.lambda(vec![n], body);
        let pattern = program.psg.patterns.alloc(Pattern {
            kind: PatternKind::Variable(function),
            ty: program.int,
            span: Span::default(),
        });
        program.psg.items.push(Item::Recursive(vec![Binding { pattern, value }]));
        let count = program.integer(count);
        let call = program.apply(callee, vec![count]);
        program.psg.items.push(Item::Effect(call));
        program
    }

    fn run(&self, limits: Limits) -> Outcome {
        let (mut input, mut output, mut errors, mut log) = (io::empty(), io::sink(), io::sink(), io::sink());
        let console =
            Console { arguments: &[], input: &mut input, output: &mut output, errors: &mut errors, log: &mut log };
        run(&self.psg, TargetFacts { word_bits: 32 }, console, limits).expect("the console never fails")
    }
}

#[test]
fn tail_calls_take_no_stack() {
    let program = Program::recursion(1_000_000, |_, again| again);
    assert_eq!(program.run(Limits { depth: 20, ..Limits::default() }), Outcome::Finished { status: 0 });
}

#[test]
fn deep_recursion_is_a_trap() {
    let endless = Program::recursion(-1, |program, again| {
        let one = program.integer(1);
        program.operation(Primitive::Add, one, again)
    });
    let overflow = Outcome::Trapped(Trap { kind: TrapKind::StackOverflow, span: None });
    assert_eq!(endless.run(Limits::default()), overflow);
}

#[test]
fn an_endless_loop_runs_out_of_fuel() {
    let endless = Program::recursion(-1, |_, again| again);
    assert_eq!(endless.run(Limits { fuel: 100_000, ..Limits::default() }), Outcome::OutOfFuel);
}

#[test]
fn division_by_zero_is_a_trap() {
    let mut program = Program::new();
    let (one, zero) = (program.integer(1), program.integer(0));
    let division = program.operation(Primitive::Divide, one, zero);
    program.psg.items.push(Item::Effect(division));
    let trap = Trap { kind: TrapKind::DivisionByZero, span: Some(Span::default()) };
    assert_eq!(program.run(Limits::default()), Outcome::Trapped(trap));
}
