//! A resolved board: memory, start-up, console, and how an image is run.

use crate::{Address, BootBlock, Bytes, Gpio, Hertz, Pin, StartStep, Timer, Uart, Uf2};
use serde::Serialize;
use std::collections::BTreeMap;

/// A machine that runs images of one target, as described by a file in `boards/`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Board {
    /// The name by which it is asked for: `mps2-an386`.
    pub name: String,
    /// One line for listings.
    pub description: String,
    /// The name of its target.
    pub target: String,
    /// The memory that images may use, in the order of the file; empty where the system places programs ([`Boot::Linux`]).
    pub memory: Vec<MemoryRegion>,
    /// The size of the stack. On Linux it is what the system gives the main thread.
    pub stack: Bytes,
    /// The pages from which regions are made.
    pub region_pool: RegionPool,
    /// The number of device interrupts that the vector table has behind the system's own entries; `None` where there is
    /// no vector table.
    pub vectors: Option<u32>,
    /// How control arrives.
    pub boot: Boot,
    /// Where output goes and input comes from.
    pub console: Console,
    /// Where errors go; the same as `console` where nothing else is said.
    pub console_error: Console,
    /// Where the log goes.
    pub log: Log,
    /// How a program ends and gives its status.
    pub exit: Exit,
    /// How `clefc run` runs an image.
    pub run: Run,
    /// The name by which debug probes know the chip.
    pub chip: Option<String>,
    /// What the chip's own boot code looks for before it starts an image.
    pub boot_block: Option<BootBlock>,
    /// What is done before the program begins.
    pub start: Vec<StartStep>,
    /// What files in the format UF2 say, where there are such files.
    pub uf2: Option<Uf2>,
    /// The frequency of the core when the program begins: after reset and the steps of `start`. It is there on Cortex-M, whose
    /// system timer counts at it.
    pub clock: Option<Hertz>,
    /// What `Time` and `Interrupt.startTimer` use on Cortex-M; without meaning elsewhere.
    pub time: Timer,
    /// What drives the pins, where the library has a driver for it.
    pub gpio: Option<Gpio>,
    /// The serial line of programs, where the library has a driver for it.
    pub uart: Option<Uart>,
    /// Names of pins, as programs write them.
    pub pins: BTreeMap<String, BoardPin>,
}

/// How arguments come to a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// Not at all.
    None,
    /// As a line that the debugger or emulator is asked for.
    Semihosting,
    /// As the line that a loader passes to a kernel.
    Loader,
    /// As those of a Linux process.
    Process,
}

impl Board {
    /// How arguments come to a program.
    pub fn arguments(&self) -> Arguments {
        let is_semihosted = self.console == Console::Semihosting
            || self.console_error == Console::Semihosting
            || self.exit == Exit::Semihosting;
        match self.boot {
            Boot::Linux => Arguments::Process,
            Boot::Pvh => Arguments::Loader,
            Boot::CortexM | Boot::Aarch64 if is_semihosted => Arguments::Semihosting,
            Boot::CortexM | Boot::Aarch64 => Arguments::None,
        }
    }

    /// Where code, constants and the initial values of variables go; `None` only where the system places programs.
    pub fn flash(&self) -> Option<&MemoryRegion> {
        self.memory.iter().find(|region| region.kind == MemoryKind::Flash)
    }

    /// Where variables, the stack and the region pool go; `None` only where the system places programs.
    pub fn ram(&self) -> Option<&MemoryRegion> {
        self.memory.iter().find(|region| region.kind == MemoryKind::Ram)
    }

    /// Where the vector table lies, on boards that boot by one.
    pub fn vector_table(&self) -> Option<Address> {
        let flash = self.flash().filter(|_| self.boot == Boot::CortexM)?;
        flash.origin.checked_add(self.boot_block.map_or(Bytes(0), BootBlock::before_vectors))
    }
}

/// A pin with the name that the chip has for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct BoardPin {
    /// As in the file: `P0.13`.
    pub name: String,
    /// What that means.
    #[serde(skip)]
    pub pin: Pin,
}

/// A stretch of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MemoryRegion {
    /// Its name in linker scripts and tables: letters, digits and `_`.
    pub name: String,
    /// Its first address.
    pub origin: Address,
    /// Its size, never zero.
    pub length: Bytes,
    /// What it may hold.
    pub kind: MemoryKind,
}

impl MemoryRegion {
    /// The address behind the last byte.
    pub fn end(&self) -> Address {
        Address(self.origin.0 + self.length.0)
    }
}

/// What a memory region may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Holds the image when the program starts and is not written by it. A machine that loads images into RAM has a part
    /// of that RAM described as flash.
    Flash,
    /// Read and written by the program; its content at start-up is unknown.
    Ram,
}

/// The pages from which regions are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RegionPool {
    /// The size of the whole pool, a multiple of the page; without one it takes what RAM the program leaves. A program that makes
    /// nothing in regions has none.
    pub size: Option<Bytes>,
    /// The size of a page, a power of two.
    pub page: Bytes,
}

/// How control arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// A vector table at the start of flash, or behind the boot block.
    CortexM,
    /// At the ELF entry point, at EL1, with the MMU off.
    Aarch64,
    /// By the PVH note, in 32-bit protected mode.
    Pvh,
    /// At the ELF entry point of a Linux process.
    Linux,
}

/// What text goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Console {
    /// Through the debugger or emulator.
    Semihosting,
    /// An Arm PL011 UART.
    Pl011 {
        /// Its first register.
        base: Address,
    },
    /// A PC's serial port, a 16550 UART behind I/O ports.
    Com {
        /// Its first port.
        port: u16,
    },
    /// The UART of Arm's Cortex-M System Design Kit.
    CmsdkUart {
        /// Its first register.
        base: Address,
    },
    /// Linux file descriptors 0, 1 and 2.
    Syscalls,
    /// Segger's Real-Time Transfer: buffers in RAM that a debug probe reads and fills.
    Rtt {
        /// The size of the buffer for what the program writes.
        buffer: Bytes,
        /// The size of the buffer for what it reads.
        input: Bytes,
    },
}

/// Where the frames of the log go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Log {
    /// Through the debugger or emulator, to what it has open as file descriptor 191.
    Semihosting,
    /// To a buffer of Segger's Real-Time Transfer.
    Rtt {
        /// Its size.
        buffer: Bytes,
    },
    /// To the file descriptor 191 of Linux.
    Syscalls,
    /// To QEMU's `isa-debugcon` device, which `clefc` connects.
    IsaDebugcon {
        /// Its I/O port.
        port: u16,
    },
    /// Nowhere: programs that log are refused.
    None,
}

/// How a program ends and gives its status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Exit {
    /// By semihosting's `SYS_EXIT_EXTENDED`, or `SYS_EXIT` where that is all there is.
    Semihosting,
    /// By QEMU's `isa-debug-exit` device: writing `v` ends the emulator with status `(v << 1) | 1`.
    IsaDebugExit {
        /// Its I/O port.
        port: u16,
    },
    /// By the Linux system call `exit_group`.
    Syscall,
    /// Not at all: the processor sleeps for ever.
    Halt,
}

/// How `clefc run` runs an image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Run {
    /// As a process of this machine.
    Native,
    /// In an emulator of a whole machine.
    Qemu(QemuSystem),
    /// In an emulator of Linux processes of another processor.
    QemuUser(QemuUser),
    /// There is no emulator of it.
    None,
}

/// A whole machine in QEMU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QemuSystem {
    /// The emulator: `qemu-system-arm`.
    pub program: String,
    /// The value of `-machine`.
    pub machine: String,
    /// The value of `-cpu`, where it is not the machine's own.
    pub cpu: Option<String>,
    /// All further arguments except `-kernel` and the image.
    pub arguments: Vec<String>,
    /// Which of the machine's serial lines is the board's `uart`; they are counted from 0.
    pub uart: u32,
}

/// A Linux process in QEMU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QemuUser {
    /// The emulator: `qemu-aarch64`.
    pub program: String,
    /// The value of `-cpu`, where it is not the emulator's default.
    pub cpu: Option<String>,
    /// All further arguments before the image.
    pub arguments: Vec<String>,
}
