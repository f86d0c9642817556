//! Interned names: a [`Symbol`] is a number; two are equal if and only if their strings are equal.
//!
//! Names live as long as the process; one run of the compiler creates a bounded number of them.

use crate::HashMap;
use std::{
    fmt,
    sync::{LazyLock, Mutex},
};

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    numbers: HashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static INTERNER: LazyLock<Mutex<Interner>> = LazyLock::new(Mutex::default);

impl Symbol {
    /// Interns `text`.
    pub fn new(text: &str) -> Symbol {
        let mut interner = INTERNER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&number) = interner.numbers.get(text) {
            return Symbol(number);
        }
        let number = interner.texts.len() as u32;
        let text: &'static str = Box::leak(text.into());
        interner.texts.push(text);
        interner.numbers.insert(text, number);
        Symbol(number)
    }

    /// Its number, for names that only need to be distinct.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The string.
    pub fn as_str(self) -> &'static str {
        INTERNER.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).texts[self.0 as usize]
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Symbol) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Alphabetical, so that listings do not depend on the order of interning.
impl Ord for Symbol {
    fn cmp(&self, other: &Symbol) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}
