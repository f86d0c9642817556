//! Text in HTML.

/// A text with the characters escaped that mean something in HTML, also within attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A text as part of the path of a link: letters, digits and a few others remain.
pub(crate) fn in_link(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b'#' | b':' | b'?' | b'=' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The anchor of a heading, as GitHub makes it.
pub(crate) fn heading_anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The anchor of a declaration: its name, where each character of an operator is written by its number.
pub(crate) fn name_anchor(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c.is_alphanumeric() || c == '_' {
            true => out.push(c),
            false => out.push_str(&format!("-{:x}", c as u32)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
        assert_eq!(in_link("a b/ü.html#x"), "a%20b/%C3%BC.html#x");
        assert_eq!(heading_anchor("Where values *live*, and `why`"), "where-values-live-and-why");
        assert_eq!(name_anchor("|>"), "-7c-3e");
        assert_eq!(name_anchor("map'"), "map-27");
    }
}
