//! Chips by name, as known to probe-rs or from a user's description.

use crate::{failure::Failure, model::Chip, report::causes};
use probe_rs::{
    CoreType, Target,
    config::{Registry, RegistryError},
};

/// The maximum number of similar names to show.
const SIMILAR: usize = 8;

impl Chip {
    /// Whether the name is known.
    pub fn check(&self) -> Result<(), Failure> {
        self.find().map(drop)
    }

    /// Looks up the chip.
    pub(crate) fn find(&self) -> Result<(Registry, Target), Failure> {
        let mut registry = Registry::from_builtin_families();
        if let Some(description) = &self.description {
            registry
                .add_target_family_from_yaml(description)
                .map_err(|error| Failure::BadDescription { causes: causes(&error) })?;
        }
        match registry.get_target_by_name(&self.name) {
            Ok(target) => Ok((registry, target)),
            Err(RegistryError::ChipNotFound(_)) => Err(self.unknown(self.similar(&registry))),
            Err(RegistryError::ChipNotUnique(_, names)) => {
                Err(self.unknown(names.split(", ").take(SIMILAR).map(str::to_owned).collect()))
            }
            Err(error) => Err(Failure::BadDescription { causes: causes(&error) }),
        }
    }

    fn unknown(&self, similar: Vec<String>) -> Failure {
        Failure::UnknownChip { name: self.name.clone(), similar }
    }

    /// Chips that share the longest prefix with the name.
    fn similar(&self, registry: &Registry) -> Vec<String> {
        let ends = self.name.char_indices().map(|(end, _)| end).filter(|end| *end >= 4).rev();
        let mut similar = ends
            .map(|end| registry.search_chips(&self.name[..end]))
            .find(|names| !names.is_empty())
            .unwrap_or_default();
        similar.sort();
        similar.dedup();
        similar.truncate(SIMILAR);
        similar
    }
}

/// A processor of chips.
struct Processor {
    /// Its number in CPUID.
    part: u32,
    name: &'static str,
    architecture: CoreType,
}

const fn processor(part: u32, name: &'static str, architecture: CoreType) -> Processor {
    Processor { part, name, architecture }
}

/// Arm's microcontroller processors. Armv7-M includes Armv7E-M: descriptions confuse them.
const PROCESSORS: [Processor; 13] = [
    processor(0xc20, "Cortex-M0", CoreType::Armv6m),
    processor(0xc60, "Cortex-M0+", CoreType::Armv6m),
    processor(0xc21, "Cortex-M1", CoreType::Armv6m),
    processor(0xc30, "SC000", CoreType::Armv6m),
    processor(0xc23, "Cortex-M3", CoreType::Armv7m),
    processor(0xc33, "SC300", CoreType::Armv7m),
    processor(0xc24, "Cortex-M4", CoreType::Armv7m),
    processor(0xc27, "Cortex-M7", CoreType::Armv7m),
    processor(0xd20, "Cortex-M23", CoreType::Armv8m),
    processor(0xd21, "Cortex-M33", CoreType::Armv8m),
    processor(0xd31, "Cortex-M35P", CoreType::Armv8m),
    processor(0xd22, "Cortex-M55", CoreType::Armv8m),
    processor(0xd23, "Cortex-M85", CoreType::Armv8m),
];

/// Arm's number in CPUID.
const ARM: u32 = 0x41;

/// The names of the expected processor and of the one found, if they are known to differ.
pub(crate) fn other_processor(expected: CoreType, cpuid: u32) -> Option<(String, String)> {
    let wanted = if expected == CoreType::Armv7em { CoreType::Armv7m } else { expected };
    let found = PROCESSORS.iter().find(|known| cpuid >> 24 == ARM && known.part == cpuid >> 4 & 0xfff)?;
    if found.architecture == wanted {
        return None;
    }
    let names = PROCESSORS.iter().filter(|known| known.architecture == wanted).map(|known| known.name);
    Some((names.collect::<Vec<_>>().join(", "), found.name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(name: &str) -> Chip {
        Chip { name: name.to_owned(), description: None }
    }

    #[test]
    fn names_are_known_or_similar() {
        assert_eq!(chip("nRF51822_xxAA").check(), Ok(()));
        let unknown = chip("nRF51899").check();
        let Err(Failure::UnknownChip { similar, .. }) = unknown else { panic!("{unknown:?}") };
        assert!(similar.iter().any(|name| name.starts_with("nRF518")), "{similar:?}");
    }

    #[test]
    fn a_wrong_description_is_refused() {
        let described = Chip { description: Some("name: [".to_owned()), ..chip("x") };
        assert!(matches!(described.check(), Err(Failure::BadDescription { .. })));
    }

    #[test]
    fn processors_are_told_apart_by_their_architecture() {
        assert_eq!(other_processor(CoreType::Armv6m, 0x410c_c200), None);
        assert_eq!(other_processor(CoreType::Armv7em, 0x410f_c241), None);
        let (_, found) = other_processor(CoreType::Armv6m, 0x410f_c241).expect("they differ");
        assert_eq!(found, "Cortex-M4");
        // Other manufacturers have their own numbers.
        assert_eq!(other_processor(CoreType::Armv6m, 0x510f_c241), None);
    }
}
