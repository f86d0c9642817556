//! A program that GDB debugs: controlling the processor, and inspecting its state.
//!
//! Invariants: while the processor is halted, it is not at the breakpoint where the console becomes ready, so that it
//! can step and continue; semihosting calls are answered before the processor continues after them.

use super::{
    Debugged,
    architecture::{self, Extensions, REGISTERS, Register},
    memory,
    watchpoints::{Watchpoint, Watchpoints},
};
use crate::{
    Begin, Console,
    connection::HALTING,
    rtt::RttConsole,
    semihosting::{self, Answer},
};
use probe_rs::{
    BreakpointCause, Core, CoreStatus, CoreType, Error, HaltReason, MemoryInterface, RegisterId, config::MemoryRegion,
    semihosting::SemihostingCommand,
};
use std::{collections::BTreeSet, ops::Range};

/// `BKPT 0xAB`, a semihosting call.
const CALL: u16 = 0xbeab;

/// The Debug Halting Control and Status Register, and the value that makes the processor run under a debugger.
const DHCSR: u64 = 0xe000_edf0;
const RUN: u32 = 0xa05f_0001;

const PROGRAM_COUNTER: RegisterId = RegisterId(15);

/// The register that contains `CONTROL`, `FAULTMASK`, `BASEPRI` and `PRIMASK`, each a byte.
const MASKS: RegisterId = RegisterId(20);

/// A program that is debugged.
pub(super) struct Debuggee<'d, 'p> {
    core: Core<'p>,
    console: &'d mut dyn Console,
    debugged: Debugged,
    rtt: Option<RttConsole>,
    /// The address where the processor stops so that the RTT channels are served from their first byte.
    ready: Option<u64>,
    /// The breakpoints of GDB.
    breakpoints: BTreeSet<u64>,
    watchpoints: Watchpoints,
    /// The result of the last step.
    stepped: Option<Stop>,
    /// The description of the registers for GDB.
    pub(super) description: String,
    /// The memory map for GDB.
    pub(super) memory_map: String,
}

/// Why a program is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// A breakpoint.
    Trap,
    /// An access to watched memory.
    Watched(Watchpoint),
    /// It executed one instruction.
    Stepped,
    /// GDB interrupted it.
    Interrupted,
    /// A fault in a fault handler.
    LockedUp,
    /// It exited with a status.
    Exited(u8),
}

/// The result of polling the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// It is stopped.
    Stopped(Stop),
    /// It made a request that was served.
    Served,
    /// It is running.
    Nothing,
}

impl<'d, 'p> Debuggee<'d, 'p> {
    pub(super) fn new(
        mut core: Core<'p>,
        debugged: Debugged,
        console: &'d mut dyn Console,
    ) -> Result<Debuggee<'d, 'p>, Error> {
        let extensions = Extensions { priorities: core.core_type() != CoreType::Armv6m, floats: core.fpu_support()? };
        let flash = core.memory_regions().filter_map(MemoryRegion::as_nvm_region).map(|region| region.range.clone());
        let memory_map = memory::map(flash);
        Ok(Debuggee {
            core,
            console,
            debugged,
            rtt: None,
            ready: None,
            breakpoints: BTreeSet::new(),
            watchpoints: Watchpoints::default(),
            stepped: None,
            description: architecture::description(extensions),
            memory_map,
        })
    }

    /// Stops the program at the point where GDB takes over. Holds afterwards: the processor is halted.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        match self.debugged.begin {
            Begin::Reset => self.reset(),
            Begin::Here => {
                self.rtt = self.debugged.rtt.map(RttConsole::at);
                if !self.core.core_halted()? {
                    self.core.halt(HALTING)?;
                }
                Ok(())
            }
        }
    }

    /// Whether the user interrupts the run.
    pub(super) fn is_interrupted(&mut self) -> bool {
        self.console.is_interrupted()
    }

    /// Resets the chip. Holds afterwards: the processor has not executed anything.
    pub(super) fn reset(&mut self) -> Result<(), Error> {
        self.core.reset_and_halt(HALTING)?;
        for address in self.breakpoints.clone() {
            self.core.set_hw_breakpoint(address)?;
        }
        self.watchpoints.restore(&mut self.core)?;
        self.rtt = self.debugged.rtt.map(RttConsole::at);
        if let Some(rtt) = &self.rtt {
            rtt.clear(&mut self.core)?;
            // Without a breakpoint for this address, output that overflows the channels is lost.
            let ready = self.debugged.ready;
            self.ready = ready.filter(|ready| self.core.set_hw_breakpoint(*ready).is_ok());
        }
        Ok(())
    }

    /// Ends debugging.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        if let Some(rtt) = &mut self.rtt {
            rtt.leave(&mut self.core);
        }
        self.watchpoints.clear(&mut self.core)?;
        self.core.clear_all_hw_breakpoints()
    }

    /// Resumes the program.
    pub(super) fn resume(&mut self) -> Result<(), Error> {
        // A call is answered when the processor is polled next.
        if self.call()?.is_some() { Ok(()) } else { self.core.run() }
    }

    /// Executes one instruction; a semihosting call counts as one.
    pub(super) fn step(&mut self) -> Result<(), Error> {
        let stop = match self.call()? {
            Some(call) => match self.answer(call)? {
                Answer::Exit(status) => Stop::Exited(status),
                // Without input it does not advance.
                Answer::Wait => Stop::Stepped,
                Answer::Done => self.stepped()?,
            },
            None => self.stepped()?,
        };
        self.stepped = Some(stop);
        Ok(())
    }

    fn stepped(&mut self) -> Result<Stop, Error> {
        self.core.step()?;
        Ok(Stop::Stepped)
    }

    /// Interrupts the program.
    pub(super) fn interrupt(&mut self) -> Result<(), Error> {
        self.core.halt(HALTING)?;
        self.settle().map(drop)
    }

    /// Polls a program that is running for GDB.
    pub(super) fn look(&mut self) -> Result<Look, Error> {
        if let Some(stop) = self.stepped.take() {
            self.settle()?;
            return Ok(Look::Stopped(stop));
        }
        let status = self.core.status()?;
        // Output that was written before the processor stopped comes first.
        let has_output = self.rtt.as_mut().is_some_and(|rtt| rtt.serve(&mut self.core, self.console));
        match status {
            CoreStatus::Running | CoreStatus::Sleeping | CoreStatus::Unknown if has_output => Ok(Look::Served),
            CoreStatus::Running | CoreStatus::Sleeping | CoreStatus::Unknown => Ok(Look::Nothing),
            CoreStatus::LockedUp => {
                self.core.halt(HALTING)?;
                self.console.notice("the processor locked up: a fault while handling a fault");
                Ok(Look::Stopped(Stop::LockedUp))
            }
            CoreStatus::Halted(HaltReason::Breakpoint(BreakpointCause::Semihosting(call))) => {
                match self.answer(call)? {
                    Answer::Wait => Ok(Look::Nothing),
                    Answer::Exit(status) => Ok(Look::Stopped(Stop::Exited(status))),
                    Answer::Done => {
                        self.core.run()?;
                        Ok(Look::Served)
                    }
                }
            }
            CoreStatus::Halted(_) if self.settle()? => {
                self.core.run()?;
                Ok(Look::Served)
            }
            CoreStatus::Halted(_) => {
                let watched = self.watchpoints.matched(&mut self.core)?;
                Ok(Look::Stopped(watched.map_or(Stop::Trap, Stop::Watched)))
            }
        }
    }

    /// Answers a call. After the last one the program sleeps; at the call it would fault once the probe is gone.
    fn answer(&mut self, call: SemihostingCommand) -> Result<Answer, Error> {
        let answer = semihosting::serve(call, &mut self.core, self.console)?;
        if let Answer::Exit(_) = answer {
            self.core.run()?;
        }
        Ok(answer)
    }

    /// The call at which the processor is halted. It must be executed: its registers are read only then, and only once.
    fn call(&mut self) -> Result<Option<SemihostingCommand>, Error> {
        let known = self.core.status()?;
        if let CoreStatus::Halted(HaltReason::Breakpoint(BreakpointCause::Semihosting(call))) = known {
            return Ok(Some(call));
        }
        let place: u32 = self.core.read_core_reg(PROGRAM_COUNTER)?;
        let mut instruction = [0; 2];
        // Unreadable memory contains no call.
        let is_read = self.core.read(u64::from(place), &mut instruction).is_ok();
        if !is_read || u16::from_le_bytes(instruction) != CALL {
            return Ok(None);
        }
        self.core.write_word_32(DHCSR, RUN)?;
        self.core.wait_for_core_halted(HALTING)?;
        match self.core.status()? {
            CoreStatus::Halted(HaltReason::Breakpoint(BreakpointCause::Semihosting(call))) => Ok(Some(call)),
            CoreStatus::Halted(_)
            | CoreStatus::Running
            | CoreStatus::Sleeping
            | CoreStatus::LockedUp
            | CoreStatus::Unknown => Ok(None),
        }
    }

    /// Handles the breakpoint where the console becomes ready; returns whether the processor stopped only for that.
    fn settle(&mut self) -> Result<bool, Error> {
        let place: u32 = self.core.read_core_reg(PROGRAM_COUNTER)?;
        let Some(ready) = self.ready.take_if(|ready| *ready == u64::from(place)) else { return Ok(false) };
        if let Some(rtt) = &mut self.rtt {
            rtt.attach(&mut self.core);
        }
        if self.breakpoints.contains(&ready) {
            return Ok(false);
        }
        self.core.clear_hw_breakpoint(ready)?;
        Ok(true)
    }

    /// Adds a breakpoint at an address; returns whether the processor supports it.
    pub(super) fn add_breakpoint(&mut self, address: u64) -> bool {
        let mut is_set = self.ready == Some(address) || self.core.set_hw_breakpoint(address).is_ok();
        if let (false, Some(ready)) = (is_set, self.ready) {
            // GDB's breakpoints take precedence over the first bytes of the console.
            self.ready = None;
            is_set = self.core.clear_hw_breakpoint(ready).is_ok() && self.core.set_hw_breakpoint(address).is_ok();
        }
        if is_set {
            self.breakpoints.insert(address);
        }
        is_set
    }

    /// Removes a breakpoint; returns whether it existed.
    pub(super) fn remove_breakpoint(&mut self, address: u64) -> Result<bool, Error> {
        if !self.breakpoints.remove(&address) {
            return Ok(false);
        }
        if self.ready != Some(address) {
            self.core.clear_hw_breakpoint(address)?;
        }
        Ok(true)
    }

    /// Adds a watchpoint, which stops the program after accesses to memory; returns whether the processor supports it.
    pub(super) fn add_watchpoint(&mut self, wanted: Watchpoint) -> Result<bool, Error> {
        self.watchpoints.add(&mut self.core, wanted)
    }

    /// Removes a watchpoint; returns whether it existed.
    pub(super) fn remove_watchpoint(&mut self, watched: Watchpoint) -> Result<bool, Error> {
        self.watchpoints.remove(&mut self.core, watched)
    }

    pub(super) fn registers(&mut self) -> Result<[u32; REGISTERS], Error> {
        let mut registers = [0; REGISTERS];
        for (number, register) in (0..).zip(&mut registers) {
            *register = self.core.read_core_reg(RegisterId(number))?;
        }
        Ok(registers)
    }

    /// Writes the registers that change.
    pub(super) fn set_registers(&mut self, wanted: &[u32; REGISTERS]) -> Result<(), Error> {
        let known = self.registers()?;
        for ((number, wanted), known) in (0..).zip(wanted).zip(known) {
            if *wanted != known {
                self.core.write_core_reg(RegisterId(number), *wanted)?;
            }
        }
        Ok(())
    }

    /// The content of a register, in little-endian order.
    pub(super) fn register(&mut self, register: Register) -> Result<Vec<u8>, Error> {
        match register {
            Register::Word(number) => self.word(number),
            Register::Mask(mask) => Ok(vec![self.core.read_core_reg::<u32>(MASKS)?.to_le_bytes()[mask]]),
            Register::Double(number) => Ok([self.word(number)?, self.word(number + 1)?].concat()),
        }
    }

    fn word(&mut self, number: u16) -> Result<Vec<u8>, Error> {
        Ok(self.core.read_core_reg::<u32>(RegisterId(number))?.to_le_bytes().to_vec())
    }

    /// Writes a register, in little-endian order.
    pub(super) fn set_register(&mut self, register: Register, bytes: &[u8]) -> Result<(), Error> {
        let first = match register {
            Register::Word(number) | Register::Double(number) => number,
            Register::Mask(mask) => {
                let mut masks = self.core.read_core_reg::<u32>(MASKS)?.to_le_bytes();
                bytes.iter().take(1).for_each(|byte| masks[mask] = *byte);
                return self.core.write_core_reg(MASKS, u32::from_le_bytes(masks));
            }
        };
        for (number, word) in (first..).zip(bytes.as_chunks::<4>().0) {
            self.core.write_core_reg(RegisterId(number), u32::from_le_bytes(*word))?;
        }
        Ok(())
    }

    /// Reads memory; returns `false` if it is not readable.
    pub(super) fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<bool, Error> {
        let result = self.core.read(address, bytes);
        self.succeeded(result)
    }

    /// Writes memory; returns `false` if it is not writable. Flash is programmed, not written.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<bool, Error> {
        let end = address.saturating_add(bytes.len() as u64);
        let is_hit = |range: &Range<u64>| range.start < end && address < range.end;
        let is_flash = |region: &MemoryRegion| region.as_nvm_region().is_some_and(|region| is_hit(&region.range));
        if self.core.memory_regions().any(is_flash) {
            return Ok(false);
        }
        let result = self.core.write(address, bytes);
        self.succeeded(result)
    }

    /// Returns `false` for an error if the chip still answers: then only this operation failed.
    fn succeeded(&mut self, result: Result<(), Error>) -> Result<bool, Error> {
        match result {
            Ok(()) => Ok(true),
            Err(error) => self.core.status().map_or(Err(error), |_| Ok(false)),
        }
    }
}
