//! A small program after optimisation, and what the tests look at in it.

use clef_core::{Callee, Function, FunctionId, Program, Rhs, print};
use clef_optimise::{Level, simplify};
use clef_testing::checked;
use std::fmt::{self, Display};

/// What every program begins with: a number that the optimiser does not know, and its output.
const BEGINNING: &str = "\
let [<NoInline>] opaque (n: int) = n
let show (n: int) = Console.writeln (Format.int n)
";

/// An optimised program; it prints as its listing.
pub(crate) struct Optimised {
    /// The program.
    pub(crate) program: Program,
    /// The program before.
    before: Program,
}

/// Optimises a program for speed. At every level it behaves like its PSG.
pub(crate) fn optimised(text: &str) -> Optimised {
    simplified(text, Level::Speed)
}

/// Simplifies a program at a level. At every level it behaves like its PSG.
pub(crate) fn simplified(text: &str, level: Level) -> Optimised {
    let checked = checked("a.clef", &(BEGINNING.to_owned() + &without_indentation(text)));
    let before = checked.core();
    let behaviour = checked.run("");
    let simplified = |level| {
        let program = simplify(before.clone(), level);
        assert_eq!(checked.run_core(&program, ""), behaviour, "{level:?}:\n{}", print::print(&program));
        program
    };
    for other in [Level::Debug, Level::Speed, Level::Size] {
        if other != level {
            simplified(other);
        }
    }
    Optimised { program: simplified(level), before }
}

/// A text without the indentation that all its lines have.
fn without_indentation(text: &str) -> String {
    let width = |line: &str| line.len() - line.trim_start().len();
    let common = text.lines().filter(|line| !line.trim().is_empty()).map(width).min().unwrap_or(0);
    text.lines().map(|line| line.get(common..).unwrap_or_default().to_owned() + "\n").collect()
}

fn find(program: &Program, name: &str) -> Option<FunctionId> {
    program.functions.iter().find(|(_, function)| function.name.as_str() == name).map(|(id, _)| id)
}

impl Optimised {
    /// The program before.
    pub(crate) fn before(&self) -> Optimised {
        Optimised { program: self.before.clone(), before: self.before.clone() }
    }

    /// The function of this name, which exists before the optimisation or after it.
    fn find(&self, name: &str) -> Option<FunctionId> {
        let found = find(&self.program, name);
        assert!(found.or(find(&self.before, name)).is_some(), "there was never a {name}:\n{self}");
        found
    }

    fn id(&self, name: &str) -> FunctionId {
        self.find(name).unwrap_or_else(|| panic!("there is no {name} left:\n{self}"))
    }

    /// Whether a function of this name is left.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The function of this name.
    pub(crate) fn function(&self, name: &str) -> &Function {
        &self.program.functions[self.id(name)]
    }

    /// The names of the captures and parameters of a function.
    pub(crate) fn inputs(&self, name: &str) -> Vec<&str> {
        let function = self.function(name);
        let inputs = function.captures().iter().chain(&function.params);
        inputs.map(|input| function.locals[*input].name.as_str()).collect()
    }

    /// The number of functions whose name contains this.
    pub(crate) fn named(&self, part: &str) -> usize {
        self.program.functions.values().filter(|function| function.name.as_str().contains(part)).count()
    }

    /// The number of places that create closures with captures.
    pub(crate) fn closures(&self) -> usize {
        let mut count = 0;
        self.program.functions.values().for_each(|function| function.body.each_closure(&mut |_, _| count += 1));
        count
    }

    /// The number of calls for whose callee this holds.
    fn calls(&self, wanted: impl Fn(&Callee) -> bool) -> usize {
        let mut count = 0;
        for function in self.program.functions.values() {
            function.body.each_call(&mut |call| count += usize::from(wanted(&call.callee)));
        }
        count
    }

    /// The number of calls of closures whose code is not known.
    pub(crate) fn unknown_calls(&self) -> usize {
        self.calls(|callee| matches!(callee, Callee::Closure(_)))
    }

    /// The number of places that read the arity of a closure.
    pub(crate) fn arities(&self) -> usize {
        let mut count = 0;
        for function in self.program.functions.values() {
            let mut add = |is_arity| count += usize::from(is_arity);
            function.body.each_statement(&mut |statement| add(matches!(statement.rhs(), Some(Rhs::Arity(_)))));
        }
        count
    }

    /// The number of direct calls of a function.
    pub(crate) fn calls_of(&self, name: &str) -> usize {
        let id = self.find(name);
        self.calls(|callee| matches!(callee, Callee::Known(called) | Callee::Direct(called, _) if Some(*called) == id))
    }

    /// The number of lines in the listing of a function, except for the first one, that contain this.
    pub(crate) fn lines(&self, name: &str, part: &str) -> usize {
        let listing = print::print_function(&self.program, self.id(name));
        listing.lines().skip(1).filter(|line| line.contains(part)).count()
    }
}

impl Display for Optimised {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&print::print(&self.program))
    }
}
