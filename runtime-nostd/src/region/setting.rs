//! What does not change while a pool is in use: constants of an image, so that unused parts of an evacuation fold away.

use super::{HEADER, Kind, WORD, evacuate::LARGEST_ENTRY};
use core::ops::Range;

/// Before its evacuation, a region grows by at most the size of the pool divided by this, by default.
const POOL_PARTS: usize = 64;

/// Before its evacuation, a region grows by at most this number of bytes by default, so that it stays in the first-level
/// cache.
const MOST_GROWTH: usize = 8192;

/// The memory of a pool, and how it is used.
///
/// # Safety
/// - `pages` and `owners` are memory that nothing else uses as long as a pool has this setting; `pages` starts at a
///   multiple of the size of a page, and `owners` has a byte for each page.
/// - A page is larger than two pointers.
/// - All functions return the same each time, and what they say of allocations and evacuations is true.
pub unsafe trait Setting: Copy {
    /// The memory of the pages.
    fn pages(&self) -> Range<*mut u8>;

    /// Memory of a byte for each page.
    fn owners(&self) -> *mut u8;

    /// The size of a page in bytes is 2 to this power.
    fn shift(&self) -> u32;

    /// The most bytes that a region takes before it is due for evacuation, in addition to a multiple of what is
    /// reachable.
    fn most_growth(&self) -> usize;

    /// The default of [`Setting::most_growth`], if a page is not more.
    fn usual_growth(&self) -> usize {
        let pages = self.pages();
        ((pages.end as usize - pages.start as usize) / POOL_PARTS).min(MOST_GROWTH)
    }

    /// The size in bytes of the largest allocation; the largest number if it is not known.
    fn largest(&self) -> usize;

    /// Whether an allocation may need a block of several pages.
    #[inline]
    fn has_large(&self) -> bool {
        self.largest().max(LARGEST_ENTRY) > (1 << self.shift()) - HEADER
    }

    /// Whether the most bytes that regions hold are measured.
    fn measures(&self) -> bool;

    /// What evacuations may encounter.
    fn parts(&self) -> Parts;
}

/// What evacuations may encounter.
#[derive(Clone, Copy)]
pub struct Parts {
    /// The bit with the number of each [`Kind`] in some table.
    pub kinds: u32,
    /// The size in bytes of the smallest node, closure or cell; 0 if one has an alignment of 1.
    pub smallest: usize,
    /// The size in bytes of the largest of them.
    pub largest: usize,
    /// Whether something is evacuated in several regions at once.
    pub several: bool,
    /// Whether the content of a region goes to another one.
    pub targets: bool,
    /// Whether memory outside the regions is read.
    pub elsewhere: bool,
}

impl Parts {
    /// All of them.
    pub const ALL: Parts =
        Parts { kinds: !0, smallest: 0, largest: usize::MAX, several: true, targets: true, elsewhere: true };

    /// Whether any pointer is read.
    #[inline]
    pub fn reads_pointers(self) -> bool {
        self.kinds > 1 << Kind::End as u32
    }

    /// Whether there are entries of a kind.
    #[inline]
    pub(super) fn has(self, kind: Kind) -> bool {
        self.kinds >> kind as u32 & 1 != 0
    }

    /// Whether something may be in a block of several pages.
    #[inline]
    pub(super) fn has_large(self, page: usize) -> bool {
        self.has(Kind::Array) || self.has(Kind::Text) || self.largest > page - HEADER
    }

    /// Whether every object of a region has its own bit in the header of its page, where a bit represents this number of
    /// bytes.
    #[inline]
    pub(super) fn all_are_marked(self, shared: usize) -> bool {
        !self.has(Kind::Array) && self.smallest >= shared.max(2 * WORD)
    }
}

#[cfg(test)]
pub(super) mod fixed {
    use super::{Parts, Setting};
    use core::ops::Range;

    /// The memory of a test, with the table of owners before the first page.
    #[derive(Clone, Copy)]
    pub(crate) struct Fixed {
        memory: (*mut u8, *mut u8),
        shift: u32,
        pub(crate) parts: Parts,
        pub(crate) most_growth: usize,
    }

    impl Fixed {
        /// With all parts.
        pub(crate) fn new(memory: Range<*mut u8>, page: usize) -> Fixed {
            Fixed {
                memory: (memory.start, memory.end),
                shift: page.trailing_zeros(),
                parts: Parts::ALL,
                most_growth: page,
            }
        }
    }

    // SAFETY: tests use the memory for one pool alone.
    unsafe impl Setting for Fixed {
        fn pages(&self) -> Range<*mut u8> {
            let (start, end) = self.memory;
            let table = (end as usize - start as usize) >> self.shift;
            let pages = start.wrapping_add(table);
            pages.wrapping_add(pages.align_offset(1 << self.shift))..end
        }

        fn owners(&self) -> *mut u8 {
            self.memory.0
        }

        fn shift(&self) -> u32 {
            self.shift
        }

        fn most_growth(&self) -> usize {
            self.most_growth
        }

        fn largest(&self) -> usize {
            usize::MAX
        }

        fn measures(&self) -> bool {
            true
        }

        fn parts(&self) -> Parts {
            self.parts
        }
    }
}
