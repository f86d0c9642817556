//! Reads the pages of flash for settings from the tree of a board, and checks them against its memory.

use crate::{
    Address, Board, Bytes, FlashKind, Settings,
    board_schema::{Kinds, by_kind},
    reader::{Fields, FromNode, Report},
    timer_schema::{Family, Surroundings, invalid},
    yaml::Node,
};
use clef_base::Span;
use std::ops::RangeInclusive;

/// The number of pages; settings alternate between the first two.
const PAGES: RangeInclusive<u32> = 2..=256;

/// The pages, if the board's chip can have them.
pub(crate) fn fit_settings(
    settings: Option<Settings>,
    around: &Surroundings<'_>,
    place: Span,
    report: &mut Report,
) -> Option<Option<Settings>> {
    let Some(found) = settings else { return Some(None) };
    let family = match found.kind {
        FlashKind::Nrf => Family::Nordic,
        FlashKind::Nrf91 => Family::Nrf91,
        FlashKind::Stm32F1 | FlashKind::Stm32F4 | FlashKind::Stm32L5 => Family::Stm32,
        FlashKind::Rp2040 => Family::Rp2040,
        FlashKind::Rp2350 => Family::Rp2350,
        FlashKind::Kl25 => Family::Kl25,
        FlashKind::Stellaris => Family::Stellaris,
    };
    let chip = around.chip.unwrap_or_default().to_ascii_lowercase();
    let is_of_chip = match found.kind {
        FlashKind::Nrf if chip.starts_with("nrf51") => found.page == Bytes(1 << 10),
        FlashKind::Nrf if chip.starts_with("nrf52") => found.page == Bytes(4 << 10),
        FlashKind::Stm32F1 => chip.is_empty() || chip.starts_with("stm32f1") && found.page == page_of_f1(&chip),
        FlashKind::Stm32F4 => chip.is_empty() || chip.starts_with("stm32f2") || chip.starts_with("stm32f4"),
        FlashKind::Stellaris => chip.is_empty() || chip.starts_with("lm3s6965"),
        FlashKind::Stm32L5 => chip.is_empty() || chip.starts_with("stm32l5"),
        FlashKind::Nrf | FlashKind::Nrf91 | FlashKind::Rp2040 | FlashKind::Rp2350 | FlashKind::Kl25 => true,
    };
    if around.may_be(family) && is_of_chip {
        return Some(settings);
    }
    let message = "the flash of this board's chip is of another kind, or has other pages".to_owned();
    report.push(invalid(message, place).help("use those of the board's own chip, or none: `settings: { kind: none }`"));
    None
}

/// The pages of a chip: 2 KB in high-density and connectivity-line devices, otherwise 1 KB (RM0008, 3.3.3; PM0075, 2.1). The letter after
/// that of the package tells the size of flash, up to `B` for 128 KB.
fn page_of_f1(chip: &str) -> Bytes {
    let is_large = chip.as_bytes().get(10).is_some_and(|size| matches!(size, b'c'..=b'g'));
    let is_connected = chip.starts_with("stm32f105") || chip.starts_with("stm32f107");
    if is_large || is_connected { Bytes(2 << 10) } else { Bytes(1 << 10) }
}

/// Reports pages that are not at the end of flash, or leave nothing of it.
pub(crate) fn check_space(node: &Node, board: &Board, report: &mut Report) {
    let (Some(settings), Some(flash), Some(entry)) = (board.settings, board.flash(), node.get("settings")) else {
        return;
    };
    let (size, end) = (settings.size(), flash.end());
    let problem = if size.0 >= flash.length.0 {
        format!("the pages have {size} bytes, and `{}` has {}", flash.name, flash.length)
    } else if !end.0.is_multiple_of(settings.page.0) {
        format!("`{}` ends at {end}, which is not the end of a page", flash.name)
    } else if settings.kind.places().is_some_and(|places| end.0 - size.0 < places.start || end.0 > places.end) {
        let from = Address(end.0 - size.0);
        format!("flash of this kind has no pages of {} for settings from {from} to {end}", settings.page)
    } else {
        return;
    };
    let help = format!(
        "end `{}` at a multiple of the page size, with more than those pages, or reserve none: `settings: {{ kind: none }}`",
        flash.name
    );
    report.push(invalid(problem, entry.value.span).help(help));
}

/// What `settings` describes.
pub(crate) struct Reserved(pub(crate) Option<Settings>);

impl FromNode for Reserved {
    fn from_node(node: &Node, report: &mut Report) -> Option<Reserved> {
        const KINDS: Kinds<Reserved> = &[
            ("nrf", |fields| pages(fields, FlashKind::Nrf)),
            ("nrf91", |fields| pages(fields, FlashKind::Nrf91)),
            ("stm32f1", |fields| pages(fields, FlashKind::Stm32F1)),
            ("stm32f4", |fields| pages(fields, FlashKind::Stm32F4)),
            ("stm32l5", |fields| pages(fields, FlashKind::Stm32L5)),
            ("rp2040", |fields| pages(fields, FlashKind::Rp2040)),
            ("rp2350", |fields| pages(fields, FlashKind::Rp2350)),
            ("kl25", |fields| pages(fields, FlashKind::Kl25)),
            ("stellaris", |fields| pages(fields, FlashKind::Stellaris)),
            ("none", |_| Some(Reserved(None))),
        ];
        by_kind(node, "a kind of flash", KINDS, report)
    }
}

fn pages(fields: &mut Fields<'_, '_>, kind: FlashKind) -> Option<Reserved> {
    let page = fields.required::<Bytes>("page");
    let pages = fields.optional::<u32>("pages").map(|pages| pages.unwrap_or(*PAGES.start()));
    let (page, pages) = (page?, pages?);
    let (problem, place) = if !kind.pages().contains(&page) {
        let sizes: Vec<String> = kind.pages().iter().map(Bytes::to_string).collect();
        (format!("a page of this kind of flash has {}, not {page}", sizes.join(" or ")), fields.span("page"))
    } else if !PAGES.contains(&pages) {
        let (least, most) = (PAGES.start(), PAGES.end());
        (format!("settings have from {least} to {most} pages, not {pages}"), fields.span("pages"))
    } else {
        return Some(Reserved(Some(Settings { kind, page, pages })));
    };
    fields.report().push(invalid(problem, place));
    None
}
