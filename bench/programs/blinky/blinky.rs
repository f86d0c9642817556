//! Toggles a light every half second, by the system timer.

#![no_std]
#![no_main]

const CYCLES: u32 = 25_000_000 / 2;
const LEDS: *mut u32 = 0x4002_8000 as *mut u32;
const TIMER: *mut u32 = 0xE000_E010 as *mut u32;

fn start_timer() {
    // SAFETY: these are the registers of the system timer.
    unsafe {
        TIMER.add(1).write_volatile(CYCLES - 1);
        TIMER.add(2).write_volatile(0);
        TIMER.write_volatile(5);
    }
}

/// Waits for half a second.
fn pause() {
    // SAFETY: this is a register of the system timer.
    while unsafe { TIMER.read_volatile() } & (1 << 16) == 0 {}
}

fn toggle() {
    // SAFETY: this is the register of the lights.
    unsafe { LEDS.write_volatile(LEDS.read_volatile() ^ 1) }
}

fn run(size: i32) -> i32 {
    start_timer();
    for _ in 0..size {
        toggle();
        pause();
    }
    0
}

bench::main!(run);
