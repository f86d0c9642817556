//! `clefc fmt`.

use clap::Args;
use std::{path::PathBuf, str::FromStr};

const EXAMPLES: &str = "\
Examples:
  clefc fmt                            all .clef and .fs files of this directory and its subdirectories
  clefc fmt src main.clef              those of a directory, and a file
  clefc fmt --check                    writes nothing; shows what would change, with status 1 if anything would
  clefc fmt --stdin < a.clef           from standard input to standard output, for editors
  clefc fmt --lines 10:20 a.clef       only the declarations that touch these lines";

/// `clefc fmt`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Fmt {
    /// Source files, and directories of them [default: this directory]
    #[arg(value_name = "PATH", conflicts_with = "stdin")]
    pub files: Vec<PathBuf>,

    /// Writes nothing; shows which files differ and how, with status 1 if any does
    #[arg(long)]
    pub check: bool,

    /// Formats standard input, and writes the result to standard output
    #[arg(long)]
    pub stdin: bool,

    /// Formats only the top-level declarations that touch these lines, counted from 1
    #[arg(long, visible_alias = "range", value_name = "FIRST:LAST")]
    pub lines: Option<Lines>,
}

/// Lines from the first to the last, counted from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lines {
    /// The first.
    pub first: usize,
    /// The last, included.
    pub last: usize,
}

impl FromStr for Lines {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Lines, Self::Err> {
        const EXPECTED: &str = "expected two line numbers such as 10:20, the first from 1 on and not after the last";
        let (first, last) = text.split_once(':').ok_or(EXPECTED)?;
        let (first, last) = (first.parse().map_err(|_| EXPECTED)?, last.parse().map_err(|_| EXPECTED)?);
        if first == 0 || first > last || last == usize::MAX {
            return Err(EXPECTED);
        }
        Ok(Lines { first, last })
    }
}
