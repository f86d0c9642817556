//! How often numbers occur is counted in a map; those that occur again are put into a set.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::collections::{BTreeMap, BTreeSet};

fn run(size: i32) -> i32 {
    let (mut random, mut sum) = (1, 0);
    for _ in 0..size {
        let mut counts = BTreeMap::new();
        for _ in 0..80 {
            random = (random * 25173 + 13849) & 0xFFFF;
            *counts.entry(random >> 9).or_insert(0) += 1;
        }
        let again: BTreeSet<i32> = counts.iter().filter(|(_, count)| **count > 1).map(|(key, _)| key % 32).collect();
        sum = counts.iter().fold(sum, |sum, (key, count)| ((sum * 31) ^ (key * 4 + count)) & 0xFFFFFF);
        sum ^= again.len() as i32;
    }
    sum
}

bench::main!(run);
