//! Memory that allocations take from the start: the rest of a page, or of the pool if regions nest.

use super::{WORD, in_words};
use core::ptr::{NonNull, null_mut};

/// Sizes below this, in bytes, can be added to an address of the pool without overflow: no pool is at the end of the
/// address space.
const SMALL: usize = 4096;

/// Free memory. The cursor is aligned to a word.
#[repr(C)]
pub struct Space {
    pub(super) cursor: *mut u8,
    pub(super) limit: *mut u8,
}

impl Space {
    /// No memory.
    pub const EMPTY: Space = Space::new(null_mut(), null_mut());

    /// The memory from `cursor`, which is aligned to a word, to `limit`.
    pub const fn new(cursor: *mut u8, limit: *mut u8) -> Space {
        Space { cursor, limit }
    }

    /// The address of the next allocation.
    #[inline]
    pub fn cursor(&self) -> *mut u8 {
        self.cursor
    }

    /// Frees the allocations that begin at an address, or after it.
    #[inline]
    pub fn free_from(&mut self, address: *mut u8) {
        self.cursor = address;
    }

    /// The number of free bytes.
    pub fn free_bytes(&self) -> usize {
        self.limit as usize - self.cursor as usize
    }

    /// Memory at the cursor. With constant arguments, this is a comparison and an addition.
    #[inline]
    pub fn bump(&mut self, size: usize, align: usize) -> Option<NonNull<u8>> {
        if size == 0 {
            return NonNull::new(core::ptr::without_provenance_mut(align));
        }
        let start = self.cursor.wrapping_add(if align > WORD { self.padding(align) } else { 0 });
        let end = start.wrapping_add(in_words(size));
        let fits = match size < SMALL {
            true => end <= self.limit,
            false => (start..=self.limit).contains(&end) && end != start,
        };
        if !fits {
            return None;
        }
        self.cursor = end;
        // SAFETY: `start` is below the end of a page, so it is in one.
        Some(unsafe { NonNull::new_unchecked(start) })
    }

    /// The bytes up to the next address with an alignment.
    pub(super) fn padding(&self, align: usize) -> usize {
        (self.cursor as usize).wrapping_neg() & (align - 1)
    }

    /// Extends the allocation that ends at `end`, if it is the last one and its page has space.
    pub fn extend(&mut self, end: *mut u8, more: usize) -> bool {
        let is_last = in_words(end as usize) == self.cursor as usize;
        let extends = is_last && more <= (self.limit as usize).saturating_sub(end as usize);
        if extends {
            self.end_at(end.wrapping_add(more));
        }
        extends
    }

    /// Returns the last bytes of the allocation that ends at `end`, if it is the last one.
    pub fn give_back(&mut self, end: *mut u8, unused: usize) {
        if in_words(end as usize) == self.cursor as usize {
            self.end_at(end.wrapping_sub(unused));
        }
    }

    /// Continues after an allocation that ends at `end`.
    pub fn end_at(&mut self, end: *mut u8) {
        self.cursor = end.wrapping_add(in_words(end as usize) - end as usize);
    }
}
