//! Programs in C that are linked with libraries in Clef: as a process, and in QEMU with their own start-up.
//!
//! `host/name.clef` becomes the library `libname.a`; `host/name.c`, which includes its header, is the program, and
//! `host/support` has what it needs of the platform. Comments in the Clef file say:
//!
//! - `// status: 101`: how the program ends;
//! - `// beside: other.clef`: another library that it is linked with;
//! - `// boards: mps2-an386 microbit`: where it runs, if not everywhere.

use crate::{
    ROOT,
    board::{LEVELS, missing},
    compiler::{LONGEST, call, clefc_in},
    directives, stem, tool,
};
use clef_descriptors::{Boot, Machine};
use clef_golden::compare_with_file;
use clef_oracle::foreign::{compile, is_there, of_llvm};
use libtest_mimic::{Failed, Trial};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The boards that there is a start-up in C for.
const BOARDS: [&str; 3] = ["host-linux", "mps2-an386", "microbit"];

/// A program in C with its libraries.
#[derive(Clone)]
struct Program {
    name: String,
    /// The Clef files, each of which becomes a library.
    libraries: Vec<String>,
    status: i32,
}

/// The trials of a program on all boards, at all levels.
pub(crate) fn trials(path: &Path, boards: &[Machine]) -> Result<Vec<Trial>, Failed> {
    let (name, source) = (stem(path), fs::read_to_string(path)?);
    let Some(status) = directives(&source, "status").pop() else {
        return Ok(Vec::new());
    };
    let beside = directives(&source, "beside").into_iter();
    let libraries = std::iter::once(format!("{name}.clef")).chain(beside).collect();
    let program = Program { name, libraries, status: status.parse()? };
    let wanted = directives(&source, "boards").pop();
    let wanted: Vec<&str> = wanted.as_deref().map_or(BOARDS.to_vec(), |wanted| wanted.split_whitespace().collect());
    let suitable = boards.iter().filter(|machine| wanted.contains(&machine.board.value.name.as_str()));
    Ok(suitable.flat_map(|machine| LEVELS.map(|level| trial(&program, machine, level))).collect())
}

fn trial(program: &Program, machine: &Machine, level: &'static str) -> Trial {
    let board = &machine.board.value;
    let absent = if is_there() { missing(board) } else { Some("clang of LLVM 22".to_owned()) };
    let title = format!("host::{}::{}-O{level}", program.name, board.name);
    let (program, machine) = (program.clone(), machine.clone());
    let trial = Trial::test(title, move || run(&program, &machine, level));
    match absent {
        Some(absent) => tool::ignored(trial, &absent),
        None => trial,
    }
}

fn run(program: &Program, machine: &Machine, level: &str) -> Result<(), Failed> {
    let (board, target) = (&machine.board.value.name, &machine.target.value);
    let directory = directory(&format!("{}-{board}-{level}", program.name))?;
    for library in &program.libraries {
        let name = stem(Path::new(library));
        fs::copy(Path::new(ROOT).join("host").join(library), directory.join(library))?;
        let output = format!("lib{name}.a");
        let arguments = ["--emit", "lib", "--board", board, &format!("-O{level}"), library, "-o", &output];
        let made = clefc_in(&directory, &arguments, b"")?;
        if made.status != Some(0) {
            return Err(format!("clefc {} failed:\n{}", arguments.join(" "), made.errors).into());
        }
    }
    let is_process = machine.board.value.boot == Boot::Linux;
    let platform = if is_process { "support/linux.c" } else { "support/cortex-m.c" };
    let mut objects = Vec::new();
    for file in ["support/host.h", platform, &format!("{}.c", program.name)] {
        let copy = directory.join(Path::new(file).file_name().unwrap_or_default());
        fs::copy(Path::new(ROOT).join("host").join(file), &copy)?;
        if copy.extension().is_some_and(|extension| extension == "c") {
            let object = copy.with_extension("o");
            compile(&copy, target, &object)?;
            objects.push(object);
        }
    }
    objects
        .extend(program.libraries.iter().map(|library| directory.join(format!("lib{}.a", stem(Path::new(library))))));
    let image = directory.join("program");
    let mut linker = if is_process {
        Command::new(of_llvm("clang").ok_or("clang is missing")?)
    } else {
        let mut linker = Command::new(of_llvm("ld.lld").or_else(|| tool::find("ld.lld-22")).ok_or("lld is missing")?);
        linker.arg("-T").arg(Path::new(ROOT).join(format!("host/support/{board}.ld"))).arg("--gc-sections");
        linker
    };
    linker.args(&objects).arg("-o").arg(&image);
    let linked = call(&mut linker, b"", LONGEST)?;
    if linked.status != Some(0) {
        return Err(format!("{linker:?} failed:\n{}", linked.errors).into());
    }
    let mut command = if is_process {
        Command::new(&image)
    } else {
        let mut command = Command::new("qemu-system-arm");
        command.args(["-M", board, "-display", "none", "-semihosting-config", "enable=on,target=native"]);
        command.arg("-kernel").arg(&image);
        command
    };
    let ended = call(&mut command, b"", LONGEST)?;
    if ended.status != Some(program.status) {
        return Err(format!(
            "it ended with {:?}:\n{}{}",
            ended.status,
            String::from_utf8_lossy(&ended.output),
            ended.errors
        )
        .into());
    }
    let expected = Path::new(ROOT).join(format!("host/{}.out", program.name));
    Ok(compare_with_file(&expected, &String::from_utf8_lossy(&ended.output))?)
}

/// The trial of the example of a library, with the C compiler of this machine.
pub(crate) fn trial_of_example() -> Trial {
    let trial = Trial::test("host::examples::controller", || {
        let directory = directory("controller")?;
        let example = Path::new(ROOT).join("../examples/controller");
        let project = example.to_string_lossy();
        let made = clefc_in(&directory, &["--emit", "lib", &project, "-o", "libcontroller.a"], b"")?;
        let mut compiler = Command::new(of_llvm("clang").ok_or("clang is missing")?);
        compiler.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I.", "-o", "heater"]);
        compiler.arg(example.join("main.c")).arg("libcontroller.a").current_dir(&directory);
        let linked = call(&mut compiler, b"", LONGEST)?;
        let ended = call(&mut Command::new(directory.join("heater")), b"", LONGEST)?;
        if (made.status, linked.status, ended.status) != (Some(0), Some(0), Some(0)) {
            return Err(format!("it failed:\n{}{}{}", made.errors, linked.errors, ended.errors).into());
        }
        let expected = Path::new(ROOT).join("examples/controller.host.out");
        Ok(compare_with_file(&expected, &String::from_utf8_lossy(&ended.output))?)
    });
    if is_there() { trial } else { tool::ignored(trial, "clang of LLVM 22") }
}

/// An empty directory for products.
fn directory(name: &str) -> Result<PathBuf, Failed> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host").join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    Ok(directory)
}
