//! Many programs in one source file: each is a module, and writes its number before anything else.

use crate::{
    prelude::{self, PRELUDE},
    print::{module, separator},
    tree::{Program, Surroundings},
};

/// Programs that share an image.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The programs; only the last may trap, since a trap ends the image.
    pub programs: Vec<Program>,
    /// The source text of all.
    pub source: String,
    /// For each program the line on which its module starts, from 1.
    pub lines: Vec<usize>,
}

impl Batch {
    /// Prints programs.
    pub fn new(programs: Vec<Program>) -> Batch {
        let surroundings = programs.first().map_or(Surroundings::Plain, |program| program.surroundings);
        let mut source = PRELUDE.to_owned() + prelude::beside(surroundings);
        let mut lines = Vec::new();
        let mut line = source.lines().count() + 1;
        for program in &programs {
            let module = module(program);
            lines.push(line);
            line += module.lines().count();
            source.push_str(&module);
        }
        Batch { programs, source, lines }
    }

    /// The source text, with ten times the iterations of loops if there is an input.
    pub fn scaled(&self) -> String {
        prelude::scaled() + &self.source[PRELUDE.len()..]
    }

    /// The place of the program whose text has that line.
    pub fn program_at(&self, line: usize) -> Option<usize> {
        self.lines.iter().rposition(|&start| start <= line)
    }

    /// What each program writes, by the separators; `None` for programs that did not start.
    pub fn parts<'a>(&self, output: &'a str) -> Vec<Option<&'a str>> {
        let mut parts = Vec::new();
        let mut rest = Some(output);
        for (place, program) in self.programs.iter().enumerate() {
            let own = rest.and_then(|rest| behind(rest, program.index));
            let next = self.programs.get(place + 1).map(|next| format!("\n{}\n", separator(next.index)));
            let end = own.and_then(|own| next.as_ref().and_then(|next| own.find(next.as_str())));
            parts.push(own.map(|own| end.map_or(own, |end| &own[..end])));
            rest = own.map(|own| end.map_or("", |end| &own[end..]));
        }
        parts
    }
}

/// What stands behind the separator of a program.
fn behind(text: &str, index: u64) -> Option<&str> {
    let line = format!("\n{}\n", separator(index));
    text.find(&line).map(|start| &text[start + line.len()..])
}
