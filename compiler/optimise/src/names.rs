//! Names for new functions.

use clef_base::{HashMap, Symbol};
use clef_core::Program;

/// The names of the functions of a program.
pub(super) struct FunctionNames {
    /// Each name with the last number that was appended to it.
    taken: HashMap<Symbol, u32>,
}

impl FunctionNames {
    /// Collects the names of a program.
    pub(super) fn of(program: &Program) -> FunctionNames {
        FunctionNames { taken: program.functions.iter().map(|(_, function)| (function.name, 1)).collect() }
    }

    /// A name that no function has, which is then reserved.
    pub(super) fn fresh(&mut self, wanted: &str) -> Symbol {
        let wanted_symbol = Symbol::new(wanted);
        let mut name = wanted_symbol;
        let mut number = self.taken.get(&wanted_symbol).copied().unwrap_or(1);
        while self.taken.contains_key(&name) {
            number += 1;
            name = Symbol::new(&format!("{wanted}#{number}"));
        }
        self.taken.insert(wanted_symbol, number);
        self.taken.entry(name).or_insert(1);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_from_two_and_never_given_twice() {
        let mut names = FunctionNames { taken: HashMap::from_iter([(Symbol::new("f"), 1), (Symbol::new("f#3"), 1)]) };
        let given: Vec<Symbol> = ["f", "f", "g", "g", "f#2"].iter().map(|wanted| names.fresh(wanted)).collect();
        assert_eq!(given, ["f#2", "f#4", "g", "g#2", "f#2#2"].map(Symbol::new));
    }
}
