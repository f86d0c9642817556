//! Each construct: source text, and how it is formatted.

use clef_base::SourceMap;
use std::path::Path;

fn format_lines(text: &str, lines: Option<std::ops::Range<usize>>) -> Result<String, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("program.clef", text);
    clef_format::format(&sources, file, lines)
        .map_err(|diagnostics| diagnostics.iter().map(|diagnostic| format!("{}\n", diagnostic.message)).collect())
}

#[test]
fn documents() {
    for name in ["bindings", "expressions", "control", "brackets", "types", "comments", "files"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/constructs/{name}.txt"));
        clef_golden::assert(clef_golden::compare_document(&path, |source| {
            let once = format_lines(source, None).unwrap_or_else(|message| message);
            if let Ok(again) = format_lines(&once, None) {
                assert_eq!(again, once, "it changes again");
            }
            once
        }));
    }
}

#[test]
fn only_chosen_lines_are_formatted() {
    let text = "let  a=1\n\n// about b\nlet  b=2\n\n\nlet  c=\n  3\n";
    let chosen = |lines| format_lines(text, Some(lines)).expect("it parses");
    assert_eq!(chosen(4..5), "let  a=1\n\n// about b\nlet b = 2\n\n\nlet  c=\n  3\n");
    assert_eq!(chosen(8..9), "let  a=1\n\n// about b\nlet  b=2\n\nlet c =\n    3\n");
    assert_eq!(chosen(2..3), text);
    assert_eq!(Ok(chosen(1..100)), format_lines(text, None));
}

#[test]
fn differences_are_short() {
    let shown = clef_format::difference("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n");
    assert_eq!(shown, "@@ line 2 @@\n-b\n+x\n@@ line 4 @@\n+y\n");
    assert_eq!(clef_format::difference("a\n", "a"), "@@ line ends @@\n");
}
