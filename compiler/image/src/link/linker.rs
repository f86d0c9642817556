//! Runs LLD on files in a temporary directory, and parses its messages.

use super::{Link, LinkInput};
use clef_base::{Diagnostic, codes};
use clef_descriptors::{Boot, Target};
use clef_host::cleanup::TemporaryDirectory;
use clef_lld::Outcome;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Something that the linker rejects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Complaint {
    /// A memory region is too small.
    Overflow,
    /// An undefined symbol; its uses, as far as the linker reports them.
    Undefined { symbol: String, uses: Vec<String> },
    /// A symbol that is defined more than once; the files that define it.
    Duplicate { symbol: String, files: Vec<String> },
    /// Anything else; the files concerned, as far as the linker reports them.
    Other { text: String, files: Vec<String> },
}

impl Complaint {
    pub(super) fn is_overflow(&self) -> bool {
        match self {
            Complaint::Overflow => true,
            Complaint::Undefined { .. } | Complaint::Duplicate { .. } | Complaint::Other { .. } => false,
        }
    }

    /// What is wrong, without the files.
    fn into_text(self) -> String {
        match self {
            Complaint::Overflow => "a memory region is too small".to_owned(),
            Complaint::Undefined { symbol, .. } => format!("undefined symbol `{symbol}`"),
            Complaint::Duplicate { symbol, .. } => format!("duplicate symbol `{symbol}`"),
            Complaint::Other { text, .. } => text,
        }
    }

    /// The diagnostic; a symbol that the program names by `Extern` or `Export` is reported there.
    pub(super) fn into_diagnostic(self, link: &Link<'_>) -> Diagnostic {
        match self {
            Complaint::Overflow => Diagnostic::general(codes::IMAGE_TOO_LARGE, "the program does not fit"),
            Complaint::Undefined { symbol, uses } => {
                let message = format!("undefined symbol `{symbol}`");
                if let Some(import) = link.imports.iter().find(|import| import.symbol.as_str() == symbol) {
                    let help = match import.library {
                        Some(library) => {
                            format!("link the library `{library}` with `--link FILE`, an object or an archive")
                        }
                        None => "link its definition with `--link FILE`, an object or an archive".to_owned(),
                    };
                    return Diagnostic::error(codes::UNDEFINED_SYMBOL, import.span, message).help(help);
                }
                let diagnostic = uses
                    .into_iter()
                    .fold(Diagnostic::general(codes::UNDEFINED_SYMBOL, message), |all, one| all.note(one));
                diagnostic.help("define it, or link an object that does: images contain no C library")
            }
            Complaint::Duplicate { symbol, files } => {
                let message = format!("duplicate symbol `{symbol}`");
                let export = link.exports.iter().find(|export| export.symbol.as_str() == symbol);
                let diagnostic = match export {
                    Some(export) => Diagnostic::error(codes::DUPLICATE_SYMBOL, export.span, message),
                    None => Diagnostic::general(codes::DUPLICATE_SYMBOL, message),
                };
                let places = files.iter().map(|file| format!("{} defines it", definer(file, link.inputs)));
                places.fold(diagnostic, Diagnostic::note).help("rename one of them, or link only one of the files")
            }
            Complaint::Other { text, files } => {
                let text = with_names(&text, link.inputs);
                let named = files.iter().filter_map(|file| name_of(file, link.inputs));
                let message = match named.into_iter().find(|name| !text.contains(*name)) {
                    Some(name) => format!("the linker rejected `{name}`: {text}"),
                    None => format!("the linker failed: {text}"),
                };
                Diagnostic::general(codes::LINK_FAILED, message)
            }
        }
    }
}

/// Links with a script. The outer error means that there was no place for its files, or that the linker crashed.
pub(super) fn run(link: &Link<'_>, script: &str) -> Result<Result<Vec<u8>, Vec<Complaint>>, Diagnostic> {
    let directory = TemporaryDirectory::new("link")?;
    let path = |name: &str| directory.path().join(name);
    let inputs = link.inputs.iter().enumerate().map(|(index, input)| (input.file_name(index), input.bytes.as_slice()));
    let program = link.objects.iter().enumerate().map(|(index, object)| (program_file(index), object.as_slice()));
    let own = [("memory.a", link.memory_routines), ("builtins.a", link.builtins), ("script.ld", script.as_bytes())];
    for (name, content) in
        own.map(|(name, content)| (name.to_owned(), content)).into_iter().chain(program).chain(inputs)
    {
        fs::write(path(&name), content).map_err(|error| unusable_directory(&error))?;
    }
    match clef_lld::link(&arguments(link, directory.path())) {
        Outcome::Linked => fs::read(path("image.elf")).map(Ok).map_err(|error| unusable_directory(&error)),
        Outcome::Rejected(messages) => Ok(Err(complaints(&messages))),
        Outcome::Crashed => Err(crashed(link, directory.path())),
    }
}

/// Links objects and what they need of archives to one relocatable object, with what the symbols in `roots` need, and with
/// further definitions of symbols.
pub(crate) fn relocatable(
    objects: &[Vec<u8>],
    archives: &[&[u8]],
    roots: &[&str],
    definitions: &[String],
    target: &Target,
) -> Result<Vec<u8>, Diagnostic> {
    let directory = TemporaryDirectory::new("link")?;
    let path = |name: &str| directory.path().join(name);
    let objects = objects.iter().enumerate().map(|(index, object)| (program_file(index), object.as_slice()));
    let archives = archives.iter().enumerate().map(|(index, archive)| (format!("routines{index}.a"), *archive));
    let script = path("script.ld");
    fs::write(&script, DISCARDING).map_err(|error| unusable_directory(&error))?;
    let mut arguments: Vec<PathBuf> =
        ["-m", target.linker.name(), "-r", "--gc-sections", "--force-group-allocation", "-T"].map(PathBuf::from).into();
    arguments.push(script);
    arguments.extend(roots.iter().map(|root| format!("--undefined={root}").into()));
    arguments.extend(definitions.iter().map(|definition| format!("--defsym={definition}").into()));
    arguments.extend(["-o".into(), path("whole.o")]);
    for (name, content) in objects.chain(archives) {
        fs::write(path(&name), content).map_err(|error| unusable_directory(&error))?;
        arguments.push(path(&name));
    }
    match clef_lld::link(&arguments) {
        Outcome::Linked => fs::read(path("whole.o")).map_err(|error| unusable_directory(&error)),
        Outcome::Rejected(messages) => {
            Err(Diagnostic::general(codes::LINK_FAILED, format!("the linker failed: {}", messages.trim())))
        }
        Outcome::Crashed => Err(Diagnostic::general(codes::LINK_FAILED, "the linker crashed")),
    }
}

/// Gives the code of a relocatable object addresses, as if it were part of a program: the result is only to be read. Each symbol in
/// `undefined` has `gap` bytes without content, after all code. The inner error is what the linker says.
pub(crate) fn placed(
    object: &[u8],
    undefined: &[&str],
    gap: u64,
    target: &Target,
) -> Result<Result<Vec<u8>, String>, Diagnostic> {
    let directory = TemporaryDirectory::new("link")?;
    let path = |name: &str| directory.path().join(name);
    let others: String = undefined.iter().map(|symbol| format!("\"{symbol}\" = .; . = . + {gap};\n")).collect();
    let sections = format!(".text : {{ *(.text .text.*) }}\n.others : {{\n{others}}}\n");
    let script = format!("SECTIONS {{\n. = {START:#x};\n{sections}}}\n");
    for (name, content) in [("whole.o", object), ("script.ld", script.as_bytes())] {
        fs::write(path(name), content).map_err(|error| unusable_directory(&error))?;
    }
    let options = ["-m", target.linker.name(), "-static", "-e", "0", "-T"].map(PathBuf::from);
    let files = [path("script.ld"), "-o".into(), path("image.elf"), path("whole.o")];
    match clef_lld::link(&[&options[..], &files[..]].concat()) {
        Outcome::Linked => fs::read(path("image.elf")).map(Ok).map_err(|error| unusable_directory(&error)),
        Outcome::Rejected(messages) => {
            let messages = complaints(&messages).into_iter().next();
            Ok(Err(messages.map(Complaint::into_text).unwrap_or_default()))
        }
        Outcome::Crashed => Err(Diagnostic::general(codes::LINK_FAILED, "the linker crashed")),
    }
}

/// Where code begins whose addresses do not matter.
const START: u64 = 0x10_0000;

/// Sections that are only for images and their bounds.
const DISCARDING: &str = "SECTIONS { /DISCARD/ : { *(.stack_sizes) *(.llvm_addrsig) *(.boot_block.*) } }\n";

/// The name of an object of the program.
fn program_file(index: usize) -> String {
    format!("program{index}.o")
}

/// A crash is the fault of a broken object: the first one on which the linker fails alone.
fn crashed(link: &Link<'_>, directory: &Path) -> Diagnostic {
    let is_broken = |file: &String| {
        let arguments = ["-m", link.target.linker.name(), "-r", "--whole-archive", "-o"].map(PathBuf::from);
        let arguments = [&arguments[..], &[directory.join("alone.o"), directory.join(file)]].concat();
        clef_lld::link(&arguments) != Outcome::Linked
    };
    let files: Vec<String> = (0..).zip(link.inputs).map(|(index, input)| input.file_name(index)).collect();
    let culprit = files.iter().find(|file| is_broken(file)).or(files.first().filter(|_| files.len() == 1));
    let message = match culprit {
        Some(file) => format!("the linker crashed on {}: the object is malformed", definer(file, link.inputs)),
        None if files.is_empty() => "the linker crashed".to_owned(),
        None => "the linker crashed: one of the objects is malformed".to_owned(),
    };
    let diagnostic = Diagnostic::general(codes::LINK_FAILED, message);
    match files.is_empty() {
        true => diagnostic,
        false => diagnostic.help("compile it again; no compiler produces such an object"),
    }
}

fn arguments(link: &Link<'_>, directory: &Path) -> Vec<PathBuf> {
    let mut arguments: Vec<PathBuf> =
        ["-m", link.target.linker.name(), "--gc-sections", "--static", "--no-check-sections", "--build-id=none"]
            .map(PathBuf::from)
            .into();
    // A process is mapped by pages; elsewhere alignment to pages only wastes space.
    match link.board.boot {
        Boot::Linux => {}
        Boot::CortexM | Boot::Aarch64 | Boot::Pvh => arguments.push("--nmagic".into()),
    }
    arguments.push("-T".into());
    arguments.push(directory.join("script.ld"));
    arguments.push("-o".into());
    arguments.push(directory.join("image.elf"));
    arguments.extend((0..link.objects.len()).map(|index| directory.join(program_file(index))));
    arguments.extend(link.inputs.iter().enumerate().map(|(index, input)| directory.join(input.file_name(index))));
    if link.smallest {
        arguments.push(directory.join("memory.a"));
    }
    arguments.push(directory.join("builtins.a"));
    arguments
}

fn unusable_directory(error: &io::Error) -> Diagnostic {
    Diagnostic::general(codes::NO_TEMPORARY_FILE, format!("cannot use a temporary directory: {error}"))
        .help("free space in it, or choose another one with the environment variable TMPDIR")
}

/// Parses lld's messages, without its name, addresses of temporary files, and repetitions.
fn complaints(text: &str) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> = Vec::new();
    for line in text.lines() {
        if let Some((_, message)) = line.split_once("error: ") {
            complaints.push(complaint(message));
            continue;
        }
        let Some(place) = line.strip_prefix(">>> ") else { continue };
        match complaints.last_mut() {
            Some(Complaint::Undefined { uses, .. }) => uses.extend(readable_use(place)),
            Some(Complaint::Duplicate { files, .. } | Complaint::Other { files, .. }) => files.extend(file_of(place)),
            Some(Complaint::Overflow) | None => {}
        }
    }
    if complaints.is_empty() {
        complaints.push(other(text.trim()));
    }
    complaints.dedup();
    complaints
}

fn complaint(message: &str) -> Complaint {
    if message.contains("will not fit in region") {
        Complaint::Overflow
    } else if let Some(symbol) = message.strip_prefix("undefined symbol: ") {
        Complaint::Undefined { symbol: symbol.to_owned(), uses: Vec::new() }
    } else if let Some(symbol) = message.strip_prefix("duplicate symbol: ") {
        Complaint::Duplicate { symbol: symbol.to_owned(), files: Vec::new() }
    } else {
        other(message)
    }
}

fn other(text: &str) -> Complaint {
    Complaint::Other { text: text.to_owned(), files: Vec::new() }
}

/// `…/program0.o:(main)` as `it is used in main`.
fn readable_use(text: &str) -> Option<String> {
    let (_, function) = text.split_once(":(")?;
    Some(format!("it is used in `{}`", function.strip_suffix(')')?))
}

/// The linker's input file in `…/input-0.o:(used)` or `sine.o:(.text+0x0) in archive …/input-1.a`.
fn file_of(text: &str) -> Option<String> {
    let (object, place) = text.split_once(":(")?;
    let file = place.split_once(" in archive ").map_or(object, |(_, archive)| archive);
    Some(Path::new(file.trim()).file_name()?.to_string_lossy().into_owned())
}

/// Replaces the linker's file names in a message by the user's.
fn with_names(text: &str, inputs: &[LinkInput]) -> String {
    let mut text = text.to_owned();
    for (index, input) in inputs.iter().enumerate() {
        let file = input.file_name(index);
        while let Some(place) = text.find(&file) {
            let before =
                text[..place].rfind(|c: char| c.is_whitespace() || "('\"".contains(c)).map_or(0, |end| end + 1);
            let name = input.name.replace(&file, "");
            text.replace_range(before..place + file.len(), &name);
        }
    }
    text
}

/// A description of what a linker input file defines.
fn definer(file: &str, inputs: &[LinkInput]) -> String {
    name_of(file, inputs).map_or_else(|| "the program or its runtime".to_owned(), |name| format!("`{name}`"))
}

/// The user's name of a linker input file, if it is the user's.
fn name_of<'a>(file: &str, inputs: &'a [LinkInput]) -> Option<&'a str> {
    let mut named = inputs.iter().enumerate().map(|(index, input)| (input.file_name(index), input.name.as_str()));
    named.find(|(name, _)| name == file).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_that_the_user_gave() {
        let input = |name: &str| LinkInput { name: name.to_owned(), bytes: Vec::new() };
        let inputs = [input("sine.o"), input("lib/cosine.o")];
        let text = "/link/input-1.o: invalid symbol index (and '/link/input-0.o')";
        assert_eq!(with_names(text, &inputs), "lib/cosine.o: invalid symbol index (and 'sine.o')");
    }

    #[test]
    fn complaints_are_read() {
        let text = "ld.lld: error: undefined symbol: sin\n>>> referenced by a\n>>>               program0.o:(main)\n\
                    ld.lld: error: section '.pool' will not fit in region 'ram': overflowed by 12 bytes\n\
                    ld.lld: error: duplicate symbol: used\n>>> defined at used.c:4 (src/used.c:4)\n\
                    >>>            work/input-0.o:(used)\n>>> defined at used.c\n\
                    >>>            used.o:(.text+0x0) in archive work/input-1.a\n\
                    ld.lld: error: section type mismatch for .ARM.attributes\n\
                    >>> work/input-0.o:(.ARM.attributes): SHT_PROGBITS\n\
                    >>> output section .ARM.attributes: SHT_ARM_ATTRIBUTES\n\
                    ld.lld: error: cannot open x\n";
        assert_eq!(
            complaints(text),
            [
                Complaint::Undefined { symbol: "sin".into(), uses: vec!["it is used in `main`".into()] },
                Complaint::Overflow,
                Complaint::Duplicate { symbol: "used".into(), files: vec!["input-0.o".into(), "input-1.a".into()] },
                Complaint::Other {
                    text: "section type mismatch for .ARM.attributes".into(),
                    files: vec!["input-0.o".into()]
                },
                other("cannot open x"),
            ]
        );
        assert_eq!(complaints("Killed"), [other("Killed")]);
    }
}
