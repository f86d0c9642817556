//! The harness for all tests: each file of test data is one or more trials.
//!
//! - `run/*.clef` are programs with their output. Each runs on the reference interpreter with words of 32 and of 64
//!   bits, as a process of this machine, and in an emulator of every family; all must agree.
//! - `projects/*` are projects: with their output in `expected.out` like the programs of `run/`, or with their rendered
//!   diagnostics in `expected.stderr`.
//! - `../examples/*` are the examples; their output is in `examples/*.out`. They run on the interpreter and two boards.
//! - `long/*.clef` are programs that run forever, in constant memory.
//! - `faults/*.clef` are programs that cause a trap or a processor fault, with parts of its report.
//! - `foreign/*.clef` are programs that are linked with C or Rust, with their output on every family.
//! - `host/*.clef` are libraries that programs in C use, with the output of these.
//! - `ui/*.clef` are programs with their rendered diagnostics.
//! - `proposals/*.md` are wrong programs with what messages propose, and what they lead to when that is followed.
//! - `phases/*.md` are documents that show the output of each phase for a source text, and `../docs/*.md` documents
//!   whose programs run.
//! - `mlir/*.clef` are programs with a few exact lines of their generated code. `mlir-opt` must read the generated code
//!   of these and of the programs of `run/`.
//! - `../docs/closures.md` is a table of the storage of the closures of the examples.
//! - `image/*.clef` are programs with the properties of their images.
//! - `chips/*.clef` are programs that wait, on models of the chips of all shipped boards.
//! - `../examples/button_edges.clef` also runs on models of chips whose pins change.
//! - Programs send and receive on models of chips with a serial line.
//! - Programs print, read and trap on consoles that are serial lines, on these models and in QEMU.
//! - Programs use I2C buses on models of chips with a memory, and with lines that are held.
//! - Programs use SPI buses on models of chips, and DMA by its registers.
//! - Core, timers and serial lines have the frequencies of `clocks` on models of chips.
//! - `../examples/dimmer.clef` and `../examples/regulator.clef` run on models of chips with analog inputs and pulse-width outputs.
//! - `run/rng.clef` also runs on models of chips whose noise fails, and `run/timers.clef` on models of chips, where periods are exact.
//! - Programs keep settings in flash on models of chips whose power fails.
//! - Transfers in the background run on models of chips with DMA.
//! - `../examples/sensor_node` is a firmware that runs on models of chips with devices, beside the same in C.
//! - `../docs/sensor-node.md` is a tutorial, which is followed in an empty directory.
//! - A program stops under GDB on every family.
//! - A few programs run on a simulated real board, through a simulated debug probe with and without faults.
//! - `lsp/session.txt` is a session of the language server, as an editor has it over standard input and output, and
//!   `neovim/session.txt` one in Neovim with its plugin.
//! - The tools of defmt and probe-rs read the log of a program, if they are installed.
//! - `library/*.clef` are tests of the library in Clef, which `clefc test` runs by their plan, and `testing/*.clef`
//!   tests that fail in every way.
//! - The pictures of the documents are drawn from what the compiler says of the programs of `pictures/`.
//! - The reference of the library is a site whose links lead somewhere and whose examples run.
//! - Programs of many kinds are compiled in two sizes, and no step may take more for each element of the larger one.
//! - A few programs of the oracle run on the interpreter and on its boards; `cargo xtask oracle` runs thousands.
//!
//! `UPDATE=1 cargo test -p clef-tests` rewrites the expectations. `LEVELS=all` runs every program at every optimisation
//! level on every board. `ITERATIONS=10000000` sets the iterations of the programs of `long/`. `RUNS=50` repeats the runs on
//! a simulated board. `CLEFC=path` tests that binary instead of building one.

mod analog;
mod board;
mod chips;
mod clocks;
mod compiler;
mod consoles;
mod debugger;
mod decoders;
mod dialect;
mod dma;
mod fault;
mod flash;
mod foreign;
mod host;
mod i2c;
mod image;
mod interpreter;
mod languages;
mod long;
mod lsp;
mod neovim;
mod node;
mod oracle;
mod phase;
mod picture;
mod pins;
mod probe;
mod program;
mod project;
mod proposal;
mod random;
mod receptions;
mod reference;
mod regulator;
mod scale;
mod serial;
mod shape;
mod spi;
mod storage;
mod testing;
mod timers;
mod tool;
mod transfers;
mod tutorial;
mod ui;

use libtest_mimic::{Arguments, Failed, Trial};
use program::Program;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The directory of the test data, in which the compiler is called, so that file names are short.
pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(failed) => {
            eprintln!("the test data cannot be read: {}", failed.message().unwrap_or("for no known reason"));
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    let every = board::boards()?;
    let boards = &every[..board::BOARDS.len()];
    let unemulated = board::unemulated()?;
    for (index, path) in files("run", "clef")?.iter().enumerate() {
        let program = Program::of_run(path)?;
        trials.extend(interpreter::trials(&program));
        trials.extend(board::trials(index, &program, &every));
        trials.push(dialect::trial_of(&program));
    }
    for (index, path) in entries("projects")?.iter().enumerate() {
        if path.join("expected.stderr").exists() {
            trials.push(ui::trial_of_project(path.clone()));
        } else if path.join("expected.out").exists() {
            let program = Program::of_projects(path)?;
            trials.extend(interpreter::trials(&program));
            trials.extend(board::trials(index, &program, &every));
        }
    }
    for (index, path) in examples()?.iter().enumerate() {
        let example = Program::of_example(path)?;
        // The examples that only models run need analog inputs and pulse-width outputs.
        let needs_more = example.on_models;
        let fit = unemulated.iter().filter(|board| !needs_more || board.adc.is_some() && board.pwm.is_some());
        trials.extend(interpreter::trials(&example));
        trials.extend(board::trials_of_example(index, example, &every));
        trials.extend(fit.map(|board| image::trial_on(index, path.clone(), board)));
    }
    for (index, path) in files("long", "clef")?.iter().enumerate() {
        trials.extend(long::trials(index, path, boards)?);
    }
    for path in files("faults", "clef")? {
        trials.extend(fault::trials(&path, &every)?);
    }
    for path in files("foreign", "clef")? {
        trials.extend(foreign::trials(&path, boards)?);
    }
    for path in files("host", "clef")? {
        trials.extend(host::trials(&path, &every)?);
    }
    trials.push(host::trial_of_example());
    trials.extend(files("ui", "clef")?.into_iter().map(ui::trial));
    for document in files("phases", "md")?.into_iter().chain(files("../docs", "md")?) {
        trials.extend(phase::trials(&document)?);
    }
    for document in files("proposals", "md")? {
        trials.extend(proposal::trials(&document)?);
    }
    trials.extend(proposal::trials_of_pages()?);
    for path in files("mlir", "clef")? {
        trials.extend(shape::trials(&path)?);
        trials.extend(dialect::trials(&path));
    }
    trials.extend(files("image", "clef")?.into_iter().map(image::trial));
    trials.push(storage::trial());
    trials.extend(chips::trials()?);
    trials.extend(flash::trials()?);
    trials.extend(node::trials()?);
    trials.extend(tutorial::trials());
    trials.extend(pins::trials()?);
    trials.extend(serial::trials()?);
    trials.extend(consoles::trials()?);
    trials.extend(i2c::trials()?);
    trials.extend(spi::trials()?);
    trials.extend(dma::trials()?);
    trials.extend(clocks::trials()?);
    trials.extend(analog::trials()?);
    trials.extend(regulator::trials()?);
    trials.extend(random::trials()?);
    trials.extend(timers::trials()?);
    trials.extend(transfers::trials()?);
    trials.extend(receptions::trials()?);
    trials.extend(testing::trials(boards));
    trials.extend(debugger::trials(&every));
    trials.extend(oracle::trials(boards));
    trials.extend(scale::trials());
    trials.extend(probe::trials());
    trials.extend(decoders::trials());
    trials.extend(lsp::trials());
    trials.extend(neovim::trials());
    trials.extend(reference::trials());
    trials.extend(picture::trials()?);
    Ok(trials)
}

/// The files in a directory of the test data with this extension, in order.
fn files(directory: &str, extension: &str) -> Result<Vec<PathBuf>, Failed> {
    let mut files = entries(directory)?;
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    Ok(files)
}

/// The examples that are programs: files and projects, without the folder of drivers, whose projects have tests alone.
pub(crate) fn examples() -> Result<Vec<PathBuf>, Failed> {
    let mut examples = entries("../examples")?;
    examples.retain(|path| path.is_file() || path.join("clef.toml").exists());
    Ok(examples)
}

/// The files and directories of a directory, in order.
pub(crate) fn entries(directory: impl AsRef<Path>) -> Result<Vec<PathBuf>, Failed> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(directory))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}

/// The name of a file without directory and extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The values of the comments `// key: value` of a source text.
pub(crate) fn directives(source: &str, key: &str) -> Vec<String> {
    source.lines().filter_map(|line| directive(line, key)).map(str::to_owned).collect()
}

/// The value of a line `// key: value`.
pub(crate) fn directive<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    Some(line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(':')?.trim())
}
