//! The channels with which buses and serial lines access memory by themselves (DMA), while the core does something else. They follow from
//! the chip and the device.

use crate::{Address, Board, RpBus, Spi, SpiPins, Stm32Bus, Stm32BusModel, Stm32Uart, Stm32UartModel, Uart};

/// The controllers whose channels devices use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dma {
    /// That of STM32F1: each request has its channel (RM0008, chapter 13).
    Stm32F1,
    /// That of STM32F2 and STM32F4: each stream has eight requests (RM0090, chapter 10).
    Stm32F4,
    /// That of STM32L5: each channel has any request (RM0438, chapters 16 and 17).
    Stm32L5,
    /// That of the RP2040: the same (RP2040 data sheet, 2.5).
    Rp2040,
    /// That of the RP2350: the same (RP2350 data sheet, 12.6).
    Rp2350,
}

/// A channel for one direction of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Its number from 0; on an STM32 the second controller begins at 8.
    pub number: u32,
    /// The request of the device; an STM32F1 has no choice, and ignores it.
    pub request: u32,
    /// The interrupt at the end of a transfer.
    pub interrupt: u32,
}

/// The channels of an SPI bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpiChannels {
    /// Copies what is received.
    pub receive: Channel,
    /// Copies what is sent.
    pub send: Channel,
}

impl Dma {
    /// The controllers of a board, if devices use their channels.
    pub fn of(board: &Board) -> Option<Dma> {
        let chip = board.chip.as_deref().unwrap_or_default().to_ascii_lowercase();
        let families = [
            ("stm32f10", Dma::Stm32F1),
            ("stm32f2", Dma::Stm32F4),
            ("stm32f4", Dma::Stm32F4),
            ("stm32l5", Dma::Stm32L5),
            ("rp2040", Dma::Rp2040),
            ("rp23", Dma::Rp2350),
        ];
        families.into_iter().find(|(prefix, _)| chip.starts_with(prefix)).map(|(_, dma)| dma)
    }

    /// The channels of the SPI buses of a board, in their order: those of all, or none.
    pub fn of_spi(self, board: &Board) -> Option<Vec<SpiChannels>> {
        let channels = board.spi.values().enumerate().map(|(index, bus)| self.spi(board, index as u32, bus));
        let channels: Vec<SpiChannels> = channels.collect::<Option<_>>()?;
        let is_handled = |found: &SpiChannels| board.handles(found.receive.interrupt);
        channels.iter().all(is_handled).then_some(channels)
    }

    /// The channels with which the serial lines of a board send, in their order: those of all, or none. An SPI bus may need one itself.
    pub fn of_lines(self, board: &Board) -> Option<Vec<Channel>> {
        let channels = board.serial_lines().enumerate().map(|(index, (_, line))| self.line(index as u32, &line));
        let channels: Vec<Channel> = channels.collect::<Option<_>>()?;
        let of_spi = self.of_spi(board).unwrap_or_default();
        let is_free = |number: u32| of_spi.iter().all(|bus| bus.receive.number != number && bus.send.number != number);
        let fits = |channel: &Channel| board.handles(channel.interrupt) && is_free(channel.number);
        channels.iter().all(fits).then_some(channels)
    }

    /// The channels with which the serial lines of a board receive, in their order: those of all, or none. Buses and lines that send come first.
    pub fn of_readers(self, board: &Board) -> Option<Vec<Channel>> {
        let buses = self.of_spi(board).unwrap_or_default();
        let mut taken: Vec<u32> = buses.iter().flat_map(|bus| [bus.receive.number, bus.send.number]).collect();
        taken.extend(self.of_lines(board)?.iter().map(|channel| channel.number));
        let mut channels = Vec::new();
        for (index, (_, line)) in board.serial_lines().enumerate() {
            let is_free = |channel: &Channel| board.handles(channel.interrupt) && !taken.contains(&channel.number);
            let channel = self.reader(index as u32, &line).into_iter().find(is_free)?;
            taken.push(channel.number);
            channels.push(channel);
        }
        Some(channels)
    }

    /// A channel by its number.
    fn channel(self, number: u32, request: u32) -> Channel {
        let interrupt = match self {
            // RM0008, table 63: both controllers, of which the first has seven channels.
            Dma::Stm32F1 if number < 8 => 11 + number,
            Dma::Stm32F1 => 56 + number - 8,
            // RM0090, table 62.
            Dma::Stm32F4 => match number {
                0..7 => 11 + number,
                7 => 47,
                8..13 => 56 + number - 8,
                _ => 68 + number - 13,
            },
            // RM0438, "Interrupt and exception vectors".
            Dma::Stm32L5 if number < 8 => 29 + number,
            Dma::Stm32L5 => 80 + number - 8,
            // Of the interrupts that any channel has, the first is that of SPI buses, and the second that of serial lines (RP2040 data sheet,
            // 2.3.2; RP2350 data sheet, 3.2).
            Dma::Rp2040 => 11 + u32::from(number >= 4),
            Dma::Rp2350 => 10 + u32::from(number >= 4),
        };
        Channel { number, request, interrupt }
    }

    /// The channels of an SPI bus with an index among those of the board.
    fn spi(self, board: &Board, index: u32, bus: &Spi) -> Option<SpiChannels> {
        let pair = |receive: (u32, u32), send: (u32, u32)| {
            Some(SpiChannels { receive: self.channel(receive.0, receive.1), send: self.channel(send.0, send.1) })
        };
        match (self, bus) {
            (Dma::Stm32F1, Spi::Stm32(Stm32Bus { model: Stm32BusModel::F1, base, .. })) => match base {
                // RM0008, tables 78 and 79.
                Address(0x4001_3000) => pair((1, 0), (2, 0)),
                Address(0x4000_3800) => pair((3, 0), (4, 0)),
                Address(0x4000_3c00) => pair((8, 0), (9, 0)),
                Address(_) => None,
            },
            (Dma::Stm32F4, Spi::Stm32(Stm32Bus { model: Stm32BusModel::F4, base, .. })) => match base {
                // RM0090, tables 43 and 44; RM0383, table 28. No two controllers have the same stream.
                Address(0x4001_3000) if board.has_first_usart() => pair((8, 3), (8 + 5, 3)),
                Address(0x4001_3000) => pair((8 + 2, 3), (8 + 5, 3)),
                Address(0x4000_3800) => pair((3, 0), (4, 0)),
                Address(0x4000_3c00) => pair((0, 0), (5, 0)),
                Address(0x4001_3400) => pair((8, 4), (8 + 1, 4)),
                Address(0x4001_5000) => pair((8 + 3, 2), (8 + 4, 2)),
                Address(_) => None,
            },
            (Dma::Stm32L5, Spi::Stm32(Stm32Bus { model: Stm32BusModel::L5, base, .. })) => {
                // RM0438, "DMAMUX: assignment of multiplexer inputs to resources".
                let request = match base {
                    Address(0x4001_3000) => 11,
                    Address(0x4000_3800) => 13,
                    Address(0x4000_3c00) => 15,
                    Address(_) => return None,
                };
                pair((2 * index, request), (2 * index + 1, request + 1))
            }
            // RP2040 data sheet, table 120; RP2350 data sheet, table 1102. The sender's request is before the receiver's.
            (Dma::Rp2040, Spi::Rp2040(bus)) => self.rp_spi(index, 16, bus),
            (Dma::Rp2350, Spi::Rp2350(bus)) => self.rp_spi(index, 24, bus),
            (Dma::Stm32F1 | Dma::Stm32F4 | Dma::Stm32L5 | Dma::Rp2040 | Dma::Rp2350, _) => None,
        }
    }

    fn rp_spi(self, index: u32, first: u32, bus: &RpBus<SpiPins>) -> Option<SpiChannels> {
        let request = first + 2 * bus.number()?;
        let receive = self.channel(2 * index, request + 1);
        Some(SpiChannels { receive, send: self.channel(2 * index + 1, request) })
    }

    /// The channel with which a serial line sends, which has an index among those of the board.
    fn line(self, index: u32, line: &Uart) -> Option<Channel> {
        match (self, line) {
            // RM0008, tables 78 and 79.
            (Dma::Stm32F1, Uart::Stm32(Stm32Uart { model: Stm32UartModel::F1, base, .. })) => match base {
                Address(0x4001_3800) => Some(self.channel(3, 0)),
                Address(0x4000_4400) => Some(self.channel(6, 0)),
                Address(0x4000_4800) => Some(self.channel(1, 0)),
                Address(_) => None,
            },
            // RM0090, tables 43 and 44.
            (Dma::Stm32F4, Uart::Stm32(Stm32Uart { model: Stm32UartModel::F4, base, .. })) => match base {
                Address(0x4001_1000) => Some(self.channel(8 + 7, 4)),
                Address(0x4000_4400) => Some(self.channel(6, 4)),
                Address(0x4000_4800) => Some(self.channel(3, 4)),
                Address(0x4000_4c00) => Some(self.channel(4, 4)),
                Address(0x4000_5000) => Some(self.channel(7, 4)),
                Address(0x4001_1400) => Some(self.channel(8 + 6, 5)),
                Address(_) => None,
            },
            // The second controller, whose channels no bus has.
            (Dma::Stm32L5, Uart::Stm32(Stm32Uart { model: Stm32UartModel::L5 | Stm32UartModel::Lpuart, base, .. })) => {
                let request = match base {
                    Address(0x4001_3800) => 26,
                    Address(0x4000_4400) => 28,
                    Address(0x4000_4800) => 30,
                    Address(0x4000_4c00) => 32,
                    Address(0x4000_5000) => 34,
                    Address(0x4000_8000) => 36,
                    Address(_) => return None,
                };
                (index < 8).then(|| self.channel(8 + index, request))
            }
            // After the channels of the buses.
            (Dma::Rp2040, Uart::Rp2040(uart)) => Some(self.channel(4 + index, 20 + 2 * uart.number()?)),
            (Dma::Rp2350, Uart::Rp2350(uart)) => Some(self.channel(4 + index, 28 + 2 * uart.number()?)),
            (Dma::Stm32F1 | Dma::Stm32F4 | Dma::Stm32L5 | Dma::Rp2040 | Dma::Rp2350, _) => None,
        }
    }

    /// The channels with which a serial line may receive, the best one first. The request of a receiver is one apart from that of the sender.
    fn reader(self, index: u32, line: &Uart) -> Vec<Channel> {
        let of =
            |numbers: &[(u32, u32)]| numbers.iter().map(|(number, request)| self.channel(*number, *request)).collect();
        let beside = |number: u32, request: fn(u32) -> u32| {
            let sender = self.line(index, line);
            sender.map(|sender| self.channel(number, request(sender.request))).into_iter().collect()
        };
        match (self, line) {
            // RM0008, tables 78 and 79.
            (Dma::Stm32F1, Uart::Stm32(uart)) => match uart.base {
                Address(0x4001_3800) => of(&[(4, 0)]),
                Address(0x4000_4400) => of(&[(5, 0)]),
                Address(0x4000_4800) => of(&[(2, 0)]),
                Address(_) => Vec::new(),
            },
            // RM0090, tables 42 and 43.
            (Dma::Stm32F4, Uart::Stm32(uart)) => match uart.base {
                Address(0x4001_1000) => of(&[(8 + 2, 4), (8 + 5, 4)]),
                Address(0x4000_4400) => of(&[(5, 4)]),
                Address(0x4000_4800) => of(&[(1, 4)]),
                Address(0x4000_4c00) => of(&[(2, 4)]),
                Address(0x4000_5000) => of(&[(0, 4)]),
                Address(0x4001_1400) => of(&[(8 + 1, 5), (8 + 2, 5)]),
                Address(_) => Vec::new(),
            },
            // From the last channel on.
            (Dma::Stm32L5, Uart::Stm32(_)) if index < 8 => beside(15 - index, |request| request - 1),
            // After the channels of the lines that send.
            (Dma::Rp2040, Uart::Rp2040(_)) | (Dma::Rp2350, Uart::Rp2350(_)) => beside(6 + index, |request| request + 1),
            (Dma::Stm32F1 | Dma::Stm32F4 | Dma::Stm32L5 | Dma::Rp2040 | Dma::Rp2350, _) => Vec::new(),
        }
    }
}

impl Board {
    /// Whether USART1 of an STM32F4 is a line, which receives with the stream 2 or 5 of DMA2, while no other bus needs the stream 0, which SPI1 has
    /// too.
    fn has_first_usart(&self) -> bool {
        let is_free = self.spi.values().all(|bus| bus.base() != Some(Address(0x4001_3400)));
        is_free && self.serial_lines().any(|(_, line)| line.base() == Address(0x4001_1000))
    }

    /// Whether programs can handle an interrupt.
    fn handles(&self, interrupt: u32) -> bool {
        self.interrupt_count().is_some_and(|count| interrupt < count)
    }
}
