//! Families of programs in two sizes: no step of the compiler may take longer for each element of the larger program.
//!
//! `cargo xtask scale` shows the times themselves, with an optimised compiler.

use crate::compiler::binary;
use clef_scale::{
    families::{FAMILIES, Family},
    measure::{Compiler, Need, excessive},
};
use libtest_mimic::{Failed, Trial};
use std::{path::Path, sync::LazyLock};

/// The maximum cost of an element of the larger program, compared with the smaller. The larger one is eight times as
/// large, so that quadratic work costs eight times as much per element; the margin is for caches and for a busy
/// machine.
const MAX: f64 = 4.0;

/// Steps below this many seconds are not judged.
const LEAST: f64 = 0.4;

/// The maximum memory of a family in bytes.
const MAX_MEMORY: f64 = 500e6;

/// A trial for each family.
pub(crate) fn trials() -> Vec<Trial> {
    FAMILIES.iter().map(|family| Trial::test(format!("scale::{}", family.name), move || flat(family))).collect()
}

/// The costs of the steps for an empty program.
static NOTHING: LazyLock<Result<Vec<Need>, String>> =
    LazyLock::new(|| compiler().map_err(|failed| failed.message().unwrap_or_default().to_owned())?.nothing());

fn compiler() -> Result<Compiler, Failed> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scale");
    let options = ["-O", "z", "--board", "mps2-an386"].map(str::to_owned).to_vec();
    Ok(Compiler { binary: binary()?.to_owned(), directory, options })
}

fn flat(family: &Family) -> Result<(), Failed> {
    let compiler = compiler()?;
    let nothing = NOTHING.as_ref().map_err(String::as_str)?;
    let table = compiler.table(family, family.start, nothing)?;
    let found = excessive(&table, MAX, LEAST);
    if let Some(step) = found.first() {
        let (small, large) = (step.small, step.large);
        return Err(format!(
            "the step `{}` takes {small:.3} s, but {large:.3} s for a program eight times as large",
            step.step
        )
        .into());
    }
    if table.memory.large > MAX_MEMORY {
        return Err(format!("clefc used {:.0} MB", table.memory.large / 1e6).into());
    }
    Ok(())
}
