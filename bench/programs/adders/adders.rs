//! An array of functions, and an array of compositions of them, called in an order that depends on the values.

#![no_std]
#![no_main]

fn adder(n: i32) -> impl Fn(i32) -> i32 + Copy {
    move |x| ((x + n) ^ (x >> 3)) & 0xFFFFF
}

fn compose(f: impl Fn(i32) -> i32, g: impl Fn(i32) -> i32) -> impl Fn(i32) -> i32 {
    move |x| g(f(x))
}

fn run(size: i32) -> i32 {
    let adders: [_; 16] = core::array::from_fn(|i| adder(i as i32 * 77 + 1));
    let composed = adders.map(|f| compose(compose(f, adder(5)), f));
    let mut value = 1;
    for _ in 0..size {
        value = adders[(value & 15) as usize](value);
        value = composed[(value & 15) as usize](value);
    }
    value
}

bench::main!(run);
