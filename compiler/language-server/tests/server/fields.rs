//! Completion of fields and attributes, where the record is not complete yet.

use crate::editor::Editor;
use serde_json::Value;

const TYPES: &str = "type Point = { Name: string; Count: int }
type Other = { Size: int }
type Colour = Red | Blue of level: int * light: bool
let rec1 = { Name = \"a\"; Count = 1 }
let local = 1
";

/// The first items at the `§` of a text that is appended to the types, in the order that editors show.
fn first(text: &str, count: usize) -> Vec<String> {
    let text = format!("{TYPES}{text}");
    let offset = text.find('§').expect("there is a cursor");
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |end| end + 1);
    let mut editor = Editor::new();
    editor.open("main.clef", &text.replace('§', ""));
    let items = editor.at("textDocument/completion", "main.clef", line as u32, column as u32);
    let mut items: Vec<&Value> = items.as_array().expect("a list").iter().collect();
    items.sort_by_key(|item| item["sortText"].as_str().unwrap_or("").to_owned());
    items.into_iter().take(count).filter_map(|item| item["label"].as_str()).map(str::to_owned).collect()
}

#[test]
fn fields_come_first_where_a_record_is_written() {
    for (text, wanted) in [
        ("let a = { § }", &["Count", "Name", "Size", "Blue"] as &[&str]),
        ("let a: Point = { § }", &["Count", "Name", "Blue"]),
        ("let a = { N§ }", &["Count", "Name", "Size", "Blue"]),
        ("let a: Point = {\n    §\n}", &["Count", "Name", "Blue"]),
        ("let a = { rec1 with N§ }", &["Count", "Name"]),
        ("let a = { rec1 with § }", &["Count", "Name"]),
        ("let a = { Name = \"b\"; C§ }", &["Count", "Name"]),
        ("let a = { Name = \"b\"; C§ = 3 }", &["Count", "Name"]),
        ("let a =\n    { Name = \"b\"\n      § }", &["Count", "Name"]),
        ("let a =\n    {\n        Name = \"b\"\n        §\n    }", &["Count", "Name"]),
        ("let f (p: Point) =\n    match p with\n    | { N§ } -> 1", &["Count", "Name"]),
        ("let f (p: Point) =\n    match p with\n    | { Name = _; C§ } -> 1", &["Count", "Name"]),
        ("let a: Point = { N§", &["Count", "Name", "Blue"]),
        ("let a: Point = { N§\nlet b = 1\n", &["Count", "Name", "Blue"]),
        ("let a = { Name = §; Count = 1 }", &["Blue", "Colour"]),
        ("let a = Blue (§)", &["level", "light", "Blue"]),
        ("let a = Blue (l§)", &["level", "light", "Blue"]),
        ("let a = Blue (level = 1, l§)", &["level", "light"]),
        ("type New = { § }", &[]),
        ("[<Ent§", &["Align", "AutoOpen"]),
        ("[<Ent§>]\nlet f () = 1", &["Align", "AutoOpen"]),
        ("[<Test; S§>]\nlet f () = 1", &["Align", "AutoOpen"]),
    ] {
        assert_eq!(first(text, wanted.len().max(1)), wanted, "{text}");
    }
}
