//! Storage of small programs, and every program of `tests/run` at each level on the machine that checks the
//! lifetime of memory.

use super::{FrameLimits, listing, storage, verify};
use clef_optimise::Level;
use clef_testing::{checked, with_large_stack};
use std::{fs, num::NonZeroUsize, path::Path, sync::Mutex, thread};

const LEVELS: [Level; 3] = [Level::Debug, Level::Speed, Level::Size];

/// The storage of each allocation of a program that is lowered but not simplified, with the reason.
fn decisions(text: &str) -> String {
    let checked = checked("a.clef", text);
    let listing = listing(&checked.placed(Level::Debug), &checked.sources);
    let place = |row: &super::Row| checked.sources.place(row.place);
    let own = listing.rows.iter().filter(|row| place(row).starts_with("a.clef"));
    own.map(|row| format!("{} {}: {} because {}\n", place(row), row.what, row.storage, row.reason)).collect()
}

/// How the function values of each type are stored in a program that is lowered but not simplified.
fn stored(text: &str) -> Vec<(String, Result<Vec<String>, String>)> {
    let checked = checked("a.clef", text);
    let listing = listing(&checked.placed(Level::Debug), &checked.sources);
    let held = |lambda: &super::Lambda| lambda.captures.join(", ");
    let one = |row: super::Stored| (row.ty, row.kept.map(|lambdas| lambdas.iter().map(held).collect()));
    listing.stored.into_iter().map(one).collect()
}

#[test]
fn a_handler_that_is_replaced_is_stored_by_value() {
    let found = stored(
        "let mutable handler = fun (n: int) -> n\nlet install factor = handler <- fun n -> n * factor\ninstall (String.length \"ab\")\nConsole.writeln (Format.int (handler 2))\n",
    );
    assert_eq!(found, [("int -> int".into(), Ok(vec![String::new(), "int".into()]))]);
}

#[test]
fn a_closure_that_holds_its_kind_is_stored_by_address() {
    let found = stored(
        "type Next = { Step: int -> Next; At: int }\nlet cell = ref { Step = (fun _ -> failwith \"none\"); At = String.length \"ab\" }\nlet rec next (last: Next) = { Step = (fun n -> next last); At = last.At + 1 }\ncell.Value <- next cell.Value\nConsole.writeln (Format.int cell.Value.At)\n",
    );
    let [(_, Err(why))] = &found[..] else { panic!("{found:?}") };
    assert!(why.contains("captures a value of this type"), "{why}");
}

#[test]
fn closures_of_unknown_origin_are_stored_by_address() {
    let found = stored(
        "let cell = ref (fun (n: int) -> n)\nlet keep (wrap: (int -> int) -> int -> int) = cell.Value <- wrap (fun n -> n)\nlet factor = String.length \"ab\"\nkeep (fun f -> fun n -> f n * factor)\nkeep (fun f -> f)\nConsole.writeln (Format.int (cell.Value 2))\n",
    );
    let [(_, Err(why))] = &found[..] else { panic!("{found:?}") };
    assert!(why.contains("the origin of the closure stored at a.clef:2"), "{why}");
}

/// Fails unless a program's allocations get this storage.
fn expect(text: &str, wanted: &[&str]) {
    let found = decisions(text);
    for line in wanted {
        assert!(found.contains(line), "{line:?} is not in\n{found}");
    }
}

#[test]
fn a_returned_closure_is_in_a_region() {
    expect(
        "let makeAdder n =\n    let m = n + 1\n    fun x -> x + m\nlet f = makeAdder (String.length \"ab\")\nlet g = makeAdder 3\nConsole.writeln (Format.int (f 1 + g 2))\n",
        &["Region because returned at"],
    );
}

#[test]
fn a_closure_that_is_only_called_is_on_the_stack() {
    expect(
        "let twice (f: int -> int) x = f (f x)\nlet run n = twice (fun x -> x + n) 1\nConsole.writeln (Format.int (run 2 + run 3))\n",
        &["Stack because no use outlives the frame"],
    );
}

#[test]
fn a_single_instance_is_static() {
    expect(
        "let cell = ref 1\ncell := 2\nlet bump () = cell := !cell + 1\nbump ()\nConsole.writeln (Format.int (!cell))\n",
        &["ref cell of int: Static because it is allocated at most once per program"],
    );
}

#[test]
fn a_cell_that_a_function_makes_and_keeps_is_on_the_stack() {
    expect(
        "let sum n =\n    let total = ref 0\n    for i = 1 to n do total := !total + i\n    !total\nConsole.writeln (Format.int (sum 3 + sum 4))\n",
        &["ref cell of int: Stack"],
    );
}

#[test]
fn a_closure_passed_to_the_next_iteration_is_in_a_region() {
    expect(
        "let rec build n (f: int -> int) = if n = 0 then f 0 else build (n - 1) (fun x -> f x + n)\nConsole.writeln (Format.int (build 3 (fun x -> x)))\n",
        &["Region because allocated in each iteration"],
    );
}

#[test]
fn a_closure_given_to_a_cycle_of_tail_calls_is_in_a_region() {
    expect(
        "let rec even n (k: bool -> int) = if n = 0 then k true else odd (n - 1) (fun b -> k b + n)\nand odd n (k: bool -> int) = if n = 0 then k false else even (n - 1) (fun b -> k b + n)\nConsole.writeln (Format.int (even 4 (fun b -> if b then 1 else 0)))\n",
        &["Region because an argument of the tail call at"],
    );
}

#[test]
fn what_a_loop_keeps_for_the_next_iteration_is_in_a_region() {
    expect(
        "let run n =\n    let mutable f = fun (x: int) -> x\n    for i = 1 to n do\n        let g = f\n        f <- fun x -> g x + i\n    f 0\nConsole.writeln (Format.int (run 3))\n",
        &["Region because allocated in each iteration"],
    );
}

#[test]
fn joined_text_is_in_a_region_and_a_number_on_the_stack() {
    expect(
        "let join (a: string) n = a + Format.int n\nConsole.writeln (join \"a\" 1)\nConsole.writeln (join \"b\" 2)\n",
        &["string: Region because its size is known only at run time"],
    );
    expect(
        "let show (n: int) = Console.writeln $\"{n}!\"\nshow 1\nshow 2\n",
        &["string: Stack because no use outlives the frame"],
    );
}

#[test]
fn the_listing_counts() {
    let checked = checked(
        "a.clef",
        "let f n = fun x -> x + n\nlet a = f 1\nlet b = f 2\nConsole.writeln (Format.int (a 1 + b 2))\n",
    );
    let text = storage(&checked.placed(Level::Debug), &checked.sources);
    assert!(text.lines().last().is_some_and(|line| line.contains("functions called directly")), "{text}");
}

/// Many iterations test constant stack, which concerns boards; for the lifetime of memory a few suffice.
const FEWER_ITERATIONS: [(&str, &str); 3] = [("1000000", "10000"), ("1000001", "10001"), ("999999", "9999")];

/// Library modules that exist only on boards.
const OF_BOARDS: [&str; 9] = ["Gpio.", "Uart.", "I2c.", "Spi.", "Timer.", "Watchdog.", "Settings.", "Flash.", "Rng."];

#[test]
#[expect(clippy::disallowed_methods, reason = "the programs of the workspace are files")]
fn every_program_keeps_its_meaning_and_its_memory() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let paths = fs::read_dir(directory).expect("the programs are there").map(|entry| entry.expect("an entry").path());
    let programs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "clef")).collect();
    assert!(!programs.is_empty());
    let (programs, failed) = (Mutex::new(programs), Mutex::new(Vec::new()));
    let next = || programs.lock().expect("no worker panics").pop();
    let work = || {
        while let Some(path) = next() {
            let text = fs::read_to_string(&path).expect("a program can be read");
            if OF_BOARDS.iter().any(|module| text.contains(module)) || text.starts_with("// interpreter: never") {
                continue;
            }
            let text = FEWER_ITERATIONS.iter().fold(text, |text, (many, few)| text.replace(many, few));
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let own = name.clone();
            if std::panic::catch_unwind(|| with_large_stack(move || keeps(&own, &text))).is_err() {
                failed.lock().expect("no worker panics").push(name);
            }
        }
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let failed = failed.into_inner().expect("no worker panics");
    assert!(failed.is_empty(), "{failed:?}");
}

fn keeps(name: &str, text: &str) {
    let checked = checked(name, text);
    assert_eq!(clef_analysis::escape::check(&checked.psg), [], "{name}");
    let wanted = checked.run("");
    for level in LEVELS {
        let program = checked.placed(level);
        let violations = clef_core::verify::verify(&program);
        assert!(violations.is_empty(), "{name} at {level:?}: {violations:?}");
        assert_eq!(verify(&program, FrameLimits::default()), Ok(()), "{name} at {level:?}");
        assert_eq!(checked.run_core(&program, ""), wanted, "{name} at {level:?}");
    }
}
