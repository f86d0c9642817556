//! The pictures of `docs/pictures`: each is drawn from what the compiler says of a program of `pictures/`, or what the program prints.
//!
//! Closures and unions are drawn from the listing of `--emit layout`. The region is drawn from the addresses of strings that a
//! program prints on an emulated micro:bit, whose pages have 256 bytes, and from the size of a list's node in the listing.

use crate::{board, compiler::clefc};
use clef_descriptors::Machine;
use clef_golden::compare_with_file;
use libtest_mimic::{Failed, Trial};
use std::{fmt::Write, path::Path};

/// The targets that layouts are drawn for, with what they are.
const TARGETS: [(&str, &str); 2] = [("thumbv6m", "Cortex-M0"), ("x86_64-linux", "x86-64")];

/// The board of the region, and the bytes of its pages, which are aligned to their size.
const BOARD: &str = "microbit";
const PAGE: u64 = 256;

/// The trials.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let is_there = |machine: &Machine| {
        let board = &machine.board.value;
        board.name == BOARD && board::missing(board).is_none()
    };
    let is_there = board::boards()?.iter().any(is_there);
    Ok(vec![
        Trial::test("pictures::closure", || compared("closure", &layouts("closure", "closure ")?)),
        Trial::test("pictures::union", || compared("union", &layouts("union", "node ")?)),
        Trial::test("pictures::region", || compared("region", &region()?)).with_ignored_flag(!is_there),
    ])
}

fn compared(name: &str, picture: &str) -> Result<(), Failed> {
    Ok(compare_with_file(&Path::new(crate::ROOT).join(format!("../docs/pictures/{name}.svg")), picture)?)
}

/// What `clefc` writes to standard output.
fn output(arguments: &[&str]) -> Result<String, Failed> {
    let call = clefc(arguments, b"")?;
    match call.status {
        Some(0) => Ok(String::from_utf8(call.output).map_err(|error| error.to_string())?),
        status => Err(format!("clefc {} ended with {status:?}:\n{}", arguments.join(" "), call.errors).into()),
    }
}

/// A struct of a listing.
struct Struct {
    title: String,
    size: u64,
    /// The offset, the size and the name of each member.
    members: Vec<(u64, u64, String)>,
}

/// The structs of a program on a target whose lines in the listing begin with a word; a title ends before ` at `.
fn structs(name: &str, target: &str, word: &str) -> Result<Vec<Struct>, Failed> {
    let program = format!("pictures/{name}.clef");
    let listing = output(&["--target", target, "--emit", "layout", &program, "-o", "-"])?;
    let mut structs = Vec::new();
    for part in listing.split("\n\n").skip(1) {
        let (head, rows) = part.split_once('\n').unwrap_or((part, ""));
        let Some((title, size)) = head.split_once(" bytes, aligned").and_then(|(head, _)| head.rsplit_once(": "))
        else {
            return Err(format!("no size in the listing: {head}").into());
        };
        if !title.starts_with(word) {
            continue;
        }
        let member = |row: &str| {
            let columns: Vec<&str> = row.split_whitespace().collect();
            let [offset, bytes, _, member @ ..] = columns.as_slice() else { return None };
            Some((offset.parse().ok()?, bytes.parse().ok()?, member.join(" ")))
        };
        let title = title.split(" at ").next().unwrap_or(title).to_owned();
        let size = size.parse().map_err(|_| format!("no size in the listing: {head}"))?;
        structs.push(Struct { title, size, members: rows.lines().filter_map(member).collect() });
    }
    if structs.is_empty() { Err(format!("{name} has no {word} on {target}").into()) } else { Ok(structs) }
}

/// The picture of the structs of a program on all targets.
fn layouts(name: &str, word: &str) -> Result<String, Failed> {
    const BYTE: u64 = 16;
    const HEIGHT: u64 = 34;
    let (mut body, mut y, mut width) = (String::new(), 10, 0);
    for (target, what) in TARGETS {
        let structs = structs(name, target, word)?;
        text(&mut body, (10, y + 14), "heading", &format!("{target} ({what})"));
        y += 26;
        for Struct { title, size, members } in structs {
            text(&mut body, (10, y + 12), "title", &format!("{title}: {size} bytes"));
            y += 20;
            rectangle(&mut body, (10, y, size * BYTE, HEIGHT), "padding");
            for (offset, bytes, member) in &members {
                rectangle(&mut body, (10 + offset * BYTE, y, bytes * BYTE, HEIGHT), "member");
                text(&mut body, (10 + offset * BYTE + 2, y + HEIGHT + 13), "offset", &offset.to_string());
                // A member of a byte or two has no space for its name, which is below then.
                let has_space = *bytes > 2;
                let place =
                    if has_space { (15 + offset * BYTE, y + 21) } else { (10 + offset * BYTE, y + HEIGHT + 27) };
                text(&mut body, place, "name", member);
            }
            y += HEIGHT + 38;
            width = width.max(size * BYTE + 20);
        }
        y += 8;
    }
    Ok(svg(name, (width.max(560), y), &body))
}

/// The picture of the pages of a region with a list of strings: each string, and the node after it.
fn region() -> Result<String, Failed> {
    const BYTE: u64 = 3;
    const HEIGHT: u64 = 30;
    const STRING: u64 = 4;
    let printed = output(&["run", "--board", BOARD, "pictures/region.clef"])?;
    let strings: Vec<u64> = printed.lines().filter_map(|line| line.trim_end_matches('n').parse().ok()).collect();
    let node = structs("region", "thumbv6m", "node ")?[0].size;
    let (Some(first), Some(last)) = (strings.first(), strings.last()) else { return Err("no addresses".into()) };
    let (mut body, mut y) = (String::new(), 10);
    for page in (first / PAGE..=(last + STRING) / PAGE).map(|page| page * PAGE) {
        text(&mut body, (10, y + 12), "title", &format!("page at {page:#x}, {PAGE} bytes"));
        y += 20;
        rectangle(&mut body, (10, y, PAGE * BYTE, HEIGHT), "padding");
        // The first string of the region is the first object of its page.
        let header = first % PAGE;
        rectangle(&mut body, (10, y, header * BYTE, HEIGHT), "header");
        for (index, address) in strings.iter().enumerate() {
            if address / PAGE * PAGE == page {
                rectangle(&mut body, (10 + address % PAGE * BYTE, y, STRING * BYTE, HEIGHT), "string");
            }
            // A node that no longer fits is the first object of the next page.
            let after = address + STRING;
            let fits = after / PAGE == (after + node - 1) / PAGE;
            let own = if fits { after } else { (after / PAGE + 1) * PAGE + header };
            if own / PAGE * PAGE == page && (fits || index + 1 < strings.len()) {
                rectangle(&mut body, (10 + own % PAGE * BYTE, y, node * BYTE, HEIGHT), "member");
            }
        }
        y += HEIGHT + 14;
    }
    for (class, what, x) in
        [("header", "link to the next page", 10), ("string", "string", 200), ("member", "node", 290)]
    {
        rectangle(&mut body, (x, y, 16, 16), class);
        text(&mut body, (x + 22, y + 13), "name", what);
    }
    Ok(svg("region", (PAGE * BYTE + 20, y + 30), &body))
}

fn rectangle(body: &mut String, (x, y, width, height): (u64, u64, u64, u64), class: &str) {
    let _ = writeln!(body, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
}

fn text(body: &mut String, (x, y): (u64, u64), class: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>");
}

/// A picture whose colours follow the reader's scheme.
fn svg(title: &str, (width, height): (u64, u64), body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<title>{title}</title>\n<style>\n\
         text {{ font: 12px ui-monospace, monospace; fill: #1d232b }} .heading {{ font: bold 13px system-ui, sans-serif }}\n\
         .offset {{ font-size: 10px; fill: #5a6572 }} rect {{ stroke: #5a6572; fill: #cfe3ff }} .padding {{ fill: #eef1f4 }}\n\
         .string {{ fill: #ffe0b8 }} .header {{ fill: #b9c2cc }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #dfe5ec }} .offset {{ fill: #98a4b1 }} rect {{ stroke: #98a4b1; fill: #274a73 }} \
         .padding {{ fill: #1c2229 }} .string {{ fill: #6b4716 }} .header {{ fill: #4a545f }} }}\n</style>\n{body}</svg>\n"
    )
}
