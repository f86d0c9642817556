//! The start of every batch: functions that programs call, in [`PRELUDE`].
//!
//! `zero` is zero, but only at run time, so that nothing that depends on it folds; the iterations of loops are
//! multiplied by `scale`. The functions are total: they trap only if the compiler is wrong.

use crate::tree::Surroundings;

/// The source text.
pub(crate) const PRELUDE: &str = include_str!("prelude.clef");

/// The text after [`PRELUDE`] for the surroundings of a batch.
pub(crate) fn beside(surroundings: Surroundings) -> &'static str {
    match surroundings {
        Surroundings::Plain | Surroundings::Files | Surroundings::Log => "",
        Surroundings::Native => include_str!("prelude_native.clef"),
        Surroundings::Interrupts => include_str!("prelude_interrupts.clef"),
    }
}

/// [`PRELUDE`] with a scale of 10 if there is an input, and without the output of `mark`.
pub(crate) fn scaled() -> String {
    let scale = "let zero = min length 0\nlet scale = if length > zero then 10 else 1\n";
    let quiet = PRELUDE.replace("    Console.write $\"<{number}>\"\n", "");
    quiet.replace("let zero =", "let length =").replace("let scale = 1\n", scale)
}

#[cfg(test)]
mod tests {
    use super::{PRELUDE, scaled};

    #[test]
    fn a_scaled_prelude_reads_its_input() {
        let text = scaled();
        assert!(text.contains("let length = ") && text.contains("if length > zero then 10"));
        assert_eq!(text.matches("let zero =").count(), 1);
        assert!(text.len() < PRELUDE.len() + 100);
    }
}
