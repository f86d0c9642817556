//! The sites of the traps that a debugger reports, from the sections of an image that `clef_types::trap` describes.

use crate::section;
use clef_base::HashMap;
use clef_types::trap::{SITES, TRAPS};
use goblin::elf::Elf;

/// A message and a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The message; empty if it is known at run time only.
    pub message: String,
    /// `file:line:column`.
    pub place: String,
}

/// The sites of an image; none if it reports its traps itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sites {
    /// In the order of their numbers, from 1.
    sites: Vec<Site>,
    /// The numbers of the sites of instructions, by address.
    instructions: HashMap<u64, u64>,
}

impl Sites {
    /// Those of an image.
    pub fn of(elf: &Elf<'_>, bytes: &[u8]) -> Sites {
        let mut texts = section(elf, bytes, SITES).split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let mut sites = Vec::new();
        while let (Some(message), Some(place)) = (texts.next(), texts.next()) {
            sites.push(Site { message: message.into_owned(), place: place.into_owned() });
        }
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes).into();
        let instructions = section(elf, bytes, TRAPS).chunks_exact(8);
        let instructions = instructions.map(|entry| (word(&entry[..4]), word(&entry[4..]))).collect();
        Sites { sites, instructions }
    }

    /// The site of the instruction at an address.
    pub fn at(&self, address: u64) -> Option<&Site> {
        self.instructions.get(&address).and_then(|number| self.number(*number))
    }

    /// The site with a number.
    pub fn number(&self, number: u64) -> Option<&Site> {
        let index = number.checked_sub(1)?;
        self.sites.get(usize::try_from(index).ok()?)
    }

    /// All instructions that trap, by address, with their sites.
    pub fn instructions(&self) -> Vec<(u64, &Site)> {
        let sites = self.instructions.iter().filter_map(|(address, number)| Some((*address, self.number(*number)?)));
        let mut sites: Vec<_> = sites.collect();
        sites.sort_by_key(|(address, _)| *address);
        sites
    }
}
