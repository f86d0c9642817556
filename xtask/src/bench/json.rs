//! Results as JSON: writes them, and reads what was written.

use super::{
    compiler::{Build, Work},
    language::Language,
    programs,
    sample::{Metric, Results, Sample},
};
use crate::Failure;

/// An object with the list `samples`, one for each program, language and metric, and the list `compiler`.
pub(crate) fn of(results: &Results) -> String {
    let samples: Vec<String> = results.samples.iter().map(sample).collect();
    let compiler: Vec<String> = results.compiler.iter().map(build).collect();
    format!("{{\"samples\":[{}],\"compiler\":[{}]}}\n", list(&samples), list(&compiler))
}

fn list(objects: &[String]) -> String {
    objects.iter().map(|object| format!("\n  {object}")).collect::<Vec<_>>().join(",")
}

fn sample(sample: &Sample) -> String {
    let Sample { program, language, metric, value } = sample;
    let (language, metric) = (language.key(), metric.key());
    format!(r#"{{"program":"{program}","language":"{language}","metric":"{metric}","value":{value}}}"#)
}

fn build(build: &Build) -> String {
    let Build { lines, work, seconds, bytes } = build;
    let work = work.key();
    format!(r#"{{"lines":{lines},"work":"{work}","seconds":{seconds},"bytes":{bytes}}}"#)
}

/// Adds the results that a file of an earlier run holds.
pub(crate) fn read(text: &str, results: &mut Results) -> Result<(), Failure> {
    for line in text.lines().filter(|line| line.starts_with("  {")) {
        match (read_sample(line), read_build(line)) {
            (Some(sample), _) => results.samples.push(sample),
            (None, Some(build)) => results.compiler.push(build),
            (None, None) => return Err(format!("this is no result of a benchmark: {}", line.trim())),
        }
    }
    Ok(())
}

fn read_sample(line: &str) -> Option<Sample> {
    let program = programs::name(member(line, "program")?)?;
    let (language, metric) = (member(line, "language")?, member(line, "metric")?);
    Some(Sample {
        program,
        language: Language::ALL.into_iter().find(|one| one.key() == language)?,
        metric: Metric::ALL.into_iter().find(|one| one.key() == metric)?,
        value: member(line, "value")?.parse().ok()?,
    })
}

fn read_build(line: &str) -> Option<Build> {
    let work = member(line, "work")?;
    Some(Build {
        lines: member(line, "lines")?.parse().ok()?,
        work: Work::ALL.into_iter().find(|one| one.key() == work)?,
        seconds: member(line, "seconds")?.parse().ok()?,
        bytes: member(line, "bytes")?.parse().ok()?,
    })
}

/// The value of a member of an object as it is written here: in one line, and without commas, braces and quotes in texts.
fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{name}\":"))?;
    Some(rest.split([',', '}']).next()?.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::sample::example;

    #[test]
    fn samples_are_objects() {
        let text = of(&example());
        assert!(text.starts_with(
            "{\"samples\":[\n  {\"program\":\"cps\",\"language\":\"clef\",\"metric\":\"x86-64-instructions\",\"value\":400},"
        ));
        assert!(text.ends_with("],\"compiler\":[]}\n"));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut results = example();
        results.compiler.push(Build { lines: 1000, work: Work::Check, seconds: 0.25, bytes: 9 });
        let mut again = Results::default();
        read(&of(&results), &mut again).unwrap();
        assert_eq!(again.samples, results.samples);
        assert_eq!(again.compiler, results.compiler);
        assert!(read("  {\"program\":\"tetris\"}\n", &mut again).is_err());
    }
}
