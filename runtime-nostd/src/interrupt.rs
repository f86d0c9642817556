//! Interrupts: how each platform masks them and waits for one, and on which of them how handlers are called.

#[cfg(feature = "pvh")]
mod apic;
#[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
mod arm;
#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(not(target_arch = "arm"))]
mod dispatch;
#[cfg(target_arch = "aarch64")]
mod gic;

#[cfg(feature = "pvh")]
use apic::{clef_mask_interrupts, clef_restore_interrupts};
#[cfg(target_arch = "arm")]
use cortex_m::{clef_mask_interrupts, clef_restore_interrupts};
#[cfg(not(target_arch = "arm"))]
pub(crate) use dispatch::start;
#[cfg(target_arch = "aarch64")]
use gic::{clef_mask_interrupts, clef_restore_interrupts};

/// Interrupts are masked while it lives.
pub(crate) struct Masked(u32);

impl Masked {
    #[inline]
    pub(crate) fn begin() -> Masked {
        Masked(clef_mask_interrupts())
    }
}

impl Drop for Masked {
    #[inline]
    fn drop(&mut self) {
        clef_restore_interrupts(self.0);
    }
}
