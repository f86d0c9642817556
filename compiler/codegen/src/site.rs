//! Constants that hold a source location, for traps and exhausted regions.

use crate::{code::Code, symbol::Generated};
use clef_base::Span;
use clef_mlir::{Constant, Global, Value};

impl<'m> Code<'_, '_, 'm> {
    /// The address of the `Site` of a span: file, its length, line, column.
    pub(crate) fn site(&mut self, span: Span) -> Value<'m> {
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
