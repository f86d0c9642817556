//! The other formats of an image: its bytes in flash, raw and as Intel HEX. [`super::uf2`] builds on them.

use super::parse;
use clef_base::{Diagnostic, Span, codes, internal::bug};
use goblin::elf::program_header::PT_LOAD;
use ihex::Record;

/// The value of erased flash.
const ERASED: u8 = 0xff;

/// The largest gap between two segments that a raw image bridges.
const LARGEST_GAP: u64 = 16 << 20;

/// Bytes and their load address.
struct Segment<'a> {
    address: u64,
    bytes: &'a [u8],
}

/// The loaded segments, by address.
fn segments(image: &[u8]) -> Result<Vec<Segment<'_>>, Diagnostic> {
    let elf = parse(image)?;
    let headers = elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_filesz > 0);
    let mut segments = Vec::new();
    for header in headers {
        let bytes = image
            .get(header.file_range())
            .ok_or_else(|| Diagnostic::general(codes::MALFORMED_IMAGE, "a segment of the image exceeds the file"))?;
        segments.push(Segment { address: header.p_paddr, bytes });
    }
    segments.sort_by_key(|segment| segment.address);
    Ok(segments)
}

/// The loaded bytes, without gaps.
pub(super) struct Dense {
    /// The address of the first byte.
    pub(super) start: u64,
    /// The bytes; gaps are filled with the value of erased flash.
    pub(super) bytes: Vec<u8>,
}

/// The bytes from the first to the last loaded one, in whole pages: address and length are multiples of `page`.
pub(super) fn dense(image: &[u8], page: usize) -> Result<Dense, Diagnostic> {
    let segments = segments(image)?;
    let mut bytes = Vec::new();
    let start = segments.first().map_or(0, |segment| segment.address / page as u64 * page as u64);
    for segment in segments {
        let offset = segment.address - start;
        if offset.saturating_sub(bytes.len() as u64) > LARGEST_GAP {
            return Err(Diagnostic::general(
                codes::SPARSE_IMAGE,
                "the parts of the image are too far apart for a raw binary",
            )
            .note(format!("a part starts {offset} bytes after the first"))
            .help("use `--format hex`, which has addresses"));
        }
        let offset = offset as usize;
        bytes.resize(bytes.len().max(offset + segment.bytes.len()), ERASED);
        bytes[offset..offset + segment.bytes.len()].copy_from_slice(segment.bytes);
    }
    bytes.resize(bytes.len().next_multiple_of(page), ERASED);
    Ok(Dense { start, bytes })
}

/// The bytes from the first to the last loaded one.
pub fn binary(image: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    dense(image, 1).map(|dense| dense.bytes)
}

/// Bytes per record.
const RECORD: usize = 16;

/// Intel HEX with 32-bit addresses (Intel, "Hexadecimal Object File Format Specification", 1988).
pub fn intel_hex(image: &[u8]) -> Result<String, Diagnostic> {
    let mut records = Vec::new();
    let mut upper = 0;
    for segment in segments(image)? {
        let mut address = segment.address;
        let mut rest = segment.bytes;
        while !rest.is_empty() {
            let wide = u32::try_from(address).map_err(|_| {
                Diagnostic::general(codes::SPARSE_IMAGE, "Intel HEX has no addresses beyond 32 bits")
                    .help("use `--format elf`")
            })?;
            if wide >> 16 != upper {
                upper = wide >> 16;
                records.push(Record::ExtendedLinearAddress(upper as u16));
            }
            // A record ends where the upper half of the address changes.
            let space = 0x1_0000 - (wide & 0xffff) as usize;
            let (chunk, later) = rest.split_at(rest.len().min(RECORD).min(space));
            records.push(Record::Data { offset: wide as u16, value: chunk.to_vec() });
            rest = later;
            address += chunk.len() as u64;
        }
    }
    records.push(Record::StartLinearAddress(parse(image)?.entry as u32));
    records.push(Record::EndOfFile);
    match ihex::create_object_file_representation(&records) {
        Ok(text) => Ok(text),
        Err(error) => bug("write", None::<Span>, format!("Intel HEX: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_elf::{Section, TestElf};
    use super::*;

    fn image() -> Vec<u8> {
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".text", 0x1000, 4, vec![1, 2, 3]));
        elf.sections.push(Section::loaded(".rodata", 0x1008, 0, vec![4]));
        elf.sections.push(Section::zeroed(".bss", 0x2000_0000, 4));
        elf.bytes()
    }

    #[test]
    fn gaps_read_as_erased_flash() {
        assert_eq!(binary(&image()), Ok(vec![1, 2, 3, 255, 255, 255, 255, 255, 4]));
    }

    #[test]
    fn a_wide_gap_is_refused() {
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".text", 0, 4, vec![1]));
        elf.sections.push(Section::loaded(".rodata", 0x2000_0000, 0, vec![4]));
        assert_eq!(binary(&elf.bytes()).map_err(|diagnostic| diagnostic.code), Err(codes::SPARSE_IMAGE));
    }

    #[test]
    fn hex_records_have_checksums() {
        let expected = ":03100000010203E7\n:0110080004E3\n:0400000500000041B6\n:00000001FF\n";
        assert_eq!(intel_hex(&image()).as_deref(), Ok(expected));
    }

    #[test]
    fn hex_addresses_beyond_16_bits() {
        let mut elf = TestElf::arm();
        elf.sections.push(Section::loaded(".text", 0x0800_fffe, 4, vec![1, 2, 3]));
        let text = intel_hex(&elf.bytes()).expect("it is an ELF file");
        assert!(text.starts_with(":020000040800F2\n:02FFFE000102FE\n:020000040801F1\n:0100000003FC\n"), "{text}");
    }
}
