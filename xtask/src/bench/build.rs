//! Compiles the harness and the programs.

use super::{
    DIRECTORY, board,
    language::{Goal, Language, Platform, RUST_BOARD_TARGET, llvm_tool},
    make_directory,
};
use crate::{Failure, step::shown, toolchain::root};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The processor of the board, for Clang.
const CLANG_BOARD: [&str; 3] = ["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4", "-ffreestanding"];

/// The processor of the board, for rustc.
const RUST_BOARD: [&str; 4] = ["--target", RUST_BOARD_TARGET, "-C", "target-cpu=cortex-m4"];

/// How C is compiled: in the order of evaluation of floats that the other languages have too.
pub(crate) const CLANG: [&str; 6] =
    ["-std=gnu23", "-Wall", "-Wextra", "-ffp-contract=off", "-ffunction-sections", "-fdata-sections"];

/// How Rust is compiled: as Cargo's release profile with one unit and `panic = "abort"`.
const RUST: [&str; 6] = ["--edition", "2024", "-C", "panic=abort", "-C", "codegen-units=1"];

/// Firmware in Rust is compiled with the libraries at hand, which makes it much smaller.
const RUST_BOARD_LINK: [&str; 2] = ["-C", "lto=fat"];

/// The compiler to measure, and what was built for all programs.
pub(crate) struct Tools {
    clefc: PathBuf,
    directory: PathBuf,
    /// The plugin that counts instructions, where the board is measured.
    pub(crate) plugin: Option<PathBuf>,
}

impl Tools {
    /// Compiles the harness for the platforms.
    pub(crate) fn build(clefc: &Path, platforms: &[Platform]) -> Result<Tools, Failure> {
        let directory = root().join(DIRECTORY);
        make_directory(&directory)?;
        let mut tools = Tools { clefc: clefc.to_owned(), directory, plugin: None };
        for platform in platforms {
            match platform {
                Platform::Linux => tools.harness("linux", &["-O2", "-ffreestanding", "-fno-stack-protector"])?,
                Platform::CortexM4 => {
                    for part in ["cortex-m", "start"] {
                        tools.harness(part, &[&CLANG_BOARD[..], &["-Oz", "-ffunction-sections"]].concat())?;
                    }
                    let own = ["-Oz", "-ffunction-sections", "-fno-builtin"];
                    tools.harness("memory", &[&CLANG_BOARD[..], &own].concat())?;
                    tools.plugin = Some(board::plugin()?);
                }
            }
            tools.rust_harness(*platform)?;
        }
        Ok(tools)
    }

    /// Compiles a program, and returns the path of the executable or the image.
    pub(crate) fn program(
        &self,
        program: &str,
        language: Language,
        platform: Platform,
        goal: Goal,
    ) -> Result<PathBuf, Failure> {
        let directory = self.directory.join(program);
        make_directory(&directory)?;
        let goal_name = if goal == Goal::Size { "size" } else { "speed" };
        let product = directory.join(format!("{}-{}-{goal_name}", language.key(), platform.key()));
        let source = root().join("bench/programs").join(language.source(program));
        match (language, platform) {
            (Language::Clef, _) => self.clef(&source, &product, platform, goal)?,
            (Language::C, Platform::Linux) => self.c_on_linux(&source, &product)?,
            (Language::C, Platform::CortexM4) => self.c_on_board(&source, &product, goal)?,
            (Language::Rust | Language::RustDyn, _) => self.rust(&source, &product, platform, goal)?,
            (Language::OCaml, _) => self.ocaml(&source, &product)?,
        }
        Ok(product)
    }

    fn object(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.o"))
    }

    fn harness(&self, name: &str, options: &[&str]) -> Result<(), Failure> {
        let mut command = Command::new(llvm_tool("clang"));
        command.args(options).arg("-c").arg(root().join(format!("bench/harness/{name}.c")));
        command.arg("-o").arg(self.object(name));
        run(command)
    }

    /// The crate that programs in Rust link, for a platform.
    fn rust_crate(&self, platform: Platform) -> PathBuf {
        self.directory.join(platform.key()).join("libbench.rlib")
    }

    fn rust_harness(&self, platform: Platform) -> Result<(), Failure> {
        if !Language::Rust.is_present(platform) {
            return Ok(());
        }
        make_directory(&self.directory.join(platform.key()))?;
        let mut command = rustc();
        command.args(["--edition", "2024", "--crate-type", "rlib", "--crate-name", "bench"]);
        command.args(["-C", "panic=abort", "-C", "opt-level=3"]);
        if platform == Platform::CortexM4 {
            command.args(RUST_BOARD);
        }
        command.arg(root().join("bench/harness/bench.rs")).arg("-o").arg(self.rust_crate(platform));
        run(command)
    }

    fn clef(&self, source: &Path, product: &Path, platform: Platform, goal: Goal) -> Result<(), Failure> {
        let mut command = Command::new(&self.clefc);
        command.args(["-O", level(platform, goal)]);
        match platform {
            Platform::Linux => command.args(["--target", "x86_64-linux"]).arg("--link").arg(self.object("linux")),
            Platform::CortexM4 => command.args(["--board", "mps2-an386"]).arg("--link").arg(self.object("cortex-m")),
        };
        command.arg(source).arg("-o").arg(product);
        run(command)
    }

    fn c_on_linux(&self, source: &Path, product: &Path) -> Result<(), Failure> {
        let mut command = Command::new(llvm_tool("clang"));
        command.args(CLANG).arg("-O3").arg("-I").arg(root().join("bench/harness"));
        command.arg(source).arg(self.object("linux")).arg("-o").arg(product);
        run(command)
    }

    fn c_on_board(&self, source: &Path, product: &Path, goal: Goal) -> Result<(), Failure> {
        let object = product.with_extension("o");
        let mut command = Command::new(llvm_tool("clang"));
        command.args(CLANG_BOARD).args(CLANG).arg(format!("-O{}", level(Platform::CortexM4, goal)));
        command.arg("-I").arg(root().join("bench/harness")).arg("-c").arg(source).arg("-o").arg(&object);
        run(command)?;
        let mut link = Command::new(llvm_tool("ld.lld"));
        link.args(["--gc-sections", "-T"]).arg(linker_script()).arg(&object);
        link.args(["start", "cortex-m", "memory"].map(|name| self.object(name))).arg("-o").arg(product);
        run(link)
    }

    fn rust(&self, source: &Path, product: &Path, platform: Platform, goal: Goal) -> Result<(), Failure> {
        let mut command = rustc();
        command.args(RUST).arg("-C");
        command.arg(if goal == Goal::Size { "opt-level=z" } else { "opt-level=3" });
        command.arg("--extern").arg(format!("bench={}", self.rust_crate(platform).display()));
        let mut link = |argument: String| {
            command.arg("-C").arg(format!("link-arg={argument}"));
        };
        match platform {
            Platform::Linux => link(self.object("linux").display().to_string()),
            Platform::CortexM4 => {
                link(format!("-T{}", linker_script().display()));
                ["start", "cortex-m"].iter().for_each(|name| link(self.object(name).display().to_string()));
                command.args(RUST_BOARD).args(RUST_BOARD_LINK);
            }
        }
        command.arg(source).arg("-o").arg(product);
        run(command)
    }

    /// OCaml's compiler writes beside the source, so that it compiles a copy.
    fn ocaml(&self, source: &Path, product: &Path) -> Result<(), Failure> {
        let copy = product.with_file_name("program.ml");
        std::fs::copy(source, &copy).map_err(|error| format!("cannot copy `{}`: {error}", source.display()))?;
        let mut command = Command::new("ocamlopt");
        command.arg("-O3").arg(copy).arg(self.object("linux")).arg("-o").arg(product);
        run(command)
    }
}

/// The level of optimisation of Clang and `clefc`.
fn level(platform: Platform, goal: Goal) -> &'static str {
    match (platform, goal) {
        (_, Goal::Size) => "z",
        (Platform::Linux, Goal::Speed) => "3",
        (Platform::CortexM4, Goal::Speed) => "2",
    }
}

fn linker_script() -> PathBuf {
    root().join("bench/harness/mps2-an386.ld")
}

/// The pinned Rust compiler.
fn rustc() -> Command {
    let mut command = Command::new("rustc");
    command.current_dir(root());
    command
}

/// Runs a compiler; a failure says what it printed.
pub(crate) fn run(command: Command) -> Result<(), Failure> {
    printed(command).map(|_| ())
}

/// Runs a tool, and returns what it printed.
pub(crate) fn printed(mut command: Command) -> Result<String, Failure> {
    let output = command.output().map_err(|error| format!("cannot run `{}`: {error}", shown(&command)))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("`{}` fails:\n{}", shown(&command), String::from_utf8_lossy(&output.stderr).trim())),
    }
}
