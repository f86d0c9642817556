//! Derivations that end: `svd-parser` follows them without a limit.

use crate::resolve::Error;
use svd_parser::expand::{BlockPath, FieldPath, Index, RegisterPath};

/// The longest chain of derivations.
const LONGEST: usize = 64;

/// Follows a chain: each step returns what the next part is derived from.
fn follow<P: std::fmt::Display>(first: P, next: impl Fn(&P) -> Option<P>) -> Result<(), Error> {
    let name = first.to_string();
    let mut part = Some(first);
    for _ in 0..LONGEST {
        let Some(present) = part else { return Ok(()) };
        part = next(&present);
    }
    Err(format!("`{name}` is derived from itself, or over more than {LONGEST} steps").into())
}

/// Checks the derivations of a peripheral.
pub(crate) fn peripheral(from: &str, index: &Index<'_>) -> Result<(), Error> {
    follow(BlockPath::new(from), |path| {
        index.peripherals.get(path).and_then(|found| found.derived_from.as_deref()).map(BlockPath::new)
    })
}

/// Checks the derivations of a cluster.
pub(crate) fn cluster(from: &str, path: &BlockPath, index: &Index<'_>) -> Result<(), Error> {
    let at = |from: &str, within: &BlockPath| {
        let (parent, name) = BlockPath::parse_str(from);
        parent.unwrap_or_else(|| within.clone()).new_cluster(name)
    };
    follow(at(from, path), |path| {
        let from = index.clusters.get(path).and_then(|found| found.derived_from.as_deref())?;
        Some(at(from, &path.parent()?))
    })
}

/// Checks the derivations of a register.
pub(crate) fn register(from: &str, path: &BlockPath, index: &Index<'_>) -> Result<(), Error> {
    let at = |from: &str, within: &BlockPath| {
        let (block, name) = RegisterPath::parse_str(from);
        block.unwrap_or_else(|| within.clone()).new_register(name)
    };
    follow(at(from, path), |path| {
        let from = index.registers.get(path).and_then(|found| found.derived_from.as_deref())?;
        Some(at(from, &path.block))
    })
}

/// Checks the derivations of a field.
pub(crate) fn field(from: &str, path: &RegisterPath, index: &Index<'_>) -> Result<(), Error> {
    let at = |from: &str, within: &RegisterPath| {
        let (register, name) = FieldPath::parse_str(from);
        register.unwrap_or_else(|| within.clone()).new_field(name)
    };
    follow(at(from, path), |path| {
        let from = index.fields.get(path).and_then(|found| found.derived_from.as_deref())?;
        Some(at(from, path.register()))
    })
}
