//! Derivations that end: `svd-parser` follows them without a limit.

use crate::resolve::Error;
use svd_parser::expand::{BlockPath, EnumPath, FieldPath, Index, RegisterPath};

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

/// Checks the derivations of the values of a field.
pub(crate) fn values(from: &str, path: &FieldPath, index: &Index<'_>) -> Result<(), Error> {
    // What is not there is reported by whoever derives from it.
    let Some(first) = values_at(from, path, index) else { return Ok(()) };
    follow(first, |path| {
        let from = index.evs.get(path).and_then(|found| found.derived_from.as_deref())?;
        values_at(from, path.field(), index)
    })
}

/// The place of values by their name, which may begin with that of a field, a register or a block.
fn values_at(from: &str, field: &FieldPath, index: &Index<'_>) -> Option<EnumPath> {
    let register = field.register();
    let mut parts: Vec<&str> = from.split('.').collect();
    let name = parts.pop()?;
    let Some(of) = parts.pop() else {
        let fields = index.registers.get(register)?.fields();
        let mut places = fields.map(|field| register.new_field(&field.name).new_enum(name));
        return places.find(|place| index.evs.contains_key(place));
    };
    if parts.is_empty() {
        return Some(register.new_field(of).new_enum(name));
    }
    let (block, within) = RegisterPath::parse_vec(parts);
    let block = block.unwrap_or_else(|| register.block.clone());
    Some(block.new_register(within).new_field(of).new_enum(name))
}
