//! Results as JSON.

use super::{
    compiler::Build,
    sample::{Results, Sample},
};

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
}
