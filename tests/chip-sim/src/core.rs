//! The Armv6-M core: registers, exceptions, sleep (Armv6-M Architecture Reference Manual, B1).

use crate::{
    Ending,
    bus::{Bus, BusFault},
    interrupts::{COUNT, NMI},
};

/// Why an instruction does not continue with the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    Sleep(Sleep),
    Ends(Ending),
    Fault,
}

/// What ends a sleep: `wfi` waits for an interrupt, masked or not, and `wfe` for an event, such as an interrupt that is handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sleep {
    Interrupt,
    Event,
}

impl From<BusFault> for Stop {
    fn from(_: BusFault) -> Stop {
        Stop::Fault
    }
}

pub(crate) const SP: usize = 13;
pub(crate) const LR: usize = 14;
pub(crate) const PC: usize = 15;

/// The value of `lr` in a handler, except for its low bits, which say what was interrupted.
const RETURN: u32 = 0xffff_fff0;
const TO_THREAD: u32 = 0x9;
const TO_HANDLER: u32 = 0x1;

#[derive(Default)]
pub(crate) struct Core {
    pub(crate) registers: [u32; 16],
    pub(crate) negative: bool,
    pub(crate) zero: bool,
    pub(crate) carry: bool,
    pub(crate) overflow: bool,
    pub(crate) masked: bool,
    /// An event has happened since the last wait for one (B1.5.18).
    pub(crate) event: bool,
    asleep: Option<Sleep>,
}

impl Core {
    pub(crate) fn reset(bus: &mut Bus) -> Core {
        let mut core = Core::default();
        core.registers[SP] = bus.peek(bus.vectors, 4).unwrap_or(0);
        core.registers[PC] = bus.peek(bus.vectors + 4, 4).unwrap_or(0) & !1;
        core
    }

    /// Runs a number of instructions, or until a time.
    pub(crate) fn run(&mut self, bus: &mut Bus, instructions: u64, until: Option<u64>) -> Ending {
        let mut left = instructions;
        while left > 0 && until.is_none_or(|until| bus.now() < until) {
            if bus.has_error() && bus.interrupts.current() != NMI && self.enter(bus, NMI).is_err() {
                return Ending::Fault(self.registers[PC]);
            }
            if !self.masked
                && bus.interrupts.pending != 0
                && let Some(number) = bus.interrupts.next()
                && self.enter(bus, number).is_err()
            {
                return Ending::Fault(self.registers[PC]);
            }
            self.wake(bus);
            if self.asleep.is_some() {
                if !bus.sleep(until) {
                    return Ending::Asleep;
                }
            } else {
                left -= 1;
                let place = self.registers[PC];
                let step = self.step(bus);
                bus.tick();
                match step {
                    Ok(()) => {}
                    Err(Stop::Sleep(sleep)) => self.asleep = Some(sleep),
                    Err(Stop::Ends(ending)) => return bus.ending().unwrap_or(ending),
                    Err(Stop::Fault) => return bus.ending().unwrap_or(Ending::Fault(place)),
                }
            }
            if let Some(ending) = bus.ending() {
                return ending;
            }
        }
        Ending::Running
    }

    /// Ends the sleep if there is what it waits for.
    fn wake(&mut self, bus: &Bus) {
        let wakes = match self.asleep {
            None => return,
            Some(Sleep::Interrupt) => bus.interrupts.next().is_some(),
            Some(Sleep::Event) => std::mem::take(&mut self.event),
        };
        if wakes {
            self.asleep = None;
        }
    }

    pub(crate) fn status(&self) -> u32 {
        u32::from(self.negative) << 31
            | u32::from(self.zero) << 30
            | u32::from(self.carry) << 29
            | u32::from(self.overflow) << 28
    }

    pub(crate) fn set_status(&mut self, status: u32) {
        [self.negative, self.zero, self.carry, self.overflow] = [31, 30, 29, 28].map(|bit| status & 1 << bit != 0);
    }

    /// Enters an exception: saves the registers that the calling convention lets a function change.
    fn enter(&mut self, bus: &mut Bus, number: u32) -> Result<(), BusFault> {
        let unaligned = self.registers[SP] & 4;
        let frame = (self.registers[SP] - 32) & !7;
        let status = self.status() | bus.interrupts.current() | unaligned << 7;
        let [r0, r1, r2, r3] = [0, 1, 2, 3].map(|index| self.registers[index]);
        let saved = [r0, r1, r2, r3, self.registers[12], self.registers[LR], self.registers[PC], status];
        for (index, value) in saved.into_iter().enumerate() {
            bus.write(frame + index as u32 * 4, 4, value)?;
        }
        let back = if bus.interrupts.current() == 0 { TO_THREAD } else { TO_HANDLER };
        bus.interrupts.enter(number);
        self.registers[SP] = frame;
        self.registers[LR] = RETURN | back;
        self.registers[PC] = bus.read(bus.vectors + number * 4, 4)? & !1;
        self.event = true;
        self.asleep = None;
        debug_assert!(number < COUNT);
        Ok(())
    }

    /// Branches to an address; in a handler, some values request an exception return.
    pub(crate) fn branch(&mut self, bus: &mut Bus, to: u32) -> Result<(), Stop> {
        let handling = bus.interrupts.current() != 0;
        if !handling || to & RETURN != RETURN {
            self.registers[PC] = to & !1;
            return if to & 1 == 1 { Ok(()) } else { Err(Stop::Fault) };
        }
        let frame = self.registers[SP];
        for (index, register) in [0, 1, 2, 3, 12, LR, PC].into_iter().enumerate() {
            self.registers[register] = bus.read(frame + index as u32 * 4, 4)?;
        }
        let status = bus.read(frame + 28, 4)?;
        self.set_status(status);
        self.registers[SP] = frame + 32 + (status >> 7 & 4);
        bus.leave_handler();
        self.event = true;
        Ok(())
    }
}
