//! The symbols of functions that handle interrupts: what `check` gives them, and the linker script and the bounds look for.

use clef_base::Symbol;

/// How the symbols of functions begin that handle interrupts; behind it stands the number, or `SysTick`.
pub const INTERRUPT: &str = "clef_interrupt_";

/// The interrupt of the board's timer, which has no number of its own.
pub const TIMER: &str = "SysTick";

/// The interrupt that the function of a symbol handles: its number, or `SysTick`; none if it handles none.
pub fn interrupt(symbol: Symbol) -> Option<Symbol> {
    symbol.as_str().strip_prefix(INTERRUPT).map(Symbol::new)
}
