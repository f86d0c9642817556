//! Sources and the listings of their trees.

mod goldens;

use clef_base::SourceMap;
use clef_syntax::{dump::dump, parse};

#[test]
fn trees() {
    goldens::check("trees.txt", |source| {
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", source);
        let (ast, diagnostics) = parse(&sources, file);
        assert!(diagnostics.is_empty(), "{source}: {diagnostics:#?}");
        dump(&ast)
    });
}
