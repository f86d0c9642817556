//! What is connected to a chip: a serial line, and devices at its buses. It stays as it is when the chip is reset.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

/// A pin: its port and its number.
pub type Pin = (u32, u32);

/// The other end of a serial line.
#[derive(Clone, Default, Debug)]
pub struct SerialLine {
    /// What is still to arrive at the chip.
    pub arriving: VecDeque<u8>,
    /// What the chip has sent.
    pub sent: Vec<u8>,
    /// The bits in a second with which it has sent the last byte, where the model knows them.
    pub rate: Option<u64>,
}

/// A device at an I2C bus.
pub trait I2cDevice {
    /// Its address of seven bits.
    fn address(&self) -> u32;
    /// A transfer to it, or a read from it, begins.
    fn begin(&mut self, reads: bool);
    /// Takes a byte; whether it acknowledges it.
    fn write(&mut self, byte: u8) -> bool;
    /// The next byte.
    fn read(&mut self) -> u8;
}

/// What happens on the lines of the I2C bus besides its devices. Something may hold a line as it drives a pin.
#[derive(Clone, Copy, Default, Debug)]
pub struct I2cLines {
    /// The pulses of the clock after which the data line is released, if it is to be.
    pub pulses: Option<u32>,
    /// Whether another controller takes the bus at the next address.
    pub has_rival: bool,
    /// The bits in a second of the last transfer, where the model knows them.
    pub rate: Option<u64>,
}

/// A device at an SPI bus, which reads at the rising edges of the clock: modes 0 and 3.
pub trait SpiDevice {
    /// Takes a byte while it is selected, and returns the one that goes the other way. The levels of the chip's pins are those at the end
    /// of the byte.
    fn exchange(&mut self, byte: u8, level: &dyn Fn(Pin) -> bool) -> u8;
}

/// A device at an SPI bus, with the pin that selects it.
pub type Selected = (Pin, Rc<RefCell<dyn SpiDevice>>);

/// The levels of pins that something drives, such as a button; high if true.
pub type Levels = Rc<RefCell<BTreeMap<Pin, bool>>>;

/// The voltages at pins, in 4095ths of the supply; others have none.
pub type Voltages = Rc<RefCell<BTreeMap<Pin, u32>>>;

/// What is connected. A copy has the same devices.
#[derive(Clone, Default)]
pub struct Wiring {
    /// The other end of the serial line.
    pub line: Rc<RefCell<SerialLine>>,
    /// The driven pins.
    pub levels: Levels,
    /// The voltages at analog inputs.
    pub voltages: Voltages,
    /// Whether generators of random numbers have no noise.
    pub is_silent: bool,
    /// The devices at the I2C bus.
    pub i2c: Vec<Rc<RefCell<dyn I2cDevice>>>,
    /// The lines of that bus.
    pub i2c_lines: Rc<RefCell<I2cLines>>,
    /// The devices at the SPI bus.
    pub spi: Vec<Selected>,
    /// The bits in a second of the last frame there, where the model knows them.
    pub spi_rate: Rc<Cell<Option<u64>>>,
}
