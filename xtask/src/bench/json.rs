//! Results as JSON: writes them, and reads what was written.

use super::{
    compiler::{Build, Work},
    language::Language,
    programs,
    registers::{
        chips,
        code::Code,
        modules::{Added, Module},
        sequences::Sequence,
    },
    sample::{Metric, Results, Sample},
};
use crate::Failure;
use serde_json::Value;

/// An object with the list `samples`, one for each program, language and metric, the list `compiler`, and those of the registers:
/// `modules` and `sequences`.
pub(crate) fn of(results: &Results) -> String {
    let lists = [
        ("samples", results.samples.iter().map(sample).collect()),
        ("compiler", results.compiler.iter().map(build).collect()),
        ("modules", results.registers.modules.iter().map(module).collect()),
        ("sequences", results.registers.sequences.iter().map(sequence).collect::<Vec<_>>()),
    ];
    let lists = lists.map(|(name, objects)| format!("\"{name}\":[{}]", list(&objects)));
    format!("{{{}}}\n", lists.join(","))
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

fn module(module: &Module) -> String {
    let Module { chip, description, lines, check, build } = module;
    let (check, build) = (added(*check), added(*build));
    format!(r#"{{"chip":"{chip}","description":{description},"lines":{lines},"check":{check},"build":{build}}}"#)
}

fn added(added: Added) -> String {
    let Added { median, fastest } = added;
    format!(r#"{{"median":{median},"fastest":{fastest}}}"#)
}

fn sequence(sequence: &Sequence) -> String {
    let Sequence { chip, level, device, numbers, clef, c } = sequence;
    let (clef, c) = (code(clef), code(c));
    format!(r#"{{"chip":"{chip}","level":"{level}","device":{device},"numbers":{numbers},"clef":{clef},"c":{c}}}"#)
}

fn code(code: &Code) -> String {
    let Code { bytes, instructions } = code;
    format!(r#"{{"bytes":{bytes},"instructions":{}}}"#, Value::from(instructions.clone()))
}

/// Adds the results that a file of an earlier run holds.
pub(crate) fn read(text: &str, results: &mut Results) -> Result<(), Failure> {
    let file: Value = serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))?;
    add(&file, "samples", read_sample, &mut results.samples)?;
    add(&file, "compiler", read_build, &mut results.compiler)?;
    add(&file, "modules", read_module, &mut results.registers.modules)?;
    add(&file, "sequences", read_sequence, &mut results.registers.sequences)
}

/// Adds the objects of a list, if the file has it.
fn add<T>(file: &Value, list: &str, read: fn(&Value) -> Option<T>, to: &mut Vec<T>) -> Result<(), Failure> {
    for object in file[list].as_array().into_iter().flatten() {
        to.push(read(object).ok_or_else(|| format!("this is no result of a benchmark: {object}"))?);
    }
    Ok(())
}

fn read_sample(object: &Value) -> Option<Sample> {
    let (language, metric) = (object["language"].as_str()?, object["metric"].as_str()?);
    Some(Sample {
        program: programs::name(object["program"].as_str()?)?,
        language: Language::ALL.into_iter().find(|one| one.key() == language)?,
        metric: Metric::ALL.into_iter().find(|one| one.key() == metric)?,
        value: object["value"].as_f64()?,
    })
}

fn read_build(object: &Value) -> Option<Build> {
    let work = object["work"].as_str()?;
    Some(Build {
        lines: integer(&object["lines"])?,
        work: Work::ALL.into_iter().find(|one| one.key() == work)?,
        seconds: object["seconds"].as_f64()?,
        bytes: object["bytes"].as_u64()?,
    })
}

fn read_module(object: &Value) -> Option<Module> {
    Some(Module {
        chip: chips::named(object["chip"].as_str()?)?.name,
        description: integer(&object["description"])?,
        lines: integer(&object["lines"])?,
        check: read_added(&object["check"])?,
        build: read_added(&object["build"])?,
    })
}

fn read_added(object: &Value) -> Option<Added> {
    Some(Added { median: object["median"].as_f64()?, fastest: object["fastest"].as_f64()? })
}

fn read_sequence(object: &Value) -> Option<Sequence> {
    let level = object["level"].as_str()?;
    Some(Sequence {
        chip: chips::named(object["chip"].as_str()?)?.name,
        level: Sequence::LEVELS.into_iter().find(|one| *one == level)?,
        device: integer(&object["device"])?,
        numbers: integer(&object["numbers"])?,
        clef: read_code(&object["clef"])?,
        c: read_code(&object["c"])?,
    })
}

fn read_code(object: &Value) -> Option<Code> {
    let instructions = object["instructions"].as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
    Some(Code { bytes: integer(&object["bytes"])?, instructions: instructions.collect::<Option<_>>()? })
}

fn integer<T: TryFrom<u64>>(value: &Value) -> Option<T> {
    T::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{registers::sequences, sample::example};

    #[test]
    fn samples_are_objects() {
        let text = of(&example());
        assert!(text.starts_with(
            "{\"samples\":[\n  {\"program\":\"cps\",\"language\":\"clef\",\"metric\":\"x86-64-instructions\",\"value\":400},"
        ));
        assert!(text.ends_with("],\"compiler\":[],\"modules\":[],\"sequences\":[]}\n"));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut results = example();
        results.compiler.push(Build { lines: 1000, work: Work::Check, seconds: 0.25, bytes: 9 });
        let (check, build) = (Added { median: 0.25, fastest: 0.125 }, Added { median: 0.75, fastest: 0.5 });
        let module = Module { chip: "rp2040", description: 46_400, lines: 12_448, check, build };
        results.registers.modules.push(module);
        results.registers.sequences.push(sequences::example());
        let mut again = Results::default();
        read(&of(&results), &mut again).unwrap();
        assert_eq!(again.samples, results.samples);
        assert_eq!(again.compiler, results.compiler);
        assert_eq!(again.registers.modules, results.registers.modules);
        assert_eq!(again.registers.sequences, results.registers.sequences);
        assert!(read("{\"samples\":[{\"program\":\"tetris\"}]}\n", &mut again).is_err());
    }
}
