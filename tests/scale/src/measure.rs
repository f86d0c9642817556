//! Measures how the costs of the compiler grow with a program.
//!
//! In: a compiler, and a family. Out: for each step, as `--timings` names it, the processor time and the memory at the
//! initial size and at [`GROWTH`] times that. The costs of an empty program are subtracted, since the library is the
//! same in all programs.

use crate::families::Family;
use serde_json::Value;
use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

/// The factor between the sizes of the two programs.
pub const GROWTH: usize = 8;

/// How the compiler is called.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program `clefc`.
    pub binary: PathBuf,
    /// The directory of programs and products.
    pub directory: PathBuf,
    /// Options such as the level and the board.
    pub options: Vec<String>,
}

/// The costs of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Need {
    /// Its name.
    pub step: String,
    /// Processor time.
    pub seconds: f64,
    /// The peak memory of the compiler until its end.
    pub bytes: f64,
}

/// The costs of a step for two programs, without those of an empty one.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// Its name.
    pub step: String,
    /// For the smaller program.
    pub small: f64,
    /// For the larger program.
    pub large: f64,
}

impl Growth {
    /// The relative cost of an element of the larger program. Very short times are raised to `least`, since the
    /// resolution of the clock dominates them.
    pub fn factor(&self, least: f64) -> f64 {
        self.large / (self.small.max(least / GROWTH as f64) * GROWTH as f64)
    }
}

/// The costs of the steps for a family.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The times of each step, in seconds.
    pub steps: Vec<Growth>,
    /// The peak memory, in bytes.
    pub memory: Growth,
}

impl Table {
    /// The time of all steps together.
    pub fn total(&self) -> Growth {
        let sum = |of: fn(&Growth) -> f64| self.steps.iter().map(of).sum();
        Growth { step: "all".to_owned(), small: sum(|step| step.small), large: sum(|step| step.large) }
    }
}

impl Compiler {
    /// The costs of the steps for an empty program: the library, and one line.
    pub fn nothing(&self) -> Result<Vec<Need>, String> {
        self.needs("nothing", "printfn \"end\"\n")
    }

    /// Compiles a family in both sizes, the smaller of which is `start`.
    pub fn table(&self, family: &Family, start: usize, nothing: &[Need]) -> Result<Table, String> {
        let small = self.needs(family.name, &family.program(start))?;
        let large = self.needs(family.name, &family.program(start * GROWTH))?;
        let of = |needs: &[Need], step: &str, take: fn(&Need) -> f64| {
            needs.iter().find(|need| need.step == step).map_or(0.0, take)
        };
        let growth = |step: &str, take: fn(&Need) -> f64| {
            let base = of(nothing, step, take);
            let over = |needs: &[Need]| (of(needs, step, take) - base).max(0.0);
            Growth { step: step.to_owned(), small: over(&small), large: over(&large) }
        };
        let steps = large.iter().map(|need| growth(&need.step, |need| need.seconds)).collect();
        let last = large.last().map_or(String::new(), |need| need.step.clone());
        Ok(Table { steps, memory: growth(&last, |need| need.bytes) })
    }

    /// Compiles a source text, and reads the reported costs of the steps.
    fn needs(&self, name: &str, text: &str) -> Result<Vec<Need>, String> {
        let failed = |what: &str, error: &dyn std::fmt::Display| format!("{name}: {what}: {error}");
        fs::create_dir_all(&self.directory).map_err(|error| failed("no directory", &error))?;
        let source = self.directory.join(format!("{name}.clef"));
        fs::write(&source, text).map_err(|error| failed("cannot write", &error))?;
        let mut clefc = Command::new(&self.binary);
        clefc.args(["--timings", "--message-format", "json", "--allow", "warnings"]).args(&self.options);
        clefc.arg("-o").arg(self.directory.join(name)).arg(&source).stdin(Stdio::null());
        let output = clefc.output().map_err(|error| failed("cannot start clefc", &error))?;
        let told = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            let shown: String = told.chars().take(1000).collect();
            return Err(failed(&source.display().to_string(), &shown));
        }
        let messages = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let steps = messages.into_iter().find_map(|message| message.get("steps").cloned());
        let steps = steps.as_ref().and_then(Value::as_array).ok_or_else(|| failed("no timings", &told))?;
        let need = |step: &Value| Need {
            step: step["name"].as_str().unwrap_or_default().to_owned(),
            seconds: step["seconds"].as_f64().unwrap_or_default(),
            bytes: step["bytes"].as_f64().unwrap_or_default(),
        };
        Ok(steps.iter().map(need).filter(|need| need.bytes > 0.0).collect())
    }
}

/// The steps of a table that grow faster than the program, by more than `most`, and take longer than `least` seconds.
pub fn excessive(table: &Table, most: f64, least: f64) -> Vec<Growth> {
    table.steps.iter().filter(|step| step.large > least && step.factor(least) > most).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_as_the_square_is_excessive() {
        let step = |step: &str, small, large| Growth { step: step.to_owned(), small, large };
        let steps = vec![step("lex", 0.1, 0.8), step("check", 0.1, 6.4), step("parse", 0.0001, 0.0064)];
        let table = Table { steps, memory: step("all", 1e6, 8e6) };
        let found = excessive(&table, 3.0, 0.2);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].step, "check");
        assert!((found[0].factor(0.2) - 8.0).abs() < 1e-9);
    }
}
