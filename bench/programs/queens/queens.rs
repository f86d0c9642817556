//! The number of ways to place queens on a board.

#![no_std]
#![no_main]

fn safe(column: i32, queens: &[i32]) -> bool {
    let far = |(queen, distance): (&i32, i32)| *queen != column && (queen - column).abs() != distance;
    queens.iter().rev().zip(1..).all(far)
}

fn place(count: i32, row: i32, queens: &mut [i32; 8]) -> i32 {
    if row == count {
        return 1;
    }
    let mut ways = 0;
    for column in 1..=count {
        if safe(column, &queens[..row as usize]) {
            queens[row as usize] = column;
            ways += place(count, row + 1, queens);
        }
    }
    ways
}

fn run(size: i32) -> i32 {
    (1..=size).fold(0, |sum, round| (sum * 3 + place(5 + round % 3, 0, &mut [0; 8])) & 0xFFFFF)
}

bench::main!(run);
