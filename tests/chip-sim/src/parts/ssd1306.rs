//! A display with the controller SSD1306 at an SPI bus of four wires (Solomon Systech, SSD1306 data sheet, 8.1.3, 9 and 10).
//!
//! Of the addressing modes it has the horizontal one, which goes through the columns and then the pages of a window.

use crate::wiring::{Pin, SpiDevice};

/// The display.
#[derive(Debug)]
pub struct Ssd1306 {
    /// The pin D/C#, which is low for commands and high for pixels.
    command: Pin,
    is_on: bool,
    /// The supply of the panel is on (application note, 2).
    is_supplied: bool,
    is_horizontal: bool,
    columns: [u8; 2],
    pages: [u8; 2],
    place: [u8; 2],
    /// A command whose arguments are not complete.
    unfinished: Vec<u8>,
    /// A byte has eight pixels of a column.
    memory: Vec<u8>,
}

const WIDTH: usize = 128;

impl Ssd1306 {
    /// A display after power-on, with the pin that is low for commands.
    pub fn new(command: Pin) -> Ssd1306 {
        Ssd1306 {
            command,
            is_on: false,
            is_supplied: false,
            is_horizontal: false,
            columns: [0, 127],
            pages: [0, 7],
            place: [0; 2],
            unfinished: Vec::new(),
            memory: vec![0; WIDTH * 8],
        }
    }

    /// Whether a pixel can be seen.
    pub fn is_bright(&self, x: usize, y: usize) -> bool {
        self.is_on && self.is_supplied && self.memory[y / 8 * WIDTH + x] >> (y % 8) & 1 == 1
    }

    /// How many bytes follow a command (table 9-1); nothing for one that is not modelled.
    fn arguments(command: u8) -> Option<usize> {
        Some(match command {
            0x20 | 0x81 | 0x8d | 0xa8 | 0xd3 | 0xd5 | 0xd9 | 0xda | 0xdb => 1,
            0x21 | 0x22 => 2,
            0x40..=0x7f | 0xa0 | 0xa1 | 0xa4 | 0xa6 | 0xae | 0xaf | 0xc0 | 0xc8 | 0xe3 => 0,
            _ => return None,
        })
    }

    fn run(&mut self) {
        match *self.unfinished.as_slice() {
            [0x20, mode] => self.is_horizontal = mode & 3 == 0,
            [0x21, first, last] => {
                self.columns = [first & 0x7f, last & 0x7f];
                self.place[0] = self.columns[0];
            }
            [0x22, first, last] => {
                self.pages = [first & 7, last & 7];
                self.place[1] = self.pages[0];
            }
            [0x8d, setting] => self.is_supplied = setting & 4 != 0,
            [0xae] => self.is_on = false,
            [0xaf] => self.is_on = true,
            _ => {}
        }
    }

    fn put(&mut self, pixels: u8) {
        let [column, page] = self.place;
        self.memory[usize::from(page) * WIDTH + usize::from(column)] = pixels;
        if column != self.columns[1] {
            self.place[0] = (column + 1) & 0x7f;
        } else {
            self.place[0] = self.columns[0];
            if self.is_horizontal {
                self.place[1] = if page == self.pages[1] { self.pages[0] } else { (page + 1) & 7 };
            }
        }
    }
}

impl SpiDevice for Ssd1306 {
    fn exchange(&mut self, byte: u8, level: &dyn Fn(Pin) -> bool) -> u8 {
        if level(self.command) {
            self.put(byte);
            return 0;
        }
        self.unfinished.push(byte);
        match Ssd1306::arguments(self.unfinished[0]) {
            Some(count) if self.unfinished.len() <= count => {}
            Some(_) => {
                self.run();
                self.unfinished.clear();
            }
            None => self.unfinished.clear(),
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_fill_a_window() {
        let mut display = Ssd1306::new((0, 1));
        for command in [0x8d, 0x14, 0x20, 0, 0x21, 2, 3, 0x22, 1, 2, 0xaf] {
            display.exchange(command, &|_| false);
        }
        for pixels in [0x01, 0x02, 0x80] {
            display.exchange(pixels, &|_| true);
        }
        let bright = (0..64).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        let bright: Vec<(usize, usize)> = bright.filter(|&(x, y)| display.is_bright(x, y)).collect();
        assert_eq!(bright, [(2, 8), (3, 9), (2, 23)]);
    }

    #[test]
    fn nothing_is_seen_without_supply() {
        let mut display = Ssd1306::new((0, 1));
        display.exchange(0xaf, &|_| false);
        display.exchange(0xff, &|_| true);
        assert!(!display.is_bright(0, 0));
    }
}
