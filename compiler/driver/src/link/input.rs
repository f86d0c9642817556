//! What other languages were compiled to: objects and archives, checked before the linker sees them.
//!
//! In: paths of `--link` and a target. Out: their content, or one diagnostic for each file that cannot be linked. Then
//! holds: every object is relocatable ELF for the target's machine, calls by its convention for floats, and asks for no
//! later core.

use crate::{project::Placed, source_files::reason};
use clef_base::{Diagnostic, codes};
use clef_target::{FloatAbi, LinkerEmulation, Target};
use goblin::{
    archive::Archive,
    elf::{
        Elf,
        header::{EM_AARCH64, EM_ARM, EM_X86_64, ET_REL},
    },
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// An object or archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkInput {
    /// Its name on the command line.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// How an archive begins.
const ARCHIVE: &[u8] = b"!<arch>\n";
/// How an archive begins that only names its objects.
const THIN_ARCHIVE: &[u8] = b"!<thin>\n";
/// How an ELF file begins.
const ELF: &[u8] = b"\x7fELF";

impl LinkInput {
    /// A name for the linker.
    pub(super) fn file_name(&self, index: usize) -> String {
        let ending = if self.bytes.starts_with(ARCHIVE) { "a" } else { "o" };
        format!("input-{index}.{ending}")
    }
}

/// Reads and checks all files in order: those that projects name, then those of the command line.
pub(crate) fn read_inputs(
    named: &[Placed<PathBuf>],
    paths: &[PathBuf],
    target: &Target,
) -> Result<Vec<LinkInput>, Vec<Diagnostic>> {
    let (mut inputs, mut diagnostics) = (Vec::new(), Vec::new());
    let named = named.iter().map(|placed| (&placed.value, Some(placed.span)));
    for (path, span) in named.chain(paths.iter().map(|path| (path, None))) {
        match read(path, target) {
            Ok(input) => inputs.push(input),
            Err(diagnostic) => diagnostics.push(match span {
                Some(span) => diagnostic.also(span, "named here"),
                None => *diagnostic,
            }),
        }
    }
    if diagnostics.is_empty() { Ok(inputs) } else { Err(diagnostics) }
}

fn read(path: &Path, target: &Target) -> Result<LinkInput, Box<Diagnostic>> {
    let name = path.display().to_string();
    let unreadable = |reason: String| {
        Box::new(Diagnostic::general(codes::UNREADABLE_FILE, format!("cannot read `{name}`: {reason}")))
    };
    if path.is_dir() {
        return Err(unreadable("it is a directory".to_owned()));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(reason(&error)))?;
    check(&bytes, target).map_err(|unfit| {
        let message = format!("`{name}` cannot be linked: {}", unfit.reason);
        Box::new(Diagnostic::general(codes::UNFIT_LINK_INPUT, message).help(unfit.help))
    })?;
    Ok(LinkInput { name, bytes })
}

/// Why a file cannot be linked, and what to do.
#[derive(Debug)]
struct Unfit {
    reason: String,
    help: String,
}

fn unfit(reason: impl Into<String>, help: impl Into<String>) -> Result<(), Unfit> {
    Err(Unfit { reason: reason.into(), help: help.into() })
}

fn check(bytes: &[u8], target: &Target) -> Result<(), Unfit> {
    const FORM: &str = "give an object (.o) or an archive (.a) of the target";
    if bytes.starts_with(ELF) {
        return object(bytes, target);
    }
    if bytes.starts_with(THIN_ARCHIVE) {
        return unfit(
            "it is a thin archive, which holds no objects",
            "make a whole one: `ar rc lib.a …` without `--thin`",
        );
    }
    if !bytes.starts_with(ARCHIVE) {
        return unfit("it is neither an ELF object nor an archive", FORM);
    }
    let archive = match Archive::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => return unfit(format!("the archive is broken: {error}"), FORM),
    };
    for member in archive.members() {
        let content = archive.extract(member, bytes).unwrap_or_default();
        if !content.starts_with(ELF) {
            return unfit(format!("its member `{member}` is no ELF object"), FORM);
        }
        object(content, target)
            .map_err(|unfit| Unfit { reason: format!("in `{member}`, {}", unfit.reason), ..unfit })?;
    }
    Ok(())
}

fn object(bytes: &[u8], target: &Target) -> Result<(), Unfit> {
    let compile = format!("compile it for the target: `clang --target={} -mcpu={} -c`", target.triple, target.cpu);
    let elf = match Elf::parse(bytes) {
        Ok(elf) => elf,
        Err(error) => return unfit(format!("the object is broken: {error}"), compile),
    };
    let (machine, is_64, name) = match target.linker {
        LinkerEmulation::Armelf => (EM_ARM, false, "32-bit Arm"),
        LinkerEmulation::Aarch64elf => (EM_AARCH64, true, "AArch64"),
        LinkerEmulation::ElfX86_64 => (EM_X86_64, true, "x86-64"),
    };
    if elf.header.e_machine != machine || elf.is_64 != is_64 || !elf.little_endian {
        return unfit(format!("it is not for little-endian {name}, as `{}` is", target.name), compile);
    }
    if elf.header.e_type != ET_REL {
        return unfit("it is linked already", "give what the compiler makes of one source file, with `-c`");
    }
    match target.linker {
        LinkerEmulation::Armelf => arm(&Attributes::of(&elf, bytes), target, compile),
        LinkerEmulation::Aarch64elf | LinkerEmulation::ElfX86_64 => Ok(()),
    }
}

/// The core and the convention for floats that an object for 32-bit Arm asks for.
fn arm(attributes: &Attributes, target: &Target, compile: String) -> Result<(), Unfit> {
    let convention = match attributes.float_arguments {
        0 => Some(FloatAbi::Soft),
        1 => Some(FloatAbi::Hard),
        _ => None,
    };
    if convention.is_some_and(|convention| convention != target.float_abi) {
        let (has, wants) = match target.float_abi {
            FloatAbi::Soft => ("floating-point registers", "integer registers"),
            FloatAbi::Hard => ("integer registers", "floating-point registers"),
        };
        let reason = format!("it passes floats in {has}, and `{}` passes them in {wants}", target.name);
        return unfit(reason, compile);
    }
    if !matches!(attributes.profile, 0 | b'M') {
        return unfit("it is for cores that are no Cortex-M", compile);
    }
    if attributes.core != 0 && !cores(&target.triple).contains(&attributes.core) {
        return unfit(format!("it is for another core than `{}` has", target.name), compile);
    }
    Ok(())
}

/// The values of `Tag_CPU_arch` whose code runs on a core (Addenda to the ABI for the Arm Architecture, 3.3.5.2).
fn cores(triple: &str) -> &'static [u64] {
    const V6M: [u64; 2] = [11, 12];
    const V7M: [u64; 3] = [10, 11, 12];
    const V7EM: [u64; 4] = [10, 11, 12, 13];
    const V8M_MAIN: [u64; 6] = [10, 11, 12, 13, 16, 17];
    match triple.split('-').next() {
        Some("thumbv6m") => &V6M,
        Some("thumbv7m") => &V7M,
        Some("thumbv7em") => &V7EM,
        _ => &V8M_MAIN,
    }
}

/// The build attributes of an object for 32-bit Arm that matter here; those that it lacks are zero.
#[derive(Debug, Default)]
struct Attributes {
    /// `Tag_CPU_arch`.
    core: u64,
    /// `Tag_CPU_arch_profile`.
    profile: u8,
    /// `Tag_ABI_VFP_args`.
    float_arguments: u64,
}

impl Attributes {
    /// Reads the section of attributes: `A`, then subsections of a length, a vendor's name, and scopes of attributes.
    fn of(elf: &Elf<'_>, bytes: &[u8]) -> Attributes {
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

    /// Scopes: a tag, a length that counts both, and attributes; only that of the whole file matters.
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
                28 => self.float_arguments = number(&mut rest).unwrap_or_default(),
                tag if tag > 32 && tag % 2 == 1 => drop(name(&mut rest)),
                _ => drop(number(&mut rest)),
            }
        }
    }
}

/// Splits off what a length of four bytes covers, which counts itself and `before` bytes before it.
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

/// A name that ends with a zero.
fn name<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let (name, rest) = bytes.split_at(end);
    *bytes = &rest[1..];
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_elf::TestElf;
    use clef_target::{Request, Resolver};
    use std::io;

    fn target(name: &str) -> Target {
        let mut sources = clef_base::SourceMap::default();
        let no_files = |_: &Path| Err(io::ErrorKind::NotFound.into());
        let mut resolver = Resolver::new(&mut sources, &no_files);
        resolver.machine(Request::Target(name)).expect("the shipped target is sound").target.value
    }

    fn archive(name: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = ARCHIVE.to_vec();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, content.len());
        bytes.extend(header.as_bytes());
        bytes.extend(content);
        bytes
    }

    #[test]
    fn objects_must_be_for_the_target() {
        let object = TestElf::arm_object().bytes();
        assert!(check(&object, &target("thumbv6m")).is_ok());
        assert!(check(&archive("a.o/", &object), &target("thumbv6m")).is_ok());
        let reason = |bytes: &[u8], name: &str| check(bytes, &target(name)).expect_err("it is unfit").reason;
        assert_eq!(reason(&object, "x86_64-none"), "it is not for little-endian x86-64, as `x86_64-none` is");
        assert_eq!(
            reason(&archive("a.o/", &object), "aarch64-none"),
            "in `a.o`, it is not for little-endian AArch64, as `aarch64-none` is"
        );
        assert_eq!(
            reason(&object, "thumbv7em-hf"),
            "it passes floats in integer registers, and `thumbv7em-hf` passes them in floating-point registers"
        );
        assert_eq!(reason(&archive("a.txt/", b"text"), "thumbv6m"), "its member `a.txt` is no ELF object");
        assert_eq!(reason(b"int main;", "thumbv6m"), "it is neither an ELF object nor an archive");
        assert_eq!(reason(b"!<thin>\n", "thumbv6m"), "it is a thin archive, which holds no objects");
    }

    #[test]
    fn a_later_core_is_refused() {
        let of = |core, profile| Attributes { core, profile, float_arguments: 0 };
        let fits = |attributes: &Attributes, name: &str| arm(attributes, &target(name), String::new()).is_ok();
        assert!(fits(&of(12, b'M'), "thumbv6m"));
        assert!(!fits(&of(13, b'M'), "thumbv6m"));
        assert!(fits(&of(13, b'M'), "thumbv7em"));
        assert!(!fits(&of(10, b'A'), "thumbv7m"));
        assert!(fits(&Attributes::default(), "thumbv7m"));
    }

    #[test]
    fn attributes_are_read() {
        // Tag_CPU_name "m4", Tag_CPU_arch v7E-M, profile M, Tag_ABI_VFP_args 1, in the scope of the file.
        let mut read = Attributes::default();
        let content = [5, b'm', b'4', 0, 6, 13, 7, b'M', 28, 1];
        let mut scope = vec![1];
        scope.extend((content.len() as u32 + 5).to_le_bytes());
        scope.extend(content);
        read.scopes(&scope);
        assert_eq!((read.core, read.profile, read.float_arguments), (13, b'M', 1));
    }

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        let mut bytes: &[u8] = &[0x80, 0x01, 0x05];
        assert_eq!((number(&mut bytes), number(&mut bytes), number(&mut bytes)), (Some(128), Some(5), None));
    }
}
