//! Regions: page lists over one pool, after Tofte and Talpin, "Region-Based Memory Management" (1997).
//!
//! In: a pool of raw memory and a page size. Out: regions that grow by bump allocation. Entering, allocating less than
//! a page, leaving and resetting take constant time: a region returns its whole list of pages by linking its last page
//! to the pool's list. An allocation larger than a page takes contiguous pages as one block; finding such a block among
//! returned ones takes time linear in the number of returned large blocks.
//!
//! Invariants: live allocations of live regions never overlap, are inside the pool, and have the requested alignment;
//! the cursor of a region is aligned to a word, so that most allocations compute no padding.

mod evacuate;

pub use evacuate::{Case, Entry, Kind, Lambda, MAX_MOVES, Move, evacuate};

use core::ptr::{NonNull, null, null_mut};

/// The header of every block, followed by the bytes that are allocated.
#[repr(C)]
struct Block {
    next: *mut Block,
    /// Bytes of the whole block, a multiple of the page size.
    size: usize,
}

/// The bytes of a block that are not available for allocation.
const HEADER: usize = size_of::<Block>();

/// The size of a word in bytes.
const WORD: usize = size_of::<usize>();

/// Sizes below this, in bytes, can be added to an address of the pool without overflow: no pool is at the end of the
/// address space.
const SMALL: usize = 4096;

/// The growth of regions before their evacuation doubles after this number of evacuations.
const DOUBLING: usize = 1024;

/// Before its evacuation, a region grows by at most the size of the pool divided by this.
const POOL_PARTS: usize = 64;

/// Before its evacuation, a region grows by at most this number of bytes, so that it stays in the first-level cache.
const MOST_GROWTH: usize = 8192;

/// A size or an address rounded up to a multiple of a word; wraps around for the last ones.
#[inline]
const fn in_words(bytes: usize) -> usize {
    bytes.wrapping_add(WORD - 1) & !(WORD - 1)
}

/// A singly linked list that can be joined to another in constant time.
struct List {
    first: *mut Block,
    last: *mut Block,
}

impl List {
    const EMPTY: List = List { first: null_mut(), last: null_mut() };

    /// # Safety
    /// `block` is a block that is on no list.
    unsafe fn push(&mut self, block: NonNull<Block>) {
        // SAFETY: the caller owns the block.
        unsafe { (*block.as_ptr()).next = self.first };
        if self.first.is_null() {
            self.last = block.as_ptr();
        }
        self.first = block.as_ptr();
    }

    /// Prepends all of `other`.
    fn prepend(&mut self, other: &mut List) {
        if other.first.is_null() {
            return;
        }
        // SAFETY: `last` of a list that is not empty is a block of that list.
        unsafe { (*other.last).next = self.first };
        if self.first.is_null() {
            self.last = other.last;
        }
        self.first = other.first;
        *other = List::EMPTY;
    }

    fn pop(&mut self) -> Option<NonNull<Block>> {
        let block = NonNull::new(self.first)?;
        // SAFETY: a listed block is a valid one.
        self.first = unsafe { block.as_ref() }.next;
        if self.first.is_null() {
            self.last = null_mut();
        }
        Some(block)
    }

    /// Splits off all blocks but the first.
    fn split_rest(&mut self) -> List {
        // SAFETY: `first`, unless null, is a valid block.
        let Some(first) = (unsafe { self.first.as_mut() }) else { return List::EMPTY };
        if first.next.is_null() {
            return List::EMPTY;
        }
        let rest = List { first: first.next, last: self.last };
        first.next = null_mut();
        self.last = self.first;
        rest
    }

    /// Removes the first block of at least `size` bytes.
    fn take_at_least(&mut self, size: usize) -> Option<NonNull<Block>> {
        let mut before: *mut Block = null_mut();
        let mut here = self.first;
        while let Some(block) = NonNull::new(here) {
            // SAFETY: a listed block is a valid one.
            let Block { next, size: block_size } = *unsafe { block.as_ref() };
            if block_size < size {
                before = here;
                here = next;
                continue;
            }
            match NonNull::new(before) {
                None => self.first = next,
                // SAFETY: `before` is the listed block before this one.
                Some(before) => unsafe { (*before.as_ptr()).next = next },
            }
            if next.is_null() {
                self.last = before;
            }
            return Some(block);
        }
        None
    }
}

/// The memory from which all regions take their pages.
pub struct Pool {
    /// Returned blocks of one page.
    pages: List,
    /// Returned blocks of several pages.
    large: List,
    /// The start of the first page.
    base: *mut u8,
    /// The part that no region has used yet.
    untouched: *mut u8,
    end: *mut u8,
    page: usize,
    /// The bytes that a region takes before it is due for evacuation, at least; from a page to `most_growth`.
    growth: usize,
    most_growth: usize,
    /// Evacuations until `growth` doubles.
    evacuations: usize,
    /// The page size is 2 to this power.
    shift: u32,
    /// Bytes in blocks that no region holds, and in the untouched part.
    free: usize,
    /// The minimum of `free` so far.
    least_free: usize,
    /// A byte for each page, all zero except during an evacuation; initialised when the first page is taken.
    owners: *mut u8,
}

impl Pool {
    /// A pool without memory.
    pub const EMPTY: Pool = Pool {
        pages: List::EMPTY,
        large: List::EMPTY,
        base: null_mut(),
        untouched: null_mut(),
        end: null_mut(),
        page: 1,
        growth: 0,
        most_growth: 0,
        evacuations: DOUBLING,
        shift: 0,
        free: 0,
        least_free: 0,
        owners: null_mut(),
    };

    /// Makes a pool of this memory. The pool reserves a byte for each page at its start for itself.
    ///
    /// # Safety
    /// `start..end` is memory that nothing else uses as long as the pool lives; `start` is a multiple of the size of two
    /// pointers, and `page` a power of two that is larger than that.
    pub unsafe fn new(start: *mut u8, end: *mut u8, page: usize) -> Pool {
        let shift = page.trailing_zeros();
        let owners = (end as usize - start as usize) >> shift;
        let table = (owners + HEADER - 1) & !(HEADER - 1);
        if table > end as usize - start as usize {
            return Pool { page, shift, ..Pool::EMPTY };
        }
        let base = start.wrapping_add(table);
        let free = end as usize - base as usize;
        Pool {
            base,
            untouched: base,
            end,
            page,
            growth: page,
            most_growth: page.max((free / POOL_PARTS).min(MOST_GROWTH)),
            shift,
            free,
            least_free: free,
            owners: start,
            ..Pool::EMPTY
        }
    }

    /// Sets the limit of `growth`, at least a page. By default it is a 64th of the pool, at most 8 KiB.
    pub fn set_growth(&mut self, bytes: usize) {
        self.most_growth = bytes.max(self.page);
    }

    /// Counts an evacuation. Every [`DOUBLING`] of them, regions may take twice as much before they are due: the cost of
    /// evacuation becomes small compared to that of allocation, and a short program takes no more memory than it needs.
    fn count_evacuation(&mut self) {
        self.evacuations -= 1;
        if self.evacuations == 0 {
            self.evacuations = DOUBLING;
            self.growth = (2 * self.growth).min(self.most_growth);
        }
    }

    /// Bytes in blocks that no region holds, and in the untouched part.
    pub fn free_bytes(&self) -> usize {
        self.free
    }

    /// Bytes available to all regions together.
    pub fn bytes(&self) -> usize {
        self.end as usize - self.base as usize
    }

    /// The most bytes that regions held at a time.
    pub fn most_used(&self) -> usize {
        self.bytes() - self.least_free
    }

    /// The size of a page in bytes.
    pub fn page_bytes(&self) -> usize {
        self.page
    }

    /// A block of one page, or of `size` bytes, which are several pages.
    fn take(&mut self, size: usize) -> Option<NonNull<Block>> {
        let block = if size > self.page { self.take_large(size) } else { self.take_page() }?;
        // SAFETY: the block was just taken, and is a valid one.
        self.free -= unsafe { block.as_ref() }.size;
        self.least_free = self.least_free.min(self.free);
        Some(block)
    }

    /// The index of the page that contains an address.
    fn page_of(&self, address: *mut u8) -> usize {
        (address as usize - self.base as usize) >> self.shift
    }

    /// The entry in the table of owners for the page that contains an address.
    fn owner(&self, address: *mut u8) -> *mut u8 {
        self.owners.wrapping_add(self.page_of(address))
    }

    fn take_page(&mut self) -> Option<NonNull<Block>> {
        self.pages.pop().or_else(|| self.take_untouched(self.page)).or_else(|| self.split_page())
    }

    /// Splits off the last page of the first large block.
    fn split_page(&mut self) -> Option<NonNull<Block>> {
        let mut large = self.large.pop()?;
        // SAFETY: a listed block is a valid one.
        let block = unsafe { large.as_mut() };
        let rest = block.size - self.page;
        // SAFETY: a large block has at least two pages.
        let page = unsafe { large.byte_add(rest) };
        block.size = rest;
        // SAFETY: the page is the end of the block, which has just been cut off; the block is on no list.
        unsafe {
            page.write(Block { next: null_mut(), size: self.page });
            if rest == self.page { self.pages.push(large) } else { self.large.push(large) }
        }
        Some(page)
    }

    fn take_large(&mut self, size: usize) -> Option<NonNull<Block>> {
        self.large.take_at_least(size).or_else(|| self.take_untouched(size))
    }

    fn take_untouched(&mut self, size: usize) -> Option<NonNull<Block>> {
        if size > self.end as usize - self.untouched as usize {
            return None;
        }
        let block = NonNull::new(self.untouched.cast::<Block>())?;
        if self.untouched == self.base {
            // A program that allocates nothing needs no table.
            // SAFETY: the table is between the start of the memory and the first page.
            unsafe { self.owners.write_bytes(0, self.base as usize - self.owners as usize) };
        }
        self.untouched = self.untouched.wrapping_add(size);
        // SAFETY: the bytes are inside the pool and in no block; the start and the page size preserve the alignment.
        unsafe { block.write(Block { next: null_mut(), size }) };
        Some(block)
    }
}

/// One region. Generated code reserves `Region` in a stack slot and passes its address to the runtime.
#[repr(C)]
pub struct Region {
    cursor: *mut u8,
    limit: *mut u8,
    pages: List,
    large: List,
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
        cursor: null_mut(),
        limit: null_mut(),
        pages: List::EMPTY,
        large: List::EMPTY,
        held: 0,
        due: 0,
        origin: null(),
    };

    /// An empty region with its origin.
    #[inline]
    pub fn new(origin: *const u8) -> Region {
        Region { origin, ..Region::EMPTY }
    }

    /// The site passed to [`Region::new`].
    pub fn origin(&self) -> *const u8 {
        self.origin
    }

    /// Bytes of the pages that it holds.
    pub fn held_bytes(&self) -> usize {
        self.held
    }

    /// Whether it is due for evacuation.
    #[inline]
    pub fn is_due(&self, pool: &Pool) -> bool {
        self.held >= self.due && self.held > pool.growth
    }

    /// Memory of `size` bytes, aligned to `align` (a power of two), or nothing if the pool is exhausted.
    pub fn allocate(&mut self, pool: &mut Pool, size: usize, align: usize) -> Option<NonNull<u8>> {
        match self.bump(size, align) {
            None => self.grow(pool, size, align),
            allocated => allocated,
        }
    }

    /// Memory in the page of the last allocation. With constant arguments, this is a comparison and an addition.
    #[inline]
    pub fn bump(&mut self, size: usize, align: usize) -> Option<NonNull<u8>> {
        if size == 0 {
            return NonNull::new(core::ptr::without_provenance_mut(align));
        }
        let padding = if align > WORD { (self.cursor as usize).wrapping_neg() & (align - 1) } else { 0 };
        let start = self.cursor.wrapping_add(padding);
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

    /// Extends the allocation that ends at `end`, if it is the last one and its page has space.
    pub fn extend(&mut self, end: *mut u8, more: usize) -> bool {
        let is_last = in_words(end as usize) == self.cursor as usize;
        let extends = is_last && more <= (self.limit as usize).saturating_sub(end as usize);
        if extends {
            self.put_cursor(end.wrapping_add(more));
        }
        extends
    }

    /// Returns the last bytes of the allocation that ends at `end`, if it is the last one.
    pub fn give_back(&mut self, end: *mut u8, unused: usize) {
        if in_words(end as usize) == self.cursor as usize {
            self.put_cursor(end.wrapping_sub(unused));
        }
    }

    /// Continues after an allocation that ends at `end`.
    fn put_cursor(&mut self, end: *mut u8) {
        self.cursor = end.wrapping_add(in_words(end as usize) - end as usize);
    }

    /// Memory in a new page, or in a block of its own.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self, pool: &mut Pool, size: usize, align: usize) -> Option<NonNull<u8>> {
        // Blocks are aligned to two pointers, and so is what follows their header.
        let padding = align.saturating_sub(HEADER);
        let bytes = size.checked_add(padding)?.checked_add(HEADER + WORD - 1)? & !(WORD - 1);
        if bytes > pool.page {
            return self.allocate_large(pool, bytes, align);
        }
        let block = pool.take(pool.page)?;
        // SAFETY: the pool has just handed out the block.
        unsafe { self.pages.push(block) };
        self.held += pool.page;
        self.restart();
        self.bump(size, align)
    }

    fn allocate_large(&mut self, pool: &mut Pool, bytes: usize, align: usize) -> Option<NonNull<u8>> {
        let block = pool.take(bytes.checked_add(pool.page - 1)? & !(pool.page - 1))?;
        // SAFETY: the pool has just handed out the block, which is valid.
        unsafe {
            self.large.push(block);
            self.held += block.as_ref().size;
        }
        let content = block.as_ptr().cast::<u8>().wrapping_add(HEADER);
        let padding = (content as usize).wrapping_neg() & (align - 1);
        NonNull::new(content.wrapping_add(padding))
    }

    /// Allocates from the start of the first page again.
    fn restart(&mut self) {
        let Some(page) = NonNull::new(self.pages.first) else { return };
        // SAFETY: the first page is a valid block.
        let size = unsafe { page.as_ref() }.size;
        let start = page.as_ptr().cast::<u8>();
        self.cursor = start.wrapping_add(HEADER);
        self.limit = start.wrapping_add(size);
    }

    /// Returns all memory; the region is then empty.
    pub fn leave(&mut self, pool: &mut Pool) {
        pool.pages.prepend(&mut self.pages);
        pool.large.prepend(&mut self.large);
        pool.free += self.held;
        self.held = 0;
        self.cursor = null_mut();
        self.limit = null_mut();
    }

    /// Discards all allocations, and keeps one page for new ones.
    pub fn reset(&mut self, pool: &mut Pool) {
        pool.pages.prepend(&mut self.pages.split_rest());
        pool.large.prepend(&mut self.large);
        let kept = if self.pages.first.is_null() { 0 } else { pool.page };
        pool.free += self.held - kept;
        self.held = kept;
        self.restart();
    }
}

#[cfg(test)]
mod tests;
