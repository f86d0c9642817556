//! The causes of traps, and how an image whose traps a debugger reports tells it about them.
//!
//! In such an image a trap is an undefined instruction, `udf` with a number of [`stop`]. Two sections of the ELF file,
//! which are not in memory, describe the traps. [`SITES`] has two texts for each site, each terminated by a zero: the
//! message, which may be empty, and the place `file:line:column`. Sites are numbered from 1. [`TRAPS`] has two words of
//! 32 bits for each instruction: its address, and the number of its site.

/// Why a program traps by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrapCause {
    /// An integer was divided by zero.
    DivisionByZero,
    /// An index was out of range.
    IndexOutOfRange,
    /// No arm of a match matched.
    NoMatch,
    /// The pool has no memory left for a region.
    RegionsExhausted,
    /// Calls were nested too deeply.
    StackOverflow,
    /// An assertion failed.
    AssertionFailed,
    /// The result of checked arithmetic does not fit.
    Overflow,
    /// The processor reported a fault.
    ProcessorFault,
    /// The length of an array was negative.
    NegativeLength,
}

impl TrapCause {
    /// The number that generated code passes to the runtime.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The text of the report.
    pub fn message(self) -> &'static str {
        match self {
            TrapCause::DivisionByZero => "division by zero",
            TrapCause::IndexOutOfRange => "index out of range",
            TrapCause::NoMatch => "no match",
            TrapCause::RegionsExhausted => "regions exhausted",
            TrapCause::StackOverflow => "stack overflow",
            TrapCause::AssertionFailed => "assertion failed",
            TrapCause::Overflow => "arithmetic overflow",
            TrapCause::ProcessorFault => "processor fault",
            TrapCause::NegativeLength => "negative length",
        }
    }
}

/// The section of the ELF file that assigns sites to instructions.
pub const TRAPS: &str = ".clef.traps";

/// The section of the ELF file with the messages and places of sites.
pub const SITES: &str = ".clef.sites";

/// The numbers of `udf` instructions.
pub mod stop {
    /// Message and place are those of the instruction's site.
    pub const FIXED: u8 = 0xc0;
    /// The place is that of the instruction's site; `r0` and `r1` are the address and the length of the message.
    pub const MESSAGE: u8 = 0xc1;
    /// The place is that of the instruction's site; `r0` and `r1` are a text to be quoted, `r2` and `r3` the message
    /// after it.
    pub const TEXT: u8 = 0xc2;
    /// As [`MESSAGE`], with the number of the site in `r2`.
    pub const MESSAGE_AT: u8 = 0xc3;
    /// The pool is exhausted; `r0` is the address of the region, or 0 if regions nest, `r1` the number of the site, `r2` the bytes of the
    /// allocation, and `r3` the bytes left in the pool.
    pub const EXHAUSTED: u8 = 0xc4;

    /// The number of words of a region.
    pub const REGION_WORDS: usize = 8;

    /// Which of them holds the bytes that it holds.
    pub const REGION_HELD: usize = 5;

    /// Which of them holds the number of the site where it begins, or 0.
    pub const REGION_ORIGIN: usize = 7;
}
