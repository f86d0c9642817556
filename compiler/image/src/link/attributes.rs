//! The build attributes of objects for 32-bit Arm (Addenda to the ABI for the Arm Architecture 2024Q3, 3).
//!
//! In: an ELF file. Out: the core it requires and how it passes floats. Malformed parts are ignored: the linker reads
//! the same section, and reports them.

use goblin::elf::Elf;

/// The relevant build attributes of an object for 32-bit Arm.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// `Tag_CPU_arch`, or zero.
    pub(super) core: u64,
    /// `Tag_CPU_arch_profile`, or zero.
    pub(super) profile: u8,
    /// `Tag_ABI_VFP_args`. A compiler that omits it means zero; an object without any other attribute of the calling
    /// convention was written in assembly, and nothing is known of it.
    pub(super) float_arguments: Option<u64>,
}

/// From `Tag_ABI_PCS_R9_use` to `Tag_ABI_enum_size`: the attributes of the calling convention that compilers set.
const CONVENTION: std::ops::RangeInclusive<u64> = 14..=26;

impl Attributes {
    /// Parses the section of attributes: `A`, then subsections of a length, a vendor's name, and scopes of attributes.
    pub(super) fn of(elf: &Elf<'_>, bytes: &[u8]) -> Attributes {
        const ARM_ATTRIBUTES: u32 = 0x7000_0003;
        let mut attributes = Attributes::default();
        let section = elf.section_headers.iter().find(|header| header.sh_type == ARM_ATTRIBUTES);
        let content =
            section.and_then(|header| bytes.get(header.file_range()?)).and_then(|bytes| bytes.strip_prefix(b"A"));
        let mut rest = content.unwrap_or_default();
        while let Some((subsection, behind)) = sized(rest, 0) {
            if let Some(scopes) = subsection.strip_prefix(b"aeabi\0") {
                attributes.scopes(scopes);
            }
            rest = behind;
        }
        attributes
    }

    /// Scopes: a tag, a length that includes both, and attributes; only that of the whole file matters.
    fn scopes(&mut self, mut rest: &[u8]) {
        const FILE: u8 = 1;
        while let Some(&scope) = rest.first() {
            let Some((content, behind)) = sized(&rest[1..], 1) else { return };
            if scope == FILE {
                self.attributes(content);
            }
            rest = behind;
        }
    }

    fn attributes(&mut self, mut rest: &[u8]) {
        while let Some(tag) = number(&mut rest) {
            match tag {
                // Names end with a zero: Tag_CPU_raw_name, Tag_CPU_name, Tag_conformance, and odd tags from 32 on.
                4 | 5 | 67 => drop(name(&mut rest)),
                // Tag_compatibility is a number and a name.
                32 => {
                    number(&mut rest);
                    name(&mut rest);
                }
                6 => self.core = number(&mut rest).unwrap_or_default(),
                7 => self.profile = number(&mut rest).unwrap_or_default() as u8,
                28 => self.float_arguments = number(&mut rest),
                tag if CONVENTION.contains(&tag) => {
                    number(&mut rest);
                    self.float_arguments.get_or_insert(0);
                }
                tag if tag > 32 && tag % 2 == 1 => drop(name(&mut rest)),
                _ => drop(number(&mut rest)),
            }
        }
    }
}

/// Splits off the bytes covered by a length of four bytes, which includes itself and `before` bytes before it.
fn sized(bytes: &[u8], before: usize) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = (u32::from_le_bytes(*length) as usize).checked_sub(4 + before)?;
    rest.split_at_checked(length)
}

/// A number in base 128, least significant digit first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A zero-terminated name.
fn name<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let (name, rest) = bytes.split_at(end);
    *bytes = &rest[1..];
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read() {
        // Tag_CPU_name "m4", Tag_CPU_arch v7E-M, profile M, Tag_ABI_VFP_args 1, in the scope of the file.
        let mut read = Attributes::default();
        let content = [5, b'm', b'4', 0, 6, 13, 7, b'M', 28, 1];
        let mut scope = vec![1];
        scope.extend((content.len() as u32 + 5).to_le_bytes());
        scope.extend(content);
        read.scopes(&scope);
        assert_eq!((read.core, read.profile, read.float_arguments), (13, b'M', Some(1)));
    }

    #[test]
    fn a_compiler_that_leaves_floats_out_means_integer_registers() {
        let read = |content: &[u8]| {
            let mut read = Attributes::default();
            read.attributes(content);
            read.float_arguments
        };
        assert_eq!(read(&[6, 13, 26, 2]), Some(0));
        assert_eq!(read(&[26, 2, 28, 1]), Some(1));
        assert_eq!(read(&[28, 1, 26, 2]), Some(1));
        assert_eq!(read(&[6, 13, 27, 1]), None);
    }

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        let mut bytes: &[u8] = &[0x80, 0x01, 0x05];
        assert_eq!((number(&mut bytes), number(&mut bytes), number(&mut bytes)), (Some(128), Some(5), None));
    }
}
