//! Variables of linked objects in sections of other names than the usual ones, such as `.data`.
//!
//! In: the objects of other languages. Out: the parts of the linker script for these sections. Then holds: their variables have initial values
//! or are zero like all others, and C finds the bounds of a section whose name is an identifier by `__start_NAME` and `__stop_NAME`, which
//! keep its variables. Sections whose names say that nothing initialises them stay where the linker puts them.

use super::{LinkInput, input::CONSTRUCTORS};
use goblin::elf::{
    Elf, SectionHeader,
    section_header::{SHF_ALLOC, SHF_TLS, SHF_WRITE, SHT_NOBITS, SHT_PROGBITS},
};
use std::{collections::BTreeMap, fmt::Write as _};

/// The sections that have a place of their own in images, or none, also with what follows a period.
const PLACED: [&str; 6] = [".data", ".got", ".bss", CONSTRUCTORS, ".fini_array", ".ctors"];

/// Those of variables that keep what memory contains, in C libraries, Rust and the Pico SDK.
const KEPT: [&str; 3] = [".noinit", ".uninit", ".uninitialized_data"];

/// The alignment of the bounds of a section at least, which is that of its elements in C.
const BOUNDS: u64 = 8;

/// The sections of variables of linked objects by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForeignVariables(BTreeMap<String, Variables>);

/// The variables of a section.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Variables {
    /// Whether there are initial values.
    has_values: bool,
    /// The alignment, in bytes.
    alignment: u64,
    /// Whether an object refers to the bounds.
    is_bounded: bool,
}

impl ForeignVariables {
    /// Those of objects and archives.
    pub(super) fn of(inputs: &[LinkInput]) -> ForeignVariables {
        let objects: Vec<&[u8]> = inputs.iter().flat_map(LinkInput::objects).collect();
        let elves: Vec<Elf<'_>> = objects.into_iter().filter_map(|object| Elf::parse(object).ok()).collect();
        let mut found: BTreeMap<String, Variables> = BTreeMap::new();
        for elf in &elves {
            for section in elf.section_headers.iter().filter(|section| has_variables(section)) {
                let name = elf.shdr_strtab.get_at(section.sh_name).unwrap_or_default();
                if is_of(name, &PLACED) || is_of(name, &KEPT) || name.contains('"') {
                    continue;
                }
                let variables = found.entry(name.to_owned()).or_default();
                variables.has_values |= section.sh_type == SHT_PROGBITS;
                variables.alignment = variables.alignment.max(section.sh_addralign);
            }
        }
        for elf in &elves {
            for symbol in elf.syms.iter().filter(|symbol| symbol.st_shndx == 0) {
                let name = elf.strtab.get_at(symbol.st_name).unwrap_or_default();
                let section = name.strip_prefix("__start_").or_else(|| name.strip_prefix("__stop_"));
                if let Some(variables) = section.filter(|name| is_identifier(name)).and_then(|name| found.get_mut(name))
                {
                    variables.is_bounded = true;
                }
            }
        }
        ForeignVariables(found)
    }

    /// What the section of initial values contains of them.
    pub(super) fn values(&self) -> String {
        self.script(|variables| variables.has_values)
    }

    /// What the section of zeros contains of them.
    pub(super) fn zeros(&self) -> String {
        self.script(|variables| !variables.has_values)
    }

    /// The sections of linked objects alone: the program may have some with these names.
    fn script(&self, is_wanted: impl Fn(&Variables) -> bool) -> String {
        let mut script = String::new();
        for (name, variables) in self.0.iter().filter(|(_, variables)| is_wanted(variables)) {
            if variables.is_bounded {
                let alignment = variables.alignment.max(BOUNDS);
                let _ = write!(script, " . = ALIGN({alignment}); PROVIDE(__start_{name} = .);");
                let _ =
                    write!(script, " KEEP(*input-*.o({name})) KEEP(*input-*.a:*({name})) PROVIDE(__stop_{name} = .);");
            } else {
                let _ = write!(script, " *input-*.o(\"{name}\") *input-*.a:*(\"{name}\")");
            }
        }
        script
    }
}

/// Whether a section has variables, and not one for each thread.
fn has_variables(section: &SectionHeader) -> bool {
    let [known, wanted] = [SHF_ALLOC | SHF_WRITE | SHF_TLS, SHF_ALLOC | SHF_WRITE].map(u64::from);
    matches!(section.sh_type, SHT_PROGBITS | SHT_NOBITS) && section.sh_flags & known == wanted && section.sh_size > 0
}

fn is_identifier(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a section has one of these names, or one of them before a period.
fn is_of(section: &str, names: &[&str]) -> bool {
    names.iter().any(|name| section.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::{Section, TestElf};

    const WRITABLE: u32 = 1;

    fn of(sections: Vec<Section>, undefined: Vec<&'static str>) -> ForeignVariables {
        let mut object = TestElf::arm_object();
        object.sections = sections;
        object.undefined = undefined;
        ForeignVariables::of(&[LinkInput { name: "a.o".to_owned(), bytes: object.bytes() }])
    }

    #[test]
    fn variables_are_initialised_or_zeroed() {
        let values = |name| Section::loaded(name, 0, WRITABLE, vec![1; 4]);
        let sections = vec![
            values(".data.a"),
            values(".fast"),
            values("steps"),
            values(".noinit"),
            values(".uninitialized_data.b"),
            Section::loaded("table", 0, 0, vec![1; 4]),
            Section::zeroed(".bss.c", 0, 4),
            Section::zeroed("buffers", 0, 4),
        ];
        let found = of(sections, vec!["__start_steps", "__start_absent", "other"]);
        assert_eq!(
            found.values(),
            " *input-*.o(\".fast\") *input-*.a:*(\".fast\") . = ALIGN(8); PROVIDE(__start_steps = .); \
             KEEP(*input-*.o(steps)) KEEP(*input-*.a:*(steps)) PROVIDE(__stop_steps = .);"
        );
        assert_eq!(found.zeros(), " *input-*.o(\"buffers\") *input-*.a:*(\"buffers\")");
    }

    #[test]
    fn a_script_contains_only_names() {
        let values = |name| Section::loaded(name, 0, WRITABLE, vec![1; 4]);
        let found = of(vec![values("a\"b"), values("a)")], vec!["__start_a)", "__stop_a\"b"]);
        assert_eq!(found.values(), " *input-*.o(\"a)\") *input-*.a:*(\"a)\")");
    }
}
