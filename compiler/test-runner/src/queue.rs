//! The queue of boots, and the threads that run them.

use super::{
    Order, TestName, TestResult,
    boot::{self, TestImage},
    place::Place,
};
use crate::{BootChoice, Shard};
use clef_execution::hardware;
use std::{
    collections::VecDeque,
    num::NonZeroUsize,
    ops::RangeInclusive,
    sync::{Arc, Condvar, Mutex, MutexGuard, mpsc::Sender},
    thread,
    time::Duration,
};

/// Tests of one image that run in one boot, unless something ends it early.
pub struct Item {
    /// Its position in the order of results.
    number: usize,
    image: Arc<TestImage>,
    tests: RangeInclusive<u32>,
    place: Arc<Place>,
    timeout: Duration,
}

/// Splits the selected tests of an image into boots. `seen` counts the tests of all images, for shards.
pub struct Cutter {
    /// The selected shard of all tests.
    pub(crate) shard: Option<Shard>,
    seen: usize,
    items: usize,
}

impl Cutter {
    /// No tests seen yet.
    pub fn new(shard: Option<Shard>) -> Cutter {
        Cutter { shard, seen: 0, items: 0 }
    }

    /// The boots for an image's tests, and the number of tests they run.
    pub fn cut(&mut self, image: TestImage, place: &Arc<Place>, order: &Order) -> (Vec<Item>, usize) {
        let image = Arc::new(image);
        let wanted = (0..).zip(&image.tests).filter(|(_, test)| {
            if order.filter.as_ref().is_some_and(|filter| !filter.is_match(&test.name.full())) {
                return false;
            }
            self.seen += 1;
            self.shard.is_none_or(|shard| shard.holds(self.seen - 1))
        });
        let wanted: Vec<u32> = wanted.map(|(number, _)| number).collect();
        let count = wanted.len();
        let ranges = match order.boot {
            BootChoice::Test => wanted.into_iter().map(|test| test..=test).collect(),
            BootChoice::Shared => runs(&wanted),
        };
        let item = |tests| {
            self.items += 1;
            let (image, place) = (Arc::clone(&image), Arc::clone(place));
            Item { number: self.items - 1, image, tests, place, timeout: order.timeout }
        };
        (ranges.into_iter().map(item).collect(), count)
    }
}

/// Groups consecutive numbers.
fn runs(numbers: &[u32]) -> Vec<RangeInclusive<u32>> {
    let mut runs: Vec<RangeInclusive<u32>> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some(run) if *run.end() + 1 == number => *run = *run.start()..=number,
            Some(_) | None => runs.push(number..=number),
        }
    }
    runs
}

/// The pending boots; more may be added until it is closed.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    is_closed: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Adds boots.
    pub fn add(&self, items: Vec<Item>) {
        self.state().items.extend(items);
        self.changed.notify_all();
    }

    /// Nothing more will be added; pending boots are run.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// No more boots are started.
    pub fn abandon(&self) {
        self.state().items.clear();
        self.close();
    }

    fn take(&self) -> Option<Item> {
        let mut state = self.state();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Runs boots until there are no more; sends each result with the number of its boot.
    fn work(&self, retries: u32, results: &Sender<(usize, TestResult)>) {
        while let Some(item) = self.take() {
            let ran = item.run(retries);
            if hardware::is_interrupted() {
                self.abandon();
                return;
            }
            for result in ran {
                // If nobody waits for results any more, they are dropped.
                let _ = results.send((item.number, result));
            }
        }
    }
}

/// Closes a queue, even if the code that fills it panics.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Runs the boots that `fill` adds on several threads, while it adds them.
pub fn work<R>(
    jobs: NonZeroUsize,
    retries: u32,
    results: Sender<(usize, TestResult)>,
    fill: impl FnOnce(&Queue) -> R,
) -> R {
    let queue = Queue::default();
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            let (queue, results) = (&queue, results.clone());
            scope.spawn(move || queue.work(retries, &results));
        }
        drop(results);
        let closing = Closing(&queue);
        let filled = fill(&queue);
        drop(closing);
        filled
    })
}

impl Item {
    /// Its image, the first of its tests, and its place.
    pub fn first(&self) -> (&TestImage, u32, &Place) {
        (&self.image, *self.tests.start(), &self.place)
    }

    /// Its tests.
    pub fn names(&self) -> Vec<TestName> {
        self.tests.clone().map(|test| self.image.tests[test as usize].name.clone()).collect()
    }

    /// Runs the tests; failed ones are retried, each in a boot of its own, up to `retries` times.
    fn run(&self, retries: u32) -> Vec<TestResult> {
        let mut results = boot::run(&self.image, self.tests.clone(), &self.place, self.timeout);
        for (number, result) in self.tests.clone().zip(&mut results) {
            for _ in 0..retries {
                let Some(failure) = result.failure.take() else { break };
                let mut earlier = std::mem::take(&mut result.earlier);
                earlier.push(failure);
                let again = boot::run(&self.image, number..=number, &self.place, self.timeout);
                let Some(again) = again.into_iter().next() else {
                    clef_base::internal::bug("test", None, "a boot has no result")
                };
                *result = TestResult { earlier, ..again };
            }
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_boot() {
        assert_eq!(runs(&[0, 1, 2, 5, 7, 8]), [0..=2, 5..=5, 7..=8]);
        assert_eq!(runs(&[]), []);
    }
}
