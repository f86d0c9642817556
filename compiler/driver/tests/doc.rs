//! `clefc doc` on projects: what it writes, and what it rejects.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const LIGHT: &str = "\
/// Lights, see `Light.twice`.
module Light

/// A colour.
type Colour =
    /// Stop.
    | Red
    | Green of level: int

/// Twice a *number*.
///
///     Light.twice 4 = 8
///     printfn \"%d\" (Light.twice 3) // 6
let twice x = x * 2

/// A colour.
///
/// ```clef,check
/// Light.colour 3
/// ```
let colour (level: int) : Colour = Green level

/// Not for others.
let private hidden = 1
";

/// A project of these files, in a directory of its own.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let names: Vec<String> = files.iter().map(|(name, _)| format!("{name:?}")).collect();
    let manifest = format!("name = \"lights\"\nsources = [{}]\n", names.join(", "));
    for (name, text) in files.iter().copied().chain([("clef.toml", manifest.as_str())]) {
        fs::write(directory.path().join(name), text).expect("it is writable");
    }
    directory
}

/// The status of `clefc doc` in a directory, and what it says.
fn doc(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    let Output { status, stderr, .. } =
        command.arg("doc").args(arguments).current_dir(directory).output().expect("clefc starts");
    (status.success(), String::from_utf8_lossy(&stderr).into_owned())
}

fn page(directory: &Path, path: &str) -> String {
    fs::read_to_string(directory.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_project_has_pages_sources_and_a_search() {
    let project = project(&[("light.clef", LIGHT)]);
    assert_eq!(doc(project.path(), &[]), (true, String::new()));
    let light = page(project.path(), "doc/modules/Light.html");
    for part in [
        "<section id=\"twice\">",
        "<p>Twice a <em>number</em>.</p>",
        "<a href=\"#type:Colour\">Colour</a>",
        "<a class=\"source\" href=\"../source/light.clef.html#L",
        "<dt><code>Red</code></dt><dd><p>Stop.</p>",
        "<a href=\"#twice\"><code>Light.twice</code></a>",
    ] {
        assert!(light.contains(part), "{part}\n{light}");
    }
    assert!(!light.contains("id=\"hidden\""));
    let index = page(project.path(), "doc/search-index.js");
    assert!(
        index.contains(
            "[\"Light.twice\",\"function\",\"modules/Light.html#twice\",\"x: int -> int\",\"Twice a *number*.\"]"
        ),
        "{index}"
    );
    assert!(page(project.path(), "doc/index.html").contains("href=\"modules/Light.html\""));
}

#[test]
fn a_later_site_replaces_an_earlier_one() {
    let project = project(&[("light.clef", LIGHT)]);
    assert!(doc(project.path(), &[]).0);
    fs::write(project.path().join("doc/own.txt"), "kept").expect("it is writable");
    let renamed = LIGHT.replace("module Light", "module Lamp").replace("Light.", "Lamp.");
    fs::write(project.path().join("light.clef"), renamed).expect("it is writable");
    assert_eq!(doc(project.path(), &[]), (true, String::new()));
    assert!(project.path().join("doc/modules/Lamp.html").exists());
    assert!(!project.path().join("doc/modules/Light.html").exists());
    assert_eq!(page(project.path(), "doc/own.txt"), "kept");
}

#[test]
fn pages_are_part_of_the_site() {
    let project = project(&[("light.clef", LIGHT)]);
    let guide = project.path().join("guide");
    fs::create_dir(&guide).expect("it is writable");
    fs::write(guide.join("start.md"), "# Start\n\n[More](more.md#the-rest), `Light.twice`, [code](../light.clef)\n")
        .expect("it is writable");
    fs::write(guide.join("more.md"), "# More\n\n## The rest\n\n[lost](nowhere.md)\n").expect("it is writable");
    let (succeeded, said) = doc(project.path(), &["--pages", "guide"]);
    assert!(
        !succeeded && said.contains("error[E0962]: the link `nowhere.md` of the page `more.html` leads nowhere"),
        "{said}"
    );
    assert!(!project.path().join("doc").exists());
    fs::write(guide.join("more.md"), "# More\n\n## The rest\n").expect("it is writable");
    assert_eq!(doc(project.path(), &["--pages", "guide"]), (true, String::new()));
    let start = page(project.path(), "doc/start.html");
    for part in ["href=\"more.html#the-rest\"", "href=\"modules/Light.html#twice\"", "href=\"files/light.clef.html\""] {
        assert!(start.contains(part), "{part}\n{start}");
    }
}

#[test]
fn wrong_examples_are_errors_with_their_places() {
    let wrong = LIGHT.replace("= 8", "= 9").replace("// 6", "// 7").replace("Light.colour 3", "Light.colour \"3\"");
    let project = project(&[("light.clef", &wrong)]);
    let (succeeded, said) = doc(project.path(), &[]);
    assert!(!succeeded && said.contains("error[E0401]") && said.contains("light.clef:21:"), "{said}");
    let wrong = wrong.replace("\"3\"", "3");
    fs::write(project.path().join("light.clef"), wrong).expect("it is writable");
    let (succeeded, said) = doc(project.path(), &[]);
    assert!(!succeeded, "{said}");
    for part in ["the value is 8, but the example says 9", "light.clef:12:9", "printed \"6\\n\", but says \"7\\n\""] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let trap = LIGHT.replace("x * 2", "if x > 3 then failwith \"too large\" else x * 2");
    fs::write(project.path().join("light.clef"), trap).expect("it is writable");
    let (succeeded, said) = doc(project.path(), &[]);
    assert!(
        !succeeded && said.contains("the example ends with a trap: too large") && said.contains("light.clef:12:9"),
        "{said}"
    );
    assert!(!project.path().join("doc").exists());
}

#[test]
fn examples_of_the_main_file_cannot_run() {
    let main = format!("{LIGHT}\n[<EntryPoint>]\nlet main _ = 0\n");
    let project = project(&[("light.clef", &main)]);
    let (succeeded, said) = doc(project.path(), &[]);
    assert!(!succeeded && said.contains("is the main file of the program, so its examples cannot run"), "{said}");
}

#[test]
fn directories_that_cannot_be_used_are_rejected() {
    let project = project(&[("light.clef", LIGHT)]);
    let (succeeded, said) = doc(project.path(), &["-o", "."]);
    assert!(
        !succeeded && said.contains("`.` has other files than those of a site") && said.contains("-o DIR"),
        "{said}"
    );
    let (succeeded, said) = doc(project.path(), &["-o", "light.clef"]);
    assert!(!succeeded && said.contains("error[E0003]: cannot write to `light.clef`"), "{said}");
    let (succeeded, said) = doc(project.path(), &["-o", "light.clef/doc"]);
    assert!(!succeeded && said.contains("error[E0003]"), "{said}");
    let empty = tempfile::tempdir().expect("a temporary directory");
    let (succeeded, said) = doc(empty.path(), &[]);
    assert!(!succeeded && said.contains("error[E0012]"), "{said}");
    let (succeeded, said) = doc(project.path(), &["--pages", "absent"]);
    assert!(!succeeded && said.contains("cannot read `absent`"), "{said}");
    fs::write(empty.path().join("main.clef"), "printfn \"1\"\n").expect("it is writable");
    let (succeeded, said) = doc(empty.path(), &["main.clef"]);
    assert!(!succeeded && said.contains("the program has no public module"), "{said}");
}
