//! The library sources for the buses of a board: a driver for the kind in its descriptor, the parameters of each bus, and the modules
//! `I2c` and `I2cBus`, `Spi` and `SpiBus` above it.

use crate::{
    Source,
    lines::{self, Handles, Told, address, bits, has_ports, hertz, number, pin, pin_if_any},
};
use clef_descriptors::{Address, Board, Dma, I2c, I2cPins, RpBus, Spi, SpiChannels, SpiPins, Stm32Bus, Stm32BusModel};
use std::fmt::Write as _;

/// The I2C buses by name.
const I2C_BUSES: Handles<'static> = Handles {
    source: "library/i2c_buses.clef",
    module: "I2cBus",
    what: "I2C buses",
    noun: "bus",
    functions: "I2c",
    handle: "Bus",
};

/// The SPI buses by name.
const SPI_BUSES: Handles<'static> = Handles {
    source: "library/spi_buses.clef",
    module: "SpiBus",
    what: "SPI buses",
    noun: "bus",
    functions: "Spi",
    handle: "Bus",
};

/// The sources for the buses of a board, in order.
pub(crate) fn sources(board: &Board) -> Vec<Source> {
    let mut sources = Vec::new();
    if let Some(first) = board.i2c.values().next() {
        sources.push(Source::new("library/i2c_error.clef", include_str!("../clef/devices/i2c_error.clef")));
        sources.extend(i2c_driver(first, has_ports(board)));
        sources.push(Source::new("library/i2c.clef", include_str!("../clef/devices/i2c.clef")));
        sources.push(I2C_BUSES.source(board.i2c.iter().map(|(name, bus)| (name.as_str(), registers(bus.base())))));
    }
    if let Some(first) = board.spi.values().next() {
        sources.extend(spi_driver(first, has_ports(board), Background::of(board).is_some()));
        let mut spi = include_str!("../clef/devices/spi.clef").to_owned();
        if board.gpio.is_some() {
            spi.push_str(include_str!("../clef/devices/spi_select.clef"));
        }
        if !matches!(first, Spi::NrfDma { .. }) {
            let arrays = include_str!("../clef/devices/spi_arrays.clef");
            sources.push(Source::new("library/spi_arrays.clef", arrays));
        }
        if let Some(background) = Background::of(board) {
            sources.push(background.transfers());
            let transfers = include_str!("../clef/devices/spi_transfers.clef");
            sources.push(Source::new("library/spi_transfers.clef", transfers));
            sources.push(Source::new("library/spi_handlers.clef", background.handlers(board)));
            spi.push_str(include_str!("../clef/devices/spi_background.clef"));
        }
        sources.push(Source::new("library/spi.clef", spi));
        sources.push(SPI_BUSES.source(board.spi.iter().map(|(name, bus)| (name.as_str(), registers(bus.base())))));
    }
    sources
}

/// The first register of a bus; zero for one that consists of pins, which has none.
fn registers(base: Option<Address>) -> u64 {
    base.map_or(0, |base| base.0)
}

/// The driver of the buses; ports of the System Design Kit, if the board has any, connect the pins of `sbcon`.
fn i2c_driver(bus: &I2c, has_ports: bool) -> Vec<Source> {
    const SBCON: (&str, &str) = ("library/i2c_lines_sbcon.clef", include_str!("../clef/devices/i2c_lines_sbcon.clef"));
    const BITS: (&str, &str) = ("library/i2c_bits.clef", include_str!("../clef/devices/i2c_bits.clef"));
    const LINES: (&str, &str) = ("library/i2c_lines_gpio.clef", include_str!("../clef/devices/i2c_lines_gpio.clef"));
    const CLEAR: (&str, &str) = ("library/i2c_clear.clef", include_str!("../clef/devices/i2c_clear.clef"));
    const STEPS: (&str, &str) = ("library/i2c_stm32_v1.clef", include_str!("../clef/devices/i2c_stm32_v1.clef"));
    const PARTS: (&str, &str) = ("library/i2c_stm32_v2.clef", include_str!("../clef/devices/i2c_stm32_v2.clef"));
    const STM32: (&str, &str) = ("library/i2c_stm32_pins.clef", include_str!("../clef/devices/i2c_stm32_pins.clef"));
    const STM32_F1: (&str, &str) = ("library/i2c_stm32_f1.clef", include_str!("../clef/devices/i2c_stm32_f1.clef"));
    let files: &[(&'static str, &str)] = match bus {
        I2c::Gpio(_) => &[LINES, BITS],
        I2c::Sbcon { .. } if has_ports => {
            &[("library/i2c_cmsdk.clef", include_str!("../clef/devices/i2c_cmsdk.clef")), SBCON, BITS]
        }
        I2c::Sbcon { .. } => &[("library/i2c_bare.clef", include_str!("../clef/devices/i2c_bare.clef")), SBCON, BITS],
        I2c::Stellaris { .. } => &[("library/i2c_stellaris.clef", include_str!("../clef/devices/i2c_stellaris.clef"))],
        I2c::Nrf { .. } => &[("library/i2c_nrf.clef", include_str!("../clef/devices/i2c_nrf.clef"))],
        I2c::NrfDma { .. } => {
            &[LINES, CLEAR, ("library/i2c_nrf_dma.clef", include_str!("../clef/devices/i2c_nrf_dma.clef"))]
        }
        I2c::Kl25 { .. } => &[LINES, CLEAR, ("library/i2c_kl25.clef", include_str!("../clef/devices/i2c_kl25.clef"))],
        I2c::Rp2040(_) | I2c::Rp2350(_) => {
            &[LINES, CLEAR, ("library/i2c_rp.clef", include_str!("../clef/devices/i2c_rp.clef"))]
        }
        I2c::Stm32(Stm32Bus { model: Stm32BusModel::F1, .. }) => &[LINES, CLEAR, STM32_F1, STEPS],
        I2c::Stm32(Stm32Bus { model: Stm32BusModel::F4, .. }) => &[LINES, CLEAR, STM32, STEPS],
        I2c::Stm32(Stm32Bus { model: Stm32BusModel::L5, .. }) => &[LINES, CLEAR, STM32, PARTS],
    };
    files.iter().map(|(name, text)| Source::new(name, *text)).collect()
}

/// How the SPI buses of a board transfer while the program does something else.
enum Background {
    /// The controllers access memory by themselves.
    Own,
    /// By channels of a DMA controller.
    Channels(Dma, Vec<SpiChannels>),
}

impl Background {
    fn of(board: &Board) -> Option<Background> {
        if board.spi.values().next()?.has_dma() {
            return Some(Background::Own);
        }
        let dma = Dma::of(board)?;
        Some(Background::Channels(dma, dma.of_spi(board)?))
    }

    /// The module of what transfers require of the controllers.
    fn transfers(&self) -> Source {
        let text = match self {
            Background::Own => include_str!("../clef/devices/spi_dma_nrf.clef"),
            Background::Channels(..) => include_str!("../clef/devices/spi_dma_channels.clef"),
        };
        Source::new("library/spi_dma.clef", text)
    }

    /// The module that installs the handler of a bus, each under a number that is a constant. On an RP2040 or RP2350, all buses have the same
    /// interrupt.
    fn handlers(&self, board: &Board) -> String {
        let handle =
            |(index, bus): (usize, &Spi)| format!("SpiBackground.handle {index} {:#x}un", registers(bus.base()));
        let calls: Vec<String> = board.spi.values().enumerate().map(handle).collect();
        let on = |interrupt: u32, call: &str| format!("Interrupt.on {interrupt} (fun () -> {call})");
        let installed: Vec<String> = match self {
            Background::Own => {
                let interrupts = board.spi.values().map(|bus| bus.interrupt().unwrap_or_default());
                interrupts.zip(&calls).map(|(interrupt, call)| on(interrupt, call)).collect()
            }
            Background::Channels(Dma::Rp2040 | Dma::Rp2350, channels) => {
                channels.iter().map(|bus| on(bus.receive.interrupt, &calls.join("; "))).collect()
            }
            Background::Channels(Dma::Stm32F1 | Dma::Stm32F4 | Dma::Stm32L5, channels) => {
                channels.iter().zip(&calls).map(|(bus, call)| on(bus.receive.interrupt, call)).collect()
            }
        };
        let mut text = String::from(
            "/// The interrupts of the SPI buses.\nmodule internal SpiHandlers =\n    /// Installs the handler of a bus.\n    \
             let install (bus: int) : unit =\n        match bus with\n",
        );
        text.push_str(&lines::cases(installed.iter()));
        text
    }

    /// The parameters of the channels of each bus.
    fn told(&self) -> Vec<Vec<Told>> {
        let Background::Channels(_, channels) = self else { return Vec::new() };
        let of = |bus: &SpiChannels| {
            vec![
                number("spiReceiveChannel", bus.receive.number),
                bits("spiReceiveRequest", u64::from(bus.receive.request)),
                number("spiSendChannel", bus.send.number),
                bits("spiSendRequest", u64::from(bus.send.request)),
            ]
        };
        channels.iter().map(of).collect()
    }
}

/// The driver of the buses; with DMA by the channels of a controller, it knows whether a transfer in the background goes on. Ports of the
/// System Design Kit, if the board has any, connect the pins of a `pl022`.
fn spi_driver(bus: &Spi, has_ports: bool, has_dma: bool) -> Vec<Source> {
    const PL022: (&str, &str) = ("library/spi_pl022.clef", include_str!("../clef/devices/spi_pl022.clef"));
    const STM32: (&str, &str) = ("library/spi_stm32.clef", include_str!("../clef/devices/spi_stm32.clef"));
    let files: &[(&'static str, &str)] = match bus {
        Spi::Gpio(_) => &[("library/spi_gpio.clef", include_str!("../clef/devices/spi_gpio.clef"))],
        Spi::Pl022 { .. } if has_ports => {
            &[("library/spi_cmsdk.clef", include_str!("../clef/devices/spi_cmsdk.clef")), PL022]
        }
        Spi::Pl022 { .. } => &[("library/spi_bare.clef", include_str!("../clef/devices/spi_bare.clef")), PL022],
        Spi::Nrf { .. } => &[("library/spi_nrf.clef", include_str!("../clef/devices/spi_nrf.clef"))],
        Spi::NrfDma { .. } => &[("library/spi_nrf_dma.clef", include_str!("../clef/devices/spi_nrf_dma.clef"))],
        Spi::Stm32(Stm32Bus { model: Stm32BusModel::F1, .. }) => {
            &[("library/spi_stm32_f1.clef", include_str!("../clef/devices/spi_stm32_f1.clef")), STM32]
        }
        Spi::Stm32(_) => &[("library/spi_stm32_pins.clef", include_str!("../clef/devices/spi_stm32_pins.clef")), STM32],
        Spi::Rp2040(_) | Spi::Rp2350(_) => {
            &[("library/spi_rp.clef", include_str!("../clef/devices/spi_rp.clef")), PL022]
        }
        Spi::Stellaris { .. } => {
            &[("library/spi_stellaris.clef", include_str!("../clef/devices/spi_stellaris.clef")), PL022]
        }
    };
    let requests = match bus {
        Spi::Gpio(_) | Spi::Nrf { .. } | Spi::NrfDma { .. } => None,
        Spi::Stm32(_) if has_dma => Some(include_str!("../clef/devices/spi_requests_stm32.clef")),
        Spi::Rp2040(_) | Spi::Rp2350(_) if has_dma => Some(include_str!("../clef/devices/spi_requests_rp.clef")),
        Spi::Stm32(_) | Spi::Rp2040(_) | Spi::Rp2350(_) | Spi::Pl022 { .. } | Spi::Stellaris { .. } => {
            Some(include_str!("../clef/devices/spi_requests_none.clef"))
        }
    };
    let requests = requests.map(|text| Source::new("library/spi_requests.clef", text));
    requests.into_iter().chain(files.iter().map(|(name, text)| Source::new(name, *text))).collect()
}

/// The parameters of the buses for their drivers.
pub(crate) fn told(board: &Board) -> String {
    let core = board.clock.map_or(0, |clock| clock.0);
    let mut text = String::new();
    let mut tell = |name: &str, what: &str, value: String| {
        let _ = writeln!(text, "\n    /// {what}\n    let {name} = {value}");
    };
    if !board.i2c.is_empty() || !board.spi.is_empty() {
        tell("busCore", "The frequency of the core.", format!("{core}u"));
    }
    if !board.i2c.is_empty() {
        tell("i2cCount", "The number of I2C buses.", board.i2c.len().to_string());
        // A loop that polls takes at least four cycles of the core, so 25 ms are this many of them: the time after which a device gives up
        // (System Management Bus Specification 3.2, 4.2.5).
        tell("i2cPatience", "How often a loop polls a bus until it gives up.", (core / 160).max(1).to_string());
    }
    if matches!(board.i2c.values().next(), Some(I2c::NrfDma { .. })) {
        // The memory is static if its size is a constant.
        let size = 1028 * board.i2c.len();
        tell("i2cBlocks", "The bytes of the blocks of all I2C buses: 1028 for each.", size.to_string());
    }
    if !board.spi.is_empty() {
        tell("spiCount", "The number of SPI buses.", board.spi.len().to_string());
    }
    text.push_str(&lines::told("bus", &board.i2c.values().map(told_of_i2c).collect::<Vec<_>>()));
    text.push_str(&lines::told("bus", &board.spi.values().map(told_of_spi).collect::<Vec<_>>()));
    text.push_str(&lines::told("bus", &Background::of(board).map_or_else(Vec::new, |background| background.told())));
    text
}

/// The parameters of an SPI bus; buses of one kind have the same ones.
fn told_of_spi(bus: &Spi) -> Vec<Told> {
    let clock = bus.clock().map(|clock| hertz("spiClock", clock.0));
    let mut told: Vec<Told> = clock.into_iter().collect();
    match bus {
        Spi::Gpio(pins) | Spi::Nrf { pins, .. } | Spi::NrfDma { pins, .. } => told.extend(told_of_spi_pins(pins)),
        Spi::Pl022 { pins, .. } => {
            told.extend(pin_if_any(["spiClockPort", "spiClockPin"], pins.map(|pins| pins.sck)));
            told.extend(pin_if_any(["spiSendPort", "spiSendPin"], pins.map(|pins| pins.mosi)));
            told.extend(pin_if_any(["spiReceivePort", "spiReceivePin"], pins.map(|pins| pins.miso)));
        }
        Spi::Stellaris { .. } => {}
        Spi::Stm32(spi) => {
            told.extend([address("spiEnable", spi.enable.0), number("spiEnableBit", spi.bit)]);
            told.extend([number("spiBytes", u32::from(spi.model == Stm32BusModel::L5))]);
            told.push(bits("spiFunction", u64::from(spi.function)));
            if spi.model == Stm32BusModel::F1 {
                let SpiPins { sck, mosi, miso } = spi.pins;
                told.extend(lines::map(["spiMapBits", "spiMap"], spi.base, &[sck, mosi, miso]));
            }
            told.extend(told_of_spi_pins(&spi.pins));
        }
        // The bits of the controllers in RESETS (RP2040 data sheet, 2.14.3; RP2350 data sheet, 7.5.3).
        Spi::Rp2040(spi) => told.extend(told_of_rp_spi(16, spi)),
        Spi::Rp2350(spi) => told.extend(told_of_rp_spi(18, spi)),
    }
    told
}

fn told_of_rp_spi(first_reset: u32, spi: &RpBus<SpiPins>) -> Vec<Told> {
    let mut told = vec![bits("resetsOfSpi", 1 << (first_reset + spi.number().unwrap_or(0)))];
    told.extend(told_of_spi_pins(&spi.pins));
    told
}

fn told_of_spi_pins(pins: &SpiPins) -> impl Iterator<Item = Told> {
    let clock = pin(["spiClockPort", "spiClockPin"], pins.sck);
    let send = pin(["spiSendPort", "spiSendPin"], pins.mosi);
    clock.into_iter().chain(send).chain(pin(["spiReceivePort", "spiReceivePin"], pins.miso))
}

/// The parameters of an I2C bus; buses of one kind have the same ones.
fn told_of_i2c(bus: &I2c) -> Vec<Told> {
    let clock = bus.clock().map(|clock| hertz("i2cClock", clock.0));
    let mut told: Vec<Told> = clock.into_iter().collect();
    match bus {
        I2c::Gpio(pins) | I2c::Nrf { pins, .. } | I2c::NrfDma { pins, .. } => told.extend(told_of_i2c_pins(pins)),
        I2c::Kl25 { pins, .. } => told.extend(told_of_kl25(pins)),
        I2c::Stm32(i2c) => {
            told.extend([address("i2cEnable", i2c.enable.0), number("i2cEnableBit", i2c.bit)]);
            told.push(bits("i2cFunction", u64::from(i2c.function)));
            if i2c.model == Stm32BusModel::F1 {
                told.extend(lines::map(["i2cMapBits", "i2cMap"], i2c.base, &[i2c.pins.scl, i2c.pins.sda]));
            }
            told.extend(told_of_i2c_pins(&i2c.pins));
        }
        // The bits of the controllers in RESETS (RP2040 data sheet, 2.14.3; RP2350 data sheet, 7.5.3).
        I2c::Rp2040(i2c) => told.extend(told_of_rp_i2c(3, i2c)),
        I2c::Rp2350(i2c) => told.extend(told_of_rp_i2c(4, i2c)),
        I2c::Sbcon { pins, .. } => {
            told.extend(pin_if_any(["i2cClockPort", "i2cClockPin"], pins.map(|pins| pins.scl)));
            told.extend(pin_if_any(["i2cDataPort", "i2cDataPin"], pins.map(|pins| pins.sda)));
        }
        I2c::Stellaris { number, .. } => told.extend(told_of_stellaris(*number)),
    }
    told
}

/// The bit of a controller of a KL25 in SIM_SCGC4 (KL25 Sub-Family Reference Manual, 12.2), and the functions of its pins.
fn told_of_kl25(pins: &I2cPins) -> Vec<Told> {
    // The schema has accepted the pins.
    let [clock, data] = pins.functions_of_kl25().unwrap_or_default();
    let mut told = vec![bits("i2cGate", 1 << (6 + pins.of_kl25().unwrap_or(0)))];
    told.extend([bits("i2cClockFunction", u64::from(clock)), bits("i2cDataFunction", u64::from(data))]);
    told.extend(told_of_i2c_pins(pins));
    told
}

fn told_of_rp_i2c(first_reset: u32, i2c: &RpBus<I2cPins>) -> Vec<Told> {
    let mut told = vec![bits("resetsOfI2c", 1 << (first_reset + i2c.number().unwrap_or(0)))];
    told.extend(told_of_i2c_pins(&i2c.pins));
    told
}

fn told_of_i2c_pins(pins: &I2cPins) -> impl Iterator<Item = Told> {
    let clock = pin(["i2cClockPort", "i2cClockPin"], pins.scl);
    clock.into_iter().chain(pin(["i2cDataPort", "i2cDataPin"], pins.sda))
}

/// The bit of the controller and that of its port in the registers that enable clocks, the port, and the bits of its pins: PB2 and PB3, or
/// PA6 and PA7 (LM3S6965 data sheet, 5.5 and 19.4).
fn told_of_stellaris(number: u32) -> [Told; 4] {
    let (bit, port, address_of_port, pins) = match number {
        0 => (12, 1, 0x4000_5000, 0b1100),
        _ => (14, 0, 0x4000_4000, 0b1100_0000),
    };
    [
        bits("i2cBit", 1 << bit),
        bits("i2cPortBit", 1 << port),
        address("i2cPort", address_of_port),
        bits("i2cPins", pins),
    ]
}
