//! Compiles the generated parser and the scanner of `editors/tree-sitter-clef`.

use std::path::Path;

fn main() {
    let source = Path::new("../../editors/tree-sitter-clef/src");
    let mut build = cc::Build::new();
    build.include(source).std("c11").warnings(false).opt_level(1);
    for file in ["parser.c", "scanner.c"] {
        build.file(source.join(file));
    }
    build.compile("tree-sitter-clef");
    println!("cargo:rerun-if-changed={}", source.display());
}
