//! Reads `clocks` of a board from its tree, and completes the tree by what follows from it.
//!
//! In: the merged tree of a board. Out: the steps that start its clocks, and the tree with `clock` of the board and of each device that has
//! none. Without `clocks` the tree is as it was.

use super::{Family, Problem, Source, Tree, Wish, complete, solve};
use crate::{
    Hertz, StartStep,
    board_schema::{Kinds, by_kind},
    reader::{Fields, FromNode, Report},
    timer_schema::invalid,
    yaml::Node,
};
use clef_base::Span;

/// What `clocks` describes.
struct Clocks {
    family: Family,
    source: Source,
    core: Hertz,
}

/// A crystal, or `none`.
struct Crystal(Option<Hertz>);

impl FromNode for Crystal {
    fn from_node(node: &Node, report: &mut Report) -> Option<Crystal> {
        if node.text() == Some("none") {
            return Some(Crystal(None));
        }
        Hertz::from_node(node, report).map(|clock| Crystal(Some(clock)))
    }
}

/// `clocks`, or none.
struct Described(Option<Clocks>);

impl FromNode for Described {
    fn from_node(node: &Node, report: &mut Report) -> Option<Described> {
        const KINDS: Kinds<Described> = &[
            ("stm32f1", |fields| clocks(fields, Family::Stm32F1)),
            ("stm32f4", |fields| clocks(fields, Family::Stm32F4)),
            ("stm32l5", |fields| clocks(fields, Family::Stm32L5)),
            ("rp2040", |fields| clocks(fields, Family::Rp2040)),
            ("rp2350", |fields| clocks(fields, Family::Rp2350)),
            ("kl25", |fields| clocks(fields, Family::Kinetis)),
            ("stellaris", |fields| clocks(fields, Family::Stellaris)),
            ("none", |_| Some(Described(None))),
        ];
        by_kind(node, "a kind of clocks", KINDS, report)
    }
}

fn clocks(fields: &mut Fields<'_, '_>, family: Family) -> Option<Described> {
    let core = fields.required("core");
    let crystal = fields.optional::<Crystal>("crystal");
    let external = fields.optional::<Hertz>("external");
    let place = fields.span("external");
    let source = match (crystal?.and_then(|Crystal(clock)| clock), external?) {
        (Some(_), Some(_)) => {
            let message = "a chip has a crystal or an external clock, not both".to_owned();
            let help = "write `crystal: none`, or remove `external`";
            fields.report().push(invalid(message, place).help(help));
            return None;
        }
        (Some(clock), None) => Source::Crystal(clock),
        (None, Some(clock)) => Source::External(clock),
        (None, None) => Source::Internal,
    };
    Some(Described(Some(Clocks { family, source, core: core? })))
}

/// The chips of a family, by prefixes of their names in lower case.
fn chips(family: Family) -> &'static [&'static str] {
    match family {
        Family::Stm32F1 => &["stm32f1"],
        Family::Stm32F4 => &["stm32f2", "stm32f4"],
        Family::Stm32L5 => &["stm32l5"],
        Family::Rp2040 => &["rp2040"],
        Family::Rp2350 => &["rp23"],
        Family::Stellaris => &["lm3s6965"],
        Family::Kinetis => &["mkl25"],
    }
}

/// The completed tree and the steps that start the clocks; nothing if `clocks` is invalid.
pub(crate) fn completed(node: &Node, report: &mut Report) -> Option<(Node, Vec<StartStep>)> {
    let Some(entry) = node.get("clocks") else { return Some((node.clone(), Vec::new())) };
    let Described(clocks) = Described::from_node(&entry.value, report)?;
    let Some(clocks) = clocks else { return Some((node.clone(), Vec::new())) };
    let text = |key: &str| node.get(key).and_then(|entry| entry.value.text()).unwrap_or_default();
    let chip = text("chip").to_ascii_lowercase();
    let at = |key: &str| entry.value.get(key).map_or(entry.value.span, |entry| entry.value.span);
    if !chip.is_empty() && !chips(clocks.family).iter().any(|prefix| chip.starts_with(prefix)) {
        let message = "the chip of this board has no clocks of this kind".to_owned();
        let help =
            "use the kind of the board's own chip, or describe them with `start` and `clock`: `clocks: { kind: none }`";
        report.push(invalid(message, at("kind")).help(help));
        return None;
    }
    let run = node.get("run").and_then(|entry| entry.value.get("kind")).and_then(|entry| entry.value.text());
    let Clocks { family, source, core } = clocks;
    let wish = Wish { family, source, core, chip: &chip, is_emulated: run == Some("qemu") };
    match solve(&wish) {
        Ok(tree) => finish(node, entry.key_span, at("core"), tree, report),
        Err(Problem::Source(reason)) => {
            let key = if matches!(source, Source::External(_)) { "external" } else { "crystal" };
            report.push(invalid(reason, at(key)));
            None
        }
        Err(Problem::Core(reason, nearest)) => {
            let message = format!("the nearest frequency is {}", in_short(nearest));
            report.push(invalid(reason, at("core")).fix(message, at("core"), in_short(nearest)));
            None
        }
    }
}

/// The completed tree, unless the board says that its core has another frequency.
fn finish(node: &Node, key: Span, core: Span, tree: Tree, report: &mut Report) -> Option<(Node, Vec<StartStep>)> {
    if let Some(entry) = node.get("clock")
        && let Some(clock) = entry.value.text().and_then(Hertz::parse)
        && clock != tree.core
    {
        let message = format!("`clocks` makes {} for the core, not {clock}", tree.core);
        let help = "remove `clock`, or describe the clocks with `start` and `clock`: `clocks: { kind: none }`";
        report.push(invalid(message, entry.value.span).also(core, "the frequency of the core").help(help));
        return None;
    }
    Some((complete::completed(node, key, core, &tree), tree.steps))
}

/// A frequency as descriptors have it: `84M`.
pub(super) fn in_short(clock: Hertz) -> String {
    match clock.0 {
        hertz if hertz.is_multiple_of(1_000_000) => format!("{}M", hertz / 1_000_000),
        hertz if hertz.is_multiple_of(1_000) => format!("{}k", hertz / 1_000),
        hertz => hertz.to_string(),
    }
}
