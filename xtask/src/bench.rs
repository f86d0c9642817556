//! `cargo xtask bench`: measures the lines per second that the front end checks.
//!
//! The input is generated, so that it is large and always the same; the time for an empty program, which is that of the
//! library, is shown and subtracted.

use crate::{
    Failure,
    step::{Step, output, run_all},
    toolchain::{cargo, root},
};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The path of the compiler.
const COMPILER: &str = "target/release/clefc";

/// The directory of the programs.
const DIRECTORY: &str = "target/bench";

/// The numbers of generated programs, which show whether the time grows linearly with the text.
const COUNTS: [u32; 3] = [100, 200, 400];

/// Each time is the best of this many runs.
const RUNS: usize = 5;

/// Builds the compiler and measures it.
pub(crate) fn run() -> Result<(), Failure> {
    let build = ["build", "--quiet", "--release", "--package", "clefc", "--package", "clef-oracle"];
    run_all(vec![Step { name: "build clefc and the generator of programs", command: cargo(&build)? }])?;
    let directory = root().join(DIRECTORY);
    fs::create_dir_all(&directory).map_err(|error| format!("cannot create `{DIRECTORY}`: {error}"))?;
    let library = measured(&directory, "empty.clef", "")?;
    println!("the library alone: {:.0} ms", library.as_secs_f64() * 1e3);
    for count in COUNTS {
        let text = programs(count)?;
        let took = measured(&directory, &format!("programs{count}.clef"), &text)?;
        println!("{}", report(text.lines().count(), text.len(), took.saturating_sub(library)));
    }
    Ok(())
}

/// Generated programs as one source text.
fn programs(count: u32) -> Result<String, Failure> {
    let mut generator = Command::new(root().join("target/release/oracle"));
    generator.args(["--print", "--seed", "1", "--count", &count.to_string()]);
    output(generator).ok_or_else(|| "the generator of programs fails".to_owned())
}

/// The shortest time to check a source text. Errors are ignored: the generator is not exact about escapes.
fn measured(directory: &Path, name: &str, text: &str) -> Result<Duration, Failure> {
    let path = directory.join(name);
    fs::write(&path, text).map_err(|error| format!("cannot write `{DIRECTORY}/{name}`: {error}"))?;
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let mut check = Command::new(root().join(COMPILER));
        check.args(["check", "--allow", "warnings"]).arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        check.status().map_err(|error| format!("cannot start `{COMPILER}`: {error}"))?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn report(lines: usize, bytes: usize, took: Duration) -> String {
    let seconds = took.as_secs_f64().max(1e-9);
    let (rate, volume) = (lines as f64 / seconds, bytes as f64 / seconds / 1e6);
    format!("{lines} lines in {:.0} ms: {rate:.0} lines a second, {volume:.2} MB a second", seconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_time_taken() {
        let text = report(5_000, 200_000, Duration::from_millis(250));
        assert_eq!(text, "5000 lines in 250 ms: 20000 lines a second, 0.80 MB a second");
    }
}
