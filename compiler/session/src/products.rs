//! The products of a compilation, and its other results.

use crate::emit::Emit;
use clef_image::{
    MemoryTable,
    bound::{Bounds, Calls},
    size::Sizes,
};
use clef_psg::TestCase;

/// A product of a compilation.
pub enum Product {
    /// For people.
    Text(String),
    /// For machines.
    Bytes(Vec<u8>),
    /// For other languages.
    Library(Library),
}

/// A static library.
pub struct Library {
    /// The archive of objects.
    pub archive: Vec<u8>,
    /// The header for C.
    pub header: String,
}

/// The results of a compilation.
#[derive(Default)]
pub struct Compilation {
    /// The requested products, in the order of the pipeline.
    pub products: Vec<(Emit, Product)>,
    /// The memory that the image takes on the board, if one was linked.
    pub memory: Option<MemoryTable>,
    /// The upper bounds of its memory use, if one was linked.
    pub bounds: Option<Bounds>,
    /// The functions that a run may call, with the stack that they need, if one was linked.
    pub calls: Option<Calls>,
    /// What the bytes of the image are used for, if one was linked.
    pub sizes: Option<Sizes>,
    /// Whether the program uses the board's serial line.
    pub uses_uart: bool,
    /// Whether it has an entry point, which receives the arguments.
    pub has_entry: bool,
    /// Its tests, in the order of their numbers.
    pub tests: Vec<TestCase>,
}

/// A compilation in progress.
pub(crate) struct Products<'a> {
    wanted: &'a [Emit],
    /// The results so far.
    pub(crate) done: Compilation,
}

impl<'a> Products<'a> {
    /// No products yet.
    pub(crate) fn new(wanted: &'a [Emit]) -> Products<'a> {
        Products { wanted, done: Compilation::default() }
    }

    /// Makes a text, if it is requested.
    pub(crate) fn text(&mut self, emit: Emit, make: impl FnOnce() -> String) {
        if self.wanted.contains(&emit) {
            self.done.products.push((emit, Product::Text(make())));
        }
    }

    /// Makes bytes, if they are requested.
    pub(crate) fn bytes(&mut self, emit: Emit, make: impl FnOnce() -> Vec<u8>) {
        if self.wanted.contains(&emit) {
            self.done.products.push((emit, Product::Bytes(make())));
        }
    }

    /// Whether a product of this or a later step is requested.
    pub(crate) fn goes_on(&self) -> bool {
        self.done.products.len() < self.wanted.len()
    }
}
