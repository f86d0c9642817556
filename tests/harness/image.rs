//! Images: comments in the programs of `image/` describe the products of `clefc`, in a separate directory.
//!
//! - `// build: --board microbit -O z` are the arguments. A file with the program's name that ends in `.yaml` is
//!   available as a descriptor.
//! - `// products: hello.elf hello.bin` are the products, and there must be no others; the ELF file comes first.
//! - `// status: 1` is the status, if it is not 0.
//! - `// report: text` is part of a line of the output, in order.
//! - `// flash: 1023` is the maximum number of bytes in flash.
//! - `// absent: text` is part of no symbol.
//! - `// code: none` says that nothing of the program is left; otherwise something must be.
//! - `// not in flash: text` is not in the loaded bytes.
//! - `// symbol: name .section 16` is a symbol, its section, and the alignment of its address.
//!
//! For every image: the only visible symbols are its entries, those of the linker script and those that a debug probe
//! searches for; there is no allocator but the regions; and the other formats of the image have the bytes that the ELF
//! file loads. The same holds for the examples on boards without an emulator, for which they are built in all formats.

use crate::{ROOT, board::LEVELS, compiler::clefc_in, directives, entries, stem};
use clef_base::Bytes;
use clef_descriptors::Board;
use clef_types::interrupt_symbol::INTERRUPT;
use goblin::elf::{
    Elf,
    program_header::PT_LOAD,
    sym::{STB_LOCAL, STT_FUNC, Sym},
};
use libtest_mimic::{Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where the processor enters an image, at reset and at a fault, and what such assembly calls.
const ENTRIES: [&str; 9] = [
    "_start",
    "clef_fault_entry",
    "clef_fault_report",
    "clef_fault_skip",
    "clef_fault_stop",
    "clef_aarch64_main",
    "clef_linux_main",
    "clef_pvh_main",
    "clef_trap_report",
];

/// The symbol that a debug probe searches for: the buffers of a console over Real-Time Transfer.
const PROBED: &str = "_SEGGER_RTT";

/// The prefix of the names of the linker script.
const SCRIPT: &str = "__clef_";

/// The trial of a program.
pub(crate) fn trial(path: PathBuf) -> Trial {
    Trial::test(format!("image::{}", stem(&path)), move || check(&path))
}

fn check(path: &Path) -> Result<(), Failed> {
    let source = fs::read_to_string(path)?;
    let name = stem(path);
    let directory = directory(&name)?;
    let file = format!("{name}.clef");
    let build = directives(&source, "build").pop().unwrap_or_default();
    let arguments: Vec<&str> = build.split_whitespace().chain([file.as_str()]).collect();
    let call = clefc_in(&directory, &arguments, b"")?;
    let status = directives(&source, "status").pop().map_or(Ok(0), |status| status.parse())?;
    if call.status != Some(status) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), call.status, call.errors).into());
    }
    let mut lines = call.errors.lines();
    for wanted in directives(&source, "report") {
        if !lines.any(|line| line.contains(&wanted)) {
            return Err(format!("there is no `{wanted}`, or not in this order, in:\n{}", call.errors).into());
        }
    }
    let products = directives(&source, "products").pop().unwrap_or_default();
    let products: Vec<&str> = products.split_whitespace().collect();
    only(&directory, &products)?;
    let Some(image) = products.first() else { return Ok(()) };
    let bytes = fs::read(directory.join(image))?;
    let elf = Elf::parse(&bytes)?;
    let has_code = directives(&source, "code") != ["none"];
    symbols(&elf, &directives(&source, "absent"), has_code, &[])?;
    directives(&source, "symbol").iter().try_for_each(|wanted| placed(&elf, wanted))?;
    let flash = flash(&elf, &bytes)?;
    for text in directives(&source, "not in flash") {
        if flash.windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
            return Err(format!("`{text}` is in flash").into());
        }
    }
    for limit in directives(&source, "flash") {
        if flash.len() > limit.parse()? {
            return Err(format!("{} bytes of flash are more than {limit}", flash.len()).into());
        }
    }
    products[1..].iter().try_for_each(|product| other_form(&directory.join(product), &flash))
}

/// The formats in which the examples are built for boards without an emulator.
const FORMS: [&str; 4] = ["elf", "bin", "hex", "uf2"];

/// The flash that has space for every example without optimisation, in bytes.
const ROOMY: Bytes = Bytes(128 * 1024);

/// The trial of an example for a board without an emulator: it is built in all formats, and not run.
pub(crate) fn trial_on(index: usize, example: PathBuf, board: &Board) -> Trial {
    let forms = if board.uf2.is_some() { FORMS.to_vec() } else { FORMS[..3].to_vec() };
    let is_roomy = board.flash().is_none_or(|flash| flash.length >= ROOMY);
    let levels = if is_roomy { &LEVELS[..] } else { &LEVELS[1..] };
    let (board, level) = (board.name.clone(), levels[index % levels.len()]);
    Trial::test(format!("image::{board}::{}-O{level}", stem(&example)), move || build(&example, &board, level, &forms))
}

/// What the sources in a directory export.
fn exports(directory: &Path) -> Result<Vec<String>, Failed> {
    let mut exports = Vec::new();
    for file in entries(directory)?.iter().filter(|file| file.extension().is_some_and(|kind| kind == "clef")) {
        let source = fs::read_to_string(file)?;
        let names = source.split("Export(\"").skip(1).filter_map(|rest| rest.split('"').next());
        exports.extend(names.map(str::to_owned));
    }
    Ok(exports)
}

fn build(example: &Path, board: &str, level: &str, forms: &[&str]) -> Result<(), Failed> {
    let name = stem(example);
    let directory = empty(&format!("{board}-{name}"))?;
    let (place, argument) = match example.is_dir() {
        false => (directory.clone(), format!("{name}.clef")),
        true => (directory.join(&name), name.clone()),
    };
    fs::create_dir_all(&place)?;
    let files = if example.is_dir() { entries(example)? } else { vec![example.to_owned()] };
    for file in files.iter().filter(|file| file.is_file()) {
        fs::copy(file, place.join(file.file_name().unwrap_or_default()))?;
    }
    let arguments = ["--board", board, "-O", level, "--emit", &forms.join(","), &argument];
    let call = clefc_in(&directory, &arguments, b"")?;
    if call.status != Some(0) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), call.status, call.errors).into());
    }
    let product = |form: &&str| place.join(format!("{name}.{form}"));
    let bytes = fs::read(product(&"elf"))?;
    let elf = Elf::parse(&bytes)?;
    symbols(&elf, &[], true, &exports(&place)?)?;
    let flash = flash(&elf, &bytes)?;
    forms[1..].iter().try_for_each(|form| other_form(&product(form), &flash))
}

/// A directory that contains only a program and its descriptor.
fn directory(name: &str) -> Result<PathBuf, Failed> {
    let directory = empty(name)?;
    for file in ["clef", "yaml"].map(|ending| format!("{name}.{ending}")) {
        let path = Path::new(ROOT).join("image").join(&file);
        if path.exists() {
            fs::copy(path, directory.join(file))?;
        }
    }
    Ok(directory)
}

/// An empty directory.
fn empty(name: &str) -> Result<PathBuf, Failed> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image").join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// Checks that these are the products, and all of them.
fn only(directory: &Path, products: &[&str]) -> Result<(), Failed> {
    let mut expected = products.to_vec();
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        found.push(entry?.file_name().to_string_lossy().into_owned());
    }
    found.retain(|file| !file.ends_with(".clef") && !file.ends_with(".yaml"));
    found.sort();
    expected.sort();
    if found != expected {
        return Err(format!("expected the files {expected:?}, found {found:?}").into());
    }
    Ok(())
}

/// Checks the rules about symbols.
fn symbols(elf: &Elf<'_>, absent: &[String], has_code: bool, exports: &[String]) -> Result<(), Failed> {
    let named = |symbol: Sym| Some((elf.strtab.get_at(symbol.st_name)?, symbol));
    let symbols: Vec<(&str, Sym)> = elf.syms.iter().filter_map(named).filter(|(name, _)| !name.is_empty()).collect();
    let is_own = |name: &str| ["clef.", "_clef."].iter().any(|own| name.starts_with(own));
    if symbols.iter().any(|(name, _)| is_own(name)) != has_code {
        let what = if has_code { "no symbol of the program: nothing to check" } else { "the program has code" };
        return Err(what.into());
    }
    for (name, symbol) in symbols {
        let may_be_seen = exports.iter().any(|export| export == name)
            || ENTRIES.contains(&name)
            || [INTERRUPT, SCRIPT, PROBED].iter().any(|beginning| name.starts_with(beginning));
        if symbol.st_bind() != STB_LOCAL && !may_be_seen {
            return Err(format!("the symbol `{name}` can be seen from outside").into());
        }
        if is_allocator(name, &symbol) {
            return Err(format!("`{name}` is an allocator").into());
        }
        if absent.iter().any(|absent| name.contains(absent)) {
            return Err(format!("there is a symbol `{name}`").into());
        }
    }
    Ok(())
}

/// Checks that a symbol is in a section with this alignment.
fn placed(elf: &Elf<'_>, wanted: &str) -> Result<(), Failed> {
    let parts: Vec<&str> = wanted.split_whitespace().collect();
    let [name, section, align] = parts.as_slice() else {
        return Err(format!("`{wanted}` is not a symbol, section and alignment").into());
    };
    let found = elf.syms.iter().find(|symbol| elf.strtab.get_at(symbol.st_name) == Some(name));
    let symbol = found.ok_or_else(|| format!("unknown symbol `{name}`"))?;
    let header = elf.section_headers.get(symbol.st_shndx).ok_or_else(|| format!("`{name}` is not in a section"))?;
    let lies = elf.shdr_strtab.get_at(header.sh_name).unwrap_or_default();
    // The low bit of a function's address marks Thumb code.
    let address = if symbol.st_type() == STT_FUNC { symbol.st_value & !1 } else { symbol.st_value };
    if lies != *section || !address.is_multiple_of(align.parse()?) {
        return Err(format!("`{name}` is in `{lies}` at {address:#x}").into());
    }
    Ok(())
}

/// Whether a symbol belongs to a heap allocator.
fn is_allocator(name: &str, symbol: &Sym) -> bool {
    let named = name == "free" || name.contains("alloc") || name.contains("sbrk");
    named && symbol.st_type() == STT_FUNC && name != "clef_region_allocate"
}

/// The bytes from the first to the last loaded one; gaps are erased flash.
fn flash(elf: &Elf<'_>, bytes: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut loaded: Vec<_> =
        elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD && header.p_filesz > 0).collect();
    loaded.sort_by_key(|header| header.p_paddr);
    let start = loaded.first().map_or(0, |header| header.p_paddr);
    let mut flash = Vec::new();
    for header in loaded {
        flash.resize(usize::try_from(header.p_paddr - start)?, 0xff);
        flash.extend_from_slice(bytes.get(header.file_range()).ok_or("a segment is beyond the end of the file")?);
    }
    Ok(flash)
}

/// Compares another format of an image with its bytes in flash.
fn other_form(path: &Path, flash: &[u8]) -> Result<(), Failed> {
    let bytes = match path.extension().and_then(|ending| ending.to_str()) {
        Some("hex") => intel_hex(&fs::read_to_string(path)?).ok_or("the Intel HEX file is malformed")?,
        Some("uf2") => {
            let mut bytes = uf2(&fs::read(path)?).ok_or("the UF2 file is malformed")?;
            // The last page is padded.
            if bytes.len().checked_sub(flash.len()).is_some_and(|rest| rest < PAGE) {
                bytes.truncate(flash.len());
            }
            bytes
        }
        Some(_) | None => fs::read(path)?,
    };
    match bytes == flash {
        true => Ok(()),
        false => Err(format!("{} differs from what the ELF file loads", path.display()).into()),
    }
}

/// The bytes of the image in a block of UF2.
const PAGE: usize = 256;

/// The bytes of a UF2 file, whose pages are contiguous and aligned.
fn uf2(file: &[u8]) -> Option<Vec<u8>> {
    let (blocks, []) = file.as_chunks::<512>() else { return None };
    let mut flash = Vec::new();
    let mut start = None;
    for (number, block) in blocks.iter().enumerate() {
        let word = |at: usize| Some(u32::from_le_bytes(block.get(at..at + 4)?.try_into().ok()?));
        let address = word(12)?;
        let expected = *start.get_or_insert(address) as usize + number * PAGE;
        let is_sound = [(0, 0x0a32_4655), (4, 0x9e5d_5157), (8, 0x2000), (16, 256), (508, 0x0ab1_6f30)]
            .iter()
            .all(|&(at, value)| word(at) == Some(value))
            && word(20)? as usize == number
            && word(24)? as usize == blocks.len()
            && address as usize == expected
            && expected.is_multiple_of(PAGE);
        if !is_sound {
            return None;
        }
        flash.extend_from_slice(&block[32..32 + PAGE]);
    }
    Some(flash)
}

/// The bytes of an Intel HEX file, starting at its first address.
fn intel_hex(text: &str) -> Option<Vec<u8>> {
    let (mut start, mut upper, mut flash) = (None, 0, Vec::new());
    for line in text.lines() {
        let digits = line.strip_prefix(':')?;
        let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let record: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
        let (&[length, high, low, kind], rest) = record.split_first_chunk()?;
        let (_, data) = rest.split_last()?;
        if data.len() != usize::from(length) || record.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte)) != 0 {
            return None;
        }
        match kind {
            0 => {
                let address = upper + usize::from(u16::from_be_bytes([high, low]));
                flash.resize(address.checked_sub(*start.get_or_insert(address))?, 0xff);
                flash.extend_from_slice(data);
            }
            1 => return Some(flash),
            4 => upper = usize::from(u16::from_be_bytes(data.try_into().ok()?)) << 16,
            _ => {}
        }
    }
    None
}
