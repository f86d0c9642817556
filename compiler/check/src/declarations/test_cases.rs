//! Tests: functions marked `[<Test>]`, and a program that runs them.
//!
//! A program that runs its tests initialises its modules as usual. Then, in place of its entry point, it passes the tests in
//! order to the library, which runs the selected ones.

use crate::{checker::Checker, declarations::attributes::Attributes, names::library::LibraryFunction};
use clef_base::{Diagnostic, Span, codes};
use clef_infer::Ty;
use clef_psg::{ExpectedTrap, Item, Literal, NodeId, NodeKind, TestCase, VariableId};
use clef_syntax::ast::Binding;

impl Checker<'_> {
    /// Unifies the type of a test with `unit -> unit` before generalisation.
    pub(crate) fn constrain_test(&mut self, binding: &Binding, variable: VariableId) {
        let attributes = self.binding_attributes_quietly(&binding.attributes);
        if attributes.test {
            self.constrain_to_test(binding, variable);
            self.check_beside_test(&attributes, binding);
        } else if attributes.should_trap.is_some() {
            let message = "the attribute `ShouldTrap` is only allowed on a test";
            let diagnostic = Diagnostic::error(codes::MISPLACED_ATTRIBUTE, binding.attributes[0].span, message);
            self.report(diagnostic.help("mark the function with `[<Test>]` too: `[<Test; ShouldTrap>]`"));
        }
    }

    fn constrain_to_test(&mut self, binding: &Binding, variable: VariableId) {
        let span = self.graph.psg.variables[variable].span;
        let ty = self.graph.facts(variable).ty.clone();
        let shown = self.show(&ty);
        let is_function = self.graph.psg.variables[variable].arity == Some(1) && !binding.inline;
        let fits = is_function && self.inference.unify(&test_type(), &ty).is_ok();
        if !fits {
            let shown = if binding.inline { "`inline`".to_owned() } else { format!("`{shown}`") };
            let message = format!("a test must be a function of type `unit -> unit`, found {shown}");
            let diagnostic = Diagnostic::error(codes::TEST_FORM, span, message);
            let help = match binding.inline {
                true => "remove `inline`: a test is called once",
                false => "write `let test () = …` with a body of type `unit`, such as `Assert.equal 4 (2 + 2)`",
            };
            self.report(diagnostic.help(help));
        }
    }

    /// Reports attributes that do not apply to tests.
    fn check_beside_test(&mut self, attributes: &Attributes, binding: &Binding) {
        for (other, name) in [
            (attributes.entry, "EntryPoint"),
            (attributes.literal, "Literal"),
            (attributes.export.is_some(), "Export"),
            (attributes.interrupt.is_some(), "Interrupt"),
        ] {
            if other {
                let message = format!("the attribute `{name}` has no effect on a test");
                self.report(Diagnostic::error(codes::MISPLACED_ATTRIBUTE, binding.attributes[0].span, message));
            }
        }
    }

    /// Records a test.
    pub(crate) fn test_case(&mut self, variable: VariableId, should_trap: Option<ExpectedTrap>) {
        let data = &self.graph.psg.variables[variable];
        let (name, span) = (data.path, data.span);
        self.graph.psg.tests.push(TestCase { variable, name, should_trap, span });
        self.graph.facts(variable).used = true;
    }

    /// Makes the program run its tests in place of its entry point.
    pub(crate) fn run_tests(&mut self) {
        self.graph.psg.entry = None;
        let variables: Vec<VariableId> = self.graph.psg.tests.iter().map(|test| test.variable).collect();
        for (index, variable) in (0..).zip(variables) {
            let call = self.call_of_test(index, variable);
            self.graph.psg.items.push(Item::Effect(call));
        }
    }

    fn call_of_test(&mut self, index: i128, variable: VariableId) -> NodeId {
        // Not the line of the test: a breakpoint there would also stop at the call.
        let span = Span::new(self.graph.psg.variables[variable].span.file, 0, 0);
        let index = self.graph.node(NodeKind::Literal(Literal::Integer(index)), Ty::int(), span);
        let kind = NodeKind::Variable { variable, instantiation: Vec::new() };
        let test = self.graph.node(kind, test_type(), span);
        self.library_call(LibraryFunction::TestRun, vec![index, test], span)
    }
}

fn test_type() -> Ty {
    Ty::function(Ty::unit(), Ty::unit())
}
