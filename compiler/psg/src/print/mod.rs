//! The program semantic graph as text, for `--emit psg` and `--emit captures`.

pub mod captures;
pub mod psg;
pub mod types;
