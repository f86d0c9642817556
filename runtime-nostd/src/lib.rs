//! The runtime of Clef programs, without `std` and without a heap.
//!
//! It has two parts:
//! - The pure part is an ordinary library that is tested on the host: the region allocator ([`region`]), and the
//!   conversion between numbers and text ([`text`]).
//! - The image part (feature `image`) is what a program is linked with: the symbols of the table in
//!   docs/runtime-abi.md (`interface`), the boot code of each platform (`boot`), the consoles (`console`),
//!   the interrupts (`interrupt`), the clocks (`time`), and what a library asks of its host (`host`).
//!
//! What is absent: `core::fmt`, a heap, threads, unwinding, and any code path that panics.

#![cfg_attr(not(test), no_std)]

pub mod region;
pub mod text;

#[cfg(feature = "image")]
mod arguments;
#[cfg(feature = "image")]
mod board;
#[cfg(feature = "image")]
mod boot;
#[cfg(feature = "image")]
mod console;
#[cfg(feature = "image")]
mod host;
#[cfg(feature = "image")]
mod interface;
#[cfg(all(feature = "image", not(feature = "linux")))]
mod interrupt;
#[cfg(feature = "image")]
mod time;
