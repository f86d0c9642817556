//! Regions over the one pool of the image.
//!
//! If the program's regions nest, all of them are in one space: a region begins at its cursor, and ends by putting the cursor
//! back. Their handles then hold only where they begin.

use super::trap::{Exhausted, Site, exhausted, say, say_number};
use crate::board;
use crate::region::{Entry, Move, Parts, Pool, Region, Setting, Space, evacuate, postpone};
use core::{ops::Range, ptr::addr_of_mut};

/// The image's own pool.
#[derive(Clone, Copy)]
struct Image;

// SAFETY: the linker script reserves the memory for nothing else, aligned; the rest are constants of the program.
unsafe impl Setting for Image {
    #[inline]
    fn pages(&self) -> Range<*mut u8> {
        board::pages()
    }

    #[inline]
    fn owners(&self) -> *mut u8 {
        board::page_owners()
    }

    #[inline]
    fn shift(&self) -> u32 {
        board::region_page().trailing_zeros()
    }

    fn most_growth(&self) -> usize {
        match board::region_growth() {
            0 => Setting::usual_growth(self),
            growth => growth,
        }
    }

    #[inline]
    fn largest(&self) -> usize {
        board::largest_allocation()
    }

    #[inline]
    fn measures(&self) -> bool {
        board::statistics()
    }

    #[inline]
    fn parts(&self) -> Parts {
        board::evacuation_parts()
    }
}

static mut POOL: Pool<Image> = Pool::new(Image);
static mut PROGRAM: Region = Region::EMPTY;

/// The memory after the newest region, if regions nest.
static mut NESTED: Space = Space::new(board::pool_start(), board::pool_end());

/// The most bytes that nested regions held at a time when one of them ended, if that is measured.
static mut MOST_NESTED: usize = 0;

fn pool() -> &'static mut Pool<Image> {
    // SAFETY: there is one thread, and no reference outlives the interface function that uses it.
    unsafe { &mut *addr_of_mut!(POOL) }
}

pub(super) fn nested() -> &'static mut Space {
    // SAFETY: as in `pool`.
    unsafe { &mut *addr_of_mut!(NESTED) }
}

/// The memory in which allocations of a region are made.
///
/// # Safety
/// `region` has been entered.
pub(super) unsafe fn space<'a>(region: *mut Region) -> &'a mut Space {
    // SAFETY: as the caller promises.
    if board::regions_nest() { nested() } else { unsafe { &mut (*region).space } }
}

/// Frees what was allocated in nested regions from an address on.
#[inline]
fn free_from(address: *mut u8) {
    measure();
    nested().free_from(address);
}

/// The address at which a nested region begins: what its handle holds.
///
/// # Safety
/// `region` has been entered.
#[inline]
unsafe fn beginning(region: *mut Region) -> *mut u8 {
    // SAFETY: as the caller promises.
    unsafe { region.cast::<*mut u8>().read() }
}

/// Measures the memory that nested regions hold.
fn measure() {
    if board::statistics() {
        let used = nested().cursor() as usize - board::pool_start() as usize;
        // SAFETY: as in `pool`.
        unsafe { MOST_NESTED = used.max(MOST_NESTED) };
    }
}

/// The most bytes of the pool that were in use, and the size of the pool.
fn most_used() -> (usize, usize) {
    if !board::regions_nest() {
        return (pool().most_used(), pool().bytes());
    }
    measure();
    // SAFETY: as in `pool`.
    (unsafe { MOST_NESTED }, board::pool_end() as usize - board::pool_start() as usize)
}

/// Prints the peak use of the pool.
#[cold]
pub(super) fn say_statistics() {
    let (used, all) = most_used();
    say("regions: ");
    say_number(used);
    say(" of ");
    say_number(all);
    say(" bytes used\n");
}

#[unsafe(no_mangle)]
extern "C" fn clef_region_program() -> *mut Region {
    addr_of_mut!(PROGRAM)
}

/// # Safety
/// `region` can be written to; `site` is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_enter(region: *mut Region, site: *const Site) {
    if board::regions_nest() {
        // SAFETY: as the caller promises.
        return unsafe { region.cast::<*mut u8>().write(nested().cursor()) };
    }
    // Where nothing is evacuated, the rest is zero.
    let due = if board::evacuation_parts().reads_pointers() { board::region_page() + 1 } else { 0 };
    // SAFETY: as the caller promises.
    unsafe { region.write(Region::new(site.cast(), due)) };
}

/// Ends the program: a region cannot grow by `asked` bytes.
///
/// # Safety
/// `region` is valid, and its origin is null or a site.
#[cold]
pub(super) unsafe fn end_without(region: *const Region, site: *const Site, asked: usize) -> ! {
    let (left, region) = match board::regions_nest() {
        true => (nested().free_bytes(), None),
        // SAFETY: as the caller promises.
        false => (pool().free_bytes(), Some(unsafe { &*region })),
    };
    // SAFETY: as the caller promises.
    unsafe { exhausted(&Exhausted { site, asked, left, region }) }
}

/// # Safety
/// `region` has been entered; neither it nor anything in it is used any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_leave(region: *mut Region) {
    // SAFETY: as the caller promises.
    unsafe { if board::regions_nest() { free_from(beginning(region)) } else { return_pages(region) } }
}

/// # Safety
/// As for [`clef_region_leave`].
#[inline(never)]
unsafe fn return_pages(region: *mut Region) {
    // SAFETY: as the caller promises.
    unsafe { (*region).end(pool()) };
}

/// # Safety
/// `region` has been entered; `align` is a power of two; `site` is valid.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn clef_region_allocate(
    region: *mut Region,
    size: usize,
    align: usize,
    site: *const Site,
) -> *mut u8 {
    // SAFETY: as the caller promises.
    match unsafe { space(region) }.bump(size, align) {
        Some(address) => address.as_ptr(),
        // SAFETY: as the caller promises.
        None => unsafe { in_new_page(region, size, align, site) },
    }
}

/// An allocation for which the page of the last one has no space: in a new page, or in a block of its own. Nested regions
/// have neither.
///
/// # Safety
/// As for [`clef_region_allocate`].
#[cold]
#[inline(never)]
unsafe extern "C" fn in_new_page(region: *mut Region, size: usize, align: usize, site: *const Site) -> *mut u8 {
    if board::regions_nest() {
        // SAFETY: as the caller promises.
        unsafe { end_without(region, site, size) };
    }
    // SAFETY: as the caller promises.
    match unsafe { (*region).grow(pool(), size, align) } {
        Some(address) => address.as_ptr(),
        // SAFETY: as the caller promises.
        None => unsafe { end_without(region, site, size) },
    }
}

/// # Safety
/// `region` has been entered; the object at `address` was allocated last in it, except for what was popped, and is not used
/// any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_pop(region: *mut Region, address: *mut u8) {
    if board::regions_nest() {
        return free_from(address);
    }
    // SAFETY: as the caller promises.
    unsafe {
        if !(*region).pop(pool(), address) {
            clef_region_pop_before(region, address);
        }
    }
}

/// # Safety
/// As for [`clef_region_pop`]; the object is not in the page of the region in which the next one would be, and that page is
/// empty.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
unsafe extern "C" fn clef_region_pop_before(region: *mut Region, address: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe { (*region).pop_before(pool(), address) };
}

/// # Safety
/// `region` has been entered; `object` is one of `size` bytes in a region.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_holds(region: *mut Region, object: *mut u8, size: usize) -> usize {
    // SAFETY: as the caller promises.
    usize::from(unsafe {
        match board::regions_nest() {
            // The region is the newest one.
            true => object >= beginning(region),
            false => (*region).holds(pool(), object, size),
        }
    })
}

/// # Safety
/// `region` has been entered.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_due(region: *mut Region) -> usize {
    // SAFETY: as the caller promises.
    usize::from(unsafe { (*region).is_due() })
}

/// # Safety
/// As for [`evacuate`]; `site` is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_evacuate(
    moves: *mut Move,
    count: usize,
    value: *mut u8,
    entries: *const Entry,
    everywhere: usize,
    site: *const Site,
) {
    // SAFETY: as the caller promises.
    let is_complete =
        unsafe { postpone(pool(), moves, count) || evacuate(pool(), moves, count, value, entries, everywhere != 0) };
    if !is_complete {
        // SAFETY: as the caller promises.
        unsafe { end_without((*moves).from, site, pool().page_bytes()) };
    }
}
