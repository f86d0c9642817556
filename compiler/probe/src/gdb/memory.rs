//! The memory map of a chip for GDB: its flash. There GDB automatically uses hardware breakpoints, reports when none
//! are left, and writes nothing.

use std::ops::Range;

/// The end of the address space.
const END: u64 = 1 << 32;

/// The memory map that GDB reads. Anything may be outside flash: chips do not describe where their peripherals are.
pub(super) fn map(flash: impl Iterator<Item = Range<u64>>) -> String {
    let mut flash: Vec<Range<u64>> = flash.filter(|range| !range.is_empty() && range.end <= END).collect();
    flash.sort_by_key(|range| range.start);
    let line = |kind: &str, range: Range<u64>| {
        let length = range.end - range.start;
        format!("<memory type=\"{kind}\" start=\"{:#x}\" length=\"{length:#x}\"/>", range.start)
    };
    let (mut lines, mut next) = (String::new(), 0);
    for range in flash {
        // Regions may overlap.
        let range = range.start.max(next)..range.end.max(next);
        if next < range.start {
            lines += &line("ram", next..range.start);
        }
        if !range.is_empty() {
            lines += &line("rom", range.clone());
        }
        next = range.end;
    }
    if next < END {
        lines += &line("ram", next..END);
    }
    format!(
        "<?xml version=\"1.0\"?><!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" \
         \"http://sourceware.org/gdb/gdb-memory-map.dtd\"><memory-map>{lines}</memory-map>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_no_flash_may_be_memory() {
        let map = map([0x1000_0000..0x1000_1000, 0..0x4_0000, 0x1000..0x2000].into_iter());
        let lines: Vec<&str> =
            map.split("<memory ").skip(1).map(|line| line.split("/>").next().unwrap_or("")).collect();
        assert_eq!(
            lines,
            [
                "type=\"rom\" start=\"0x0\" length=\"0x40000\"",
                "type=\"ram\" start=\"0x40000\" length=\"0xffc0000\"",
                "type=\"rom\" start=\"0x10000000\" length=\"0x1000\"",
                "type=\"ram\" start=\"0x10001000\" length=\"0xeffff000\"",
            ]
        );
    }
}
