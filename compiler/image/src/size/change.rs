//! The changes of sizes between two images.

use super::Sizes;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

/// A changed size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    /// The region.
    pub region: String,
    /// The heading; nothing for the total of the region.
    pub module: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The bytes before.
    pub before: u64,
    /// The bytes now.
    pub after: u64,
}

impl Change {
    fn difference(&self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }
}

/// The totals of each region before and after, then all rows that differ, those that differ most first.
pub fn changes(before: &Sizes, after: &Sizes) -> Vec<Change> {
    let mut regions: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    before.regions.iter().for_each(|region| regions.entry(&region.name).or_default().0 += region.used);
    after.regions.iter().for_each(|region| regions.entry(&region.name).or_default().1 += region.used);
    let sum = |(region, (before, after)): (&str, (u64, u64))| Change {
        region: region.to_owned(),
        module: None,
        name: None,
        before,
        after,
    };
    let mut changes: Vec<Change> = regions.into_iter().map(sum).collect();
    let mut rows: BTreeMap<(&str, &str, &str), (u64, u64)> = BTreeMap::new();
    before.rows.iter().for_each(|row| rows.entry((&row.region, &row.module, &row.name)).or_default().0 += row.bytes);
    after.rows.iter().for_each(|row| rows.entry((&row.region, &row.module, &row.name)).or_default().1 += row.bytes);
    let differing = rows.into_iter().filter(|(_, (before, after))| before != after);
    let mut differing: Vec<Change> = differing
        .map(|((region, module, name), (before, after))| Change {
            region: region.to_owned(),
            module: Some(module.to_owned()),
            name: Some(name.to_owned()),
            before,
            after,
        })
        .collect();
    differing.sort_by_key(|change| std::cmp::Reverse(change.difference().abs()));
    changes.extend(differing);
    changes
}

/// The changes as a table.
pub fn changes_text(changes: &[Change], most: usize) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut out, changes, most);
    out
}

fn write_all(out: &mut String, changes: &[Change], most: usize) -> fmt::Result {
    let (sums, rows): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.module.is_none());
    writeln!(out, "{:>9}  {:>9}  {:>9}", "before", "after", "change")?;
    let line = |out: &mut String, change: &Change| {
        let what = [Some(&change.region), change.module.as_ref(), change.name.as_ref()];
        let what: Vec<&str> = what.into_iter().flatten().map(String::as_str).collect();
        writeln!(out, "{:>9}  {:>9}  {:>+9}  {}", change.before, change.after, change.difference(), what.join("  "))
    };
    for change in sums {
        line(out, change)?;
    }
    let (shown, others) = rows.split_at(most.min(rows.len()));
    for change in shown {
        line(out, change)?;
    }
    if !others.is_empty() {
        let sum: i128 = others.iter().map(|change| change.difference()).sum();
        writeln!(out, "{:>9}  {:>9}  {sum:>+9}  in {} more", "", "", others.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::{Region, Row};

    fn sizes(rows: &[(&str, u64)]) -> Sizes {
        let row = |(name, bytes): &(&str, u64)| Row {
            region: "flash".into(),
            part: ".text".into(),
            module: "a.clef".into(),
            name: (*name).into(),
            bytes: *bytes,
        };
        let used = rows.iter().map(|(_, bytes)| bytes).sum();
        let regions = vec![Region { name: "flash".into(), total: Some(1024), used }];
        Sizes { regions, rows: rows.iter().map(row).collect(), closures: Vec::new() }
    }

    #[test]
    fn what_came_and_went_is_told() {
        let changes = changes(
            &sizes(&[("same", 8), ("gone", 20), ("grown", 10)]),
            &sizes(&[("same", 8), ("grown", 14), ("new", 6)]),
        );
        let expected = "   before      after     change
       38         28        -10  flash
       20          0        -20  flash  a.clef  gone
        0          6         +6  flash  a.clef  new
       10         14         +4  flash  a.clef  grown
";
        assert_eq!(changes_text(&changes, 20), expected);
        let expected = "   before      after     change
       38         28        -10  flash
       20          0        -20  flash  a.clef  gone
                            +10  in 2 more
";
        assert_eq!(changes_text(&changes, 1), expected);
    }
}
