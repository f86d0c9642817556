//! Evacuation: copies what is still reachable out of regions, and returns the rest to the pool.
//!
//! In: regions to be emptied, a root value through which all later uses access their content, and [`Entry`] tables that
//! say where the pointers in memory of each type are; code generation makes the tables. Out: the value with its
//! pointers updated. Each region either continues with only its reachable content, or transfers that to another region
//! and is empty. What then holds: sharing and cycles are preserved, and nothing reachable from the value points to
//! memory that was returned. It takes time proportional to what is reachable in the regions and in the cells and arrays
//! outside of them; no recursion.
//!
//! After Cheney, "A nonrecursive list compacting algorithm" (CACM 1970), with two changes, because memory here has no
//! headers. The worklist is in the frame or in a region that ends with the evacuation. The header of a page has a bit
//! for every few bytes, which says whether an object was copied and its second word is a forwarding address. The
//! forwarding addresses of smaller objects and texts are in a tree keyed by the hash of the old address (after Wellons,
//! "The quick and practical MSI hash table", and "hash-tries", 2022-2023), stored with the worklist. Blocks of several
//! pages are not copied but transferred.

mod copy;
mod description;
mod pages;

use super::{Parts, Pool, Region, Setting, Space};
use copy::Moved;
use core::{
    mem::MaybeUninit,
    ops::Range,
    ptr::{NonNull, null_mut},
};
use description::tag;
pub use description::{Case, Entry, Kind, Lambda};
use pages::LARGE;

/// A region to be emptied.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Move {
    /// The region.
    pub from: *mut Region,
    /// Where its content goes; null if it stays in the region.
    pub to: *mut Region,
}

/// The most regions that can be evacuated at once.
pub const MAX_MOVES: usize = 0x3f;

/// Words in the frame for the bookkeeping of an evacuation: enough for one region and a worklist of a few objects.
const WORK_LIST: usize = 40;

/// The old content of the region of a move after the first. Each has its own allocation, so that it fits even a small
/// page.
struct Old {
    next: *mut Old,
    region: Region,
}

/// An object, or the elements of an array, whose pointers are still to be read.
#[derive(Clone, Copy)]
#[repr(C)]
struct Object {
    address: *mut u8,
    entries: *const Entry,
    count: usize,
    stride: usize,
}

/// A list of such objects.
#[repr(C)]
struct Pending {
    next: *mut Pending,
    object: Object,
}

/// The size in bytes of the largest entry that an evacuation allocates for itself.
pub(super) const LARGEST_ENTRY: usize = {
    let (old, moved) = (size_of::<Old>(), size_of::<Moved>());
    if old > moved { old } else { moved }
};

/// The pool has no page left.
struct Exhausted;

/// Copies what is reachable from a value out of regions; returns whether the pool sufficed. If it did not, the value
/// and the regions must not be used.
///
/// # Safety
/// - `moves` are `count` moves, at most [`MAX_MOVES`], of regions that have been entered; none of them is both a `from`
///   and a `to`. Of those with the same `from`, the first one counts.
/// - `entries` describe `value`, and all later uses of the content of the regions go through it.
/// - Unless `everywhere`, immutable memory outside the regions points into them only where entries lead to it.
pub unsafe fn evacuate<S: Setting>(
    pool: &mut Pool<S>,
    moves: *mut Move,
    count: usize,
    value: *mut u8,
    entries: *const Entry,
    everywhere: bool,
) -> bool {
    let mut work = [MaybeUninit::<usize>::uninit(); WORK_LIST];
    let Range { start, end } = work.as_mut_ptr_range();
    let mut first = Region::EMPTY;
    let mut evacuation = Evacuation {
        everywhere,
        moves,
        count: if pool.setting.parts().several { count } else { 1 },
        first: &raw mut first,
        others: null_mut(),
        next: None,
        scratch: Region { space: Space::new(start.cast(), end.cast()), ..Region::EMPTY },
        moved: [null_mut(); 2],
        pending: null_mut(),
        unused: null_mut(),
        pool,
    };
    // SAFETY: as the caller promises.
    unsafe {
        let is_complete = evacuation.run(value, entries).is_ok();
        if !is_complete {
            // What is reported of the first region.
            (*(*moves).from).held += first.held;
        }
        is_complete
    }
}

/// Grants regions more memory instead of an evacuation, if nothing goes to another region and none holds more than any region
/// may. Whether it did.
///
/// # Safety
/// The moves are valid.
pub unsafe fn postpone<S: Setting>(pool: &Pool<S>, moves: *mut Move, count: usize) -> bool {
    let parts = pool.setting.parts();
    let indices = 0..if parts.several { count } else { 1 };
    // SAFETY: as the caller promises.
    let moves = || indices.clone().map(|index| unsafe { moves.add(index).read() });
    // SAFETY: as the caller promises.
    let must = |Move { from, to }| (parts.targets && !to.is_null()) || unsafe { (*from).held } > pool.growth();
    if moves().any(must) {
        return false;
    }
    for Move { from, .. } in moves() {
        // SAFETY: as the caller promises.
        unsafe { (*from).due = (*from).due.max(pool.growth() + 1) };
    }
    true
}

struct Evacuation<'a, S> {
    pool: &'a mut Pool<S>,
    moves: *mut Move,
    count: usize,
    /// Whether nodes and closures outside the regions are read too.
    everywhere: bool,
    /// The old content of the region of the first move.
    first: *mut Region,
    /// That of each of the other moves.
    others: *mut Old,
    /// What is read next: most objects are, without being listed.
    next: Option<Object>,
    /// Memory for the evacuation itself; it starts with a buffer in the frame, which suffices if little is reachable.
    scratch: Region,
    /// The forwarding entries: those of texts, and all others. A text may be inside an array of bytes.
    moved: [*mut Moved; 2],
    pending: *mut Pending,
    /// A free list of processed ones.
    unused: *mut Pending,
}

impl<S: Setting> Evacuation<'_, S> {
    unsafe fn run(&mut self, value: *mut u8, entries: *const Entry) -> Result<(), Exhausted> {
        // SAFETY: the caller's moves are valid, the table of owners has a byte for each page, the entries describe the
        // value, and those of what it points to describe that.
        unsafe {
            if self.pool.evacuations == 0 {
                let owners = self.pool.setting.owners();
                owners.write_bytes(0, self.pool.bytes() >> self.pool.setting.shift());
            }
            self.skip_repeated();
            self.begin()?;
            self.read(value, entries)?;
            while let Some(Object { address, entries, count, stride }) = self.next.take().or_else(|| self.pop()) {
                for index in 0..if self.parts().has(Kind::Array) { count } else { 1 } {
                    self.read(address.wrapping_add(index * stride), entries)?;
                }
            }
            (0..self.count).for_each(|index| self.finish(index));
        }
        self.scratch.end(self.pool);
        self.pool.count_evacuation();
        self.set_due();
        Ok(())
    }

    /// What this evacuation may encounter.
    #[inline]
    fn parts(&self) -> Parts {
        self.pool.setting.parts()
    }

    /// Whether something may be in a block of several pages.
    #[inline]
    fn has_large(&self) -> bool {
        self.parts().has_large(self.pool.page_bytes())
    }

    /// Takes the content out of the regions, and records the owners of all its pages.
    ///
    /// # Safety
    /// The moves are valid.
    unsafe fn begin(&mut self) -> Result<(), Exhausted> {
        for index in (0..self.count).rev() {
            // SAFETY: as the caller promises; there is space for a new region.
            unsafe {
                let from = (*self.moves.add(index)).from;
                let mut old = self.first;
                if index > 0 {
                    let other: NonNull<Old> = self.scratch_for(size_of::<Old>())?;
                    other.write(Old { next: self.others, region: Region::EMPTY });
                    self.others = other.as_ptr();
                    old = &raw mut (*self.others).region;
                }
                old.write(from.read());
                from.write(Region::new((*from).origin, 0));
                self.own(old, index as u8 + 1);
            }
        }
        Ok(())
    }

    /// Removes moves whose `from` is that of an earlier one.
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

    /// Reads the pointers in an object, and updates them.
    ///
    /// # Safety
    /// The entries describe the memory at `base`.
    unsafe fn read(&mut self, base: *mut u8, entries: *const Entry) -> Result<(), Exhausted> {
        let mut entry = entries;
        // SAFETY: the list of entries has an end, and describes the memory at `base`.
        unsafe {
            while (*entry).kind != Kind::End {
                let address = base.add((*entry).first as usize).cast::<*mut u8>();
                let kind = (*entry).kind;
                if !self.parts().has(kind) {
                    // No table has such an entry: the tests of absent kinds fold away.
                    core::hint::unreachable_unchecked();
                }
                if kind == Kind::Cases {
                    let tag = if (*entry).size == 0 { 0 } else { tag(address.cast(), (*entry).size) };
                    let entries = (*entry).table.cast::<*const Entry>().add(tag).read();
                    self.read_case(base, entries)?;
                } else {
                    let old = address.read();
                    let new = self.new_address(old, base, &*entry)?;
                    // What is in flash does not change, and cannot be written.
                    if new != old {
                        address.write(new);
                    }
                }
                entry = entry.add(1);
            }
        }
        Ok(())
    }

    /// The address of what a pointer points to after evacuation.
    ///
    /// # Safety
    /// The entry describes the pointer, in the memory at `base`.
    #[inline]
    unsafe fn new_address(&mut self, old: *mut u8, base: *mut u8, entry: &Entry) -> Result<*mut u8, Exhausted> {
        // SAFETY: as the caller promises; a text and an array have a length, and the cases of a node are in a table.
        unsafe {
            let length = || base.add(entry.second as usize).cast::<usize>().read();
            match entry.kind {
                Kind::Text => self.text(old, length()),
                Kind::Array => match length() {
                    0 => Ok(old),
                    length => self.object(old, entry, length),
                },
                Kind::Cell => self.object(old, entry, 1),
                Kind::Node if (old as usize) < entry.count as usize => Ok(old),
                Kind::Node => self.node(old, &*entry.table.cast(), entry.second != 0),
                Kind::TaggedNode if old.is_null() => Ok(old),
                Kind::TaggedNode => {
                    let case = entry.table.cast::<Case>().add(tag(old, entry.size));
                    self.node(old, &*case, entry.second != 0)
                }
                Kind::Closure => self.closure(old, entry),
                Kind::Handle => Ok(self.handle(old.cast()).cast()),
                Kind::End | Kind::Cases => Ok(old),
            }
        }
    }

    /// Queues the content of a case of an unboxed union, so that no call nests.
    ///
    /// # Safety
    /// The entries describe the memory at `base`.
    unsafe fn read_case(&mut self, base: *mut u8, entries: *const Entry) -> Result<(), Exhausted> {
        // SAFETY: the list of entries has an end.
        if unsafe { (*entries).kind } == Kind::End { Ok(()) } else { self.later(base, entries, 1, 0) }
    }

    /// Reads an object after the current one. The first one is next and the others are listed, so that a list takes no
    /// memory for that, whatever its elements are.
    fn later(&mut self, address: *mut u8, entries: *const Entry, count: usize, stride: usize) -> Result<(), Exhausted> {
        let object = Object { address, entries, count, stride };
        if self.next.is_none() {
            self.next = Some(object);
            return Ok(());
        }
        self.push(object)
    }

    #[inline(never)]
    fn push(&mut self, object: Object) -> Result<(), Exhausted> {
        let pending = match NonNull::new(self.unused) {
            Some(unused) => {
                // SAFETY: what is listed is valid.
                self.unused = unsafe { unused.as_ref() }.next;
                unused
            }
            None => self.scratch_for(size_of::<Pending>())?,
        };
        // SAFETY: there is space for one.
        unsafe { pending.write(Pending { next: self.pending, object }) };
        self.pending = pending.as_ptr();
        Ok(())
    }

    fn pop(&mut self) -> Option<Object> {
        let mut pending = NonNull::new(self.pending)?;
        // SAFETY: what is listed is valid.
        let pending = unsafe { pending.as_mut() };
        self.pending = core::mem::replace(&mut pending.next, self.unused);
        self.unused = pending;
        Some(pending.object)
    }

    /// The new address of a text.
    ///
    /// # Safety
    /// The text has `length` bytes.
    unsafe fn text(&mut self, address: *mut u8, length: usize) -> Result<*mut u8, Exhausted> {
        if length == 0 {
            return Ok(address);
        }
        let Some((index, owner)) = self.owner(address) else { return Ok(address) };
        // SAFETY: the text is in a block of the move; its bytes are copied.
        unsafe {
            if self.has_large() && owner & LARGE != 0 {
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

    /// The new address of a cell, or of an array of `length` elements.
    ///
    /// # Safety
    /// The entry describes it.
    unsafe fn object(&mut self, address: *mut u8, entry: &Entry, length: usize) -> Result<*mut u8, Exhausted> {
        let (size, entries) = (entry.size as usize, entry.table.cast::<Entry>());
        // SAFETY: as the caller promises.
        unsafe {
            let (new, found) = self.found(address, size * length, entry.align as usize, !entries.is_null())?;
            if found && !entries.is_null() && (*entries).kind != Kind::End {
                self.later(new, entries, length, size)?;
            }
            Ok(new)
        }
    }

    /// The new address of a node or a closure.
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
        let elsewhere = self.parts().elsewhere && (entry.second != 0 || self.everywhere);
        if address.is_null() || (!elsewhere && self.owner(address).is_none()) {
            return Ok(address);
        }
        // SAFETY: a closure begins with the address of its code, and the table has `count` members.
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
        // A closure that is in no table captures nothing, and is a constant.
        Ok(address)
    }

    /// The handle that replaces a region's handle.
    ///
    /// # Safety
    /// The moves are valid.
    unsafe fn handle(&self, handle: *mut Region) -> *mut Region {
        for index in 0..self.count {
            // SAFETY: the index is below the number of moves.
            let Move { from, to } = unsafe { self.moves.add(index).read() };
            if from == handle && !to.is_null() {
                return to;
            }
        }
        handle
    }

    /// Sets how far the remaining regions may grow. In total:
    /// - by as much as is reachable in them, if the pool could hold a copy of all;
    /// - by up to three times as much, if that is a small part of the free pool;
    /// - each at least by the growth of the pool.
    fn set_due(&mut self) {
        let mut held = 0;
        for index in 0..self.count {
            // SAFETY: the index is below the number of moves, of valid regions.
            held += unsafe { (*(*self.moves.add(index)).from).held };
        }
        let free = self.pool.free_bytes().saturating_sub(held);
        let growth = held.min(free / 2).max((3 * held).min(free / 16)) / self.count.max(1);
        for index in 0..self.count {
            // SAFETY: as above.
            let region = unsafe { &mut *(*self.moves.add(index)).from };
            region.due = region.held + growth.max(self.pool.growth());
        }
    }
}

#[cfg(test)]
mod tests;
