//! Nothing but the harness.

#![no_std]
#![no_main]

fn run(size: i32) -> i32 {
    size
}

bench::main!(run);
