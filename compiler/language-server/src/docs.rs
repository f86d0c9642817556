//! Documentation comments.
//!
//! In: a text, and where a name in it is declared. Out: the text of the `///` lines above the declaration.

/// What may precede a name that a documentation comment above its line is about.
const BEFORE_NAMES: &[&str] = &[
    "let",
    "rec",
    "and",
    "inline",
    "mutable",
    "private",
    "internal",
    "public",
    "type",
    "module",
    "namespace",
    "|",
    "{",
    "[<Struct>]",
];

/// The documentation of the name that is declared at an offset.
pub(crate) fn above(text: &str, offset: usize) -> Option<String> {
    let start = text[..offset].rfind('\n').map_or(0, |index| index + 1);
    let before = without_attributes(&text[start..offset]);
    if !before.split_whitespace().all(|word| BEFORE_NAMES.contains(&word.trim_start_matches("``"))) {
        return None;
    }
    let mut lines: Vec<&str> = Vec::new();
    for line in text[..start].lines().rev().map(str::trim) {
        match line.strip_prefix("///") {
            Some(comment) => lines.push(comment.strip_prefix(' ').unwrap_or(comment)),
            None if lines.is_empty() && line.starts_with("[<") && line.ends_with(">]") => {}
            None => break,
        }
    }
    lines.reverse();
    let joined = lines.join("\n");
    (!joined.trim().is_empty()).then_some(joined)
}

/// A line without the attributes at its start.
fn without_attributes(line: &str) -> &str {
    let rest = line.trim_start();
    match rest.strip_prefix("[<").and_then(|rest| rest.split_once(">]")) {
        Some((_, rest)) => without_attributes(rest),
        None => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_what_is_below_them() {
        let text =
            "/// Adds\n/// two.\n[<TrapAtCall>]\nlet rec add x = x\n\n/// A pair.\ntype Pair = { a: int }\nlet b = 1\n";
        let at = |name: &str| above(text, text.find(name).expect("it is there"));
        assert_eq!(at("add"), Some("Adds\ntwo.".into()));
        assert_eq!(at("Pair"), Some("A pair.".into()));
        assert_eq!(at("a:"), None);
        assert_eq!(at("x ="), None);
        assert_eq!(at("b ="), None);
    }
}
