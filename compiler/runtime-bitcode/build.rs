//! Compiles `runtime-nostd` to LLVM bitcode for every runtime that targets name, and collects the routines that LLVM
//! calls for operations a core lacks (division, soft float, `memcpy`) from the Rust toolchain's `compiler_builtins`.
//!
//! The routines keep their unwind tables (`.debug_frame`), which are in the memory of no image.
//!
//! In: `runtime-nostd/` and the installed Rust targets. Out, in `OUT_DIR`: `<name>.bc`, `<name>.a`, `<name>.small.a`
//! with the memory routines for images at `-Oz`, and `runtimes.rs`, the table of all runtimes and the names of the
//! routines.

#[path = "build/archive.rs"]
mod archive;

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The build parameters of one runtime.
struct Variant {
    /// The name that target descriptors use.
    name: &'static str,
    /// The Rust target it is compiled for.
    rust_target: &'static str,
    /// Features of the runtime crate in addition to `image`.
    features: &'static str,
    /// The Rust target that provides `memcpy` and similar routines, where `rust_target` leaves them to a C library.
    memory_routines: Option<&'static str>,
    /// The Rust target for which `memory/fast.rs` is compiled, where it is used.
    fast_routines: Option<&'static str>,
}

impl Variant {
    const fn new(name: &'static str, features: &'static str) -> Variant {
        Variant { name, rust_target: name, features, memory_routines: None, fast_routines: None }
    }

    /// For x86-64: with `memcpy`, which Linux's target leaves to a C library.
    const fn x86_64(name: &'static str, features: &'static str) -> Variant {
        Variant {
            rust_target: LINUX,
            memory_routines: Some("x86_64-unknown-none"),
            fast_routines: Some(LINUX),
            ..Variant::new(name, features)
        }
    }

    /// The files with routines that replace those of the Rust toolchain, and the Rust targets for which they are compiled.
    fn routines(&self) -> Vec<(&'static str, &'static str)> {
        let division: &[&str] = if self.rust_target.starts_with("thumb") { &DIVISION } else { &[] };
        let division = division.iter().map(|file| (*file, self.rust_target));
        division.chain(self.fast_routines.map(|target| ("memory/fast.rs", target))).collect()
    }

    /// The Rust target for which the smallest memory routines are compiled.
    fn memory_target(&self) -> &'static str {
        self.memory_routines.unwrap_or(self.rust_target)
    }
}

/// Divisions with remainder of Cortex-M, an object each, so that a library has only those that it needs.
const DIVISION: [&str; 4] =
    ["division/idivmod.rs", "division/uidivmod.rs", "division/ldivmod.rs", "division/uldivmod.rs"];

/// Linux on x86-64.
const LINUX: &str = "x86_64-unknown-linux-gnu";

const VARIANTS: &[Variant] = &[
    Variant::new("thumbv6m-none-eabi", "rp2040"),
    Variant::new("thumbv7m-none-eabi", "vtor,mpu"),
    Variant::new("thumbv7em-none-eabi", "vtor,mpu"),
    Variant::new("thumbv7em-none-eabihf", "vtor,mpu,fpu"),
    Variant::new("thumbv8m.main-none-eabi", "vtor,msplim"),
    Variant::new("thumbv8m.main-none-eabihf", "vtor,msplim,fpu"),
    Variant::new("aarch64-unknown-none", ""),
    // The bare target's libraries also work in processes, and include `memcpy`.
    Variant { rust_target: "aarch64-unknown-none", ..Variant::new("aarch64-unknown-linux-gnu", "linux") },
    // Rust's own x86_64-unknown-none passes floats in integer registers. Programs use SSE, so their runtime is built with
    // the ABI of Linux, and with the boot code of the bare machine.
    Variant::x86_64("x86_64-unknown-none", "pvh"),
    Variant::x86_64(LINUX, "linux"),
];

/// The level of compression: the best in acceptable time.
const COMPRESSION: u8 = 9;

fn main() {
    let out = PathBuf::from(variable("OUT_DIR"));
    let runtime = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../runtime-nostd");
    for input in ["src", "memory", "division", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", runtime.join(input).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let toolchain = Toolchain::find();
    let mut table = format!("static RUNTIMES: [(&str, Deflated); {}] = [\n", VARIANTS.len());
    let mut routines = BTreeSet::new();
    for variant in VARIANTS {
        let bitcode = out.join(variant.name).with_added_extension("bc");
        compile(&runtime, &out, variant, &bitcode);
        let builtins = out.join(variant.name).with_added_extension("a");
        let mut members = toolchain.builtins(variant, &out);
        let own = variant.routines();
        let own = own.iter().map(|(file, target)| toolchain.routines_of(&runtime.join(file), (target, "s"), &out));
        // The linker takes the first definition.
        members.splice(0..0, own);
        routines.extend(archive::routines(&members));
        write_archive(&builtins, &members);
        let small = out.join(variant.name).with_added_extension("small.a");
        let memory = runtime.join("memory/routines.rs");
        write_archive(&small, &[toolchain.routines_of(&memory, (variant.memory_target(), "z"), &out)]);
        let name = variant.name;
        let fields = [("bitcode", &bitcode), ("builtins", &builtins), ("memory_routines", &small)];
        let fields = fields.map(|(field, file)| format!("{field}: include_bytes!({:?})", deflated(file))).join(", ");
        let _ = writeln!(table, "    ({name:?}, Deflated {{ {fields}, whole: OnceLock::new() }}),");
    }
    table.push_str("];\n\n/// The routines that compiled code calls, on any target, sorted.\n");
    let routines: Vec<String> = routines.into_iter().collect();
    let _ = writeln!(table, "static ROUTINES: &[&str] = &{routines:?};");
    fs::write(out.join("runtimes.rs"), table).unwrap_or_else(|error| fail(&format!("cannot write the table: {error}")));
}

/// Compresses a file beside it; the compiler holds what a program rarely needs that way.
fn deflated(file: &Path) -> PathBuf {
    let whole = fs::read(file).unwrap_or_else(|error| fail(&format!("cannot read {}: {error}", file.display())));
    let deflated = file.with_added_extension("z");
    fs::write(&deflated, miniz_oxide::deflate::compress_to_vec(&whole, COMPRESSION))
        .unwrap_or_else(|error| fail(&format!("cannot write {}: {error}", deflated.display())));
    deflated
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("Cargo did not set {name}")))
}

fn fail(message: &str) -> ! {
    println!("cargo::error={}", message.replace('\n', " "));
    std::process::exit(1)
}

/// Whether the outer Cargo or a wrapper (clippy, coverage) set a variable for the compiler's own build. Variables about
/// package sources and the number of jobs also apply to the runtime.
fn is_meant_for_the_compiler(name: &str) -> bool {
    const SHARED: [&str; 5] = ["CARGO_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTR", "CARGO_MAKEFLAGS"];
    let is_of_the_build = name.starts_with("CARGO_") || name.starts_with("RUSTC_") || name == "RUSTFLAGS";
    is_of_the_build && !SHARED.iter().any(|shared| name.starts_with(shared))
}

/// Runs Cargo on the runtime, with its own target directory, because the outer Cargo holds the lock of the usual one.
fn compile(runtime: &Path, out: &Path, variant: &Variant, bitcode: &Path) {
    let mut cargo = Command::new(variable("CARGO"));
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_meant_for_the_compiler) {
            cargo.env_remove(name);
        }
    }
    cargo
        .arg("rustc")
        .arg("--manifest-path")
        .arg(runtime.join("Cargo.toml"))
        .args(["--locked", "--release", "--lib", "--crate-type", "staticlib", "--target", variant.rust_target])
        .arg("--features")
        .arg(format!("image,{}", variant.features))
        .arg("--target-dir")
        .arg(out.join("target"))
        .args(["--", "-Crelocation-model=static", "-Cforce-unwind-tables=no"])
        .arg(format!("--emit=llvm-bc={}", bitcode.display()));
    if env::var_os("CARGO_FEATURE_LINE_TABLES").is_some() {
        cargo.arg("-Cdebuginfo=line-tables-only");
    }
    let output = cargo.output().unwrap_or_else(|error| fail(&format!("cannot run Cargo: {error}")));
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        eprintln!("{messages}");
        let target = variant.rust_target;
        let is_missing = messages.contains("can't find crate for `core`");
        fail(&match is_missing {
            true => format!("the Rust target {target} is not installed: run `cargo xtask setup`"),
            false => format!("the runtime does not compile for {target}"),
        });
    }
}

fn write_archive(file: &Path, members: &[Vec<u8>]) {
    fs::write(file, archive::write(members))
        .unwrap_or_else(|error| fail(&format!("cannot write {}: {error}", file.display())));
}

/// The Rust toolchain that compiles the runtime.
struct Toolchain {
    /// `lib/rustlib` of the toolchain.
    rustlib: PathBuf,
}

impl Toolchain {
    fn find() -> Toolchain {
        let output = Command::new(variable("RUSTC")).args(["--print", "sysroot"]).output();
        let output = output.unwrap_or_else(|error| fail(&format!("cannot run rustc: {error}")));
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_string();
        Toolchain { rustlib: Path::new(&sysroot).join("lib/rustlib") }
    }

    /// The objects with the routines for a variant.
    fn builtins(&self, variant: &Variant, out: &Path) -> Vec<Vec<u8>> {
        let mut members = self.members(variant.rust_target, out);
        if let Some(target) = variant.memory_routines {
            members.extend(archive::memory_routines(self.members(target, out)));
        }
        members
    }

    /// The object with the routines of a source file, compiled for a target at a level.
    fn routines_of(&self, file: &Path, (target, level): (&str, &str), out: &Path) -> Vec<u8> {
        let object = out.join("routines.o");
        let output = Command::new(variable("RUSTC"))
            .args(["--edition", "2024", "--crate-type", "lib", "--target", target])
            .args(["-Cpanic=abort", "-Crelocation-model=static", "-Cforce-unwind-tables=no"])
            // With debug information there are tables outside of the memory of images.
            .arg("-Cdebuginfo=line-tables-only")
            .arg(format!("-Copt-level={level}"))
            .arg(format!("--emit=obj={}", object.display()))
            .arg(file)
            .output();
        let output = output.unwrap_or_else(|error| fail(&format!("cannot run rustc: {error}")));
        if !output.status.success() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
            fail(&format!("{} does not compile for {target}", file.display()));
        }
        self.stripped(&object, &out.join("routines.stripped.o"))
    }

    /// The objects of a target's `compiler_builtins`.
    fn members(&self, target: &str, out: &Path) -> Vec<Vec<u8>> {
        let library = self.library(target);
        let bytes = self.stripped(&library, &out.join(target).with_added_extension("stripped.a"));
        archive::objects(&bytes).unwrap_or_else(|| fail(&format!("{} is not an archive", library.display())))
    }

    /// The content of an object or an archive without the sections for debuggers and link-time optimisation, but with the unwind
    /// tables.
    fn stripped(&self, file: &Path, stripped: &Path) -> Vec<u8> {
        let is_stripped = self.objcopies().iter().any(|objcopy| {
            let mut command = Command::new(objcopy);
            let kept = ["", ".rel", ".rela"].map(|kind| format!("--keep-section={kind}.debug_frame"));
            command.arg("--strip-debug").args(kept).args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
            command.arg(file).arg(stripped);
            command.output().is_ok_and(|output| output.status.success())
        });
        // Without the tool the file is larger, but works.
        let path = if is_stripped { stripped } else { file };
        fs::read(path).unwrap_or_else(|error| fail(&format!("cannot read {}: {error}", path.display())))
    }

    /// Where `objcopy` may be: in the toolchain, or next to LLVM.
    fn objcopies(&self) -> Vec<PathBuf> {
        println!("cargo::rerun-if-env-changed=MLIR_SYS_220_PREFIX");
        let beside_llvm = env::var_os("MLIR_SYS_220_PREFIX").map(|prefix| Path::new(&prefix).join("bin/llvm-objcopy"));
        let in_toolchain = self.rustlib.join(variable("HOST")).join("bin/rust-objcopy");
        beside_llvm.into_iter().chain([in_toolchain, PathBuf::from("llvm-objcopy-22")]).collect()
    }

    fn library(&self, target: &str) -> PathBuf {
        let directory = self.rustlib.join(target).join("lib");
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .find(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                name.starts_with("libcompiler_builtins-") && name.ends_with(".rlib")
            })
            .unwrap_or_else(|| fail(&format!("the Rust target {target} is not installed: run `cargo xtask setup`")))
    }
}
