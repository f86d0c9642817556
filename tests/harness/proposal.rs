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
//! A section with a block `command` is about a command, a project, a descriptor or a board; `scenario` follows it.
//!
//! One more trial follows all edits that the examples of the pages lead to, and checks that `proposals/pages.md` follows
//! the proposals without edits; and one, that every page is followed.

mod message;
mod pages;
mod scenario;

use crate::{
    ROOT,
    compiler::clefc_in,
    phase::{Block, blocks, sections},
    stem,
};
use libtest_mimic::{Failed, Trial};
use message::{Followed, Message, Proposal, check_outcome, edited, remains, shown};
use std::{fs, path::Path};

/// The directory of the pages, from the root of the test data.
const PAGES: &str = "../compiler/base/explain";

/// The document whose sections are about pages.
const OF_PAGES: &str = "proposals/pages.md";

/// The document whose sections are scenarios of the pages without a wrong example.
const OF_SCENARIOS: &str = "proposals/scenarios.md";

/// The trials of a document.
pub(crate) fn trials(document: &Path) -> Result<Vec<Trial>, Failed> {
    let text = fs::read_to_string(document)?;
    let with_blocks = sections(&text).into_iter().filter(|section| !blocks(section).is_empty());
    let trial = |section: &str| {
        let name = format!("proposals::{}::{}", stem(document), heading(section));
        match scenario::is_one(section) {
            true => scenario::trial(name, section.to_owned()),
            false => {
                let section = section.to_owned();
                Trial::test(name, move || check(&section))
            }
        }
    };
    Ok(with_blocks.map(trial).collect())
}

/// The trials of the edits of each page with a wrong example, and the one that each page is followed.
pub(crate) fn trials_of_pages() -> Result<Vec<Trial>, Failed> {
    let pages = crate::files(PAGES, "md")?;
    let edits = pages
        .into_iter()
        .map(|page| Trial::test(format!("proposals::edits::{}", stem(&page)), move || check_page(&page)));
    Ok(edits.chain([Trial::test("proposals::every_page", pages::check)]).collect())
}

/// The words after the fence of a block.
fn words<'b>(block: &Block<'b>) -> impl Iterator<Item = &'b str> + use<'b> {
    block.mark.split_whitespace()
}

fn heading(section: &str) -> &str {
    section.lines().next().unwrap_or_default().trim_start_matches('#').trim()
}

/// The diagnostics of a source text.
fn diagnostics(source: &str, options: &[String]) -> Result<Vec<Message>, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("example.clef"), source)?;
    let options = options.iter().map(String::as_str);
    let arguments: Vec<&str> =
        ["check", "--message-format", "json", "example.clef"].into_iter().chain(options).collect();
    let call = clefc_in(directory.path(), &arguments, b"")?;
    let messages = message::read(&call.errors)?;
    let has_failed = messages.iter().any(|message| message.is_error);
    match call.status {
        Some(0) if !has_failed => Ok(messages),
        Some(1) if has_failed => Ok(messages),
        other => Err(format!("clefc has ended with {other:?}:\n{}", call.errors).into()),
    }
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
    let followed = Followed::of(&block("error")?.text, &before)?;
    let after = block("followed")?;
    let after_options = match options(after) {
        none if none.is_empty() => before_options,
        own => own,
    };
    let edits = followed.edits();
    if !edits.is_empty() {
        clef_golden::compare(&after.text, &edited(&source, edits.into_iter()))?;
    }
    let found = diagnostics(&after.text, &after_options)?;
    followed.check(&found)?;
    let outcome = found.iter().find(|message| message.is_error).map_or("compiles", |message| &message.code);
    check_outcome(&block("outcome")?.text, outcome, &found)
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
