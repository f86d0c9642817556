//! Proposals of diagnostics, followed: what a message proposes compiles, or leads to another message.
//!
//! A section of a document in `proposals/` has
//! - a block `clef` with a source text, which options of `clefc check` may follow; without it, the source is the wrong
//!   example of the page in `compiler/base/explain` that the heading names;
//! - a block `error` with lines `CODE: proposal`, which the diagnostics must contain;
//! - a block `followed`: the source after following these proposals, with the options of `clefc check` if they change.
//!   If all proposals have edits, it is what these make of it;
//! - a block `outcome`: `compiles`, or the code of the first diagnostic that comes then.
//!
//! One more trial follows all edits that the examples of the pages lead to, and checks that `proposals/pages.md` follows
//! the proposals without edits.

use crate::{
    ROOT,
    compiler::clefc_in,
    phase::{Block, blocks, sections},
    stem,
};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::{fs, path::Path};

/// The directory of the pages, from the root of the test data.
const PAGES: &str = "../compiler/base/explain";

/// The document whose sections are about pages.
const OF_PAGES: &str = "proposals/pages.md";

/// The trials of a document.
pub(crate) fn trials(document: &Path) -> Result<Vec<Trial>, Failed> {
    let text = fs::read_to_string(document)?;
    let with_blocks = sections(&text).into_iter().filter(|section| !blocks(section).is_empty());
    let trial = |section: &str| {
        let section = section.to_owned();
        Trial::test(format!("proposals::{}::{}", stem(document), heading(&section)), move || check(&section))
    };
    Ok(with_blocks.map(trial).collect())
}

/// The trials of the edits of each page with a wrong example.
pub(crate) fn trials_of_pages() -> Result<Vec<Trial>, Failed> {
    let pages = crate::files(PAGES, "md")?;
    Ok(pages
        .into_iter()
        .map(|page| Trial::test(format!("proposals::edits::{}", stem(&page)), move || check_page(&page)))
        .collect())
}

/// The words after the fence of a block.
fn words<'b>(block: &Block<'b>) -> impl Iterator<Item = &'b str> + use<'b> {
    block.mark.split_whitespace()
}

fn heading(section: &str) -> &str {
    section.lines().next().unwrap_or_default().trim_start_matches('#').trim()
}

/// A diagnostic.
#[derive(Clone, PartialEq)]
struct Message {
    code: String,
    message: String,
    is_error: bool,
    proposals: Vec<Proposal>,
}

#[derive(Clone, PartialEq)]
struct Proposal {
    text: String,
    edit: Option<Edit>,
}

/// A replacement of the bytes of a range.
#[derive(Clone, PartialEq)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// The diagnostics of a source text.
fn diagnostics(source: &str, options: &[String]) -> Result<Vec<Message>, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("example.clef"), source)?;
    let options = options.iter().map(String::as_str);
    let arguments: Vec<&str> =
        ["check", "--message-format", "json", "example.clef"].into_iter().chain(options).collect();
    let call = clefc_in(directory.path(), &arguments, b"")?;
    let lines: Vec<Value> = call.errors.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let found = lines.iter().filter(|line| line["reason"] == "diagnostic").map(message);
    found.collect::<Option<_>>().ok_or_else(|| format!("unknown JSON:\n{}", call.errors).into())
}

fn message(line: &Value) -> Option<Message> {
    let byte = |position: &Value| usize::try_from(position["byte"].as_u64()?).ok();
    let proposal = |help: &Value| {
        let replacement = &help["replacement"];
        let edit = match replacement.is_null() {
            true => None,
            false => Some(Edit {
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
fn edited<'e>(source: &str, edits: impl Iterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.collect();
    edits.sort_by_key(|edit| edit.start);
    let mut text = source.to_owned();
    for edit in edits.into_iter().rev() {
        text.replace_range(edit.start..edit.end, &edit.text);
    }
    text
}

/// Whether a message, which was among some diagnostics, is as often among others.
fn remains(message: &Message, before: &[Message], after: &[Message]) -> bool {
    let same = |other: &&Message| (&other.code, &other.message) == (&message.code, &message.message);
    after.iter().filter(same).count() >= before.iter().filter(same).count()
}

/// The wrong examples of a page.
fn wrong_examples(page: &Path) -> Result<Vec<String>, Failed> {
    let text = fs::read_to_string(page)?;
    Ok(blocks(&text).into_iter().filter(|block| block.mark == "clef,error").map(|block| block.text).collect())
}

fn check(section: &str) -> Result<(), Failed> {
    let blocks = blocks(section);
    let block = |name: &str| {
        let found = blocks.iter().find(|block| words(block).next() == Some(name));
        found.ok_or_else(|| Failed::from(format!("the section has no block `{name}`")))
    };
    let options = |block: &Block<'_>| words(block).skip(1).map(str::to_owned).collect::<Vec<_>>();
    let (source, before_options) = match block("clef") {
        Ok(block) => (block.text.clone(), options(block)),
        Err(_) => {
            let page = Path::new(ROOT).join(PAGES).join(format!("{}.md", heading(section)));
            (wrong_examples(&page)?.into_iter().next().ok_or("the page has no wrong example")?, Vec::new())
        }
    };
    let before = diagnostics(&source, &before_options)?;
    let mut followed = Vec::new();
    for line in block("error")?.text.lines() {
        let (code, text) = line.split_once(": ").ok_or("a line of `error` is `CODE: proposal`")?;
        let of_code: Vec<&Message> = before.iter().filter(|message| message.code == code).collect();
        let here = of_code.iter().flat_map(|message| &message.proposals).filter(|proposal| proposal.text == text);
        let found: Vec<&Proposal> = here.collect();
        if found.is_empty() {
            return Err(format!("`{line}` is missing in\n{}", shown(&before)).into());
        }
        followed.push((of_code, found));
    }
    let proposals = || followed.iter().flat_map(|(_, proposals)| proposals);
    let after = block("followed")?;
    let after_options = match options(after) {
        none if none.is_empty() => before_options,
        own => own,
    };
    if proposals().all(|proposal| proposal.edit.is_some()) {
        let made = edited(&source, proposals().filter_map(|proposal| proposal.edit.as_ref()));
        clef_golden::compare(&after.text, &made)?;
    }
    let found = diagnostics(&after.text, &after_options)?;
    if let Some(message) = followed.iter().flat_map(|(messages, _)| messages).find(|it| remains(it, &before, &found)) {
        return Err(format!("`{}` remains:\n{}", message.message, shown(&found)).into());
    }
    let outcome = found.iter().find(|message| message.is_error).map_or("compiles", |message| &message.code);
    match block("outcome")?.text.trim() {
        expected if expected == outcome => Ok(()),
        expected => Err(format!("the outcome is {outcome}, not {expected}:\n{}", shown(&found)).into()),
    }
}

fn shown(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        text += &format!("{}: {}\n", message.code, message.message);
        for proposal in &message.proposals {
            text += &format!("    {}{}\n", proposal.text, if proposal.edit.is_some() { " (edit)" } else { "" });
        }
    }
    text
}

/// Follows the edits of each diagnostic of a page's examples, and looks up its other proposals in the document.
fn check_page(page: &Path) -> Result<(), Failed> {
    let document = fs::read_to_string(Path::new(ROOT).join(OF_PAGES))?;
    let name = stem(page);
    let sections = sections(&document);
    let own = sections.iter().filter(|section| heading(section) == name).flat_map(|section| blocks(section));
    let listed: String = own.filter(|block| block.mark == "error").map(|block| block.text).collect();
    for example in wrong_examples(page)? {
        let before = diagnostics(&example, &[])?;
        for message in &before {
            for Proposal { text, .. } in message.proposals.iter().filter(|proposal| proposal.edit.is_none()) {
                let line = format!("{}: {text}", message.code);
                if !listed.lines().any(|listed| listed == line) {
                    return Err(format!("{OF_PAGES} does not follow, in a section `{name}`:\n{line}").into());
                }
            }
            let mut edits = message.proposals.iter().filter_map(|proposal| proposal.edit.as_ref()).peekable();
            if edits.peek().is_none() {
                continue;
            }
            let after = edited(&example, edits);
            let found = diagnostics(&after, &[])?;
            if remains(message, &before, &found) {
                return Err(format!("`{}` remains in\n{after}\n{}", message.message, shown(&found)).into());
            }
        }
    }
    Ok(())
}
