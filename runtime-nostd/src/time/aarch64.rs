//! The generic timer (Arm Architecture Reference Manual, D12).

use core::{arch::asm, num::NonZeroU64};

/// Microseconds since the machine started.
pub(crate) fn now() -> u64 {
    let (ticks, frequency): (u64, u64);
    // SAFETY: both registers can be read where programs run.
    unsafe {
        asm!(
            "isb",
            "mrs {}, cntvct_el0",
            "mrs {}, cntfrq_el0",
            out(reg) ticks,
            out(reg) frequency,
            options(nomem, nostack),
        );
    }
    super::microseconds(ticks, NonZeroU64::new(frequency).unwrap_or(NonZeroU64::MIN))
}

/// The bits of `CNTKCTL_EL1` that choose the bit of the counter whose change is an event, and that enable the events.
const EVENT_BIT: u32 = 4;
const EVENTS: u64 = 1 << 2;
/// The highest bit that can be chosen.
const HIGHEST: u32 = 15;

/// Waits for an event: an interrupt that was handled since the last one, or the next change of a bit of the counter,
/// which comes at least each millisecond.
pub(crate) fn idle(microseconds: u64) {
    let (frequency, level): (u64, u64);
    // SAFETY: both registers can be read where programs run.
    unsafe {
        asm!("mrs {}, cntfrq_el0", "mrs {}, currentel", out(reg) frequency, out(reg) level, options(nomem, nostack));
    }
    // Only level 1 has these events, and a short wait is over before one.
    const LEVEL_1: u64 = 1 << 2;
    if level != LEVEL_1 || microseconds < 1_000 {
        return core::hint::spin_loop();
    }
    let bit = (frequency / 1_000).checked_ilog2().unwrap_or(0).saturating_sub(1).min(HIGHEST);
    let control = EVENTS | u64::from(bit) << EVENT_BIT;
    // SAFETY: the register can be written at level 1, and changes nothing but events.
    unsafe { asm!("msr cntkctl_el1, {}", "isb", "wfe", in(reg) control, options(nostack)) };
}
