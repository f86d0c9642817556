//! `cargo xtask`: sets up a machine, demonstrates clefc, and runs every test. Needs nothing but Rust itself.

mod bench;
mod coverage;
mod decoders;
mod demo;
mod docs;
mod fuzz;
mod miri;
mod nightly;
mod oracle;
mod packages;
mod probe_soak;
mod scale;
mod setup;
mod soak;
mod step;
mod test;
mod toolchain;

use std::{env, process::ExitCode};

/// Why a task failed, as a sentence for the user.
type Failure = String;

const HELP: &str = "\
Tasks around clefc.

Usage: cargo xtask <TASK>

  setup [--yes]         installs the requirements: LLVM and MLIR 22, QEMU, Rust targets
  demo [--yes]          sets up, builds clefc, compiles an example for a Cortex-M4 and runs it
  test [--yes] [ARGS]   sets up, checks format and lints, and runs every test; ARGS go to `cargo test`
  oracle [ARGS]         compares generated programs on the interpreter and on boards; see `oracle --help`
  coverage [ARGS]       shows which lines of memory management generated programs reach; ARGS as for oracle
  soak [--turns N]      runs endless programs for ten million iterations, in constant memory
  probe-soak [--runs N] runs programs fifty times through a simulated debug probe
  decoders [--yes]      reads logs with the tools of defmt and probe-rs; installs them
  scale [ARGS]          measures how time and memory of each step grow with the program; see `scale --help`
  bench                 measures the lines per second that the front end checks
  docs [--yes]          builds the pages of docs/ as a book, in target/book; installs mdBook
  fuzz TARGET [--minutes N] [--yes]
                        fuzzes the parser, the checker, or the readers of descriptors or projects; installs
                        nightly Rust and cargo-fuzz
  miri [--yes]          checks the region runtime for undefined behaviour; installs nightly Rust and Miri

  --yes                 installs without asking (the default if CI is set or there is no terminal)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(code) = coverage::emulate().or_else(|| coverage::compile(&arguments)) {
        return code;
    }
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let (task, rest) = match arguments.split_first() {
        None => ("help", arguments),
        Some((task, rest)) => (task.as_str(), rest),
    };
    match task {
        "setup" => setup::run(only_consent(rest)?),
        "demo" => demo::run(only_consent(rest)?),
        "test" => {
            let (consent, arguments) = split_consent(rest);
            test::run(consent, &arguments)
        }
        "oracle" => oracle::run(rest),
        "coverage" => coverage::run(rest),
        "soak" => soak::run(rest),
        "probe-soak" => probe_soak::run(rest),
        "decoders" => decoders::run(only_consent(rest)?),
        "scale" => scale::run(rest),
        "docs" => docs::run(only_consent(rest)?),
        "bench" if rest.is_empty() => bench::run(),
        "fuzz" => {
            let (consent, arguments) = split_consent(rest);
            fuzz::run(consent, &arguments)
        }
        "miri" => miri::run(only_consent(rest)?),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        "bench" => Err(format!("this task does not take `{}`\n\n{HELP}", rest.join(" "))),
        unknown => Err(format!("unknown task `{unknown}`\n\n{HELP}")),
    }
}

/// Removes `--yes` from the arguments.
fn split_consent(arguments: &[String]) -> (setup::Consent, Vec<String>) {
    let (yes, rest): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|argument| *argument == "--yes");
    let consent = if yes.is_empty() { setup::Consent::Ask } else { setup::Consent::Given };
    (consent, rest.into_iter().cloned().collect())
}

fn only_consent(arguments: &[String]) -> Result<setup::Consent, Failure> {
    match split_consent(arguments) {
        (consent, rest) if rest.is_empty() => Ok(consent),
        (_, rest) => Err(format!("this task does not take `{}`\n\n{HELP}", rest.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        for arguments in [&["demo", "--fast"][..], &["setup", "now"], &["bench", "all"], &["tset"]] {
            let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
            assert!(dispatch(&arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn consent_is_taken_out_of_test_arguments() {
        let arguments = ["-p", "clef-base", "--yes"].map(str::to_owned);
        let (consent, rest) = split_consent(&arguments);
        assert!(matches!(consent, setup::Consent::Given));
        assert_eq!(rest, ["-p", "clef-base"]);
    }
}
