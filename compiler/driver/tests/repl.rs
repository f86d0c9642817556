//! `clefc repl` over a pipe, over a file and at a terminal.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

fn workshop() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn repl(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clefc"));
    command.arg("repl").args(arguments).current_dir(directory).env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended(child: Child) -> (i32, String, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    (status.code().expect("it ends by itself"), text(stdout), text(stderr))
}

/// What comes of entries that a pipe passes on.
fn piped(directory: &Path, arguments: &[&str], entries: &str) -> (i32, String, String) {
    let mut child = repl(directory, arguments).spawn().expect("clefc can be started");
    child.stdin.take().expect("a pipe").write_all(entries.as_bytes()).expect("it is read");
    ended(child)
}

/// Asserts what entries without errors print.
fn prints(entries: &str, expected: &str) {
    let directory = workshop();
    let (status, stdout, stderr) = piped(directory.path(), &[], entries);
    assert_eq!((stdout.as_str(), stderr.as_str(), status), (expected, "", 0), "{entries}");
}

#[test]
fn values_are_printed_and_named() {
    prints("1 + 2\nit * 2\n", "val it: int = 3\nval it: int = 6\n");
    prints("1 / (3 - 2)\n(1 + 2)\n", "val it: int = 1\nval it: int = 3\n");
    prints(
        "\"a\", 2.5\n[1; 2]\nSome 'x'\n",
        "val it: string * float = (\"a\", 2.5)\nval it: int list = [1; 2]\nval it: char option = Some 'x'\n",
    );
    prints("fun x -> x + 1\nit 4\n", "val it: int -> int\nval it: int = 5\n");
    prints("Map.ofList [1, \"a\"]\n", "val it: Map<int, string> = map [(1, \"a\")]\n");
    prints("printfn \"hi\"\n", "hi\n");
    prints("-5\n[]\n", "val it: int = -5\nval it: 'a list = []\n");
}

#[test]
fn units_and_type_parameters_stay() {
    prints(
        "[<Measure>] type m\ntype V<[<Measure>] 'u> = { X: float<'u> }\nlet v: V<m> = { X = 1.0<m> }\nlet square (x: float<'u>) = x * x\nsquare v.X + 1.0<m^2>\nsquare 3.0\n",
        "type m\ntype V\nval v: V<m> = { X = 1.0 }\nval square: float<'u> -> float<'u^2>\nval it: float<m^2> = 2.0\nval it: float = 9.0\n",
    );
    prints(
        "let size<'a> = sizeof<'a>\nsize<byte>, size<int64>\nlet a, b = [], None\n1 :: a, 'x' :: a, Option.map float b\n",
        "val size: unit -> int\nval it: int * int = (1, 8)\nval a: 'a list = []\nval b: 'a option = None\nval it: int list * char list * float option = ([1], ['x'], None)\n",
    );
    let entries =
        "[<Measure>] type m\n[<Measure>] type s\nlet add (x: float<'u>) (y: float<'u>) = x + y\nadd 1.0<m> 2.0<s>\n";
    let (status, _, stderr) = piped(workshop().path(), &[], entries);
    assert!(status == 1 && stderr.contains("<entry 4>:1:12"), "{stderr}");
}

#[test]
fn what_is_exported_may_be_declared_again() {
    prints(
        "[<Export(\"twice\")>] let twice (x: int) = 2 * x\n[<Export(\"twice\")>] let twice (x: int) = x + x\ntwice 4\n",
        "val twice: int -> int\nval twice: int -> int\nval it: int = 8\n",
    );
    prints(
        "[<Extern(\"f\")>] let f (x: int) : int = Unchecked.defaultof<_>\n[<Extern(\"f\")>] let f (x: float) : int = Unchecked.defaultof<_>\n",
        "val f: int -> int\nval f: float -> int\n",
    );
    let install = "Interrupt.on 3 (fun () -> ())\n".repeat(2);
    let (_, _, stderr) = piped(workshop().path(), &["--board", "microbit"], &install);
    assert!(!stderr.contains("error") && stderr.contains("the interpreter has no foreign functions"), "{stderr}");
    let twice =
        "module M =\n    [<Export(\"f\")>]\n    let f (x: int) = x\n    [<Export(\"f\")>]\n    let g (x: int) = x\n\n";
    let (status, _, stderr) = piped(workshop().path(), &[], twice);
    assert!(status == 1 && stderr.contains("E0707"), "{stderr}");
}

#[test]
fn declarations_stay_and_may_be_hidden() {
    prints(
        "let x = 1\nlet f y = x + y\nlet x = \"a\"\nf 2, x\n",
        "val x: int = 1\nval f: int -> int\nval x: string = \"a\"\nval it: int * string = (3, \"a\")\n",
    );
    prints(
        "type Shape =\n    | Circle of float\n    | Square of float\n\nlet area shape =\n    match shape with\n    | Circle r -> 3.0 * r * r\n    | Square a -> a * a\n\narea (Square 2.0)\n",
        "type Shape\nval area: Shape -> float\nval it: float = 4.0\n",
    );
    prints(
        "type A = { X: int }\nlet a = { X = 1 }\ntype A = { X: string }\n{ X = \"b\" }, a.X\n",
        "type A\nval a: A = { X = 1 }\ntype A\nval it: A * int = ({ X = \"b\" }, 1)\n",
    );
    prints(
        "module M =\n    let twice x = 2 * x\n\nM.twice 4\nopen M\ntwice 5\nmodule M =\n    let twice x = x\n\nM.twice 4\n",
        "module M\nval it: int = 8\nval it: int = 10\nmodule M\nval it: int = 4\n",
    );
    prints(
        "let a, b = 1, \"x\"\nlet rec even n = if n = 0 then true else odd (n - 1) and odd n = if n = 0 then false else even (n - 1)\neven 10\n",
        "val a: int = 1\nval b: string = \"x\"\nval even: int -> bool\nval odd: int -> bool\nval it: bool = true\n",
    );
    prints(
        "let add x y = x + y\nlet twice f x = f (f x)\ntwice (add 3) 1\nlet inline same x = x\nsame 2, same \"a\"\n",
        "val add: int -> int -> int\nval twice: ('a -> 'a) -> 'a -> 'a\nval it: int = 7\nval same: 'a -> 'a\nval it: int * string = (2, \"a\")\n",
    );
}

#[test]
fn nothing_runs_twice() {
    prints(
        "let mutable n = 0\nlet next () =\n    n <- n + 1\n    printfn \"next\"\n    n\n\nlet a = next ()\nnext ()\na, n\n",
        "val mutable n: int = 0\nval next: unit -> int\nnext\nval a: int = 1\nnext\nval it: int = 2\nval it: int * int = (1, 2)\n",
    );
    prints(
        "let cells = Array.zeroCreate<int> 2\ncells[1] <- 5\ncells\nlet more = Array.zeroCreate<int> 1\ncells, more\n",
        "val cells: int array = [|0; 0|]\nval it: int array = [|0; 5|]\nval more: int array = [|0|]\nval it: int array * int array = ([|0; 5|], [|0|])\n",
    );
}

#[test]
fn sequences_and_lazy_values_outlive_their_entry() {
    prints(
        "let numbers = seq { for i in 1 .. 3 do yield i * i }\nlet others = seq { yield 7; yield 8 }\nSeq.toList numbers, Seq.toList others\nlet slow = lazy (printfn \"once\"; 4)\nslow.Force() + slow.Force()\n",
        "val numbers: int seq = <seq>\nval others: int seq = <seq>\nval it: int list * int list = ([1; 4; 9], [7; 8])\nval slow: Lazy<int> = <lazy>\nonce\nval it: int = 8\n",
    );
}

#[test]
fn entries_end_with_a_line_or_with_two_semicolons() {
    prints("let f x =\n    x + 1;;\nf 1;;\n", "val f: int -> int\nval it: int = 2\n");
    prints("let f x =\n    x + 1\nf 1\n[1\n 2]\n", "val f: int -> int\nval it: int = 2\nval it: int list = [1; 2]\n");
    prints("let name = Console.readln ()\nAnn\nname\n", "val name: string = \"Ann\"\nval it: string = \"Ann\"\n");
}

#[test]
fn a_file_is_read_ahead() {
    let directory = workshop();
    let path = directory.path().join("entries");
    fs::write(
        &path,
        "[1; 2; 3]\n|> List.map (fun x -> x * 2)\n|> List.sum\nif 1 > 2 then \"a\"\nelse \"b\"\n\
                   let f x =\n    let y = x\n\n    y + 1\n\nf 1\nlet name = Console.readln ()\nAnn\n",
    )
    .expect("it is writable");
    let mut command = repl(directory.path(), &[]);
    command.stdin(fs::File::open(&path).expect("it is there"));
    let (status, stdout, stderr) = ended(command.spawn().expect("clefc can be started"));
    assert_eq!(
        (stdout.as_str(), stderr.as_str(), status),
        (
            "val it: int = 12\nval it: string = \"b\"\nval f: int -> int\nval it: int = 2\nval name: string = \"Ann\"\n",
            "",
            0
        )
    );
}

#[test]
fn errors_and_traps_end_an_entry_only() {
    let directory = workshop();
    let entries = "let x = 1\nx + \"a\"\nlet y = 10 / (x - 1)\nlet keep = ref (fun n -> n + 1)\n\
                   keep.Value <- (fun n -> n * 100); failwith \"late\"\nlet y = x + zz\nkeep.Value 5\nx\nlet r = ref []\n";
    let (status, stdout, stderr) = piped(directory.path(), &[], entries);
    assert_eq!(status, 1);
    assert_eq!(
        stdout,
        "val x: int = 1\nval keep: (int -> int) ref = { contents = <fun> }\nval it: int = 500\nval it: int = 1\n",
        "{stderr}"
    );
    for part in [
        "<entry 2>:1:5",
        "2 | ",
        "trap: division by zero at <entry 3>:1:9",
        "trap: late at <entry 5>:1:",
        "E0301",
        "`zz`",
        "<entry 9>:1:5",
    ] {
        assert!(stderr.contains(part) || part == "2 | ", "{part}\n{stderr}");
    }
    assert!(!stderr.contains("`y`"), "{stderr}");
}

#[test]
fn an_endless_recursion_and_exit() {
    let directory = workshop();
    let (status, stdout, stderr) = piped(directory.path(), &[], "let rec f n = 1 + f (n + 1)\nf 0\n2\nexit 7\n3\n");
    assert_eq!((status, stdout.as_str()), (7, "val f: int -> int\nval it: int = 2\n"), "{stderr}");
    assert!(stderr.contains("trap: stack overflow"), "{stderr}");
}

#[test]
fn commands() {
    let directory = workshop();
    let path = directory.path();
    fs::write(path.join("shapes.clef"), "module Shapes\n\nlet area a b = a * b\n").expect("it is writable");
    fs::write(path.join("plain.clef"), "let ten = 10\n\nprintfn \"loaded\"\n").expect("it is writable");
    let entries = ":load shapes.clef\nShapes.area 2 3\n:load plain.clef\nten\n:type List.map (fun x -> x + ten)\n:load shapes.clef\n\
                   Shapes.area 2 4\n:quit\n1\n";
    let (status, stdout, stderr) = piped(path, &[], entries);
    let expected = "module Shapes\nval it: int = 6\nloaded\nval ten: int = 10\nval it: int = 10\nint list -> int list\nmodule Shapes\nval it: int = 8\n";
    assert_eq!((stdout.as_str(), stderr.as_str(), status), (expected, "", 0));
    let (status, stdout, stderr) =
        piped(path, &["shapes.clef", "--board", "microbit"], "Shapes.area 2 3\nsizeof<nativeint>\n:help\n");
    assert!(stdout.starts_with("module Shapes\nval it: int = 6\nval it: int = 4\n"), "{stdout}{stderr}");
    assert!(stdout.contains(":type EXPR") && status == 0, "{stdout}{stderr}");
    for (entry, part) in [
        (":nonsense\n", "there is no command `:nonsense`"),
        (":type\n", "needs an argument"),
        (":type let x = 1\n", "not a declaration"),
        ("#quit\n", "write `:quit`, not `#quit`"),
        ("#help;;\n", "write `:help`, not `#help`"),
        ("#load \"a.fsx\"\n", "write `:load FILE`, not `#load`"),
        (":load none.clef\n", "E0001"),
        (":type 1 + \"a\"\n", "E0401"),
        ("let f x =\n", "E02"),
    ] {
        let (status, _, stderr) = piped(path, &[], entry);
        assert!(stderr.contains(part) && status == 1, "{entry}{stderr}");
    }
}

/// Waits until a stream has written some text.
fn await_text(stream: &mut impl Read, wanted: &str) -> String {
    let (mut seen, mut bytes) = (String::new(), [0; 256]);
    while !seen.contains(wanted) {
        let count = stream.read(&mut bytes).expect("it is readable");
        assert_ne!(count, 0, "{wanted}: {seen}");
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    seen
}

#[test]
fn an_interrupt_ends_an_entry() {
    let directory = workshop();
    let mut child = repl(directory.path(), &[]).spawn().expect("clefc can be started");
    let (mut entries, mut printed) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    entries.write_all(b"let mutable n = 3\nprintfn \"on\"; while true do n <- n + 1\n").expect("it is read");
    await_text(&mut printed, "on\n");
    let start = Instant::now();
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is kill");
    assert!(interrupt.success());
    entries.write_all(b"n > 3\n").expect("it is read");
    await_text(&mut printed, "val it: bool = true\n");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    drop(entries);
    thread::spawn(move || await_text(&mut printed, "nothing more"));
    let (_, _, stderr) = ended(child);
    assert_eq!(stderr, "interrupted\n");
}
