//! The build attributes of objects for 32-bit Arm (Addenda to the ABI for the Arm Architecture 2024Q3, 3).
//!
//! In: an ELF file. Out: the core it requires and how it passes floats. Malformed parts are ignored: the linker reads
//! the same section, and reports them.

use goblin::elf::Elf;
use object::{
    LittleEndian,
    elf::{FileHeader32, SHT_ARM_ATTRIBUTES, Tag_File},
    read::elf::{AttributeReader, AttributesSection},
};

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
    /// Parses the section of attributes.
    pub(super) fn of(elf: &Elf<'_>, bytes: &[u8]) -> Attributes {
        let section = elf.section_headers.iter().find(|header| header.sh_type == SHT_ARM_ATTRIBUTES.0);
        let content = section.and_then(|header| bytes.get(header.file_range()?));
        Attributes::of_section(content.unwrap_or_default())
    }

    fn of_section(content: &[u8]) -> Attributes {
        let mut attributes = Attributes::default();
        // What comes before a malformed part counts.
        let _ = attributes.section(content);
        attributes
    }

    /// Only the attributes of the whole file matter.
    fn section(&mut self, content: &[u8]) -> object::Result<()> {
        let section = AttributesSection::<FileHeader32<LittleEndian>>::new(LittleEndian, content)?;
        for vendor in section.subsections()? {
            let vendor = vendor?;
            if vendor.vendor() == b"aeabi" {
                for scope in vendor.subsubsections() {
                    let scope = scope?;
                    if scope.tag() == Tag_File {
                        self.attributes(scope.attributes())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn attributes(&mut self, mut reader: AttributeReader<'_>) -> object::Result<()> {
        while let Some(tag) = reader.read_tag()? {
            match tag {
                // Names: Tag_CPU_raw_name, Tag_CPU_name, Tag_conformance, and odd tags from 32 on.
                4 | 5 | 67 => drop(reader.read_string()?),
                // Tag_compatibility is a number and a name.
                32 => {
                    reader.read_integer()?;
                    reader.read_string()?;
                }
                6 => self.core = reader.read_integer()?,
                7 => self.profile = reader.read_integer()? as u8,
                28 => self.float_arguments = Some(reader.read_integer()?),
                tag if CONVENTION.contains(&tag) => {
                    reader.read_integer()?;
                    self.float_arguments.get_or_insert(0);
                }
                tag if tag > 32 && tag % 2 == 1 => drop(reader.read_string()?),
                _ => drop(reader.read_integer()?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of attributes in the scope of the file.
    fn read(content: &[u8]) -> Attributes {
        let sized = |before: &[u8], content: &[u8]| {
            let length = (before.len() + 4 + content.len()) as u32;
            [before, &length.to_le_bytes(), content].concat()
        };
        let vendor = [b"aeabi\0", sized(&[Tag_File.0], content).as_slice()].concat();
        Attributes::of_section(&[b"A", sized(&[], &vendor).as_slice()].concat())
    }

    #[test]
    fn attributes_are_read() {
        // Tag_CPU_name "m4", Tag_CPU_arch v7E-M, profile M, Tag_ABI_VFP_args 1.
        let read = read(&[5, b'm', b'4', 0, 6, 13, 7, b'M', 28, 1]);
        assert_eq!((read.core, read.profile, read.float_arguments), (13, b'M', Some(1)));
    }

    #[test]
    fn a_compiler_that_leaves_floats_out_means_integer_registers() {
        assert_eq!(read(&[6, 13, 26, 2]).float_arguments, Some(0));
        assert_eq!(read(&[26, 2, 28, 1]).float_arguments, Some(1));
        assert_eq!(read(&[28, 1, 26, 2]).float_arguments, Some(1));
        assert_eq!(read(&[6, 13, 27, 1]).float_arguments, None);
    }

    #[test]
    fn what_comes_before_a_malformed_part_counts() {
        assert_eq!(read(&[6, 13, 28]).core, 13);
        assert_eq!(Attributes::of_section(b"Z").core, 0);
    }
}
