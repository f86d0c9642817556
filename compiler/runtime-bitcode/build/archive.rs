//! Archives of objects (`ar`): reading, filtering, writing. The linker reads the members' own symbol tables, so the
//! archive has none.

use goblin::elf::Elf;
use std::collections::HashSet;

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;
/// The header field that contains the size in decimal.
const SIZE: std::ops::Range<usize> = 48..58;

/// The members that are ELF objects with a symbol; `None` if the bytes are no archive.
pub(crate) fn objects(archive: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut rest = archive.strip_prefix(MAGIC)?;
    let mut members = Vec::new();
    while let Some((header, after)) = rest.split_at_checked(HEADER) {
        let size: usize = str::from_utf8(&header[SIZE]).ok()?.trim().parse().ok()?;
        let member = after.get(..size)?;
        if Elf::parse(member).is_ok_and(|elf| !defined(&elf).is_empty()) {
            members.push(member.to_vec());
        }
        // Members start at even offsets.
        rest = after.get(size + size % 2..).unwrap_or_default();
    }
    Some(members)
}

/// An archive of the given objects.
pub(crate) fn write(members: &[Vec<u8>]) -> Vec<u8> {
    let mut archive = MAGIC.to_vec();
    for (number, member) in members.iter().enumerate() {
        let name = format!("{number}.o/");
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, member.len());
        debug_assert_eq!(header.len(), HEADER);
        archive.extend_from_slice(header.as_bytes());
        archive.extend_from_slice(member);
        if member.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}

/// The members that define the memory routines which LLVM calls, and those that these need.
pub(crate) fn memory_routines(members: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut wanted: HashSet<String> =
        ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"].map(String::from).into();
    let mut others = members;
    let mut chosen = Vec::new();
    loop {
        let (needed, left): (Vec<_>, Vec<_>) = others.into_iter().partition(|member| {
            Elf::parse(member).is_ok_and(|elf| defined(&elf).iter().any(|name| wanted.contains(*name)))
        });
        if needed.is_empty() {
            return chosen;
        }
        for member in &needed {
            let Ok(elf) = Elf::parse(member) else { continue };
            wanted.extend(undefined(&elf).into_iter().map(String::from));
        }
        chosen.extend(needed);
        others = left;
    }
}

/// The names of the routines that objects define, without compiler-generated ones.
pub(crate) fn routines(members: &[Vec<u8>]) -> Vec<String> {
    let names = members.iter().filter_map(|member| {
        let elf = Elf::parse(member).ok()?;
        Some(defined(&elf).into_iter().map(String::from).collect::<Vec<_>>())
    });
    let is_made_up = |name: &String| name.starts_with("_ZN") || name.starts_with("_R") || name.contains(".llvm.");
    names.flatten().filter(|name| !is_made_up(name)).collect()
}

fn defined<'a>(elf: &Elf<'a>) -> Vec<&'a str> {
    global_names(elf, |section| section != 0)
}

fn undefined<'a>(elf: &Elf<'a>) -> Vec<&'a str> {
    global_names(elf, |section| section == 0)
}

fn global_names<'a>(elf: &Elf<'a>, is_wanted: impl Fn(usize) -> bool) -> Vec<&'a str> {
    let symbols =
        elf.syms.iter().filter(|symbol| symbol.st_bind() != goblin::elf::sym::STB_LOCAL && is_wanted(symbol.st_shndx));
    symbols.filter_map(|symbol| elf.strtab.get_at(symbol.st_name)).collect()
}
