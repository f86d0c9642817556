//! The arguments of a program on the command line of its emulator or debugger.
//!
//! In: the arguments as given. Out: a line that the runtime splits into the same arguments (`text::command_line`
//! there), or the reason why there is none.

use clef_base::{Diagnostic, codes};
use clef_descriptors::Board;
use clef_runtime::COMMAND_LINE;
use std::ffi::OsString;

/// The name of the program, which debuggers put before the arguments.
const PROGRAM: &str = "program";

/// The arguments as strings, which are UTF-8.
pub(crate) fn texts<'a>(arguments: &'a [OsString]) -> Result<Vec<&'a str>, Diagnostic> {
    let text = |(index, argument): (usize, &'a OsString)| {
        argument.to_str().ok_or_else(|| {
            let message = format!("the program's argument {} is not UTF-8: {argument:?}", index + 1);
            Diagnostic::general(codes::NO_ARGUMENTS, message)
                .help("strings are UTF-8: pass bytes as numbers, or on standard input")
        })
    };
    arguments.iter().enumerate().map(text).collect()
}

/// The error for arguments of a program on a board that does not support them.
pub fn refused(board: &Board, why: &str) -> Diagnostic {
    let message = format!("cannot pass arguments to a program on `{}`: {why}", board.name);
    Diagnostic::general(codes::NO_ARGUMENTS, message)
        .help("remove `--` and what follows, and read standard input instead")
}

/// The error for arguments of a program without an entry point.
pub fn no_entry() -> Diagnostic {
    Diagnostic::general(codes::NO_ARGUMENTS, "the program has no entry point that takes arguments")
        .help("mark a function with `[<EntryPoint>]`, or remove `--` and what follows")
}

/// The words of the command line for a debugger: the name of the program and the arguments.
pub(super) fn words(arguments: &[OsString], board: &Board) -> Result<Vec<String>, Diagnostic> {
    let arguments = texts(arguments)?;
    let words: Vec<String> = std::iter::once(PROGRAM).chain(arguments).map(quoted).collect();
    fits(words.join(" ").len(), board)?;
    Ok(words)
}

/// The command line for a kernel: the arguments.
pub(super) fn line(arguments: &[OsString], board: &Board) -> Result<String, Diagnostic> {
    let words: Vec<String> = texts(arguments)?.into_iter().map(quoted).collect();
    let line = words.join(" ");
    fits(line.len(), board)?;
    Ok(line)
}

/// Checks that the line and its terminating zero fit the memory.
fn fits(length: usize, board: &Board) -> Result<(), Diagnostic> {
    if length < COMMAND_LINE {
        return Ok(());
    }
    let most = COMMAND_LINE - 1;
    let message =
        format!("the arguments have {length} bytes, but a program on `{}` accepts at most {most}", board.name);
    Err(Diagnostic::general(codes::NO_ARGUMENTS, message).help("pass fewer arguments, or read standard input instead"))
}

/// An argument as a word: in quotes if it is empty or contains characters with a special meaning.
fn quoted(argument: &str) -> String {
    if !argument.is_empty() && !argument.contains([' ', '"', '\\']) {
        return argument.to_owned();
    }
    let escaped = argument.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_what_would_change_is_quoted() {
        let cases = [
            ("a", "a"),
            ("", r#""""#),
            ("two words", r#""two words""#),
            (r#"a"b"#, r#""a\"b""#),
            (r"c:\d", r#""c:\\d""#),
            ("é,=\t", "é,=\t"),
        ];
        for (argument, expected) in cases {
            assert_eq!(quoted(argument), expected);
        }
    }
}
