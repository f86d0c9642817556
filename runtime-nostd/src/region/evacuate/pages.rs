//! The pages of the regions that are emptied, and what happens to them.

use super::{Evacuation, Move, Region};
use crate::region::{Block, Pool, Setting, push};
use core::ptr::NonNull;

/// In the table of owners: a page of a multi-page block.
pub(super) const LARGE: u8 = 0x80;

/// In the table of owners: the first page of such a block.
const FIRST: u8 = 0x40;

/// In the size of such a block, which is even: something in it was reached.
const REACHED: usize = 1;

impl<S: Setting> Evacuation<'_, S> {
    /// Records for each page of listed blocks the move it belongs to; none of their content has been copied.
    ///
    /// # Safety
    /// The list belongs to a region.
    pub(super) unsafe fn own(&mut self, list: *mut Block, owner: u8) {
        let mut here = list;
        while let Some(block) = NonNull::new(here) {
            // SAFETY: a listed block is a valid one, in the pool.
            unsafe {
                self.own_block(block, owner);
                here = block.as_ref().next;
            }
        }
    }

    /// # Safety
    /// The block is a valid one, in the pool.
    unsafe fn own_block(&mut self, block: NonNull<Block>, owner: u8) {
        // SAFETY: as the caller promises; the table has a byte for each page of the pool.
        unsafe {
            let pages = block.as_ref().size >> self.pool.setting.shift();
            let first = self.pool.owner(block.as_ptr().cast());
            if self.has_large() && pages > 1 {
                first.write_bytes(owner | LARGE, pages);
                first.write(owner | LARGE | FIRST);
            } else {
                first.write(owner);
                (*block.as_ptr()).size = 0;
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
            while *self.pool.owner(page) & FIRST == 0 {
                page = page.sub(self.pool.page_bytes());
            }
            (*page.cast::<Block>()).size |= REACHED;
        }
    }

    /// Returns what was not reached in the region of a move, and lets it continue with the rest.
    ///
    /// # Safety
    /// The move exists, and all that is reachable was copied.
    pub(super) unsafe fn finish(&mut self, index: usize) {
        // SAFETY: the regions are valid, and so are the blocks on their lists.
        unsafe {
            let Move { from, to } = self.moves.add(index).read();
            let target = self.target(index);
            if self.has_large() {
                self.finish_large(from, target);
            }
            let mut here = (*from).pages;
            while let Some(block) = NonNull::new(here) {
                (*block.as_ptr()).size = self.pool.page_bytes();
                self.pool.owner(block.as_ptr().cast()).write(0);
                here = block.as_ref().next;
            }
            if self.parts().targets && !to.is_null() {
                (*from).leave(self.pool);
            } else {
                (*from).end(self.pool);
                from.write(target.read());
            }
        }
    }

    /// Moves the large blocks in which something was reached to the target.
    ///
    /// # Safety
    /// The regions are valid.
    unsafe fn finish_large(&mut self, from: *mut Region, target: *mut Region) {
        // SAFETY: as the caller promises; the table of owners has a byte for each page.
        unsafe {
            let mut link = &raw mut (*from).large;
            while let Some(block) = NonNull::new(*link).map(NonNull::as_ptr) {
                let is_reached = (*block).size & REACHED != 0;
                (*block).size &= !REACHED;
                let size = (*block).size;
                self.pool.owner(block.cast()).write_bytes(0, size >> self.pool.setting.shift());
                if !is_reached {
                    link = &raw mut (*block).next;
                    continue;
                }
                *link = (*block).next;
                push(&mut (*target).large, block);
                (*from).held -= size;
                (*target).held += size;
            }
        }
    }
}

impl<S: Setting> Pool<S> {
    /// The start of the page that contains an address.
    pub(super) fn page_of(&self, address: *mut u8) -> *mut u8 {
        let offset = address as usize - self.setting.pages().start as usize;
        self.setting.pages().start.wrapping_add(offset & !(self.page_bytes() - 1))
    }

    /// The entry in the table of owners for the page that contains an address.
    fn owner(&self, address: *mut u8) -> *mut u8 {
        let offset = address as usize - self.setting.pages().start as usize;
        self.setting.owners().wrapping_add(offset >> self.setting.shift())
    }
}
