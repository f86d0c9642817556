//! Many programs in the source files of one image: each is a module, and prints its number first.

use crate::{
    prelude::{self, PRELUDE},
    print::{apart, module, separator},
    tree::{Program, Surroundings},
};
use std::{io, path::Path};

/// The name of the source file of a batch with a single file.
const ALONE: &str = "oracle.clef";

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its name, which appears in trap reports.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Programs that share an image.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The programs; only the last may trap, since a trap ends the image.
    pub programs: Vec<Program>,
    /// The source files of all, in their order.
    pub files: Vec<File>,
    /// For each program the index of its file, from 0, and the line on which it starts there, from 1.
    pub starts: Vec<(usize, usize)>,
}

impl File {
    /// A file named `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> File {
        File { name: name.into(), text: text.into() }
    }
}

impl Batch {
    /// Prints programs: into one file, or each into files of its own.
    pub fn new(programs: Vec<Program>) -> Batch {
        let mut batch = Batch::unprinted(programs);
        match batch.surroundings() {
            Surroundings::Files => batch.print_apart(),
            Surroundings::Plain | Surroundings::Log | Surroundings::Native | Surroundings::Interrupts => {
                batch.print_together();
            }
        }
        batch
    }

    /// Programs that are not printed, for which only [`Batch::parts`] is useful.
    pub fn unprinted(programs: Vec<Program>) -> Batch {
        Batch { programs, files: Vec::new(), starts: Vec::new() }
    }

    /// The surroundings shared by all of the programs.
    pub fn surroundings(&self) -> Surroundings {
        self.programs.first().map_or(Surroundings::Plain, |program| program.surroundings)
    }

    fn print_together(&mut self) {
        let mut text = PRELUDE.to_owned() + prelude::beside(self.surroundings());
        let mut line = text.lines().count() + 1;
        for program in &self.programs {
            let module = module(program);
            self.starts.push((0, line));
            line += module.lines().count();
            text.push_str(&module);
        }
        self.files = vec![File::new(ALONE, text)];
    }

    /// Each program is two files: one of its bindings and one of its effects.
    fn print_apart(&mut self) {
        self.files = vec![File::new("prelude.clef", format!("module Prelude\n{PRELUDE}"))];
        for program in &self.programs {
            let index = program.index;
            let [bound, done] = apart(program);
            self.starts.push((self.files.len(), 1));
            self.files.push(File::new(format!("items{index}.clef"), bound));
            self.files.push(File::new(format!("program{index}.clef"), done));
        }
    }

    /// The texts of all files, each under its name if there are several.
    pub fn text(&self) -> String {
        match self.files.as_slice() {
            [file] => file.text.clone(),
            files => files.iter().map(|file| format!("// {}\n{}", file.name, file.text)).collect(),
        }
    }

    /// Writes the files into a directory; returns the name of what to compile there: the file, or the project of
    /// several.
    pub fn write(&self, directory: &Path) -> io::Result<String> {
        for file in &self.files {
            std::fs::write(directory.join(&file.name), &file.text)?;
        }
        if let [file] = self.files.as_slice() {
            return Ok(file.name.clone());
        }
        let sources: Vec<String> = self.files.iter().map(|file| format!("{:?}", file.name)).collect();
        let project = format!("name = \"oracle\"\nsources = [{}]\n", sources.join(", "));
        std::fs::write(directory.join("clef.toml"), project)?;
        Ok("clef.toml".to_owned())
    }

    /// The same with ten times the iterations of loops if there is an input; only for programs in one file.
    #[must_use]
    pub fn scaled(&self) -> Batch {
        let scaled = |file: &File| {
            let programs = file.text.strip_prefix(PRELUDE).unwrap_or(&file.text);
            File::new(&file.name, prelude::scaled() + programs)
        };
        Batch { files: self.files.iter().map(scaled).collect(), ..self.clone() }
    }

    /// The index of the program whose source text contains that line of that file.
    pub fn program_at(&self, place: (usize, usize)) -> Option<usize> {
        self.starts.iter().rposition(|&start| start <= place)
    }

    /// The output of each program, split by the separators; `None` for programs that did not start.
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

/// The text after the separator of a program.
fn behind(text: &str, index: u64) -> Option<&str> {
    let line = format!("\n{}\n", separator(index));
    text.find(&line).map(|start| &text[start + line.len()..])
}
