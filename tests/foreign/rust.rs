//! A library in Rust that calls functions of Clef and is called by it.
#![no_std]

use core::{panic::PanicInfo, slice};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Reading {
    channel: u8,
    value: i32,
    time: u64,
}

type Observer = extern "C" fn(context: *mut i32, reading: Reading);

unsafe extern "C" {
    safe fn calibrate(reading: Reading, offset: i16) -> Reading;
}

/// Calibrates readings in place, and shows each to an observer.
#[unsafe(no_mangle)]
pub extern "C" fn observe(readings: *mut Reading, count: usize, observer: Observer, context: *mut i32) -> i64 {
    // SAFETY: the caller passes this number of readings.
    let readings = unsafe { slice::from_raw_parts_mut(readings, count) };
    for (index, reading) in readings.iter_mut().enumerate() {
        *reading = calibrate(*reading, index as i16 * -100);
        observer(context, *reading);
    }
    readings.iter().map(|reading| i64::from(reading.value) * reading.time as i64).sum()
}

/// The reading with the largest value.
#[unsafe(no_mangle)]
pub extern "C" fn largest(readings: *const Reading, count: usize) -> Reading {
    // SAFETY: the caller passes this number of readings.
    let readings = unsafe { slice::from_raw_parts(readings, count) };
    readings.iter().copied().max_by_key(|reading| reading.value).unwrap_or(Reading { channel: 0, value: 0, time: 0 })
}
