//! Work on many items by all processors.
//!
//! In: items, and work that depends on nothing but its item. Out: what a loop over the items would give, in the order of the
//! items, so that the number of processors is never visible in a product.

use std::{
    num::NonZeroUsize,
    panic,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

/// The stack of a thread that does work, in bytes: deep expressions are visited recursively.
const STACK_BYTES: usize = 256 << 20;

/// The results of `work` for each item, in their order.
pub fn map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let queue = Mutex::new(items.iter().enumerate());
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    on_all_processors(items.len(), || {
        loop {
            let Some((index, item)) = locked(&queue).next() else { return };
            let result = work(item);
            locked(&done).push((index, result));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Changes each item. Items whose work is short are taken several at a time.
pub fn each_mut<I: Send>(items: &mut [I], work: impl Fn(&mut I) + Sync) {
    /// The number of items that are taken at a time.
    const TAKEN: usize = 64;
    let count = items.len().div_ceil(TAKEN);
    let queue = Mutex::new(items.chunks_mut(TAKEN));
    on_all_processors(count, || {
        loop {
            let Some(taken) = locked(&queue).next() else { return };
            taken.iter_mut().for_each(&work);
        }
    });
}

/// Runs a worker on each processor, of as many as there are pieces of work.
fn on_all_processors(pieces: usize, worker: impl Fn() + Sync) {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        // Without another thread, this one does all the work.
        let more = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, &worker).ok();
        let others: Vec<_> = (1..processors.min(pieces)).filter_map(more).collect();
        worker();
        for other in others {
            // A panic goes on with what it says.
            if let Err(panic) = other.join() {
                panic::resume_unwind(panic);
            }
        }
    });
}

/// A lock, also after another thread has panicked: the panic goes on when all threads have ended.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(map(&items, |item| item * 2), (0..1000).map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(map(&[] as &[usize], |item| *item), Vec::<usize>::new());
    }

    #[test]
    fn each_item_is_changed_once() {
        let mut items: Vec<usize> = (0..1000).collect();
        each_mut(&mut items, |item| *item += 1);
        assert_eq!(items, (1..=1000).collect::<Vec<_>>());
    }
}
