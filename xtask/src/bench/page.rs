//! Writes `docs/benchmarks.md` and its charts.

use super::{
    chart, compiler, make_directory,
    programs::{PROGRAMS, Program, SIZE_ONLY},
    sample::{Metric, Results},
    table, write,
};
use crate::{Failure, toolchain::root};

const INTRODUCTION: &str = "\
# Benchmarks

The same programs in Clef, C, Rust and OCaml, each as users of the language would write it, with the same algorithm and
the same data. `cargo xtask bench --write` measures them again and rewrites this page; the programs are in
[bench/programs](../bench/programs).

- On x86-64 Linux: `clefc -O3`, Clang 22 `-O3`, rustc with `opt-level=3` and one codegen unit, and `ocamlopt`.
  Instructions are counted by Callgrind, times are medians of interleaved runs.
- On a Cortex-M4, QEMU's `mps2-an386`: instructions of `clefc -O2`, Clang `-O2` and rustc with `opt-level=3` and LTO, counted by
  a plugin of QEMU, which are exact; flash and RAM with `clefc -Oz`, Clang `-Oz` and rustc with `opt-level=z`. OCaml is not available there.
- Instructions are those of the work alone: the same program with no work to do is subtracted.
- The number in parentheses is the multiple of C's value, and the last row is the geometric mean of these multiples, over
  the programs that are written in the language.
- Rust dyn is the same program with closures behind `dyn Fn`, where closures are passed or stored.
- Clef checks indices and divisors as Rust and OCaml do; C does not. `int` has 64 bits in Clef on x86-64, and 32 in C and Rust.
";

/// Writes the page, and a chart for each metric with ratios.
pub(crate) fn write_all(results: &Results) -> Result<(), Failure> {
    make_directory(&root().join("docs/bench"))?;
    for metric in charted(results) {
        write(&root().join(format!("docs/bench/{}.svg", metric.key())), &chart::ratios(results, metric))?;
    }
    write(&root().join("docs/benchmarks.md"), &page(results))
}

fn charted(results: &Results) -> Vec<Metric> {
    let is_measured = |metric: &Metric| metric.has_ratios() && !results.programs(*metric).is_empty();
    Metric::ALL.into_iter().filter(is_measured).collect()
}

fn page(results: &Results) -> String {
    let mut text = INTRODUCTION.to_owned();
    text += "\n## Programs\n\n";
    for Program { name, about, .. } in PROGRAMS.iter().chain(&SIZE_ONLY) {
        text += &format!("- `{name}`: {about}\n");
    }
    for metric in Metric::ALL.into_iter().filter(|metric| !results.programs(*metric).is_empty()) {
        text += &format!("\n## {}\n\n", metric.title());
        if metric.has_ratios() {
            text += &format!("![{}](bench/{}.svg)\n\n", metric.title(), metric.key());
        }
        text += &table::markdown(&table::rows(results, metric));
    }
    if !results.compiler.is_empty() {
        text += "\n## The compiler\n\nTime of the processor and peak memory of `clefc`, for generated programs, on x86-64 Linux.\n\n";
        text += &table::markdown(&compiler::rows(&results.compiler));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::sample::example;

    #[test]
    fn the_page_shows_what_was_measured() {
        let text = page(&example());
        assert!(text.contains("![x86-64: instructions, optimised for speed](bench/x86-64-instructions.svg)"));
        assert!(text.contains("| cps | 400 (4.00) | 100 | 200 (2.00) |"));
        assert!(!text.contains("## Cortex-M4") && !text.contains("## The compiler"));
    }
}
