//! Writes `docs/benchmarks.md` and its charts.

use super::{
    chart, compiler, make_directory,
    programs::{PROGRAMS, Program, SIZE_ONLY},
    registers::tables,
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

const REGISTERS: &str = "
## Registers

The registers of three chips, from the descriptions of their manufacturers in CMSIS-SVD. The programs are in
[bench/registers](../bench/registers): each prepares a UART of the chip, and sends a character. They exist in Clef through `Device`,
in Clef with addresses as numbers, and in C over structures of volatile members, as CMSIS headers have them.

The descriptions of the nRF52840 and the RP2040 come with the compiler. That of the STM32F407 is ST's own, in the Python package `cmsis-svd`
0.4 of PyPI, which the benchmark downloads; the compiler comes with another one. The ATSAMA5D34 of the same package has no Cortex-M, and is
here for the length of its module.

### The module `Device`

Its lines, and the time of the processor that it adds to `clefc check` and to a build at the default level: the program through
`Device` less that with addresses, the median of interleaved runs, and in parentheses the fastest ones.

";

const IMAGES: &str = "
### Bytes of images

What is unused does not stay in the image: the program through `Device` is as large as that with addresses.

";

const SEQUENCES: &str = "
### Sequences of accesses

`clefc` and Clang 22 at the same levels: bytes of the function with its constants, and the loads and stores of the disassembly. Each
access of the source is one load or one store, and a `modify` is one of each. At -O2 LLVM unrolls the loops that wait, in both languages.

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
    text + &registers(results)
}

/// The section of the registers.
fn registers(results: &Results) -> String {
    let registers = &results.registers;
    if registers.modules.is_empty() {
        return String::new();
    }
    let mut text = format!("{REGISTERS}{}", table::markdown(&tables::modules(registers)));
    if let Some(sequence) = tables::shown(registers) {
        text += &format!("{IMAGES}{}", table::markdown(&tables::images(registers)));
        text += &format!("{SEQUENCES}{}", table::markdown(&tables::sequences(registers)));
        text += &format!("\nThe function of the {}, optimised for size:\n\n", tables::title(sequence.chip));
        text += &format!("```text\n{}```\n", tables::listing(sequence));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{
        registers::{
            modules::{Added, Module},
            sequences,
        },
        sample::example,
    };

    #[test]
    fn the_page_shows_what_was_measured() {
        let text = page(&example());
        assert!(text.contains("![x86-64: instructions, optimised for speed](bench/x86-64-instructions.svg)"));
        assert!(text.contains("| cps | 400 (4.00) | 100 | 200 (2.00) |"));
        assert!(!text.contains("## Cortex-M4") && !text.contains("## The compiler"));
    }

    #[test]
    fn the_page_shows_registers() {
        let mut results = example();
        assert!(!page(&results).contains("## Registers"));
        let (check, build) = (Added { median: 0.75, fastest: 0.5 }, Added { median: 0.25, fastest: 0.125 });
        let module = Module { chip: "nrf52840", description: 51_562, lines: 11_675, check, build };
        results.registers.modules.push(module);
        assert!(page(&results).ends_with("| nRF52840 | 51562 | 11675 | 0.75 (0.50) | 0.25 (0.12) |\n"));
        results.registers.sequences.push(sequences::example());
        let text = page(&results);
        assert!(text.contains("| nRF52840 | -Oz | 12 | 12 | 0 | 0 | 1 | 1 | yes |\n\nThe function of the nRF52840"));
        assert!(text.ends_with("bx     lr                bx     lr\n```\n"), "{text}");
    }
}
