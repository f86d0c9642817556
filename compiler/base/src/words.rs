//! Words for messages.

/// `first`, `second`, ….
pub fn ordinal(number: usize) -> String {
    const WORDS: [&str; 9] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
    match number.checked_sub(1).and_then(|index| WORDS.get(index)) {
        Some(word) => (*word).into(),
        None => match (number % 10, number % 100) {
            (1, tens) if tens != 11 => format!("{number}st"),
            (2, tens) if tens != 12 => format!("{number}nd"),
            (3, tens) if tens != 13 => format!("{number}rd"),
            _ => format!("{number}th"),
        },
    }
}
