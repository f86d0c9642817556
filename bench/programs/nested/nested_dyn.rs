//! Nested loops as functions that are given their bodies, whose bounds are captured.

#![no_std]
#![no_main]

fn up_to(count: i32, body: &mut dyn FnMut(i32)) {
    for i in 1..=count {
        body(i);
    }
}

fn run(size: i32) -> i32 {
    let mut sum = 1;
    up_to(size, &mut |i| {
        let width = (i & 15) + 8;
        up_to(width, &mut |j| {
            let height = (i + j) % 7 + 1;
            up_to(height, &mut |k| sum = ((sum * 31) ^ (i + j * width + k * height)) & 0xFFFFF);
        });
    });
    sum
}

bench::main!(run);
