//! Images: their formats, and what their bytes and their stack are spent on.

use crate::{clefc, listing, messages, output, refused, workshop, write};
use std::fs;

#[test]
fn formats_of_images() {
    let directory = workshop();
    let path = directory.path();
    for (format, beginning) in [("elf", &b"\x7fELF"[..]), ("hex", b":02000004"), ("uf2", b"UF2\nWQ]\x9e")] {
        let arguments = ["--board", "rpi-pico", "--format", format, "good.clef"];
        let (status, _, stderr) = output(&mut clefc(path, &arguments));
        assert_eq!(status, 0, "{stderr}");
        let product = path.join(format!("good.{format}"));
        assert!(fs::read(&product).expect("it is there").starts_with(beginning), "{format}");
        fs::remove_file(product).expect("it is ours");
    }
    assert_eq!(listing(path), ["good.clef"]);
    let refused = |arguments: &[&str], parts: &[&str]| refused(path, &[arguments, &["good.clef"]].concat(), parts);
    refused(&["--board", "microbit", "--format", "uf2"], &["E0923", "microbit", "--format hex"]);
    refused(&["--board", "host-linux", "--format", "bin"], &["E0923", "requires flash", "--format elf"]);
    refused(&["--board", "rpi-pico", "--format", "srec"], &["srec", "elf, hex, bin, uf2"]);
    refused(
        &["--board", "rpi-pico", "--format", "hex", "--emit", "elf"],
        &["--format", "cannot be used with", "--emit"],
    );
    refused(&["--board", "rpi-pico", "--format", "uf2", "-o", "-"], &["cannot write `uf2` to standard output"]);
}

#[test]
fn clean_removes_products_and_nothing_else() {
    let directory = workshop();
    let path = directory.path();
    write(path, &[("app/clef.toml", "name = \"app\"\nsources = [\"main.clef\"]\n"), ("app/main.clef", "let x = 1\n")]);
    let app = path.join("app");
    for arguments in [
        &["build"][..],
        &["build", "--board", "microbit"],
        &["build", "--board", "rpi-pico", "--format", "bin"],
        &["build", "--board", "microbit", "--format", "hex"],
        &["build", "--emit", "obj"],
        &["build", "-o", "other.elf"],
    ] {
        assert_eq!(output(&mut clefc(&app, arguments)).0, 0, "{arguments:?}");
    }
    fs::write(app.join("app.uf2"), "notes").expect("it is writable");
    fs::write(app.join("libapp.h"), "int f(void);\n").expect("it is writable");
    let before = listing(&app);
    let (status, printed, _) = output(&mut clefc(path, &["clean", "--dry-run", "app"]));
    assert!(status == 0 && printed.contains("would remove app/app.elf"), "{printed}");
    assert_eq!(listing(&app), before);
    let (status, printed, stderr) = output(&mut clefc(path, &["clean", "app"]));
    assert!(status == 0 && printed.contains("removed app/app.hex"), "{printed}");
    assert!(stderr.contains("kept app/app.uf2: its content is not"), "{stderr}");
    assert_eq!(listing(&app), ["app.uf2", "clef.toml", "libapp.h", "main.clef", "other.elf"]);
    refused(path, &["clean"], &["E0012"]);
}

#[test]
fn sizes_add_up() {
    let directory = workshop();
    let path = directory.path();
    let text = "let make n = fun x -> x + n\nlet mutable add = make 1\nadd <- make 2\nprintfn \"%d\" (add 3)\n";
    fs::write(path.join("add.clef"), text).expect("it is writable");
    for board in ["host-linux", "microbit", "qemu-virt-aarch64"] {
        let (status, printed, stderr) = output(&mut clefc(path, &["size", "--json", "--board", board, "add.clef"]));
        assert_eq!(status, 0, "{stderr}");
        let sizes: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
        let rows = sizes["rows"].as_array().expect("there are rows");
        assert!(rows.iter().any(|row| row["module"] == "add.clef"), "{printed}");
        for region in sizes["regions"].as_array().expect("there are regions") {
            let own = rows.iter().filter(|row| row["region"] == region["name"]);
            let sum: u64 = own.filter_map(|row| row["bytes"].as_u64()).sum();
            assert_eq!(Some(sum), region["used"].as_u64(), "{board}: {region}");
        }
        fs::write(path.join("before.json"), printed).expect("it is writable");
        let same = ["size", "--diff", "before.json", "--json", "--board", board, "add.clef"];
        let (status, printed, _) = output(&mut clefc(path, &same));
        let changes: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
        let unchanged = |change: &serde_json::Value| change["before"] == change["after"];
        assert!(status == 0 && changes.as_array().expect("they are a list").iter().all(unchanged), "{printed}");
    }
    refused(path, &["size", "--diff", "add.clef", "add.clef"], &["E0005", "not the output of `clefc size --json`"]);
    fs::write(path.join("add"), b"\x7fELF\x02\x01\x01\xff").expect("it is writable");
    refused(path, &["size", "--diff", "add", "add.clef"], &["E0005", "is an image", "--json FILE > before.json"]);
    refused(path, &["size", "--diff", "none.json", "add.clef"], &["E0001", "none.json"]);
}

#[test]
fn the_stack_of_each_function_is_listed() {
    let directory = workshop();
    let path = directory.path();
    let text = "let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)\nprintfn \"%d\" (depth (int (Time.microseconds ())))\n";
    write(path, &[("deep.clef", text), ("flat.clef", "printfn \"%d\" 1\n")]);
    for board in ["host-linux", "microbit", "qemu-virt-aarch64"] {
        let (status, printed, stderr) = output(&mut clefc(path, &["stack", "--json", "--board", board, "flat.clef"]));
        assert_eq!(status, 0, "{stderr}");
        let listing: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
        let functions = listing["functions"].as_array().expect("there are functions");
        for root in listing["roots"].as_array().expect("there are roots") {
            // The way down to the deepest point takes what the root needs, at most.
            let mut next = root["function"].as_u64();
            let need = functions[next.expect("it is an index") as usize]["need"].as_u64().expect("there is a bound");
            let mut last = need;
            while let Some(function) = next.map(|index| &functions[index as usize]) {
                let need = function["need"].as_u64().expect("there is a bound");
                assert!(need <= last, "{board}: {function}");
                last = need;
                next = function["deepest"].as_u64();
            }
            let has_own_stack = root["reports_fault"] == true && board != "microbit";
            assert!(has_own_stack || Some(need) <= listing["bytes"].as_u64(), "{board}: {root}");
        }
    }
    for command in ["stack", "size"] {
        let (status, _, stderr) = output(&mut clefc(path, &[command, "--html", "page.html", "deep.clef"]));
        assert_eq!(status, 0, "{stderr}");
        let page = fs::read_to_string(path.join("page.html")).expect("it is there");
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("deep on host-linux"), "{command}");
        assert!(!page.contains("<script") && !page.contains("http"), "{command}: it loads nothing");
        refused(path, &[command, "--html", "deep.clef", "deep.clef"], &["E0005", "would overwrite the input"]);
    }
}

#[test]
fn what_has_no_bound_is_named_and_denied() {
    let directory = workshop();
    let recursive = "let rec sum n = if n = 0 then 0 else n + sum (n - 1)\nprintfn \"%d\" (sum 9)\n";
    let growing = "let mutable all = []\nfor i in 1 .. 9 do\n    all <- i :: all\nprintfn \"%A\" all\n";
    let tail = "let rec last n = if n = 0 then 0 else last (n - 1)\nprintfn \"%d\" (last 9)\n";
    write(directory.path(), &[("recursive.clef", recursive), ("growing.clef", growing), ("tail.clef", tail)]);
    let path = directory.path();
    refused(
        path,
        &["--deny", "unbounded", "--board", "microbit", "-O0", "recursive.clef"],
        &["E0921", "`Recursive.sum` is recursive", "recursive.clef:1:9"],
    );
    refused(path, &["--deny", "unbounded", "--board", "microbit", "growing.clef"], &["E0921", "growing.clef:2:"]);
    refused(path, &["check", "--deny", "unbounded", "tail.clef"], &["E0005"]);
    refused(path, &["--deny", "unbounded", "--emit", "core", "tail.clef"], &["E0005"]);
    let board = "inherits: microbit\ndescription: one with little stack\ntarget: thumbv6m\nstack: 64\n";
    write(path, &[("little.yaml", board)]);
    refused(path, &["--deny", "unbounded", "--board", "little.yaml", "tail.clef"], &["W0901", "bytes of stack"]);
    let (status, _, stderr) = output(&mut clefc(path, &["--board", "little.yaml", "-o", "little.elf", "tail.clef"]));
    assert!(status == 0 && stderr.contains("warning[W0901]"), "{stderr}");
    let arguments =
        ["--deny", "unbounded", "--board", "microbit", "--message-format", "json", "-o", "tail.elf", "tail.clef"];
    let (status, _, stderr) = output(&mut clefc(path, &arguments));
    let all = messages(&stderr);
    let bounds = all.iter().find(|message| message["reason"] == "bounds").expect("there are bounds");
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(bounds["regions"]["bytes"], 0, "{bounds}");
    assert!(bounds["stack"]["bytes"].as_u64().is_some_and(|bytes| (1..1024).contains(&bytes)), "{bounds}");
    assert_eq!(bounds["stack"]["limit"], 4096, "{bounds}");
}
