//! The storage of a program as JSON, for editors: `--emit storage-json`.
//!
//! In: a listing. Out: one object with
//! - `allocations`, each with its `place`, `what` it is, the `function` that makes it, its `storage`, `Static`, `Stack`
//!   or `Region`, the `reason` as it follows "because", and `freedByCall`, whether it is a closure that frees itself when it is
//!   called;
//! - `loops`, those that evacuate regions, and the `state` that they keep;
//! - `stored`, how mutable function values are stored: their `type`, and the `lambdas` that they may be, or the
//!   `reason` why addresses are stored;
//! - `summary`, the totals of all allocations;
//! - `closures`, the numbers of lambdas and local functions of the program's files, by representation.
//!
//! Lines and columns count from one, columns in characters.

use clef_base::{SourceMap, Span, internal::bug};
use clef_storage::place::{Closures, Evacuated, Lambda, Listing, Row, Stored, Summary};
use serde_json::{Value, json};

/// The JSON of a listing.
pub(crate) fn text(listing: &Listing, closures: Closures, sources: &SourceMap) -> String {
    let Listing { rows, evacuated, stored, summary } = listing;
    let Summary { known, constant, fixed, stack, region } = summary;
    let object = json!({
        "allocations": rows.iter().map(|row| allocation(row, sources)).collect::<Vec<_>>(),
        "loops": evacuated.iter().map(|row| evacuated_loop(row, sources)).collect::<Vec<_>>(),
        "stored": stored.iter().map(|row| kept(row, sources)).collect::<Vec<_>>(),
        "summary": { "known": known, "constant": constant, "static": fixed, "stack": stack, "region": region },
        "closures": sums(closures),
    });
    match serde_json::to_string_pretty(&object) {
        Ok(text) => text + "\n",
        Err(error) => bug("report", None, format!("a listing is always valid JSON: {error}")),
    }
}

fn sums(closures: Closures) -> Value {
    let Closures { vanished, constant, stored, fixed, stack, region } = closures;
    json!({
        "vanished": vanished,
        "constant": constant,
        "stored": stored,
        "static": fixed,
        "stack": stack,
        "region": region,
    })
}

fn place(span: Span, sources: &SourceMap) -> Value {
    let start = sources.line_column(span);
    json!({ "file": sources.file(span.file).name, "line": start.line, "column": start.column })
}

fn allocation(row: &Row, sources: &SourceMap) -> Value {
    let Row { place: span, what, function, storage, reason, freed_by_call, code: _ } = row;
    json!({
        "place": place(*span, sources),
        "what": what,
        "function": function,
        "storage": storage,
        "reason": reason,
        "freedByCall": freed_by_call,
    })
}

fn evacuated_loop(row: &Evacuated, sources: &SourceMap) -> Value {
    let Evacuated { place: span, function, state } = row;
    json!({ "place": place(*span, sources), "function": function, "state": state })
}

fn kept(row: &Stored, sources: &SourceMap) -> Value {
    let lambda = |Lambda { name, place: span, captures }: &Lambda| json!({ "name": name, "place": place(*span, sources), "holds": captures });
    match &row.kept {
        Ok(lambdas) => json!({ "type": row.ty, "lambdas": lambdas.iter().map(lambda).collect::<Vec<_>>() }),
        Err(reason) => json!({ "type": row.ty, "reason": reason }),
    }
}
