//! What the program under construction defines so far.

use clef_base::{HashMap, Symbol};
use clef_core::{Allocation, Function, Global};
use la_arena::Arena;

/// The functions, globals and allocations of Core, and the names of the first two, which are unique.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) functions: Arena<Function>,
    pub(super) globals: Arena<Global>,
    pub(super) allocations: Arena<Allocation>,
    /// The number of uses of each name.
    names: HashMap<Symbol, usize>,
}

impl Declarations {
    /// A name that is unique among functions and globals.
    pub(super) fn unique_name(&mut self, name: &str) -> Symbol {
        let symbol = Symbol::new(name);
        let count = self.names.entry(symbol).or_insert(0);
        *count += 1;
        match *count {
            1 => symbol,
            count => {
                let numbered = format!("{name}.{count}");
                self.unique_name(&numbered)
            }
        }
    }
}
