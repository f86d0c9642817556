//! What happened to the closures in the source of a program.
//!
//! In: the places of the lambdas and local functions of the program's own files, not of the library, and the placed
//! program compiled from them. Out: the representation of each, and their numbers. Functions of modules are not closures.

use clef_base::{HashMap, HashSet, Span};
use clef_core::{Convention, Program, Storage};

/// What represents the values of a lambda or a local function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Representation {
    /// No closure: it is called directly, or is inlined.
    Vanished,
    /// A constant in flash.
    Constant,
    /// It is stored by value where it can be overwritten.
    Stored,
    /// A closure that is allocated; in several storages, a region before a frame before static memory.
    Allocated(Storage),
}

/// The number of lambdas and local functions by storage; one with closures in several storages counts for the last of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Closures {
    /// No closure: they are called directly, or are inlined.
    pub vanished: usize,
    /// Constants in flash.
    pub constant: usize,
    /// Stored by value where they can be overwritten.
    pub stored: usize,
    /// Single instances in static memory.
    pub fixed: usize,
    /// In a frame.
    pub stack: usize,
    /// In a region.
    pub region: usize,
}

/// Counts them.
pub fn closures(written: &[Span], program: &Program) -> Closures {
    let mut closures = Closures::default();
    for representation in representations(written, program) {
        let count = match representation {
            Representation::Allocated(Storage::Region(_)) => &mut closures.region,
            Representation::Allocated(Storage::Stack) => &mut closures.stack,
            Representation::Allocated(Storage::Static) => &mut closures.fixed,
            Representation::Stored => &mut closures.stored,
            Representation::Constant => &mut closures.constant,
            Representation::Vanished => &mut closures.vanished,
        };
        *count += 1;
    }
    closures
}

/// The representation of each.
pub fn representations(written: &[Span], program: &Program) -> Vec<Representation> {
    let storages = storages(program);
    let is_constant = |convention: &Convention| match convention {
        Convention::Known | Convention::Exported(_) => false,
        Convention::Closure { captures, .. } => captures.is_empty(),
    };
    let constant = program.functions.iter().filter(|(_, function)| is_constant(&function.convention));
    let constants: HashSet<Span> = constant.map(|(_, function)| function.span).collect();
    let stored = program.stored.iter().filter_map(|stored| stored.kept.as_ref().ok());
    let stored: HashSet<Span> = stored.flat_map(|(_, places)| places).copied().collect();
    let of = |place: &Span| match storages.get(place) {
        Some(storage) => Representation::Allocated(*storage),
        None if stored.contains(place) => Representation::Stored,
        None if constants.contains(place) => Representation::Constant,
        None => Representation::Vanished,
    };
    written.iter().map(of).collect()
}

/// For each lambda, by its place, the storage of its closures, a region before a frame before static memory.
fn storages(program: &Program) -> HashMap<Span, Storage> {
    let rank = |storage: Storage| match storage {
        Storage::Static => 0,
        Storage::Stack => 1,
        Storage::Region(_) => 2,
    };
    let mut storages: HashMap<Span, Storage> = HashMap::default();
    for (_, function) in program.functions.iter() {
        function.body.each_closure(&mut |_, closure| {
            let Some(decision) = &program.allocations[closure.allocation].decision else { return };
            let known = storages.entry(program.functions[closure.function].span).or_insert(decision.storage);
            if rank(decision.storage) > rank(*known) {
                *known = decision.storage;
            }
        });
    }
    storages
}
