//! The chips of shipped boards, which debug probes must know by the names that the descriptors give.

#![cfg(feature = "probe")]

use clef_base::SourceMap;
use clef_descriptors::Resolver;
use clef_probe::Chip;
use std::{io, path::Path};

#[test]
fn probes_know_every_chip() {
    let mut sources = SourceMap::default();
    let no_files = |_: &Path| Err(io::ErrorKind::NotFound.into());
    let boards = Resolver::new(&mut sources, &no_files).shipped_boards().expect("the shipped boards must be valid");
    let chips: Vec<_> = boards.into_iter().filter_map(|board| Some((board.name, board.chip?))).collect();
    assert!(chips.len() >= 9, "{chips:?}");
    for (board, name) in chips {
        let known = Chip { name, description: None }.check();
        assert!(known.is_ok(), "{board}: {known:?}");
    }
}
