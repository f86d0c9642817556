//! The sources that a program needs suffice for what it refers to.

use clef_base::{Diagnostic, SourceMap};
use clef_check::{Owner, Unit};
use clef_descriptors::{Board, Gpio, Resolver};
use clef_library::{needed, sources_for};
use clef_syntax::ast::{Access, Ast, Attribute, BindingHead, Declaration, DeclarationKind, TypeDeclarationKind};
use clef_types::TargetFacts;
use std::collections::{BTreeMap, BTreeSet};

/// The shipped boards, and one whose only pins are those of the headers of an MPS2 board.
fn boards() -> Vec<Board> {
    let no_files = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    let shipped = Resolver::new(&mut SourceMap::default(), &no_files).shipped_boards();
    let mut boards = shipped.expect("shipped boards are valid");
    let of_headers = boards.iter().find_map(|board| match board.gpio {
        Some(Gpio::Mps2 { expansion, .. }) => {
            Some(Board { gpio: Some(Gpio::Cmsdk(expansion)), pins: BTreeMap::new(), ..board.clone() })
        }
        Some(_) | None => None,
    });
    boards.extend(of_headers);
    boards
}

/// The texts of the library for a board.
fn library(board: &Board) -> Vec<String> {
    sources_for("target", board).into_iter().map(|source| source.text).collect()
}

fn parsed(texts: &[&str]) -> (SourceMap, Vec<Ast>) {
    let mut sources = SourceMap::default();
    let files: Vec<_> = texts.iter().map(|text| sources.add("library", *text)).collect();
    let trees = files.into_iter().map(|file| clef_syntax::parse(&sources, file).0).collect();
    (sources, trees)
}

/// What the checker reports on some texts of the library.
fn diagnostics(texts: &[&str]) -> Vec<Diagnostic> {
    let (sources, trees) = parsed(texts);
    let units: Vec<Unit<'_>> = trees.iter().map(|ast| Unit { ast, owner: Owner::Library }).collect();
    clef_check::check(&units, &sources, TargetFacts { word_bits: 32 }).1
}

/// The top-level modules of a source: their attributes, names and declarations.
fn modules(tree: &Ast) -> impl Iterator<Item = (&[Attribute], &str, &[Declaration])> {
    tree.declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Module { attributes, name, declarations, .. } => {
            Some((attributes.as_slice(), name.symbol.as_str(), declarations.as_slice()))
        }
        DeclarationKind::Let(_)
        | DeclarationKind::Effect(_)
        | DeclarationKind::Open(_)
        | DeclarationKind::Types(_)
        | DeclarationKind::ModuleAlias { .. }
        | DeclarationKind::Namespace(_)
        | DeclarationKind::Unsupported(_)
        | DeclarationKind::Error => None,
    })
}

/// The names that programs see of a module that is opened.
fn seen(declarations: &[Declaration]) -> Vec<&str> {
    let mut names = Vec::new();
    for declaration in declarations {
        match &declaration.kind {
            DeclarationKind::Let(group) => {
                for binding in group.bindings.iter().filter(|binding| binding.access == Access::Public) {
                    match &binding.head {
                        BindingHead::Function { name, .. } => names.push(name.symbol.as_str()),
                        BindingHead::Pattern(_) => panic!("a module that is opened declares functions only"),
                    }
                }
            }
            DeclarationKind::Types(types) => {
                for declared in types {
                    names.push(declared.name.symbol.as_str());
                    match &declared.kind {
                        TypeDeclarationKind::Record(fields) => {
                            names.extend(fields.iter().map(|field| field.name.symbol.as_str()));
                        }
                        TypeDeclarationKind::Union(cases) => {
                            names.extend(cases.iter().map(|case| case.name.symbol.as_str()));
                        }
                        TypeDeclarationKind::Enum(_)
                        | TypeDeclarationKind::Abbreviation(_)
                        | TypeDeclarationKind::Measure
                        | TypeDeclarationKind::Unsupported(_)
                        | TypeDeclarationKind::Error => {}
                    }
                }
            }
            DeclarationKind::Effect(_)
            | DeclarationKind::Open(_)
            | DeclarationKind::Module { .. }
            | DeclarationKind::ModuleAlias { .. }
            | DeclarationKind::Namespace(_)
            | DeclarationKind::Unsupported(_)
            | DeclarationKind::Error => panic!("a module that is opened declares functions and types"),
        }
    }
    names
}

#[test]
fn needed_sources_use_no_others() {
    let mut checked = BTreeSet::new();
    for board in boards() {
        let texts = library(&board);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_, trees) = parsed(&texts);
        for (_, name, _) in trees.iter().flat_map(modules) {
            let needed = needed(&texts, &[name]);
            let needed: Vec<&str> =
                texts.iter().zip(needed).filter_map(|(text, needed)| needed.then_some(*text)).collect();
            if checked.insert(needed.concat()) {
                let found = diagnostics(&needed);
                assert!(found.is_empty(), "{}: `{name}` needs more: {found:#?}", board.name);
            }
        }
    }
}

#[test]
fn names_without_a_path_need_their_source() {
    for board in boards() {
        let texts = library(&board);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_, trees) = parsed(&texts);
        let always = needed(&texts, &[]);
        for (index, tree) in trees.iter().enumerate().filter(|(index, _)| !always[*index]) {
            for (attributes, module, declarations) in modules(tree) {
                let is_opened =
                    attributes.iter().any(|attribute| attribute.name.segments[0].symbol.as_str() == "AutoOpen");
                let names = if is_opened { seen(declarations) } else { vec![module] };
                for name in names {
                    assert!(needed(&texts, &[name])[index], "{}: `{name}` of `{module}`", board.name);
                }
            }
        }
    }
}

#[test]
fn a_blinking_light_needs_no_collections() {
    let mut boards = boards().into_iter();
    let mut board = boards.find(|board| board.name == "mps2-an386").expect("the board is shipped");
    // The functions that edges call are in an array.
    if let Some(Gpio::Mps2 { expansion, .. }) = &mut board.gpio {
        expansion.interrupts = None;
    }
    let texts = library(&board);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let program = "Gpio.output Pin.led0\nwhile true do\n    Gpio.toggle Pin.led0\n    Time.sleep 500\n";
    for (text, needed) in texts.iter().zip(needed(&texts, &[program])) {
        for collection in ["module Array", "module List", "module String", "module Map", "module Seq"] {
            assert!(!needed || !text.contains(&format!("\n{collection} =")), "{collection}");
        }
    }
}
