//! Devices at the buses of a chip.

mod bmp280;
mod memory;
mod ssd1306;

pub use bmp280::Bmp280;
pub use memory::Memory;
pub use ssd1306::Ssd1306;
