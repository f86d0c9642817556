//! Time.

use crate::time;

/// Microseconds since a fixed moment.
#[unsafe(no_mangle)]
extern "C" fn clef_time_now() -> i64 {
    time::now().cast_signed()
}

/// Waits for this many microseconds.
#[unsafe(no_mangle)]
extern "C" fn clef_time_wait(microseconds: i64) {
    if microseconds > 0 {
        time::wait(microseconds.cast_unsigned());
    }
}

/// Waits until an interrupt was handled, at most for this many microseconds; may return at once.
#[unsafe(no_mangle)]
extern "C" fn clef_time_idle(microseconds: i64) {
    if microseconds > 0 {
        time::idle(microseconds.cast_unsigned());
    }
}
