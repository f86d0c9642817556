//! Copying: whether and where an object was copied is in the headers of pages for most objects, and in a tree for
//! others.

use super::{Evacuation, Exhausted, Kind, Move, pages::LARGE};
use crate::region::{Region, Setting};
use core::{
    mem::MaybeUninit,
    ptr::{NonNull, null_mut},
};

/// The size of a word in bytes.
const WORD: usize = size_of::<usize>();

/// The new address of an object.
#[repr(C)]
pub(super) struct Moved {
    old: *mut u8,
    pub(super) new: *mut u8,
    /// For a text, the bytes that were copied.
    pub(super) length: usize,
    children: [*mut Moved; 4],
}

impl<S: Setting> Evacuation<'_, S> {
    /// The new address of an object, and whether it was found for the first time and must be read. An object outside
    /// the evacuated regions stays, and is read only on request.
    ///
    /// # Safety
    /// The object has `size` bytes.
    pub(super) unsafe fn found(
        &mut self,
        address: *mut u8,
        size: usize,
        align: usize,
        elsewhere: bool,
    ) -> Result<(*mut u8, bool), Exhausted> {
        let owner = self.owner(address);
        let is_read = self.parts().elsewhere && (elsewhere || self.everywhere);
        if size == 0 || address.is_null() || (owner.is_none() && !is_read) {
            return Ok((address, false));
        }
        // SAFETY: as the caller promises; a block that belongs to a move is one of its region.
        unsafe {
            if let Some((index, owner)) = owner
                && !(self.has_large() && owner & LARGE != 0)
                && self.has_mark(address, size, align)
            {
                return self.forward(address, index, size, align);
            }
            let place = self.place(address, 1)?;
            let found = (*place).new.is_null();
            if found {
                (*place).new = match owner {
                    Some((index, owner)) if !self.has_large() || owner & LARGE == 0 => {
                        self.copy(address, index, size, align)?
                    }
                    Some(_) => {
                        self.reach_large(address);
                        address
                    }
                    None => address,
                };
            }
            Ok(((*place).new, found))
        }
    }

    /// The number of bytes of a page that share a bit in its header, as a power of two.
    fn shared_bytes(&self) -> u32 {
        self.pool.setting.shift().saturating_sub(usize::BITS.trailing_zeros()).max(WORD.trailing_zeros())
    }

    /// Whether a bit in the page header can mark the object as copied: no other marked object begins within the bytes
    /// that share the bit, and the second word belongs to the object. Texts may be inside arrays of bytes, whose
    /// content is still needed then.
    fn has_mark(&self, address: *mut u8, size: usize, align: usize) -> bool {
        if self.parts().all_are_marked(1 << self.shared_bytes()) {
            return true;
        }
        size >= (2 * WORD).max(1 << self.shared_bytes()) && align > 1 && (address as usize).is_multiple_of(WORD)
    }

    /// The new address of an object with such a bit, and whether it was copied only now. Its first word, which may
    /// identify it, stays.
    ///
    /// # Safety
    /// It is in a page of a move, and has `size` bytes.
    unsafe fn forward(
        &mut self,
        address: *mut u8,
        index: usize,
        size: usize,
        align: usize,
    ) -> Result<(*mut u8, bool), Exhausted> {
        let page = self.pool.page_of(address);
        let bit = 1 << ((address as usize - page as usize) >> self.shared_bytes());
        // SAFETY: the page begins with its header, and the object is aligned to a word and has two.
        unsafe {
            let second = address.cast::<*mut u8>().add(1);
            if (*page).size_or_owner & bit != 0 {
                return Ok((second.read(), false));
            }
            let new = self.copy(address, index, size, align)?;
            second.write(new);
            (*page).size_or_owner |= bit;
            Ok((new, true))
        }
    }

    /// Copies bytes to the target of a move.
    ///
    /// # Safety
    /// They can be read.
    pub(super) unsafe fn copy(
        &mut self,
        address: *mut u8,
        index: usize,
        size: usize,
        align: usize,
    ) -> Result<*mut u8, Exhausted> {
        // SAFETY: the target is a valid region, and returns fresh memory.
        unsafe {
            let target = self.target(index);
            let new = (*target).allocate(self.pool, size, align).ok_or(Exhausted)?.as_ptr();
            let parts = self.parts();
            let are_small = parts.all_are_marked(1 << self.shared_bytes()) && parts.largest <= LARGEST_LOOP;
            copy_bytes(address, new, size, are_small && !parts.has(Kind::Text));
            Ok(new)
        }
    }

    /// The region for what is reachable in that of a move.
    ///
    /// # Safety
    /// The move exists.
    pub(super) unsafe fn target(&self, index: usize) -> *mut Region {
        // SAFETY: as the caller promises.
        let Move { from, to } = unsafe { self.moves.add(index).read() };
        if self.parts().targets && !to.is_null() { to } else { from }
    }

    /// The old content of the region of a move.
    ///
    /// # Safety
    /// The move exists.
    pub(super) unsafe fn old(&self, index: usize) -> *mut Region {
        if index == 0 {
            return self.first;
        }
        // SAFETY: there is an old region for each move.
        unsafe {
            let mut old = self.others;
            for _ in 1..index {
                old = (*old).next;
            }
            &raw mut (*old).region
        }
    }

    /// The entry of an old address in one of the trees, newly made if there is none.
    pub(super) fn place(&mut self, old: *mut u8, tree: usize) -> Result<*mut Moved, Exhausted> {
        let mut hash = (old as usize).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize | 1);
        let mut link: *mut *mut Moved = &raw mut self.moved[tree & 1];
        // SAFETY: the links of the tree point to its entries.
        unsafe {
            while let Some(place) = NonNull::new(*link) {
                if place.as_ref().old == old {
                    return Ok(place.as_ptr());
                }
                let child = hash >> (usize::BITS - 2);
                hash = (hash << 2) | child;
                link = (&raw mut (*place.as_ptr()).children).cast::<*mut Moved>().add(child);
            }
            let place: NonNull<Moved> = self.scratch_for(size_of::<Moved>())?;
            place.write(Moved { old, new: null_mut(), length: 0, children: [null_mut(); 4] });
            *link = place.as_ptr();
            Ok(place.as_ptr())
        }
    }
}

/// Copies an object. Most are a few words, for which a call of the general routine takes longer than the copy.
///
/// # Safety
/// It can be read at `from`, in a region, and written at `to`, which does not overlap. If both are aligned to words, so
/// can the rest of its last word, since allocations take whole words.
unsafe fn copy_bytes(from: *const u8, to: *mut u8, size: usize, only_small: bool) {
    let in_words = (from as usize | to as usize).is_multiple_of(WORD) && size <= LARGEST_LOOP;
    // SAFETY: as the caller promises; words are copied only if all are aligned.
    unsafe {
        if !only_small && !in_words {
            return to.copy_from_nonoverlapping(from, size);
        }
        let (from, to) = (from.cast::<MaybeUninit<usize>>(), to.cast::<MaybeUninit<usize>>());
        for word in 0..size.div_ceil(WORD) {
            // Volatile, so that this does not become the call that it avoids.
            to.add(word).write_volatile(from.add(word).read_volatile());
        }
    }
}

/// The size in bytes up to which objects are copied by a loop.
const LARGEST_LOOP: usize = 8 * WORD;
