//! `cargo xtask soak`: runs the programs of `tests/long` for ten million iterations each, in constant memory.

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, root},
};

/// The compiler, optimised.
const COMPILER: &str = "target/release/clefc";

/// The default number of iterations.
const TURNS: u64 = 10_000_000;

/// Builds the compiler and runs the programs; `arguments` are `--turns N`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let turns = parsed(arguments)?;
    let build = cargo(&["build", "--quiet", "--release", "--package", "clefc"])?;
    // In sequence, so that the times are meaningful.
    let harness =
        ["test", "--quiet", "--package", "clef-tests", "--test", "harness", "--", "long::", "--test-threads=1"];
    let mut soak = cargo(&harness)?;
    soak.env("TURNS", turns.to_string()).env("CLEFC", root().join(COMPILER));
    run_all(vec![
        Step { name: "build clefc", command: build },
        Step { name: "run long in constant memory", command: soak },
    ])
}

/// The number of iterations.
fn parsed(arguments: &[String]) -> Result<u64, Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => Ok(TURNS),
        ["--turns", turns] => turns
            .parse()
            .ok()
            .filter(|turns| (1..=1_000_000_000).contains(turns))
            .ok_or_else(|| format!("`--turns` takes a number up to a thousand million, not `{turns}`")),
        _ => Err(format!("this task takes `--turns N`, not `{}`", arguments.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_taken() {
        let parsed = |arguments: &[&str]| parsed(&arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(parsed(&[]), Ok(TURNS));
        assert_eq!(parsed(&["--turns", "5"]), Ok(5));
        for arguments in [&["--turns"][..], &["--turns", "0"], &["--turns", "x"], &["5"]] {
            assert!(parsed(arguments).is_err(), "{arguments:?}");
        }
    }
}
