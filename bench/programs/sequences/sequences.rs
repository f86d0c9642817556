//! Sequences are made, filtered, mapped and cut, and summed up.

#![no_std]
#![no_main]

fn collatz(start: i32) -> impl Iterator<Item = i32> {
    let next = |value: &i32| Some(if value % 2 == 0 { value / 2 } else { 3 * value + 1 });
    core::iter::successors(Some(start), next).take_while(|value| *value != 1)
}

fn run(size: i32) -> i32 {
    (1..=size).fold(0, |sum, round| {
        collatz(round % 1000 + 2)
            .filter(|value| value % 3 != 0)
            .map(|value| (value * 7) & 0xFFFF)
            .take(20)
            .fold(sum, |sum, value| ((sum * 31) ^ value) & 0xFFFFFF)
    })
}

bench::main!(run);
