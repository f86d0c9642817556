//! Texts that are nearly valid: made of pieces of valid ones, for the parser, the checker and the readers of
//! descriptors.
//!
//! In: texts of one language, and random choices. Out: a text that mixes whole declarations, lines and tokens of
//! several.

use crate::random::Random;

/// The texts to mutate.
pub struct Corpus {
    texts: Vec<String>,
    /// Unindented lines, each with the indented ones after it.
    pieces: Vec<String>,
    tokens: Vec<String>,
}

impl Corpus {
    /// Splits texts; there is at least one, and it is not empty.
    pub fn new(texts: Vec<String>) -> Corpus {
        let pieces = texts.iter().flat_map(|text| pieces(text)).collect();
        let tokens = texts.iter().flat_map(|text| tokens(text)).filter(|token| !token.trim().is_empty()).collect();
        Corpus { texts, pieces, tokens }
    }

    /// A random text.
    pub fn text(&self, random: &mut Random) -> String {
        let mut text = match random.below(3) {
            0 => random.pick(&self.texts).clone(),
            1 => self.mixed(random),
            _ => {
                // Declarations of one, then uses of another.
                let (first, second) = (random.pick(&self.texts).clone(), random.pick(&self.texts).clone());
                let mut all = pieces(&first);
                let place = random.below(all.len() + 1);
                all.splice(place..place, pieces(&second));
                all.concat()
            }
        };
        for _ in 0..random.below(4) {
            text = self.changed(&text, random);
        }
        text
    }

    fn mixed(&self, random: &mut Random) -> String {
        (0..random.between(1, 8)).map(|_| random.pick(&self.pieces).as_str()).collect()
    }

    /// The text with one change.
    fn changed(&self, text: &str, random: &mut Random) -> String {
        match random.below(8) {
            0 => {
                let mut lines: Vec<&str> = text.lines().collect();
                let (one, other) = (random.below(lines.len().max(1)), random.below(lines.len().max(1)));
                if one < lines.len() && other < lines.len() {
                    lines.swap(one, other);
                }
                lines.join("\n") + "\n"
            }
            1 => {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                if !lines.is_empty() {
                    let line = random.below(lines.len());
                    lines[line] = match lines[line].strip_prefix("    ") {
                        Some(rest) if random.chance(1, 2) => rest.to_owned(),
                        Some(_) | None => format!("  {}", lines[line]),
                    };
                }
                lines.join("\n") + "\n"
            }
            2 => {
                let ends: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
                let end = if ends.is_empty() { 0 } else { *random.pick(&ends) };
                text[..end].to_owned()
            }
            change => {
                let mut all = tokens(text);
                if all.is_empty() {
                    return random.pick(&self.pieces).clone();
                }
                let place = random.below(all.len());
                match change {
                    3 => drop(all.remove(place)),
                    4 => all.insert(place, random.pick(&self.tokens).clone()),
                    5 => {
                        let other = random.below(all.len());
                        all.swap(place, other);
                    }
                    _ => all[place] = random.pick(&self.tokens).clone(),
                }
                all.concat()
            }
        }
    }
}

/// The pieces of a text: unindented lines, each with the indented ones after it.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for line in text.lines() {
        let inner = line.starts_with(' ') || line.is_empty() || line.starts_with('|');
        match pieces.last_mut() {
            Some(last) if inner => last.push_str(&format!("{line}\n")),
            Some(_) | None => pieces.push(format!("{line}\n")),
        }
    }
    pieces
}

/// The text split into words, blanks, and single other characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let class = |c: char| match c {
        ' ' => 0,
        c if c.is_alphanumeric() || c == '_' => 1,
        _ => 2,
    };
    let mut last = 2;
    for character in text.chars() {
        let own = class(character);
        match tokens.last_mut() {
            Some(token) if own == last && own != 2 => token.push(character),
            Some(_) | None => tokens.push(character.to_string()),
        }
        last = own;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart_without_loss() {
        let text = "let a =\n    1\n\nlet b = f_1 (a+2)\n| x\n";
        assert_eq!(tokens(text).concat(), text);
        assert_eq!(pieces(text).concat(), text);
        assert_eq!(pieces(text).len(), 2);
    }
}
