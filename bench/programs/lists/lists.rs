//! Numbers are made, mapped, filtered and folded by iterators.

#![no_std]
#![no_main]

fn run(size: i32) -> i32 {
    (1..=size).fold(1, |total, round| {
        (0..200)
            .map(|i| (i * round) & 0xFFFF)
            .map(|x| x ^ (x >> 3))
            .filter(|x| x % 3 != 0)
            .fold(total, |sum, x| ((sum * 31) ^ x) & 0xFFFFFF)
    })
}

bench::main!(run);
