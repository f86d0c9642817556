//! The arguments of `cargo xtask bench`.

use super::language::Platform;
use crate::Failure;

/// What the arguments are.
pub(crate) const HELP: &str = "\
Compares programs in Clef with the same in C, Rust and OCaml, and measures the compiler and the registers of chips.
Descriptions of chips that the compiler does not come with are downloaded by pip, once.

Usage: cargo xtask bench [OPTIONS]

  --programs NAME,…         only these programs, and neither compiler nor registers
  --on x86-64|cortex-m4     only this platform
  --compiler                the speed of the compiler too, where other options leave it out
  --compiler-only           the speed of the compiler, and nothing else
  --registers               the registers of chips too, where other options leave them out
  --registers-only          the registers of chips, and nothing else
  --clefc FILE              measures this compiler instead of building it
  --from FILE,…             takes the results from these files of JSON instead of measuring
  --json FILE               writes the results as JSON
  --write                   writes docs/benchmarks.md and its charts
";

/// What to measure, and where to write it.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The names of the programs; all if there are none.
    pub(crate) programs: Vec<String>,
    pub(crate) platforms: Vec<Platform>,
    /// Whether to measure the speed of the compiler.
    pub(crate) compiler: bool,
    /// Whether to measure the registers of chips.
    pub(crate) registers: bool,
    pub(crate) clefc: Option<String>,
    /// Files with the results of earlier runs, which are taken instead of measuring.
    pub(crate) from: Vec<String>,
    pub(crate) json: Option<String>,
    pub(crate) write: bool,
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Options, Failure> {
        let (mut programs, mut from, mut platforms) = (Vec::new(), Vec::new(), Platform::ALL.to_vec());
        let (mut compiler, mut registers, mut write, mut clefc, mut json) = (false, false, false, None, None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().cloned().ok_or_else(|| format!("`{argument}` takes a value\n\n{HELP}"));
            match argument.as_str() {
                "--programs" => programs.extend(value()?.split(',').map(str::to_owned)),
                "--on" => platforms = vec![Platform::parse(&value()?)?],
                "--compiler" => compiler = true,
                "--compiler-only" => (compiler, platforms) = (true, Vec::new()),
                "--registers" => registers = true,
                "--registers-only" => (registers, platforms) = (true, Vec::new()),
                "--clefc" => clefc = Some(value()?),
                "--from" => from.extend(value()?.split(',').map(str::to_owned)),
                "--json" => json = Some(value()?),
                "--write" => write = true,
                other => return Err(format!("`bench` does not take `{other}`\n\n{HELP}")),
            }
        }
        let all = programs.is_empty() && platforms.len() == Platform::ALL.len();
        let (compiler, registers) = (compiler || all, registers || all);
        Ok(Options { programs, platforms, compiler, registers, clefc, from, json, write })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Options, Failure> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Options::parse(&arguments)
    }

    #[test]
    fn everything_is_measured_by_default() {
        let options = parsed(&[]).unwrap();
        assert!(
            options.compiler && options.registers && options.programs.is_empty() && options.platforms == Platform::ALL
        );
    }

    #[test]
    fn a_selection_leaves_the_rest_out() {
        let options = parsed(&["--programs", "cps,fir", "--on", "x86-64"]).unwrap();
        assert_eq!(options.programs, ["cps", "fir"]);
        assert_eq!(options.platforms, [Platform::Linux]);
        assert!(!options.compiler && !options.registers);
        assert!(parsed(&["--programs", "cps", "--compiler"]).unwrap().compiler);
        let options = parsed(&["--registers-only"]).unwrap();
        assert!(options.registers && !options.compiler && options.platforms.is_empty());
    }

    #[test]
    fn unknown_arguments_are_rejected() {
        assert!(parsed(&["--on", "z80"]).is_err());
        assert!(parsed(&["--json"]).is_err());
        assert!(parsed(&["all"]).is_err());
    }
}
