//! Functions and places in the source by the debug information of an image, where it has some.

use addr2line::{Context, Frame, Location};
use clef_image::section;
use gimli::{Dwarf, EndianSlice, LittleEndian};
use goblin::elf::Elf;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The debug information of an image.
pub(super) struct Places<'a> {
    context: Option<Context<Slice<'a>>>,
}

/// A function that is running, possibly as a part of another one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    /// Its name, if the debug information has one.
    pub(super) function: Option<String>,
    /// The current place in it: `file:line:column`.
    pub(super) place: Option<String>,
}

impl<'a> Places<'a> {
    pub(super) fn of(elf: &Elf<'_>, image: &'a [u8]) -> Places<'a> {
        let load =
            |id: gimli::SectionId| Ok::<_, gimli::Error>(Slice::new(section(elf, image, id.name()), LittleEndian));
        let dwarf = Dwarf::load(load).ok();
        Places { context: dwarf.and_then(|dwarf| Context::from_dwarf(dwarf).ok()) }
    }

    /// The functions at an address: those that are a part of another one come before it.
    pub(super) fn at(&self, address: u64) -> Vec<Place> {
        let Some(context) = &self.context else { return Vec::new() };
        // The search adds one to the address.
        if address == u64::MAX {
            return Vec::new();
        }
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else { return Vec::new() };
        let unit = context.find_dwarf_and_unit(address).skip_all_loads();
        let directory = unit.and_then(|(_, unit)| Some(unit.comp_dir.as_ref()?.to_string_lossy().into_owned()));
        let mut places = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            places.push(place(&frame, directory.as_deref()));
        }
        places
    }
}

fn place(frame: &Frame<'_, Slice<'_>>, directory: Option<&str>) -> Place {
    let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
    Place {
        function: name.map(|name| name.into_owned()),
        place: frame.location.as_ref().and_then(|location| text(location, directory)),
    }
}

/// `file:line:column`, with the path of the file as the compiler was given it.
fn text(location: &Location<'_>, directory: Option<&str>) -> Option<String> {
    let (file, line) = (location.file?, location.line.filter(|line| *line > 0)?);
    let file = directory.and_then(|directory| file.strip_prefix(directory)?.strip_prefix('/')).unwrap_or(file);
    match location.column.filter(|column| *column > 0) {
        Some(column) => Some(format!("{file}:{line}:{column}")),
        None => Some(format!("{file}:{line}")),
    }
}
