//! Handlers that may interrupt each other.
//!
//! In: the handlers of an image for a Cortex-M, each with the stack that it takes, and the priorities that the program sets. Out: the most that
//! those take together that may be active at once. A handler interrupts only those of lower priorities (Armv7-M Architecture Reference Manual,
//! B1.5.4), so at most one is active at each priority; an interrupt has that after reset, and those that the program sets.

use clef_psg::Priorities;
use clef_types::interrupt_symbol::{FLASH_HANDLER, HARD_FAULT, INTERRUPT, NON_MASKABLE};
use std::collections::BTreeMap;

/// The most bytes of stack that handlers take at once. Each has the symbol and the bytes of one.
pub(super) fn deepest<'a>(handlers: impl Iterator<Item = (&'a str, u64)>, priorities: &Priorities) -> u64 {
    let mut all = 0;
    let mut levels: BTreeMap<i16, u64> = BTreeMap::new();
    for (symbol, bytes) in handlers {
        all += bytes;
        for level in levels_of(symbol, priorities) {
            let deepest = levels.entry(level).or_default();
            *deepest = bytes.max(*deepest);
        }
    }
    match priorities {
        Priorities::Constant(_) => all.min(levels.values().sum()),
        Priorities::Unknown => all,
    }
}

/// The priorities of an interrupt, of which the lowest number is the highest one.
fn levels_of(symbol: &str, priorities: &Priorities) -> Vec<i16> {
    let name = symbol.strip_prefix(INTERRUPT).unwrap_or(symbol);
    if name == NON_MASKABLE || symbol == FLASH_HANDLER {
        return vec![-2];
    }
    if name == HARD_FAULT {
        return vec![-1];
    }
    let set = match priorities {
        Priorities::Constant(set) => set.as_slice(),
        Priorities::Unknown => &[],
    };
    let set = set.iter().filter(|(of, _)| of.as_str() == symbol).map(|(_, priority)| i16::from(*priority));
    std::iter::once(0).chain(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_base::Symbol;

    const HANDLERS: [(&str, u64); 4] = [
        ("clef_interrupt_1", 100),
        ("clef_interrupt_2", 40),
        ("clef_interrupt_PendSV", 60),
        ("clef_interrupt_NonMaskableInt", 8),
    ];

    fn deepest_of(set: &[(&str, u8)]) -> u64 {
        let set = set.iter().map(|(symbol, priority)| (Symbol::new(symbol), *priority)).collect();
        deepest(HANDLERS.into_iter(), &Priorities::Constant(set))
    }

    #[test]
    fn handlers_of_one_priority_are_not_active_at_once() {
        assert_eq!(deepest_of(&[]), 100 + 8);
    }

    #[test]
    fn each_priority_has_one_active_handler() {
        assert_eq!(deepest_of(&[("clef_interrupt_PendSV", 255)]), 100 + 60 + 8);
        assert_eq!(deepest_of(&[("clef_interrupt_PendSV", 255), ("clef_interrupt_2", 255)]), 100 + 60 + 8);
        assert_eq!(deepest_of(&[("clef_interrupt_2", 64), ("clef_interrupt_PendSV", 255)]), 100 + 40 + 60 + 8);
    }

    #[test]
    fn no_handler_is_active_twice() {
        let set = [("clef_interrupt_1", 64), ("clef_interrupt_1", 128), ("clef_interrupt_1", 255)];
        assert_eq!(deepest_of(&set), 100 + 40 + 60 + 8);
    }

    #[test]
    fn all_may_be_active_at_unknown_priorities() {
        assert_eq!(deepest(HANDLERS.into_iter(), &Priorities::Unknown), 100 + 40 + 60 + 8);
        assert_eq!(deepest(std::iter::empty(), &Priorities::Unknown), 0);
    }
}
