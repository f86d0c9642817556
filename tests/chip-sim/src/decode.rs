//! The instructions of Armv6-M (Armv6-M Architecture Reference Manual, A5 and A6).

use crate::{
    bus::Bus,
    core::{Core, LR, PC, SP, Sleep, Stop},
    semihosting,
};

/// A bit field of an instruction, from its lowest bit.
fn field(instruction: u32, low: u32, count: u32) -> u32 {
    instruction >> low & ((1 << count) - 1)
}

fn register(instruction: u32, low: u32) -> usize {
    field(instruction, low, 3) as usize
}

/// Sign-extends a number of this many bits.
fn signed(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)).cast_signed() >> (32 - bits)).cast_unsigned()
}

impl Core {
    /// Executes one instruction.
    pub(crate) fn step(&mut self, bus: &mut Bus) -> Result<(), Stop> {
        let place = self.registers[PC];
        if let Some(result) = bus.call_rom(place, &self.registers) {
            // A function may change the registers that the calling convention lets it change.
            self.registers[..4].copy_from_slice(&[result, !0, !0, !0]);
            return self.branch(bus, self.registers[LR]);
        }
        let i = bus.read(place, 2)?;
        self.registers[PC] = place.wrapping_add(2);
        match i >> 11 {
            0b00000..=0b00011 => self.shift_or_add(i),
            0b00100..=0b00111 => self.immediate(i),
            0b01000 if i >> 10 == 0b010000 => self.data(i),
            0b01000 => return self.high_registers(bus, i, place),
            0b01001 => {
                let base = place.wrapping_add(4) & !3;
                self.registers[register(i, 8)] = bus.read(base + field(i, 0, 8) * 4, 4)?;
            }
            0b01010 | 0b01011 => self.by_register(bus, i)?,
            0b01100..=0b10001 => self.by_offset(bus, i)?,
            0b10010 | 0b10011 => {
                let address = self.registers[SP].wrapping_add(field(i, 0, 8) * 4);
                self.transfer(bus, i >> 11 & 1 == 1, register(i, 8), address, 4)?;
            }
            0b10100 => self.registers[register(i, 8)] = (place.wrapping_add(4) & !3) + field(i, 0, 8) * 4,
            0b10101 => self.registers[register(i, 8)] = self.registers[SP].wrapping_add(field(i, 0, 8) * 4),
            0b10110 | 0b10111 => return self.miscellaneous(bus, i),
            0b11000 | 0b11001 => self.multiple(bus, i)?,
            0b11010 | 0b11011 => return self.conditional_branch(i, place),
            0b11100 => self.registers[PC] = place.wrapping_add(4).wrapping_add(signed(field(i, 0, 11) << 1, 12)),
            _ => return self.wide(bus, i, place),
        }
        Ok(())
    }

    fn set(&mut self, to: usize, value: u32) {
        self.registers[to] = value;
        self.flags(value);
    }

    fn flags(&mut self, value: u32) {
        self.negative = value >> 31 == 1;
        self.zero = value == 0;
    }

    /// Adds with a carry; a subtraction adds the complement.
    fn add(&mut self, a: u32, b: u32, carry: bool) -> u32 {
        let wide = u64::from(a) + u64::from(b) + u64::from(carry);
        let result = wide as u32;
        self.carry = wide >> 32 != 0;
        self.overflow = (a ^ result) & (b ^ result) & 1 << 31 != 0;
        self.flags(result);
        result
    }

    fn shift_or_add(&mut self, i: u32) {
        let (to, a) = (register(i, 0), self.registers[register(i, 3)]);
        let amount = field(i, 6, 5);
        match i >> 11 {
            0b00000 if amount == 0 => self.set(to, a),
            0b00000 => {
                self.carry = a >> (32 - amount) & 1 == 1;
                self.set(to, a << amount);
            }
            0b00001 => self.shift_right(to, a, if amount == 0 { 32 } else { amount }, false),
            0b00010 => self.shift_right(to, a, if amount == 0 { 32 } else { amount }, true),
            _ => {
                let operand = field(i, 6, 3);
                let b = if i >> 10 & 1 == 1 { operand } else { self.registers[operand as usize] };
                self.registers[to] = if i >> 9 & 1 == 1 { self.add(a, !b, true) } else { self.add(a, b, false) };
            }
        }
    }

    fn shift_right(&mut self, to: usize, value: u32, amount: u32, arithmetic: bool) {
        let wide = if arithmetic { i64::from(value.cast_signed()) } else { i64::from(value) };
        if amount > 0 {
            self.carry = wide >> (amount - 1).min(62) & 1 == 1;
        }
        self.set(to, (wide >> amount.min(63)) as u32);
    }

    fn immediate(&mut self, i: u32) {
        let (to, b) = (register(i, 8), field(i, 0, 8));
        let a = self.registers[to];
        match i >> 11 & 3 {
            0 => self.set(to, b),
            1 => {
                self.add(a, !b, true);
            }
            2 => self.registers[to] = self.add(a, b, false),
            _ => self.registers[to] = self.add(a, !b, true),
        }
    }

    fn data(&mut self, i: u32) {
        let (to, b) = (register(i, 0), self.registers[register(i, 3)]);
        let a = self.registers[to];
        let amount = b & 0xff;
        match field(i, 6, 4) {
            0x0 => self.set(to, a & b),
            0x1 => self.set(to, a ^ b),
            0x2 => {
                let wide = u64::from(a) << amount.min(63);
                if amount > 0 {
                    self.carry = amount <= 32 && wide >> 32 & 1 == 1;
                }
                self.set(to, wide as u32);
            }
            0x3 => self.shift_right(to, a, amount, false),
            0x4 => self.shift_right(to, a, amount, true),
            0x5 => self.registers[to] = self.add(a, b, self.carry),
            0x6 => self.registers[to] = self.add(a, !b, self.carry),
            0x7 => {
                let result = a.rotate_right(amount % 32);
                if amount > 0 {
                    self.carry = result >> 31 == 1;
                }
                self.set(to, result);
            }
            0x8 => self.flags(a & b),
            0x9 => self.registers[to] = self.add(!b, 0, true),
            0xa => {
                self.add(a, !b, true);
            }
            0xb => {
                self.add(a, b, false);
            }
            0xc => self.set(to, a | b),
            0xd => self.set(to, a.wrapping_mul(b)),
            0xe => self.set(to, a & !b),
            _ => self.set(to, !b),
        }
    }

    /// Reads a register that may be the program counter, which is ahead.
    fn any(&self, number: usize, place: u32) -> u32 {
        if number == PC { place.wrapping_add(4) } else { self.registers[number] }
    }

    fn high_registers(&mut self, bus: &mut Bus, i: u32, place: u32) -> Result<(), Stop> {
        let to = (field(i, 0, 3) | field(i, 7, 1) << 3) as usize;
        let b = self.any(field(i, 3, 4) as usize, place);
        match field(i, 8, 2) {
            0 => self.set_any(to, self.any(to, place).wrapping_add(b)),
            1 => {
                self.add(self.any(to, place), !b, true);
            }
            2 => self.set_any(to, b),
            _ => {
                if i >> 7 & 1 == 1 {
                    self.registers[LR] = place.wrapping_add(2) | 1;
                }
                return self.branch(bus, b);
            }
        }
        Ok(())
    }

    fn set_any(&mut self, to: usize, value: u32) {
        self.registers[to] = match to {
            PC => value & !1,
            SP => value & !3,
            _ => value,
        };
    }

    fn transfer(&mut self, bus: &mut Bus, loads: bool, register: usize, address: u32, size: usize) -> Result<(), Stop> {
        if loads {
            self.registers[register] = bus.read(address, size)?;
        } else {
            bus.write(address, size, self.registers[register])?;
        }
        Ok(())
    }

    fn by_register(&mut self, bus: &mut Bus, i: u32) -> Result<(), Stop> {
        let address = self.registers[register(i, 3)].wrapping_add(self.registers[register(i, 6)]);
        let to = register(i, 0);
        match field(i, 9, 3) {
            0 => self.transfer(bus, false, to, address, 4)?,
            1 => self.transfer(bus, false, to, address, 2)?,
            2 => self.transfer(bus, false, to, address, 1)?,
            3 => self.registers[to] = signed(bus.read(address, 1)?, 8),
            4 => self.transfer(bus, true, to, address, 4)?,
            5 => self.transfer(bus, true, to, address, 2)?,
            6 => self.transfer(bus, true, to, address, 1)?,
            _ => self.registers[to] = signed(bus.read(address, 2)?, 16),
        }
        Ok(())
    }

    fn by_offset(&mut self, bus: &mut Bus, i: u32) -> Result<(), Stop> {
        let size = match i >> 12 {
            0b0110 => 4,
            0b0111 => 1,
            _ => 2,
        };
        let address = self.registers[register(i, 3)].wrapping_add(field(i, 6, 5) * size);
        self.transfer(bus, i >> 11 & 1 == 1, register(i, 0), address, size as usize)
    }

    fn miscellaneous(&mut self, bus: &mut Bus, i: u32) -> Result<(), Stop> {
        let (to, b) = (register(i, 0), self.registers[register(i, 3)]);
        match i >> 6 & 0x3f {
            0b000000 | 0b000001 => self.registers[SP] = self.registers[SP].wrapping_add(field(i, 0, 7) * 4),
            0b000010 | 0b000011 => self.registers[SP] = self.registers[SP].wrapping_sub(field(i, 0, 7) * 4),
            0b001000 => self.registers[to] = signed(b & 0xffff, 16),
            0b001001 => self.registers[to] = signed(b & 0xff, 8),
            0b001010 => self.registers[to] = b & 0xffff,
            0b001011 => self.registers[to] = b & 0xff,
            0b010000..=0b010111 => self.push(bus, i)?,
            0b011001 => self.masked = i >> 4 & 1 == 1,
            0b101000 => self.registers[to] = b.swap_bytes(),
            0b101001 => self.registers[to] = b.swap_bytes().rotate_left(16),
            0b101011 => self.registers[to] = signed(b.swap_bytes() >> 16, 16),
            0b110000..=0b110111 => return self.pop(bus, i),
            0b111000..=0b111011 if i & 0xff == 0xab => {
                let result = semihosting::call(bus, self.registers[0], self.registers[1]);
                self.registers[0] = result.map_err(Stop::Ends)?;
            }
            // Hints: 2 is `wfe`, 3 is `wfi`, and 4 is `sev`.
            0b111100..=0b111111 if i & 0xff == 0x20 => return Err(Stop::Sleep(Sleep::Event)),
            0b111100..=0b111111 if i & 0xff == 0x30 => return Err(Stop::Sleep(Sleep::Interrupt)),
            0b111100..=0b111111 if i & 0xff == 0x40 => self.event = true,
            0b111100..=0b111111 if i & 0xf == 0 => {}
            _ => return Err(Stop::Fault),
        }
        Ok(())
    }

    fn push(&mut self, bus: &mut Bus, i: u32) -> Result<(), Stop> {
        let link = (i >> 8 & 1 == 1).then_some(LR);
        for register in link.into_iter().chain((0..8).rev().filter(|bit| i >> bit & 1 == 1)) {
            self.registers[SP] = self.registers[SP].wrapping_sub(4);
            bus.write(self.registers[SP], 4, self.registers[register])?;
        }
        Ok(())
    }

    fn pop(&mut self, bus: &mut Bus, i: u32) -> Result<(), Stop> {
        let mut next = |core: &mut Core| {
            let value = bus.read(core.registers[SP], 4);
            core.registers[SP] = core.registers[SP].wrapping_add(4);
            value
        };
        for register in (0..8).filter(|bit| i >> bit & 1 == 1) {
            self.registers[register] = next(self)?;
        }
        if i >> 8 & 1 == 0 {
            return Ok(());
        }
        let to = next(self)?;
        self.branch(bus, to)
    }

    fn multiple(&mut self, bus: &mut Bus, i: u32) -> Result<(), Stop> {
        let base = register(i, 8);
        let loads = i >> 11 & 1 == 1;
        let mut address = self.registers[base];
        for register in (0..8).filter(|bit| i >> bit & 1 == 1) {
            self.transfer(bus, loads, register, address, 4)?;
            address = address.wrapping_add(4);
        }
        if !loads || i >> base & 1 == 0 {
            self.registers[base] = address;
        }
        Ok(())
    }

    fn conditional_branch(&mut self, i: u32, place: u32) -> Result<(), Stop> {
        let Core { negative, zero, carry, overflow, .. } = *self;
        let holds = match field(i, 9, 3) {
            0 => zero,
            1 => carry,
            2 => negative,
            3 => overflow,
            4 => carry && !zero,
            5 => negative == overflow,
            6 => !zero && negative == overflow,
            _ => return Err(Stop::Fault),
        };
        if holds != (i >> 8 & 1 == 1) {
            self.registers[PC] = place.wrapping_add(4).wrapping_add(signed(field(i, 0, 8) << 1, 9));
        }
        Ok(())
    }

    /// The instructions of 32 bits: calls, barriers, and the special registers.
    fn wide(&mut self, bus: &mut Bus, first: u32, place: u32) -> Result<(), Stop> {
        let second = bus.read(place.wrapping_add(2), 2)?;
        let next = place.wrapping_add(4);
        self.registers[PC] = next;
        if first >> 11 == 0b11110 && second >> 14 == 0b11 && second >> 12 & 1 == 1 {
            let sign = field(first, 10, 1);
            let bit = |at| u32::from(field(second, at, 1) == sign);
            let offset =
                sign << 24 | bit(13) << 23 | bit(11) << 22 | field(first, 0, 10) << 12 | field(second, 0, 11) << 1;
            self.registers[LR] = next | 1;
            self.registers[PC] = next.wrapping_add(signed(offset, 25));
            return Ok(());
        }
        match (first, second >> 12) {
            // Barriers
            (0xf3bf, 8) => {}
            (0xf3ef, 8) => {
                let value = match second & 0xff {
                    5 => bus.interrupts.current(),
                    0x10 => u32::from(self.masked),
                    8 => self.registers[SP],
                    0 | 3 => self.status() | bus.interrupts.current(),
                    _ => 0,
                };
                self.registers[field(second, 8, 4) as usize] = value;
            }
            (0xf380..=0xf38f, 8) => {
                let value = self.registers[field(first, 0, 4) as usize];
                match second & 0xff {
                    0x10 => self.masked = value & 1 == 1,
                    8 => self.registers[SP] = value & !3,
                    0 | 3 => self.set_status(value),
                    _ => {}
                }
            }
            _ => return Err(Stop::Fault),
        }
        Ok(())
    }
}
