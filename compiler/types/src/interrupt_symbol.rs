//! The symbols of interrupt handlers, assigned by `check` and used by the linker script and the bounds.

use clef_base::Symbol;

/// The prefix of the symbols of interrupt handlers; the number, or `SysTick`, follows.
pub const INTERRUPT: &str = "clef_interrupt_";

/// The interrupt of the board's timer, which has no number of its own.
pub const TIMER: &str = "SysTick";

/// The interrupt that the function of a symbol handles: its number, or `SysTick`; `None` if it handles none.
pub fn interrupt(symbol: Symbol) -> Option<Symbol> {
    symbol.as_str().strip_prefix(INTERRUPT).map(Symbol::new)
}
