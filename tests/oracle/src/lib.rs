//! The oracle: random well-typed programs, which must behave on every target as on the reference interpreter.
//!
//! [`generate`] makes programs, [`batch`] puts many into the source files of one image and splits their output,
//! [`reference`] runs the files on the interpreter, [`compiled`] on a board, [`machine`] on the machine that runs Core,
//! [`run`] compares the two, [`peaks`] compares the memory use of loops, and [`minimise`] reduces a program that shows
//! a difference. [`mutate`] makes texts that are nearly valid, [`robust`] checks the properties that must hold for
//! them, and [`trial`] runs many. All of it depends only on a seed.
//!
//! The generator is known to find, within a few hundred programs:
//! - mutable fields that are read when a closure is made instead of when it runs;
//! - cells that a closure owns and that evacuation moves with it;
//! - calls before all arguments are evaluated (with OCaml as the judge);
//! - trampolines whose names two signatures share;
//! - lost checks of vectorised loops;
//! - module-level state that is not evacuated while there are interrupts (`--peaks`).

pub mod batch;
pub mod compiled;
pub mod foreign;
pub mod generate;
mod machine;
pub mod minimise;
pub mod mutate;
pub mod ocaml;
pub mod peaks;
mod prelude;
mod print;
pub mod process;
pub mod random;
pub mod reference;
pub mod robust;
pub mod run;
mod show;
pub mod tree;
pub mod trial;
pub mod types;
