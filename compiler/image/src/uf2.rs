//! UF2, the format of boot loaders that appear as a disk (<https://github.com/microsoft/uf2>): blocks of 512 bytes,
//! each with the address of 256 bytes of the image.

use super::output::{Dense, dense};
use clef_base::{Diagnostic, codes};
use clef_descriptors::Uf2;

/// The magic numbers at the start and at the end of a block.
const MAGIC: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const MAGIC_END: u32 = 0x0ab1_6f30;

/// The block has the number of a chip family.
const HAS_FAMILY: u32 = 0x2000;

/// Bytes of the image in a block, and the alignment of its address.
const PAGE: usize = 256;

/// The bytes of a block for them.
const PAYLOAD: usize = 476;

/// The image as UF2. The pages are contiguous, since the boot code of the RP2040 uses the number of a block as the
/// position of its page when it erases flash.
pub fn uf2(image: &[u8], uf2: Uf2) -> Result<Vec<u8>, Diagnostic> {
    let Dense { start, bytes } = dense(image, PAGE)?;
    let unsuitable =
        || Diagnostic::general(codes::SPARSE_IMAGE, "UF2 has no addresses beyond 32 bits").help("use `--format elf`");
    let count = u32::try_from(bytes.len() / PAGE).map_err(|_| unsuitable())?;
    if start + bytes.len() as u64 > 1 << 32 {
        return Err(unsuitable());
    }
    let mut file = Vec::with_capacity(bytes.len() * 2);
    for (number, page) in (0_u32..).zip(bytes.chunks(PAGE)) {
        let address = start as u32 + number * PAGE as u32;
        for word in [MAGIC[0], MAGIC[1], HAS_FAMILY, address, PAGE as u32, number, count, uf2.family] {
            file.extend(word.to_le_bytes());
        }
        file.extend(page);
        file.resize(file.len() + PAYLOAD - page.len(), 0);
        file.extend(MAGIC_END.to_le_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::super::test_elf::{Section, TestElf};
    use super::*;

    const FAMILY: Uf2 = Uf2 { family: 0xe48b_ff56 };

    /// The blocks as a reader of the format sees them: the words of each block's header, and its page.
    fn blocks(file: &[u8]) -> Vec<(Vec<u32>, Vec<u8>)> {
        assert_eq!(file.len() % 512, 0);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        let block = |block: &[u8]| {
            assert_eq!(word(&block[508..]), 0x0ab1_6f30);
            assert!(block[32 + 256..508].iter().all(|byte| *byte == 0));
            (block[..32].chunks(4).map(word).collect(), block[32..32 + 256].to_vec())
        };
        file.chunks(512).map(block).collect()
    }

    #[test]
    fn pages_are_aligned_and_numbered() {
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".text", 0x1000_0080, 4, (0..=255).collect()));
        elf.sections.push(Section::loaded(".rodata", 0x1000_0400, 0, vec![7; 3]));
        let file = uf2(&elf.bytes(), FAMILY).expect("it is an image");
        let blocks = blocks(&file);
        assert_eq!(blocks.len(), 5);
        for (number, (head, _)) in (0_u32..).zip(&blocks) {
            let address = 0x1000_0000 + number * 256;
            assert_eq!(head[..], [0x0a32_4655, 0x9e5d_5157, 0x2000, address, 256, number, 5, 0xe48b_ff56]);
        }
        let bytes: Vec<u8> = blocks.iter().flat_map(|(_, page)| page.clone()).collect();
        let mut expected = vec![0xff; 5 * 256];
        expected[0x80..0x180].copy_from_slice(&(0..=255).collect::<Vec<u8>>());
        expected[0x400..0x403].copy_from_slice(&[7; 3]);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn the_last_page_and_what_is_too_far() {
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".text", 0xffff_ff00, 4, vec![1; 256]));
        assert_eq!(blocks(&uf2(&elf.bytes(), FAMILY).expect("it is an image")).len(), 1);
        elf.sections.push(Section::loaded(".rodata", 0x1000_0000, 0, vec![7; 3]));
        assert_eq!(uf2(&elf.bytes(), FAMILY).map_err(|found| found.code), Err(codes::SPARSE_IMAGE));
    }
}
