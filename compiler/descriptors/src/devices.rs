//! The devices of a board with a driver in the library, and the names of pins.

use crate::Address;
use serde::Serialize;
use std::fmt;

/// The GPIO device of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Gpio {
    /// Nordic's nRF51, nRF52 and nRF91: ports of 32 pins, 0x300 bytes apart.
    Nrf {
        /// The first register of port 0, without the gap before it.
        base: Address,
        /// The pins that its ports have.
        ports: Ports,
    },
    /// One Arm PrimeCell PL061, of eight pins.
    Pl061 {
        /// Its first register.
        base: Address,
        /// The number of its interrupt, if edges are to be watched.
        #[serde(skip_serializing_if = "Option::is_none")]
        interrupt: Option<u32>,
    },
    /// The ports of Stellaris LM3S microcontrollers, each a PL061 with more registers, at fixed addresses.
    Stellaris,
    /// STMicroelectronics' STM32: ports of 16 pins, 0x400 bytes apart.
    Stm32 {
        /// The first register of port A.
        base: Address,
        /// The register that enables the clocks of ports: bit 0 is port A's.
        enable: Address,
        /// The pins that its ports have.
        ports: Ports,
    },
    /// The STM32F1, whose pins four bits of two registers configure.
    Stm32F1 {
        /// The first register of port A.
        base: Address,
        /// The register that enables the clocks of ports: bit 2 is port A's.
        enable: Address,
        /// The pins that its ports have.
        ports: Ports,
    },
    /// Ports of Arm's Cortex-M System Design Kit.
    Cmsdk(CmsdkPorts),
    /// Lights, buttons and the pins of the headers of Arm's MPS2 boards.
    Mps2 {
        /// The first register of the FPGA's I/O, which has the lights and the buttons.
        base: Address,
        /// The ports of the headers.
        expansion: CmsdkPorts,
    },
    /// The pins of Raspberry Pi's RP2040, `GP0` to `GP29`.
    Rp2040,
    /// The same for the RP2350.
    Rp2350,
    /// The pins of NXP's KL25, in its package of 80 pins.
    Kl25,
}

/// Ports of 16 pins of Arm's Cortex-M System Design Kit, 0x1000 bytes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CmsdkPorts {
    /// The first register of the first port.
    pub base: Address,
    /// The pins that they have.
    pub ports: Ports,
    /// The number of the interrupt of each port, if edges are to be watched.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "of_ports")]
    pub interrupts: Option<[Option<u32>; CmsdkPorts::MAX]>,
}

impl CmsdkPorts {
    /// The maximum number of ports.
    pub const MAX: usize = 4;

    /// The number of the interrupt of each port, from the first port on.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.interrupts.into_iter().flatten().flatten()
    }
}

/// The numbers of interrupts, one for each port that there is.
fn of_ports<S: serde::Serializer>(
    interrupts: &Option<[Option<u32>; CmsdkPorts::MAX]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(interrupts.iter().flatten().flatten())
}

/// The pins of ports: bit `n` of entry `p` is pin `n` of port `p`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ports([u32; Ports::MAX]);

impl Ports {
    /// The maximum number of ports of a chip.
    pub const MAX: usize = 12;

    /// The first `count` ports, each with the first `pins` pins.
    pub fn alike(count: usize, pins: u32) -> Ports {
        let mut ports = Ports::default();
        ports.0[..count].fill(u32::MAX >> (32 - pins));
        ports
    }

    /// Sets the pins of a port; false if there is no such port.
    pub fn set(&mut self, port: usize, pins: u32) -> bool {
        self.0.get_mut(port).map(|own| *own = pins).is_some()
    }

    /// Whether the pin exists.
    pub fn has(&self, pin: Pin) -> bool {
        let own = usize::try_from(pin.port).ok().and_then(|port| self.0.get(port));
        own.is_some_and(|own| own.checked_shr(pin.number).is_some_and(|bits| bits & 1 == 1))
    }

    /// The pins of each port that has any, as ranges of numbers.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, Vec<std::ops::RangeInclusive<u32>>)> + '_ {
        (0..).zip(&self.0).filter(|(_, pins)| **pins != 0).map(|(port, pins)| {
            let mut ranges: Vec<std::ops::RangeInclusive<u32>> = Vec::new();
            for number in (0..32).filter(|number| pins >> number & 1 == 1) {
                match ranges.last_mut() {
                    Some(range) if *range.end() + 1 == number => *range = *range.start()..=number,
                    Some(_) | None => ranges.push(number..=number),
                }
            }
            (port, ranges)
        })
    }
}

impl Serialize for Ports {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let last = self.0.iter().rposition(|pins| *pins != 0).map_or(0, |last| last + 1);
        let text = |pins: &u32| {
            let of_one = Ports([*pins, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            let ranges = of_one.ranges().flat_map(|(_, ranges)| ranges);
            ranges.map(|range| shown(&range)).collect::<Vec<_>>().join(", ")
        };
        serializer.collect_seq(self.0[..last].iter().map(text))
    }
}

fn shown(range: &std::ops::RangeInclusive<u32>) -> String {
    match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{}-{}", range.start(), range.end()),
    }
}

/// The pins of the ports A to E (data sheet KL25P80M48SF0, "KL25 Signal Multiplexing and Pin Assignments").
const KL25: Ports = Ports([0x001f_f03f, 0x000f_0f0f, 0x0003_3fff, 0xff, 0xe3f0_003f, 0, 0, 0, 0, 0, 0, 0]);

/// The index of the inputs of an LM3S for its converter, which follow its ports of pins.
pub(crate) const INPUTS_OF_STELLARIS: u32 = 7;

/// The ports A to G, and the inputs ADC0 to ADC3.
const STELLARIS: Ports = Ports([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf, 0, 0, 0, 0]);

/// The index of the lights of an MPS2 board, of its buttons, and of the first port of its headers.
const LIGHTS_OF_MPS2: u32 = 0;
const BUTTONS_OF_MPS2: u32 = 1;
const EXPANSION_OF_MPS2: u32 = 2;

/// The pins of a port of the Cortex-M System Design Kit.
pub(crate) const PINS_OF_CMSDK: u32 = 16;

/// The pins of an MPS2 board: two lights and two buttons before the ports of its headers.
fn of_mps2(expansion: Ports) -> Ports {
    let mut ports = Ports::default();
    ports.0[LIGHTS_OF_MPS2 as usize] = 3;
    ports.0[BUTTONS_OF_MPS2 as usize] = 3;
    ports.0[EXPANSION_OF_MPS2 as usize..][..CmsdkPorts::MAX].copy_from_slice(&expansion.0[..CmsdkPorts::MAX]);
    ports
}

/// The port of an nRF91 in the secure world, without the gap before it (nRF9160 Product Specification, "Instantiation").
const PORT_OF_NRF91: Address = Address(0x5084_2000);

impl Gpio {
    /// The word for its kind in descriptors.
    pub fn kind(&self) -> &'static str {
        match self {
            Gpio::Nrf { .. } => "nrf",
            Gpio::Pl061 { .. } => "pl061",
            Gpio::Stellaris => "stellaris",
            Gpio::Stm32 { .. } => "stm32",
            Gpio::Stm32F1 { .. } => "stm32f1",
            Gpio::Cmsdk(_) => "cmsdk",
            Gpio::Mps2 { .. } => "mps2",
            Gpio::Rp2040 => "rp2040",
            Gpio::Rp2350 => "rp2350",
            Gpio::Kl25 => "kl25",
        }
    }

    /// The existing pins.
    pub fn ports(&self) -> Ports {
        match self {
            Gpio::Nrf { ports, .. } | Gpio::Stm32 { ports, .. } | Gpio::Stm32F1 { ports, .. } => *ports,
            Gpio::Pl061 { .. } => Ports::alike(1, 8),
            Gpio::Stellaris => STELLARIS,
            Gpio::Cmsdk(cmsdk) => cmsdk.ports,
            Gpio::Mps2 { expansion, .. } => of_mps2(expansion.ports),
            Gpio::Rp2040 | Gpio::Rp2350 => Ports::alike(1, 30),
            Gpio::Kl25 => KL25,
        }
    }

    /// The chip's name of a pin.
    pub fn name_of(&self, pin: Pin) -> String {
        let Pin { port, number } = pin;
        let letter = || char::from_u32(u32::from('A') + port).unwrap_or('?');
        match self {
            Gpio::Nrf { .. } | Gpio::Pl061 { .. } | Gpio::Cmsdk(_) => format!("P{port}.{number:02}"),
            Gpio::Stellaris if port == INPUTS_OF_STELLARIS => format!("ADC{number}"),
            Gpio::Stellaris | Gpio::Stm32 { .. } | Gpio::Stm32F1 { .. } => format!("P{}{number}", letter()),
            Gpio::Mps2 { .. } if port == LIGHTS_OF_MPS2 => format!("LED{number}"),
            Gpio::Mps2 { .. } if port == BUTTONS_OF_MPS2 => format!("BUTTON{number}"),
            Gpio::Mps2 { .. } => format!("EXP{}", (port - EXPANSION_OF_MPS2) * PINS_OF_CMSDK + number),
            Gpio::Rp2040 | Gpio::Rp2350 => format!("GP{number}"),
            Gpio::Kl25 => format!("PT{}{number}", letter()),
        }
    }

    /// Whether a name is the chip's name of that pin; it may omit leading zeros.
    pub fn calls(&self, name: &str, pin: Pin) -> bool {
        let own = self.name_of(pin);
        own == name || own.replace(".0", ".") == name
    }

    /// All existing pins, by the chip's names.
    pub fn all(&self) -> String {
        let ports = self.ports();
        let range = |port, range: std::ops::RangeInclusive<u32>| {
            let name = |number| self.name_of(Pin { port, number });
            match range.start() == range.end() {
                true => format!("`{}`", name(*range.start())),
                false => format!("`{}` to `{}`", name(*range.start()), name(*range.end())),
            }
        };
        let names = ports.ranges().flat_map(|(port, ranges)| ranges.into_iter().map(move |found| range(port, found)));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The highest address in the descriptor.
    pub fn highest(&self) -> Option<Address> {
        match *self {
            Gpio::Nrf { base, .. } | Gpio::Pl061 { base, .. } | Gpio::Cmsdk(CmsdkPorts { base, .. }) => Some(base),
            Gpio::Mps2 { base, expansion } => Some(base.max(expansion.base)),
            Gpio::Stm32 { base, enable, .. } | Gpio::Stm32F1 { base, enable, .. } => Some(base.max(enable)),
            Gpio::Stellaris | Gpio::Rp2040 | Gpio::Rp2350 | Gpio::Kl25 => None,
        }
    }

    /// Whether the pin exists.
    pub fn has(&self, pin: Pin) -> bool {
        self.ports().has(pin)
    }

    /// Whether the pin is an analog input and nothing else.
    pub fn is_analog(&self, pin: Pin) -> bool {
        *self == Gpio::Stellaris && pin.port == INPUTS_OF_STELLARIS
    }

    /// Whether the pin is a light or a button of the board and nothing else.
    pub fn is_fixed(&self, pin: Pin) -> bool {
        matches!(self, Gpio::Mps2 { .. }) && pin.port < EXPANSION_OF_MPS2
    }

    /// The same pins without edges of ports of the System Design Kit.
    pub(crate) fn without_interrupts(mut self) -> Gpio {
        if let Gpio::Cmsdk(ports) | Gpio::Mps2 { expansion: ports, .. } = &mut self {
            ports.interrupts = None;
        }
        self
    }

    /// Its ports of Arm's Cortex-M System Design Kit, with the index of the first one.
    pub fn cmsdk(&self) -> Option<(CmsdkPorts, u32)> {
        match *self {
            Gpio::Cmsdk(ports) => Some((ports, 0)),
            Gpio::Mps2 { expansion, .. } => Some((expansion, EXPANSION_OF_MPS2)),
            Gpio::Nrf { .. }
            | Gpio::Pl061 { .. }
            | Gpio::Stellaris
            | Gpio::Stm32 { .. }
            | Gpio::Stm32F1 { .. }
            | Gpio::Rp2040
            | Gpio::Rp2350
            | Gpio::Kl25 => None,
        }
    }

    /// Whether the pins are those of an nRF91, whose other devices are not where an nRF52 has them.
    pub fn is_nrf91(&self) -> bool {
        matches!(self, Gpio::Nrf { base: PORT_OF_NRF91, .. })
    }
}

/// A pin: its port and its number in that port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pin {
    /// 0 for the first, or port A.
    pub port: u32,
    /// From 0.
    pub number: u32,
}

impl Pin {
    /// Parses the chips' names of pins: `P0.13`, `PA10`, `PTB18`, `GP25`; on MPS2 boards `LED0` (port 0), `BUTTON1` (port 1), and those of
    /// the headers, whose ports follow: `EXP17` is pin 1 of port 3. Of an LM3S also `ADC0`, which is no pin of its ports.
    pub fn parse(text: &str) -> Option<Pin> {
        let number = |digits: &str| {
            let small = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            small.then(|| digits.parse().ok()).flatten()
        };
        if let Some(index) = text.strip_prefix("EXP").and_then(number) {
            return Some(Pin { port: EXPANSION_OF_MPS2 + index / PINS_OF_CMSDK, number: index % PINS_OF_CMSDK });
        }
        let prefixes = [("LED", LIGHTS_OF_MPS2), ("BUTTON", BUTTONS_OF_MPS2), ("GP", 0), ("ADC", INPUTS_OF_STELLARIS)];
        for (prefix, port) in prefixes {
            if let Some(number) = text.strip_prefix(prefix).and_then(number) {
                return Some(Pin { port, number });
            }
        }
        let rest = text.strip_prefix('P')?;
        if let Some((port, pin)) = rest.split_once('.') {
            return Some(Pin { port: number(port)?, number: number(pin)? });
        }
        // NXP's names have a `T`, for which no port of another chip is high enough.
        let rest = rest
            .strip_prefix('T')
            .filter(|name| name.len() > 1 && !name.starts_with(|c: char| c.is_ascii_digit()))
            .unwrap_or(rest);
        let letter = rest.chars().next().filter(char::is_ascii_uppercase)?;
        Some(Pin { port: u32::from(letter) - u32::from('A'), number: number(&rest[1..])? })
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "pin {} of port {}", self.number, self.port)
    }
}

impl Serialize for Pin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chip_has_its_own_names_of_pins() {
        let mut ports = Ports::alike(1, 32);
        assert!(ports.set(1, 0x3ff) && !ports.set(Ports::MAX, 1));
        let nrf = Gpio::Nrf { base: Address(0), ports };
        let called =
            |gpio: &Gpio, name: &str| Pin::parse(name).is_some_and(|pin| gpio.has(pin) && gpio.calls(name, pin));
        assert_eq!(nrf.all(), "`P0.00` to `P0.31`, `P1.00` to `P1.09`");
        for (name, expected) in [("P0.0", true), ("P0.13", true), ("P1.09", true), ("P1.10", false), ("PA1", false)] {
            assert_eq!(called(&nrf, name), expected, "{name}");
        }
        assert!(called(&Gpio::Rp2040, "GP25") && !called(&Gpio::Rp2040, "P0.25") && !called(&Gpio::Rp2040, "LED1"));
        assert!(called(&Gpio::Kl25, "PTE31") && !called(&Gpio::Kl25, "PTE26") && !called(&Gpio::Kl25, "PE31"));
        assert!(
            called(&Gpio::Stellaris, "ADC3") && !called(&Gpio::Stellaris, "ADC4") && !called(&Gpio::Stellaris, "PH0")
        );
        let mut ports = Ports::alike(3, 16);
        assert!(ports.set(3, 0xf));
        let expansion = CmsdkPorts { base: Address(0), ports, interrupts: None };
        let mps2 = Gpio::Mps2 { base: Address(0), expansion };
        assert_eq!(
            mps2.all(),
            "`LED0` to `LED1`, `BUTTON0` to `BUTTON1`, `EXP0` to `EXP15`, `EXP16` to `EXP31`, `EXP32` to `EXP47`, `EXP48` to `EXP51`"
        );
        assert!(called(&mps2, "BUTTON1") && called(&mps2, "EXP51") && !called(&mps2, "EXP52") && !called(&mps2, "GP1"));
        let cmsdk = Gpio::Cmsdk(expansion);
        assert!(called(&cmsdk, "P3.03") && !called(&cmsdk, "P3.04") && !called(&cmsdk, "EXP0"));
    }

    #[test]
    fn pins_are_called_as_on_the_chip() {
        for (text, port, number) in [
            ("P0.13", 0, 13),
            ("P1.04", 1, 4),
            ("PA10", 0, 10),
            ("PF0", 5, 0),
            ("PTB18", 1, 18),
            ("GP25", 0, 25),
            ("BUTTON1", 1, 1),
            ("EXP5", 2, 5),
            ("EXP17", 3, 1),
            ("ADC2", 7, 2),
        ] {
            assert_eq!(Pin::parse(text), Some(Pin { port, number }), "{text}");
        }
        for text in [
            "", "P", "PA", "P0", "P0.", "P.1", "PT", "PTB", "PTb1", "Pa1", "13", "PA-1", "PA100", "P0.1.2", "LED",
            "PÄ1",
        ] {
            assert_eq!(Pin::parse(text), None, "{text}");
        }
    }
}
