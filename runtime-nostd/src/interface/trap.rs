//! Traps: the report on the error console, and the end of the program.
//!
//! On boards with a debugger (`trap_messages: debugger`) there is no report: the processor stops at an undefined
//! instruction, and `clefc` reads the registers and the memory that they point to. Sites are numbers then.

use super::bytes;
use super::fault::clef_trap_stack;
use crate::board::{self, exit_kind};
use crate::console::{self, Stream};
use crate::host;
use crate::region::Region;
use crate::text::{self, Writer};

/// The exit status of a program that a trap stopped.
pub(crate) const TRAPPED: i32 = 101;

/// A place in the program's source, made by the compiler.
#[repr(C)]
pub(super) struct Site {
    file: *const u8,
    file_length: usize,
    line: u32,
    column: u32,
}

/// The messages, by the number that generated code passes.
const KINDS: [&str; 9] = [
    "division by zero",
    "index out of range",
    "no match",
    "regions exhausted",
    "stack overflow",
    "assertion failed",
    "arithmetic overflow",
    "processor fault",
    "negative length",
];

const REGIONS_EXHAUSTED: usize = 3;

pub(crate) fn say(text: &str) {
    console::write(Stream::Error, text.as_bytes());
}

pub(crate) fn say_number(number: usize) {
    say_digits(number, 1);
}

fn say_digits(number: usize, least: u32) {
    let mut buffer = [0; 20];
    let mut writer = Writer::new(&mut buffer);
    text::format_unsigned_word(&mut writer, number, least);
    console::write(Stream::Error, writer.bytes());
}

/// Prints text from outside the program, with control characters escaped (`\027`), as in a literal.
fn say_escaped(text: &[u8]) {
    // UTF-8 encodes U+0080 to U+009F as this byte and the number of the character.
    const BEFORE_C1: u8 = 0xC2;
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let c1 = rest.next_if(|next| byte == BEFORE_C1 && matches!(next, 0x80..=0x9F));
        if let Some(control) = c1.or((byte < b' ' || byte == 0x7F).then_some(byte)) {
            say("\\");
            say_digits(control.into(), 3);
        } else {
            console::write(Stream::Error, &[byte]);
        }
    }
}

fn say_trap(what: &[u8], site: &Site) {
    say("trap: ");
    console::write(Stream::Error, what);
    say_place(site);
}

/// The end of a report.
fn say_place(site: &Site) {
    say(" at ");
    say_site(site);
    say("\n");
}

fn say_site(site: &Site) {
    // SAFETY: the compiler made the site.
    console::write(Stream::Error, unsafe { bytes(site.file, site.file_length) });
    say(":");
    say_number(site.line as usize);
    say(":");
    say_number(site.column as usize);
}

/// Stops the processor at an undefined instruction with this number; `clef_types::trap::stop` describes the numbers.
#[cfg(target_arch = "arm")]
macro_rules! stop {
    ($code:literal, $($register:tt = $value:expr),*) => {
        // SAFETY: the instruction raises an exception, whose handler does not return.
        unsafe { core::arch::asm!(concat!("udf #", $code), $(in($register) $value,)* options(noreturn)) }
    };
}

/// # Safety
/// `site` is valid.
#[unsafe(no_mangle)]
#[cold]
unsafe extern "C" fn clef_trap(kind: u32, site: *const Site) -> ! {
    let what = KINDS.get(kind as usize).unwrap_or(&"unknown");
    // SAFETY: as the caller promises.
    say_trap(what.as_bytes(), unsafe { &*site });
    clef_trap_stack()
}

/// # Safety
/// The message and `site` are valid.
#[unsafe(no_mangle)]
#[cold]
pub(super) unsafe extern "C" fn clef_trap_message(message: *const u8, length: usize, site: *const Site) -> ! {
    #[cfg(target_arch = "arm")]
    if !board::trap_messages() {
        stop!("0xc3", "r0" = message, "r1" = length, "r2" = site);
    }
    // SAFETY: as the caller promises.
    unsafe { say_trap(bytes(message, length), &*site) };
    clef_trap_stack()
}

/// # Safety
/// The text, the message and `site` are valid.
#[unsafe(no_mangle)]
#[cold]
unsafe extern "C" fn clef_trap_text(
    text: *const u8,
    length: usize,
    message: *const u8,
    message_length: usize,
    site: *const Site,
) -> ! {
    say("trap: \"");
    // SAFETY: as the caller promises.
    unsafe {
        say_escaped(bytes(text, length));
        say("\"");
        console::write(Stream::Error, bytes(message, message_length));
        say_place(&*site);
    }
    clef_trap_stack()
}

#[unsafe(no_mangle)]
extern "C" fn clef_exit(status: i32) -> ! {
    end(status)
}

/// Ends the program: the pool has no block for an allocation.
///
/// # Safety
/// The sites are valid.
#[cold]
pub(super) unsafe fn exhausted(what: &Exhausted<'_>) -> ! {
    #[cfg(target_arch = "arm")]
    if !board::trap_messages() {
        let region = what.region.map_or(core::ptr::null(), core::ptr::from_ref);
        stop!("0xc4", "r0" = region, "r1" = what.site, "r2" = what.asked, "r3" = what.left);
    }
    // SAFETY: as the caller promises.
    say_trap(KINDS[REGIONS_EXHAUSTED].as_bytes(), unsafe { &*what.site });
    say_number(what.asked);
    say(" bytes asked, ");
    say_number(what.left);
    say(" bytes left in the pool");
    if let Some(region) = what.region {
        say("; ");
        say_number(region.held_bytes());
        say(" bytes in this region, ");
        // SAFETY: as the caller promises.
        match unsafe { region.origin().cast::<Site>().as_ref() } {
            Some(origin) => {
                say("which begins at ");
                say_site(origin);
            }
            None => say("the program's own"),
        }
    }
    say("\n");
    clef_trap_stack()
}

/// A region that could not grow.
pub(super) struct Exhausted<'a> {
    /// The allocation that failed.
    pub(super) site: *const Site,
    /// The bytes it requested.
    pub(super) asked: usize,
    /// Bytes left in the pool, possibly not contiguous.
    pub(super) left: usize,
    /// The region, unless regions nest. Debuggers read the bytes that it holds, and where it begins.
    pub(super) region: Option<&'a Region>,
}

/// Ends the program by the means of the board.
pub(crate) fn end(status: i32) -> ! {
    if board::statistics() {
        let stack = super::stack::most_used();
        super::region::say_statistics();
        super::stack::say_statistics(stack);
    }
    match board::exit() {
        #[cfg(any(target_arch = "arm", all(target_arch = "aarch64", not(feature = "linux"))))]
        exit_kind::SEMIHOSTING => console::semihosting::exit(status),
        #[cfg(feature = "pvh")]
        exit_kind::ISA_DEBUG_EXIT => console::com::exit(board::exit_port(), status),
        #[cfg(feature = "linux")]
        exit_kind::SYSCALLS => console::syscalls::exit(status),
        exit_kind::HOST => host::stop(status),
        _ => {}
    }
    loop {
        // SAFETY: the processor waits for an interrupt that never comes.
        unsafe {
            #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
            core::arch::asm!("wfi", options(nomem, nostack));
            #[cfg(feature = "pvh")]
            core::arch::asm!("cli", "hlt", options(nomem, nostack));
            #[cfg(all(target_arch = "x86_64", not(feature = "pvh")))]
            core::arch::asm!("ud2", options(nomem, nostack));
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(target_arch = "arm")]
    if !board::trap_messages() {
        stop!("0xff",);
    }
    say("trap: processor fault\n");
    end(TRAPPED)
}
