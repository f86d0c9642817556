//! The Fibonacci function and Takeuchi's function in continuation-passing style. A continuation that calls itself with a
//! larger one must be `dyn`: its types would never end.

#![no_std]
#![no_main]

fn fib(n: i32, k: &dyn Fn(i32) -> i32) -> i32 {
    if n < 2 { k(n) } else { fib(n - 1, &|a| fib(n - 2, &|b| k(a + b))) }
}

fn tak(x: i32, y: i32, z: i32, k: &dyn Fn(i32) -> i32) -> i32 {
    if y >= x { k(z) } else { tak(x - 1, y, z, &|a| tak(y - 1, z, x, &|b| tak(z - 1, x, y, &|c| tak(a, b, c, k)))) }
}

fn run(size: i32) -> i32 {
    let mut sum = 0;
    for round in 1..=size {
        let n = round & 3;
        sum ^= fib(n + 7, &|a| a + round) + tak(n + 5, 3, n, &|b| b * 3);
    }
    sum
}

bench::main!(run);
