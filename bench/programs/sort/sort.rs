//! Arrays of numbers are sorted by a function that compares them.

#![no_std]
#![no_main]

fn run(size: i32) -> i32 {
    let mut values = [0; 256];
    let (mut random, mut sum) = (1, 0);
    for _ in 0..size {
        for value in &mut values {
            random = (random * 25173 + 13849) & 0xFFFF;
            *value = random;
        }
        values.sort_unstable_by(|one, other| (one ^ 0x55).cmp(&(other ^ 0x55)));
        sum = values.iter().fold(sum, |sum, value| ((sum * 31) ^ value) & 0xFFFFFF);
    }
    sum
}

bench::main!(run);
