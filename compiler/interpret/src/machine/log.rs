//! Log frames, decoded as their readers do.

use crate::{
    text::{character, radix},
    value::Value,
};
use clef_types::{
    Intrinsic, LogLevel,
    float_text::{shortest_float32, shortest_float64},
};

/// A frame under construction.
#[derive(Default)]
pub(super) struct Frame {
    level: &'static str,
    format: String,
    values: Vec<Value>,
}

impl Frame {
    /// Adds to the frame; returns its line if this ends it. `None` for intrinsics unrelated to the log.
    pub(super) fn add(&mut self, intrinsic: Intrinsic, operands: &[Value]) -> Option<Option<String>> {
        match (intrinsic, operands) {
            (Intrinsic::LogBegin, [Value::Integer(_, level), Value::Text(format)]) => {
                let level = LogLevel::of_number(*level).expect("it must be a level").name();
                *self = Frame { level, format: text(format), values: Vec::new() };
            }
            (Intrinsic::LogValue | Intrinsic::LogString | Intrinsic::LogName, [value]) => {
                self.values.push(value.clone());
            }
            (Intrinsic::LogEnd, [_]) => return Some(Some(self.line())),
            _ => return None,
        }
        Some(None)
    }

    fn line(&self) -> String {
        let mut values = self.values.iter();
        let text = filled(&self.format, &mut values);
        assert!(values.next().is_none(), "each value must have a parameter");
        format!("{:5} {text}\n", self.level.to_uppercase())
    }
}

/// Fills a format with its values; a value that is a format takes the values after it.
fn filled<'v>(format: &str, values: &mut impl Iterator<Item = &'v Value>) -> String {
    let mut line = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at(at);
        line.push_str(before);
        if let Some(escaped) = ["{{", "}}"].into_iter().find(|escaped| after.starts_with(escaped)) {
            line.push_str(&escaped[1..]);
            rest = &after[2..];
            continue;
        }
        let (parameter, after) = after.split_once('}').expect("a parameter must end");
        line.push_str(&match values.next().expect("each parameter must have a value") {
            Value::Text(inner) if parameter == "{=?" => filled(&text(inner), values),
            value => shown(value, parameter),
        });
        rest = after;
    }
    line + rest
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A value formatted by its parameter, such as `{=u16:04X`.
fn shown(value: &Value, parameter: &str) -> String {
    let hint = parameter.split_once(':').map_or("", |(_, hint)| hint);
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Char(code) => character(*code),
        Value::Float32(value) => shortest_float32(*value),
        Value::Float64(value) => shortest_float64(*value),
        Value::Text(bytes) => text(bytes),
        Value::Integer(_, value) => {
            let digits = hint.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let least = digits.parse().unwrap_or(1);
            match &hint[digits.len()..] {
                "" => format!("{value:0least$}"),
                "b" => radix(*value as u64, 2, least, false),
                "o" => radix(*value as u64, 8, least, false),
                "x" => radix(*value as u64, 16, least, false),
                "X" => radix(*value as u64, 16, least, true),
                other => panic!("the hint {other}"),
            }
        }
        other => panic!("{} in a frame", other.describe()),
    }
}
