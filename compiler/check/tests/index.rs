//! What editors ask about a program: names and types are known beside errors, and at a watched name what it could be.

use clef_base::{FileId, SourceMap, Symbol};
use clef_check::{Entity, Library, Owner, Unit, index::Index};
use clef_types::TargetFacts;
use std::collections::HashSet;

const FACTS: TargetFacts = TargetFacts { word_bits: 32 };

/// A checked program, with its files.
struct Checked {
    sources: SourceMap,
    file: FileId,
    index: Index,
    errors: usize,
}

fn checked(text: &str, watch: Option<&str>) -> Checked {
    let mut sources = SourceMap::default();
    let files: Vec<FileId> = clef_library::SOURCES.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    let trees: Vec<_> = files.iter().map(|&file| clef_syntax::parse(&sources, file).0).collect();
    let units: Vec<Unit<'_>> = trees.iter().map(|ast| Unit { ast, owner: Owner::Library }).collect();
    let library = Library::indexed(&units, &sources, FACTS).expect("the library has files");
    let mut sources = sources.clone();
    let file = sources.add("main.clef", text);
    let (tree, _) = clef_syntax::parse(&sources, file);
    let units = [Unit { ast: &tree, owner: Owner::Project(0) }];
    let (index, diagnostics) = library.index(&units, &sources, (false, watch.map(Symbol::new)));
    Checked { sources, file, index, errors: diagnostics.len() }
}

impl Checked {
    /// The entity of the first occurrence of some text.
    fn entity(&self, text: &str) -> Entity {
        let offset = self.sources.file(self.file).text.find(text).expect("it occurs");
        self.index.at(self.file, offset as u32).expect("it is a name").entity
    }

    fn described(&mut self, text: &str) -> String {
        let entity = self.entity(text);
        self.index.describe(entity)
    }

    fn declared_at(&self, text: &str) -> String {
        self.sources.place(self.index.declaration(self.entity(text)).expect("it is declared"))
    }
}

const PROGRAM: &str = "\
[<Measure>] type m
type Shape =
    | Circle of radius: float<m>
    | Square of side: float<m>
type Point = { x: int; mutable y: int }
let area shape =
    match shape with
    | Circle radius -> radius * radius * 3.0
    | Square side -> side * side
let add (left: int) right = left + right
let point = { x = add 1 2; y = missing }
let wrong: string = add 1 2
let shifted = List.map (add point.x) [1; 2]
let length = \"text\".Length
";

#[test]
fn names_and_types_are_known_beside_errors() {
    let mut program = checked(PROGRAM, None);
    assert_eq!(program.errors, 2);
    assert!(program.index.psg().is_none());
    assert_eq!(program.described("area"), "val area: shape: Shape -> float<m^2>");
    assert_eq!(program.described("add 1"), "val add: left: int -> right: int -> int");
    assert_eq!(program.described("Circle radius"), "case Shape.Circle of radius: float<m>");
    assert_eq!(program.described("radius * radius"), "val radius: float<m>");
    assert_eq!(program.described("x) [1"), "field Point.x: int");
    assert_eq!(program.described("shifted"), "val shifted: int list");
    assert_eq!(program.described("map (add"), "val map: f: ('a -> 'b) -> list: 'a list -> 'b list");
}

#[test]
fn uses_lead_to_declarations() {
    let program = checked(PROGRAM, None);
    assert_eq!(program.declared_at("add 1"), "main.clef:10:5");
    assert_eq!(program.declared_at("Square side"), "main.clef:4:7");
    assert_eq!(program.declared_at("m>"), "main.clef:1:18");
    assert_eq!(program.declared_at("x = add"), "main.clef:5:16");
    assert!(program.declared_at("map (add").starts_with("library/list.clef:"));
    assert!(program.declared_at("Length").starts_with("library/string.clef:"));
    let uses = |text: &str| program.index.uses_of(program.entity(text)).count();
    assert_eq!((uses("add"), uses("Circle"), uses("Shape"), uses("point =")), (4, 2, 1, 2));
}

#[test]
fn a_watched_name_has_candidates() {
    let names = |text: &str| {
        let mut program = checked(text, Some("Watched"));
        let found = program.index.candidates();
        found.into_iter().map(|candidate| candidate.name.as_str()).collect::<HashSet<_>>()
    };
    let point = "type Point = { x: int; y: int }\nlet origin = { x = 0; y = 0 }\n";
    assert_eq!(names(&format!("{point}let n = origin.Watched")), HashSet::from(["x", "y", "ToString"]));
    let scope = names("let f first =\n    let second = 1\n    Watched\nlet third = 1\n");
    assert!(["first", "second", "List", "printfn"].iter().all(|name| scope.contains(name)));
    assert!(!scope.contains("third"));
    let qualified = names("let n = List.Watched 1\n");
    assert!(qualified.contains("map") && !qualified.contains("printfn"));
    let patterns = names("let f value =\n    match value with\n    | Watched -> 1\n");
    assert!(patterns.contains("Some") && !patterns.contains("value"));
    let types = names("let f (value: Watched) = value\n");
    assert!(types.contains("int") && types.contains("option") && !types.contains("f"));
    assert!(names("open Watched\n").contains("List"));
    assert!(names("let text = \"a\".Watched()\n").contains("Trim"));
}
