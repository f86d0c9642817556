//! Shapes of generated code: the programs of `mlir/` say by comments what the products of code generation hold.
//!
//! `// emit: mlir --board microbit` names the product and further arguments. Each `// CHECK: text` must then be part of a
//! line, in that order; a `// CHECK-NOT: text` of none. Blanks at the ends do not count.

use crate::{compiler::clefc, directives, stem};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The trial of a program.
pub(crate) fn trial(path: PathBuf) -> Trial {
    Trial::test(format!("mlir::{}", stem(&path)), move || check(&path))
}

fn check(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let file = format!("mlir/{}.clef", stem(path));
    let emit = directives(&source, "emit").pop().unwrap_or_else(|| "mlir".to_owned());
    let arguments: Vec<&str> = ["--emit"].into_iter().chain(emit.split_whitespace()).chain([file.as_str()]).collect();
    let call = clefc(&arguments, b"")?;
    let product = String::from_utf8_lossy(&call.output);
    if call.status != Some(0) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), call.status, call.errors).into());
    }
    let mut lines = product.lines();
    for wanted in directives(&source, "CHECK") {
        if !lines.any(|line| line.contains(&wanted)) {
            return Err(format!("there is no `{wanted}`, or not in this order, in:\n{product}").into());
        }
    }
    for unwanted in directives(&source, "CHECK-NOT") {
        if let Some(line) = product.lines().find(|line| line.contains(&unwanted)) {
            return Err(format!("there is `{unwanted}`: {line}").into());
        }
    }
    Ok(())
}
