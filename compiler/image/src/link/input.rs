//! Objects and archives of other languages, checked before linking.
//!
//! In: paths of `--link` and a target. Out: their content, or one diagnostic for each file that cannot be linked. Then
//! holds: every object is relocatable ELF for the target's machine, calls by its convention for floats, and requires no
//! later core.

use super::attributes::Attributes;
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Core, FloatAbi, LinkerEmulation, Target};
use clef_host::user_files::UserFiles;
use clef_project::Placed;
use goblin::{
    archive::Archive,
    elf::{
        Elf,
        header::{EM_AARCH64, EM_ARM, EM_X86_64, ET_REL},
    },
};
use std::path::{Path, PathBuf};

/// An object or archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkInput {
    /// Its name on the command line.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The section of the addresses of constructors. A number after a period is a priority, the lowest first.
pub(crate) const CONSTRUCTORS: &str = ".init_array";

/// The magic number of an archive.
const ARCHIVE: &[u8] = b"!<arch>\n";
/// The magic number of an archive that only names its objects.
const THIN_ARCHIVE: &[u8] = b"!<thin>\n";
/// The magic number of LLVM bitcode.
const BITCODE: &[u8] = b"BC\xc0\xde";
/// The magic number of an ELF file.
const ELF: &[u8] = b"\x7fELF";

impl LinkInput {
    /// An object or archive named `name`, if it can be linked into images for the target.
    pub fn new(name: String, bytes: Vec<u8>, target: &Target) -> Result<LinkInput, Box<Diagnostic>> {
        match check(&bytes, target) {
            Ok(()) => Ok(LinkInput { name, bytes }),
            Err(unsuitable) => {
                let message = format!("`{name}` cannot be linked: {}", unsuitable.reason);
                Err(Box::new(Diagnostic::general(codes::INCOMPATIBLE_LINK_INPUT, message).help(unsuitable.help)))
            }
        }
    }

    /// Whether an object has functions that run before the program, the constructors of C and C++.
    pub fn has_constructors(&self) -> bool {
        let has = |object: &[u8]| {
            let Ok(elf) = Elf::parse(object) else { return false };
            let names = elf.section_headers.iter().filter_map(|section| elf.shdr_strtab.get_at(section.sh_name));
            names.into_iter().any(|name| name == CONSTRUCTORS || name.starts_with(&format!("{CONSTRUCTORS}.")))
        };
        self.objects().into_iter().any(has)
    }

    /// The object, or those of the archive.
    pub(super) fn objects(&self) -> Vec<&[u8]> {
        let Ok(archive) = Archive::parse(&self.bytes) else { return vec![&self.bytes] };
        let members = (0..archive.len()).filter_map(|index| archive.get_at(index));
        let content = |start: usize, size| self.bytes.get(start..start.saturating_add(size));
        members.filter_map(|member| content(member.offset as usize, member.size())).collect()
    }

    /// A name for the linker.
    pub(super) fn file_name(&self, index: usize) -> String {
        let ending = if self.bytes.starts_with(ARCHIVE) { "a" } else { "o" };
        format!("input-{index}.{ending}")
    }
}

/// Reads and checks all files in order: those that projects name, then those of the command line.
pub fn read_inputs(
    files: &UserFiles,
    named: &[Placed<PathBuf>],
    paths: &[PathBuf],
    target: &Target,
) -> Result<Vec<LinkInput>, Vec<Diagnostic>> {
    let (mut inputs, mut diagnostics) = (Vec::new(), Vec::new());
    let named = named.iter().map(|placed| (&placed.value, Some(placed.span)));
    for (path, span) in named.chain(paths.iter().map(|path| (path, None))) {
        match read(files, path, target) {
            Ok(input) => inputs.push(input),
            Err(diagnostic) => diagnostics.push(match span {
                Some(span) => diagnostic.also(span, "named here"),
                None => *diagnostic,
            }),
        }
    }
    if diagnostics.is_empty() { Ok(inputs) } else { Err(diagnostics) }
}

fn read(files: &UserFiles, path: &Path, target: &Target) -> Result<LinkInput, Box<Diagnostic>> {
    let bytes = files.bytes(path).map_err(Box::new)?;
    LinkInput::new(path.display().to_string(), bytes, target)
}

/// Why a file cannot be linked, and what to do.
#[derive(Debug)]
struct Unsuitable {
    reason: String,
    help: String,
}

fn unsuitable(reason: impl Into<String>, help: impl Into<String>) -> Result<(), Unsuitable> {
    Err(Unsuitable { reason: reason.into(), help: help.into() })
}

fn check(bytes: &[u8], target: &Target) -> Result<(), Unsuitable> {
    const WITHOUT_BITCODE: &str = "compile to machine code, without `-flto`";
    const FORM: &str = "pass an object (.o) or an archive (.a) for the target";
    if bytes.starts_with(ELF) {
        return object(bytes, target);
    }
    if bytes.starts_with(THIN_ARCHIVE) {
        return unsuitable(
            "it is a thin archive, which contains no objects",
            "create a regular one: `ar rc lib.a …` without `--thin`",
        );
    }
    if bytes.starts_with(BITCODE) {
        return unsuitable("it contains LLVM bitcode", WITHOUT_BITCODE);
    }
    if !bytes.starts_with(ARCHIVE) {
        return unsuitable("it is neither an ELF object nor an archive", FORM);
    }
    let archive = match Archive::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => return unsuitable(format!("the archive is malformed: {error}"), FORM),
    };
    for member in (0..archive.len()).filter_map(|index| archive.get_at(index)) {
        let (name, start) = (member.extended_name(), member.offset as usize);
        let content = bytes.get(start..start.saturating_add(member.size())).unwrap_or_default();
        if content.starts_with(BITCODE) {
            return unsuitable(format!("its member `{name}` contains LLVM bitcode"), WITHOUT_BITCODE);
        }
        if !content.starts_with(ELF) {
            return unsuitable(format!("its member `{name}` is not an ELF object"), FORM);
        }
        object(content, target)
            .map_err(|unsuitable| Unsuitable { reason: format!("in `{name}`, {}", unsuitable.reason), ..unsuitable })?;
    }
    Ok(())
}

fn object(bytes: &[u8], target: &Target) -> Result<(), Unsuitable> {
    let compile = format!("compile it for the target: `clang --target={} -mcpu={} -c`", target.triple, target.cpu);
    let elf = match Elf::parse(bytes) {
        Ok(elf) => elf,
        Err(error) => return unsuitable(format!("the object is malformed: {error}"), compile),
    };
    let (machine, is_64, name) = match target.linker {
        LinkerEmulation::Armelf => (EM_ARM, false, "32-bit Arm"),
        LinkerEmulation::Aarch64elf => (EM_AARCH64, true, "AArch64"),
        LinkerEmulation::ElfX86_64 => (EM_X86_64, true, "x86-64"),
    };
    if elf.header.e_machine != machine || elf.is_64 != is_64 || !elf.little_endian {
        return unsuitable(format!("it is not for little-endian {name}, as `{}` is", target.name), compile);
    }
    if elf.header.e_type != ET_REL {
        return unsuitable("it is already linked", "pass the object of a single source file, compiled with `-c`");
    }
    match target.linker {
        LinkerEmulation::Armelf => arm(&Attributes::of(&elf, bytes), target, compile),
        LinkerEmulation::Aarch64elf | LinkerEmulation::ElfX86_64 => Ok(()),
    }
}

/// Checks the core and the convention for floats that an object for 32-bit Arm requires.
fn arm(attributes: &Attributes, target: &Target, compile: String) -> Result<(), Unsuitable> {
    let convention = match attributes.float_arguments {
        Some(0) => Some(FloatAbi::Soft),
        Some(1) => Some(FloatAbi::Hard),
        Some(_) | None => None,
    };
    if convention.is_some_and(|convention| convention != target.float_abi) {
        let (has, wants) = match target.float_abi {
            FloatAbi::Soft => ("floating-point registers", "integer registers"),
            FloatAbi::Hard => ("integer registers", "floating-point registers"),
        };
        let reason = format!("it passes floats in {has}, but `{}` passes them in {wants}", target.name);
        return unsuitable(reason, compile);
    }
    if !matches!(attributes.profile, 0 | b'M') {
        return unsuitable("it is not for Cortex-M cores", compile);
    }
    if attributes.core != 0 && !cores(target.triple.core()).contains(&attributes.core) {
        return unsuitable(format!("it is for a different core than that of `{}`", target.name), compile);
    }
    Ok(())
}

/// The values of `Tag_CPU_arch` whose code runs on a core (Addenda to the ABI for the Arm Architecture, 3.3.5.2).
fn cores(core: Option<Core>) -> &'static [u64] {
    const V6M: [u64; 2] = [11, 12];
    const V7M: [u64; 3] = [10, 11, 12];
    const V7EM: [u64; 4] = [10, 11, 12, 13];
    const V8M_MAIN: [u64; 6] = [10, 11, 12, 13, 16, 17];
    match core {
        Some(Core::Armv6M) => &V6M,
        Some(Core::Armv7M) => &V7M,
        Some(Core::Armv7EM) => &V7EM,
        Some(Core::Armv8MBaseline | Core::Armv8MMainline) | None => &V8M_MAIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::TestElf;
    use clef_descriptors::{Request, Resolver};
    use std::io;

    fn target(name: &str) -> Target {
        let mut sources = clef_base::SourceMap::default();
        let no_files = |_: &Path| Err(io::ErrorKind::NotFound.into());
        let mut resolver = Resolver::new(&mut sources, &no_files);
        resolver.machine(Request::Target(name)).expect("the shipped target must be valid").target.value
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
        let reason = |bytes: &[u8], name: &str| check(bytes, &target(name)).expect_err("it is rejected").reason;
        assert_eq!(reason(&object, "x86_64-none"), "it is not for little-endian x86-64, as `x86_64-none` is");
        assert_eq!(
            reason(&archive("a.o/", &object), "aarch64-none"),
            "in `a.o`, it is not for little-endian AArch64, as `aarch64-none` is"
        );
        assert_eq!(reason(&archive("a.txt/", b"text"), "thumbv6m"), "its member `a.txt` is not an ELF object");
        assert_eq!(reason(b"int main;", "thumbv6m"), "it is neither an ELF object nor an archive");
        assert_eq!(reason(b"BC\xc0\xde..", "thumbv6m"), "it contains LLVM bitcode");
        assert_eq!(reason(b"!<thin>\n", "thumbv6m"), "it is a thin archive, which contains no objects");
    }

    #[test]
    fn floats_must_be_passed_alike() {
        let of = |float_arguments| Attributes { core: 13, profile: b'M', float_arguments };
        let check = |float_arguments, name: &str| arm(&of(float_arguments), &target(name), String::new());
        let reason = check(Some(0), "thumbv7em-hf").expect_err("it is rejected").reason;
        assert_eq!(
            reason,
            "it passes floats in integer registers, but `thumbv7em-hf` passes them in floating-point registers"
        );
        assert!(check(Some(1), "thumbv7em").is_err());
        assert!(check(Some(1), "thumbv7em-hf").is_ok() && check(Some(0), "thumbv7em").is_ok());
        assert!(check(None, "thumbv7em-hf").is_ok() && check(Some(3), "thumbv7em-hf").is_ok());
    }

    #[test]
    fn a_later_core_is_refused() {
        let of = |core, profile| Attributes { core, profile, float_arguments: Some(0) };
        let fits = |attributes: &Attributes, name: &str| arm(attributes, &target(name), String::new()).is_ok();
        assert!(fits(&of(12, b'M'), "thumbv6m"));
        assert!(!fits(&of(13, b'M'), "thumbv6m"));
        assert!(fits(&of(13, b'M'), "thumbv7em"));
        assert!(!fits(&of(10, b'A'), "thumbv7m"));
        assert!(fits(&Attributes::default(), "thumbv7m"));
    }
}
