//! What can be asked of a run of tests.

use clap::ValueEnum;
use serde::Deserialize;
use std::{num::NonZeroUsize, str::FromStr};

/// How an image gets to where it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Where {
    /// As a process of this machine
    Host,
    /// In QEMU
    Qemu,
    /// On a real board, by a debug probe
    Probe,
}

/// How many tests a boot runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootChoice {
    /// One
    Test,
    /// All of a program, until one fails
    Shared,
}

/// One of several equal parts of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part, from 0.
    index: usize,
    /// How many there are.
    count: NonZeroUsize,
}

impl Shard {
    /// Whether it holds the element of this number, from 0.
    pub fn holds(self, number: usize) -> bool {
        number % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, &'static str> {
        let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=NonZeroUsize::get(count)).contains(&index) => {
                Ok(Shard { index: index - 1, count })
            }
            Some(_) | None => Err("expected a part and how many there are, such as `1/4`"),
        }
    }
}

impl Where {
    /// As the command line has it.
    pub fn word(self) -> &'static str {
        match self {
            Where::Host => "host",
            Where::Qemu => "qemu",
            Where::Probe => "probe",
        }
    }
}
