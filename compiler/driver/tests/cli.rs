//! The command line from outside: every bad input gets a clear error and status 1, and leaves no file behind.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A directory with one good source file, `good.clef`.
fn workshop() -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("good.clef"), "let x = 1\n").expect("it is writable");
    directory
}

fn clefc<Argument: AsRef<OsStr>>(directory: &Path, arguments: &[Argument]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}

fn output(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("clefc can be started");
    let text = |bytes| String::from_utf8(bytes).expect("clefc writes UTF-8");
    (status.code().expect("clefc ends by itself"), text(stdout), text(stderr))
}

/// Writes files into a directory, which may be in directories of their own.
fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("it is writable");
        fs::write(path, text).expect("it is writable");
    }
}

/// The names in a directory.
fn listing(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Asserts that clefc rejects the arguments with status 1, prints each part to standard error, and writes no file.
fn refused(directory: &Path, arguments: &[&str], parts: &[&str]) {
    let before = listing(directory);
    let (status, stdout, stderr) = output(&mut clefc(directory, arguments));
    assert_eq!(status, 1, "{arguments:?}\n{stderr}");
    assert_eq!(stdout, "", "{arguments:?}");
    for part in parts {
        assert!(stderr.contains(part), "{arguments:?}: {part:?} is missing in\n{stderr}");
    }
    assert!(!stderr.contains("panicked") && !stderr.contains("internal compiler error"), "{arguments:?}\n{stderr}");
    assert_eq!(listing(directory), before, "{arguments:?}");
}

#[test]
fn unusable_source_files() {
    let directory = workshop();
    let path = directory.path();
    fs::create_dir(path.join("folder.clef")).expect("it is writable");
    fs::write(path.join("latin.clef"), b"let x = \"gr\xfc\xdfe\"\n").expect("it is writable");
    fs::write(path.join("notes.txt"), "let x = 1\n").expect("it is writable");
    for command in [&["--emit", "tokens"][..], &["check"], &["run"], &["--emit", "elf", "-o", "out"], &[]] {
        let refused = |file: &str, parts: &[&str]| refused(path, &[command, &[file]].concat(), parts);
        refused("none.clef", &["E0001", "none.clef", "no such file"]);
        refused("folder.clef", &["E0012", "no project in `folder.clef`"]);
        refused("latin.clef", &["E0002", "not valid UTF-8", "0xfc", "offset 11", "line 1"]);
        refused("notes.txt", &["E0004", "`.clef`"]);
    }
}

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
fn every_unusable_file_is_named() {
    let directory = workshop();
    let arguments = ["--emit", "tokens", "a.clef", "good.clef", "b.txt", "good.clef"];
    refused(directory.path(), &arguments, &["a.clef", "b.txt", "`good.clef` is given twice"]);
}

#[test]
fn a_mistyped_command_is_recognised() {
    let directory = workshop();
    refused(directory.path(), &["chekc"], &["E0004", "did you mean the command `clefc check`?"]);
}

#[test]
fn unusable_outputs() {
    let directory = workshop();
    let path = directory.path();
    fs::create_dir(path.join("folder")).expect("it is writable");
    let refused = |out: &str, parts: &[&str]| refused(path, &["--emit", "tokens", "-o", out, "good.clef"], parts);
    refused("folder", &["E0003", "it is a directory"]);
    refused("none/out", &["E0003", "no such directory"]);
    refused("good.clef", &["E0005", "would overwrite the input"]);
    refused("./good.clef", &["E0005", "would overwrite the input"]);
    refused("good.clef/out", &["E0003"]);
    refused("/proc/out", &["E0003"]);
    assert_eq!(fs::read_to_string(path.join("good.clef")).expect("it is there"), "let x = 1\n");
}

#[test]
fn options_that_do_not_fit() {
    let directory = workshop();
    let path = directory.path();
    for (arguments, part) in [
        (&["--emit", "tokens,ast", "-o", "x", "good.clef"][..], "E0005"),
        (&["--emit", "elf", "-o", "-", "good.clef"], "cannot write `elf` to standard output"),
        (&["--emit", "tokens", "-O", "s", "good.clef"], "`-O` has no effect"),
        (&["--emit", "tokens", "-g", "good.clef"], "`-g` has no effect"),
        (&["--board", "microbit", "check", "good.clef"], "before a command"),
        (&["--target", "thumbv6m", "--board", "microbit", "good.clef"], "cannot be used with"),
        (&["-O", "4", "good.clef"], "possible values: 0, g, 1, 2, 3, s, z"),
        (&["--emit", "llvm", "good.clef"], "llvm-ir"),
        (&["--optimise", "good.clef"], "--optimise"),
        (&["run", "--timeout", "never", "good.clef"], "a number of seconds"),
        (&["run", "--timeout", "0", "good.clef"], "greater than zero"),
        (&["check"], "E0012"),
        (&["run"], "no project in this directory"),
        (&["--emit", "ast"], "no source file given"),
        (&["explain", "E99999"], "E0006"),
        (&["completions", "klingon"], "possible values"),
    ] {
        refused(path, arguments, &[part]);
    }
    let (status, _, stderr) = output(&mut clefc::<&str>(path, &[]));
    assert_eq!(status, 1);
    assert!(stderr.contains("Usage:"), "{stderr}");
}

#[test]
fn programs_that_are_no_libraries() {
    let directory = workshop();
    let path = directory.path();
    for (name, text) in [
        ("entry.clef", "[<EntryPoint>]\nlet main _ = 0\n"),
        ("timer.clef", "[<Interrupt(\"SysTick\")>]\nlet tick () = ()\n"),
        ("pin.clef", "[<Interrupt(3)>]\nlet pressed () = ()\n"),
        ("start.clef", "[<Export(\"start_init\")>]\nlet start () = ()\n"),
        ("log.clef", "[<Export(\"say\")>]\nlet say () = Log.info \"said\"\n"),
    ] {
        fs::write(path.join(name), text).expect("it is writable");
    }
    for (arguments, parts) in [
        (&["good.clef"][..], &["E0924", "exports no function"][..]),
        (&["entry.clef"], &["E0924", "entry.clef:2:5", "no entry point"]),
        (&["--board", "microbit", "timer.clef"], &["E0924", "timer.clef:1:3", "belongs to its host"]),
        (&["--board", "qemu-q35", "pin.clef"], &["E0924", "pin.clef:1:3", "vector table of a Cortex-M"]),
        (&["start.clef"], &["E0924", "start.clef:1:3", "`start_init`"]),
        (&["log.clef"], &["E0606", "a library has no log output", "`--log-level off`"]),
        (&["start.clef", "-o", "a.h"], &["E0005", "overwritten by its header"]),
        (&["start.clef", "--stats"], &["E0005", "`--stats` has no effect"]),
        (&["start.clef", "--trap-messages"], &["E0005", "`--trap-messages` has no effect"]),
        (&["start.clef", "--emit", "elf"], &["E0005", "not to both: `lib`, `elf`"]),
    ] {
        refused(path, &[&["--emit", "lib"], arguments].concat(), parts);
    }
}

#[test]
fn a_library_has_a_header() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("my-step.clef"), "/// Steps.\n[<Export(\"step\")>]\nlet step (for': int32) = for' + 1l\n")
        .expect("it is writable");
    let (status, _, stderr) = output(&mut clefc(path, &["--emit", "lib", "my-step.clef"]));
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(fs::read(path.join("libmy-step.a")).is_ok_and(|archive| archive.starts_with(b"!<arch>\n/  ")));
    let header = fs::read_to_string(path.join("libmy-step.h")).expect("it is there");
    assert!(header.contains("void my_step_init(void);\n"), "{header}");
    assert!(header.contains("/* Steps. */\nint32_t step(int32_t for_);\n"), "{header}");
    fs::write(path.join("same.h"), "").expect("it is writable");
    refused(path, &["--emit", "lib,asm", "my-step.clef", "-o", "same.a"], &["E0005"]);
}

#[test]
fn headers_are_bound() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("a.h"), "#define N 3\nlong f(long n);\nint g(int n, ...);\n").expect("it is writable");
    let (status, stdout, stderr) = output(&mut clefc(path, &["bind", "--target", "thumbv6m", "a.h"]));
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("module Bindings") && stdout.contains("let f (n: int32) : int32 ="), "{stdout}");
    assert!(stderr.contains("warning[W0801]: `g` at a.h:3:5"), "{stderr}");
    let (status, stdout, _) = output(&mut clefc(path, &["bind", "-t", "x86_64-linux", "--allow", "W0801", "a.h"]));
    assert!(status == 0 && stdout.contains("let f (n: int64) : int64 ="), "{stdout}");
    refused(path, &["bind", "a.h", "--deny", "W0801"], &["W0801", "`g` at a.h:3:5"]);
    refused(path, &["bind", "a.h", "-o", "a.txt"], &["E0005", "-o Device.clef"]);
    refused(path, &["bind", "none.h"], &["E0001", "none.h"]);
    refused(path, &["bind", "a.h", "-o", "A.clef", "--", "-include", "none.h"], &["E0812", "file not found"]);
    assert_eq!(listing(path), ["a.h", "good.clef"]);
}

#[test]
fn unusable_descriptors() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("type.yaml"), "inherits: microbit\nstack: [4K]\n").expect("it is writable");
    fs::write(path.join("key.yaml"), "inherits: microbit\nstakc: 4K\n").expect("it is writable");
    fs::write(path.join("latin.yaml"), b"inherits: microbit\ndescription: gr\xfcn\n").expect("it is writable");
    fs::write(path.join("runtime.yaml"), "inherits: thumbv6m\nruntime: thumbv6m-none\n").expect("it is writable");
    fs::write(path.join("layout.yaml"), "inherits: thumbv6m\ndata_layout: \"e-p:32:32\"\n").expect("it is writable");
    fs::create_dir(path.join("folder.yaml")).expect("it is writable");
    for (arguments, parts) in [
        (["--target", "./runtime.yaml"], &["E0805", "runtime.yaml:2:10", "write `thumbv6m-none-eabi`"][..]),
        (["--target", "./layout.yaml"], &["E0805", "layout.yaml:2:14", "e-m:e-p:32:32"]),
        (["--target", "thumv7em"], &["E0808", "did you mean `thumbv7em`?"]),
        (["--board", "mps2-an836"], &["E0808", "did you mean `mps2-an386`?"]),
        (["--board", "mps2"], &["E0806"]),
        (["--board", "./type.yaml"], &["E0803", "type.yaml:2:8", "found a list"]),
        (["--board", "./key.yaml"], &["E0802", "key.yaml:2:1", "`stack`"]),
        (["--board", "./latin.yaml"], &["E0001", "latin.yaml", "offset 34"]),
        (["--board", "./folder.yaml"], &["E0001", "folder.yaml", "it is a directory"]),
        (["--board", "./none.yaml"], &["E0001", "none.yaml", "no such file"]),
    ] {
        refused(path, &[&["--emit", "tokens"], &arguments[..], &["good.clef"]].concat(), parts);
        refused(path, &[&["run"], &arguments[..], &["good.clef"]].concat(), parts);
    }
    refused(path, &["target", "show", "microbit"], &["E0808"]);
    refused(path, &["board", "show", "./type.yaml"], &["E0803"]);
}

#[test]
fn a_descriptor_of_the_users_own_works_by_path() {
    let directory = workshop();
    fs::write(directory.path().join("mine.yaml"), "inherits: microbit\nstack: 2K\n").expect("it is writable");
    let (status, stdout, stderr) =
        output(&mut clefc(directory.path(), &["board", "show", "./mine.yaml", "--resolved"]));
    assert_eq!((status, stderr.as_str()), (0, ""));
    let stack = stdout.lines().find(|line| line.starts_with("stack: 2K")).expect("the stack is shown");
    assert!(stack.ends_with("# mine.yaml:2"), "{stack}");
    assert!(stdout.contains("# boards/microbit.yaml:"), "{stdout}");
}

#[test]
fn difficult_texts_do_no_harm() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("line.clef"), format!("let x = {}\n", "1 + ".repeat(250_000) + "1")).expect("it is writable");
    let nested = format!("let x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    fs::write(path.join("nested.clef"), nested).expect("it is writable");
    fs::write(path.join("open.clef"), format!("let x = {}", "([{".repeat(10_000))).expect("it is writable");
    fs::write(path.join("empty.clef"), "").expect("it is writable");
    fs::write(path.join("nul.clef"), "let \0 = \u{feff}1\n").expect("it is writable");
    for file in ["line.clef", "nested.clef", "open.clef", "empty.clef", "nul.clef"] {
        let (status, _, stderr) = output(&mut clefc(path, &["check", file]));
        assert!(status == 0 || status == 1, "{file}: {status}\n{stderr}");
        assert!(!stderr.contains("internal compiler error"), "{file}\n{stderr}");
        assert!(stderr.len() < 200_000, "{file}: {} bytes of diagnostics", stderr.len());
    }
}

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
fn the_doctor_names_what_is_missing() {
    let directory = workshop();
    let path = directory.path();
    let (status, printed, stderr) = output(&mut clefc(path, &["doctor", "--board", "host-linux"]));
    assert_eq!(status, 0, "{stderr}");
    assert!(printed.contains("with LLVM ") && printed.contains("LLD 22"), "{printed}");
    // Where no program is found: all is optional, except what a board that is named needs.
    let (status, printed, stderr) = output(clefc(path, &["doctor"]).env("PATH", path));
    assert_eq!(status, 0, "{stderr}");
    for part in
        ["apt install --no-install-recommends qemu-system-x86", "required by `clefc run`", "GDB: none", "libclang: "]
    {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    let (status, _, stderr) = output(clefc(path, &["doctor", "--board", "microbit"]).env("PATH", path));
    assert_eq!(status, 1);
    for part in ["cannot find `qemu-system-arm`", "required for", "microbit", "apt install"] {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    let (status, printed, _) = output(clefc(path, &["doctor", "--json", "--board", "microbit"]).env("PATH", path));
    let findings: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
    let missing = findings.as_array().expect("they are a list").iter().filter(|finding| finding["good"] == false);
    assert!(status == 1 && missing.count() >= 1, "{printed}");
}

#[test]
fn new_projects_run() {
    let directory = workshop();
    let path = directory.path();
    for (arguments, line) in [
        (&["new", "hello"][..], "Hello, world!"),
        (&["new", "deep-er/blinky", "--board", "microbit"], "step 6: off"),
        (&["new", "pins", "--board", "mps2-an386"], "step 1: on"),
    ] {
        fs::create_dir_all(path.join("deep-er")).expect("it is writable");
        let (status, printed, stderr) = output(&mut clefc(path, arguments));
        assert!(status == 0 && printed.contains(&format!("clefc run {}", arguments[1])), "{printed}{stderr}");
        let (status, printed, stderr) = output(&mut clefc(path, &["run", "--timeout", "60", arguments[1]]));
        assert!(status == 0 && printed.contains(line), "{printed}{stderr}");
        let (status, _, stderr) = output(&mut clefc(path, &["test", arguments[1]]));
        assert!(status == 0 && stderr.contains(", 0 failed"), "{stderr}");
        refused(path, arguments, &["E0003", "it already exists"]);
    }
    for (name, part) in [("a b", "E0005"), ("..", "E0005"), ("none/there", "E0003"), ("good.clef", "E0005")] {
        refused(path, &["new", name], &[part]);
    }
    refused(path, &["new", "other", "--board", "microbid"], &["microbit"]);
    // What needs a board that is not there is built, and its tests run here.
    for board in ["nucleo-f446re", "rpi-pico"] {
        let (status, _, stderr) = output(&mut clefc(path, &["new", board, "--board", board]));
        assert_eq!(status, 0, "{stderr}");
        let plan = format!("{board}/testplan.yaml");
        for arguments in [&["--emit", "elf", board][..], &["test", "--plan", &plan], &["size", board]] {
            let (status, _, stderr) = output(&mut clefc(path, arguments));
            assert_eq!(status, 0, "{stderr}");
        }
    }
    assert!(!path.join("other").exists());
}

#[test]
fn probes_are_for_boards_that_have_chips() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("t.clef"), "[<Test>]\nlet passes () = ()\n").expect("it is writable");
    refused(path, &["test", "--probe", "1d50:6018", "--on", "host", "t.clef"], &["E0005", "`--on probe`"]);
    refused(path, &["test", "--probe", "1d50:6018", "--board", "microbit", "--on", "qemu", "t.clef"], &["E0005"]);
    // What a probe cannot do has a status of its own, as in runs.
    let at_probe = ["test", "--probe", "1d50:6018", "--board", "host-linux", "t.clef"];
    let (status, _, stderr) = output(&mut clefc(path, &at_probe));
    assert!(status == 125 && stderr.contains("E0943"), "{status} {stderr}");
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
fn lists_are_complete_and_json_is_json() {
    let directory = workshop();
    for (command, names) in [
        ("targets", &["thumbv6m", "thumbv7em-hf", "x86_64-linux"][..]),
        ("boards", &["microbit", "qemu-virt-aarch64", "host-linux"]),
    ] {
        let (status, table, _) = output(&mut clefc(directory.path(), &[command]));
        assert_eq!(status, 0);
        let (status, json, _) = output(&mut clefc(directory.path(), &[command, "--json"]));
        assert_eq!(status, 0);
        let items: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let items = items.as_array().expect("it is a list");
        assert_eq!(items.len() + 1, table.lines().count());
        for name in names {
            assert!(table.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} is missing in\n{table}");
            assert!(items.iter().any(|item| item["name"] == *name), "{name} is missing in {json}");
        }
    }
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
fn text_goes_to_standard_output_or_a_file() {
    let directory = workshop();
    let path = directory.path();
    let (status, printed, _) = output(&mut clefc(path, &["--emit", "tokens", "good.clef"]));
    assert_eq!(status, 0);
    assert!(printed.contains("let x"), "{printed}");
    let (status, dash, _) = output(&mut clefc(path, &["--emit", "tokens", "-o", "-", "good.clef"]));
    assert_eq!((status, &dash), (0, &printed));
    let (status, nothing, _) = output(&mut clefc(path, &["--emit", "tokens", "-o", "t", "good.clef"]));
    assert_eq!((status, nothing.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(path.join("t")).expect("it was written"), printed);
    assert_eq!(listing(path), ["good.clef", "t"]);
}

#[test]
fn colour_is_for_terminals_or_by_request() {
    let directory = workshop();
    let coloured = |arguments: &[&str]| output(&mut clefc(directory.path(), arguments)).2.contains('\u{1b}');
    assert!(!coloured(&["check", "none.clef"]));
    assert!(coloured(&["check", "none.clef", "--color", "always"]));
    assert!(!coloured(&["check", "none.clef", "--color", "never"]));
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_a_full_disk_is_one() {
    let directory = workshop();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status =
        clefc(directory.path(), &["completions", "zsh"]).stdout(writer).status().expect("clefc can be started");
    assert_eq!(status.code(), Some(0));
    if let Ok(full) = File::options().write(true).open("/dev/full") {
        let (status, _, stderr) = output(clefc(directory.path(), &["targets"]).stdout(full));
        assert_eq!(status, 1);
        assert!(stderr.contains("E0003"), "{stderr}");
    }
}

/// The words that clefc proposes for the last of these.
fn proposals(directory: &Path, words: &[&str]) -> Vec<String> {
    let index = (words.len() - 1).to_string();
    let asked = [&["--", "clefc"], &words[1..]].concat();
    let mut command = clefc(directory, &asked);
    command.env("CLEFC_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
    let (status, printed, stderr) = output(&mut command);
    assert_eq!(status, 0, "{stderr}");
    printed.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn completions_ask_clefc() {
    let directory = workshop();
    let path = directory.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, script, _) = output(&mut clefc(path, &["completions", shell]));
        assert!(status == 0 && script.contains("CLEFC_COMPLETE"), "{shell}");
    }
    fs::write(path.join("notes.txt"), "").expect("it is writable");
    fs::write(path.join("own.yaml"), "").expect("it is writable");
    for (words, expected) in [
        (&["clefc", "expl"][..], &["explain"][..]),
        (&["clefc", "run", "--board", "micr"], &["microbit", "microbit-v2"]),
        (&["clefc", "test", "-b", "own"], &["own.yaml"]),
        (&["clefc", "--target", "thumbv7em"], &["thumbv7em", "thumbv7em-hf"]),
        (&["clefc", "board", "show", "rpi-pico-"], &["rpi-pico-2"]),
        (&["clefc", "target", "show", "x86_64-l"], &["x86_64-linux"]),
        (&["clefc", "explain", "E060"], &["E0601", "E0602", "E0603", "E0604", "E0605", "E0606"]),
        (&["clefc", "check", ""], &["good.clef"]),
        (&["clefc", "build", "--format", "u"], &["uf2"]),
    ] {
        let found = proposals(path, words);
        let arguments: Vec<&String> = found.iter().filter(|word| !word.starts_with('-')).collect();
        assert_eq!(arguments, expected, "{words:?}");
    }
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
fn dependencies_are_added() {
    let directory = workshop();
    let path = directory.path();
    let manifest = "# The program.\nname = \"app\" # its name\nsources = [\"main.clef\"]\n";
    write(
        path,
        &[
            ("app/clef.toml", manifest),
            ("app/main.clef", "printfn \"%d\" (Util.twice 21)\n"),
            ("util/clef.toml", "name = \"util\"\nsources = [\"util.clef\"]\n"),
            ("util/util.clef", "module Util\nlet twice x = 2 * x\n"),
            ("program/clef.toml", "name = \"program\"\nsources = [\"p.clef\"]\n"),
            ("program/p.clef", "printfn \"x\"\n"),
        ],
    );
    refused(path, &["add", "none", "--to", "app"], &["E0001", "no such directory"]);
    refused(path, &["add", "good.clef", "--to", "app"], &["E0012", "is not a project"]);
    refused(path, &["add", "program", "--to", "app"], &["E0005", "is a program, not a library", "p.clef"]);
    refused(path, &["add", "app", "--to", "app"], &["cannot depend on itself"]);
    refused(path, &["add", "util"], &["E0012", "no project in this directory", "--to app"]);
    let (status, _, stderr) = output(&mut clefc(&path.join("app"), &["add", "../util"]));
    assert_eq!(status, 0, "{stderr}");
    let text = fs::read_to_string(path.join("app/clef.toml")).expect("it is there");
    assert_eq!(text, format!("{manifest}\n[dependencies]\nutil = {{ path = \"../util\" }}\n"));
    assert_eq!(output(&mut clefc(path, &["run", "app"])).1, "42\n");
    refused(path, &["add", "util", "--to", "app"], &["E0005", "depends on `util` already"]);
    refused(path, &["add", "app", "--to", "util"], &["cannot depend on itself", "`app` depends on `util`"]);
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
fn expressions_are_evaluated() {
    let directory = workshop();
    let path = directory.path();
    for (expression, expected) in [
        ("List.sum [1; 2; 3]", "6 : int\n"),
        ("let f x = x * 2\nf 21, \"a\"", "(42, \"a\") : int * string\n"),
        ("printfn \"hi\"", "hi\n"),
        ("-5", "-5 : int\n"),
    ] {
        let (status, printed, stderr) = output(&mut clefc(path, &["eval", expression]));
        assert_eq!((status, printed.as_str()), (0, expected), "{stderr}");
    }
    let (status, printed, stderr) = output(&mut clefc(path, &["eval", "1 / (2 - 2)"]));
    assert_eq!((status, printed.as_str(), stderr.as_str()), (101, "", "trap: division by zero at <eval>:1:1\n"));
    refused(path, &["eval", "1 + \"a\""], &["<eval>:1:5"]);
}

/// A directory with a project `app`, which depends on a Fidelity project, and a board of its own.
fn projects() -> TempDir {
    let directory = workshop();
    write(
        directory.path(),
        &[
            (
                "app/clef.toml",
                "name = \"app\"\nsources = [\"src/app.clef\"]\nboard = \"small\"\n\
                 [dependencies]\ngeometry = { path = \"../geometry\" }\n",
            ),
            ("app/small.yaml", "inherits: microbit\nstack: 1K\n"),
            ("app/src/app.clef", "Console.writeln (Format.int (Geometry.area 6 7))\n"),
            (
                "geometry/Geometry.fidproj",
                "[package]\nname = \"Geometry\"\nversion = \"0.1.0\"\n\
                 [compilation]\ntarget = \"cpu\"\n\
                 [dependencies]\nplatform = { path = \"/nowhere\" }\n\
                 [build]\nsources = [\"Geometry.fs\"]\noutput = \"geometry\"\noutput_kind = \"library\"\n",
            ),
            ("geometry/Geometry.fs", "module Geometry\n\nlet area width height = width * height\n"),
        ],
    );
    directory
}

#[test]
fn a_project_stands_for_its_files() {
    let directory = projects();
    let path = directory.path();
    for (place, arguments) in [
        ("", &["--emit", "tokens", "app"][..]),
        ("", &["--emit", "tokens", "app/"]),
        ("", &["--emit", "tokens", "./app/clef.toml", "--board", "host-linux"]),
        ("app", &["--emit", "tokens"]),
        ("app", &["--emit", "tokens", "."]),
    ] {
        let (status, tokens, stderr) = output(&mut clefc(&path.join(place), arguments));
        assert_eq!(status, 0, "{arguments:?}\n{stderr}");
        let (first, last) = (tokens.find("area").expect("it is there"), tokens.find("writeln").expect("it is there"));
        assert!(first < last, "{tokens}");
        assert!(stderr.contains("warning[W0001]"), "{stderr}");
        assert!(stderr.contains("`compilation`, `dependencies.platform`, `build.output_kind`"), "{stderr}");
    }
    for arguments in [&["check", "app"][..], &["check", "geometry"], &["check", "geometry/Geometry.fidproj"]] {
        let (status, _, stderr) = output(&mut clefc(path, arguments));
        assert_eq!(status, 0, "{arguments:?}\n{stderr}");
    }
    assert_eq!(output(&mut clefc(&path.join("geometry"), &["check"])).0, 0);
}

#[test]
fn a_product_of_a_project_has_its_name_and_lies_beside_its_file() {
    let directory = projects();
    let path = directory.path();
    let (status, _, stderr) = output(&mut clefc(path, &["app"]));
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(listing(&path.join("app")), ["app.elf", "clef.toml", "small.yaml", "src"]);
    assert!(stderr.contains("ram"), "the board is the project's:\n{stderr}");
    let (status, _, stderr) = output(&mut clefc(path, &["geometry", "--board", "host-linux"]));
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(listing(&path.join("geometry")), ["Geometry.fidproj", "Geometry.fs", "geometry"]);
    let (status, stdout, stderr) = output(&mut clefc(&path.join("app"), &["run", "--board", "host-linux"]));
    assert_eq!((status, stdout.as_str()), (0, "42\n"), "{stderr}");
}

#[test]
fn unusable_projects() {
    let directory = projects();
    let path = directory.path();
    write(
        path,
        &[
            ("two/a.fidproj", ""),
            ("two/b.fidproj", ""),
            ("toml/clef.toml", "name = \"x\nsources = []"),
            ("empty/clef.toml", ""),
            ("itself/clef.toml", "name = \"main.fs\"\nsources = [\"main.fs\"]\n"),
            ("itself/main.fs", "let x = 1\n"),
            ("name/clef.toml", "name = \"a/b\"\nsources = [\"../good.clef\"]\n"),
            ("link/clef.toml", "name = \"link\"\nsources = [\"../good.clef\"]\nboards = \"microbit\"\n"),
            ("build/x.fidproj", "[package]\nname = \"x\"\n"),
            ("version/x.fidproj", "[build]\nsources = [\"../good.clef\"]\n[dependencies]\nalloy = \"1.0\"\n"),
        ],
    );
    fs::create_dir(path.join("none")).expect("it is writable");
    fs::create_dir(path.join("latin")).expect("it is writable");
    fs::write(path.join("latin/clef.toml"), b"name = \"gr\xfcn\"\n").expect("it is writable");
    for (arguments, parts) in [
        (&["check", "none"][..], &["E0012", "no project in `none`", "none/clef.toml"][..]),
        (&["check", "two"], &["E0012", "several projects", "two/a.fidproj"]),
        (&["check", "none/clef.toml"], &["E0001", "no such file"]),
        (&["check", "toml"], &["E0007", "toml/clef.toml:1:10"]),
        (&["check", "empty"], &["E0010", "`name`", "`sources`"]),
        (&["check", "name"], &["E0011", "name/clef.toml:1:9"]),
        (&["check", "link"], &["E0008", "did you mean `board`?"]),
        (&["check", "latin"], &["E0002", "latin/clef.toml", "0xfc"]),
        (&["check", "build"], &["E0010", "missing key `build`"]),
        (&["check", "version"], &["E0009", "version/x.fidproj:4:9", "a dependency by path"]),
        (&["check", "app", "good.clef"], &["E0005", "cannot combine the project `app`"]),
        (&["check", "good.clef", "none"], &["E0004", "`none`"]),
        (&["app", "-o", "app/src/app.clef"], &["E0005", "would overwrite the input"]),
        (&["app", "-o", "app/clef.toml"], &["E0005", "would overwrite the input"]),
        (&["itself", "--board", "host-linux"], &["E0005", "the input `itself/main.fs`"]),
        (&["check", "app", "--board", "small"], &["E0808", "unknown board `small`"]),
    ] {
        refused(path, arguments, parts);
    }
    refused(&path.join("two"), &["check"], &["E0012", "several projects"]);
}

/// The JSON objects on standard error, one a line.
fn messages(stderr: &str) -> Vec<serde_json::Value> {
    stderr.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect()
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
