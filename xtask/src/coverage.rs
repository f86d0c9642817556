//! `cargo xtask coverage`: the lines of storage, regions and evacuation that the compiler executes for generated
//! programs, and the lines of the runtime that their images execute.
//!
//! The compiler is built with LLVM's source-based coverage, in a separate target directory, and the oracle runs it.
//! Only the workspace's crates are instrumented: cargo calls this program instead of rustc for them. The runtime is
//! part of the images, for which see [`images`].

mod images;

use crate::{
    Failure,
    step::{Step, run_all},
    toolchain::{cargo, llvm_prefix, root},
};
use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};

/// The directory of the instrumented compiler and its profiles.
const DIRECTORY: &str = "target/coverage";
/// The default number of generated programs.
const COUNT: &str = "2000";
/// The code that assigns memory.
const SOURCES: [&str; 7] = [
    "compiler/storage/src/region",
    "compiler/storage/src/place",
    "compiler/core/src/evacuation.rs",
    "compiler/core/src/capture_parts.rs",
    "compiler/optimise/src",
    "compiler/codegen/src/evacuate.rs",
    "compiler/codegen/src/pointer_tables.rs",
];

/// Builds, runs the oracle with these arguments, and prints the table.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let profiles = root().join(DIRECTORY).join("profiles");
    // Profiles of another build do not apply to this one.
    let _ = fs::remove_dir_all(&profiles);
    let (compiler, data) = (format!("{DIRECTORY}/debug/clefc"), format!("{DIRECTORY}/clefc.profdata"));
    let mut build =
        cargo(&["build", "--quiet", "--package", "clefc", "--package", "clef-runtime", "--target-dir", DIRECTORY])?;
    build.args(["--features", "clef-runtime/line-tables"]);
    let itself = env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    build.env("RUSTC_WORKSPACE_WRAPPER", itself);
    build.env("LLVM_PROFILE_FILE", profiles.join("build-%p.profraw"));
    let mut oracle = cargo(&["run", "--quiet", "--release", "--package", "clef-oracle", "--bin", "oracle", "--"])?;
    oracle.args(["--clefc", &compiler]).env("LLVM_PROFILE_FILE", profiles.join("clefc-%8m.profraw"));
    match arguments {
        [] => oracle.args(["--count", COUNT]),
        arguments => oracle.args(arguments),
    };
    images::watch(&mut oracle, &root().join(DIRECTORY))?;
    let mut merge = tool("llvm-profdata")?;
    merge.args(["merge", "--sparse", "-o", &data]).arg(&profiles);
    let mut report = tool("llvm-cov")?;
    report.args(["report", &compiler, &format!("--instr-profile={data}"), "--show-region-summary=false"]);
    report.args(SOURCES.map(|source| root().join(source)));
    run_all(vec![
        Step { name: "build clefc with coverage", command: build },
        Step { name: "run generated programs", command: oracle },
        Step { name: "merge the profiles", command: merge },
        Step { name: "report", command: report },
    ])?;
    images::report(&root().join(DIRECTORY))
}

pub(crate) use images::emulate;

/// Calls rustc with coverage, if this program is called instead of it: its path is then the first argument.
pub(crate) fn compile(arguments: &[String]) -> Option<ExitCode> {
    let (rustc, rest) = arguments.split_first()?;
    if Path::new(rustc).file_stem() != Some("rustc".as_ref()) {
        return None;
    }
    let status = Command::new(rustc).args(rest).args(["-C", "instrument-coverage"]).status();
    Some(if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tool(name: &str) -> Result<Command, Failure> {
    let mut command = Command::new(Path::new(&llvm_prefix()?).join("bin").join(name));
    command.current_dir(root());
    Ok(command)
}
