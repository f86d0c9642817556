//! The pages of the regions that are emptied, and what happens to them.

use super::{Evacuation, Region};
use crate::region::{Pool, Setting, push};
use core::ptr::NonNull;

/// In the table of owners: a page of a multi-page block.
pub(super) const LARGE: u8 = 0x80;

/// In the table of owners: the first page of such a block.
const FIRST: u8 = 0x40;

/// In the size of such a block, which is even: something in it was reached.
const REACHED: usize = 1;

impl<S: Setting> Evacuation<'_, S> {
    /// Records for each page of a region the move it belongs to; none of its content has been copied.
    ///
    /// # Safety
    /// The region is valid.
    pub(super) unsafe fn own(&mut self, region: *mut Region, owner: u8) {
        // SAFETY: listed blocks are valid ones, in the pool; the table has a byte for each page.
        unsafe {
            let mut here = (*region).pages;
            while let Some(page) = NonNull::new(here).map(NonNull::as_ptr) {
                self.pool.owner(page.cast()).write(owner);
                (*page).size_or_owner = 0;
                here = (*page).next;
            }
            if !self.has_large() {
                return;
            }
            let mut here = (*region).large;
            while let Some(block) = NonNull::new(here).map(NonNull::as_ptr) {
                let first = self.pool.owner(block.cast());
                first.write_bytes(owner | LARGE, (*block).size_or_owner >> self.pool.setting.shift());
                first.write(owner | LARGE | FIRST);
                here = (*block).next;
            }
        }
    }

    /// The owner of the page that contains an address, if it belongs to a move.
    pub(super) fn owner(&self, address: *mut u8) -> Option<(usize, u8)> {
        let offset = (address as usize).wrapping_sub(self.pool.setting.pages().start as usize);
        if offset >= self.pool.touched {
            return None;
        }
        // SAFETY: the address is in a page of the pool.
        let owner = unsafe { self.pool.owner(address).read() };
        let index = usize::from(owner & !(LARGE | FIRST)).checked_sub(1)?;
        Some((if self.parts().several { index } else { 0 }, owner))
    }

    /// Records that something in a large block was reached.
    ///
    /// # Safety
    /// The address is in such a block, of a move.
    pub(super) unsafe fn reach_large(&mut self, address: *mut u8) {
        // SAFETY: the pages of a block are contiguous, and the first one is marked.
        unsafe {
            let mut page = self.pool.page_of(address);
            while *self.pool.owner(page.cast()) & FIRST == 0 {
                page = page.byte_sub(self.pool.page_bytes());
            }
            (*page).size_or_owner |= REACHED;
        }
    }

    /// Returns the old content of the region of a move, except what stays where it is.
    ///
    /// # Safety
    /// The move exists, and all that is reachable was copied.
    pub(super) unsafe fn finish(&mut self, index: usize) {
        // SAFETY: the regions are valid, and so are the blocks on their lists.
        unsafe {
            let old = self.old(index);
            if self.has_large() {
                self.finish_large(old, self.target(index));
            }
            let mut here = (*old).pages;
            while let Some(block) = NonNull::new(here) {
                self.pool.owner(block.as_ptr().cast()).write(0);
                here = block.as_ref().next;
            }
            (*old).end(self.pool);
        }
    }

    /// Moves the large blocks in which something was reached to the target.
    ///
    /// # Safety
    /// The regions are valid.
    unsafe fn finish_large(&mut self, old: *mut Region, target: *mut Region) {
        // SAFETY: as the caller promises; the table of owners has a byte for each page.
        unsafe {
            let mut link = &raw mut (*old).large;
            while let Some(block) = NonNull::new(*link).map(NonNull::as_ptr) {
                let is_reached = (*block).size_or_owner & REACHED != 0;
                (*block).size_or_owner &= !REACHED;
                let size = (*block).size_or_owner;
                self.pool.owner(block.cast()).write_bytes(0, size >> self.pool.setting.shift());
                if !is_reached {
                    link = &raw mut (*block).next;
                    continue;
                }
                *link = (*block).next;
                push(&mut (*target).large, block);
                (*old).held -= size;
                (*target).held += size;
            }
        }
    }
}

impl<S: Setting> Pool<S> {
    /// The entry in the table of owners for the page that contains an address.
    fn owner(&self, address: *mut u8) -> *mut u8 {
        let offset = address as usize - self.setting.pages().start as usize;
        self.setting.owners().wrapping_add(offset >> self.setting.shift())
    }
}
