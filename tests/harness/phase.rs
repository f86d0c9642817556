//! Phases as documents: a heading, a source text in a block marked `clef`, and blocks marked with the name of a
//! product, such as `tokens`, `ast`, `psg`, `captures`, `core` or `storage`, which `clefc --emit` must produce from it.
//! Further arguments may follow the name, such as `layout --board microbit`. A block marked `output` is the program's
//! output. Blocks of other languages (`text`, `sh`, `yaml` …) are only shown. A document without
//! a block `clef` has no trials: `tutorial` follows the blocks `clef,file=…`.

use crate::{compiler::clefc_in, stem};
use clef_golden::{compare, is_updating};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The file name of the source in every listing.
const EXAMPLE: &str = "example.clef";

/// The marks of blocks that are only shown.
const SHOWN: [&str; 5] = ["text", "sh", "yaml", "toml", "fsharp"];

/// A fenced block of a document.
pub(crate) struct Block<'a> {
    /// The text after the opening fence.
    pub(crate) mark: &'a str,
    pub(crate) text: String,
}

/// A trial for each section of a document; one for the whole when it is updated.
pub(crate) fn trials(path: &Path) -> Result<Vec<Trial>, Failed> {
    let text = std::fs::read_to_string(path)?;
    if !blocks(&text).iter().any(|block| block.mark == "clef") {
        return Ok(Vec::new());
    }
    if is_updating() {
        let path = path.to_owned();
        return Ok(vec![Trial::test(format!("phases::{}", stem(&path)), move || update(&path))]);
    }
    let mut trials = Vec::new();
    for (number, section) in sections(&text).into_iter().enumerate() {
        let heading = section.lines().next().unwrap_or_default().trim_start_matches('#').trim();
        if !blocks(section).iter().any(|block| block.mark == "clef") {
            continue;
        }
        let name = format!("phases::{}::{heading}", stem(path));
        let directory = directory(path, number);
        let section = section.to_owned();
        trials.push(Trial::test(name, move || check(&directory, &section)));
    }
    Ok(trials)
}

/// The document, split before each heading.
pub(crate) fn sections(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut fenced = false;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with('#') && offset > 0 {
            starts.push(offset);
        }
        offset += line.len();
    }
    let ends = starts[1..].iter().copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

/// The fenced blocks of a section.
pub(crate) fn blocks(section: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = section.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if let Some(mark) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            blocks.push(Block { mark: mark.trim(), text });
        }
    }
    blocks
}

/// The directory for the source of a section.
fn directory(path: &Path, number: usize) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("phases").join(stem(path)).join(number.to_string())
}

fn check(directory: &Path, section: &str) -> Result<(), Failed> {
    let blocks = blocks(section);
    let mut source = None;
    for block in &blocks {
        match source {
            _ if SHOWN.contains(&block.mark) => {}
            _ if block.mark == "clef" => source = Some(&block.text),
            Some(source) => compare(&block.text, &product(directory, source, block.mark)?)
                .map_err(|difference| format!("{}: {difference}", block.mark))?,
            None => return Err(format!("the block `{}` is before any source", block.mark).into()),
        }
    }
    Ok(())
}

/// The product of a source, or the program's output.
fn product(directory: &Path, source: &str, mark: &str) -> Result<String, Failed> {
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join(EXAMPLE), source)?;
    let command = match mark.strip_prefix("output") {
        Some(options) => ["run"].into_iter().chain(options.split_whitespace()),
        None => ["--emit"].into_iter().chain(mark.split_whitespace()),
    };
    let arguments: Vec<&str> = command.chain([EXAMPLE]).collect();
    let call = clefc_in(directory, &arguments, b"")?;
    if call.status != Some(0) {
        return Err(format!("clefc {} ended with {:?}:\n{}", arguments.join(" "), call.status, call.errors).into());
    }
    Ok(String::from_utf8(call.output).map_err(|_| "the product is not UTF-8")?)
}

/// Writes the products of all sections into the document.
fn update(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let mut updated = String::new();
    for (number, section) in sections(&text).into_iter().enumerate() {
        let mut source: Option<String> = None;
        let mut lines = section.split_inclusive('\n');
        while let Some(line) = lines.next() {
            updated.push_str(line);
            let Some(mark) = line.strip_prefix("```").map(str::trim) else { continue };
            let old: String = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            match &source {
                Some(source) if mark != "clef" && !SHOWN.contains(&mark) => {
                    updated.push_str(&product(&directory(path, number), source, mark)?)
                }
                _ => {
                    updated.push_str(&old);
                    if mark == "clef" {
                        source = Some(old);
                    }
                }
            }
            updated.push_str("```\n");
        }
    }
    Ok(std::fs::write(path, updated)?)
}
