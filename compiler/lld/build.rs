//! Compiles what calls LLD, and links LLD's libraries for ELF.

use std::{env, path::PathBuf};

#[allow(clippy::disallowed_methods, reason = "a build script asks where LLVM is")]
fn main() {
    println!("cargo:rerun-if-changed=src/lld.cpp");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix = env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        // LLVM is built without them.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .opt_level(1)
        .debug(false)
        .flag("-isystem")
        .flag(prefix.join("include"))
        .file("src/lld.cpp")
        .compile("clef_lld");
    println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
    println!("cargo:rustc-link-lib=static=lldELF");
    println!("cargo:rustc-link-lib=static=lldCommon");
}
