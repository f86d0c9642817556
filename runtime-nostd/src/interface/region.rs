//! Regions over the one pool of the image.

use super::trap::{Exhausted, Site, exhausted, say, say_number};
use crate::board;
use crate::region::{Entry, Move, Parts, Pool, Region, Setting, evacuate, postpone};
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

fn pool() -> &'static mut Pool<Image> {
    // SAFETY: there is one thread, and no reference outlives the interface function that uses it.
    unsafe { &mut *addr_of_mut!(POOL) }
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
unsafe fn end_without(region: *const Region, site: *const Site, asked: usize) -> ! {
    // SAFETY: as the caller promises.
    unsafe { exhausted(&Exhausted { site, asked, left: pool().free_bytes(), region: &*region }) }
}

/// # Safety
/// `region` has been entered; neither it nor anything in it is used any more.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn clef_region_leave(region: *mut Region) {
    // SAFETY: as the caller promises.
    unsafe { (*region).end(pool()) };
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
        None => unsafe { end_without(region, site, size) },
    }
}

/// # Safety
/// `region` has been entered; the object at `address` was allocated last in it, except for what was popped, and is not used
/// any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn clef_region_pop(region: *mut Region, address: *mut u8) {
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
    usize::from(unsafe { (*region).holds(pool(), object, size) })
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
