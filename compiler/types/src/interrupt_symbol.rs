//! The symbols of interrupt handlers, assigned by `check` and used by the linker script and the bounds.

use clef_base::Symbol;

/// A symbol of an interrupt handler.
macro_rules! handler {
    ($of:literal) => {
        concat!("clef_interrupt_", $of)
    };
}

/// The prefix of the symbols of interrupt handlers; the number, or `SysTick`, follows.
pub const INTERRUPT: &str = handler!("");

/// The interrupt of the board's timer, which has no number of its own.
pub const TIMER: &str = "SysTick";

/// The exceptions of a Cortex-M after reset, in the order of the vector table, with the names of the Common Microcontroller Software
/// Interface Standard; [`None`] where there is none.
pub const EXCEPTIONS: [Option<&str>; 13] = [
    Some(NON_MASKABLE),
    Some(HARD_FAULT),
    Some("MemoryManagement"),
    Some("BusFault"),
    Some("UsageFault"),
    Some("SecureFault"),
    None,
    None,
    None,
    Some("SVCall"),
    Some("DebugMonitor"),
    None,
    Some("PendSV"),
];

/// The exceptions that a program may handle.
pub const HANDLED_EXCEPTIONS: [&str; 4] = [NON_MASKABLE, HARD_FAULT, "SVCall", "PendSV"];

/// The program's handler of the timer's interrupt.
pub const TIMER_HANDLER: &str = handler!("SysTick");

/// The runtime's handler of the timer's interrupt in programs that use the time.
pub const CLOCK_HANDLER: &str = handler!("time");

/// The program's handler of `PendSV`.
pub const PEND_SV_HANDLER: &str = handler!("PendSV");

/// The runtime's handler of the interrupt of a timer that is a counter of the chip; it calls the program's.
pub const COUNTER_HANDLER: &str = handler!("timer");

/// The runtime's handler of [`NON_MASKABLE`] in programs that change flash whose errors interrupt them, unless the program handles it.
pub const FLASH_HANDLER: &str = handler!("flash");

/// The exception of the chip that is not masked.
pub const NON_MASKABLE: &str = "NonMaskableInt";

/// The exception of an error that nothing else handles, which is not masked either.
pub const HARD_FAULT: &str = "HardFault";

/// Whether an interrupt or exception does not occur while interrupts are masked.
pub fn is_masked(name: Symbol) -> bool {
    ![NON_MASKABLE, HARD_FAULT].contains(&name.as_str())
}

/// Whether a function of the runtime uses the interrupt controller or its timer.
pub fn is_of_controller(symbol: Symbol) -> bool {
    ["clef_interrupts_", "clef_timer_"].iter().any(|prefix| symbol.as_str().starts_with(prefix))
}

/// The symbol of the handler of an interrupt with a number.
pub fn handler(number: u32) -> String {
    format!("{INTERRUPT}{number}")
}

/// The interrupt that the function of a symbol handles: its number, or `SysTick`; `None` if it handles none.
pub fn interrupt(symbol: Symbol) -> Option<Symbol> {
    symbol.as_str().strip_prefix(INTERRUPT).map(Symbol::new)
}
