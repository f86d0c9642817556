//! The calls of a program as a page of HTML: a tree of calls below each root, whose branches open and close.
//!
//! A function is shown with its calls where it is first called; other calls of it lead there. The calls down to the deepest
//! point come first, and are open.

use super::calls::{Call, Calls, Function, Root};
use crate::page::{escaped, page};
use clef_base::HashSet;
use std::fmt::{self, Write};

const STYLE: &str = "\
ul { list-style: none; margin: 0; padding-left: 1.3rem; border-left: 1px solid var(--line); } body > ul { padding-left: 0; border: none; }
.row { position: relative; display: inline-block; min-width: 44rem; padding: 0 .4rem; }
.bar { position: absolute; inset: 2px auto 2px 0; background: var(--bar); z-index: -1; border-radius: 2px; }
.deepest > .row > .name, .deepest > details > summary .name { font-weight: 600; }
.leaf { padding-left: 1.1rem; }
:target { outline: 2px solid var(--ink); }
";

/// The page of the program `name`; `bound` says what its stack needs in all.
pub fn html(calls: &Calls, name: &str, bound: &str) -> String {
    let mut body = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut body, calls, bound);
    page(&format!("Stack of {name}"), STYLE, &body)
}

fn write_all(out: &mut String, calls: &Calls, bound: &str) -> fmt::Result {
    bound.lines().try_for_each(|line| writeln!(out, "<p>{}</p>", escaped(line)))?;
    writeln!(
        out,
        "<p class=\"soft\">Each line is a function: the bytes that it and the deepest calls below it need, and those of its own \
         frame. The bar shows the need. The calls down to the deepest point are bold, and come first.</p>"
    )?;
    let largest = calls.functions.iter().filter_map(|function| function.need).max().unwrap_or(0).max(1);
    let mut tree = Tree { calls, largest, shown: HashSet::default() };
    for root in &calls.roots {
        heading(out, root, &calls.functions[root.function])?;
        let deepest = tree.calls.way(root.function).into_iter().collect();
        writeln!(out, "<ul>")?;
        tree.function(out, Call { function: root.function, tail: false }, &deepest, true)?;
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

fn heading(out: &mut String, root: &Root, function: &Function) -> fmt::Result {
    let name = escaped(&function.name);
    match function.need {
        None => writeln!(out, "<h2>{name}: <span class=\"alarm\">no bound</span></h2>"),
        Some(need) => {
            let beside = match (root.reports_fault, root.pushed) {
                (true, _) => ", to report a fault".to_owned(),
                (false, 0) => String::new(),
                (false, pushed) => format!(", of which {pushed} are beside its frames"),
            };
            writeln!(out, "<h2>{name}: at most {} bytes{beside}</h2>", need + root.pushed)
        }
    }
}

/// A tree that is being written.
struct Tree<'a> {
    calls: &'a Calls,
    /// The largest need of a function, and the width of a full bar.
    largest: u64,
    /// The functions whose calls have been shown.
    shown: HashSet<usize>,
}

impl Tree<'_> {
    fn function(&mut self, out: &mut String, call: Call, deepest: &HashSet<usize>, on_way: bool) -> fmt::Result {
        let calls = self.calls;
        let function = &calls.functions[call.function];
        let class = if on_way { " class=\"deepest\"" } else { "" };
        write!(out, "<li{class}>")?;
        let is_new = self.shown.insert(call.function);
        if function.calls.is_empty() || !is_new {
            let link = (!is_new && !function.calls.is_empty()).then_some(call.function);
            let id = if is_new { format!(" id=\"f{}\"", call.function) } else { String::new() };
            write!(out, "<div class=\"row leaf\"{id}>")?;
            self.row(out, function, call.tail, link)?;
            return writeln!(out, "</div></li>");
        }
        let open = if on_way { " open" } else { "" };
        write!(out, "<details{open} id=\"f{}\"><summary><span class=\"row\">", call.function)?;
        self.row(out, function, call.tail, None)?;
        writeln!(out, "</span></summary>\n<ul>")?;
        let mut callees = function.calls.clone();
        let need = |call: &Call| calls.functions[call.function].need.unwrap_or(u64::MAX);
        let is_deepest = |call: &Call| on_way && function.deepest == Some(call.function);
        callees.sort_by_key(|call| (!is_deepest(call), std::cmp::Reverse(need(call))));
        for callee in callees {
            let continues = is_deepest(&callee) && deepest.contains(&callee.function);
            self.function(out, callee, deepest, continues)?;
        }
        writeln!(out, "</ul></details></li>")
    }

    fn row(&self, out: &mut String, function: &Function, tail: bool, link: Option<usize>) -> fmt::Result {
        let percent = function.need.unwrap_or(self.largest) as f64 * 100.0 / self.largest as f64;
        write!(out, "<span class=\"bar\" style=\"width:{percent:.1}%\"></span>")?;
        let name = escaped(&function.name);
        match link {
            Some(index) => write!(out, "<a class=\"name\" href=\"#f{index}\">{name}</a>")?,
            None => write!(out, "<span class=\"name\">{name}</span>")?,
        }
        match function.need {
            Some(need) => write!(out, ": {need} bytes, frame {}", function.frame)?,
            None => write!(out, ": <span class=\"alarm\">no bound</span>, frame {}", function.frame)?,
        }
        if let Some(cause) = function.cause {
            write!(out, ", <span class=\"alarm\">{cause}</span>")?;
        }
        if tail {
            write!(out, ", by a tail call")?;
        }
        match &function.place {
            Some(place) => write!(out, " <span class=\"soft\">{}</span>", escaped(place)),
            None => Ok(()),
        }
    }
}
