//! Evacuation: what is still reachable is copied out of regions, and the rest is given back.
//!
//! In: regions to be emptied, a value that all later uses of their content begin from, and [`Entry`] tables that say where
//! pointers stand in memory of each type; code generation makes the tables. Out: the value with its pointers set anew.
//! Each region goes on as itself with only its reachable content, or hands it over to another region and is empty. What
//! then holds: sharing and cycles are as before, and nothing that is reachable from the value points to memory that was
//! given back. It takes time in proportion to what is reachable in the regions and in the cells and arrays outside of
//! them; no recursion.
//!
//! After Cheney, "A nonrecursive list compacting algorithm" (CACM 1970), with two changes, because memory here has no
//! headers. What is still to be read stands in a list, in the frame or in a region that ends with the evacuation. And
//! whether an object was copied, so that its second word says where to, stands in the head of its page, which has a bit for
//! every few bytes. Where the copy of a smaller object or a text lies stands in a tree by the hash of the old address (after
//! Wellons, "The quick and practical MSI hash table", and "hash-tries", 2022-2023), in the same place as the list. Blocks of
//! several pages are not copied but handed over as they are.

use super::{Block, List, Pool, Region};
use core::{
    mem::MaybeUninit,
    ops::Range,
    ptr::{NonNull, null_mut},
};

/// How an [`Entry`] is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Kind {
    /// No entry follows.
    End = 0,
    /// A text: its address at `first`, its length in bytes at `second`.
    Text = 1,
    /// An array: its address at `first`, its length at `second`; `size` bytes an element, whose pointers `table` lists.
    Array = 2,
    /// At `first` the address of a cell of `size` bytes, whose pointers `table` lists.
    Cell = 3,
    /// At `first` the address of a node of the [`Case`] at `table`, or a number below `count`. Unless `second` is zero,
    /// nodes that lie elsewhere are read too, because something in them can be overwritten.
    Node = 4,
    /// At `first` the address of a node that begins with its tag of `size` bytes; `table` holds a [`Case`] for each tag.
    /// `second` is as for `Node`.
    TaggedNode = 5,
    /// At `first` the address of a closure; `table` holds `count` [`Lambda`]s. `second` is as for `Node`.
    Closure = 6,
    /// At `first` the handle of a region.
    Handle = 7,
    /// At `first` a tag of `size` bytes; `table` holds the address of a list of entries for each tag.
    Cases = 8,
}

/// Where a pointer stands in memory of some type, and what it points to; it is null until it is set. Offsets, sizes and alignments are in bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Entry {
    /// What the other members mean.
    pub kind: Kind,
    /// An offset.
    pub first: u32,
    /// Another offset, or a number.
    pub second: u32,
    /// How many.
    pub count: u32,
    /// Bytes.
    pub size: u32,
    /// Of what is pointed to.
    pub align: u32,
    /// Further tables; entries unless its kind says otherwise.
    pub table: *const (),
}

/// A node of one case.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Case {
    /// Bytes of the node.
    pub size: u32,
    /// What its address is a multiple of.
    pub align: u32,
    /// The pointers in it.
    pub entries: *const Entry,
}

/// A closure of one function.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Lambda {
    /// What the closure begins with.
    pub code: *const (),
    /// The struct.
    pub node: Case,
}

/// A region to be emptied.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Move {
    /// The region.
    pub from: *mut Region,
    /// Where its content goes; null if it stays that of the region.
    pub to: *mut Region,
}

/// How many regions can be evacuated at once.
pub const MOST_MOVES: usize = 0x3f;
/// In the table of owners: a page of a block of several.
const LARGE: u8 = 0x80;
/// In the table of owners: the first page of such a block.
const FIRST: u8 = 0x40;
/// In the size of such a block, which is even: something in it was reached.
const REACHED: usize = 1;
/// Words in the frame for what an evacuation notes: as much as one region and what is read of a few objects at a time take.
const ROOM: usize = 40;
/// Bytes of a word.
const WORD: usize = size_of::<usize>();
/// Where something lies now.
#[repr(C)]
struct Moved {
    old: *mut u8,
    new: *mut u8,
    /// Of a text: the bytes that were copied.
    length: usize,
    children: [*mut Moved; 4],
}

/// What a region goes on as. Each has memory of its own, so that it fits into a page however small.
struct Fresh {
    next: *mut Fresh,
    region: Region,
}

/// Memory whose pointers are still to be read.
#[repr(C)]
struct Pending {
    next: *mut Pending,
    address: *mut u8,
    entries: *const Entry,
    count: usize,
    stride: usize,
}

/// The pool has no page left.
struct Exhausted;

/// Copies what is reachable from a value out of regions; says whether the pool sufficed. If it did not, the value and the
/// regions are in no state to be used.
///
/// # Safety
/// `moves` are `count` moves, at most [`MOST_MOVES`], of regions that have been entered; none of them is mentioned as
/// `from` and as `to`. Of those with the same `from` the first one counts.
/// `entries` describe `value`, and all later uses of the content of the regions begin from it. Unless `everywhere`, nothing
/// that entries do not lead to and that cannot be overwritten points into the regions from elsewhere.
pub unsafe fn evacuate(
    pool: &mut Pool,
    moves: *mut Move,
    count: usize,
    value: *mut u8,
    entries: *const Entry,
    everywhere: bool,
) -> bool {
    let mut room = [MaybeUninit::<usize>::uninit(); ROOM];
    let Range { start, end } = room.as_mut_ptr_range();
    let mut evacuation = Evacuation {
        everywhere,
        moves,
        count,
        fresh: null_mut(),
        scratch: Region { cursor: start.cast(), limit: end.cast(), ..Region::EMPTY },
        moved: [null_mut(); 2],
        pending: null_mut(),
        unused: null_mut(),
        pool,
    };
    // SAFETY: as the caller promises.
    unsafe { evacuation.run(value, entries).is_ok() }
}

struct Evacuation<'a> {
    pool: &'a mut Pool,
    moves: *mut Move,
    count: usize,
    /// Whether nodes and closures that lie elsewhere are read too.
    everywhere: bool,
    /// For each move a region for what stays that of its region.
    fresh: *mut Fresh,
    /// What the evacuation itself needs; it begins with room in the frame, which suffices where little is reachable.
    scratch: Region,
    /// What was moved: texts, and all else. A text may lie in an array of bytes.
    moved: [*mut Moved; 2],
    pending: *mut Pending,
    /// Read ones, to be used again.
    unused: *mut Pending,
}

impl Evacuation<'_> {
    unsafe fn run(&mut self, value: *mut u8, entries: *const Entry) -> Result<(), Exhausted> {
        // SAFETY: the caller's moves are valid.
        unsafe { self.skip_repeated() };
        for index in (0..self.count).rev() {
            let fresh: NonNull<Fresh> = self.scratch_for(size_of::<Fresh>())?;
            // SAFETY: there is room for one, and the caller's moves are valid.
            unsafe {
                let from = (*self.moves.add(index)).from;
                fresh.write(Fresh { next: self.fresh, region: Region::new((*from).origin) });
                self.own(&(*from).pages, index as u8 + 1);
                self.own(&(*from).large, index as u8 + 1);
            }
            self.fresh = fresh.as_ptr();
        }
        // SAFETY: the entries describe the value, and those of what it leads to describe that.
        unsafe {
            self.read(value, entries)?;
            while let Some(pending) = NonNull::new(self.pending) {
                self.pending = (*pending.as_ptr()).next;
                let Pending { address, entries, count, stride, .. } = pending.read();
                (*pending.as_ptr()).next = self.unused;
                self.unused = pending.as_ptr();
                for index in 0..count {
                    self.read(address.wrapping_add(index * stride), entries)?;
                }
            }
        }
        for index in 0..self.count {
            // SAFETY: as above.
            unsafe { self.finish(index) };
        }
        self.scratch.leave(self.pool);
        self.set_due();
        Ok(())
    }

    /// Leaves out moves from a region that an earlier one is from.
    ///
    /// # Safety
    /// There are as many moves as are counted.
    unsafe fn skip_repeated(&mut self) {
        let mut kept = 0;
        for index in 0..self.count {
            // SAFETY: as the caller promises.
            unsafe {
                let next = self.moves.add(index).read();
                if (0..kept).all(|earlier| (*self.moves.add(earlier)).from != next.from) {
                    self.moves.add(kept).write(next);
                    kept += 1;
                }
            }
        }
        self.count = kept;
    }

    fn scratch_for<T>(&mut self, bytes: usize) -> Result<NonNull<T>, Exhausted> {
        self.scratch.allocate(self.pool, bytes, size_of::<usize>()).map(NonNull::cast).ok_or(Exhausted)
    }

    /// Notes for each page of listed blocks to which move it belongs; of what lies there nothing has been copied.
    ///
    /// # Safety
    /// The list is one of a region's.
    unsafe fn own(&mut self, list: &List, owner: u8) {
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

    /// Reads the pointers of something, and sets them anew.
    ///
    /// # Safety
    /// The entries describe what lies there.
    unsafe fn read(&mut self, base: *mut u8, entries: *const Entry) -> Result<(), Exhausted> {
        let mut entry = entries;
        // SAFETY: the list of entries has an end, and describes what lies at `base`.
        unsafe {
            while (*entry).kind != Kind::End {
                let address = base.add((*entry).first as usize).cast::<*mut u8>();
                match (*entry).kind {
                    Kind::End => {}
                    Kind::Text => {
                        let length = base.add((*entry).second as usize).cast::<usize>().read();
                        address.write(self.text(address.read(), length)?);
                    }
                    Kind::Array => {
                        let length = base.add((*entry).second as usize).cast::<usize>().read();
                        if length > 0 {
                            address.write(self.object(address.read(), &*entry, length)?);
                        }
                    }
                    Kind::Cell => address.write(self.object(address.read(), &*entry, 1)?),
                    Kind::Node => {
                        let node = address.read();
                        if node as usize >= (*entry).count as usize {
                            address.write(self.node(node, &*(*entry).table.cast(), (*entry).second != 0)?);
                        }
                    }
                    Kind::TaggedNode => {
                        let node = address.read();
                        if !node.is_null() {
                            let case = (*entry).table.cast::<Case>().add(tag(node, (*entry).size));
                            address.write(self.node(node, &*case, (*entry).second != 0)?);
                        }
                    }
                    Kind::Closure => address.write(self.closure(address.read(), &*entry)?),
                    Kind::Handle => {
                        let address = address.cast::<*mut Region>();
                        address.write(self.handle(address.read()));
                    }
                    Kind::Cases => {
                        let tag = if (*entry).size == 0 { 0 } else { tag(address.cast(), (*entry).size) };
                        let entries = (*entry).table.cast::<*const Entry>().add(tag).read();
                        self.read_case(base, entries)?;
                    }
                }
                entry = entry.add(1);
            }
        }
        Ok(())
    }

    /// What a case of an unboxed union holds is read later, so that no call nests.
    ///
    /// # Safety
    /// The entries describe what lies there.
    unsafe fn read_case(&mut self, base: *mut u8, entries: *const Entry) -> Result<(), Exhausted> {
        // SAFETY: the list of entries has an end.
        if unsafe { (*entries).kind } == Kind::End { Ok(()) } else { self.later(base, entries, 1, 0) }
    }

    fn later(&mut self, address: *mut u8, entries: *const Entry, count: usize, stride: usize) -> Result<(), Exhausted> {
        let pending = match NonNull::new(self.unused) {
            Some(unused) => {
                // SAFETY: what is listed is valid.
                self.unused = unsafe { unused.as_ref() }.next;
                unused
            }
            None => self.scratch_for(size_of::<Pending>())?,
        };
        // SAFETY: there is room for one.
        unsafe { pending.write(Pending { next: self.pending, address, entries, count, stride }) };
        self.pending = pending.as_ptr();
        Ok(())
    }

    /// What the table says of the page that something lies in, if a move is of it.
    fn owner(&self, address: *mut u8) -> Option<(usize, u8)> {
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
    unsafe fn reach_large(&mut self, address: *mut u8) {
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

    /// Where a text lies afterwards.
    ///
    /// # Safety
    /// So many bytes lie there.
    unsafe fn text(&mut self, address: *mut u8, length: usize) -> Result<*mut u8, Exhausted> {
        if length == 0 {
            return Ok(address);
        }
        let Some((index, owner)) = self.owner(address) else { return Ok(address) };
        // SAFETY: the text lies in a block of the move; what is copied are its bytes.
        unsafe {
            if owner & LARGE != 0 {
                self.reach_large(address);
                return Ok(address);
            }
            let place = self.place(address, 0)?;
            if (*place).length < length {
                (*place).new = self.copy(address, index, length, 1)?;
                (*place).length = length;
            }
            Ok((*place).new)
        }
    }

    /// Where a cell, or an array of so many elements, lies afterwards.
    ///
    /// # Safety
    /// The entry describes it.
    unsafe fn object(&mut self, address: *mut u8, entry: &Entry, length: usize) -> Result<*mut u8, Exhausted> {
        let (size, entries) = (entry.size as usize, entry.table.cast::<Entry>());
        // SAFETY: as the caller promises.
        unsafe {
            let (new, found) = self.found(address, size * length, entry.align as usize, true)?;
            if found && !entries.is_null() && (*entries).kind != Kind::End {
                self.later(new, entries, length, size)?;
            }
            Ok(new)
        }
    }

    /// Where a node or a closure lies afterwards.
    ///
    /// # Safety
    /// The case describes it.
    unsafe fn node(&mut self, address: *mut u8, case: &Case, elsewhere: bool) -> Result<*mut u8, Exhausted> {
        // SAFETY: as the caller promises.
        unsafe {
            let (new, found) = self.found(address, case.size as usize, case.align as usize, elsewhere)?;
            if found && (*case.entries).kind != Kind::End {
                self.later(new, case.entries, 1, 0)?;
            }
            Ok(new)
        }
    }

    /// # Safety
    /// The entry describes it.
    unsafe fn closure(&mut self, address: *mut u8, entry: &Entry) -> Result<*mut u8, Exhausted> {
        let elsewhere = entry.second != 0 || self.everywhere;
        if address.is_null() || (!elsewhere && self.owner(address).is_none()) {
            return Ok(address);
        }
        // SAFETY: a closure begins with the address of its code, and the table has so many members.
        unsafe {
            let code = address.cast::<*const ()>().read();
            let lambdas = entry.table.cast::<Lambda>();
            for index in 0..entry.count as usize {
                let lambda = &*lambdas.add(index);
                if lambda.code == code {
                    return self.node(address, &lambda.node, elsewhere);
                }
            }
        }
        // One that is in no table captures nothing, and is a constant.
        Ok(address)
    }

    /// Where an object lies afterwards, and whether it was found for the first time and is to be read. One that lies in
    /// no region that is emptied stays, and is read only if it is told so.
    ///
    /// # Safety
    /// It has so many bytes.
    unsafe fn found(
        &mut self,
        address: *mut u8,
        size: usize,
        align: usize,
        elsewhere: bool,
    ) -> Result<(*mut u8, bool), Exhausted> {
        let owner = self.owner(address);
        if size == 0 || address.is_null() || (owner.is_none() && !elsewhere && !self.everywhere) {
            return Ok((address, false));
        }
        // SAFETY: as the caller promises; a block that belongs to a move is one of its region.
        unsafe {
            if let Some((index, owner)) = owner
                && owner & LARGE == 0
                && self.has_mark(address, size, align)
            {
                return self.forward(address, index, size, align);
            }
            let place = self.place(address, 1)?;
            let found = (*place).new.is_null();
            if found {
                (*place).new = match owner {
                    Some((index, owner)) if owner & LARGE == 0 => self.copy(address, index, size, align)?,
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

    /// How many bytes of a page share a bit in its head.
    fn shared_bytes(&self) -> usize {
        (self.pool.page >> usize::BITS.trailing_zeros()).max(WORD)
    }

    /// Whether a bit in the head of its page can say that an object was copied: no other of these begins where the bit is
    /// shared, and the second word is the object's. Texts may lie in arrays of bytes, whose content is still wanted then.
    fn has_mark(&self, address: *mut u8, size: usize, align: usize) -> bool {
        size >= (2 * WORD).max(self.shared_bytes()) && align > 1 && (address as usize).is_multiple_of(WORD)
    }

    /// Where an object lies that has such a bit, and whether it was copied only now. Its first word, which may tell what it
    /// is, stays.
    ///
    /// # Safety
    /// It lies in a page of a move, and has so many bytes.
    unsafe fn forward(
        &mut self,
        address: *mut u8,
        index: usize,
        size: usize,
        align: usize,
    ) -> Result<(*mut u8, bool), Exhausted> {
        let page = self.pool.base.wrapping_add(self.pool.page_of(address) << self.pool.shift).cast::<Block>();
        let bit = 1 << ((address as usize - page as usize) / self.shared_bytes());
        // SAFETY: the page begins with its head, and the object is aligned to a word and has two.
        unsafe {
            let second = address.cast::<*mut u8>().add(1);
            if (*page).size & bit != 0 {
                return Ok((second.read(), false));
            }
            let new = self.copy(address, index, size, align)?;
            second.write(new);
            (*page).size |= bit;
            Ok((new, true))
        }
    }

    /// Copies bytes to where what a move empties goes.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn copy(&mut self, address: *mut u8, index: usize, size: usize, align: usize) -> Result<*mut u8, Exhausted> {
        // SAFETY: the target is a valid region, and gives fresh memory.
        unsafe {
            let new = (*self.target(index)).allocate(self.pool, size, align).ok_or(Exhausted)?.as_ptr();
            copy_bytes(address, new, size);
            Ok(new)
        }
    }

    /// Where what a move empties goes.
    ///
    /// # Safety
    /// There is such a move.
    unsafe fn target(&self, index: usize) -> *mut Region {
        // SAFETY: there are as many fresh regions as moves.
        unsafe {
            let to = (*self.moves.add(index)).to;
            if !to.is_null() {
                return to;
            }
            let mut fresh = self.fresh;
            for _ in 0..index {
                fresh = (*fresh).next;
            }
            &raw mut (*fresh).region
        }
    }

    /// The entry of an old address in one of the trees, made if there is none.
    fn place(&mut self, old: *mut u8, tree: usize) -> Result<*mut Moved, Exhausted> {
        let mut hash = (old as usize).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize | 1);
        let mut link: *mut *mut Moved = &raw mut self.moved[tree & 1];
        // SAFETY: the links of the tree lead to its entries.
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

    /// The handle that stands for one afterwards.
    ///
    /// # Safety
    /// The moves are valid.
    unsafe fn handle(&self, handle: *mut Region) -> *mut Region {
        for index in 0..self.count {
            // SAFETY: there are so many moves.
            let Move { from, to } = unsafe { self.moves.add(index).read() };
            if from == handle && !to.is_null() {
                return to;
            }
        }
        handle
    }

    /// Gives back what was not reached in the region of a move, and lets it go on with the rest.
    ///
    /// # Safety
    /// There is such a move, and all that is reachable was copied.
    unsafe fn finish(&mut self, index: usize) {
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

    /// Says how far the regions that go on may grow: all together by what is reachable in them, as long as the pool could
    /// hold a copy of all, and at least by a page.
    fn set_due(&mut self) {
        let mut held = 0;
        for index in 0..self.count {
            // SAFETY: there are so many moves, of valid regions.
            held += unsafe { (*(*self.moves.add(index)).from).held };
        }
        let growth = held.min(self.pool.free.saturating_sub(held) / 2) / self.count.max(1);
        for index in 0..self.count {
            // SAFETY: as above.
            let region = unsafe { &mut *(*self.moves.add(index)).from };
            region.due = region.held + growth.max(self.pool.page);
        }
    }
}

/// Copies bytes; those of most objects are a few words, for which calling the general routine takes longer than the copying.
///
/// # Safety
/// They can be read at `from`, and written at `to`, which does not overlap.
unsafe fn copy_bytes(from: *const u8, to: *mut u8, size: usize) {
    let in_words = (from as usize | to as usize | size).is_multiple_of(WORD) && size <= 8 * WORD;
    // SAFETY: as the caller promises; words are copied only if all are aligned.
    unsafe {
        if !in_words {
            return to.copy_from_nonoverlapping(from, size);
        }
        for word in 0..size / WORD {
            // Volatile, so that this is not made the call that it is to avoid.
            let content = from.cast::<MaybeUninit<usize>>().add(word).read_volatile();
            to.cast::<MaybeUninit<usize>>().add(word).write_volatile(content);
        }
    }
}

/// The tag of so many bytes that stands at an address.
///
/// # Safety
/// One stands there.
unsafe fn tag(address: *mut u8, bytes: u32) -> usize {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => address.read() as usize,
            2 => address.cast::<u16>().read() as usize,
            _ => address.cast::<u32>().read() as usize,
        }
    }
}

#[cfg(test)]
mod tests;
