//! Memory: the pool of regions takes what is left, nothing where nothing asks for it, and what a project says.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

fn workshop(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("it is writable");
        fs::write(path, text).expect("it is writable");
    }
    directory
}

/// The status, and what was written.
fn clefc(directory: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    let Output { status, stdout, stderr } =
        command.args(arguments).current_dir(directory).stdin(Stdio::null()).output().expect("clefc starts");
    let text = |bytes| String::from_utf8(bytes).expect("clefc writes UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// The bytes of a part of an image, as the table of its memory has them.
fn part(table: &str, name: &str) -> u64 {
    let line = table.lines().find(|line| line.trim_start().starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().find_map(|word| word.replace(',', "").parse().ok()));
    number.unwrap_or(0)
}

/// Memory of an array whose size only a run tells, so that it cannot be made smaller.
const ARRAY: &str =
    "let samples: byte[] = Array.zeroCreate 6000\nsamples.[5999] <- 7uy\nprintfn \"%d\" (int samples.[5999])\n";

const CONTINUATIONS: &str = "let rec count n k = if n = 0 then k 0 else count (n - 1) (fun x -> k (x + 1))\n\
                             printfn \"%d\" (count 200000 (fun x -> x))\n";

#[test]
fn the_pool_takes_what_is_left() {
    let directory = workshop(&[("array.clef", ARRAY), ("deep.clef", CONTINUATIONS)]);
    let path = directory.path();
    for level in ["-O0", "-O2", "-Oz"] {
        let run = ["run", "--timeout", "60", level];
        let (status, printed, errors) = clefc(path, &[&run[..], &["--board", "microbit", "array.clef"]].concat());
        assert_eq!((status, printed.as_str()), (Some(0), "7\n"), "{level}: {errors}");
        let (status, printed, errors) = clefc(path, &[&run[..], &["--board", "mps2-an386", "deep.clef"]].concat());
        assert_eq!((status, printed.as_str()), (Some(0), "200000\n"), "{level}: {errors}");
    }
}

#[test]
fn a_program_without_regions_has_no_pool() {
    let directory = workshop(&[("array.clef", ARRAY), ("list.clef", CONTINUATIONS)]);
    let path = directory.path();
    let (status, _, table) = clefc(path, &["--board", "microbit", "-o", "a.elf", "array.clef"]);
    assert_eq!((status, part(&table, "region pool")), (Some(0), 0), "{table}");
    let (status, _, table) = clefc(path, &["--board", "microbit", "-o", "l.elf", "list.clef"]);
    assert_eq!(status, Some(0), "{table}");
    // 16 KiB without 4 KiB of stack and the variables, in whole pages.
    assert!((11 * 1024..12 * 1024 + 1).contains(&part(&table, "region pool")), "{table}");
}

#[test]
fn a_project_says_its_memory_and_its_level() {
    let with = |more: &str| format!("name = \"app\"\nsources = [\"main.clef\"]\nboard = \"microbit\"\n{more}");
    let directory = workshop(&[
        ("clef.toml", &with("stack = \"2K\"\npool = 4096\noptimisation = \"z\"\n")),
        ("main.clef", CONTINUATIONS),
    ]);
    let path = directory.path();
    let (status, _, table) = clefc(path, &["-o", "small.elf"]);
    assert_eq!(status, Some(0), "{table}");
    assert_eq!((part(&table, "stack"), part(&table, "region pool")), (2048, 4096), "{table}");
    let (status, _, other) = clefc(path, &["-o", "fast.elf", "-O3"]);
    assert_eq!(status, Some(0), "{other}");
    assert!(part(&table, ".text") < part(&other, ".text"), "{table}{other}");
    // Another machine has its own.
    let (status, _, table) = clefc(path, &["--board", "mps2-an386", "-o", "other.elf"]);
    assert!(status == Some(0) && part(&table, "stack") > 2048, "{table}");
    for (more, wanted) in [
        ("stack = 100\n", "clef.toml:4:9"),
        ("stack = \"20K\"\n", "clef.toml:4:10"),
        ("stack = \"3K\"\npool = \"64K\"\n", "clef.toml:5:9"),
        ("pool = \"4K\"\nstack = \"20K\"\n", "clef.toml:5:10"),
        ("stack = \"much\"\n", "clef.toml:4:10"),
        ("stack = 0\n", "clef.toml:4:9"),
        ("pool = 100\n", "clef.toml:4:8"),
        ("pool = [1]\n", "clef.toml:4:8"),
        ("optimisation = \"fast\"\n", "clef.toml:4:17"),
        ("optimisation = 4\n", "clef.toml:4:16"),
    ] {
        fs::write(path.join("clef.toml"), with(more)).expect("it is writable");
        let (status, _, errors) = clefc(path, &["-o", "wrong.elf"]);
        assert!(status == Some(1) && errors.contains(wanted), "{more}: {errors}");
    }
}

#[test]
fn a_project_with_an_entry_point_in_a_module_is_tested() {
    let directory = workshop(&[
        ("clef.toml", "name = \"app\"\nsources = [\"rules.clef\", \"program.clef\"]\n"),
        ("rules.clef", "module Rules\n\nlet double x = x + x\n"),
        (
            "program.clef",
            "module Program\n\nlet twice = Rules.double 21\n\n[<EntryPoint>]\nlet main _ =\n    printfn \"%d\" twice\n    0\n",
        ),
        (
            "tests/all.clef",
            "[<Test>]\nlet doubles () = Assert.equal 4 (Rules.double 2)\n\n[<Test>]\nlet known () = Assert.equal 42 Program.twice\n",
        ),
    ]);
    let (status, printed, errors) = clefc(directory.path(), &["run"]);
    assert_eq!((status, printed.as_str()), (Some(0), "42\n"), "{errors}");
    let (status, _, errors) = clefc(directory.path(), &["test"]);
    assert!(status == Some(0) && errors.contains("2 passed, 0 failed"), "{errors}");
}
