//! The licences of what the archive contains: of each crate, of LLVM, and of the descriptions of chips.

use crate::{Failure, step::output, toolchain::root};
use serde_json::Value;
use std::{collections::BTreeMap, collections::BTreeSet, fmt::Write as _, fs, path::Path, process::Command};

/// The licence of LLVM, MLIR and LLD, as Debian's packages have it.
const OF_LLVM: &str = "/usr/share/doc/llvm-22-dev/copyright";

/// The licences of the descriptions of chips, in the repository.
const OF_CHIPS: &str = "compiler/registers/LICENSE-CHIPS";

/// All licences as one text: the crates with the names of their licences, and each text once.
pub(crate) fn licences() -> Result<String, Failure> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut all = String::from("clefc contains these crates:\n\n");
    for package in packages()? {
        let (name, version) = (text(&package, "name"), text(&package, "version"));
        let _ = writeln!(all, "{name} {version}: {}", text(&package, "license"));
        for licence in files(Path::new(text(&package, "manifest_path"))) {
            texts.entry(licence).or_default().insert(name.to_owned());
        }
    }
    let llvm = fs::read_to_string(OF_LLVM).map_err(|error| format!("cannot read {OF_LLVM}: {error}"))?;
    let _ = writeln!(all, "\nIt contains LLVM, MLIR and LLD, and the library of C++ that GCC brings:\n\n{llvm}");
    let path = root().join(OF_CHIPS);
    let chips = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let _ = writeln!(all, "{}\nThe registers of chips:\n\n{chips}", "-".repeat(80));
    for (licence, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        let _ = writeln!(all, "{}\n{}:\n\n{licence}", "-".repeat(80), names.join(", "));
    }
    Ok(all)
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or("-")
}

/// The crates of others that the program depends on.
fn packages() -> Result<Vec<Value>, Failure> {
    let mut tree = Command::new("cargo");
    tree.args(["tree", "--package", "clefc", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let tree = output(in_root(tree)).ok_or("`cargo tree` failed")?;
    let used: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(" (").next()).collect();
    let mut metadata = Command::new("cargo");
    metadata.args(["metadata", "--format-version", "1", "--locked"]);
    let metadata = output(in_root(metadata)).ok_or("`cargo metadata` failed")?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let is_used = |package: &Value| {
        let name = format!("{} v{}", text(package, "name"), text(package, "version"));
        !package["source"].is_null() && used.contains(name.as_str())
    };
    Ok(packages.into_iter().filter(is_used).collect())
}

fn in_root(mut command: Command) -> Command {
    command.current_dir(root());
    command
}

/// The texts of the licences beside a manifest.
fn files(manifest: &Path) -> Vec<String> {
    let Some(entries) = manifest.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return Vec::new() };
    let is_licence =
        |name: String| ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|known| name.starts_with(known));
    let named = entries.flatten().filter(|entry| is_licence(entry.file_name().to_string_lossy().to_uppercase()));
    named.filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect()
}
