//! Compiles what asks LLVM for more than its C API tells, what runs its passes, and what divides programs.

use std::{env, path::PathBuf};

#[allow(clippy::disallowed_methods, reason = "a build script asks where LLVM is")]
fn main() {
    const SOURCES: [&str; 10] = [
        "src/dialects.cpp",
        "src/llvm/debug.cpp",
        "src/llvm/intervals.cpp",
        "src/llvm/link.cpp",
        "src/llvm/options.cpp",
        "src/llvm/order_operands.cpp",
        "src/llvm/parts.cpp",
        "src/llvm/passes.cpp",
        "src/llvm/processors.cpp",
        "src/llvm/split_aggregates.cpp",
    ];
    SOURCES.iter().for_each(|source| println!("cargo:rerun-if-changed={source}"));
    println!("cargo:rerun-if-changed=src/llvm/intervals.h");
    println!("cargo:rerun-if-changed=src/llvm/order_operands.h");
    println!("cargo:rerun-if-changed=src/llvm/split_aggregates.h");
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix = env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        // LLVM is built without them.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        // The headers are large, and what is compiled is small.
        .opt_level(1)
        .debug(false)
        .flag("-isystem")
        .flag(prefix.join("include"))
        .files(SOURCES)
        .compile("clef_llvm");
}
