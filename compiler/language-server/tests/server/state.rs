//! Documents, projects, diagnostics and the order of things.

use crate::editor::{Editor, shown};
use serde_json::{Value, json};

#[test]
fn diagnostics_follow_each_change() {
    let mut editor = Editor::new();
    editor.open("main.clef", "let x: int = \"a\"\nlet y = missing\n");
    assert_eq!(editor.codes("main.clef"), ["E0401 at 0", "E0301 at 1"]);
    let first = editor.diagnostics["main.clef"][0].clone();
    assert_eq!((shown(&first["range"]), &first["severity"]), ("0:13-0:16".into(), &json!(1)));
    editor.change("main.clef", Some([1, 8, 1, 15]), "x");
    assert_eq!(editor.codes("main.clef"), ["E0401 at 0"]);
    editor.change("main.clef", Some([0, 13, 0, 16]), "1");
    assert_eq!(editor.codes("main.clef"), [""; 0]);
    editor.change("main.clef", None, "let = = (");
    assert!(!editor.codes("main.clef").is_empty());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri("main.clef") } }));
    assert_eq!(editor.codes("main.clef"), [""; 0]);
}

#[test]
fn a_project_is_checked_as_a_whole() {
    let mut editor = Editor::new();
    editor.write("clef.toml", "name = \"p\"\nsources = [\"one.clef\", \"two.clef\"]\nboard = \"microbit\"\n");
    editor.write("one.clef", "module One\n\nlet value = 1\n");
    editor.open("two.clef", "module Two\n\nGpio.toggle One.value\nprintfn \"%d\" One.value\n");
    assert_eq!(editor.codes("two.clef").len(), 1, "`Gpio` is in the library of this board; the pin is no number");
    editor.open("one.clef", "module One\n\nlet other = 1\n");
    assert_eq!(editor.codes("two.clef").len(), 2);
    editor.change("one.clef", Some([2, 4, 2, 9]), "value");
    editor.change("two.clef", Some([2, 0, 3, 0]), "");
    assert_eq!(editor.codes("two.clef"), [""; 0]);
    let declared = editor.at("textDocument/definition", "two.clef", 2, 20);
    assert_eq!(
        (declared["uri"].as_str().map(str::to_owned), shown(&declared["range"])),
        (Some(editor.uri("one.clef")), "2:4-2:9".into())
    );
    editor.write("clef.toml", "name = \"p\"\nsources = [\"one.clef\", \"two.clef\", 3]\n");
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(editor.codes("clef.toml").len(), 1);
}

#[test]
fn tests_of_a_project_see_its_files() {
    let mut editor = Editor::new();
    editor.write("clef.toml", "name = \"p\"\nsources = [\"one.clef\", \"main.clef\"]\n");
    editor.write("one.clef", "module One\n\nlet value = 1\n");
    editor.write("main.clef", "printfn \"%d\" One.value\n");
    editor.open("tests/first.clef", "[<Test>]\nlet ``it is one`` () =\n    Assert.equal 1 One.value\n");
    assert_eq!(editor.codes("tests/first.clef"), [""; 0]);
    let mut params = editor.place("one.clef", 2, 5);
    params["newName"] = "number".into();
    editor.open("one.clef", "module One\n\nlet value = 1\n");
    let edit = editor.ask("textDocument/rename", params);
    for file in ["one.clef", "main.clef", "tests/first.clef"] {
        assert_eq!(edit["changes"][editor.uri(file)].as_array().map(Vec::len), Some(1), "{file} in {edit}");
    }
    editor.open("other.clef", "let x = One.value\n");
    assert_eq!(editor.codes("other.clef").len(), 1, "the project does not list it");
}

#[test]
fn documents_need_no_file() {
    let mut editor = Editor::new();
    editor.open("untitled:Untitled-1", "let x = missing\n");
    assert_eq!(editor.codes("untitled:Untitled-1"), ["E0301 at 0"]);
}

#[test]
fn the_board_of_single_files_can_be_set() {
    let mut editor = Editor::with(json!({}), json!({ "board": "microbit" }));
    editor.open("main.clef", "Gpio.output Pin.ledColumn1\n");
    assert_eq!(editor.codes("main.clef"), [""; 0]);
    let mut other = Editor::new();
    other.open("main.clef", "Gpio.output Pin.ledColumn1\n");
    assert!(!other.codes("main.clef").is_empty());
}

#[test]
fn columns_are_those_that_were_agreed_on() {
    let text = "let s = \"😀\" + missing\n";
    let mut editor = Editor::new();
    editor.open("main.clef", text);
    editor.settle();
    assert_eq!(shown(&editor.diagnostics["main.clef"][0]["range"]), "0:15-0:22");
    let utf8 = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
    let mut editor = Editor::with(utf8, Value::Null);
    assert_eq!(editor.capabilities["positionEncoding"], "utf-8");
    editor.open("main.clef", text);
    editor.settle();
    assert_eq!(shown(&editor.diagnostics["main.clef"][0]["range"]), "0:17-0:24");
}

#[test]
fn requests_can_be_cancelled_and_outdated() {
    let mut editor = Editor::new();
    editor.open("main.clef", "let x = 1\n");
    let place = editor.place("main.clef", 0, 4);
    let ids: Vec<_> = (0..3).map(|_| editor.send("textDocument/hover", place.clone())).collect();
    editor.tell("$/cancelRequest", json!({ "id": ids[2] }));
    let code = editor.response(&ids[2]).error.map(|error| error.code);
    assert!([None, Some(-32800)].contains(&code), "{code:?}");
    let late = editor.send("textDocument/hover", place.clone());
    editor.change("main.clef", Some([0, 0, 0, 0]), "\n");
    let code = editor.response(&late).error.map(|error| error.code);
    assert!([None, Some(-32801)].contains(&code), "{code:?}");
    assert_eq!(editor.ask("textDocument/hover", place), Value::Null);
}

#[test]
fn what_is_unknown_is_answered_with_an_error() {
    let mut editor = Editor::new();
    assert_eq!(editor.fails("textDocument/unknown", json!({})), "unknown method `textDocument/unknown`");
    editor.fails("textDocument/hover", json!({ "textDocument": 1 }));
    editor.tell("textDocument/didChange", json!({ "nothing": [] }));
    editor.tell("$/unknown", Value::Null);
    assert_eq!(editor.at("textDocument/hover", "absent.clef", 0, 0), Value::Null);
}
