//! The shipped descriptors, embedded in the compiler.

/// The two families of descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Family {
    /// `targets/`.
    Targets,
    /// `boards/`.
    Boards,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

impl Family {
    /// The directory of the family.
    pub(crate) fn directory(self) -> &'static str {
        match self {
            Family::Targets => "targets",
            Family::Boards => "boards",
        }
    }

    /// The name of one descriptor of the family.
    pub(crate) fn singular(self) -> &'static str {
        match self {
            Family::Targets => "target",
            Family::Boards => "board",
        }
    }

    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Family::Targets => TARGETS,
            Family::Boards => BOARDS,
        }
    }
}

/// The names and source texts of all shipped files of a family, in alphabetical order.
pub(crate) fn all(family: Family) -> impl Iterator<Item = (&'static str, &'static str)> {
    family.files().iter().copied()
}

/// The name and the source text of one of them.
pub(crate) fn find(family: Family, name: &str) -> Option<(&'static str, &'static str)> {
    all(family).find(|(known, _)| *known == name)
}
