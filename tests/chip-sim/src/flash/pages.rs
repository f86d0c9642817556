//! The pages themselves: what is in them, and when power fails.

use super::Failure;

/// The pages that a program may change.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    origin: u32,
    page: u32,
    bytes: Vec<u8>,
    failure: Failure,
    has_failed: bool,
    busy_until: u64,
    /// The double words during whose change power has failed, each by its first offset.
    torn: Vec<usize>,
}

/// The time that an operation takes, in cycles; the real ones only take longer.
const DURATION: u64 = 200;

impl Pages {
    /// Erased pages.
    pub(super) fn new(origin: u32, page: u32, pages: u32) -> Pages {
        let bytes = vec![0xff; (page * pages) as usize];
        Pages { origin, page, bytes, failure: Failure::None, has_failed: false, busy_until: 0, torn: Vec::new() }
    }

    /// The same after a reset.
    pub(super) fn restarted(self, failure: Failure) -> Pages {
        Pages { failure, has_failed: false, busy_until: 0, ..self }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub(super) fn is_busy(&self, now: u64) -> bool {
        now < self.busy_until
    }

    /// The end of the last operation.
    pub(super) fn busy_until(&self) -> u64 {
        self.busy_until
    }

    /// The size of a page.
    pub(super) fn page(&self) -> u32 {
        self.page
    }

    fn offset(&self, address: u32, size: usize) -> Option<usize> {
        let offset = address.checked_sub(self.origin)? as usize;
        (offset + size <= self.bytes.len()).then_some(offset)
    }

    /// Reads up to four bytes; nothing if they are not in a page.
    pub(super) fn read(&self, address: u32, size: usize) -> Option<u32> {
        let offset = self.offset(address, size)?;
        Some(self.bytes[offset..offset + size].iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    /// Whether power has failed while this was changed.
    pub(super) fn is_torn(&self, address: u32) -> bool {
        self.offset(address, 1).is_some_and(|offset| self.torn.contains(&(offset & !7)))
    }

    /// Clears the bits that a value does not have; none if something else takes place.
    pub(super) fn program(&mut self, address: u32, bytes: &[u8], now: u64) -> Option<()> {
        let offset = self.offset(address, bytes.len())?;
        if self.begins(now, false) {
            for (index, byte) in bytes.iter().enumerate() {
                let kept = if self.has_failed { [0xa5, 0xa5, 0x5a, 0x5a][index % 4] } else { 0 };
                if self.has_failed && *byte != 0xff {
                    self.torn.push((offset + index) & !7);
                }
                self.bytes[offset + index] &= byte | kept;
            }
        }
        Some(())
    }

    /// Erases the page with an address, unless something else takes place.
    pub(super) fn erase(&mut self, address: u32, now: u64) -> Option<()> {
        let size = self.page as usize;
        let offset = self.offset(address & !(self.page - 1), size)?;
        if self.begins(now, true) {
            let page = &mut self.bytes[offset..offset + size];
            self.torn.retain(|torn| !(offset..offset + size).contains(torn));
            if self.has_failed {
                page.iter_mut().enumerate().for_each(|(index, byte)| *byte |= if index % 3 == 0 { 0xff } else { 0x3c });
                self.torn.extend((offset..offset + size).step_by(8));
            } else {
                page.fill(0xff);
            }
        }
        Some(())
    }

    /// Whether an operation takes place, and whether power fails in it.
    fn begins(&mut self, now: u64, erases: bool) -> bool {
        if self.is_busy(now) {
            return false;
        }
        self.busy_until = now + DURATION;
        match &mut self.failure {
            Failure::None => {}
            Failure::After(0) => self.has_failed = true,
            Failure::After(left) => *left -= 1,
            Failure::AtErase => self.has_failed = erases,
        }
        true
    }
}
