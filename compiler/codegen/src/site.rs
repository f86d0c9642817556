//! Source locations of traps and of regions, which reports name: constants in the image, or numbers of entries in a table
//! that is in the ELF file only (`clef_types::trap`).

use crate::{code::Code, module::Shared, symbol::Generated};
use clef_base::{HashMap, Span};
use clef_mlir::{Build, Constant, Global, Value};
use clef_types::trap::{SITES, TRAPS};
use std::{cell::RefCell, fmt::Write as _};

/// The name of the macro of the assembler that makes a trap.
const MACRO: &str = "clef_stop";

/// The sites that are numbered so far.
#[derive(Default)]
pub(crate) struct Sites {
    numbers: RefCell<HashMap<(&'static str, String), u32>>,
    /// In the order of their numbers.
    texts: RefCell<Vec<(&'static str, String)>>,
}

impl Sites {
    /// The number of the site with this message and place.
    pub(crate) fn number(&self, message: &'static str, place: String) -> u32 {
        let mut texts = self.texts.borrow_mut();
        let site = (message, place);
        *self.numbers.borrow_mut().entry(site.clone()).or_insert_with(|| {
            texts.push(site);
            texts.len() as u32
        })
    }

    /// Adds the table, and the macro of traps, to the module.
    pub(crate) fn define(&self, build: &Build<'_>) {
        build.assembly(&format!(
            ".macro {MACRO} code, site\n7: udf #\\code\n.pushsection {TRAPS},\"\",%progbits\n.long 7b, \\site\n.popsection\n.endm"
        ));
        let mut table = format!(".pushsection {SITES},\"\",%progbits\n");
        for (message, place) in self.texts.borrow().iter() {
            let _ = writeln!(table, ".asciz \"{}\", \"{}\"", escaped(message), escaped(place));
        }
        table.push_str(".popsection");
        build.assembly(&table);
    }
}

/// The assembly of a trap: one statement, since LLVM estimates the size of assembly by the number of statements.
pub(crate) fn instruction(code: u8, site: u32) -> String {
    format!("{MACRO} {code}, {site}")
}

/// A text in the string syntax of the assembler.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => escaped.push(char::from(byte)),
            _ => drop(write!(escaped, "\\{byte:03o}")),
        }
    }
    escaped
}

impl Shared<'_, '_> {
    /// `file:line:column` of a span.
    pub(crate) fn place_text(&self, span: Span) -> String {
        let (file, place) = self.place(span);
        format!("{file}:{}:{}", place.line, place.column)
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// The site of a span, for the runtime: the address of file, its length, line and column, or the number.
    pub(crate) fn site(&mut self, span: Span) -> Value<'m> {
        if let Some(sites) = self.shared.sites() {
            let number = sites.number("", self.shared.place_text(span));
            let (number, pointer) = (self.word_constant(number.into()), self.emit.ptr());
            return self.emit.inttoptr(number, pointer);
        }
        let (file, place) = self.shared.place(span);
        let symbol = Generated::Site.symbol(format_args!("{}.{}.{}", span.file.0, place.line, place.column));
        let build = &self.shared.build;
        if !build.has_symbol(&symbol) {
            let text = Generated::File.symbol(span.file.0);
            build.global(&Global::constant(&text, Constant::Bytes(file.into())).align(1));
            let (word, half) = (self.word(), build.int(32));
            let ty = build.record(&[build.ptr(), word, half, half]);
            let members = vec![
                Constant::address(&text),
                Constant::Integer(word, file.len() as i64),
                Constant::Integer(half, place.line.into()),
                Constant::Integer(half, place.column.into()),
            ];
            build.global(&Global::constant(&symbol, Constant::Aggregate(ty, members)));
        }
        self.emit.symbol(&symbol)
    }
}
