//! Libraries for C, and bindings of its headers.

use crate::{clefc, listing, output, refused, workshop};
use std::fs;

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
    assert!(header.contains("\n#define step_STACK 136\n"), "{header}");
    let taken = "[<Export(\"q\")>]\nlet q () = ()\n[<Export(\"q_STACK\")>]\nlet other () = ()\n";
    fs::write(path.join("taken.clef"), taken).expect("it is writable");
    let (status, _, stderr) = output(&mut clefc(path, &["--emit", "lib", "taken.clef"]));
    assert_eq!((status, stderr.as_str()), (0, ""));
    let header = fs::read_to_string(path.join("libtaken.h")).expect("it is there");
    assert!(header.contains("/* q: at most 136 bytes */\n#define q_STACK_STACK 136\n"), "{header}");
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
    refused(path, &["bind", "a.h", "--allowlist", "none*"], &["E0005", "`--allowlist none*` matches no name in `a.h`"]);
    refused(path, &["bind", "none.h"], &["E0001", "none.h"]);
    refused(path, &["bind", "a.h", "-o", "A.clef", "--", "-include", "none.h"], &["E0812", "file not found"]);
    assert_eq!(listing(path), ["a.h", "good.clef"]);
}

#[test]
fn bindings_do_not_hide_what_programs_name() {
    let directory = workshop();
    let path = directory.path();
    let header = "enum mode { OFF, ON };\nenum mode mode(enum mode m);\nstruct list { struct list *next; int v; };\n\
        struct option { int x; };\ntypedef int string;\nstring size(struct option o);\n";
    fs::write(path.join("dev.h"), header).expect("it is writable");
    let (status, _, stderr) = output(&mut clefc(path, &["bind", "dev.h", "-o", "Dev.clef"]));
    assert_eq!((status, stderr.as_str()), (0, ""));
    let program = "open Dev\nlet numbers: int list = [ 1; 2 ]\nlet text: string = \"x\"\nlet some: int option = Some 3\n\
        let on = mode mode_.ON\nlet off = Dev.mode_.OFF\nprintfn \"%A %s %A\" numbers text some\n\
        printfn \"%b %d\" (on = off) (size { x = 1l })\n";
    fs::write(path.join("main.clef"), program).expect("it is writable");
    let (status, _, stderr) = output(&mut clefc(path, &["check", "Dev.clef", "main.clef"]));
    assert_eq!((status, stderr.as_str()), (0, ""));
    let (status, stdout, _) = output(&mut clefc(path, &["fmt", "--check", "Dev.clef"]));
    assert_eq!((status, stdout.as_str()), (0, ""));
}
