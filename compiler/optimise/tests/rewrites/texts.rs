//! Concatenations that are only written.

use crate::fixture::{Optimised, optimised};

fn program(body: &str) -> Optimised {
    optimised(&format!(
        "
        let [<NoInline>] run (n: int) =
            {}
        Console.writeln (run (opaque 3))
        ",
        body.replace('\n', "\n            ")
    ))
}

#[test]
fn the_parts_of_a_concatenation_are_written_to_a_growing_text() {
    let left = program("String.concat \";\" [ for i in 1 .. n -> \"<\" + Format.int i + \">\" ]");
    assert_eq!(left.lines("A.run", "concatenate"), 0, "{left}");
    assert_eq!(left.lines("A.run", "text_append"), 4, "{left}");
    assert_eq!(left.lines("A.run", "text_write"), 0, "{left}");
}

#[test]
fn a_concatenation_that_is_used_again_is_made() {
    let left = program(
        "let mutable longest = 0
let text =
    String.concat \";\" [ for i in 1 .. n -> (let part = \"<\" + Format.int i in longest <- longest + part.Length; part) ]
text + Format.int longest",
    );
    assert_eq!(left.lines("A.run", "concatenate \"<\""), 1, "{left}");
}

#[test]
fn what_follows_a_growing_text_is_appended_to_it() {
    let left = program("String.concat \";\" [ for i in 1 .. n -> Format.int i ] + \"!\" + Format.int n");
    assert_eq!(left.lines("A.run", "concatenate"), 0, "{left}");
    assert_eq!(left.lines("A.run", "text_append"), 4, "{left}");
    assert_eq!(left.lines("A.run", "text_end"), 1, "{left}");
}

#[test]
fn a_text_that_is_used_again_ends_before_what_follows() {
    let left = program(
        "let text = String.concat \";\" [ for i in 1 .. n -> Format.int i ]
text + Format.int text.Length",
    );
    assert_eq!(left.lines("A.run", "concatenate"), 1, "{left}");
}

#[test]
fn numbers_and_single_bytes_are_appended_without_a_string() {
    let left = program("String.concat \";\" [ for i in 1 .. n -> $\"<={i},\" ]");
    assert_eq!(left.lines("A.run", "format_int"), 0, "{left}");
    assert_eq!(left.lines("A.run", "text_append_int"), 1, "{left}");
    assert_eq!(left.lines("A.run", "text_append_byte"), 2, "{left}");
    assert_eq!(left.lines("A.run", "text_append "), 1, "{left}");
}

#[test]
fn a_number_that_is_appended_twice_is_a_string() {
    let left = program("String.concat \";\" [ for i in 1 .. n -> (let text = string i in text + \"..\" + text) ]");
    assert_eq!(left.lines("A.run", "format_int"), 1, "{left}");
    assert_eq!(left.lines("A.run", "text_append_int"), 0, "{left}");
}

#[test]
fn a_number_that_a_loop_appends_is_made_before_it() {
    let left = program("let text = string n\nString.concat \";\" [ for _ in 1 .. n -> \"<<\" + text ]");
    assert_eq!(left.lines("A.run", "format_int"), 1, "{left}");
    assert_eq!(left.lines("A.run", "text_append_int"), 0, "{left}");
}
