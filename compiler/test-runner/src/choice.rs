//! The options of a test run.

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
    /// On a real board, through a debug probe
    Probe,
}

/// How many tests a boot runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootChoice {
    /// One test
    Test,
    /// All tests of a program, until one fails
    Shared,
}

/// A shard: one of several equal parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Its index, from 0.
    index: usize,
    /// The number of shards.
    count: NonZeroUsize,
}

impl Shard {
    /// Whether it contains the element with this index, from 0.
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
            Some(_) | None => Err("expected a part and the number of parts, such as `1/4`"),
        }
    }
}

impl Where {
    /// Its name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Where::Host => "host",
            Where::Qemu => "qemu",
            Where::Probe => "probe",
        }
    }
}
