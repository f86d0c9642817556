//! Counters in ref cells, and variables that a closure changes by reference.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;

fn counter(step: i32) -> Box<dyn FnMut(i32) -> i32> {
    let mut count = 0;
    Box::new(move |amount| {
        count = (count + step * amount) & 0xFFFFF;
        count
    })
}

fn each(count: i32, action: &mut dyn FnMut(i32)) {
    for i in 1..=count {
        action(i);
    }
}

fn run(size: i32) -> i32 {
    let (mut one, mut other) = (counter(3), counter(11));
    let (mut state, mut even, mut odd) = (1, 0, 0);
    each(size, &mut |i| {
        state = (state * 25173 + 13849) & 0xFFFF;
        if state & 4 == 0 {
            even ^= one(state & 15);
        } else {
            odd ^= other(1) + i;
        }
    });
    even + odd
}

bench::main!(run);
