//! The command line that emulators pass as one string: words separated by blanks. Quotes keep blanks, and a backslash
//! quotes the next byte.

const BLANK: u8 = b' ';
const QUOTE: u8 = b'"';
const ESCAPE: u8 = b'\\';

/// Splits the first `length` bytes of a line in place: each word is then terminated by a zero, and the next follows.
/// Returns the number of words. The line has at least one byte more, for the last zero.
pub fn split_command_line(line: &mut [u8], length: usize) -> usize {
    let (mut words, mut written) = (0, 0);
    let (mut is_word, mut is_quoted, mut is_escaped) = (false, false, false);
    for read in 0..=length {
        let byte = match line.get(read) {
            Some(byte) if read < length => *byte,
            Some(_) | None => BLANK,
        };
        let is_end = read == length;
        let kept = match byte {
            _ if is_end => None,
            _ if is_escaped => Some(byte),
            ESCAPE | QUOTE => None,
            BLANK if !is_quoted => None,
            _ => Some(byte),
        };
        let ends = is_end || (byte == BLANK && !is_escaped && !is_quoted);
        if ends && is_word {
            put(line, &mut written, 0);
            words += 1;
        }
        if let Some(byte) = kept {
            put(line, &mut written, byte);
        }
        is_word = !ends;
        is_quoted ^= byte == QUOTE && !is_escaped;
        is_escaped = byte == ESCAPE && !is_escaped;
    }
    words
}

/// The write position never passes the read position.
fn put(line: &mut [u8], written: &mut usize, byte: u8) {
    if let Some(slot) = line.get_mut(*written) {
        *slot = byte;
        *written += 1;
    }
}

/// The word at an index of a line that has been split.
pub fn word(line: &[u8], index: usize) -> &[u8] {
    line.split(|byte| *byte == 0).nth(index).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::{split_command_line, word};
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut line = text.as_bytes().to_vec();
        line.push(0xff);
        let count = split_command_line(&mut line, text.len());
        (0..count).map(|index| String::from_utf8_lossy(word(&line, index)).into_owned()).collect()
    }

    #[test]
    fn lines_fall_into_words() {
        let cases: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("   ", &[]),
            ("a", &["a"]),
            ("  a  bc ", &["a", "bc"]),
            ("\"\"", &[""]),
            ("a \"\" b", &["a", "", "b"]),
            ("\"two words\" x", &["two words", "x"]),
            ("a\"b c\"d", &["ab cd"]),
            (r#"\" \\ a\ b "\"" "\\""#, &["\"", "\\", "a b", "\"", "\\"]),
            ("\u{e9} \"\u{1f600}\n\t'\"", &["\u{e9}", "\u{1f600}\n\t'"]),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(arguments in prop::collection::vec("[^\0]{0,8}", 0..5)) {
            let quoted: Vec<String> = arguments
                .iter()
                .map(|argument| format!("\"{}\"", argument.replace('\\', "\\\\").replace('"', "\\\"")))
                .collect();
            prop_assert_eq!(words(&quoted.join(" ")), arguments);
        }

        #[test]
        fn any_line_is_taken_apart(line in "[^\0]{0,20}") {
            words(&line);
        }
    }
}
