//! Sizes as a page of HTML: a treemap for each region of memory, in which areas are bytes.
//!
//! The layout is that of Bruls, Huizing and van Wijk, "Squarified Treemaps" (2000). The same numbers follow as a table, for
//! those who cannot see or point at areas.

use super::{Region, Row, Sizes};
use crate::page::{escaped, page};
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

const STYLE: &str = "\
.map { position: relative; width: 100%; max-width: 1200px; aspect-ratio: 2; border: 1px solid var(--line); }
.map div { position: absolute; box-sizing: border-box; overflow: hidden; border: 1px solid var(--paper); font-size: 12px; line-height: 1.2; padding: 1px 3px; overflow-wrap: anywhere; }
.map div:hover { outline: 2px solid var(--ink); z-index: 1; }
.c0 { background: #bcd6f2; } .c1 { background: #f6d3a7; } .c2 { background: #c4e3bd; } .c3 { background: #e7c4e4; }
.c4 { background: #f3c1bd; } .c5 { background: #bfe3e0; } .c6 { background: #e6e0ad; } .c7 { background: #d6d6d6; }
@media (prefers-color-scheme: dark) {
  .c0 { background: #274a70; } .c1 { background: #6b4714; } .c2 { background: #2b5a27; } .c3 { background: #5d2f5b; }
  .c4 { background: #6e2b28; } .c5 { background: #1f5753; } .c6 { background: #56500f; } .c7 { background: #484848; }
}
.key { display: inline-block; width: .9em; height: .9em; margin-right: .4em; vertical-align: -.1em; }
";

/// The number of colours; further headings share the last.
const COLOURS: usize = 8;

/// The size of a treemap as most readers see it, in pixels.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 600.0;

/// The smallest area with a name, in pixels.
const NAMED: (f64, f64) = (48.0, 16.0);

/// The page of the program `name`.
pub fn html(sizes: &Sizes, name: &str) -> String {
    let mut body = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut body, sizes);
    page(&format!("Size of {name}"), STYLE, &body)
}

fn write_all(out: &mut String, sizes: &Sizes) -> fmt::Result {
    let headings = headings(sizes.rows.iter());
    let colours: BTreeMap<&str, usize> =
        headings.iter().enumerate().map(|(index, (name, _))| (*name, index.min(COLOURS - 1))).collect();
    for region in sizes.regions.iter().filter(|region| region.used > 0) {
        let rows: Vec<&Row> = sizes.rows.iter().filter(|row| row.region == region.name && row.bytes > 0).collect();
        region_heading(out, region)?;
        map(out, region, &rows, &colours)?;
        table(out, &rows, &colours)?;
    }
    Ok(())
}

/// The total of each heading, largest first.
fn headings<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(&'a str, u64)> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        *sums.entry(&row.module).or_default() += row.bytes;
    }
    let mut sums: Vec<(&str, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    sums
}

fn region_heading(out: &mut String, region: &Region) -> fmt::Result {
    let of = region.total.map(|total| format!(" of {total}")).unwrap_or_default();
    writeln!(out, "<h2>{}: {}{of} bytes</h2>", escaped(&region.name), region.used)
}

fn map(out: &mut String, region: &Region, rows: &[&Row], colours: &BTreeMap<&str, usize>) -> fmt::Result {
    let label = format!("Treemap of {}; the table below has the same numbers", region.name);
    writeln!(out, "<div class=\"map\" role=\"img\" aria-label=\"{}\">", escaped(&label))?;
    let headings = headings(rows.iter().copied());
    let areas: Vec<f64> = headings.iter().map(|(_, bytes)| *bytes as f64).collect();
    let whole = Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
    for ((module, _), area) in headings.iter().zip(squarified(&areas, whole)) {
        // Largest first, as the layout wants them, and as they are.
        let own: Vec<&&Row> = rows.iter().filter(|row| row.module == *module).collect();
        let bytes: Vec<f64> = own.iter().map(|row| row.bytes as f64).collect();
        let colour = colours.get(module).copied().unwrap_or(COLOURS - 1);
        for (row, area) in own.iter().zip(squarified(&bytes, area)) {
            cell(out, row, area, colour)?;
        }
    }
    writeln!(out, "</div>")
}

fn cell(out: &mut String, row: &Row, area: Area, colour: usize) -> fmt::Result {
    let (left, top) = (area.x * 100.0 / WIDTH, area.y * 100.0 / HEIGHT);
    let (width, height) = (area.width * 100.0 / WIDTH, area.height * 100.0 / HEIGHT);
    let title = match row.module == row.name {
        true => format!("{}: {} bytes", row.name, row.bytes),
        false => format!("{} in {}: {} bytes", row.name, row.module, row.bytes),
    };
    write!(
        out,
        "<div class=\"c{colour}\" style=\"left:{left:.3}%;top:{top:.3}%;width:{width:.3}%;height:{height:.3}%\" title=\"{}\">",
        escaped(&title)
    )?;
    if area.width >= NAMED.0 && area.height >= NAMED.1 {
        write!(out, "{} {}", escaped(&row.name), row.bytes)?;
    }
    writeln!(out, "</div>")
}

fn table(out: &mut String, rows: &[&Row], colours: &BTreeMap<&str, usize>) -> fmt::Result {
    for (module, bytes) in headings(rows.iter().copied()) {
        let colour = colours.get(module).copied().unwrap_or(COLOURS - 1);
        writeln!(
            out,
            "<details><summary><span class=\"key c{colour}\"></span>{}: {bytes} bytes</summary>\n<table>\
             <tr><th class=\"n\">bytes</th><th>name</th><th>part</th></tr>",
            escaped(module)
        )?;
        for row in rows.iter().filter(|row| row.module == module) {
            let (name, part) = (escaped(&row.name), escaped(&row.part));
            writeln!(out, "<tr><td class=\"n\">{}</td><td>{name}</td><td>{part}</td></tr>", row.bytes)?;
        }
        writeln!(out, "</table></details>")?;
    }
    Ok(())
}

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Divides a rectangle in proportion to `sizes`, which are positive and descend, into parts that are nearly squares.
fn squarified(sizes: &[f64], whole: Area) -> Vec<Area> {
    let sum: f64 = sizes.iter().sum();
    let scale = if sum > 0.0 { whole.width * whole.height / sum } else { 0.0 };
    let areas: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
    let (mut parts, mut rest, mut at) = (Vec::with_capacity(areas.len()), whole, 0);
    while at < areas.len() {
        let side = rest.width.min(rest.height);
        let mut end = at + 1;
        while end < areas.len() && worst(&areas[at..=end], side) <= worst(&areas[at..end], side) {
            end += 1;
        }
        rest = row(&areas[at..end], rest, &mut parts);
        at = end;
    }
    parts
}

/// The largest ratio of the sides of the parts, if they form a row along a side.
fn worst(areas: &[f64], side: f64) -> f64 {
    let sum: f64 = areas.iter().sum();
    let depth = sum / side.max(f64::MIN_POSITIVE);
    let ratio = |area: &f64| {
        let length = area / depth.max(f64::MIN_POSITIVE);
        (length / depth).max(depth / length)
    };
    areas.iter().map(ratio).fold(0.0, f64::max)
}

/// Places a row of parts along the shorter side; returns the rest of the rectangle.
fn row(areas: &[f64], rest: Area, parts: &mut Vec<Area>) -> Area {
    let sum: f64 = areas.iter().sum();
    let is_wide = rest.width >= rest.height;
    let depth = sum / rest.width.min(rest.height).max(f64::MIN_POSITIVE);
    let mut along = 0.0;
    for area in areas {
        let length = area / depth.max(f64::MIN_POSITIVE);
        parts.push(match is_wide {
            true => Area { x: rest.x, y: rest.y + along, width: depth, height: length },
            false => Area { x: rest.x + along, y: rest.y, width: length, height: depth },
        });
        along += length;
    }
    match is_wide {
        true => Area { x: rest.x + depth, width: rest.width - depth, ..rest },
        false => Area { y: rest.y + depth, height: rest.height - depth, ..rest },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_inside() {
        let sizes = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let parts = squarified(&sizes, Area { x: 0.0, y: 0.0, width: 6.0, height: 4.0 });
        assert_eq!(parts.len(), sizes.len());
        for (part, size) in parts.iter().zip(sizes) {
            assert!((part.width * part.height - size).abs() < 1e-9, "{part:?}");
            assert!(part.x >= 0.0 && part.y >= -1e-9 && part.x + part.width < 6.0 + 1e-9, "{part:?}");
            assert!(part.y + part.height < 4.0 + 1e-9, "{part:?}");
        }
        // The example of the paper.
        assert_eq!(parts[0], Area { x: 0.0, y: 0.0, width: 3.0, height: 2.0 });
        assert!(squarified(&[], parts[0]).is_empty());
    }
}
