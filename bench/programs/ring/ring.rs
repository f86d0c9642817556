//! A ring buffer of bytes between a producer and a consumer of other speeds.

#![no_std]
#![no_main]

struct Ring<T, const N: usize> {
    items: [T; N],
    first: usize,
    count: usize,
}

impl<T: Copy, const N: usize> Ring<T, N> {
    fn try_push(&mut self, item: T) -> bool {
        if self.count == N {
            return false;
        }
        self.items[(self.first + self.count) % N] = item;
        self.count += 1;
        true
    }

    fn try_pop(&mut self) -> Option<T> {
        if self.count == 0 {
            return None;
        }
        let item = self.items[self.first];
        self.first = (self.first + 1) % N;
        self.count -= 1;
        Some(item)
    }
}

fn run(size: i32) -> i32 {
    let mut ring = Ring::<i32, 48> { items: [0; 48], first: 0, count: 0 };
    let (mut random, mut lost, mut sum) = (1, 0, 0);
    for _ in 0..size {
        random = (random * 25173 + 13849) & 0xFFFF;
        if random & 96 != 0 && !ring.try_push(random) {
            lost += 1;
        }
        if random & 24 != 0 {
            sum = match ring.try_pop() {
                Some(item) => ((sum * 31) ^ item) & 0xFFFFFF,
                None => sum ^ 1,
            };
        }
    }
    sum + lost
}

bench::main!(run);
