//! The memory map of the core: flash, RAM, the interrupt controller, and the chip's devices.

use crate::{
    Ending,
    analog::{self, Analog, Pulse},
    clocks::{self, Clocks, Frequencies, Misuse, Shared},
    devices::{Device, Kinetis, Mps2, Nordic, RaspberryPi, Stellaris, Stm32},
    flash::{Flash, ROM_STACK, RomCall},
    i2c::{self, Controller},
    interrupts::{Interrupts, SystemTimer},
    memory::{Memory, Ram},
    ports::Ports,
    random::{self, Generator},
    rtt,
    semihosting::Semihosting,
    watchdog::{self, Watchdog},
    wiring::{Pin, Wiring},
};
use goblin::elf::{Elf, program_header::PT_LOAD};
use std::{cell::Cell, rc::Rc};

/// A chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Nordic nRF51: no system timer.
    Nrf51,
    /// Nordic nRF52: the system timer stops while the core sleeps.
    Nrf52,
    /// Nordic nRF91, in the secure world: the system timer stops while the core sleeps.
    Nrf91,
    /// Raspberry Pi RP2040 with a crystal of 12 MHz, and the frequency of its core after the start.
    Rp2040(u64),
    /// Raspberry Pi RP2350, the same.
    Rp2350(u64),
    /// An STM32.
    Stm32(Rated),
    /// NXP KL25 with a crystal of 8 MHz, at 48 MHz after the start, with its watchdog running. Its flash must say that the chip is not secured.
    Kl25,
    /// TI Stellaris LM3S6965 with a crystal of 8 MHz, at 50 MHz after the start. Of its serial lines, buses and timers there are only the clocks.
    Lm3s6965,
    /// An MPS2 board: the image of its FPGA, and the frequency of the core, whose system timer counts. Of its devices there are the
    /// pins, the serial lines, and the buses of the shields.
    Mps2(Mps2Image, u64),
}

/// An image of the FPGA of MPS2 boards, by where it has devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mps2Image {
    /// AN385, AN386 and AN500.
    An385,
    /// AN505, in the secure world.
    An505,
}

/// An STM32 with its crystal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rated {
    /// The chip.
    pub chip: Chip,
    /// The frequency of the crystal.
    pub crystal: u64,
    /// The frequency of the core after the start.
    pub core: u64,
}

/// The STM32 with a model of their clocks, also for others with the same limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chip {
    /// Of its devices the watchdog, the pins, a converter and timers for pulses are modelled.
    F103,
    /// It has the same devices as an STM32F4.
    F205,
    /// STM32F405 and F407.
    F405,
    /// STM32F411.
    F411,
    /// STM32F446.
    F446,
    /// STM32L552.
    L552,
}

impl Part {
    /// The frequency of the core, after the steps of the board's start.
    pub fn frequency(self) -> u64 {
        match self {
            Part::Nrf51 => 16_000_000,
            Part::Nrf52 | Part::Nrf91 => 64_000_000,
            Part::Kl25 => 48_000_000,
            Part::Lm3s6965 => 50_000_000,
            Part::Rp2040(frequency) | Part::Rp2350(frequency) | Part::Mps2(_, frequency) => frequency,
            Part::Stm32(rated) => rated.core,
        }
    }

    /// The control of its clocks.
    fn clocks(self, shared: Shared) -> Box<dyn Clocks> {
        match self {
            Part::Rp2040(core) => Box::new(clocks::RaspberryPi::rp2040(core, shared)),
            Part::Rp2350(core) => Box::new(clocks::RaspberryPi::rp2350(core, shared)),
            Part::Stm32(Rated { chip, crystal, core }) => Box::new(clocks::Stm32::new(chip, crystal, core, shared)),
            Part::Kl25 => Box::new(clocks::Kinetis::new(self.frequency(), shared)),
            Part::Lm3s6965 => Box::new(clocks::Stellaris::new(self.frequency(), shared)),
            Part::Nrf51 | Part::Nrf52 | Part::Nrf91 | Part::Mps2(..) => Box::new(()),
        }
    }

    fn device(self, wiring: &Wiring, shared: &Shared) -> Box<dyn Device> {
        match self {
            Part::Nrf51 => Box::new(Nordic::nrf51(self.frequency(), wiring)),
            Part::Nrf52 => Box::new(Nordic::nrf52(self.frequency(), wiring)),
            Part::Nrf91 => Box::new(Nordic::nrf91(self.frequency(), wiring)),
            Part::Rp2040(core) => Box::new(RaspberryPi::rp2040(core, wiring)),
            Part::Rp2350(core) => Box::new(RaspberryPi::rp2350(core, wiring)),
            Part::Stm32(Rated { chip, core, .. }) => match chip {
                Chip::F103 => Box::new(Stm32::f1(core, shared, wiring)),
                Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => Box::new(Stm32::f4(core, shared, wiring)),
                Chip::L552 => Box::new(Stm32::l5(core, shared, wiring)),
            },
            Part::Kl25 => Box::new(Kinetis::new(self.frequency(), shared, wiring)),
            Part::Lm3s6965 => Box::new(Stellaris::new(wiring)),
            Part::Mps2(image, _) => Box::new(Mps2::new(image, wiring)),
        }
    }

    /// The watchdog, with the usual frequency of its oscillator (data sheets, "Low-speed internal (LSI) RC oscillator").
    fn watchdog(self) -> Box<dyn Watchdog> {
        match self {
            Part::Nrf51 | Part::Nrf52 => Box::new(watchdog::Nordic::new(self.frequency(), 0x4001_0000)),
            Part::Nrf91 => Box::new(watchdog::Nordic::new(self.frequency(), 0x5001_8000)),
            Part::Rp2040(core) => Box::new(watchdog::RaspberryPi::rp2040(core)),
            Part::Rp2350(core) => Box::new(watchdog::RaspberryPi::rp2350(core)),
            Part::Stm32(Rated { chip: Chip::F103, core, .. }) => Box::new(watchdog::Stm32::new(core, 40_000)),
            Part::Stm32(Rated { core, .. }) => Box::new(watchdog::Stm32::new(core, 32_000)),
            Part::Kl25 => Box::new(watchdog::Kinetis::new(self.frequency())),
            Part::Lm3s6965 => Box::new(watchdog::Stellaris::default()),
            Part::Mps2(..) => Box::new(()),
        }
    }

    /// The converter and the timers for pulses.
    fn analog(self, wiring: &Wiring, shared: &Shared) -> Box<dyn Analog> {
        let voltages = wiring.voltages.clone();
        match self {
            Part::Nrf51 => Box::new(analog::Nrf51::new(voltages)),
            Part::Nrf52 => Box::new(analog::Nordic::nrf52(voltages)),
            Part::Nrf91 => Box::new(analog::Nordic::nrf91(voltages)),
            Part::Rp2040(core) => Box::new(analog::RaspberryPi::rp2040(core, shared, voltages)),
            Part::Rp2350(core) => Box::new(analog::RaspberryPi::rp2350(core, shared, voltages)),
            Part::Stm32(Rated { chip, core, .. }) => match chip {
                Chip::F103 => Box::new(analog::Stm32::f1(core, shared, voltages)),
                Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => {
                    Box::new(analog::Stm32::f4(core, shared, voltages))
                }
                Chip::L552 => Box::new(analog::Stm32::l5(core, shared, voltages)),
            },
            Part::Kl25 => Box::new(analog::Kinetis::new(self.frequency(), shared, voltages)),
            Part::Lm3s6965 => Box::new(analog::Stellaris::new(self.frequency(), shared, voltages)),
            Part::Mps2(..) => Box::new(()),
        }
    }

    /// The controller of the I2C bus, where it is not one of the devices.
    fn i2c(self, wiring: &Wiring, shared: &Shared) -> Box<dyn Controller> {
        match self {
            Part::Stm32(Rated { chip, core, .. }) => match chip {
                Chip::F103 => Box::new(i2c::Stm32V1::f1(core, shared, wiring)),
                Chip::F205 | Chip::F405 | Chip::F411 | Chip::F446 => Box::new(i2c::Stm32V1::f4(core, shared, wiring)),
                Chip::L552 => Box::new(i2c::Stm32V2::new(core, shared, wiring)),
            },
            Part::Rp2040(core) => Box::new(i2c::DesignWare::rp2040(core, shared, wiring)),
            Part::Rp2350(core) => Box::new(i2c::DesignWare::rp2350(core, shared, wiring)),
            Part::Mps2(image, _) => Box::new(i2c::Sbcon::new(image, wiring)),
            Part::Nrf51 | Part::Nrf52 | Part::Nrf91 | Part::Kl25 | Part::Lm3s6965 => Box::new(()),
        }
    }

    /// The generator of random numbers.
    fn generator(self, wiring: &Wiring, shared: &Shared) -> Box<dyn Generator> {
        let (core, is_silent) = (self.frequency(), wiring.is_silent);
        match self {
            Part::Nrf51 | Part::Nrf52 => Box::new(random::Nordic::new(core, is_silent)),
            Part::Rp2040(_) => Box::new(random::Rp2040::new(core, is_silent)),
            Part::Rp2350(_) => Box::new(random::Rp2350::new(is_silent)),
            Part::Stm32(Rated { chip, .. }) => match chip {
                Chip::F205 | Chip::F405 => Box::new(random::Stm32::f4(core, shared, is_silent)),
                Chip::L552 => Box::new(random::Stm32::l5(core, shared, is_silent)),
                Chip::F103 | Chip::F411 | Chip::F446 => Box::new(()),
            },
            Part::Nrf91 | Part::Kl25 | Part::Lm3s6965 | Part::Mps2(..) => Box::new(()),
        }
    }

    /// The RAM.
    fn ram(self) -> Vec<Memory> {
        match self {
            Part::Kl25 => vec![Memory::ram(0x1fff_f000, 16 << 10)],
            Part::Nrf51
            | Part::Nrf52
            | Part::Nrf91
            | Part::Rp2040(_)
            | Part::Rp2350(_)
            | Part::Stm32(_)
            | Part::Lm3s6965
            | Part::Mps2(..) => RAM.into_iter().map(|origin| Memory::ram(origin, RAM_SIZE)).collect(),
        }
    }

    /// Whether the chip starts with what is in flash, and can be programmed again.
    fn accepts(self, memories: &[Memory]) -> Result<(), String> {
        if self != Part::Kl25 {
            return Ok(());
        }
        // The flash configuration field (KL25 Sub-Family Reference Manual, 27.3.1): the bytes FSEC and FOPT.
        let byte = |address: usize| {
            let bytes = memories.iter().filter(|memory| !memory.is_ram && memory.origin as usize <= address);
            bytes.filter_map(|memory| memory.bytes.get(address - memory.origin as usize)).next().copied()
        };
        match (byte(0x40c), byte(0x40d)) {
            (Some(0xfe), Some(0xff)) => Ok(()),
            found => Err(format!("the chip would be secured, or start at another frequency: {found:x?}")),
        }
    }

    fn system_timer(self) -> SystemTimer {
        match self {
            Part::Nrf51 => SystemTimer::Absent,
            Part::Nrf52 | Part::Nrf91 => SystemTimer::StopsAsleep,
            Part::Rp2040(_) | Part::Rp2350(_) | Part::Stm32(_) | Part::Kl25 | Part::Lm3s6965 | Part::Mps2(..) => {
                SystemTimer::Counts
            }
        }
    }
}

/// An access to an unmapped address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BusFault;

pub(crate) struct Bus {
    memories: Vec<Memory>,
    pub(crate) interrupts: Interrupts,
    clocks: Box<dyn Clocks>,
    /// The frequencies that the clocks make, that of the core after the start, and a part of a cycle of it that has passed.
    shared: Shared,
    rated: u64,
    passed: u64,
    /// When the core had that frequency first.
    began: Option<u64>,
    /// What the program has done that the chip does not bear.
    misuse: Option<Misuse>,
    device: Box<dyn Device>,
    analog: Box<dyn Analog>,
    i2c: Box<dyn Controller>,
    ports: Ports,
    generator: Box<dyn Generator>,
    pub(crate) flash: Option<Flash>,
    watchdog: Box<dyn Watchdog>,
    /// The time at which it resets the chip.
    reset: Option<u64>,
    pub(crate) host: Semihosting,
    /// The addresses of the vector table and the control block of Real-Time Transfer.
    pub(crate) vectors: u32,
    rtt: Option<u32>,
    now: u64,
    asleep: u64,
    /// The time of the next event of a device or the system timer.
    due: Option<u64>,
}

/// The addresses of RAM on boards; the model has more bytes than they have.
const RAM: [u32; 2] = [0x2000_0000, 0x3800_0000];
const RAM_SIZE: usize = 4 << 20;

impl Bus {
    pub(crate) fn new(image: &[u8], part: Part, wiring: &Wiring, flash: Option<Flash>) -> Result<Bus, String> {
        let elf = Elf::parse(image).map_err(|error| error.to_string())?;
        let mut memories = part.ram();
        for segment in elf.program_headers.iter().filter(|segment| segment.p_type == PT_LOAD && segment.p_filesz > 0) {
            let bytes = image.get(segment.file_range()).ok_or("a segment is not in the file")?.to_vec();
            memories.push(Memory::flash(segment.p_paddr as u32, bytes));
        }
        part.accepts(&memories)?;
        let named = |name: &str| {
            let found = elf.syms.iter().find(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name));
            found.map(|symbol| symbol.st_value as u32)
        };
        let section = |name: &str| {
            let found =
                elf.section_headers.iter().find(|section| elf.shdr_strtab.get_at(section.sh_name) == Some(name));
            found.map(|section| section.sh_addr as u32)
        };
        let watchdog = part.watchdog();
        let shared: Shared = Rc::new(Cell::new(Frequencies::all(part.frequency())));
        Ok(Bus {
            memories,
            interrupts: Interrupts::new(part.system_timer(), part.frequency(), shared.clone()),
            clocks: part.clocks(shared.clone()),
            rated: part.frequency(),
            passed: 0,
            began: None,
            misuse: None,
            device: part.device(wiring, &shared),
            analog: part.analog(wiring, &shared),
            i2c: part.i2c(wiring, &shared),
            ports: Ports::new(part, &shared, wiring),
            generator: part.generator(wiring, &shared),
            shared,
            flash,
            reset: watchdog.resets(),
            watchdog,
            host: Semihosting::default(),
            vectors: section(".vectors").ok_or("the image has no vector table")?,
            rtt: named("_SEGGER_RTT"),
            now: 0,
            asleep: 0,
            due: None,
        })
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// When the clocks were started: the core has the frequency that it has after the start.
    pub(crate) fn began(&self) -> Option<u64> {
        self.began
    }

    pub(crate) fn asleep(&self) -> u64 {
        self.asleep
    }

    /// The program's output and its log since the last call, by semihosting and by Real-Time Transfer.
    pub(crate) fn take_output(&mut self) -> (Vec<u8>, Vec<u8>) {
        let (mut output, mut log) = (std::mem::take(&mut self.host.output), std::mem::take(&mut self.host.log));
        for (name, bytes) in self.rtt.map(|block| rtt::take_output(self, block)).unwrap_or_default() {
            if name == rtt::LOG { log.extend(bytes) } else { output.extend(bytes) }
        }
        (output, log)
    }

    /// Whether something ends the program now that is not its own: its watchdog, or the power.
    pub(crate) fn ending(&self) -> Option<Ending> {
        if self.flash.as_ref().is_some_and(Flash::has_failed) {
            return Some(Ending::PowerLost);
        }
        let of_flash = self.flash.as_ref().and_then(Flash::misuse);
        let of_bus = self.i2c.misuse().or(self.ports.misuse()).or(of_flash).or(self.device.misuse());
        let misused = self.misuse.map(Ending::Clock).or(of_bus.map(Ending::Bus));
        misused.or(self.reset.is_some_and(|time| time <= self.now).then_some(Ending::Reset))
    }

    /// Advances time by one instruction: a cycle of the core, which may be slower than it will be.
    pub(crate) fn tick(&mut self) {
        let core = self.shared.get().core;
        if self.began.is_none() && core == self.rated {
            self.began = Some(self.now);
        }
        self.passed += self.rated;
        self.now += self.passed / core;
        self.passed %= core;
        if self.due.is_some_and(|due| due <= self.now) {
            self.settle();
        }
    }

    /// Advances time to the next event, or to a limit, if there is one; false if nothing is to come.
    pub(crate) fn sleep(&mut self, until: Option<u64>) -> bool {
        let timer = self.interrupts.due(true);
        let next = [timer, self.device.due(), self.ports.due(), self.reset, until].into_iter().flatten().min();
        let Some(next) = next else { return false };
        let next = next.max(self.now + 1);
        self.interrupts.slept(next - self.now);
        self.asleep += next - self.now;
        self.now = next;
        self.settle();
        true
    }

    /// Updates devices to the current time, and finds the next event.
    pub(crate) fn settle(&mut self) {
        self.interrupts.advance(self.now);
        self.device.access(self.now, &mut Ram::of(&mut self.memories));
        self.ports.advance(self.now, &mut Ram::of(&mut self.memories));
        let lines = self.device.lines(self.now) | self.ports.lines();
        self.interrupts.lines(lines);
        self.due = [self.interrupts.due(false), self.device.due(), self.ports.due()].into_iter().flatten().min();
    }

    /// A handler has returned: a line that is still asserted is pending again.
    pub(crate) fn leave_handler(&mut self) {
        self.interrupts.leave();
        self.settle();
    }

    fn memory(&self, address: u32, size: usize) -> Option<(&Memory, usize)> {
        self.memories.iter().find_map(|memory| {
            let offset = address.checked_sub(memory.origin)? as usize;
            (offset + size <= memory.bytes.len()).then_some((memory, offset))
        })
    }

    /// Reads from memory or a register, little-endian.
    pub(crate) fn read(&mut self, address: u32, size: usize) -> Result<u32, BusFault> {
        self.see_read(address);
        let flash = self.flash.as_ref().and_then(|flash| flash.read(address, size));
        if let Some(bytes) = flash.or_else(|| self.peek(address, size)) {
            return Ok(bytes);
        }
        if !address.is_multiple_of(size as u32) {
            return Err(BusFault);
        }
        let memory = &mut Ram::of(&mut self.memories);
        if let Some(value) = self.ports.read(address, size, self.now, memory) {
            return Ok(value);
        }
        if size == 1 && !(0xe000_e000..0xe000_f000).contains(&address) {
            self.device.access(self.now, &mut Ram::of(&mut self.memories));
            if let Some(byte) = self.flash.as_ref().and_then(|flash| flash.register_byte(address, self.now)) {
                return Ok(u32::from(byte));
            }
            if let Some(byte) = self.clocks.read_byte(address, self.now) {
                return Ok(u32::from(byte));
            }
            if let Some(byte) = self.device.read_byte(address, self.now) {
                return Ok(byte);
            }
        }
        let word = match address & !3 {
            register @ 0xe000_e000..=0xe000_efff => {
                self.settle();
                self.interrupts.read(register, self.now)
            }
            register => {
                let flash = self.flash.as_ref().and_then(|flash| flash.register(register, self.now));
                let clock = flash.or_else(|| self.clocks.read(register, self.now));
                let other = clock.or_else(|| self.watchdog.read(register, self.now));
                let other = other.or_else(|| self.generator.read(register, self.now));
                let other = other.or_else(|| self.i2c.read(register, self.now));
                match other.or_else(|| self.analog.read(register, self.now)) {
                    Some(word) => word,
                    None => {
                        self.device.access(self.now, &mut Ram::of(&mut self.memories));
                        self.device.read(register, self.now).ok_or(BusFault)?
                    }
                }
            }
        };
        let word = word >> ((address & 3) * 8);
        Ok(if size == 4 { word } else { word & ((1 << (size * 8)) - 1) })
    }

    /// Lets flash see a read of it, for whose end the core may have to wait.
    fn see_read(&mut self, address: u32) {
        let is_of_image = self.memory(address, 1).is_some_and(|(memory, _)| !memory.is_ram);
        let Some(flash) = &mut self.flash else { return };
        if !is_of_image && flash.read(address, 1).is_none() {
            return;
        }
        if let Some(until) = flash.sees_read(address, self.now) {
            self.now = self.now.max(until);
        }
    }

    /// Whether an error in flash interrupts the core, whatever it does.
    pub(crate) fn has_error(&self) -> bool {
        self.flash.as_ref().is_some_and(Flash::interrupts)
    }

    /// What the image has in flash is there for others than the core too, or not.
    fn follow_flash(&mut self) {
        let is_away = self.flash.as_ref().is_some_and(Flash::is_away);
        self.memories.iter_mut().filter(|memory| !memory.is_ram).for_each(|memory| memory.is_away = is_away);
    }

    /// Calls a function of the chip's boot ROM, if there is one at an address; what it returns. It uses the stack.
    pub(crate) fn call_rom(&mut self, address: u32, registers: &[u32; 16]) -> Option<u32> {
        let Bus { flash, memories, now, .. } = self;
        let memory = Ram::of(memories);
        let call = RomCall { address, arguments: [0, 1, 2, 3].map(|index| registers[index]) };
        let result = flash.as_mut()?.call(&call, &|address| memory.byte(address), *now)?;
        let stack = registers[13];
        (stack - ROM_STACK..stack).step_by(4).for_each(|place| self.poke(place, 0xdead_beef));
        self.follow_flash();
        Some(result)
    }

    /// Whether a pin is high, where pins are modelled in that way.
    pub(crate) fn level(&self, pin: Pin) -> Option<bool> {
        self.device.level(pin)
    }

    /// The pulses at a pin.
    pub(crate) fn pulse(&mut self, pin: Pin) -> Option<Pulse> {
        self.analog.pulse(pin).or_else(|| self.device.pulse(pin))
    }

    /// The changes of a pin that a task drives.
    pub(crate) fn edges(&self, pin: Pin) -> &[(u64, bool)] {
        self.device.edges(pin)
    }

    /// Reads memory without a side effect.
    pub(crate) fn peek(&self, address: u32, size: usize) -> Option<u32> {
        let (memory, offset) = self.memory(address, size)?;
        let bytes = &memory.bytes[offset..offset + size];
        Some(bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    /// Writes a word of RAM without a side effect.
    pub(crate) fn poke(&mut self, address: u32, value: u32) {
        let memory = self.memories.iter_mut().filter(|memory| memory.is_ram);
        let place = memory.filter_map(|memory| {
            let offset = address.checked_sub(memory.origin)? as usize;
            memory.bytes.get_mut(offset..offset + 4)
        });
        place.take(1).for_each(|bytes| bytes.copy_from_slice(&value.to_le_bytes()));
    }

    pub(crate) fn write(&mut self, address: u32, size: usize, value: u32) -> Result<(), BusFault> {
        let place = self.memories.iter_mut().find(|memory| {
            let offset = address.wrapping_sub(memory.origin) as usize;
            offset < memory.bytes.len() && offset + size <= memory.bytes.len()
        });
        if let Some(memory) = place {
            if !memory.is_ram || !address.is_multiple_of(size as u32) {
                return Err(BusFault);
            }
            let offset = (address - memory.origin) as usize;
            memory.bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
            return Ok(());
        }
        let now = self.now;
        if self.flash.as_mut().and_then(|flash| flash.write(address, size, value, now)).is_some() {
            return Ok(());
        }
        let memory = &mut Ram::of(&mut self.memories);
        if address.is_multiple_of(size as u32) && self.ports.write(address, size, value, now, memory) {
            self.settle();
            return Ok(());
        }
        if size == 1 {
            let flash = self.flash.as_mut();
            if flash.and_then(|flash| flash.write_register_byte(address, value as u8, now)).is_some() {
                return Ok(());
            }
            match self.clocks.write_byte(address, value as u8, now) {
                Some(Ok(())) => {}
                Some(Err(misuse)) => self.misuse = self.misuse.or(Some(misuse)),
                None => self.device.write_byte(address, value as u8, now).ok_or(BusFault)?,
            }
            self.settle();
            return Ok(());
        }
        if size != 4 || !address.is_multiple_of(4) {
            return Err(BusFault);
        }
        match address {
            0xe000_e000..=0xe000_efff => self.interrupts.write(address, value, self.now),
            _ => {
                if self.flash.as_mut().is_some_and(|flash| flash.write_register(address, value, now)) {
                    self.follow_flash();
                    return Ok(());
                }
                if let Err(misuse) = self.clocks.write(address, value, self.now) {
                    self.misuse = self.misuse.or(Some(misuse));
                }
                self.watchdog.write(address, value, self.now);
                self.reset = self.watchdog.resets();
                self.analog.write(address, value, self.now, &mut Ram::of(&mut self.memories));
                self.generator.write(address, value, self.now);
                self.i2c.write(address, value, self.now);
                self.device.write(address, value, self.now).ok_or(BusFault)?;
            }
        }
        self.settle();
        Ok(())
    }
}
