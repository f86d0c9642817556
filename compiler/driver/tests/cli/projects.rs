//! Projects: new ones, their files and products, and their dependencies.

use crate::{clefc, listing, output, refused, workshop, write};
use std::fs;
use tempfile::TempDir;

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
