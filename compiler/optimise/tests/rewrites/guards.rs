//! Tests of an index before an access that tests it again.

use crate::fixture::{Optimised, optimised};

fn program(test: &str) -> Optimised {
    optimised(&format!(
        "
        let [<NoInline>] same (text: string) = text
        let [<NoInline>] run (text: string) (index: int) =
            {test}
        show (run (same \"abc\") (opaque 2) + run \"ab\" (opaque 2))
        "
    ))
}

#[test]
fn one_unsigned_test_decides() {
    for test in [
        "if index < text.Length then int (String.byteAt index text) else -1",
        "if text.Length > index then int (String.byteAt index text) else -1",
        "if index >= text.Length then -1 else int (String.byteAt index text)",
        "if text.Length <= index then -1 else int (String.byteAt index text)",
    ] {
        let left = program(test);
        assert_eq!(left.lines("A.run", ": uint = convert"), 2, "{left}");
        assert_eq!(left.lines("A.run", "trap index_out_of_range"), 1, "{left}");
    }
}

#[test]
fn effects_before_the_access_stay_before_the_trap() {
    let left = program("if index < text.Length then (Console.write \"x\"; int (String.byteAt index text)) else -1");
    assert_eq!(left.lines("A.run", "uint"), 0, "{left}");
}

#[test]
fn the_access_must_be_at_the_tested_index_of_the_same_string() {
    for test in [
        "if index < text.Length then int (String.byteAt (index + 1) text) else -1",
        "if index < text.Length then int (String.byteAt index (same text)) else -1",
        "if index <= text.Length then int (String.byteAt index text) else -1",
    ] {
        let left = program(test);
        assert_eq!(left.lines("A.run", "uint"), 0, "{left}");
    }
}
