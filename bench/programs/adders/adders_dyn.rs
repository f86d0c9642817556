//! An array of functions, and an array of compositions of them, called in an order that depends on the values.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::{rc::Rc, vec::Vec};

type Function = Rc<dyn Fn(i32) -> i32>;

fn adder(n: i32) -> Function {
    Rc::new(move |x| ((x + n) ^ (x >> 3)) & 0xFFFFF)
}

fn compose(f: Function, g: Function) -> Function {
    Rc::new(move |x| g(f(x)))
}

fn run(size: i32) -> i32 {
    let adders: Vec<Function> = (0..16).map(|i| adder(i * 77 + 1)).collect();
    let composed: Vec<Function> = adders.iter().map(|f| compose(compose(f.clone(), adder(5)), f.clone())).collect();
    let mut value = 1;
    for _ in 0..size {
        value = adders[(value & 15) as usize](value);
        value = composed[(value & 15) as usize](value);
    }
    value
}

bench::main!(run);
