//! Every page of `clefc explain` is followed: its wrong example is, or a scenario of its code, or nothing can cause it.

use super::{OF_SCENARIOS, PAGES, heading, wrong_examples};
use crate::{ROOT, phase::sections, stem};
use libtest_mimic::Failed;
use std::{collections::BTreeSet, fs, path::Path};

/// Pages that no input of a test can lead to, with the reasons.
const UNFOLLOWED: [(&str, &str); 4] = [
    ("E0941", "only probes on USB are listed, and simulated ones are on the network"),
    ("E0942", "only the device file of a probe on USB has permissions"),
    ("E0952", "the tested `clefc` has support for probes"),
    ("E0970", "it is a defect of the formatter, and no text is known that leads to one"),
];

/// Each page has a wrong example or a scenario, unless it is an exception, and no exception has one.
pub(super) fn check() -> Result<(), Failed> {
    let document = fs::read_to_string(Path::new(ROOT).join(OF_SCENARIOS))?;
    let code = |section: &&str| heading(section).split([':', ' ']).next().unwrap_or_default().to_owned();
    let scenarios: BTreeSet<String> = sections(&document).iter().map(code).collect();
    let mut wrong = Vec::new();
    for page in crate::files(PAGES, "md")? {
        let name = stem(&page);
        let is_followed = scenarios.contains(&name) || !wrong_examples(&page)?.is_empty();
        let reason = UNFOLLOWED.iter().find(|(code, _)| *code == name).map(|(_, reason)| reason);
        match (is_followed, reason) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(reason)) => wrong.push(format!("{name} is followed, although {reason}")),
            (false, None) => wrong.push(format!("no scenario of {OF_SCENARIOS} follows {name}")),
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}
