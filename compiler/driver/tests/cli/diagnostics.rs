//! Diagnostics: as JSON, denied and allowed, and explained.

use crate::{clefc, messages, output, refused, workshop, write};
use std::fs;

#[test]
fn check_finds_what_handlers_must_not_do() {
    let directory = workshop();
    let text =
        "let mutable last = [ 0 ]\n\n[<Interrupt(3)>]\nlet onButton () = last <- List.map (fun x -> x + 1) last\n";
    fs::write(directory.path().join("handler.clef"), text).expect("it is writable");
    let check = ["check", "handler.clef", "--board", "mps2-an386"];
    refused(directory.path(), &check, &["E0602", "handler.clef:4"]);
}

#[test]
fn every_code_is_explained() {
    let directory = workshop();
    for (code, _) in clef_base::codes::PAGES {
        let (status, page, _) = output(&mut clefc(directory.path(), &["explain", &code.0.to_lowercase()]));
        assert_eq!(status, 0);
        assert!(page.starts_with(&format!("# {code}: ")), "{page}");
    }
}

#[test]
fn diagnostics_are_json_for_those_who_ask() {
    let directory = workshop();
    let path = directory.path();
    write(
        path,
        &[("bad.clef", "let f x =\n    let y = 1\n    x + zz\n"), ("warn.clef", "let f () =\n    let y = 1\n    2\n")],
    );
    let (status, stdout, stderr) = output(&mut clefc(path, &["check", "--message-format", "json", "bad.clef"]));
    assert_eq!((status, stdout.as_str()), (1, ""));
    let [message] = messages(&stderr).try_into().expect("one mistake");
    assert_eq!((&message["reason"], &message["code"]), (&"diagnostic".into(), &"E0301".into()));
    assert_eq!(message["spans"][0]["file"], "bad.clef");
    assert_eq!(message["spans"][0]["start"], serde_json::json!({"line": 3, "column": 9, "byte": 32}));

    let (status, _, stderr) = output(&mut clefc(path, &["check", "--message-format=json", "warn.clef"]));
    assert_eq!(status, 0, "{stderr}");
    let [message] = messages(&stderr).try_into().expect("one warning");
    assert_eq!((&message["severity"], &message["code"]), (&"warning".into(), &"W0301".into()));
    assert_eq!(message["help"][0]["replacement"]["text"], "_y");

    for (arguments, reason) in
        [(&["check"][..], "diagnostic"), (&["chekc", "x"], "diagnostic"), (&["--nope"], "command-line")]
    {
        let arguments = [arguments, &["--message-format", "json"]].concat();
        let (status, _, stderr) = output(&mut clefc(path, &arguments));
        assert_eq!(status, 1, "{stderr}");
        assert!(messages(&stderr).iter().all(|message| message["reason"] == reason), "{arguments:?}: {stderr}");
    }
}

#[test]
fn warnings_are_denied_and_allowed() {
    let directory = workshop();
    let path = directory.path();
    write(path, &[("warn.clef", "let f () =\n    let y = 1\n    2\n")]);
    for denied in ["warnings", "W0301", "w0301,W0401"] {
        refused(path, &["--deny", denied, "warn.clef"], &["error[W0301]", "`y` is never used"]);
        refused(path, &["check", "--deny", denied, "warn.clef"], &["error[W0301]"]);
    }
    for arguments in [&["--allow", "warnings"][..], &["--allow", "W0301", "--deny", "warnings"]] {
        let (status, _, stderr) = output(&mut clefc(path, &[&["check", "warn.clef"], arguments].concat()));
        assert_eq!((status, stderr.as_str()), (0, ""), "{arguments:?}");
    }
    refused(path, &["check", "--deny", "E0301", "warn.clef"], &["E0301 is an error, not a warning"]);
}
