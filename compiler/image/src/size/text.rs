//! Sizes as human-readable tables.

use super::{Row, Sizes};
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

/// The tables: for each region its headings, then its `most` largest rows, and the structs of closures.
pub fn text(sizes: &Sizes, most: usize) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut out, sizes, most);
    out
}

fn write_all(out: &mut String, sizes: &Sizes, most: usize) -> fmt::Result {
    for region in &sizes.regions {
        let rows: Vec<&Row> = sizes.rows.iter().filter(|row| row.region == region.name).collect();
        match region.total {
            Some(total) => writeln!(out, "{}: {} of {total} bytes", region.name, region.used)?,
            None => writeln!(out, "{}: {} bytes", region.name, region.used)?,
        }
        headings(out, &rows, region.used)?;
        writeln!(out)?;
        largest(out, &rows, most)?;
        writeln!(out)?;
    }
    closures(out, sizes)
}

/// The total of each heading, largest first.
fn headings(out: &mut String, rows: &[&Row], used: u64) -> fmt::Result {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        *sums.entry(&row.module).or_default() += row.bytes;
    }
    let mut sums: Vec<(&str, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    for (module, bytes) in sums {
        let percent = bytes as f64 * 100.0 / used.max(1) as f64;
        writeln!(out, "  {bytes:>9}  {percent:>5.1}%  {module}")?;
    }
    Ok(())
}

/// The largest rows, and the total of the others.
fn largest(out: &mut String, rows: &[&Row], most: usize) -> fmt::Result {
    let (shown, others) = rows.split_at(most.min(rows.len()));
    let width = shown.iter().map(|row| row.module.chars().count()).max().unwrap_or(0);
    for row in shown {
        writeln!(out, "  {:>9}  {:width$}  {}", row.bytes, row.module, row.name)?;
    }
    if !others.is_empty() {
        let bytes: u64 = others.iter().map(|row| row.bytes).sum();
        writeln!(out, "  {bytes:>9}  in {} more", others.len())?;
    }
    Ok(())
}

fn closures(out: &mut String, sizes: &Sizes) -> fmt::Result {
    if sizes.closures.is_empty() {
        return Ok(());
    }
    writeln!(out, "closures: {}", sizes.closures.len())?;
    writeln!(out, "  {:>5}  {:>5}  {:>7}  {:>8}  closure", "bytes", "align", "padding", "captures")?;
    for closure in &sizes.closures {
        let super::Closure { name, place, bytes, align, padding, captures } = closure;
        writeln!(out, "  {bytes:>5}  {align:>5}  {padding:>7}  {:>8}  {name} at {place}", captures.len())?;
    }
    Ok(())
}
