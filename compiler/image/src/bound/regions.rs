//! An upper bound of the pool use of a program's regions.
//!
//! In: a program with its regions, the target's layouts and the board's pool. Out: the bound that sema computes, with
//! causes at locations of the program if possible: allocations of the library are attributed to the call that leads
//! there.

use super::{Bound, Cause};
use clef_base::{Bytes, FileId, HashSet, SourceMap, Span};
use clef_codegen::{layout::Layouts, report::allocated};
use clef_core::Program;
use clef_descriptors::{Board, Target};
use clef_storage::region::bound::{self, Pages, Sizes, Why};
use goblin::elf::{Elf, SectionHeader};
use std::ops::Range;

/// The bound of a program.
pub fn regions(
    program: &Program,
    target: &Target,
    (board, image): (&Board, &[u8]),
    own: &HashSet<FileId>,
    sources: &SourceMap,
) -> Bound {
    let pool = pool(image);
    let page = board.region_pool.page;
    if pool.is_empty() && board.region_pool.size != Some(Bytes(0)) {
        // LLVM has found that the program never reaches an allocation, and nothing in the image uses a pool.
        return Bound::Bytes { bytes: 0, limit: 0, way: Vec::new() };
    }
    let layouts = Layouts::new(program, target);
    let pages = Pages { word: target.pointer_bits.bytes(), size: program.nesting.is_none().then_some(page) };
    let sizes = Sizes { of: &|kind| allocated(program, &layouts, kind), pages };
    match bound::bound(program, &sizes) {
        Ok(size) => {
            let limit = if program.nesting.is_some() { Bytes(pool.end - pool.start) } else { capacity(pool, page) };
            Bound::Bytes { bytes: size.0, limit: limit.0, way: Vec::new() }
        }
        Err(causes) => {
            let mut causes: Vec<Cause> = causes.iter().map(|one| cause(one, own, sources)).collect();
            causes.sort_by_key(|cause| (cause.span, cause.message.clone()));
            causes.dedup();
            Bound::Unknown { causes }
        }
    }
}

/// The addresses of an image's pool.
fn pool(image: &[u8]) -> Range<u64> {
    // The image has been checked.
    let Ok(elf) = Elf::parse(image) else { return 0..0 };
    let is_pool = |section: &&SectionHeader| elf.shdr_strtab.get_at(section.sh_name) == Some(".pool");
    elf.section_headers.iter().find(is_pool).map_or(0..0, |section| section.sh_addr..section.sh_addr + section.sh_size)
}

/// The size of a pool available to regions: it begins with a byte for each page, and the pages are aligned to their size.
fn capacity(pool: Range<u64>, page: Bytes) -> Bytes {
    let table = (pool.end - pool.start) / page.0;
    Bytes(pool.end.saturating_sub((pool.start + table).next_multiple_of(page.0)))
}

fn cause(cause: &bound::Cause, own: &HashSet<FileId>, sources: &SourceMap) -> Cause {
    let span = cause.spans.iter().copied().find(|span| own.contains(&span.file));
    let by = |what: &str, place: Span| match own.contains(&place.file) {
        true => format!("each {what} at {} allocates", sources.place(place)),
        false => format!("each {what} in the library allocates"),
    };
    let (message, help) = match cause.why {
        Why::Length => (
            "an allocation has a size that is known only at run time".to_owned(),
            "print strings piece by piece instead of joining them, and use arrays of constant length",
        ),
        Why::Loop(place) => (
            by("iteration of the loop", place),
            "use it only within the iteration, or keep it in variables and arrays allocated before the loop",
        ),
        Why::Recursion(place) => {
            (by("call of the recursive function", place), "use a loop, or use the value only within the call")
        }
        Why::Closure(_) => (
            "a closure allocates in a region that lives as long as the closure".to_owned(),
            "let the closure write to memory allocated before it",
        ),
        Why::State => (
            "the state that a loop keeps for its next iteration has no bound".to_owned(),
            "keep it in variables and arrays of values without parts in memory",
        ),
        Why::Large => (
            "an allocation is larger than a page of the pool".to_owned(),
            "allocate it at module level, or increase the page size in a board descriptor of your own",
        ),
        Why::Foreign => (
            "an exported function allocates for the lifetime of the program".to_owned(),
            "allocate at module level, and let the function write to it",
        ),
    };
    Cause { span, message, help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use clef_base::Bytes;

    #[test]
    fn the_pool_holds_its_table() {
        let capacity = |pool, page| super::capacity(pool, Bytes(page));
        assert_eq!(capacity(0x2000_0100..0x2000_2100, 256), Bytes(8192 - 256));
        assert_eq!(capacity(0x2000_00f0..0x2000_20f0, 256), Bytes(8192 - 272));
        assert_eq!(capacity(0x1000..0x1008, 4096), Bytes(8));
    }
}
