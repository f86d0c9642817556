//! Regions: page lists over one pool, after Tofte and Talpin, "Region-Based Memory Management" (1997).
//!
//! In: a pool of raw memory and a page size. Out: regions that grow by bump allocation. Entering, allocating less than
//! a page and leaving take constant time: a region returns its whole list of pages by linking its last page to the pool's
//! list. An allocation larger than a page takes contiguous pages as one block; finding such a block among returned ones,
//! and returning one, takes time linear in the number of returned large blocks.
//!
//! Invariants: live allocations of live regions never overlap, are inside the pool, and have the requested alignment;
//! the cursor of a region is aligned to a word, so that most allocations compute no padding.

mod evacuate;
mod setting;
mod space;

pub use evacuate::{Case, Entry, Kind, Lambda, MAX_MOVES, Move, evacuate, postpone};
pub use setting::{Parts, Setting};
pub use space::Space;

use core::{
    mem::offset_of,
    ptr::{NonNull, null, null_mut},
};

/// The header of every block, followed by the bytes that are allocated.
#[repr(C)]
struct Block {
    next: *mut Block,
    /// For a block of several pages, its size in bytes. For a page, the address of the region that holds it, and during
    /// an evacuation of its content, which objects were copied.
    size_or_owner: usize,
}

/// The bytes of a block that are not available for allocation.
const HEADER: usize = size_of::<Block>();

/// The size of a word in bytes.
const WORD: usize = size_of::<usize>();

/// The growth of regions before their evacuation soon has this number of pages, which is about what they take as soon as a page
/// of theirs remains reachable.
const FEW_PAGES: usize = 4;

/// Until then, the growth doubles after this number of evacuations.
const DOUBLING_SOON: u32 = 16;

/// Afterwards, the growth doubles after this number of evacuations.
const DOUBLING: u32 = 1024;

/// A size or an address rounded up to a multiple of a word; wraps around for the last ones.
#[inline]
const fn in_words(bytes: usize) -> usize {
    bytes.wrapping_add(WORD - 1) & !(WORD - 1)
}

/// Takes the first block off a list; null if there is none.
///
/// # Safety
/// All listed blocks are valid.
unsafe fn take_first(list: &mut *mut Block) -> *mut Block {
    let block = *list;
    if !block.is_null() {
        // SAFETY: as the caller promises.
        *list = unsafe { (*block).next };
    }
    block
}

/// Takes the first block of at least `size` bytes off a list of blocks of several pages; null if there is none.
///
/// # Safety
/// All listed blocks are valid.
unsafe fn take_at_least(list: &mut *mut Block, size: usize) -> *mut Block {
    // A reference to a block would cover its header only, and a block is used as a whole.
    let mut link: *mut *mut Block = list;
    // SAFETY: as the caller promises.
    unsafe {
        while !(*link).is_null() {
            let block = *link;
            if (*block).size_or_owner >= size {
                *link = (*block).next;
                return block;
            }
            link = &raw mut (*block).next;
        }
    }
    null_mut()
}

/// Puts a block on a list.
///
/// # Safety
/// It is a valid block that is on no list.
unsafe fn push(list: &mut *mut Block, block: *mut Block) {
    // SAFETY: as the caller promises.
    unsafe { (*block).next = *list };
    *list = block;
}

/// The memory from which all regions take their pages. It is all zero at first.
pub struct Pool<S> {
    setting: S,
    /// Returned blocks of one page.
    pages: *mut Block,
    /// Returned blocks of several pages.
    large: *mut Block,
    /// The bytes of the pages that some region has used, from the first page on.
    touched: usize,
    /// Bytes in blocks that regions hold.
    used: usize,
    /// The maximum of `used` so far.
    most_used: usize,
    /// The bytes that a region takes before it is due for evacuation, at least, in addition to a page.
    growth: usize,
    /// The number of evacuations, modulo 2 to the power 32.
    evacuations: u32,
}

impl<S: Setting> Pool<S> {
    /// A pool none of whose memory is used.
    pub const fn new(setting: S) -> Pool<S> {
        Pool {
            setting,
            pages: null_mut(),
            large: null_mut(),
            touched: 0,
            used: 0,
            most_used: 0,
            growth: 0,
            evacuations: 0,
        }
    }

    /// The size of a page in bytes.
    pub fn page_bytes(&self) -> usize {
        1 << self.setting.shift()
    }

    /// The page that contains an address.
    #[inline]
    fn page_of(&self, address: *mut u8) -> *mut Block {
        address.map_addr(|address| address & !(self.page_bytes() - 1)).cast()
    }

    /// Bytes available to all regions together.
    pub fn bytes(&self) -> usize {
        let pages = self.setting.pages();
        pages.end as usize - pages.start as usize
    }

    /// Bytes in blocks that no region holds, and in pages that no region has used.
    pub fn free_bytes(&self) -> usize {
        self.bytes() - self.used
    }

    /// The most bytes that regions held at a time.
    pub fn most_used(&self) -> usize {
        self.most_used
    }

    /// The least bytes that a region takes before it is due for evacuation.
    #[inline]
    fn growth(&self) -> usize {
        self.page_bytes() + self.growth
    }

    /// Counts an evacuation. After some of them, regions may take twice as much before they are due: the cost of
    /// evacuation becomes small compared to that of allocation, and a short program takes no more memory than it needs.
    fn count_evacuation(&mut self) {
        self.evacuations = self.evacuations.wrapping_add(1);
        let page = self.page_bytes();
        let doubling = if self.growth() < FEW_PAGES * page { DOUBLING_SOON } else { DOUBLING };
        if self.evacuations.is_multiple_of(doubling) {
            self.growth = (2 * self.growth()).min(self.setting.most_growth()).max(page) - page;
        }
    }

    /// A block of one page, or of at least `size` bytes, which are several pages, and its size; null if there is none.
    fn take(&mut self, size: usize) -> (*mut Block, usize) {
        let is_page = !self.setting.has_large() || size == self.page_bytes();
        // SAFETY: all listed blocks are valid.
        let mut block =
            unsafe { if is_page { take_first(&mut self.pages) } else { take_at_least(&mut self.large, size) } };
        if block.is_null() {
            block = self.take_untouched(size);
        }
        if block.is_null() && is_page && self.setting.has_large() {
            block = self.split_page();
        }
        if block.is_null() {
            return (block, 0);
        }
        // SAFETY: the block was just taken.
        let taken = if is_page { size } else { unsafe { (*block).size_or_owner } };
        self.used += taken;
        if self.setting.measures() {
            self.most_used = self.most_used.max(self.used);
        }
        (block, taken)
    }

    /// Splits off the last page of the first large block.
    fn split_page(&mut self) -> *mut Block {
        let (block, page) = (self.large, self.page_bytes());
        if block.is_null() {
            return block;
        }
        // SAFETY: a listed block is a valid one, and a large one has at least two pages.
        unsafe {
            (*block).size_or_owner -= page;
            let rest = (*block).size_or_owner;
            if rest == page {
                self.large = (*block).next;
                push(&mut self.pages, block);
            }
            block.byte_add(rest)
        }
    }

    fn take_untouched(&mut self, size: usize) -> *mut Block {
        if size > self.bytes() - self.touched {
            return null_mut();
        }
        let block = self.setting.pages().start.wrapping_add(self.touched).cast::<Block>();
        self.touched += size;
        if self.setting.has_large() {
            // SAFETY: the bytes are inside the pool and in no block; the start and the page size preserve the alignment.
            unsafe { (*block).size_or_owner = size };
        }
        block
    }
}

/// Which words of a region debuggers read: the bytes that it holds, and its origin.
const _: () = assert!(offset_of!(Region, held) == 5 * WORD && offset_of!(Region, origin) == 7 * WORD);

/// One region. Generated code reserves `Region` in a stack slot and passes its address to the runtime.
#[repr(C)]
pub struct Region {
    /// The rest of the page of the last allocation.
    pub space: Space,
    /// Its blocks of one page; allocations are in the first one.
    pages: *mut Block,
    /// The last one of them, if there is any.
    last: *mut Block,
    /// Its blocks of several pages.
    large: *mut Block,
    /// The total size of its blocks in bytes.
    held: usize,
    /// The number of bytes it may hold before it is due for evacuation.
    due: usize,
    /// The site where it begins in the program's source; null for the program's own region.
    origin: *const u8,
}

impl Region {
    /// An empty region; all zero, so that a static one costs no flash.
    pub const EMPTY: Region = Region {
        space: Space::EMPTY,
        pages: null_mut(),
        last: null_mut(),
        large: null_mut(),
        held: 0,
        due: 0,
        origin: null(),
    };

    /// An empty region with its origin, and the number of bytes it may hold before it is due for evacuation.
    #[inline]
    pub fn new(origin: *const u8, due: usize) -> Region {
        Region { origin, due, ..Region::EMPTY }
    }

    /// The site passed to [`Region::new`].
    pub fn origin(&self) -> *const u8 {
        self.origin
    }

    /// Bytes of the pages that it holds.
    pub fn held_bytes(&self) -> usize {
        self.held
    }

    /// Whether it is due for evacuation, or to be granted more by [`postpone`].
    #[inline]
    pub fn is_due(&self) -> bool {
        self.held >= self.due
    }

    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// Whether an object of `size` bytes, aligned to at most a header, is in this region. If it is not smaller than a
    /// page, the answer is no. With a constant size, this is a comparison.
    ///
    /// # Safety
    /// Some region holds the object.
    #[inline]
    pub unsafe fn holds<S: Setting>(&self, pool: &Pool<S>, object: *mut u8, size: usize) -> bool {
        // SAFETY: as the caller promises; such an object is in a page, which begins with its header.
        in_words(size) <= pool.page_bytes() - HEADER
            && unsafe { (*pool.page_of(object)).size_or_owner == self.address() }
    }

    /// Memory of `size` bytes, aligned to `align` (a power of two), or nothing if the pool is exhausted.
    pub fn allocate<S: Setting>(&mut self, pool: &mut Pool<S>, size: usize, align: usize) -> Option<NonNull<u8>> {
        match self.space.bump(size, align) {
            None => self.grow(pool, size, align),
            allocated => allocated,
        }
    }

    /// Memory in a new page, or in a block of its own.
    #[cold]
    #[inline(never)]
    pub fn grow<S: Setting>(&mut self, pool: &mut Pool<S>, size: usize, align: usize) -> Option<NonNull<u8>> {
        // Blocks are aligned to two pointers, and so is what follows their header.
        let padding = align.saturating_sub(HEADER);
        let page = pool.page_bytes();
        let bytes = match pool.setting.has_large() {
            true => size.checked_add(padding)?.checked_add(HEADER + page - 1)? & !(page - 1),
            false => page,
        };
        let (block, taken) = pool.take(bytes);
        let block = NonNull::new(block)?.as_ptr();
        self.held += taken;
        // SAFETY: the pool has just handed out the block.
        unsafe {
            if bytes == page {
                (*block).size_or_owner = self.address();
                push(&mut self.pages, block);
                if self.last.is_null() {
                    self.last = block;
                }
                self.restart(page);
                let start = self.space.cursor.wrapping_add(if align > HEADER { self.space.padding(align) } else { 0 });
                self.space.cursor = start.wrapping_add(in_words(size));
                return NonNull::new(start);
            }
            push(&mut self.large, block);
        }
        let content = block.cast::<u8>().wrapping_add(HEADER);
        NonNull::new(content.wrapping_add((content as usize).wrapping_neg() & (align - 1)))
    }

    /// Allocates from the start of the first page again.
    fn restart(&mut self, page: usize) {
        let start = self.pages.cast::<u8>();
        self.space = Space::new(start.wrapping_add(HEADER), start.wrapping_add(page));
    }

    /// Returns all memory; the region is then empty.
    pub fn leave<S: Setting>(&mut self, pool: &mut Pool<S>) {
        self.end(pool);
        *self = Region::new(self.origin, self.due);
    }

    /// Returns all memory; the region is not used any more.
    #[inline]
    pub fn end<S: Setting>(&mut self, pool: &mut Pool<S>) {
        // SAFETY: all listed blocks are valid, and so is the last page, if there is one.
        unsafe {
            if !self.last.is_null() {
                (*self.last).next = pool.pages;
                pool.pages = self.pages;
            }
            while pool.setting.has_large() && !self.large.is_null() {
                let block = self.large;
                self.large = (*block).next;
                push(&mut pool.large, block);
            }
        }
        pool.used -= self.held;
    }

    /// Discards the last allocation, in a region that is not evacuated, if it is in the page in which the next one would be. This is
    /// a comparison and a store. Otherwise [`Region::pop_before`] does.
    ///
    /// # Safety
    /// The allocation at the address is the last one that was not discarded.
    #[inline]
    pub unsafe fn pop<S: Setting>(&mut self, pool: &Pool<S>, address: *mut u8) -> bool {
        let is_in_page = self.space.limit.addr().wrapping_sub(address.addr()) < pool.page_bytes();
        if is_in_page {
            self.space.cursor = address;
        }
        is_in_page
    }

    /// Discards the last allocation where it is not in the page in which the next one would be, which is then empty.
    ///
    /// # Safety
    /// As for [`Region::pop`].
    pub unsafe fn pop_before<S: Setting>(&mut self, pool: &mut Pool<S>, address: *mut u8) {
        let large = self.large;
        // SAFETY: the region holds the allocation, and all listed blocks are valid.
        unsafe {
            if pool.setting.has_large() && !large.is_null() {
                let size = (*large).size_or_owner;
                if address.addr().wrapping_sub(large.addr()) < size {
                    self.large = (*large).next;
                    push(&mut pool.large, large);
                    self.held -= size;
                    pool.used -= size;
                    return;
                }
            }
            let empty = self.pages;
            self.pages = (*empty).next;
            push(&mut pool.pages, empty);
        }
        self.held -= pool.page_bytes();
        pool.used -= pool.page_bytes();
        self.restart(pool.page_bytes());
        self.space.cursor = address;
    }
}

#[cfg(test)]
mod tests;
