//! The output of `%A`: [`TextFormat::Structure`](clef_types::TextFormat::Structure).

use super::{
    pattern::fields_now,
    text::{decimal, enum_name},
    value::Value,
};
use clef_psg::Psg;
use clef_types::{
    CaseId, DeclaredKind,
    float_text::significant,
    structural::{MAX_ELEMENTS, integer_suffix, opaque},
};

/// A value as a string.
pub(super) fn show(psg: &Psg, value: &Value) -> String {
    let mut page = Page { psg, text: String::new(), column: 0 };
    page.value(value, false);
    page.text
}

struct Page<'a> {
    psg: &'a Psg,
    text: String,
    /// The current column, if the value begins at the start of a line.
    column: usize,
}

impl Page<'_> {
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    /// A value; in the field of a case, a case with fields is in parentheses.
    fn value(&mut self, value: &Value, within: bool) {
        match value {
            Value::Unit => self.write("()"),
            Value::Bool(value) => self.write(&value.to_string()),
            Value::Char(code) => self.write(&character(*code)),
            Value::Enum(id, _, value) => self.write(&enum_name(self.psg, *id, *value)),
            Value::Integer(kind, value) => self.write(&format!("{}{}", decimal(*value, 1), integer_suffix(*kind))),
            Value::Float32(value) => self.write(&format!("{}f", float(f64::from(*value)))),
            Value::Float64(value) => self.write(&float(*value)),
            Value::Text(bytes) => self.write(&format!("\"{}\"", String::from_utf8_lossy(bytes))),
            Value::Tuple(parts) => self.tuple(parts),
            Value::Reference(cell) => {
                self.write("{ contents = ");
                self.value(&cell.borrow(), false);
                self.write(" }");
            }
            Value::Array(elements) => self.elements(elements.borrow().iter().cloned(), "[|", "|]"),
            Value::Case(case, fields) => self.case(*case, &fields_now(self.psg, *case, fields), within),
            Value::Function(_) => self.write("<fun>"),
            Value::Pointer(_) => self.write("<pointer>"),
            Value::Nothing => self.write("<nothing>"),
        }
    }

    fn tuple(&mut self, parts: &[Value]) {
        for (index, part) in parts.iter().enumerate() {
            self.write(if index == 0 { "(" } else { ", " });
            self.value(part, false);
        }
        self.write(")");
    }

    fn elements(&mut self, elements: impl Iterator<Item = Value>, opener: &str, closer: &str) {
        self.write(opener);
        for (index, element) in elements.enumerate() {
            if index > 0 {
                self.write("; ");
            }
            if index as i128 == MAX_ELEMENTS {
                self.write("...");
                break;
            }
            self.value(&element, false);
        }
        self.write(closer);
    }

    fn case(&mut self, case: CaseId, fields: &[Value], within: bool) {
        let data = &self.psg.cases[case];
        let owner = &self.psg.declared_types[data.owner];
        let is_list = owner.cases.iter().map(|case| self.psg.cases[*case].name.as_str()).eq(["[]", "::"]);
        if let Some(text) = opaque(owner) {
            return self.write(text);
        }
        match owner.kind {
            _ if is_list => self.elements(list(fields.to_vec()), "[", "]"),
            DeclaredKind::Record => self.record(case, fields),
            DeclaredKind::Union if fields.is_empty() => self.write(data.name.as_str()),
            DeclaredKind::Union => {
                self.write(if within { "(" } else { "" });
                self.write(&format!("{} ", data.name));
                match fields {
                    [field] => self.value(field, true),
                    fields => self.tuple(fields),
                }
                self.write(if within { ")" } else { "" });
            }
        }
    }

    fn record(&mut self, case: CaseId, fields: &[Value]) {
        self.write("{ ");
        let margin = self.column;
        for (index, (field, (name, _))) in fields.iter().zip(&self.psg.cases[case].fields).enumerate() {
            if index > 0 {
                self.text.push('\n');
                self.text.push_str(&" ".repeat(margin));
                self.column = margin;
            }
            if let Some(name) = name {
                self.write(&format!("{name} = "));
            }
            self.value(field, false);
        }
        self.write(" }");
    }
}

/// The elements of a list whose first node has these fields.
fn list(fields: Vec<Value>) -> impl Iterator<Item = Value> {
    let mut rest = fields;
    std::iter::from_fn(move || {
        let [head, tail] = <[Value; 2]>::try_from(std::mem::take(&mut rest)).ok()?;
        if let Value::Case(_, fields) = tail {
            rest = fields.to_vec();
        }
        Some(head)
    })
}

fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-infinity" } else { "infinity" }.to_owned();
    }
    let text = significant(value, 10, false);
    if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
}

fn character(code: u32) -> String {
    match char::from_u32(code) {
        Some('\'') => "'\\''".to_owned(),
        Some('\\') => "'\\\\'".to_owned(),
        Some('\u{8}') => "'\\b'".to_owned(),
        Some(c) if c.is_control() => format!("'\\{code:03}'"),
        _ => format!("'{}'", super::text::character(code)),
    }
}
