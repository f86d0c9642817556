//! A text of JSON is parsed into a tree, whose values are summed up.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;

enum Json<'a> {
    Null,
    Bool(bool),
    Number(i32),
    Text(&'a [u8]),
    Items(Vec<Json<'a>>),
    Fields(Vec<(&'a [u8], Json<'a>)>),
}

struct Reader<'a> {
    text: &'a [u8],
    index: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> u8 {
        self.text.get(self.index).copied().unwrap_or(0)
    }

    fn digits(&mut self) -> i32 {
        let mut value = 0;
        while self.peek().is_ascii_digit() {
            value = value * 10 + i32::from(self.peek() - b'0');
            self.index += 1;
        }
        value
    }

    /// A text with its quotation marks.
    fn quoted(&mut self) -> &'a [u8] {
        let rest = &self.text[self.index + 1..];
        let length = rest.iter().position(|byte| *byte == b'"').unwrap_or(rest.len());
        self.index += length + 2;
        &rest[..length]
    }

    /// Whatever is read up to an end, with commas between.
    fn list<T>(&mut self, end: u8, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut list = Vec::new();
        self.index += 1;
        while self.peek() != end {
            match self.peek() {
                b',' => self.index += 1,
                _ => list.push(read(self)),
            }
        }
        self.index += 1;
        list
    }

    fn skip(&mut self, count: usize, value: Json<'a>) -> Json<'a> {
        self.index += count;
        value
    }

    fn value(&mut self) -> Json<'a> {
        match self.peek() {
            b'{' => Json::Fields(self.list(b'}', |reader| {
                let name = reader.quoted();
                reader.index += 1;
                (name, reader.value())
            })),
            b'[' => Json::Items(self.list(b']', Reader::value)),
            b'"' => Json::Text(self.quoted()),
            b't' => self.skip(4, Json::Bool(true)),
            b'f' => self.skip(5, Json::Bool(false)),
            b'n' => self.skip(4, Json::Null),
            b'-' => {
                self.index += 1;
                Json::Number(-self.digits())
            }
            _ => Json::Number(self.digits()),
        }
    }
}

fn total(json: &Json<'_>) -> i32 {
    match json {
        Json::Null => 1,
        Json::Bool(true) => 2,
        Json::Bool(false) => 3,
        Json::Number(number) => *number,
        Json::Text(text) => text.len() as i32,
        Json::Items(items) => items.iter().fold(7, |sum, item| (sum * 3 + total(item)) & 0xFFFF),
        Json::Fields(fields) => {
            fields.iter().fold(11, |sum, (name, field)| (sum * 5 + name.len() as i32 + total(field)) & 0xFFFF)
        }
    }
}

const TEXTS: [&str; 2] = [
    r#"{"name":"pump","id":7,"on":true,"limits":[10,25,-3,400],"note":null}"#,
    r#"[{"area":12,"doors":[1,2,3],"use":"office"},{"area":30,"doors":[],"use":"store"},{"area":-1,"open":false}]"#,
];

fn run(size: i32) -> i32 {
    (1..=size).fold(0, |sum, round| {
        let mut reader = Reader { text: TEXTS[(round & 1) as usize].as_bytes(), index: 0 };
        let json = reader.value();
        ((sum * 31) ^ (total(&json) + reader.index as i32)) & 0xFFFFFF
    })
}

bench::main!(run);
