//! Trials of mutated texts, the same in each run: none causes a panic, and none exceeds the time limit.
//!
//! `MUTATIONS=10000` sets the number of each kind, `SEED=7` selects others.

#![allow(clippy::expect_used, clippy::panic, reason = "it fails as tests do")]

use crate::{mutate::Corpus, random::Random};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The number of texts of each kind.
const COUNT: u64 = 60;

/// The time limit of a text, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(120);

/// The stack of a trial, as large as the compiler's own.
const STACK: usize = 512 << 20;

fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The texts of the files in a directory with this extension.
pub fn texts(directory: &Path, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("it must be text")).collect()
}

/// Tries a text on a stack as large as the compiler's.
pub fn with_large_stack(text: &str, trial: impl FnOnce(&str) + Send) {
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || trial(text));
        thread.expect("there is memory").join()
    });
    outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// Tries mutations; stores the first text that fails in a directory.
pub fn try_all(kind: &str, texts: Vec<String>, kept: &str, trial: fn(&str)) {
    let corpus = Corpus::new(texts);
    for number in 0..variable("MUTATIONS", COUNT) {
        let text = corpus.text(&mut Random::new(variable("SEED", 1), number));
        let start = Instant::now();
        let tried = text.clone();
        let outcome = std::panic::catch_unwind(move || with_large_stack(&tried, trial));
        let took = start.elapsed();
        if outcome.is_err() || took > LONGEST {
            let path = Path::new(kept).join(format!("{kind}-{number}.txt"));
            std::fs::write(&path, &text).expect("the file can be written");
            panic!("{kind} {number} fails or takes too long ({took:?}); its source text is in {}", path.display());
        }
    }
}
