//! The chip as a debugger sees it: memory, and a Cortex-M that can be halted, stepped, resumed and reset.
//!
//! In: reads and writes of the memory access port. Out: bytes, or [`Refused`]. Holds: QEMU ends when its processor
//! locks up; then the chip appears as locked up, until it is halted or reset, for which QEMU is started again with the
//! same flash.

use crate::{
    Options,
    breakpoints::Breakpoints,
    core_debug::{
        self, AIRCR, CPUID, DCRDR, DCRSR, DEMCR, DFSR, DHCSR, DHCSR_KEY, DWT, DWT_CTRL, Dfsr, Dhcsr, FP_COMP, FP_CTRL,
        REGWNR, RESET_MASK, RESET_REQUEST, Registers, VC_CORERESET, WATCHPOINTS, qemu_register,
    },
    faults::Fault,
    machine::{Machine, Stop},
};
use std::{
    io,
    ops::Range,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

/// The chip rejects a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refused;

/// The processor of [`Fault::WrongChip`]: a Cortex-M4.
const OTHER_CPUID: u32 = 0x410f_c241;

/// The byte that [`Fault::VerifyMismatch`] changes: in the code, after the vectors.
const BROKEN_BYTE: u64 = 0x104;

/// The number of calls of the flash algorithm before [`Fault::ConnectionLost`].
const CALLS: u32 = 5;

/// The delay of a call by [`Fault::SlowFlash`].
const LATE: Duration = Duration::from_millis(200);

/// The range for code that a debugger puts into memory.
const RAM: Range<u64> = 0x2000_0000..0x4000_0000;

const PC: u32 = 15;

/// `WFE` and `WFI`.
const SLEEP: [[u8; 2]; 2] = [[0x20, 0xbf], [0x30, 0xbf]];

/// A chip.
#[derive(Debug)]
pub(crate) struct Target {
    name: String,
    image: Option<PathBuf>,
    /// Nothing if QEMU has died.
    machine: Option<Machine>,
    flash: Range<u64>,
    /// The contents of flash at the last reset.
    contents: Vec<u8>,
    breakpoints: Breakpoints,
    registers: Registers,
    is_locked_up: bool,
    fault: Option<Fault>,
    /// The number of starts of code in RAM in this session, shared with the owner of the simulator.
    calls: Arc<AtomicU32>,
}

impl Target {
    /// A chip that runs its image, or is halted with empty flash.
    pub(crate) fn start(options: &Options, calls: Arc<AtomicU32>) -> io::Result<Target> {
        let mut registers = Registers::default();
        registers.reset();
        let mut target = Target {
            name: options.machine.clone(),
            image: options.image.clone(),
            machine: Some(Machine::start(&options.machine, options.image.as_deref())?),
            flash: 0..options.flash,
            contents: Vec::new(),
            breakpoints: Breakpoints::default(),
            registers,
            is_locked_up: false,
            fault: None,
            calls,
        };
        if options.image.is_some() {
            target.reset().map_err(|Refused| io::Error::other("the image cannot be started"))?;
        }
        Ok(target)
    }

    /// A debugger connects; the fault lasts until the next session.
    pub(crate) fn begin_session(&mut self, fault: Option<Fault>) {
        self.fault = fault;
        self.calls.store(0, Ordering::SeqCst);
    }

    /// Whether the connection to the probe is broken.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.fault == Some(Fault::ConnectionLost) && self.calls.load(Ordering::SeqCst) > CALLS
    }

    /// Reads memory or registers.
    pub(crate) fn read(&mut self, address: u64, length: usize) -> Result<Vec<u8>, Refused> {
        if core_debug::BUS.contains(&address) {
            return self.read_registers(address, length);
        }
        let is_in_flash = self.flash.contains(&address);
        if is_in_flash && self.fault == Some(Fault::ReadProtected) {
            return Err(Refused);
        }
        let mut bytes = self.paused(|machine| machine.read(address, length))?.ok_or(Refused)?;
        let broken = BROKEN_BYTE.checked_sub(address).and_then(|offset| bytes.get_mut(offset as usize));
        if let (true, Some(Fault::VerifyMismatch), Some(byte)) = (is_in_flash, self.fault, broken) {
            *byte ^= 1;
        }
        Ok(bytes)
    }

    /// Writes memory or registers. The debugger's writes to flash have no effect.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Refused> {
        if core_debug::BUS.contains(&address) {
            let words = (address..).step_by(4).zip(bytes.as_chunks::<4>().0);
            return words
                .into_iter()
                .try_for_each(|(address, word)| self.set_register(address, u32::from_le_bytes(*word)));
        }
        if self.flash.contains(&address) {
            return Ok(());
        }
        if !self.paused(|machine| machine.write(address, bytes))? {
            return Err(Refused);
        }
        // A partly written halfword is read again as a whole.
        let start = address & !1;
        let length = (bytes.len() + (address - start) as usize).next_multiple_of(2);
        if let Some(bytes) = self.paused(|machine| machine.read(start, length))? {
            self.breakpoints.scan(start, &bytes);
        }
        Ok(())
    }

    /// The reset line was asserted, and is released.
    pub(crate) fn reset(&mut self) -> Result<(), Refused> {
        match &mut self.machine {
            Some(_) => {
                self.on_machine(|machine| machine.stop())?;
                self.on_machine(|machine| machine.reset())?;
            }
            None => self.restart()?,
        }
        self.is_locked_up = false;
        self.registers.reset();
        let (start, length) = (self.flash.start, (self.flash.end - self.flash.start) as usize);
        self.contents = self.on_machine(|machine| machine.read(start, length))?.ok_or(Refused)?;
        self.breakpoints.scan(start, &self.contents);
        if self.registers.demcr & VC_CORERESET != 0 && self.registers.is_debugging() {
            self.registers.dfsr |= Dfsr::VCATCH;
            self.registers.control |= Dhcsr::C_HALT;
            return Ok(());
        }
        self.resume()
    }

    fn read_registers(&mut self, address: u64, length: usize) -> Result<Vec<u8>, Refused> {
        let start = address & !3;
        let skipped = (address - start) as usize;
        let mut bytes = Vec::new();
        for word in (start..).step_by(4).take((skipped + length).div_ceil(4)) {
            bytes.extend(self.register(word)?.to_le_bytes());
        }
        Ok(bytes.into_iter().skip(skipped).take(length).collect())
    }

    fn register(&mut self, address: u64) -> Result<u32, Refused> {
        match address {
            DHCSR => Ok(self.status().bits()),
            DCRSR => Ok(0),
            DCRDR => Ok(self.registers.dcrdr),
            DEMCR => Ok(self.registers.demcr),
            DFSR => Ok(self.registers.dfsr.bits()),
            FP_CTRL => Ok(self.registers.fp_ctrl()),
            CPUID if self.fault == Some(Fault::WrongChip) => Ok(OTHER_CPUID),
            DWT_CTRL => Ok(WATCHPOINTS),
            watch if DWT.contains(&watch) => Ok(self.registers.watch_register(watch)),
            comparator if FP_COMP.contains(&comparator) => {
                Ok(self.registers.comparator(comparator).map_or(0, |comparator| *comparator))
            }
            unit if core_debug::EMPTY.iter().any(|unit_addresses| unit_addresses.contains(&unit)) => Ok(0),
            other => {
                let bytes = self.paused(|machine| machine.read(other, 4))?.ok_or(Refused)?;
                bytes.first_chunk().map(|word| u32::from_le_bytes(*word)).ok_or(Refused)
            }
        }
    }

    /// Writes to other registers are ignored.
    fn set_register(&mut self, address: u64, value: u32) -> Result<(), Refused> {
        match address {
            DHCSR if value >> 16 == DHCSR_KEY => {
                return self.control(Dhcsr::from_bits_truncate(value) & Dhcsr::CONTROL);
            }
            AIRCR if value & RESET_MASK == RESET_REQUEST => return self.reset(),
            DCRSR => return self.transfer(value),
            DCRDR => self.registers.dcrdr = value,
            DEMCR => self.registers.demcr = value,
            DFSR => self.registers.dfsr.remove(Dfsr::from_bits_truncate(value)),
            FP_CTRL => self.registers.set_fp_ctrl(value),
            watch if DWT.contains(&watch) => {
                self.registers.watch_slot(watch).into_iter().for_each(|slot| *slot = value);
            }
            other => {
                if let Some(comparator) = self.registers.comparator(other) {
                    *comparator = value;
                }
            }
        }
        Ok(())
    }

    /// Reads DHCSR.
    fn status(&mut self) -> Dhcsr {
        self.look();
        let mut status = self.registers.control | Dhcsr::S_REGRDY | Dhcsr::S_RETIRE_ST;
        if self.is_locked_up {
            status |= Dhcsr::S_LOCKUP;
        } else if self.machine.as_ref().is_some_and(|machine| !machine.is_running()) {
            status |= Dhcsr::S_HALT;
        }
        if std::mem::take(&mut self.registers.was_reset) {
            status |= Dhcsr::S_RESET_ST;
        }
        status
    }

    /// Checks whether the processor has stopped by itself.
    fn look(&mut self) {
        // The loss of QEMU is recorded as well.
        if let Ok(Some(stop)) = self.on_machine(|machine| machine.stopped()) {
            self.note(stop);
        }
    }

    fn note(&mut self, stop: Stop) {
        match stop {
            Stop::Asked => self.registers.dfsr |= Dfsr::HALTED,
            Stop::Breakpoint if self.registers.is_debugging() => {
                self.registers.dfsr |= Dfsr::BKPT;
                self.registers.control |= Dhcsr::C_HALT;
            }
            Stop::Access(address) => {
                self.registers.note_access(address);
                self.registers.dfsr |= Dfsr::DWTTRAP;
                self.registers.control |= Dhcsr::C_HALT;
            }
            // It was set when the debugger was still there.
            Stop::Breakpoint => {}
        }
    }

    /// Writes DHCSR.
    fn control(&mut self, control: Dhcsr) -> Result<(), Refused> {
        self.look();
        let was_debugging = self.registers.is_debugging();
        self.registers.control = control;
        let is_wanted_halted = control.contains(Dhcsr::C_HALT);
        if self.is_locked_up {
            if is_wanted_halted {
                if self.machine.is_none() {
                    self.restart()?;
                }
                self.is_locked_up = false;
                self.registers.dfsr |= Dfsr::HALTED;
            }
            return Ok(());
        }
        let is_running = self.machine.as_ref().is_some_and(Machine::is_running);
        match (is_running, is_wanted_halted) {
            // Without a debugger the instruction is a fault.
            (true, false) if was_debugging && !self.registers.is_debugging() => {
                self.on_machine(|machine| machine.stop())?;
                self.resume()
            }
            (true, true) => {
                let stop = self.on_machine(|machine| machine.stop())?;
                stop.into_iter().for_each(|stop| self.note(stop));
                Ok(())
            }
            (false, false) if control.contains(Dhcsr::C_STEP) => self.step(),
            (false, false) => self.resume(),
            (true, false) | (false, true) => Ok(()),
        }
    }

    /// Writes DCRSR: transfers a register of the halted processor to or from DCRDR.
    fn transfer(&mut self, selection: u32) -> Result<(), Refused> {
        self.look();
        if self.is_locked_up || self.machine.as_ref().is_none_or(Machine::is_running) {
            return Ok(());
        }
        let register = qemu_register(selection);
        let value = self.registers.dcrdr;
        match (register, selection & REGWNR != 0) {
            // The low bit of a code address marks Thumb, and is not part of it.
            (Some((PC, _)), true) => self.on_machine(|machine| machine.set_register(PC, value & !1)),
            (Some((register, word)), true) => self.on_machine(|machine| machine.set_part(register, word, value)),
            (Some((register, word)), false) => {
                self.registers.dcrdr = self.on_machine(|machine| machine.part(register, word))?;
                Ok(())
            }
            (None, true) => Ok(()),
            (None, false) => {
                self.registers.dcrdr = 0;
                Ok(())
            }
        }
    }

    fn step(&mut self) -> Result<(), Refused> {
        let pc = u64::from(self.on_machine(|machine| machine.register(PC))?);
        if !self.can_run(pc)? {
            self.is_locked_up = true;
            return Ok(());
        }
        if self.breakpoints.holds(pc) {
            self.registers.dfsr |= Dfsr::BKPT;
        } else if self.is_sleep(pc)? {
            // A debugger wakes a processor, but not QEMU's, which would never return from the step.
            self.on_machine(|machine| machine.set_register(PC, pc as u32 + 2))?;
        } else if !self.is_sleep(pc.wrapping_sub(2))? {
            self.set_breakpoints()?;
            self.on_machine(|machine| machine.step())?;
        }
        self.registers.dfsr |= Dfsr::HALTED;
        self.registers.control |= Dhcsr::C_HALT;
        Ok(())
    }

    /// Whether the instruction at an address waits for an interrupt.
    fn is_sleep(&mut self, address: u64) -> Result<bool, Refused> {
        let instruction = self.on_machine(|machine| machine.read(address, 2))?;
        Ok(instruction.is_some_and(|bytes| SLEEP.iter().any(|sleep| *sleep == *bytes)))
    }

    fn resume(&mut self) -> Result<(), Refused> {
        let pc = u64::from(self.on_machine(|machine| machine.register(PC))?);
        if RAM.contains(&pc) {
            self.calls.fetch_add(1, Ordering::SeqCst);
            if self.fault == Some(Fault::SlowFlash) {
                thread::sleep(LATE);
            }
        }
        let is_locking_up = self.fault == Some(Fault::LockedUp) && self.flash.contains(&pc);
        if is_locking_up || !self.can_run(pc)? {
            self.is_locked_up = true;
            return Ok(());
        }
        self.set_breakpoints()?;
        self.on_machine(|machine| machine.resume())
    }

    /// Whether there can be code at an address: not in unmapped memory, and not in empty flash.
    fn can_run(&mut self, pc: u64) -> Result<bool, Refused> {
        let (pc_word, vectors) = (pc & !3, self.flash.start);
        let Some(word) = self.on_machine(|machine| machine.read(pc_word, 4))? else { return Ok(false) };
        if !self.flash.contains(&pc) {
            return Ok(RAM.contains(&pc));
        }
        let stack = self.on_machine(|machine| machine.read(vectors, 4))?.unwrap_or_default();
        let is_empty = |word: &[u8]| word == [0; 4] || word == [0xff; 4];
        Ok(!is_empty(&stack) && word != [0xff; 4])
    }

    fn set_breakpoints(&mut self) -> Result<(), Refused> {
        let (is_debugging, compared) = (self.registers.is_debugging(), self.registers.compared());
        let watched = self.registers.watched().collect();
        let breakpoints = &mut self.breakpoints;
        let set = self.machine.as_mut().map(|machine| {
            breakpoints.watch(machine, watched)?;
            breakpoints.set(machine, is_debugging, compared)
        });
        match set {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.lost()),
        }
    }

    /// Restarts QEMU with the contents of flash.
    fn restart(&mut self) -> Result<(), Refused> {
        self.breakpoints.forget();
        self.machine = Machine::start(&self.name, self.image.as_deref()).ok();
        let (start, contents) = (self.flash.start, std::mem::take(&mut self.contents));
        let written = self.on_machine(|machine| machine.write(start, &contents));
        self.contents = contents;
        // The processor reads its vectors on reset.
        written.and_then(|_| self.on_machine(|machine| machine.reset()))
    }

    /// Does something while the machine is stopped, and resumes it if it was running.
    fn paused<T>(&mut self, work: impl FnOnce(&mut Machine) -> io::Result<T>) -> Result<T, Refused> {
        let stop = self.on_machine(|machine| machine.stop())?;
        if let Some(stop @ (Stop::Breakpoint | Stop::Access(_))) = stop {
            self.note(stop);
        }
        let result = self.on_machine(work)?;
        if stop == Some(Stop::Asked) {
            self.on_machine(|machine| machine.resume())?;
        }
        Ok(result)
    }

    fn on_machine<T>(&mut self, work: impl FnOnce(&mut Machine) -> io::Result<T>) -> Result<T, Refused> {
        match self.machine.as_mut().map(work) {
            Some(Ok(result)) => Ok(result),
            Some(Err(_)) | None => Err(self.lost()),
        }
    }

    /// Handles the loss of QEMU.
    fn lost(&mut self) -> Refused {
        self.machine = None;
        self.is_locked_up = true;
        Refused
    }
}
