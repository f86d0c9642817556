//! Diagnostics as `clefc --message-format json` writes them, and those that are followed.

use libtest_mimic::Failed;
use serde_json::Value;

/// A diagnostic.
#[derive(Clone, PartialEq)]
pub(super) struct Message {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) is_error: bool,
    pub(super) proposals: Vec<Proposal>,
}

#[derive(Clone, PartialEq)]
pub(super) struct Proposal {
    pub(super) text: String,
    pub(super) edit: Option<Edit>,
}

/// A replacement of the bytes of a range.
#[derive(Clone, PartialEq)]
pub(super) struct Edit {
    pub(super) file: String,
    start: usize,
    end: usize,
    text: String,
}

/// The diagnostics among the lines of standard error; other lines are those of programs.
pub(super) fn read(errors: &str) -> Result<Vec<Message>, Failed> {
    let lines: Vec<Value> = errors.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if lines.iter().any(|line| line["reason"] == "internal-error") {
        return Err(errors.into());
    }
    let found = lines.iter().filter(|line| line["reason"] == "diagnostic").map(message);
    found.collect::<Option<_>>().ok_or_else(|| format!("unknown JSON:\n{errors}").into())
}

fn message(line: &Value) -> Option<Message> {
    let byte = |position: &Value| usize::try_from(position["byte"].as_u64()?).ok();
    let proposal = |help: &Value| {
        let replacement = &help["replacement"];
        let edit = match replacement.is_null() {
            true => None,
            false => Some(Edit {
                file: replacement["file"].as_str()?.to_owned(),
                start: byte(&replacement["start"])?,
                end: byte(&replacement["end"])?,
                text: replacement["text"].as_str()?.to_owned(),
            }),
        };
        Some(Proposal { text: help["message"].as_str()?.to_owned(), edit })
    };
    Some(Message {
        code: line["code"].as_str()?.to_owned(),
        message: line["message"].as_str()?.to_owned(),
        is_error: line["severity"] == "error",
        proposals: line["help"].as_array()?.iter().map(proposal).collect::<Option<_>>()?,
    })
}

/// A source text after some edits.
pub(super) fn edited<'e>(source: &str, edits: impl Iterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.collect();
    edits.sort_by_key(|edit| edit.start);
    let mut text = source.to_owned();
    for edit in edits.into_iter().rev() {
        text.replace_range(edit.start..edit.end, &edit.text);
    }
    text
}

/// Whether a message, which was among some diagnostics, is as often among others.
pub(super) fn remains(message: &Message, before: &[Message], after: &[Message]) -> bool {
    let same = |other: &&Message| (&other.code, &other.message) == (&message.code, &message.message);
    after.iter().filter(same).count() >= before.iter().filter(same).count()
}

/// Diagnostics with their proposals, for a report.
pub(super) fn shown(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        text += &format!("{}: {}\n", message.code, message.message);
        for proposal in &message.proposals {
            text += &format!("    {}{}\n", proposal.text, if proposal.edit.is_some() { " (edit)" } else { "" });
        }
    }
    text
}

/// Diagnostics that are followed, each with some of its proposals.
pub(super) struct Followed<'m> {
    before: &'m [Message],
    messages: Vec<&'m Message>,
    proposals: Vec<&'m Proposal>,
}

impl<'m> Followed<'m> {
    /// What lines `CODE: proposal` say of some diagnostics. A line `CODE` is for a diagnostic without proposals.
    pub(super) fn of(lines: &str, before: &'m [Message]) -> Result<Followed<'m>, Failed> {
        let mut followed = Followed { before, messages: Vec::new(), proposals: Vec::new() };
        for line in lines.lines() {
            let (code, text) = line.split_once(": ").map_or((line, None), |(code, text)| (code, Some(text)));
            let of_code: Vec<&Message> = before.iter().filter(|message| message.code == code).collect();
            let all = of_code.iter().flat_map(|message| &message.proposals);
            let found: Vec<&Proposal> = all.filter(|proposal| text.is_none_or(|text| proposal.text == text)).collect();
            let is_there = if text.is_some() { !found.is_empty() } else { !of_code.is_empty() && found.is_empty() };
            if !is_there {
                return Err(format!("`{line}` is missing in\n{}", shown(before)).into());
            }
            followed.messages.extend(of_code);
            followed.proposals.extend(found);
        }
        match followed.messages.is_empty() {
            true => Err("the block `error` is empty".into()),
            false => Ok(followed),
        }
    }

    /// The edits, if all proposals have some.
    pub(super) fn edits(&self) -> Vec<&'m Edit> {
        let edits: Option<Vec<_>> = self.proposals.iter().map(|proposal| proposal.edit.as_ref()).collect();
        edits.unwrap_or_default()
    }

    /// None of the diagnostics remains.
    pub(super) fn check(&self, after: &[Message]) -> Result<(), Failed> {
        match self.messages.iter().find(|message| remains(message, self.before, after)) {
            Some(message) => Err(format!("`{}` remains:\n{}", message.message, shown(after)).into()),
            None => Ok(()),
        }
    }
}

/// Compares an outcome with the expected one.
pub(super) fn check_outcome(expected: &str, outcome: &str, after: &[Message]) -> Result<(), Failed> {
    match expected.trim() {
        expected if expected == outcome => Ok(()),
        expected => Err(format!("the outcome is {outcome}, not {expected}:\n{}", shown(after)).into()),
    }
}
