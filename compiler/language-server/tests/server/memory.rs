//! What is shown of memory: storage, closures and frames.

use crate::editor::{Editor, labels, markdown, range};
use serde_json::{Value, json};
use std::{thread, time::Duration};

fn editor(text: &str) -> Editor {
    let hints = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let options = json!({ "typeHints": false, "parameterHints": false, "board": "microbit" });
    let mut editor = Editor::with(hints, options);
    editor.open("main.clef", text);
    editor.wait_for_storage();
    editor
}

/// What a hover shows at the first occurrence of a text, and at its last byte.
fn hover(editor: &mut Editor, text: &str, at: &str) -> String {
    let offset = text.find(at).expect("it is there") + at.len() - 1;
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |end| end + 1);
    markdown(&editor.at("textDocument/hover", "main.clef", line as u32, column as u32))
}

/// The hints of a file, each as its line, its column and its label.
pub(crate) fn hints(editor: &mut Editor) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": editor.uri("main.clef") }, "range": range([0, 0, 99, 0]) });
    let hints = editor.ask("textDocument/inlayHint", params);
    let hint = |hint: &Value| {
        let position = &hint["position"];
        format!("{}:{} {}", position["line"], position["character"], hint["label"].as_str().unwrap_or(""))
    };
    hints.as_array().expect("a list").iter().map(hint).collect()
}

#[test]
fn hover_and_hints_show_where_allocations_live() {
    let hints = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut editor = Editor::with(hints, json!({ "typeHints": false, "parameterHints": false }));
    editor.open(
        "main.clef",
        "let make step = fun value -> value + step\nlet functions = [ for n in 1..3 -> make n ]\nfor f in functions do printfn \"%d\" (f 1)\n",
    );
    editor.wait_for_storage();
    let hover = markdown(&editor.at("textDocument/hover", "main.clef", 1, 37));
    assert!(hover.contains("**region** because part of a value that outlives the frame"), "{hover}");
    let params = json!({ "textDocument": { "uri": editor.uri("main.clef") }, "range": range([0, 0, 9, 0]) });
    let hints = editor.ask("textDocument/inlayHint", params);
    assert!(!labels(&hints).is_empty(), "{hints}");
    assert!(labels(&hints).iter().all(|label| ["⟨static⟩", "⟨stack⟩", "⟨region⟩"].contains(label)), "{hints}");
}

#[test]
fn only_what_allocates_shows_its_storage() {
    let text = "type Node = { value: int; next: Node list }
let build n =
    let next = { value = n; next = [] }
    let next2 = { value = n + 1; next = [ next ] }
    { value = 2; next = [ next; next2 ] }
printfn \"%A\" (build (int \"3\"))
";
    let mut editor = editor(text);
    for at in ["[ next; next2", "[ next; n", "{ value = 2; next", "{ value = 2"] {
        let hover = hover(&mut editor, text, at);
        assert!(!hover.contains("because"), "{at}: {hover}");
    }
    let list = hover(&mut editor, text, "next2 ]");
    assert!(list.contains("*node :: of list<Node>*: **"), "{list}");
}

#[test]
fn allocations_of_the_library_are_shown_where_it_is_called() {
    let text = "let numbers = [ 1; 2; int \"3\" ]
let a = Array.create 3 (int \"4\")
let b = Array.zeroCreate<int> 100
let c = List.map (fun x -> x + a[0]) numbers
let d = numbers |> List.map (fun x -> x * a[1])
a[0] <- 7
b[2] <- 3
printfn \"%d %d %d %d\" a[0] b[2] (List.length c) (List.length d)
";
    let mut editor = editor(text);
    let found = hints(&mut editor);
    for hint in ["1:32 ⟨static⟩", "2:33 ⟨static⟩", "3:44 ⟨region⟩", "4:47 ⟨region⟩"] {
        assert!(found.iter().any(|found| found == hint), "{hint} in {found:?}");
    }
    for (at, made) in [
        ("Array.c", "*array of type int array*: **static** because"),
        ("Array.z", "*array of type int array*: **static** because"),
        ("List.m", "*node :: of list<int>*: **region** because"),
        ("|> List.m", "*node :: of list<int>*: **region** because"),
    ] {
        let hover = hover(&mut editor, text, at);
        assert!(hover.contains(made), "{at}: {hover}");
    }
}

#[test]
fn values_of_one_lambda_say_so() {
    let text = "let smooth (weight: float) =
    let mean = ref 0.0
    fun reading ->
        mean.Value <- mean.Value + weight * (reading - mean.Value)
        mean.Value

let filters = List.map smooth [ 0.1; 0.5 ]

for filter in filters do
    printfn \"%f\" (filter 18.0)
";
    let hover = hover(&mut editor(text), text, "    fun");
    let said = "*value of type float -> float*: **stored by value**, as the only lambda, capturing float ref, float";
    assert!(hover.contains(said), "{hover}");
}

#[test]
fn closures_that_are_not_allocated_say_so() {
    let text = "let makeAdder step bonus = fun value -> value + step + bonus
let stored = [| makeAdder 1 2; makeAdder 3 4; (fun x -> x) |]
stored[1] <- makeAdder (int \"3\") 5
let twice f x = f (f x)
printfn \"%d %d\" (stored[int \"1\" % 3] 4) (twice (fun x -> x + 1) 3)
";
    let mut editor = editor(text);
    for (at, said) in [
        ("= f", "*closure*: **none** because its parameters are further ones of the function around it"),
        ("| m", "*value of type int -> int*: **stored by value**, as one of 4 lambdas, capturing nothing"),
        ("<- m", "*value of type int -> int*: **stored by value**, as one of 4 lambdas, capturing int"),
        ("(f", "*value of type int -> int*: **stored by value**, as one of 4 lambdas, capturing nothing"),
        ("(twice (f", "*closure*: **none** because it is called directly, or inlined"),
    ] {
        let hover = hover(&mut editor, text, at);
        assert!(hover.ends_with(said), "{at}: {hover}");
    }
    let declared = hover(&mut editor, text, "let m");
    assert!(!declared.contains("stored"), "{declared}");
}

/// Waits until the frames are known.
fn hover_with_frame(editor: &mut Editor, text: &str, at: &str) -> String {
    for _ in 0..600 {
        let hover = hover(editor, text, at);
        if hover.contains("*stack*") {
            return hover;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("no frame is shown")
}

#[test]
fn hover_shows_the_frame_of_a_function() {
    let text = "[<NoInline>]
let rec count n acc = if n = 0 then acc else 1 + count (n - 1) (acc * 3 + n)
[<NoInline>]
let sum (values: int array) = Array.sum values + count 3 values.Length
let small x = x + 1
let value = sum [| 1; small 2 |]
[<NoInline>]
let pair a b = printfn \"%A %A\" a b
pair 1 2
pair \"x\" 3.5
printfn \"%d\" value
";
    let mut editor = editor(text);
    let of = "on `microbit` at `-O2`";
    let frame = format!("*stack*: frame of **8 bytes** {of}, at most 8 bytes with the calls below it");
    assert!(hover_with_frame(&mut editor, text, "let s").ends_with(&frame));
    for (at, said) in [
        ("= s", frame.as_str()),
        ("rec c", "*stack*: frame of **0 bytes** on `microbit` at `-O2`, at most 0 bytes with the calls below it"),
        ("let small", "*stack*: no frame of its own on `microbit` at `-O2`: it is inlined or never called"),
    ] {
        let hover = hover(&mut editor, text, at);
        assert!(hover.ends_with(said), "{at}: {hover}");
    }
    let pair = hover(&mut editor, text, "let pair");
    assert!(pair.contains("*stack*: frames of **"), "{pair}");
    let value = hover(&mut editor, text, "let value");
    assert!(!value.contains("*stack*"), "{value}");
}
