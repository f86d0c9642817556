//! The programs, and the size of their work on each platform.

use super::language::Platform;
use crate::Failure;

/// A program of `bench/programs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// What it does, in a few words.
    pub(crate) about: &'static str,
    /// The size of the work on Linux; a board does a part of it.
    size: u32,
    part: u32,
}

impl Program {
    /// The size of the work, or `None` for a program that is built only to see how large it is.
    pub(crate) fn work(&self, platform: Platform) -> Option<u32> {
        match platform {
            Platform::Linux => Some(self.size),
            Platform::CortexM4 => Some(self.size / self.part),
        }
        .filter(|size| *size > 0)
    }
}

/// Built for the board alone, to see how large they are. The first is subtracted from all others.
pub(crate) const SIZE_ONLY: [Program; 3] = [
    size_only("empty", "nothing but the harness"),
    size_only("hello", "writes a line to the console"),
    size_only("blinky", "toggles a light every half second"),
];

/// Measured on every platform.
pub(crate) const PROGRAMS: &[Program] = &[
    measured("adders", "arrays of functions and of their compositions", 300_000),
    measured("lists", "lists made, mapped, filtered and folded", 4_000),
    measured("church", "Church numerals", 20_000),
    measured("cps", "recursion in continuation-passing style", 2_000),
    measured("counters", "variables that closures change by reference", 1_000_000),
    measured("queens", "the ways to place queens, with lists", 1_000),
    measured("parsers", "parser combinators", 20_000),
    measured("nested", "nested loops as functions with captured bounds", 40_000),
    measured("events", "a table of event handlers", 500_000),
    measured("fir", "a FIR filter with an inlined lambda", 8_000),
    measured("pid", "a PID controller of floats", 300_000),
    measured("json", "JSON parsed into a tree", 20_000),
    measured("ring", "a ring buffer", 1_000_000),
    measured("trees", "binary search trees", 200),
    measured("text", "text built from names and numbers", 20_000),
    measured("maps", "a map and a set", 200),
    measured("sequences", "lazy sequences", 60_019),
    measured("sort", "sorting by a function", 600),
];

const fn size_only(name: &'static str, about: &'static str) -> Program {
    Program { name, about, size: 0, part: 1 }
}

const fn measured(name: &'static str, about: &'static str, size: u32) -> Program {
    Program { name, about, size, part: 20 }
}

/// The name of a program, if there is one of that name.
pub(crate) fn name(name: &str) -> Option<&'static str> {
    PROGRAMS.iter().chain(&SIZE_ONLY).map(|program| program.name).find(|own| *own == name)
}

/// The programs of these names, or all that are measured.
pub(crate) fn selected(names: &[String]) -> Result<Vec<Program>, Failure> {
    if names.is_empty() {
        return Ok(PROGRAMS.to_vec());
    }
    let find = |name: &String| {
        let program = PROGRAMS.iter().find(|program| program.name == name).copied();
        program.ok_or_else(|| {
            let known: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
            format!("there is no program `{name}`: there are {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_programs_are_rejected() {
        assert!(selected(&["cps".to_owned()]).is_ok());
        assert!(selected(&["cps".to_owned(), "tetris".to_owned()]).is_err());
    }

    #[test]
    fn boards_do_a_part_of_the_work() {
        let [program] = selected(&["fir".to_owned()]).unwrap()[..] else { panic!() };
        assert!(program.work(Platform::CortexM4) < program.work(Platform::Linux));
        assert_eq!(SIZE_ONLY[0].work(Platform::CortexM4), None);
    }
}
