//! Boards and targets: their descriptors and lists, and what they need on this machine.

use crate::{clefc, output, refused, workshop};
use std::fs;

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
