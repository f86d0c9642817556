//! Writes of literals that follow one another, which are joined.

use crate::fixture::{optimised, simplified};
use clef_optimise::Level;

/// A function that writes.
fn program(body: &str) -> String {
    format!(
        "
        let cell = ref 1
        let [<NoInline>] run (n: int) =
            {}
        run (opaque 3)
        ",
        body.replace('\n', "\n            ")
    )
}

#[test]
fn adjacent_writes_become_one() {
    let left = optimised(&program("Console.write \"a\"\nprintf \"b\"\nConsole.writeln \"c\"\nshow n"));
    assert_eq!(left.lines("A.run", r#"console_write "abc\n""#), 1, "{left}");
    assert_eq!(left.lines("A.run", r#"console_write "b"#), 0, "{left}");
}

#[test]
fn writes_are_not_joined_over_anything_between_them() {
    for between in
        ["let line = Console.tryReadln ()", "Console.write (Format.int n)", "cell := n", "if n > 9 then show n"]
    {
        let left = optimised(&program(&format!("Console.write \"a\"\n{between}\nConsole.write \"b\"\nshow !cell")));
        let literals = ["\"a\"", "\"b\""].map(|text| left.lines("A.run", &format!("console_write {text}")));
        assert_eq!(literals, [1, 1], "{between}: {left}");
    }
}

#[test]
fn writes_to_different_streams_are_not_joined() {
    let text = "Console.write \"a\"\nConsole.error \"b\"\nConsole.error \"c\"\nConsole.write \"d\"\nshow n";
    let left = optimised(&program(text));
    for write in [r#"console_write "a""#, r#"console_error "bc""#, r#"console_write "d""#] {
        assert_eq!(left.lines("A.run", write), 1, "{write}: {left}");
    }
}

#[test]
fn writes_in_different_blocks_are_not_joined() {
    let left = optimised(&program("Console.write \"a\"\nif n > 2 then Console.write \"b\"\nConsole.write \"c\""));
    assert_eq!(left.lines("A.run", "console_write"), 3, "{left}");
}

#[test]
fn a_joined_write_has_at_most_128_bytes() {
    let writes = |lengths: &[usize]| {
        let write = |length: &usize| format!("Console.write \"{}\"\n", "x".repeat(*length));
        let left = optimised(&program(&(lengths.iter().map(write).collect::<String>() + "show n")));
        left.lines("A.run", "console_write \"x")
    };
    assert_eq!(writes(&[100, 28]), 1);
    assert_eq!(writes(&[100, 29]), 2);
    assert_eq!(writes(&[60, 60, 60, 60]), 2);
    assert_eq!(writes(&[200, 1]), 2);
}

#[test]
fn without_optimisation_no_writes_are_joined() {
    let left = simplified(&program("Console.write \"a\"\nConsole.write \"b\"\nshow n"), Level::Debug);
    assert_eq!(left.lines("A.run", "console_write"), 2, "{left}");
}
