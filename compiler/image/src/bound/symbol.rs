//! Human-readable names of symbols.
//!
//! In: a symbol of an image. Out: a name: module and name for a function of the runtime or a builtin routine, the
//! symbol for others.

use clef_codegen::symbol::FUNCTION;

/// The name of a symbol.
pub fn readable(symbol: &str) -> String {
    let parts = match (symbol.strip_prefix("_ZN"), symbol.strip_prefix("_R")) {
        (Some(path), _) => segments(path),
        (None, Some(path)) => nested(path),
        (None, None) => return symbol.strip_prefix(FUNCTION).unwrap_or(symbol).to_owned(),
    };
    match parts.as_slice() {
        [.., module, function] => format!("{module}::{function}"),
        [function] => (*function).to_owned(),
        [] => symbol.to_owned(),
    }
}

/// The segments of `4boot8cortex_m3run17h0123456789abcdefE`, without the hash at the end.
fn segments(mut path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    while let Some((part, rest)) = segment(path) {
        parts.push(part);
        path = rest;
    }
    if parts.last().is_some_and(|last| last.len() == 17 && last.starts_with('h')) {
        parts.pop();
    }
    parts
}

/// The segment after a length, and the rest.
fn segment(path: &str) -> Option<(&str, &str)> {
    let digits = path.len() - path.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let length: usize = path.get(..digits)?.parse().ok()?;
    let rest = path.get(digits..)?;
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    Some((rest.get(..length)?, rest.get(length..)?))
}

/// The segments of `NvNtCs7NhdfSRABLd_17compiler_builtins3mem6memcpy`, the crate first.
fn nested(path: &str) -> Vec<&str> {
    let behind_hash = path.split_once("Cs").and_then(|(_, rest)| rest.split_once('_')).map(|(_, rest)| rest);
    segments(behind_hash.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn symbols_become_names() {
        for (symbol, name) in [
            ("_ZN18clef_runtime_nostd4boot3run17hc658e261d407f639E", "boot::run"),
            ("_RNvNtCs7NhdfSRABLd_17compiler_builtins3mem6memcpy", "mem::memcpy"),
            ("__aeabi_dcmpun", "__aeabi_dcmpun"),
            ("clef.write<format_int>", "write<format_int>"),
            ("_ZN", "_ZN"),
            ("_R99999999999999999999999", "_R99999999999999999999999"),
        ] {
            assert_eq!(readable(symbol), name);
        }
    }
}
