//! Archives of objects with the index of their symbols that linkers read (System V, `ar`).

use goblin::{
    archive::Archive,
    elf::{Elf, sym},
};

const MAGIC: &[u8] = b"!<arch>\n";

/// The longest name of a member that fits into its header.
const LONGEST_NAME: usize = 15;

/// The objects of an archive, or the object itself.
pub(super) fn objects(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    if !bytes.starts_with(MAGIC) {
        return Ok(vec![bytes.to_vec()]);
    }
    let archive = Archive::parse(bytes).map_err(|error| error.to_string())?;
    let mut objects = Vec::new();
    for member in (0..archive.len()).filter_map(|index| archive.get_at(index)) {
        let start = member.offset as usize;
        let content = bytes.get(start..start.saturating_add(member.size()));
        objects.push(content.ok_or("a member exceeds the file")?.to_vec());
    }
    Ok(objects)
}

/// An archive of named objects. All numbers in it are the same for the same content: it has no times and no owners.
pub(super) fn write(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let mut symbols = Vec::new();
    for (index, (_, object)) in members.iter().enumerate() {
        let elf = Elf::parse(object).map_err(|error| error.to_string())?;
        symbols.extend(defined(&elf).map(|name| (name.to_owned(), index)));
    }
    let names: usize = symbols.iter().map(|(name, _)| name.len() + 1).sum();
    let index_size = 4 + 4 * symbols.len() + names;
    let mut offset = MAGIC.len() + header("", 0).len() + index_size.next_multiple_of(2);
    let mut offsets = Vec::new();
    for (name, object) in members {
        offsets.push(u32::try_from(offset).map_err(|_| "it is larger than 4 GiB")?);
        offset += header(name, object.len()).len() + object.len().next_multiple_of(2);
    }
    let mut index = (symbols.len() as u32).to_be_bytes().to_vec();
    symbols.iter().for_each(|(_, member)| index.extend(offsets[*member].to_be_bytes()));
    for (name, _) in &symbols {
        index.extend(name.as_bytes());
        index.push(0);
    }
    let mut archive = MAGIC.to_vec();
    append(&mut archive, "", &index);
    for (name, object) in members {
        debug_assert!(name.len() <= LONGEST_NAME, "{name}");
        append(&mut archive, name, object);
    }
    Ok(archive)
}

/// Appends a member; each begins at an even offset.
fn append(archive: &mut Vec<u8>, name: &str, content: &[u8]) {
    archive.extend(header(name, content.len()).as_bytes());
    archive.extend(content);
    if content.len() % 2 == 1 {
        archive.push(b'\n');
    }
}

/// The header of a member; the index has no name.
fn header(name: &str, size: usize) -> String {
    let name = format!("{name}/");
    format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
}

/// The symbols that an object defines for others.
fn defined<'a>(elf: &'a Elf<'a>) -> impl Iterator<Item = &'a str> {
    let global = elf.syms.iter().filter(|symbol| symbol.st_bind() != sym::STB_LOCAL && symbol.st_shndx != 0);
    global.filter_map(|symbol| elf.strtab.get_at(symbol.st_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_elf::TestElf;

    #[test]
    fn what_is_written_is_read() {
        let object = TestElf::arm_object().bytes();
        let archive =
            write(&[("a.o".to_owned(), object.clone()), ("b.o".to_owned(), object.clone())]).expect("it fits");
        let parsed = Archive::parse(&archive).expect("it is an archive");
        assert_eq!(parsed.members(), ["a.o", "b.o"]);
        assert_eq!(objects(&archive).expect("it is an archive"), [object.clone(), object.clone()]);
        assert_eq!(objects(&object).expect("it is an object"), [object]);
    }
}
