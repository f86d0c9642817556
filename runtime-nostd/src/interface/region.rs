//! Regions over the one pool of the image.

use super::trap::{Exhausted, Site, exhausted, say, say_number};
use crate::board;
use crate::region::{Entry, Move, Pool, Region, evacuate};
use core::ptr::addr_of_mut;

static mut POOL: Pool = Pool::EMPTY;
static mut PROGRAM: Region = Region::EMPTY;

fn pool() -> &'static mut Pool {
    // SAFETY: there is one thread, and no reference outlives the interface function that uses it.
    unsafe { &mut *addr_of_mut!(POOL) }
}

/// Initialises the pool, before the program runs.
pub(crate) fn start() {
    let (start, end) = board::pool();
    // SAFETY: the linker script reserves the pool for nothing else, aligned; the page size is the board's.
    *pool() = unsafe { Pool::new(start, end, board::region_page()) };
    if board::region_growth() > 0 {
        pool().set_growth(board::region_growth());
    }
}

/// Prints the peak use of the pool.
#[cold]
pub(super) fn say_statistics() {
    let (used, all) = (pool().most_used(), pool().bytes());
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
    // SAFETY: as the caller promises.
    unsafe { region.write(Region::new(site.cast())) };
}

/// Ends the program: a region cannot grow by `asked` bytes.
///
/// # Safety
/// `region` is valid, and its origin is null or a site.
#[cold]
unsafe fn end_without(region: *const Region, site: &Site, asked: usize) -> ! {
    // SAFETY: as the caller promises.
    let (origin, held) = unsafe { ((*region).origin().cast::<Site>().as_ref(), (*region).held_bytes()) };
    exhausted(&Exhausted { site, asked, left: pool().free_bytes(), origin, held })
}

/// # Safety
/// `region` has been entered; nothing in it is used any more.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_region_leave(region: *mut Region) {
    // SAFETY: as the caller promises.
    unsafe { (*region).leave(pool()) };
}

/// # Safety
/// `region` has been entered; nothing in it is used any more.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_region_reset(region: *mut Region) {
    // SAFETY: as the caller promises.
    unsafe { (*region).reset(pool()) };
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
    match unsafe { (*region).bump(size, align) } {
        Some(address) => address.as_ptr(),
        // SAFETY: as the caller promises.
        None => unsafe { in_new_page(region, size, align, site) },
    }
}

/// An allocation for which the page of the last one has no space: in a new page, or in a block of its own.
///
/// # Safety
/// As for [`clef_region_allocate`].
#[cold]
#[inline(never)]
unsafe extern "C" fn in_new_page(region: *mut Region, size: usize, align: usize, site: *const Site) -> *mut u8 {
    // SAFETY: as the caller promises.
    match unsafe { (*region).grow(pool(), size, align) } {
        Some(address) => address.as_ptr(),
        // SAFETY: as the caller promises.
        None => unsafe { end_without(region, &*site, size) },
    }
}

/// # Safety
/// `region` has been entered.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_due(region: *mut Region) -> usize {
    // SAFETY: as the caller promises.
    usize::from(unsafe { (*region).is_due(pool()) })
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
    if !unsafe { evacuate(pool(), moves, count, value, entries, everywhere != 0) } {
        // SAFETY: as the caller promises.
        unsafe { end_without((*moves).from, &*site, pool().page_bytes()) };
    }
}
