//! Draws ratios as a bar chart in SVG.

use super::{
    language::Language,
    sample::{Metric, Results},
};
use std::fmt::Write;

const LABELS: f64 = 110.0;
const WIDTH: f64 = 760.0;
const BAR: f64 = 9.0;
const GAP: f64 = 9.0;
const TOP: f64 = 46.0;

/// The longest bar: what is more is cut off, and its number says how long it would be.
const MOST: f64 = 5.0;

/// The colours of everything but the bars, in the light and in the dark scheme.
const STYLE: &str = "text { fill: #1d232b } line { stroke: #1d232b } .back { fill: #ffffff } \
                     @media (prefers-color-scheme: dark) { text { fill: #dfe5ec } line { stroke: #dfe5ec } .back { fill: #14181d } }";

/// A bar for each program and language but C, whose value is the line at 1.
pub(crate) fn ratios(results: &Results, metric: Metric) -> String {
    let languages: Vec<Language> =
        results.languages(metric).into_iter().filter(|language| *language != Language::C).collect();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for program in results.programs(metric) {
        let ratio = |language: &Language| Some((*language, results.ratio(metric, program, *language)?));
        groups.push(Group { name: program, bars: languages.iter().filter_map(ratio).collect() });
    }
    let mean = |language: &Language| Some((*language, results.mean(metric, *language)?));
    groups.push(Group { name: "geometric mean", bars: languages.iter().filter_map(mean).collect() });
    drawn(&format!("{}, as multiples of C (bars end at {MOST})", metric.title()), &languages, &groups)
}

/// The bars of a program.
struct Group<'a> {
    name: &'a str,
    bars: Vec<(Language, f64)>,
}

impl Group<'_> {
    fn height(&self) -> f64 {
        self.bars.len() as f64 * BAR + GAP
    }
}

fn drawn(title: &str, languages: &[Language], groups: &[Group<'_>]) -> String {
    let height = TOP + groups.iter().map(Group::height).sum::<f64>() + GAP;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<style>{STYLE}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n\
         <text x=\"8\" y=\"16\" font-size=\"13\">{title}</text>\n"
    );
    legend(&mut svg, languages);
    let mut top = TOP;
    for group in groups {
        bars(&mut svg, group, top);
        top += group.height();
    }
    let one = x(1.0);
    let _ = writeln!(svg, "<line x1=\"{one}\" x2=\"{one}\" y1=\"{TOP}\" y2=\"{top}\"/>");
    svg + "</svg>\n"
}

fn legend(svg: &mut String, languages: &[Language]) {
    let entries = languages.iter().map(|language| (language.to_string(), colour(*language)));
    let mut left = LABELS;
    for (name, colour) in entries {
        let text = left + 14.0;
        let _ = writeln!(svg, "<rect x=\"{left}\" y=\"26\" width=\"10\" height=\"10\" fill=\"{colour}\"/>");
        let _ = writeln!(svg, "<text x=\"{text}\" y=\"35\">{name}</text>");
        left += 90.0;
    }
}

fn bars(svg: &mut String, group: &Group<'_>, top: f64) {
    let name = top + BAR;
    let _ = writeln!(svg, "<text x=\"8\" y=\"{name}\">{}</text>", group.name);
    for (index, (language, value)) in group.bars.iter().enumerate() {
        let y = top + index as f64 * BAR;
        let end = x(value.min(MOST));
        let (width, label, base) = (end - LABELS, end + 4.0, y + BAR - 1.0);
        let fill = colour(*language);
        let _ = writeln!(
            svg,
            "<rect x=\"{LABELS}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{fill}\"/>\
             <text x=\"{label:.1}\" y=\"{base}\" font-size=\"9\">{value:.2}</text>",
            BAR - 1.0
        );
    }
}

/// The place of a ratio.
fn x(ratio: f64) -> f64 {
    LABELS + ratio * (WIDTH - LABELS - 50.0) / MOST
}

fn colour(language: Language) -> &'static str {
    match language {
        Language::Clef => "#1f6feb",
        Language::C => "black",
        Language::Rust => "#d1700b",
        Language::RustDyn => "#f0b26b",
        Language::OCaml => "#4a9a4a",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::sample::example;

    #[test]
    fn a_chart_has_a_bar_for_each_rival() {
        let svg = ratios(&example(), Metric::LinuxInstructions);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        let texts = |text: &str| svg.matches(&format!(">{text}</text>")).count();
        assert_eq!((texts("4.00"), texts("2.00"), texts("1.00")), (1, 3, 1));
        assert_eq!((texts("Clef"), texts("C"), texts("geometric mean")), (1, 0, 1));
    }

    #[test]
    fn long_bars_are_cut_off() {
        let group = Group { name: "cps", bars: vec![(Language::Clef, 40.0)] };
        let svg = drawn("title", &[Language::Clef], &[group]);
        assert!(svg.contains(&format!("width=\"{:.1}\"", x(MOST) - LABELS)) && svg.contains(">40.00<"));
    }
}
