//! `clefc lsp` as an editor runs it: a session over standard input and output with a request for each feature, recorded in
//! `lsp/session.txt`.

mod client;
mod shown;

use crate::ROOT;
use clef_golden::compare_with_file;
use client::Session;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use std::path::Path;

/// The program, with a name that is unknown, a match that is incomplete, and a line that is not formatted.
const TEXT: &str = "\
/// Twice a number.
let twice n = n * 2

/// What has an area.
type Shape =
    /// Round.
    | Circle of radius: float
    | Square of side: float

/// The area of a shape.
let area (scale: float) shape =
    match shape with
    | Circle radius -> scale * radius * radius

let make step = fun value -> value + step

[<Test>]
let doubles () = assert (twice 2 = 4)

let moved = List.map (make 1) [ twice 1; twce 2 ]
printfn \"%d %f\"  (List.sum moved) (area 3.0 (Circle 1.0))
";

/// A feature of the server: what an editor does, and shows.
type Step = fn(&mut Session) -> Result<(), Failed>;

/// The session. What is computed while nobody types is waited for before it is shown, and is not computed while the program has errors.
const STEPS: [(&str, Step); 20] = [
    ("Start", start),
    ("Cancellation", cancellation),
    ("Hover", hover),
    ("Completion", completion),
    ("Signature help", signature_help),
    ("Code actions: the proposals of a message", proposals),
    ("Code actions: missing cases", missing_cases),
    ("Definition", definition),
    ("References", references),
    ("Document highlights", highlights),
    ("Rename", rename),
    ("Document symbols", document_symbols),
    ("Workspace symbols", workspace_symbols),
    ("Semantic tokens", semantic_tokens),
    ("Inlay hints", inlay_hints),
    ("Folding", folding),
    ("Selection", selection),
    ("Code lenses", code_lenses),
    ("Formatting", formatting),
    ("End", end),
];

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("lsp::session", session)]
}

/// The session is the recorded one, the server ends as the protocol demands, and shows the library in the user's cache.
fn session() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let folder = std::fs::canonicalize(directory.path())?;
    let mut session = Session::start(&folder, TEXT)?;
    for (title, step) in STEPS {
        session.heading(title);
        step(&mut session).map_err(|failed| format!("{title}: {}", failed.message().unwrap_or_default()))?;
    }
    Ok(compare_with_file(&Path::new(ROOT).join("lsp/session.txt"), session.record())?)
}

/// The server says what it can do.
fn start(session: &mut Session) -> Result<(), Failed> {
    let capabilities = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let options = json!({ "board": "microbit" });
    let params = json!({ "capabilities": capabilities, "initializationOptions": options });
    let answer = session.ask("initialize", "", params)?;
    session.show(&format!("{answer:#}"));
    session.tell("initialized", json!({}))
}

/// The document is opened, and a request about it cancelled before the first check has ended.
fn cancellation(session: &mut Session) -> Result<(), Failed> {
    session.open()?;
    let params = session.place("tw‸ce 2")?;
    let error = session.cancelled("textDocument/hover", params)?;
    session.show(&format!("error {}: {}", error["code"], shown::text(&error["message"])));
    let diagnostics = session.diagnostics()?;
    session.show(&shown::diagnostics(&diagnostics));
    Ok(())
}

fn hover(session: &mut Session) -> Result<(), Failed> {
    for place in ["ar‸ea 3.0", "List.su‸m", "Circ‸le 1.0"] {
        let answer = session.at("textDocument/hover", place)?;
        session.show(shown::text(&answer["contents"]["value"]));
    }
    Ok(())
}

/// The items of a module that begin as what is typed, as editors filter them, and the documentation of one.
fn completion(session: &mut Session) -> Result<(), Failed> {
    let answer = session.at("textDocument/completion", "List.su‸m")?;
    let items: Vec<&Value> =
        shown::list(&answer).filter(|item| shown::text(&item["label"]).starts_with("su")).collect();
    session.show(&items.iter().map(|item| shown::item(item)).collect::<String>());
    let first = (*items.first().ok_or("there is an item")?).clone();
    let label = format!("of {}", shown::text(&first["label"]));
    let resolved = session.ask("completionItem/resolve", &label, first)?;
    session.show(shown::text(&resolved["documentation"]["value"]));
    Ok(())
}

fn signature_help(session: &mut Session) -> Result<(), Failed> {
    for place in ["area ‸3.0", "3.0 ‸(Circle", "Circle ‸1.0"] {
        let answer = session.at("textDocument/signatureHelp", place)?;
        session.show(&shown::signature(&answer));
    }
    Ok(())
}

fn proposals(session: &mut Session) -> Result<(), Failed> {
    follow_action(session, "tw‸ce 2")
}

fn missing_cases(session: &mut Session) -> Result<(), Failed> {
    follow_action(session, "match sh‸ape")
}

/// Shows the actions at a place, and follows the first one.
fn follow_action(session: &mut Session, place: &str) -> Result<(), Failed> {
    let mut params = session.place(place)?;
    let at = params["position"].take();
    params["range"] = json!({ "start": at, "end": at });
    params["context"] = json!({ "diagnostics": [] });
    let answer = session.ask("textDocument/codeAction", &format!("at {place}"), params)?;
    session
        .show(&shown::list(&answer).map(|action| format!("{}\n", shown::text(&action["title"]))).collect::<String>());
    session.apply(&answer[0]["edit"]["changes"])?;
    let diagnostics = session.diagnostics()?;
    session.show(&shown::diagnostics(&diagnostics));
    Ok(())
}

/// In the program, and in the files of the library.
fn definition(session: &mut Session) -> Result<(), Failed> {
    for place in ["area‸ 3.0", "List.su‸m", "printf‸n"] {
        let answer = session.at("textDocument/definition", place)?;
        let text = session.line_at(&answer)?;
        session.show(&text);
    }
    Ok(())
}

fn references(session: &mut Session) -> Result<(), Failed> {
    let mut params = session.place("let twi‸ce")?;
    params["context"] = json!({ "includeDeclaration": true });
    let answer = session.ask("textDocument/references", "at let twi‸ce", params)?;
    session.show(&shown::places(&answer));
    Ok(())
}

fn highlights(session: &mut Session) -> Result<(), Failed> {
    let answer = session.at("textDocument/documentHighlight", "Circle rad‸ius ->")?;
    session.show(&shown::places(&answer));
    Ok(())
}

fn rename(session: &mut Session) -> Result<(), Failed> {
    let prepared = session.at("textDocument/prepareRename", "let twi‸ce")?;
    session.show(&format!("{} {}", shown::range(&prepared["range"]), shown::text(&prepared["placeholder"])));
    let mut params = session.place("let twi‸ce")?;
    params["newName"] = "double".into();
    let answer = session.ask("textDocument/rename", "to double", params)?;
    session.apply(&answer["changes"])?;
    let diagnostics = session.diagnostics()?;
    session.show(&shown::diagnostics(&diagnostics));
    Ok(())
}

fn document_symbols(session: &mut Session) -> Result<(), Failed> {
    let params = session.document();
    let answer = session.ask("textDocument/documentSymbol", "", params)?;
    session.show(&shown::symbols(&answer, 0));
    Ok(())
}

fn workspace_symbols(session: &mut Session) -> Result<(), Failed> {
    let answer = session.ask("workspace/symbol", "for sqr", json!({ "query": "sqr" }))?;
    session.show(&shown::symbols_of_workspace(&answer));
    Ok(())
}

fn semantic_tokens(session: &mut Session) -> Result<(), Failed> {
    let params = session.document();
    let answer = session.ask("textDocument/semanticTokens/full", "", params)?;
    session.show(&shown::tokens(&answer, session.legend(), session.text()));
    Ok(())
}

/// Types, names of parameters, and where allocations live, at their places in the program.
fn inlay_hints(session: &mut Session) -> Result<(), Failed> {
    session.receive("workspace/inlayHint/refresh")?;
    let mut params = session.document();
    params["range"] = json!({ "start": { "line": 10, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let answer = session.ask("textDocument/inlayHint", "from line 11", params)?;
    session.show(&shown::hints(&answer, session.text()));
    Ok(())
}

fn folding(session: &mut Session) -> Result<(), Failed> {
    let params = session.document();
    let answer = session.ask("textDocument/foldingRange", "", params)?;
    session.show(&shown::folds(&answer));
    Ok(())
}

fn selection(session: &mut Session) -> Result<(), Failed> {
    let mut params = session.place("scale * rad‸ius")?;
    params["positions"] = json!([params["position"].take()]);
    let answer = session.ask("textDocument/selectionRange", "at scale * rad‸ius", params)?;
    session.show(&shown::selections(&answer[0], session.text()));
    Ok(())
}

fn code_lenses(session: &mut Session) -> Result<(), Failed> {
    let params = session.document();
    let answer = session.ask("textDocument/codeLens", "", params)?;
    session.show(&shown::lenses(&answer));
    Ok(())
}

/// Of lines that need no change, and of the document.
fn formatting(session: &mut Session) -> Result<(), Failed> {
    let mut params = session.document();
    params["options"] = json!({ "tabSize": 4, "insertSpaces": true });
    let mut of_lines = params.clone();
    of_lines["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let answer = session.ask("textDocument/rangeFormatting", "of lines 1 to 3", of_lines)?;
    session.show(&format!("{} edits", shown::list(&answer).count()));
    let answer = session.ask("textDocument/formatting", "", params)?;
    let changes = json!({ session.uri(): answer });
    session.apply(&changes)?;
    let diagnostics = session.diagnostics()?;
    session.show(&shown::diagnostics(&diagnostics));
    Ok(())
}

fn end(session: &mut Session) -> Result<(), Failed> {
    let answer = session.ask("shutdown", "", Value::Null)?;
    session.show(&answer.to_string());
    session.tell("exit", Value::Null)?;
    match session.status()? {
        Some(0) => Ok(()),
        status => Err(format!("the status is {status:?}").into()),
    }
}
