//! Reads a [`Target`] from a merged tree.

use crate::{
    AlignmentPolicy, Bytes, ClosureAlignment, CodeModel, FloatAbi, LinkerEmulation, PointerWidth, RelocationModel,
    TailCalls, Target, Triple,
    reader::{Fields, FromNode, Report, Words},
    yaml::Node,
};
use clef_base::{Diagnostic, Span, codes};
use std::str::FromStr;

/// Reads and checks a target; `name` and `aliases` come from its file, `place` is where missing keys are reported.
pub(crate) fn target(
    node: &Node,
    place: Span,
    name: &str,
    aliases: Vec<String>,
    report: &mut Report,
) -> Option<Target> {
    let mut fields = Fields::of(node, place, "a target", report)?;
    let description = fields.required("description");
    let triple = triple(&mut fields);
    let cpu = fields.required("cpu");
    let features = features(node, &mut fields);
    let float_abi = fields.required("float_abi");
    let pointer_bits = fields.required("pointer_bits");
    let data_layout = fields.required("data_layout");
    let closure_alignment = fields.required("closure_alignment");
    let tail_calls = fields.required("tail_calls");
    let relocation = fields.required("relocation");
    let code_model = fields.required("code_model");
    let linker = fields.required("linker");
    let runtime = fields.required("runtime");
    let default_board = fields.required("default_board");
    fields.finish();
    let target = Target {
        name: name.to_owned(),
        aliases,
        description: description?,
        triple: triple?,
        cpu: cpu?,
        features: features?,
        float_abi: float_abi?,
        pointer_bits: pointer_bits?,
        data_layout: data_layout?,
        closure_alignment: closure_alignment?,
        tail_calls: tail_calls?,
        relocation: relocation?,
        code_model: code_model?,
        linker: linker?,
        runtime: runtime?,
        default_board: default_board?,
    };
    check_widths(node, place, &target, report).then_some(target)
}

/// A triple with a known architecture and a system that uses ELF.
fn triple(fields: &mut Fields<'_, '_>) -> Option<Triple> {
    let text: String = fields.required("triple")?;
    let span = fields.span("triple");
    let problem = match Triple::from_str(&text) {
        Ok(triple) if triple.has_elf() => return Some(triple),
        Ok(_) => "images are ELF files, but this system uses another format".to_owned(),
        Err(error) => error.to_string(),
    };
    let message = format!("unsupported triple `{text}`");
    fields.report().push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, span, message).label(problem));
    None
}

/// Features with their signs, each its own item.
fn features(node: &Node, fields: &mut Fields<'_, '_>) -> Option<Vec<String>> {
    let features: Vec<String> = fields.required("features")?;
    let (index, wrong) =
        match (0..).zip(&features).find(|(_, feature)| !feature.starts_with(['+', '-']) || feature.contains(',')) {
            None => return Some(features),
            Some(found) => found,
        };
    let item = node.get("features").and_then(|entry| entry.value.item(index));
    let span = item.map_or_else(|| fields.span("features"), |item| item.span);
    let invalid = |message: String| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, span, message);
    let signed = |name: &str| match name.starts_with(['+', '-']) {
        true => format!("\"{name}\""),
        false => format!("\"+{name}\""),
    };
    let names: Vec<&str> = wrong.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    fields.report().push(match names.as_slice() {
        [_, _, ..] => {
            let items = names.into_iter().map(signed).collect::<Vec<_>>().join(", ");
            invalid(format!("`{wrong}` lists several features")).help(format!("write one item for each: {items}"))
        }
        [name] if wrong.contains(',') => {
            invalid(format!("`{wrong}` is not a feature")).help(format!("remove the comma: {}", signed(name)))
        }
        [] | [_] => invalid(format!("the feature `{wrong}` needs a `+` or `-` prefix"))
            .help(format!("write `\"+{wrong}\"` or `\"-{wrong}\"`")),
    });
    None
}

/// The triple, the data layout, the linker's emulation and the pointer width must agree.
fn check_widths(node: &Node, place: Span, target: &Target, report: &mut Report) -> bool {
    let span = |key| node.get(key).map_or(place, |entry| entry.value.span);
    let bits = target.pointer_bits.bits();
    let mut errors = Vec::new();
    let mut disagree = |key, what: &str, other: u32| {
        let message = format!("{what} has pointers of {other} bits, but `pointer_bits` is {bits}");
        errors.push(
            Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, span(key), message)
                .also(span("pointer_bits"), "set here"),
        );
    };
    if let Some(width) = target.triple.pointer_bits().filter(|width| *width != bits) {
        disagree("triple", "the triple", width);
    }
    let layout = layout_pointer_bits(&target.data_layout);
    if layout != bits {
        disagree("data_layout", "the data layout", layout);
    }
    let linker = match target.linker {
        LinkerEmulation::Armelf => 32,
        LinkerEmulation::Aarch64elf | LinkerEmulation::ElfX86_64 => 64,
    };
    if linker != bits {
        disagree("linker", "the linker's emulation", linker);
    }
    let sound = errors.is_empty();
    report.extend(errors);
    sound
}

/// The width of address space 0 in LLVM's data layout string; 64 by default.
fn layout_pointer_bits(layout: &str) -> u32 {
    layout
        .split('-')
        .find_map(|part| part.strip_prefix("p:").or_else(|| part.strip_prefix("p0:")))
        .and_then(|sizes| sizes.split(':').next()?.parse().ok())
        .unwrap_or(64)
}

impl FromNode for ClosureAlignment {
    fn from_node(node: &Node, report: &mut Report) -> Option<ClosureAlignment> {
        let mut fields = Fields::of(node, node.span, "a closure alignment", report)?;
        let line = fields.optional::<Bytes>("line");
        let policy = fields.required("policy");
        let place = fields.span("line");
        fields.finish();
        let (line, policy) = (line?, policy?);
        let problem = match (line, policy) {
            (Some(line), _) if !line.0.is_power_of_two() => "the size of a cache line must be a power of two",
            (None, AlignmentPolicy::NoStraddle | AlignmentPolicy::Line) => "this policy requires the size of a `line`",
            (Some(_), _) | (None, AlignmentPolicy::Natural) => return Some(ClosureAlignment { line, policy }),
        };
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, problem));
        None
    }
}

impl Words for FloatAbi {
    const WHAT: &'static str = "a float ABI";
    const WORDS: &'static [(&'static str, FloatAbi)] = &[("soft", FloatAbi::Soft), ("hard", FloatAbi::Hard)];
}

impl Words for PointerWidth {
    const WHAT: &'static str = "a pointer width";
    const WORDS: &'static [(&'static str, PointerWidth)] =
        &[("32", PointerWidth::Bits32), ("64", PointerWidth::Bits64)];
}

impl Words for AlignmentPolicy {
    const WHAT: &'static str = "an alignment policy";
    const WORDS: &'static [(&'static str, AlignmentPolicy)] = &[
        ("natural", AlignmentPolicy::Natural),
        ("no-straddle", AlignmentPolicy::NoStraddle),
        ("line", AlignmentPolicy::Line),
    ];
}

impl Words for TailCalls {
    const WHAT: &'static str = "a tail call strategy";
    const WORDS: &'static [(&'static str, TailCalls)] =
        &[("native", TailCalls::Native), ("trampoline", TailCalls::Trampoline)];
}

impl Words for RelocationModel {
    const WHAT: &'static str = "a relocation model";
    const WORDS: &'static [(&'static str, RelocationModel)] =
        &[("static", RelocationModel::Static), ("pic", RelocationModel::Pic)];
}

impl Words for CodeModel {
    const WHAT: &'static str = "a code model";
    const WORDS: &'static [(&'static str, CodeModel)] =
        &[("small", CodeModel::Small), ("kernel", CodeModel::Kernel), ("large", CodeModel::Large)];
}

impl Words for LinkerEmulation {
    const WHAT: &'static str = "a linker emulation";
    const WORDS: &'static [(&'static str, LinkerEmulation)] = &[
        ("armelf", LinkerEmulation::Armelf),
        ("aarch64elf", LinkerEmulation::Aarch64elf),
        ("elf_x86_64", LinkerEmulation::ElfX86_64),
    ];
}
