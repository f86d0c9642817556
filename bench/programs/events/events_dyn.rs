//! A table of event handlers that share state; some events replace a handler.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use core::cell::Cell;

#[derive(Default)]
struct State {
    level: Cell<i32>,
    alarms: Cell<i32>,
}

type Handler<'a> = Box<dyn Fn(i32) + 'a>;

fn rise(state: &State, amount: i32) -> Handler<'_> {
    Box::new(move |value| state.level.set((state.level.get() + value * amount) & 0xFFFF))
}

fn fall(state: &State) -> Handler<'_> {
    Box::new(move |value| state.level.set(state.level.get() >> (value & 3)))
}

fn check(state: &State, limit: i32) -> Handler<'_> {
    Box::new(move |value| {
        if state.level.get() + value > limit {
            state.alarms.set(state.alarms.get() + 1);
        }
    })
}

fn run(size: i32) -> i32 {
    let state = State::default();
    let mut handlers =
        [rise(&state, 3), fall(&state), check(&state, 30000), rise(&state, 7), check(&state, 50000), fall(&state)];
    let mut random = 1;
    for i in 1..=size {
        random = (random * 25173 + 13849) & 0xFFFF;
        handlers[(random % 6) as usize](random >> 4);
        if random & 1023 == 0 {
            handlers[(i % 6) as usize] = rise(&state, i & 7);
        }
    }
    state.level.get() ^ (state.alarms.get() << 8)
}

bench::main!(run);
