//! A resolved board: memory, start-up, console, and how an image is run.

use crate::{
    Adc, Address, BootBlock, Bytes, Gpio, Hertz, I2c, InterruptController, Pin, Pwm, Registers, Rng, Settings, Spi,
    StartStep, Timer, Timers, Uart, Uf2, Watchdog,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A machine that runs images of one target, as described by a file in `boards/`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Board {
    /// Its name: `mps2-an386`.
    pub name: String,
    /// One line for listings.
    pub description: String,
    /// The name of its target.
    pub target: String,
    /// The memory that images may use, in the order of the file; empty if the system places programs ([`Boot::Linux`]).
    pub memory: Vec<MemoryRegion>,
    /// The size of the stack. On Linux, the size that the system provides to the main thread.
    pub stack: Bytes,
    /// The pages from which regions are made.
    pub region_pool: RegionPool,
    /// The number of device interrupts in the vector table after the system's own entries; `None` if there is no vector
    /// table.
    pub vectors: Option<u32>,
    /// The interrupt controller, if it is not the processor's own and the runtime has a driver for it.
    pub interrupts: Option<InterruptController>,
    /// How a program is started.
    pub boot: Boot,
    /// The device for output and input.
    pub console: Console,
    /// The device for errors; the same as `console` by default.
    pub console_error: Console,
    /// The destination of the log.
    pub log: Log,
    /// How a program exits with its status.
    pub exit: Exit,
    /// Where the texts of traps are.
    pub trap_messages: TrapMessages,
    /// How `clefc run` runs an image.
    pub run: Run,
    /// The name by which debug probes know the chip.
    pub chip: Option<String>,
    /// The chip whose registers programs use, if they come with the compiler.
    pub registers: Option<Registers>,
    /// The block that the chip's own boot code expects before it starts an image.
    pub boot_block: Option<BootBlock>,
    /// The steps before the program starts.
    pub start: Vec<StartStep>,
    /// The properties of UF2 files, if the board supports them.
    pub uf2: Option<Uf2>,
    /// The frequency of the core when the program starts: after reset and the steps of `start`. It is set on Cortex-M,
    /// whose system timer counts at it.
    pub clock: Option<Hertz>,
    /// The timer that `Time` and `Interrupt.startTimer` use on Cortex-M; unused elsewhere.
    pub time: Timer,
    /// The timers for programs, if the library has a driver for them.
    pub timers: Option<Timers>,
    /// The watchdog, if the library has a driver for it.
    pub watchdog: Option<Watchdog>,
    /// The random number generator, if the library has a driver for it.
    pub rng: Option<Rng>,
    /// The analog-to-digital converter, if the library has a driver for it.
    pub adc: Option<Adc>,
    /// The pulse-width outputs, if the library has a driver for them.
    pub pwm: Option<Pwm>,
    /// The pages of flash that programs keep settings in, if the library has a driver for them.
    pub settings: Option<Settings>,
    /// The GPIO device, if the library has a driver for it.
    pub gpio: Option<Gpio>,
    /// The first serial line for programs, if the library has a driver for it.
    pub uart: Option<Uart>,
    /// Further serial lines with the same driver, by name.
    pub uarts: BTreeMap<String, Uart>,
    /// The I2C buses with a driver in the library, by name.
    pub i2c: BTreeMap<String, I2c>,
    /// The SPI buses with a driver in the library, by name.
    pub spi: BTreeMap<String, Spi>,
    /// Names of pins, as programs write them.
    pub pins: BTreeMap<String, BoardPin>,
}

/// The register of the settings of a KL25's watchdog, SIM_COPC, which can be written once (KL25 Sub-Family Reference Manual, 12.2.15).
const SETTINGS_OF_KL25: Address = Address(0x4004_8100);

/// How a program receives its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// Not at all.
    None,
    /// As a line from the debugger or emulator.
    Semihosting,
    /// As a line that the loader passes to a kernel.
    Loader,
    /// As those of a Linux process.
    Process,
}

impl Board {
    /// How a program receives its arguments.
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

    /// The baud rate of the first serial line, if one of the streams of the console is there.
    pub fn rate_of_console(&self) -> Option<u32> {
        self.console.rate().or(self.console_error.rate())
    }

    /// Whether standard output and standard error go over one serial line, be it by two drivers.
    pub fn streams_share_a_line(&self) -> bool {
        let line = self.line_of(self.console);
        line.is_some() && line == self.line_of(self.console_error)
    }

    /// The serial line of a stream of the console, by its first register or port.
    fn line_of(&self, console: Console) -> Option<Address> {
        match console {
            Console::Pl011 { base } | Console::CmsdkUart { base } => Some(base),
            Console::Com { port } => Some(Address(u64::from(port))),
            Console::Kl25Uart { .. } => Some(Address(0x4006_a000)),
            Console::Uart { .. } => self.uart.as_ref().map(Uart::base),
            Console::Semihosting | Console::Syscalls | Console::Rtt { .. } => None,
        }
    }

    /// The region for code, constants and the initial values of variables; `None` only if the system places programs.
    pub fn flash(&self) -> Option<&MemoryRegion> {
        self.memory.iter().find(|region| region.kind == MemoryKind::Flash)
    }

    /// The region for variables, the stack and the region pool; `None` only if the system places programs.
    pub fn ram(&self) -> Option<&MemoryRegion> {
        self.memory.iter().find(|region| region.kind == MemoryKind::Ram)
    }

    /// Takes the pages of settings from the region for code, for a program that uses them.
    pub fn reserve_settings(&mut self) {
        let flash = self.memory.iter_mut().find(|region| region.kind == MemoryKind::Flash);
        if let (Some(settings), Some(flash)) = (self.settings, flash) {
            settings.shorten(flash);
        }
    }

    /// Removes the start step that disables, until the next reset, a watchdog that runs from the reset on: for programs that use it.
    pub fn keep_watchdog(&mut self) {
        if self.watchdog == Some(Watchdog::Kl25) {
            self.start.retain(|step| step.address() != SETTINGS_OF_KL25);
        }
    }

    /// The number of device interrupts that a program can handle, if any.
    pub fn interrupt_count(&self) -> Option<u32> {
        self.vectors.or(self.interrupts.map(|controller| controller.count()))
    }

    /// The number of the timer's interrupt, if it has one.
    pub fn timer_interrupt(&self) -> Option<u32> {
        self.interrupts.map(|controller| controller.timer()).or(self.time.interrupt())
    }

    /// The serial lines for programs, by name.
    pub fn serial_lines(&self) -> impl Iterator<Item = (&str, Uart)> {
        let main = self.uart.map(|uart| ("main", uart));
        main.into_iter().chain(self.uarts.iter().map(|(name, uart)| (name.as_str(), *uart)))
    }

    /// The address of the vector table, on boards that boot from one.
    pub fn vector_table(&self) -> Option<Address> {
        let flash = self.flash().filter(|_| self.boot == Boot::CortexM)?;
        flash.origin.checked_add(self.boot_block.map_or(Bytes(0), BootBlock::before_vectors))
    }
}

/// A pin with the chip's name for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct BoardPin {
    /// As written in the file: `P0.13`.
    pub name: String,
    /// The pin of that name.
    #[serde(skip)]
    pub pin: Pin,
}

/// A contiguous range of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MemoryRegion {
    /// Its name in linker scripts and tables: letters, digits and `_`.
    pub name: String,
    /// Its first address.
    pub origin: Address,
    /// Its size, never zero.
    pub length: Bytes,
    /// What it may contain.
    pub kind: MemoryKind,
}

impl MemoryRegion {
    /// The address after the last byte.
    pub fn end(&self) -> Address {
        Address(self.origin.0 + self.length.0)
    }
}

/// What a memory region may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Contains the image when the program starts and is not written by it. For a machine that loads images into RAM, a
    /// part of that RAM is described as flash.
    Flash,
    /// Read and written by the program; its content at start-up is unknown.
    Ram,
}

/// The pages from which regions are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RegionPool {
    /// The size of the whole pool, a multiple of the page size; by default the RAM that the program leaves free. A
    /// program that allocates nothing in regions has no pool.
    pub size: Option<Bytes>,
    /// The size of a page, a power of two.
    pub page: Bytes,
    /// How much a region takes before what is unreachable in it is freed, at least; by default a page.
    pub growth: Option<Bytes>,
}

/// How a program is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// Through a vector table at the start of flash, or after the boot block.
    CortexM,
    /// At the ELF entry point, at EL1, with the MMU off.
    Aarch64,
    /// By the PVH note, in 32-bit protected mode.
    Pvh,
    /// At the ELF entry point of a Linux process.
    Linux,
}

/// The devices for console streams.
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
    /// A PC's serial port, a 16550 UART at I/O ports.
    Com {
        /// Its first port.
        port: u16,
    },
    /// The UART of Arm's Cortex-M System Design Kit.
    CmsdkUart {
        /// Its first register.
        base: Address,
    },
    /// UART0 of NXP's KL25 at PTA1 and PTA2, at 115,200 Bd.
    Kl25Uart {
        /// The clock that it divides: that of the loop that the core uses.
        clock: Hertz,
    },
    /// The first serial line of the board, by the driver of the library.
    Uart {
        /// Its baud rate.
        rate: u32,
    },
    /// Linux file descriptors 0, 1 and 2.
    Syscalls,
    /// Segger's Real-Time Transfer: buffers in RAM that a debug probe reads and fills.
    Rtt {
        /// The size of the output buffer.
        buffer: Bytes,
        /// The size of the input buffer.
        input: Bytes,
    },
}

impl Console {
    /// The clock of UART0 of a KL25 after a reset: the frequency-locked loop (KL25 Sub-Family Reference Manual, 24.5).
    pub const KL25_CLOCK: Hertz = Hertz(20_971_520);

    /// The baud rate of a console on a serial line of the board, if it is one.
    pub fn rate(self) -> Option<u32> {
        match self {
            Console::Uart { rate } => Some(rate),
            Console::Semihosting
            | Console::Pl011 { .. }
            | Console::Com { .. }
            | Console::CmsdkUart { .. }
            | Console::Kl25Uart { .. }
            | Console::Syscalls
            | Console::Rtt { .. } => None,
        }
    }
}

/// The destination of the frames of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Log {
    /// The debugger or emulator, which has it open as file descriptor 191.
    Semihosting,
    /// A buffer of Segger's Real-Time Transfer.
    Rtt {
        /// Its size.
        buffer: Bytes,
    },
    /// The Linux file descriptor 191.
    Syscalls,
    /// QEMU's `isa-debugcon` device, which `clefc` connects.
    IsaDebugcon {
        /// Its I/O port.
        port: u16,
    },
    /// None: programs that log are rejected.
    None,
}

/// How a program exits with its status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Exit {
    /// By semihosting's `SYS_EXIT_EXTENDED`, or `SYS_EXIT` if only that is available.
    Semihosting,
    /// By QEMU's `isa-debug-exit` device: writing `v` ends the emulator with status `(v << 1) | 1`.
    IsaDebugExit {
        /// Its I/O port.
        port: u16,
    },
    /// By the Linux system call `exit_group`.
    Syscall,
    /// None: the processor sleeps forever.
    Halt,
}

/// Where the texts of traps, and what decodes processor faults, are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapMessages {
    /// In the memory of the image, which writes them to the console itself.
    Image,
    /// In the ELF file only: the processor stops, and `clefc` reports the trap from its state, by an emulator or a debug
    /// probe. Only on Cortex-M.
    Debugger,
}

/// How `clefc run` runs an image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Run {
    /// As a process of the host.
    Native,
    /// In an emulator of a whole machine.
    Qemu(QemuSystem),
    /// In an emulator of Linux processes for another processor.
    QemuUser(QemuUser),
    /// Not at all: there is no emulator.
    None,
}

/// A whole machine in QEMU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QemuSystem {
    /// The emulator: `qemu-system-arm`.
    pub program: String,
    /// The value of `-machine`.
    pub machine: String,
    /// The value of `-cpu`, if it is not the machine's default.
    pub cpu: Option<String>,
    /// All further arguments except `-kernel` and the image.
    pub arguments: Vec<String>,
    /// The index of the machine's serial line that is the board's `uart`, from 0.
    pub uart: u32,
}

/// A Linux process in QEMU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QemuUser {
    /// The emulator: `qemu-aarch64`.
    pub program: String,
    /// The value of `-cpu`, if it is not the emulator's default.
    pub cpu: Option<String>,
    /// All further arguments before the image.
    pub arguments: Vec<String>,
}
