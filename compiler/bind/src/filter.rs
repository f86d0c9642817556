//! Which declarations are bound.

use clang::Entity;

/// What is bound of a header, and of those that it includes.
pub(crate) struct Filter<'a> {
    /// Patterns of names; all names outside of the system's headers, if there are none.
    allowed: &'a [String],
}

impl<'a> Filter<'a> {
    pub(crate) fn new(allowed: &'a [String]) -> Filter<'a> {
        Filter { allowed }
    }

    /// Whether a declaration with this name is bound. The compiler's own macros are in no file.
    pub(crate) fn wants(&self, entity: &Entity<'_>, name: &str) -> bool {
        let location = entity.get_location();
        let has_file = location.is_some_and(|location| location.get_file_location().file.is_some());
        let is_allowed = || match self.allowed {
            [] => !entity.is_in_system_header(),
            patterns => patterns.iter().any(|pattern| matches(pattern, name)),
        };
        has_file && is_allowed()
    }
}

/// Whether a name matches a pattern, in which `*` stands for any characters.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_anything() {
        for (pattern, name, expected) in [
            ("crc", "crc", true),
            ("crc", "crc16", false),
            ("crc*", "crc16", true),
            ("*_init", "uart_init", true),
            ("*_init", "uart_init_all", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("ab*b", "ab", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
