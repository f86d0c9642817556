//! Shapes of generated code: comments in the programs of `mlir/` say what the products of code generation contain.
//!
//! `// emit: mlir -O 0` names a product and further arguments. The text of each `// CHECK: text` after it must be part
//! of a line of the product, in order; the text of a `// CHECK-NOT: text` must not occur. Surrounding blanks are
//! ignored. A program may request several products; each is a trial.

use crate::{compiler::clefc, directive, stem};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

/// The expectations on a product.
struct Shape {
    /// The product and further arguments.
    emit: String,
    /// Parts of lines, in their order.
    wanted: Vec<String>,
    /// Parts of no line.
    unwanted: Vec<String>,
}

/// A trial for each product that a program requests.
pub(crate) fn trials(path: &Path) -> Result<Vec<Trial>, Failed> {
    let name = stem(path);
    let file = format!("mlir/{name}.clef");
    let shapes = shapes(&std::fs::read_to_string(path)?).map_err(|message| format!("{file}: {message}"))?;
    let trial = |shape: Shape| {
        let file = file.clone();
        Trial::test(format!("mlir::{name}::{}", shape.emit.replace(' ', "")), move || check(&file, &shape))
    };
    Ok(shapes.into_iter().map(trial).collect())
}

/// The expectations in a source text.
fn shapes(source: &str) -> Result<Vec<Shape>, &'static str> {
    let mut shapes: Vec<Shape> = Vec::new();
    for line in source.lines() {
        if let Some(emit) = directive(line, "emit") {
            shapes.push(Shape { emit: emit.to_owned(), wanted: Vec::new(), unwanted: Vec::new() });
        } else if let Some(text) = directive(line, "CHECK") {
            shapes.last_mut().ok_or("`CHECK` before any `emit`")?.wanted.push(text.to_owned());
        } else if let Some(text) = directive(line, "CHECK-NOT") {
            shapes.last_mut().ok_or("`CHECK-NOT` before any `emit`")?.unwanted.push(text.to_owned());
        } else if line.starts_with("// CHECK") {
            return Err("a check is neither `CHECK` nor `CHECK-NOT`");
        }
    }
    match shapes.iter().all(|shape| shape.wanted.len() + shape.unwanted.len() > 0) {
        true if !shapes.is_empty() => Ok(shapes),
        true => Err("missing `emit`"),
        false => Err("an `emit` is followed by no `CHECK`"),
    }
}

fn check(file: &str, shape: &Shape) -> Result<(), Failed> {
    let arguments: Vec<&str> = ["--emit"].into_iter().chain(shape.emit.split_whitespace()).chain([file]).collect();
    let call = clefc(&arguments, b"")?;
    let product = String::from_utf8_lossy(&call.output);
    if call.status != Some(0) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), call.status, call.errors).into());
    }
    let mut lines = product.lines();
    for wanted in &shape.wanted {
        if !lines.any(|line| line.contains(wanted)) {
            return Err(format!("there is no `{wanted}`, or not in this order, in:\n{product}").into());
        }
    }
    for unwanted in &shape.unwanted {
        if let Some(line) = product.lines().find(|line| line.contains(unwanted)) {
            return Err(format!("unexpected `{unwanted}`: {line}").into());
        }
    }
    Ok(())
}
