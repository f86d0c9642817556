//! The log: format strings that stay in the ELF file, and calls of the runtime that send the values.
//!
//! Each format is a symbol in the section `.defmt`, which is not loaded; its name is a JSON object that holds the
//! format, and its 16-bit address represents it in a frame. That is wire format 4 of defmt, which its tools read.

use crate::{code::Code, function::FunctionEmitter, layout::Repr, module::Shared};
use clef_base::{Span, internal::bug};
use clef_core::Atom;
use clef_mlir::{Constant, Global, Value};
use clef_types::LogLevel;
use serde_json::json;

/// The symbols by which readers recognise the wire format and the encoding of frames.
const MARKED: [&str; 2] = ["_defmt_version_ = 4", "_defmt_encoding_ = rzcobs"];

/// How the time of a frame is shown: in microseconds.
const TIME: &str = "{=u64:us}";

/// The package that the names of symbols state as their origin.
const PACKAGE: &str = "clef";

/// The section of symbols that nothing refers to.
const MARKS: &str = ".defmt.end";

/// The tag of the message that announces a test. It has no level, so no program's messages have it.
const TEST_TAG: &str = "defmt_println";
const TEST_FORMAT: &str = "\u{1}begin {=u32}";

/// The name of a symbol. Equal contents have the same name.
fn symbol(tag: &str, data: &str, disambiguator: &str) -> String {
    let name = json!({
        "package": PACKAGE,
        "tag": tag,
        "data": data,
        "disambiguator": disambiguator,
        "crate_name": PACKAGE,
    });
    name.to_string()
}

impl Shared<'_, '_> {
    /// Emits the marks that readers of the log need, if the program logs.
    pub(crate) fn log_marks(&self) {
        if self.program.logs().is_none() {
            return;
        }
        let time = self.program.tells_time().then(|| symbol("defmt_timestamp", TIME, "time"));
        for name in MARKED.map(str::to_owned).into_iter().chain(time) {
            self.log_symbol(Global::constant(name, Constant::Integer(self.build.int(8), 0)).used(), MARKS);
        }
    }

    fn log_symbol(&self, global: Global<'_>, section: &str) {
        self.build.global(&global.section(section).align(1));
    }
}

impl<'m> FunctionEmitter<'_, '_, 'm> {
    /// Begins a frame.
    pub(crate) fn log_begin(&mut self, level: &Atom, format: &Atom, span: Span) -> Option<Value<'m>> {
        let (Atom::Integer(level, _), Atom::String(format)) = (level, format) else {
            bug("generate", span, "a frame without a format")
        };
        let Some(level) = LogLevel::of_number(*level) else { bug("generate", span, "a frame without a level") };
        let (file, place) = self.code.shared.place(span);
        let at = format!("{file}:{}:{}", place.line, place.column);
        let name = symbol(&format!("defmt_{}", level.name()), format.as_str(), &at);
        self.code.log_statement(&name, &format!(".defmt.{}", level.name()), span);
        None
    }

    /// Announces a test, if the program logs.
    pub(crate) fn log_test(&mut self, index: &Atom, span: Span) -> Option<Value<'m>> {
        self.code.shared.program.logs()?;
        self.code.log_statement(&symbol(TEST_TAG, TEST_FORMAT, "test"), ".defmt.println", span);
        let half = self.code.emit.int(32);
        let index = self.value(index);
        let index = if index.ty() == half { index } else { self.code.emit.trunc(index, half) };
        let bytes = self.code.emit.iconst(half, 4);
        self.code.runtime_effect("clef_log_word", &[index, bytes]);
        self.code.runtime_effect("clef_log_end", &[]);
        None
    }

    /// Sends a literal by the address of its symbol.
    pub(crate) fn log_name(&mut self, text: &Atom, span: Span) -> Option<Value<'m>> {
        let Atom::String(text) = text else { bug("generate", span, "a name that is not a literal") };
        let name = symbol("defmt_str", text.as_str(), "name");
        let global = Global::constant(&name, Constant::Integer(self.code.shared.build.int(8), 0));
        self.code.shared.log_symbol(global, ".defmt.str");
        let address = self.code.log_address(&name);
        self.code.runtime_effect("clef_log_name", &[address]);
        None
    }

    /// Sends a number, a boolean or a character.
    pub(crate) fn log_value(&mut self, value: &Atom) -> Option<Value<'m>> {
        let is_character = self.locals.kind(value) == clef_types::TypeKind::Char;
        let repr = self.locals.repr(value);
        let value = self.value(value);
        let (half, whole) = (self.code.emit.int(32), self.code.emit.int(64));
        let (value, bits) = match repr {
            Repr::Float32 => (self.code.emit.bitcast(value, half), 32),
            Repr::Float64 => (self.code.emit.bitcast(value, whole), 64),
            Repr::Integer(bits) if bits < 32 => (self.code.emit.zext(value, half), bits),
            Repr::Integer(bits) => (value, bits),
            Repr::Unit | Repr::Pointer | Repr::Struct(_) => self.code.bug("a value of a frame is not a number"),
        };
        debug_assert!(value.ty() == half || value.ty() == whole);
        match bits {
            _ if is_character => self.code.runtime_effect("clef_log_char", &[value]),
            64 => self.code.runtime_effect("clef_log_long", &[value]),
            bits => {
                let bytes = self.code.emit.iconst(half, i64::from(bits.div_ceil(8)));
                self.code.runtime_effect("clef_log_word", &[value, bytes]);
            }
        }
        None
    }
}

impl<'m> Code<'_, '_, 'm> {
    /// Begins a frame whose format is the symbol `name`.
    fn log_statement(&mut self, name: &str, section: &str, span: Span) {
        let (file, place) = self.shared.place(span);
        let global = Global::constant(name, Constant::Integer(self.shared.build.int(8), 0));
        self.shared.log_symbol(global.statement(file, place.line as usize), section);
        let address = self.log_address(name);
        self.runtime_effect("clef_log_begin", &[address]);
    }

    fn log_address(&mut self, name: &str) -> Value<'m> {
        let (address, word) = (self.emit.symbol(name), self.word());
        self.emit.ptrtoint(address, word)
    }
}
