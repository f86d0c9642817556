//! Church numerals are added, multiplied and applied.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::rc::Rc;

type Church = Rc<dyn Fn(&dyn Fn(i32) -> i32, i32) -> i32>;

fn zero() -> Church {
    Rc::new(|_, x| x)
}

fn next(n: Church) -> Church {
    Rc::new(move |f, x| f(n(f, x)))
}

fn plus(m: Church, n: Church) -> Church {
    Rc::new(move |f, x| m(f, n(f, x)))
}

fn times(m: Church, n: Church) -> Church {
    Rc::new(move |f, x| m(&|x| n(f, x), x))
}

fn church(count: i32) -> Church {
    if count == 0 { zero() } else { next(church(count - 1)) }
}

fn run(size: i32) -> i32 {
    let mut sum = 0;
    for round in 1..=size {
        let (m, n) = (church(round % 5 + 2), church(round % 7 + 1));
        sum ^= times(plus(m, n.clone()), n)(&|x| (x * 5 + round) & 0xFFFF, sum);
    }
    sum
}

bench::main!(run);
