//! `clefc size`: what the bytes of an image are used for, as data that also serialises to JSON.
//!
//! In: an image, and the source of its symbols. Out: [`Sizes`]. Holds: the rows of a region add up to its used bytes.

mod change;
mod owner;
mod text;
mod treemap;

pub use change::{Change, changes, changes_text};
pub use owner::Owners;
pub use text::text;
pub use treemap::html;

use crate::{MemoryTable, Piece, RegionUse};
use clef_base::SourceMap;
use clef_codegen::report;
use clef_core::{Convention, Program};
use clef_descriptors::Target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the bytes of an image are used for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sizes {
    /// The regions of memory.
    pub regions: Vec<Region>,
    /// Their content.
    pub rows: Vec<Row>,
    /// The structs of closures, as they are in memory.
    pub closures: Vec<Closure>,
}

/// A region of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its bytes; nothing if the operating system provides as much as is requested.
    pub total: Option<u64>,
    /// The bytes from its start to the end of the last part.
    pub used: u64,
}

/// Bytes with one name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The region.
    pub region: String,
    /// The section, or another name of the part of the region.
    pub part: String,
    /// The source file, `runtime`, `builtins`, or another heading.
    pub module: String,
    /// The function or value.
    pub name: String,
    /// The number of bytes.
    pub bytes: u64,
}

/// The struct of a closure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Closure {
    /// The function.
    pub name: String,
    /// Its location: `file:line:column`.
    pub place: String,
    /// The size.
    pub bytes: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// Its unused bytes.
    pub padding: u64,
    /// Its captures, by offset.
    pub captures: Vec<Capture>,
}

/// A capture of a closure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Capture {
    /// The variable.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its offset in the struct, in bytes.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
}

impl Sizes {
    /// The sizes of an image.
    pub fn of(table: &MemoryTable, pieces: &[Piece], owners: &Owners, closures: Vec<Closure>) -> Sizes {
        let region =
            |RegionUse { name, total, used, .. }: &RegionUse| Region { name: name.clone(), total: *total, used: *used };
        // Bytes with the same name are added up: padding, and strings without a symbol.
        let mut sums: BTreeMap<(usize, &str, String, String), u64> = BTreeMap::new();
        for piece in pieces {
            let at = table.regions.iter().position(|region| region.name == piece.region).unwrap_or(usize::MAX);
            let (module, name) = owners.of(piece);
            *sums.entry((at, piece.part.as_deref().unwrap_or("-"), module, name)).or_default() += piece.bytes;
        }
        let row = |((at, part, module, name), bytes): ((usize, &str, String, String), u64)| {
            let region = table.regions.get(at).map(|region| region.name.clone()).unwrap_or_default();
            Row { region, part: part.to_owned(), module, name, bytes }
        };
        let mut rows: Vec<Row> = sums.into_iter().map(row).collect();
        let place = |row: &Row| table.regions.iter().position(|region| region.name == row.region);
        rows.sort_by_key(|row| (place(row), std::cmp::Reverse(row.bytes)));
        Sizes { regions: table.regions.iter().map(region).collect(), rows, closures }
    }
}

/// The structs of a program's closures on a target.
pub fn closures(program: &Program, target: &Target, sources: &SourceMap) -> Vec<Closure> {
    let rows = report::rows(program, target).into_iter();
    rows.filter(|row| !row.layout.slots.is_empty())
        .map(|row| {
            let function = &program.functions[row.function];
            let captured = match &function.convention {
                Convention::Closure { captures, .. } => captures.as_slice(),
                Convention::Known | Convention::Exported(_) => &[],
            };
            let captures = row.layout.slots.iter().map(|slot| {
                let local = &function.locals[captured[slot.capture]];
                let (name, ty) = (local.name.to_string(), program.type_name(local.ty));
                Capture { name, ty, offset: slot.offset.0, bytes: slot.extent.size.0 }
            });
            Closure {
                name: function.name.to_string(),
                place: sources.place(function.span),
                bytes: row.layout.extent.size.0,
                align: row.layout.extent.align.0,
                padding: row.layout.padding.0,
                captures: captures.collect(),
            }
        })
        .collect()
}
