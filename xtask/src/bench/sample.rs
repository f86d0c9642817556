//! What is measured, and ratios of it.

use super::{
    compiler::Build,
    language::Language,
    programs::{PROGRAMS, SIZE_ONLY},
    registers::Registers,
};

/// What is measured of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    LinuxInstructions,
    LinuxNanoseconds,
    LinuxPeakKibibytes,
    BoardInstructions,
    BoardFlash,
    BoardRam,
}

impl Metric {
    pub(crate) const ALL: [Metric; 6] = [
        Metric::LinuxInstructions,
        Metric::LinuxNanoseconds,
        Metric::LinuxPeakKibibytes,
        Metric::BoardInstructions,
        Metric::BoardFlash,
        Metric::BoardRam,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Metric::LinuxInstructions => "x86-64: instructions, optimised for speed",
            Metric::LinuxNanoseconds => "x86-64: nanoseconds, optimised for speed",
            Metric::LinuxPeakKibibytes => "x86-64: peak memory in KiB",
            Metric::BoardInstructions => "Cortex-M4: instructions, optimised for speed",
            Metric::BoardFlash => "Cortex-M4: bytes of flash beyond an empty program, optimised for size",
            Metric::BoardRam => "Cortex-M4: bytes of static RAM beyond an empty program, optimised for size",
        }
    }

    /// The name for files and JSON.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Metric::LinuxInstructions => "x86-64-instructions",
            Metric::LinuxNanoseconds => "x86-64-nanoseconds",
            Metric::LinuxPeakKibibytes => "x86-64-peak-kib",
            Metric::BoardInstructions => "cortex-m4-instructions",
            Metric::BoardFlash => "cortex-m4-flash",
            Metric::BoardRam => "cortex-m4-ram",
        }
    }

    /// Whether ratios to C say something: bytes of RAM are often zero, and peak memory has the C library in it.
    pub(crate) fn has_ratios(self) -> bool {
        !matches!(self, Metric::BoardRam | Metric::LinuxPeakKibibytes)
    }
}

/// One measured value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) program: &'static str,
    pub(crate) language: Language,
    pub(crate) metric: Metric,
    pub(crate) value: f64,
}

/// All that was measured.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) samples: Vec<Sample>,
    /// The speed of the compiler.
    pub(crate) compiler: Vec<Build>,
    pub(crate) registers: Registers,
    /// A sentence about each program that could not be compiled, or whose result is not as it should be.
    pub(crate) failures: Vec<String>,
}

impl Results {
    /// The programs with a value of this metric, in the order of their list.
    pub(crate) fn programs(&self, metric: Metric) -> Vec<&'static str> {
        let is_measured = |name: &&str| self.samples.iter().any(|one| one.metric == metric && one.program == *name);
        PROGRAMS.iter().chain(&SIZE_ONLY).map(|program| program.name).filter(is_measured).collect()
    }

    /// The languages with a value of this metric.
    pub(crate) fn languages(&self, metric: Metric) -> Vec<Language> {
        let is_measured =
            |language: &Language| self.samples.iter().any(|one| one.metric == metric && one.language == *language);
        Language::ALL.into_iter().filter(is_measured).collect()
    }

    pub(crate) fn value(&self, metric: Metric, program: &str, language: Language) -> Option<f64> {
        let is_it =
            |sample: &&Sample| sample.metric == metric && sample.program == program && sample.language == language;
        self.samples.iter().find(is_it).map(|sample| sample.value)
    }

    /// The value as a multiple of C's, where both are positive.
    pub(crate) fn ratio(&self, metric: Metric, program: &str, language: Language) -> Option<f64> {
        let (own, base) = (self.value(metric, program, language)?, self.value(metric, program, Language::C)?);
        (own > 0.0 && base > 0.0).then(|| own / base)
    }

    /// The geometric mean of a language's ratios.
    pub(crate) fn mean(&self, metric: Metric, language: Language) -> Option<f64> {
        let ratios = self.programs(metric).into_iter().filter_map(|program| self.ratio(metric, program, language));
        geometric_mean(&ratios.collect::<Vec<_>>())
    }
}

/// The geometric mean of positive numbers, or `None` of none.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

/// The median, or `None` of none.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) { (values[middle - 1] + upper) / 2.0 } else { upper })
}

#[cfg(test)]
pub(crate) fn example() -> Results {
    let sample = |program, language, value| Sample { program, language, metric: Metric::LinuxInstructions, value };
    let samples = vec![
        sample("cps", Language::Clef, 400.0),
        sample("cps", Language::C, 100.0),
        sample("cps", Language::OCaml, 200.0),
        sample("fir", Language::Clef, 100.0),
        sample("fir", Language::C, 100.0),
    ];
    Results { samples, ..Results::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_is_that_of_ratios() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
        assert!((geometric_mean(&[0.5, 2.0, 1.0]).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn ratios_are_multiples_of_c() {
        let results = example();
        let metric = Metric::LinuxInstructions;
        assert_eq!(results.ratio(metric, "cps", Language::Clef), Some(4.0));
        assert_eq!(results.ratio(metric, "fir", Language::OCaml), None);
        assert!((results.mean(metric, Language::Clef).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(results.languages(metric), [Language::Clef, Language::C, Language::OCaml]);
    }
}
