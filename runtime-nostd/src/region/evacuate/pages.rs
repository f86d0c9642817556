//! The pages of the regions that are emptied, and what happens to them.

use super::{Evacuation, Move};
use crate::region::{Block, List};
use core::ptr::NonNull;

/// In the table of owners: a page of a multi-page block.
pub(super) const LARGE: u8 = 0x80;

/// In the table of owners: the first page of such a block.
const FIRST: u8 = 0x40;

/// In the size of such a block, which is even: something in it was reached.
const REACHED: usize = 1;

impl Evacuation<'_> {
    /// Records for each page of listed blocks the move it belongs to; none of their content has been copied.
    ///
    /// # Safety
    /// The list belongs to a region.
    pub(super) unsafe fn own(&mut self, list: &List, owner: u8) {
        let mut here = list.first;
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
            let pages = block.as_ref().size >> self.pool.shift;
            let first = self.pool.owner(block.as_ptr().cast());
            if pages > 1 {
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
        if address < self.pool.base || address >= self.pool.untouched {
            return None;
        }
        // SAFETY: the address is in the pool.
        let owner = unsafe { self.pool.owner(address).read() };
        let index = usize::from(owner & !(LARGE | FIRST)).checked_sub(1)?;
        Some((index, owner))
    }

    /// Records that something in a large block was reached.
    ///
    /// # Safety
    /// The address is in such a block, of a move.
    pub(super) unsafe fn reach_large(&mut self, address: *mut u8) {
        // SAFETY: the pages of a block are contiguous, and the first one is marked.
        unsafe {
            let mut page = self.pool.page_of(address);
            while *self.pool.owners.add(page) & FIRST == 0 {
                page -= 1;
            }
            let block = self.pool.base.add(page * self.pool.page).cast::<Block>();
            (*block).size |= REACHED;
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
            while let Some(mut block) = (*from).large.pop() {
                let reached = block.as_ref().size & REACHED != 0;
                block.as_mut().size &= !REACHED;
                self.disown(block);
                let size = block.as_ref().size;
                (*from).held -= size;
                if reached {
                    (*target).large.push(block);
                    (*target).held += size;
                } else {
                    self.pool.large.push(block);
                    self.pool.free += size;
                }
            }
            let mut here = (*from).pages.first;
            while let Some(block) = NonNull::new(here) {
                (*block.as_ptr()).size = self.pool.page;
                self.pool.owner(block.as_ptr().cast()).write(0);
                here = block.as_ref().next;
            }
            (*from).leave(self.pool);
            if to.is_null() {
                from.write(target.read());
            }
        }
    }

    /// # Safety
    /// The block is a valid one, in the pool.
    unsafe fn disown(&mut self, block: NonNull<Block>) {
        // SAFETY: as the caller promises; the table has a byte for each page.
        unsafe { self.pool.owner(block.as_ptr().cast()).write_bytes(0, block.as_ref().size >> self.pool.shift) };
    }
}
