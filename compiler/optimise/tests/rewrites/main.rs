//! What each rewrite leaves of a small program: where it applies, and where it must not.
//!
//! `place` tests with every program of `tests/run` that behaviour does not change.

mod arms;
mod at_call;
mod capture_parts;
mod dead;
mod dead_functions;
mod dispatch;
mod fixture;
mod fuse;
mod guards;
mod inline;
mod inputs;
mod levels;
mod lift;
mod modulo_cons;
mod propagate;
mod slots;
mod specialise;
mod texts;
mod writes;
