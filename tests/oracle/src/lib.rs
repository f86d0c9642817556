//! The oracle: random well-typed programs, which must do on every target what they do on the reference interpreter.
//!
//! [`generate`] makes programs, [`batch`] puts many into the source files of one image and parts what they write, [`reference`] runs
//! the files on the interpreter, [`compiled`] on a board, [`machine`] on the machine that runs Core, [`run`] compares the two, [`peaks`] compares the memory that
//! loops take, and [`minimise`] cuts a program down to what still shows a difference. [`mutate`] makes texts that are
//! nearly right, [`robust`] says what must hold for them, and [`trial`] tries many. All of it depends on a seed only.
//!
//! The generator is known to find, within some hundred programs: mutable fields that are read when a closure is made and not
//! when it runs; cells that a closure owns and that evacuation moves with it; calls before all arguments are evaluated (OCaml
//! judges); trampolines whose names two signatures share; lost checks of vectorised loops; module-level state that is not
//! evacuated beside interrupts (`--peaks`).

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
