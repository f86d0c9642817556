//! Tests the allocator against a model: a list of live allocations that must stay disjoint, inside the pool, and
//! intact.

use super::{setting::fixed::Fixed, *};
use proptest::prelude::*;

const PAGE: usize = 256;
/// The memory that the pool reserves for itself.
const TABLE: usize = PAGE;
const BYTES: usize = 64 * PAGE;
/// Miri is slow.
const TURNS: usize = if cfg!(miri) { 200 } else { 100_000 };
const CASES: u32 = if cfg!(miri) { 6 } else { 256 };
const STEPS: usize = if cfg!(miri) { 40 } else { 200 };

#[repr(align(256))]
struct Memory([u8; TABLE + BYTES]);

fn pool(memory: &mut Memory) -> Pool<Fixed> {
    Pool::new(Fixed::new(memory.0.as_mut_ptr_range(), PAGE))
}

#[derive(Clone, Debug)]
enum Step {
    Allocate { region: usize, size: usize, align: usize },
    Leave(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let allocate = |sizes: std::ops::Range<usize>| {
        (0..4_usize, sizes, 0..7_u32).prop_map(|(region, size, align)| Step::Allocate {
            region,
            size,
            align: 1 << align,
        })
    };
    prop_oneof![
        8 => allocate(0..100),
        2 => allocate(100..1500),
        1 => (0..4_usize).prop_map(Step::Leave),
    ]
}

struct Live {
    region: usize,
    address: NonNull<u8>,
    size: usize,
    mark: u8,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn live_allocations_are_disjoint_and_intact(steps in prop::collection::vec(step(), 1..STEPS)) {
        let mut memory = Box::new(Memory([0; TABLE + BYTES]));
        let bounds = memory.0.as_ptr_range();
        let mut pool = pool(&mut memory);
        let mut regions = [Region::EMPTY, Region::EMPTY, Region::EMPTY, Region::EMPTY];
        let mut live: Vec<Live> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Allocate { region, size, align } => {
                    let Some(address) = regions[region].allocate(&mut pool, size, align) else { continue };
                    prop_assert_eq!(address.as_ptr() as usize % align, 0);
                    if size > 0 {
                        let start = address.as_ptr().cast_const();
                        prop_assert!(bounds.start <= start && start.wrapping_add(size) <= bounds.end);
                    }
                    let mark = number as u8;
                    // SAFETY: the allocator returned these bytes.
                    unsafe { address.write_bytes(mark, size) };
                    live.push(Live { region, address, size, mark });
                }
                Step::Leave(region) => {
                    regions[region].leave(&mut pool);
                    live.retain(|allocation| allocation.region != region);
                }
            }
            for allocation in &live {
                // SAFETY: the bytes are allocated and were written above.
                let bytes = unsafe { std::slice::from_raw_parts(allocation.address.as_ptr(), allocation.size) };
                prop_assert!(bytes.iter().all(|byte| *byte == allocation.mark), "an allocation was overwritten");
            }
        }
        for region in &mut regions {
            region.leave(&mut pool);
        }
        prop_assert_eq!(pool.free_bytes(), BYTES);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    /// Two regions are stacks; the numbers are sizes to allocate, 0 pops.
    #[test]
    fn what_is_popped_is_free_and_the_rest_intact(steps in prop::collection::vec((0..2_usize, stack_sizes()), 1..STEPS)) {
        let mut memory = Box::new(Memory([0; TABLE + BYTES]));
        let mut pool = pool(&mut memory);
        let mut regions = [Region::EMPTY, Region::EMPTY];
        let mut stacks: [Vec<Live>; 2] = [Vec::new(), Vec::new()];
        for (number, (region, size)) in steps.into_iter().enumerate() {
            if size > 0 {
                let align = if size % 2 == 0 { 8 } else { 1 };
                let Some(address) = regions[region].allocate(&mut pool, size, align) else { continue };
                let mark = number as u8;
                // SAFETY: the allocator returned these bytes.
                unsafe { address.write_bytes(mark, size) };
                stacks[region].push(Live { region, address, size, mark });
            } else if let Some(last) = stacks[region].pop() {
                // SAFETY: it was allocated last.
                unsafe { pop(&mut regions[region], &mut pool, last.address) };
            }
            for allocation in stacks.iter().flatten() {
                // SAFETY: the bytes are allocated and were written above.
                let bytes = unsafe { std::slice::from_raw_parts(allocation.address.as_ptr(), allocation.size) };
                prop_assert!(bytes.iter().all(|byte| *byte == allocation.mark), "an allocation was overwritten");
            }
            prop_assert_eq!(pool.free_bytes() + regions[0].held_bytes() + regions[1].held_bytes(), BYTES);
            for (region, stack) in regions.iter().zip(&stacks) {
                let in_pages = stack.iter().map(|allocation| pool.page_of(allocation.address.as_ptr()));
                let empty = pages(region).into_iter().filter(|page| !in_pages.clone().any(|used| used == *page)).count();
                prop_assert!(empty <= 1, "{empty} pages of a region are empty");
            }
        }
        for region in &mut regions {
            region.leave(&mut pool);
        }
        prop_assert_eq!(pool.free_bytes(), BYTES);
    }
}

/// # Safety
/// As for [`Region::pop`].
unsafe fn pop(region: &mut Region, pool: &mut Pool<Fixed>, address: NonNull<u8>) {
    // SAFETY: as the caller promises.
    unsafe {
        if !region.pop(pool, address.as_ptr()) {
            region.pop_before(pool, address.as_ptr());
        }
    }
}

fn pages(region: &Region) -> Vec<*mut Block> {
    // SAFETY: all listed pages are valid.
    let next = |page: &*mut Block| unsafe { (**page).next };
    let first = (!region.pages.is_null()).then_some(region.pages);
    std::iter::successors(first, |page| (*page != region.last).then(|| next(page))).collect()
}

fn stack_sizes() -> impl Strategy<Value = usize> {
    prop_oneof![5 => Just(0), 6 => 1..100_usize, 1 => 100..900_usize]
}

#[test]
fn a_stack_that_grows_and_shrinks_takes_as_much_each_time() {
    let mut memory = Box::new(Memory([0; TABLE + BYTES]));
    let mut pool = pool(&mut memory);
    let mut region = Region::EMPTY;
    let mut first = None;
    for _ in 0..TURNS / 100 {
        let sizes = (0..100).map(|index| 24 + index % 3 * 8);
        let made: Vec<_> = sizes.map(|size| region.allocate(&mut pool, size, 8)).collect();
        let peak = *first.get_or_insert(pool.most_used());
        assert_eq!(pool.most_used(), peak);
        for address in made.into_iter().rev() {
            let Some(address) = address else { panic!("the pool is exhausted") };
            // SAFETY: it was allocated last.
            unsafe { pop(&mut region, &mut pool, address) };
        }
        assert_eq!(region.held_bytes(), PAGE);
    }
}

#[test]
fn exhaustion_is_reported_and_recoverable() {
    let mut memory = Box::new(Memory([0; TABLE + BYTES]));
    let mut pool = pool(&mut memory);
    let mut region = Region::EMPTY;
    let mut count = 0;
    while region.allocate(&mut pool, PAGE - HEADER, 1).is_some() {
        count += 1;
    }
    assert_eq!(count, 64);
    assert!(region.allocate(&mut pool, usize::MAX, 1).is_none());
    region.leave(&mut pool);
    assert!(region.allocate(&mut pool, 1, 1).is_some());
}

#[test]
fn a_loop_with_a_region_runs_in_constant_memory() {
    let mut memory = Box::new(Memory([0; TABLE + BYTES]));
    let mut pool = pool(&mut memory);
    for _ in 0..TURNS {
        let mut region = Region::EMPTY;
        for size in [40, 300, 40, 2000, 40] {
            assert!(region.allocate(&mut pool, size, 8).is_some());
        }
        region.end(&mut pool);
    }
}

#[test]
fn small_allocations_use_returned_large_blocks() {
    let mut memory = Box::new(Memory([0; TABLE + BYTES]));
    let mut pool = pool(&mut memory);
    let mut large = Region::EMPTY;
    assert!(large.allocate(&mut pool, 60 * PAGE, 8).is_some());
    large.leave(&mut pool);
    let mut small = Region::EMPTY;
    for _ in 0..64 {
        assert!(small.allocate(&mut pool, PAGE - HEADER, 1).is_some());
    }
    assert!(small.allocate(&mut pool, 1, 1).is_none());
}

#[test]
fn growth_doubles_with_evacuations_up_to_its_limit() {
    let mut memory = Box::new(Memory([0; TABLE + BYTES]));
    let mut pool = pool(&mut memory);
    pool.setting.most_growth = 12 * PAGE;
    let mut seen = vec![pool.growth()];
    for evacuation in 1..=3 * DOUBLING {
        pool.count_evacuation();
        if evacuation == DOUBLING_SOON || evacuation == 2 * DOUBLING_SOON || evacuation.is_multiple_of(DOUBLING) {
            seen.push(pool.growth());
        }
    }
    assert_eq!(seen, [1, 2, 4, 8, 12, 12].map(|pages| pages * PAGE));
}

#[test]
fn small_pools_grow_regions_by_a_page() {
    let mut memory = Box::new(Memory([0; TABLE + BYTES]));
    let mut pool = pool(&mut memory);
    (0..10 * DOUBLING).for_each(|_| pool.count_evacuation());
    assert_eq!(pool.growth(), PAGE);
}
