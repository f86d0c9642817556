//! Text that a terminal shows as written: characters that control the terminal, change the text direction or are
//! invisible are escaped.

use std::borrow::Cow;

/// Whether a character changes the text direction (Unicode Standard Annex 9, 2).
pub fn turns_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is invisible, or changes how others are shown.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || turns_direction(character)
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{2060}'..='\u{2065}'
                | '\u{206a}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A name on one line: every hidden character is escaped.
pub fn name(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// A message, which may have several lines.
pub fn message(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_hidden(character) && character != '\n' && character != '\t')
}

fn escaped(text: &str, hides: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hides) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| match hides(character) {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_escaped() {
        assert_eq!(name("Grüße, 世界 ‘x’"), "Grüße, 世界 ‘x’");
        assert_eq!(name("a\u{1b}[31m\nb\u{202e}"), "a\\u{1b}[31m\\nb\\u{202e}");
        assert_eq!(message("a\n\tb\r\u{200b}"), "a\n\tb\\r\\u{200b}");
    }
}
