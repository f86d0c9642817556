//! Whether the boot code of a chip would start an image: it searches flash for a block of its own.

use super::checks::{Context, OUR_FAULT, section, word, wrong};
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Address, BootBlock, MemoryRegion};
use crc::{CRC_32_MPEG_2, Crc};

/// Bytes of the RP2040's boot block, of which the last four are the checksum of the others.
const RP2040_BLOCK: u64 = 256;

/// The range from the start of an image in which the RP2350 searches for its definition.
const RP2350_SEARCHED: u64 = 4096;

/// The smallest image definition for the secure state of the RP2350's Arm cores: its beginning, one item of one word
/// that says what the image is, the last item, no further block, its end (RP2350 data sheet, 5.9.5.1).
pub(crate) const IMAGE_DEFINITION: [u32; 5] = [0xffff_ded3, 0x1021_0142, 0x0000_01ff, 0, 0xab12_3579];

/// The flash configuration field of Kinetis: no key for the back door, no protection of flash, the chip is not secured (FSEC 0xFE), and it
/// starts at its full frequency (KL25 Sub-Family Reference Manual, 6.3.2, 27.3.1 and 27.33.3).
pub(crate) const FLASH_CONFIGURATION: [u32; 4] = [0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_fffe];

/// Its offset from the start of flash.
pub(crate) const FLASH_CONFIGURATION_OFFSET: u64 = 0x400;

/// Checks the boot block of an image, on boards that need one.
pub(super) fn check(context: &Context<'_>, flash: &MemoryRegion) -> Option<Diagnostic> {
    let problem = match context.board.boot_block? {
        BootBlock::Rp2040 => rp2040(context, flash),
        BootBlock::Rp2350 => rp2350(context, flash),
        BootBlock::Kinetis => kinetis(context, flash),
    };
    let message = format!("the boot code of `{}` would not start the image: {}", context.board.name, problem?);
    Some(
        wrong(codes::BAD_BOOT_BLOCK, message)
            .note("the chip requires a boot block")
            .help(OUR_FAULT)
            .help("do not link an object with a section `.boot_block`"),
    )
}

fn rp2040(context: &Context<'_>, flash: &MemoryRegion) -> Option<String> {
    let block = section(&context.elf, ".boot_block").filter(|block| block.sh_addr == flash.origin.0);
    let Some(block) = block.filter(|block| block.sh_size == RP2040_BLOCK) else {
        return Some(format!("no boot block of {RP2040_BLOCK} bytes at {}", flash.origin));
    };
    let bytes = block.file_range().and_then(|range| context.bytes.get(range));
    let Some((code, sum)) = bytes.and_then(<[u8]>::split_last_chunk) else {
        return Some("its boot block is beyond the end of the file".to_owned());
    };
    let (expected, found) = (Crc::<u32>::new(&CRC_32_MPEG_2).checksum(code), u32::from_le_bytes(*sum));
    (expected != found).then(|| format!("the checksum of its boot block must be {expected:#010x}, not {found:#010x}"))
}

fn rp2350(context: &Context<'_>, flash: &MemoryRegion) -> Option<String> {
    let searched = flash.origin.0..flash.origin.0 + RP2350_SEARCHED;
    let Some(block) = section(&context.elf, ".boot_block") else {
        return Some("no image definition".to_owned());
    };
    let place = block.sh_addr;
    if !searched.contains(&place) || !searched.contains(&(place + block.sh_size - 1)) {
        return Some(format!("its image definition at {} is beyond the first {RP2350_SEARCHED} bytes", Address(place)));
    }
    let words = (0..).zip(IMAGE_DEFINITION);
    let differs =
        words.into_iter().find(|(index, expected)| word(context, block, index * 4) != Some(u64::from(*expected)));
    differs.map(|(index, expected)| format!("word {index} of its image definition must be {expected:#010x}"))
}

fn kinetis(context: &Context<'_>, flash: &MemoryRegion) -> Option<String> {
    let place = flash.origin.0 + FLASH_CONFIGURATION_OFFSET;
    let size = size_of_val(&FLASH_CONFIGURATION) as u64;
    let field = section(&context.elf, ".boot_block");
    let Some(field) = field.filter(|field| field.sh_addr == place && field.sh_size == size) else {
        return Some(format!("no flash configuration field of {size} bytes at {}", Address(place)));
    };
    let words = (0..).zip(FLASH_CONFIGURATION);
    let differs =
        words.into_iter().find(|(index, expected)| word(context, field, index * 4) != Some(u64::from(*expected)));
    differs.map(|(index, expected)| format!("word {index} of its flash configuration field must be {expected:#010x}"))
}

#[cfg(test)]
mod tests {
    use super::super::checks::check;
    use super::super::test_elf::{Section, TestElf, machine};
    use super::*;
    use clef_base::Code;

    /// The boot block's code, and its checksum.
    fn block(sum: u32) -> Vec<u8> {
        let mut block = vec![0; 252];
        // The digits of the catalogue's example, whose checksum is known; the zeros after them are part of the block.
        block[..9].copy_from_slice(b"123456789");
        block.extend(sum.to_le_bytes());
        block
    }

    fn image(board: &str, place: u32, block: Vec<u8>, vectors: u32) -> Vec<Code> {
        let (target, board) = machine(board);
        let ram = board.ram().expect("it has RAM").origin.0 as u32;
        let mut table = (ram + board.stack.0 as u32).to_le_bytes().to_vec();
        table.extend((vectors + 0x1001).to_le_bytes());
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".boot_block", place, 4, block));
        elf.sections.push(Section::loaded(".vectors", vectors, 4, table));
        elf.sections.push(Section::loaded(".text", vectors + 0x1000, 4, vec![0; 16]));
        elf.sections.push(Section::zeroed(".stack", ram, board.stack.0 as u32));
        elf.sections.push(Section::zeroed(".pool", ram + board.stack.0 as u32, board.region_pool.page.0 as u32));
        check(&elf.bytes(), &target, &board).into_iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn the_checksum_of_a_boot_block() {
        // Known from the RP2040's own tools: MSB first, from all ones.
        assert_eq!(Crc::<u32>::new(&CRC_32_MPEG_2).checksum(b"123456789"), 0x0376_e6e7);
        let sum = Crc::<u32>::new(&CRC_32_MPEG_2).checksum(&block(0)[..252]);
        assert_eq!(image("rpi-pico", 0x1000_0000, block(sum), 0x1000_0100), []);
        assert_eq!(image("rpi-pico", 0x1000_0000, block(sum ^ 1), 0x1000_0100), [codes::BAD_BOOT_BLOCK]);
        let mut other = block(sum);
        other[100] = 1;
        assert_eq!(image("rpi-pico", 0x1000_0000, other, 0x1000_0100), [codes::BAD_BOOT_BLOCK]);
    }

    #[test]
    fn boot_blocks_elsewhere_or_of_another_size() {
        let sum = Crc::<u32>::new(&CRC_32_MPEG_2).checksum(&block(0)[..252]);
        assert_eq!(image("rpi-pico", 0x1000_0400, block(sum), 0x1000_0100), [codes::BAD_BOOT_BLOCK]);
        let mut long = block(sum);
        long.extend([0; 4]);
        assert_eq!(image("rpi-pico", 0x1000_0000, long, 0x1000_0100), [codes::BAD_BOOT_BLOCK]);
        // The vector table must directly follow it.
        assert_eq!(image("rpi-pico", 0x1000_0000, block(sum), 0x1000_0200), [codes::MISPLACED_VECTORS]);
    }

    #[test]
    fn flash_configuration_fields() {
        let field: Vec<u8> = FLASH_CONFIGURATION.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!((field[12], field[13]), (0xfe, 0xff), "FSEC and FOPT");
        assert_eq!(image("frdm-kl25z", 0x400, field.clone(), 0), []);
        assert_eq!(image("frdm-kl25z", 0x404, field.clone(), 0), [codes::BAD_BOOT_BLOCK]);
        assert_eq!(image("frdm-kl25z", 0x400, field[..12].to_vec(), 0), [codes::BAD_BOOT_BLOCK]);
        let mut locked = field;
        locked[12] = 0xff;
        assert_eq!(image("frdm-kl25z", 0x400, locked, 0), [codes::BAD_BOOT_BLOCK]);
    }

    #[test]
    fn image_definitions() {
        let definition: Vec<u8> = IMAGE_DEFINITION.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(image("rpi-pico-2", 0x1000_0110, definition.clone(), 0x1000_0000), []);
        assert_eq!(image("rpi-pico-2", 0x1000_1000, definition.clone(), 0x1000_0000), [codes::BAD_BOOT_BLOCK]);
        assert_eq!(image("rpi-pico-2", 0x1000_0ffc, definition.clone(), 0x1000_0000), [codes::BAD_BOOT_BLOCK]);
        let mut for_another_core = definition.clone();
        for_another_core[7] = 0x11;
        assert_eq!(image("rpi-pico-2", 0x1000_0110, for_another_core, 0x1000_0000), [codes::BAD_BOOT_BLOCK]);
        assert_eq!(image("rpi-pico-2", 0x1000_0110, definition[..16].to_vec(), 0x1000_0000), [codes::BAD_BOOT_BLOCK]);
    }
}
