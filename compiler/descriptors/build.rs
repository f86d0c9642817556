//! Lists the shipped descriptors, so that a new file in `targets/` or `boards/` is embedded automatically.

#![allow(clippy::disallowed_methods, reason = "a build script reads what it builds in")]

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    let crate_directory = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let root = Path::new(&crate_directory).join("../..");
    let mut code = String::new();
    for (list, directory) in [("TARGETS", "targets"), ("BOARDS", "boards")] {
        let path = root.join(directory);
        println!("cargo::rerun-if-changed={}", path.display());
        let mut names: Vec<String> = fs::read_dir(&path)
            .unwrap_or_else(|error| panic!("cannot list {}: {error}", path.display()))
            .map(|entry| entry.expect("a directory entry").file_name().into_string().expect("names are UTF-8"))
            .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
            .collect();
        names.sort();
        writeln!(code, "const {list}: &[(&str, &str)] = &[").expect("writing to a string");
        for name in names {
            let file = path.join(format!("{name}.yaml"));
            writeln!(code, "    ({name:?}, include_str!({file:?})),").expect("writing to a string");
        }
        writeln!(code, "];").expect("writing to a string");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("embedded.rs"), code).expect("the output directory is writable");
}
