//! What a compilation makes, and what else came of it.

use crate::emit::Emit;
use clef_image::{MemoryTable, bound::Bounds, size::Sizes};
use clef_psg::TestCase;

/// Something that a compilation makes.
pub enum Product {
    /// For people.
    Text(String),
    /// For machines.
    Bytes(Vec<u8>),
}

/// What came of a compilation.
#[derive(Default)]
pub struct Compilation {
    /// The wanted products, in the order of the pipeline.
    pub products: Vec<(Emit, Product)>,
    /// What the image takes of the board's memory, if one was linked.
    pub memory: Option<MemoryTable>,
    /// How much memory it can need, if one was linked.
    pub bounds: Option<Bounds>,
    /// What the bytes of the image are spent on, if one was linked.
    pub sizes: Option<Sizes>,
    /// Whether the program talks over the board's serial line.
    pub uses_uart: bool,
    /// Whether it has an entry point, which is given the arguments.
    pub has_entry: bool,
    /// Its tests, in the order of their numbers.
    pub tests: Vec<TestCase>,
}

/// A compilation as far as it is done.
pub(crate) struct Products<'a> {
    wanted: &'a [Emit],
    /// What came of it so far.
    pub(crate) done: Compilation,
}

impl<'a> Products<'a> {
    /// None made yet.
    pub(crate) fn new(wanted: &'a [Emit]) -> Products<'a> {
        Products { wanted, done: Compilation::default() }
    }

    /// Makes a text, if it is wanted.
    pub(crate) fn text(&mut self, emit: Emit, make: impl FnOnce() -> String) {
        if self.wanted.contains(&emit) {
            self.done.products.push((emit, Product::Text(make())));
        }
    }

    /// Makes bytes, if they are wanted.
    pub(crate) fn bytes(&mut self, emit: Emit, make: impl FnOnce() -> Vec<u8>) {
        if self.wanted.contains(&emit) {
            self.done.products.push((emit, Product::Bytes(make())));
        }
    }

    /// Whether something that is made at this step or after it is wanted.
    pub(crate) fn goes_on(&self) -> bool {
        self.done.products.len() < self.wanted.len()
    }
}
