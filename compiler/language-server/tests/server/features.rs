//! Each feature, on small programs.

use crate::{
    editor::{Editor, edited, labels, markdown, range, shown},
    memory::hints,
};
use serde_json::{Value, json};
use std::fs;

const PROGRAM: &str = "\
/// What has an area.
type Shape =
    /// Round.
    | Circle of radius: float
    | Square of side: float

/// The area of a shape.
let area (scale: float) shape =
    match shape with
    | Circle radius -> scale * radius * radius * 3.0
    | Square side -> scale * side * side

let total = area 2.0 (Circle 1.0) + area 1.0 (Square 2.0)
let make step = fun value -> value + step
printfn \"%f %d\" total (List.length (List.map (make 1) [ 1; 2 ]))
";

fn editor() -> Editor {
    let mut editor = Editor::new();
    editor.open("main.clef", PROGRAM);
    editor
}

#[test]
fn hover_shows_types_and_documentation() {
    let mut editor = editor();
    let area = markdown(&editor.at("textDocument/hover", "main.clef", 12, 13));
    assert_eq!(area, "```clef\nval area: scale: float -> shape: Shape -> float\n```\n\n---\n\nThe area of a shape.");
    let case = markdown(&editor.at("textDocument/hover", "main.clef", 9, 8));
    assert_eq!(case, "```clef\ncase Shape.Circle of radius: float\n```\n\n---\n\nRound.");
    let ty = markdown(&editor.at("textDocument/hover", "main.clef", 1, 6));
    assert!(ty.contains("    | Square of side: float") && ty.ends_with("What has an area."), "{ty}");
    let literal = markdown(&editor.at("textDocument/hover", "main.clef", 12, 18));
    assert_eq!(literal, "```clef\nfloat\n```");
    let library = markdown(&editor.at("textDocument/hover", "main.clef", 14, 30));
    assert!(library.contains("val length: list: 'a list -> int"), "{library}");
    assert_eq!(editor.at("textDocument/hover", "main.clef", 5, 0), Value::Null);
}

#[test]
fn completion_knows_what_is_in_scope() {
    let mut editor = Editor::new();
    let text =
        "type Point = { x: int; y: int }\nlet origin = { x = 0; y = 0 }\nlet n = origin.\nlet f first =\n    fi\n";
    editor.open("main.clef", text);
    let fields = editor.at("textDocument/completion", "main.clef", 2, 15);
    assert_eq!(labels(&fields), ["ToString", "x", "y"]);
    assert_eq!(fields[1]["detail"], "field Point.x: int");
    let locals = editor.at("textDocument/completion", "main.clef", 4, 6);
    for wanted in ["first", "origin", "List", "printfn", "match", "Point"] {
        assert!(labels(&locals).contains(&wanted), "{wanted}");
    }
    let first = locals.as_array().expect("a list").iter().find(|item| item["label"] == "first").expect("it is there");
    assert_eq!(first["textEdit"]["range"], range([4, 4, 4, 6]));
    editor.change("main.clef", Some([4, 4, 4, 6]), "List.");
    let items = editor.at("textDocument/completion", "main.clef", 4, 9);
    let map = items.as_array().expect("a list").iter().find(|item| item["label"] == "map").expect("it is there");
    let resolved = editor.ask("completionItem/resolve", map.clone());
    let documentation = resolved["documentation"]["value"].as_str().expect("it has one");
    assert!(documentation.contains("val map: f: ('a -> 'b) -> list: 'a list -> 'b list"), "{documentation}");
    assert!(documentation.lines().count() > 3, "{documentation}");
}

#[test]
fn completion_is_silent_in_comments_texts_and_declarations() {
    let mut editor = Editor::new();
    editor.open("main.clef", "// abc de\nlet s = \"abc de\"\nlet fi = 1\nlet n = 12\n(* a b *)\n");
    for (line, character) in [(0, 7), (1, 14), (2, 6), (3, 10), (4, 4)] {
        let items = editor.at("textDocument/completion", "main.clef", line, character);
        assert_eq!(labels(&items), [""; 0], "{line}:{character}");
    }
    for text in ["// abc.", "#if A.", "let x = 1."] {
        editor.open("end.clef", text);
        let items = editor.at("textDocument/completion", "end.clef", 0, text.len() as u32);
        assert_eq!(labels(&items), [""; 0], "{text}");
    }
}

#[test]
fn signature_help_follows_the_cursor() {
    let mut editor = editor();
    let help = |editor: &mut Editor, line, character| {
        let help = editor.at("textDocument/signatureHelp", "main.clef", line, character);
        let signature = &help["signatures"][0];
        let active = signature["activeParameter"].as_u64();
        (signature["label"].as_str().unwrap_or("").to_owned(), active)
    };
    let area = "area: scale: float -> shape: Shape -> float".to_owned();
    assert_eq!(help(&mut editor, 12, 18), (area.clone(), Some(0)));
    assert_eq!(help(&mut editor, 12, 24), (area.clone(), Some(1)));
    editor.change("main.clef", Some([14, 0, 15, 0]), "let more = area 1.0 \n");
    assert_eq!(help(&mut editor, 14, 20), (area.clone(), Some(1)));
    editor.change("main.clef", Some([14, 11, 14, 20]), "area ");
    assert_eq!(help(&mut editor, 14, 16), (area, Some(0)));
    editor.change("main.clef", Some([14, 11, 14, 16]), "Circle (");
    assert_eq!(help(&mut editor, 14, 19), ("Circle (radius: float)".to_owned(), Some(0)));
}

#[test]
fn definition_and_references_lead_to_each_other() {
    let mut editor = editor();
    let declared = editor.at("textDocument/definition", "main.clef", 12, 38);
    assert_eq!(shown(&declared["range"]), "7:4-7:8");
    let mut params = editor.place("main.clef", 7, 4);
    params["context"] = json!({ "includeDeclaration": true });
    let uses = editor.ask("textDocument/references", params);
    let uses: Vec<String> = uses.as_array().expect("a list").iter().map(|one| shown(&one["range"])).collect();
    assert_eq!(uses, ["7:4-7:8", "12:12-12:16", "12:36-12:40"]);
    let local = editor.at("textDocument/documentHighlight", "main.clef", 9, 14);
    let local: Vec<String> = local.as_array().expect("a list").iter().map(|one| shown(&one["range"])).collect();
    assert_eq!(local, ["9:13-9:19", "9:31-9:37", "9:40-9:46"]);
}

#[test]
fn a_file_of_the_library_belongs_to_the_programs_that_use_it() {
    let mut editor = editor();
    let declared = editor.at("textDocument/definition", "main.clef", 14, 30);
    let path = declared["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_owned();
    let text = fs::read_to_string(&path).expect("it was written");
    editor.open(&path, &text);
    let mut params = editor.place(&path, 0, 0);
    params["position"] = declared["range"]["start"].clone();
    params["context"] = json!({ "includeDeclaration": true });
    let hover = markdown(&editor.ask("textDocument/hover", params.clone()));
    assert!(hover.contains("val length: list: 'a list -> int"), "{hover}");
    let uses = editor.ask("textDocument/references", params.clone());
    let main = editor.uri("main.clef");
    assert!(uses.as_array().expect("a list").iter().any(|one| one["uri"] == main.as_str()), "{uses}");
    params["newName"] = "size".into();
    assert!(!editor.fails("textDocument/rename", params).is_empty());
    let shown: Vec<_> = editor.diagnostics.iter().filter(|(_, diagnostics)| !diagnostics.is_empty()).collect();
    assert!(shown.is_empty(), "{shown:?}");
}

fn renamed(editor: &mut Editor, text: &str, line: u32, character: u32, new: &str) -> String {
    let mut params = editor.place("main.clef", line, character);
    params["newName"] = new.into();
    let edit = editor.ask("textDocument/rename", params);
    let edits = edit["changes"][editor.uri("main.clef")].as_array().expect("a list").clone();
    edited(text, &edits)
}

#[test]
fn renaming_changes_every_use() {
    let mut editor = editor();
    let after = renamed(&mut editor, PROGRAM, 9, 31, "size");
    assert_eq!(
        after,
        PROGRAM.replace("Circle radius -> scale * radius * radius", "Circle size -> scale * size * size")
    );
    let after = renamed(&mut editor, PROGRAM, 3, 7, "Round");
    assert_eq!(after, PROGRAM.replace("Circle", "Round"));
    let after = renamed(&mut editor, PROGRAM, 7, 4, "whole area");
    assert!(after.contains("let ``whole area`` (scale") && after.contains("+ ``whole area`` 1.0"), "{after}");
    let prepared = editor.at("textDocument/prepareRename", "main.clef", 7, 5);
    assert_eq!((shown(&prepared["range"]), &prepared["placeholder"]), ("7:4-7:8".into(), &json!("area")));
}

#[test]
fn renaming_says_why_it_cannot() {
    let mut editor = editor();
    let mut fails = |line, character, new: &str| {
        let mut params = editor.place("main.clef", line, character);
        params["newName"] = new.into();
        editor.fails("textDocument/rename", params)
    };
    assert_eq!(fails(14, 30, "size"), "`length` belongs to the library or to the language");
    assert_eq!(fails(9, 31, "scale"), "`scale` would refer to something else where `radius` is used");
    assert_eq!(fails(9, 31, "a``b"), "`a``b` is not a name");
}

#[test]
fn symbols_are_nested() {
    let mut editor = editor();
    let symbols =
        editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": editor.uri("main.clef") } }));
    let names: Vec<&str> = symbols.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["Shape", "area", "total", "make"]);
    assert_eq!(symbols[0]["children"][1]["name"], "Square");
    assert_eq!(shown(&symbols[1]["range"]), "7:4-10:40");
    let found = editor.ask("workspace/symbol", json!({ "query": "SqR" }));
    assert_eq!((&found[0]["name"], &found[0]["containerName"]), (&json!("Square"), &json!("Shape")));
}

#[test]
fn semantic_tokens_tell_names_apart() {
    let mut editor = editor();
    let legend = editor.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let params = json!({ "textDocument": { "uri": editor.uri("main.clef") } });
    let tokens = editor.ask("textDocument/semanticTokens/full", params);
    let data: Vec<u64> = tokens["data"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    let lines: Vec<&str> = PROGRAM.lines().collect();
    let (mut line, mut column) = (0, 0);
    let mut found = Vec::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let text = &lines[line as usize][column as usize..(column + token[2]) as usize];
        found.push(format!("{text} {}", legend[token[3] as usize].as_str().expect("a name")));
    }
    for wanted in
        ["Shape enum", "Circle enumMember", "area function", "scale parameter", "radius variable", "List namespace"]
    {
        assert!(found.iter().any(|token| token == wanted), "{wanted} in {found:?}");
    }
}

#[test]
fn the_type_of_the_last_parameter_is_before_that_of_the_result() {
    let mut editor = Editor::new();
    editor.open("main.clef", "let letter reading = if reading < 1.0 then 'a' else 'b'\n");
    let params = json!({ "textDocument": { "uri": editor.uri("main.clef") }, "range": range([0, 0, 1, 0]) });
    assert_eq!(labels(&editor.ask("textDocument/inlayHint", params)), [": float", ": char"]);
}

#[test]
fn inlay_hints_show_types_and_parameters() {
    let mut editor = editor();
    let params = json!({ "textDocument": { "uri": editor.uri("main.clef") }, "range": range([7, 0, 14, 0]) });
    let hints = editor.ask("textDocument/inlayHint", params);
    let found: Vec<String> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| {
            format!(
                "{}:{} {}",
                hint["position"]["line"],
                hint["position"]["character"],
                hint["label"].as_str().unwrap_or("")
            )
        })
        .filter(|hint| !hint.contains('⟨'))
        .collect();
    assert_eq!(
        found,
        [
            "7:29 : Shape",
            "7:29 : float",
            "12:9 : float",
            "12:17 scale:",
            "12:29 radius:",
            "12:41 scale:",
            "12:53 side:",
            "13:13 : int",
            "13:25 : int",
        ]
    );
}

fn all_hints(text: &str) -> Vec<String> {
    let mut editor = Editor::with(json!({}), json!({ "storageHints": false }));
    editor.open("main.clef", text);
    hints(&mut editor)
}

#[test]
fn annotations_in_patterns_are_not_repeated() {
    let text = "\
let compute (first: int, second: float) : float = float first * second
let f = fun (x: int, y) -> x + y + 1
let (a: int, b) = (compute (1, 2.0) |> int, 4)
let g list = [ for (i: int, j) in list do i + j ]
printfn \"%d\" (List.length (g [ (f (1, a), b) ]))
";
    let found = all_hints(text);
    assert_eq!(
        found,
        [
            "1:22 : int",
            "2:14 : int",
            "2:28 first:",
            "2:31 second:",
            "3:10 : (int * int) seq",
            "3:10 : int list",
            "3:29 : int",
            "4:35 x:"
        ]
    );
}

#[test]
fn parts_of_tuples_are_named() {
    let mut editor = Editor::new();
    let text =
        "let compute (first: int, second: float) third = float first * second + third\nlet x = compute (1, 2.0) 3.0\n";
    editor.open("main.clef", text);
    let hover = markdown(&editor.at("textDocument/hover", "main.clef", 1, 10));
    assert!(hover.contains("val compute: first: int * second: float -> third: float -> float"), "{hover}");
    let mut active = |character| {
        let help = editor.at("textDocument/signatureHelp", "main.clef", 1, character);
        let signature = &help["signatures"][0];
        let active = signature["activeParameter"].as_u64().expect("there is one") as usize;
        signature["parameters"][active]["label"].as_str().unwrap_or("").to_owned()
    };
    assert_eq!([17, 20, 25].map(&mut active), ["first: int", "second: float", "third: float"]);
}

#[test]
fn functions_of_the_language_are_described() {
    let mut editor = Editor::new();
    let text = "\
let cell = ref (max 1 2)
let a (x: int) = int \"3\" + cell.Value + x
printfn \"%s\" (sprintf \"%d\" (a 1))
printfn \"%s\" (\"abc\".Substring 1)
";
    editor.open("main.clef", text);
    for (line, character, ty) in [
        (0, 12, "val ref: 'a -> 'a ref"),
        (0, 17, "val max: 'a -> 'a -> 'a"),
        (1, 18, "val int: 'a -> int"),
        (1, 33, "member Value: 'a"),
        (2, 2, "val printfn: format -> … -> unit"),
        (2, 16, "val sprintf: format -> … -> string"),
    ] {
        let hover = markdown(&editor.at("textDocument/hover", "main.clef", line, character));
        assert!(hover.contains(ty) && hover.contains("Allocation: "), "{ty}: {hover}");
    }
    let ty = markdown(&editor.at("textDocument/hover", "main.clef", 1, 11));
    assert_eq!(ty, "```clef\ntype int\n```\n\n---\n\nA signed integer of the target's word, 32 or 64 bits: `1`.");
    let member = markdown(&editor.at("textDocument/hover", "main.clef", 3, 22));
    assert!(member.contains("The part from a position to the end."), "{member}");
    let help = editor.at("textDocument/signatureHelp", "main.clef", 0, 20);
    assert_eq!(help["signatures"][0]["label"], "max: 'a -> 'a -> 'a");
    let items = editor.at("textDocument/completion", "main.clef", 0, 18);
    let max = items.as_array().expect("a list").iter().find(|item| item["label"] == "max").expect("it is there");
    let resolved = editor.ask("completionItem/resolve", max.clone());
    assert_eq!(resolved["detail"], "val max: 'a -> 'a -> 'a");
    assert!(resolved["documentation"]["value"].as_str().is_some_and(|text| text.contains("The larger of two values.")));
}

#[test]
fn examples_of_functions_of_the_language_are_conditions() {
    let mut editor = Editor::new();
    let conditions = clef_check::index::builtin_facts::examples().map(|example| format!("    ({example})\n"));
    let text = format!(
        "let conditions = [\n{}]\nprintfn \"%b\" (List.forall id conditions)\n",
        conditions.collect::<String>()
    );
    editor.open("main.clef", &text);
    assert_eq!(editor.codes("main.clef"), [""; 0], "{text}");
}

#[test]
fn definitions_of_the_language_are_on_a_page() {
    let mut editor = Editor::new();
    let text = "\
let cell: int ref = ref 1
[<NoInline>]
let a () = not (cell.Value > 0) && true
printfn \"%s\" (1.5 |> string)
let b = a () |> ignore
";
    editor.open("main.clef", text);
    let mut definition = |line, character| {
        let found = editor.at("textDocument/definition", "main.clef", line, character);
        let path = found["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
        let text = fs::read_to_string(path).expect("it was written");
        let line = text.lines().nth(found["range"]["start"]["line"].as_u64().expect("a number") as usize);
        line.expect("it is there").trim().to_owned()
    };
    for (line, character, expected) in [
        (0, 10, "## `type int`"),
        (0, 14, "## `type ref`"),
        (0, 20, "## `ref`"),
        (1, 4, "## `[<NoInline>]`"),
        (2, 12, "## `not`"),
        (2, 22, "## `Value`"),
        (2, 27, "## `(>)`"),
        (2, 32, "## `(&&)`"),
        (3, 2, "## `printfn`"),
        (3, 25, "## `string`"),
        (3, 20, "let inline (|>) (value: 'a) (f: 'a -> 'b) : 'b = f value"),
    ] {
        assert_eq!(definition(line, character), expected, "{line}:{character}");
    }
    let hover =
        |editor: &mut Editor, line, character| markdown(&editor.at("textDocument/hover", "main.clef", line, character));
    assert_eq!(
        hover(&mut editor, 1, 4),
        "```clef\n[<NoInline>]\n```\n\n---\n\nCalls of the function are not replaced by its body."
    );
    assert!(hover(&mut editor, 2, 27).starts_with("```clef\nval (>): 'a -> 'a -> bool\n```"));
    assert!(hover(&mut editor, 0, 10).ends_with("A signed integer of the target's word, 32 or 64 bits: `1`."));
}

fn actions(editor: &mut Editor, name: &str, at: [u32; 4]) -> Vec<(String, Vec<Value>)> {
    let uri = editor.uri(name);
    let params = json!({ "textDocument": { "uri": uri }, "range": range(at), "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params);
    let edits = |action: &Value| action["edit"]["changes"][&uri].as_array().expect("a list").clone();
    let actions = actions.as_array().expect("a list").iter();
    actions.map(|action| (action["title"].as_str().expect("a title").to_owned(), edits(action))).collect()
}

#[test]
fn proposals_of_the_compiler_are_actions() {
    let mut editor = Editor::new();
    let text = "let number = 1\nprintfn \"%d\" numbr\n";
    editor.open("main.clef", text);
    let found = actions(&mut editor, "main.clef", [1, 15, 1, 15]);
    assert_eq!(found[0].0, "Did you mean `number`?");
    assert_eq!(edited(text, &found[0].1), text.replace("numbr", "number"));
}

#[test]
fn missing_cases_are_added() {
    let mut editor = Editor::new();
    let text =
        "type T = A | B of int | C\nlet f value =\n    (match value with\n     | A -> (1))\nprintfn \"%d\" (f C)\n";
    editor.open("main.clef", text);
    let found = actions(&mut editor, "main.clef", [2, 12, 2, 12]);
    let (title, edits) = found.first().expect("there is one");
    assert_eq!(title, "Add the missing cases");
    let failing = "failwith \"not implemented\"";
    let arms = format!("| A -> (1)\n     | B _ -> {failing}\n     | C -> {failing})");
    assert_eq!(edited(text, edits), text.replace("| A -> (1))", &arms));
}

/// The arms that are added to the match of a program at the first `match` or `function`.
fn added_cases(text: &str) -> Vec<String> {
    let mut editor = Editor::new();
    editor.open("main.clef", text);
    added(&mut editor, text)
}

/// What the first action at the `match` or `function` of an open program adds. The program then has no warning.
fn added(editor: &mut Editor, text: &str) -> Vec<String> {
    let place = text.find("match ").map(|place| place + 6).or_else(|| text.find("function")).expect("there is one");
    let line = text[..place].matches('\n').count() as u32;
    let column = (place - text[..place].rfind('\n').map_or(0, |end| end + 1)) as u32;
    let found = actions(editor, "main.clef", [line, column, line, column]);
    let (title, edits) = found.first().unwrap_or_else(|| panic!("there is an action for {text}"));
    assert_eq!(title, "Add the missing cases", "{text}");
    let new = edits[0]["newText"].as_str().expect("a text");
    editor.change("main.clef", None, &edited(text, edits));
    assert!(!editor.codes("main.clef").iter().any(|code| code.starts_with("W0501")), "{text}{new}");
    let arms = new.split("| ").skip(1).map(|arm| arm.split(" ->").next().unwrap_or_default().to_owned());
    arms.collect()
}

#[test]
fn missing_cases_are_found_for_each_type() {
    let cases: [(&str, &[&str]); 17] = [
        ("let f (n: int) =\n    match n with\n    | 0 -> 1\n    | 5 -> 2\n", &["_"]),
        ("let f n = match n with 0 -> 1\n", &["_"]),
        ("let f s =\n    match s with\n    | \"a\"\n    | \"b\" -> 1\n", &["_"]),
        ("let f c = (match c with 'a' -> 1 | 'b' -> 2)\n", &["_"]),
        ("let f x =\n    match x with\n    | 1.5 -> 1\n", &["_"]),
        ("let f (n: int) b =\n    match n, b with\n    | 0, true -> 1\n    | 0, false -> 2\n", &["_"]),
        ("let f b (n: int) =\n    match b, n with\n    | true, 0 -> 1\n", &["(false, _)", "(true, _)"]),
        (
            "let f a =\n    match a with\n    | Some true, None -> 1\n",
            &["(None, _)", "(Some false, _)", "(Some true, Some _)"],
        ),
        ("type R = { x: int; on: bool }\nlet f r =\n    match r with\n    | { x = 0; on = true } -> 1\n", &["_"]),
        ("type R = { on: bool; x: int }\nlet f r =\n    match r with\n    | { on = true } -> 1\n", &["{ on = false }"]),
        ("let f list =\n    match list with\n    | [ 1 ] -> 1\n", &["[]", "_ :: _"]),
        ("let f a =\n    match a with\n    | [| x |] -> x + 1\n", &["_"]),
        ("let f =\n    function\n    | Some 1 -> 1\n", &["None", "Some _"]),
        ("let f = List.map (function 1 -> 2)\nprintfn \"%A\" (f [])\n", &["_"]),
        ("type C =\n    | Red = 0\n    | Blue = 1\nlet f c =\n    match c with\n    | C.Red -> 1\n", &["C.Blue", "_"]),
        ("let f n b =\n    match n with\n    | 0 -> (match b with true -> 1 | false -> 2)\n", &["_"]),
        ("let f (n: int) = match n with | 1 when n > 0 -> 1 | 2 -> 3\n", &["_"]),
    ];
    for (text, expected) in cases {
        assert_eq!(added_cases(text), expected, "{text}");
    }
}

#[test]
fn many_missing_cases_are_one_arm() {
    let names: String = (0..40).map(|number| format!("    | Case{number}\n")).collect();
    let text = format!("type T =\n{names}let f t =\n    match t with\n    | Case0 -> 1\n");
    assert_eq!(added_cases(&text), ["_"]);
}

#[test]
fn missing_cases_are_found_beside_files_with_errors() {
    for broken in
        ["module Types\n\ntype T = A | B\n\nlet x = nothing\n", "module Types\n\ntype T = A | B\n\nlet x = )\n"]
    {
        let mut editor = Editor::new();
        editor.write("clef.toml", "name = \"p\"\nsources = [\"types.clef\", \"main.clef\"]\n");
        editor.write("types.clef", broken);
        let text = "module Main\n\nopen Types\n\nlet f t =\n    match t with\n    | A -> 1\n";
        editor.open("main.clef", text);
        assert_eq!(added(&mut editor, text), ["B"], "{broken}");
    }
    let mut editor = Editor::new();
    editor.write("clef.toml", "name = \"p\"\nsources = [\"types.clef\", \"main.clef\"]\n");
    editor.write("types.clef", "module Types\n\nlet value = nothing\nlet pair = (nothing, 1)\n");
    let matches = "match value with\n    | Some 1 -> 1\nlet g t =\n    match pair with\n    | \"a\", 1 -> 1\n";
    editor.open("main.clef", &format!("module Main\n\nopen Types\n\nlet f t =\n    {matches}"));
    // Patterns tell the type of what they match, but for the part of a pair that is unknown.
    assert_eq!(editor.codes("main.clef"), ["W0501 at 5"]);
}

#[test]
fn unknown_names_are_found_in_modules() {
    let mut editor = Editor::new();
    editor.write("clef.toml", "name = \"p\"\nsources = [\"shapes.clef\", \"main.clef\"]\n");
    editor.write("shapes.clef", "module Shapes\n\nlet perimeter side = side * 4\n");
    let text = "module Main\n\nprintfn \"%d\" (perimeter 2)\n";
    editor.open("main.clef", text);
    let found = actions(&mut editor, "main.clef", [2, 16, 2, 16]);
    let after: Vec<(String, String)> =
        found.iter().map(|(title, edits)| (title.clone(), edited(text, edits))).collect();
    assert_eq!(
        after,
        [
            ("Did you mean `Shapes.perimeter`?".into(), text.replace("perimeter", "Shapes.perimeter")),
            ("Open `Shapes`".into(), text.replace("Main\n", "Main\n\nopen Shapes\n")),
        ]
    );
}

#[test]
fn edits_that_belong_together_are_one_action() {
    let mut editor = Editor::new();
    let text = "let h v = if (v == 5) { 1 } else { 2 }\nprintfn \"%d\" (h 1)\n";
    editor.open("main.clef", text);
    let found = actions(&mut editor, "main.clef", [0, 22, 0, 22]);
    let titles: Vec<&str> = found.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["Write `then`, remove this brace"]);
    assert_eq!(edited(text, &found[0].1), text.replace("{ 1 } else { 2 }", "then 1 else 2"));
}

#[test]
fn opens_that_are_of_no_use_are_removed() {
    let mut editor = Editor::new();
    let text = "open System\nopen List\n\nprintfn \"%d\" 1\n";
    editor.open("main.clef", text);
    for (line, at, rest) in [(0, 7, "open List\n\nprintfn \"%d\" 1\n"), (1, 6, "open System\n\nprintfn \"%d\" 1\n")] {
        if line == 1 {
            editor.change("main.clef", Some([0, 0, 0, 11]), "");
        }
        let found = actions(&mut editor, "main.clef", [line, at, line, at]);
        let titles: Vec<&str> = found.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["Remove this `open`"]);
        let rest = if line == 1 { rest.replace("open System", "") } else { rest.to_owned() };
        let before = if line == 1 { text.replace("open System", "") } else { text.to_owned() };
        assert_eq!(edited(&before, &found[0].1), rest);
    }
}

/// The edited texts by title of the actions in the second file of a project, at the first occurrence of a text in it.
fn actions_beside(types: &str, text: &str, at: &str) -> Vec<(String, String)> {
    let mut editor = Editor::new();
    editor.write("clef.toml", "name = \"p\"\nsources = [\"types.clef\", \"main.clef\"]\n");
    editor.write("types.clef", types);
    editor.open("main.clef", text);
    let offset = text.find(at).expect("it is there");
    let line = text[..offset].matches('\n').count() as u32;
    let column = (offset - text[..offset].rfind('\n').map_or(0, |end| end + 1)) as u32;
    let found = actions(&mut editor, "main.clef", [line, column, line, column]);
    found.iter().map(|(title, edits)| (title.clone(), edited(text, edits))).collect()
}

#[test]
fn unknown_cases_and_fields_are_found_in_modules() {
    let types = "module Types\n\ntype Colour =\n    | Red\n    | Blue of level: int\n\ntype Size = { width: int; height: int }\n";
    let main = "module Main\n\nlet f c = match c with REST\n";
    for (rest, name, titles) in [
        ("Blue _ -> 1 | _ -> 2", "Blue", &["Write `Types.Colour.Blue`", "Open `Types`"] as &[&str]),
        ("Red -> 1 | _ -> 2", "Red", &["Write `Types.Colour.Red`", "Open `Types`"]),
        (
            "1 -> Types.Blue 1 | _ -> Red",
            "Red",
            &["Did you mean `Types.Red`?", "Write `Types.Colour.Red`", "Open `Types`"],
        ),
        ("n -> { width = n; height = 2 }", "width", &["Write `Types.width`", "Open `Types`"]),
    ] {
        let text = main.replace("REST", rest);
        let found = actions_beside(types, &text, name);
        assert_eq!(found.iter().map(|(title, _)| title.as_str()).collect::<Vec<_>>(), titles, "{rest}");
        for (_, after) in found {
            let mut editor = Editor::new();
            editor.write("clef.toml", "name = \"p\"\nsources = [\"types.clef\", \"main.clef\"]\n");
            editor.write("types.clef", types);
            editor.open("main.clef", &after);
            let codes = editor.codes("main.clef");
            assert!(codes.iter().all(|code| code.starts_with('W') && !code.starts_with("W0302")), "{after}: {codes:?}");
        }
    }
}

#[test]
fn functions_are_no_types() {
    let mut editor = Editor::new();
    editor.open("main.clef", "let u: unsigned = 3\n");
    assert_eq!(actions(&mut editor, "main.clef", [0, 8, 0, 8]), []);
}

#[test]
fn modules_that_programs_do_not_name_are_not_listed() {
    let mut editor = Editor::new();
    editor.open("main.clef", "let x = L\n");
    let items = editor.at("textDocument/completion", "main.clef", 0, 9);
    for hidden in ["Conversion", "Text", "Printf", "LazyType", "LazyValue", "Testing", "Characters", "Prelude"] {
        assert!(!labels(&items).contains(&hidden), "{hidden}");
    }
    for shown in ["List", "Map", "Lazy", "Format", "Checked"] {
        assert!(labels(&items).contains(&shown), "{shown}");
    }
}

#[test]
fn formatting_is_that_of_the_formatter() {
    let mut editor = Editor::new();
    let text = "let a=1\n\nlet f x=x+a\nprintfn \"%d\"   (f 1)\n";
    editor.open("main.clef", text);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let uri = json!({ "uri": editor.uri("main.clef") });
    let edits = editor.ask("textDocument/formatting", json!({ "textDocument": uri, "options": options }));
    let formatted = "let a = 1\n\nlet f x = x + a\nprintfn \"%d\" (f 1)\n";
    assert_eq!(edited(text, edits.as_array().expect("a list")), formatted);
    let params = json!({ "textDocument": uri, "range": range([0, 0, 0, 3]), "options": options });
    let edits = editor.ask("textDocument/rangeFormatting", params);
    assert_eq!(edited(text, edits.as_array().expect("a list")), text.replace("let a=1", "let a = 1"));
    editor.change("main.clef", None, "let = (\n");
    let uri = json!({ "uri": editor.uri("main.clef") });
    let message = editor.fails("textDocument/formatting", json!({ "textDocument": uri, "options": options }));
    assert!(message.starts_with("the file cannot be formatted: "), "{message}");
}

#[test]
fn blocks_and_comments_fold() {
    let mut editor = Editor::new();
    editor.open("main.clef", &format!("// One\n// two.\nopen List\nopen Seq\n{PROGRAM}"));
    let folds = editor.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": editor.uri("main.clef") } }));
    let found: Vec<String> = folds
        .as_array()
        .expect("a list")
        .iter()
        .map(|fold| format!("{}-{} {}", fold["startLine"], fold["endLine"], fold["kind"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(found, ["0-1 comment", "2-3 imports", "5-8 ", "11-14 ", "12-14 "]);
}

#[test]
fn block_comments_and_conditions_fold() {
    let mut editor = Editor::new();
    let text = "let a = 1 (* one\nline *)\n(* two (* nested\n*)\n*)\n#if CORTEX\nlet s = \"(*\"\n#if INNER\nlet t = 1\n#endif\n#else\nlet s = \"#if\"\n#endif\nlet b = 2 (* short *)\n";
    editor.open("main.clef", text);
    let folds = editor.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": editor.uri("main.clef") } }));
    let fold =
        |fold: &Value| format!("{}-{} {}", fold["startLine"], fold["endLine"], fold["kind"].as_str().unwrap_or(""));
    let found: Vec<String> = folds.as_array().expect("a list").iter().map(fold).collect();
    assert_eq!(found, ["0-1 comment", "2-4 comment", "5-9 region", "7-9 region", "10-12 region"]);
}

#[test]
fn selection_grows() {
    let mut editor = editor();
    let uri = editor.uri("main.clef");
    let params = json!({ "textDocument": { "uri": uri }, "positions": [{ "line": 9, "character": 31 }] });
    let ranges = editor.ask("textDocument/selectionRange", params);
    let mut found = Vec::new();
    let mut next = &ranges[0];
    while !next.is_null() {
        found.push(shown(&next["range"]));
        next = &next["parent"];
    }
    assert_eq!(found.first().map(String::as_str), Some("9:31-9:37"));
    assert_eq!(found.last().map(String::as_str), Some("0:0-15:0"));
    assert!(found.len() > 5, "{found:?}");
}

#[test]
fn lenses_run_and_test() {
    let mut editor = Editor::new();
    editor.write("clef.toml", "name = \"p\"\nsources = [\"main.clef\"]\nboard = \"microbit\"\n");
    let text = "[<EntryPoint>]\nlet main _ =\n    0\n";
    editor.open("main.clef", text);
    let test = "[<Test>]\nlet ``1 + 1 is two`` () =\n    Assert.equal 2 (1 + 1)\n\n[<Test>]\nlet second () =\n    ()\n";
    editor.open("tests/first.clef", test);
    let mut lenses = |name: &str| {
        let params = json!({ "textDocument": { "uri": editor.uri(name) } });
        let lenses = editor.ask("textDocument/codeLens", params);
        let shown = |lens: &Value| {
            let command = &lens["command"];
            let path = command["arguments"][0].as_str().expect("a path").to_owned();
            let path = path
                .strip_prefix(&editor.path("").display().to_string().trim_end_matches('/').to_owned())
                .map(str::to_owned);
            let filter = command["arguments"][1].as_str().map(|filter| format!(" {filter}")).unwrap_or_default();
            format!(
                "{} {} {}{filter}",
                lens["range"]["start"]["line"],
                command["command"].as_str().expect("a name"),
                path.expect("a path")
            )
        };
        lenses.as_array().expect("a list").iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(lenses("main.clef"), ["1 clef.run ", "1 clef.flash "]);
    assert_eq!(
        lenses("tests/first.clef"),
        [r"1 clef.test /tests/first.clef ::First\.1 \+ 1 is two$", r"5 clef.test /tests/first.clef ::First\.second$"]
    );
}
