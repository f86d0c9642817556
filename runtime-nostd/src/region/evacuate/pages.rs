//! Which pages belong to the regions that are emptied, and what becomes of them.

use super::{Evacuation, Move};
use crate::region::{Block, List};
use core::ptr::NonNull;

/// In the table of owners: a page of a block of several.
pub(super) const LARGE: u8 = 0x80;

/// In the table of owners: the first page of such a block.
const FIRST: u8 = 0x40;

/// In the size of such a block, which is even: something in it was reached.
const REACHED: usize = 1;

impl Evacuation<'_> {
    /// Notes for each page of listed blocks to which move it belongs; of what lies there nothing has been copied.
    ///
    /// # Safety
    /// The list is one of a region's.
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

    /// What the table says of the page that something lies in, if a move is of it.
    pub(super) fn owner(&self, address: *mut u8) -> Option<(usize, u8)> {
        if address < self.pool.base || address >= self.pool.untouched {
            return None;
        }
        // SAFETY: the address lies in the pool.
        let owner = unsafe { self.pool.owner(address).read() };
        let index = usize::from(owner & !(LARGE | FIRST)).checked_sub(1)?;
        Some((index, owner))
    }

    /// Notes that something in a large block was reached.
    ///
    /// # Safety
    /// It lies in such a block, of a move.
    pub(super) unsafe fn reach_large(&mut self, address: *mut u8) {
        // SAFETY: the pages of a block lie one behind the other, and the first one is marked.
        unsafe {
            let mut page = self.pool.page_of(address);
            while *self.pool.owners.add(page) & FIRST == 0 {
                page -= 1;
            }
            let block = self.pool.base.add(page * self.pool.page).cast::<Block>();
            (*block).size |= REACHED;
        }
    }

    /// Gives back what was not reached in the region of a move, and lets it go on with the rest.
    ///
    /// # Safety
    /// There is such a move, and all that is reachable was copied.
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
