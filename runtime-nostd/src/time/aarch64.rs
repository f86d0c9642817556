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
