//! A table of event handlers that share state; some events replace a handler. Handlers are cases of an enum.

#![no_std]
#![no_main]

#[derive(Default)]
struct State {
    level: i32,
    alarms: i32,
}

enum Handler {
    Rise(i32),
    Fall,
    Check(i32),
}

impl Handler {
    fn handle(&self, state: &mut State, value: i32) {
        match self {
            Handler::Rise(amount) => state.level = (state.level + value * amount) & 0xFFFF,
            Handler::Fall => state.level >>= value & 3,
            Handler::Check(limit) if state.level + value > *limit => state.alarms += 1,
            Handler::Check(_) => {}
        }
    }
}

fn run(size: i32) -> i32 {
    use Handler::{Check, Fall, Rise};
    let mut state = State::default();
    let mut handlers = [Rise(3), Fall, Check(30000), Rise(7), Check(50000), Fall];
    let mut random = 1;
    for i in 1..=size {
        random = (random * 25173 + 13849) & 0xFFFF;
        handlers[(random % 6) as usize].handle(&mut state, random >> 4);
        if random & 1023 == 0 {
            handlers[(i % 6) as usize] = Rise(i & 7);
        }
    }
    state.level ^ (state.alarms << 8)
}

bench::main!(run);
