//! Lines of text are built from names and numbers.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::{format, string::String, vec::Vec};

fn run(size: i32) -> i32 {
    let mut sum = 0;
    for round in 1..=size {
        let fields: Vec<String> = (0..5).map(|i| format!("key{i}={}", round * (i + 1) % 1000)).collect();
        let line = fields.join(";") + "\n";
        sum = line.bytes().fold(sum, |sum, byte| ((sum * 31) ^ i32::from(byte)) & 0xFFFFFF);
    }
    sum
}

bench::main!(run);
