//! All library functions that trap report the line of the program that calls them, or that uses them as a value: in the
//! interpreter, and with Core at each level.

use clef_interpret::Outcome;
use clef_optimise::Level;
use clef_testing::checked;

/// Calls that trap in the library, one on each line.
const TRAPS: &[&str] = &[
    // Lists.
    "List.head empty",
    "List.tail empty",
    "List.last empty",
    "List.exactlyOne empty",
    "List.exactlyOne short",
    "List.item 2 short",
    "List.nth short 2",
    "short[5]",
    "short.[-1]",
    "short.Head + empty.Head",
    "empty.Tail",
    "List.init -1 id",
    "List.replicate -1 0",
    "List.iter2 (fun a b -> printfn \"%d\" (a + b)) short empty",
    "List.iteri2 (fun i a b -> printfn \"%d\" (i + a + b)) short [ 1 ]",
    "List.map2 (+) short empty",
    "List.mapi2 (fun i a b -> i + a + b) short empty",
    "List.map3 (fun a b c -> a + b + c) short short empty",
    "List.fold2 (fun s a b -> s + a + b) 0 short empty",
    "List.foldBack2 (fun a b s -> s + a + b) short empty 0",
    "List.reduce (+) empty",
    "List.reduceBack (+) empty",
    "List.find (fun x -> x > 5) short",
    "List.findBack (fun x -> x > 5) short",
    "List.findIndex (fun x -> x > 5) short",
    "List.pick (fun x -> if x > 5 then Some x else None) short",
    "List.exists2 (fun a b -> a > b) short [ 1 ]",
    "List.forall2 (fun a b -> a >= b) short [ 1 ]",
    "List.average (List.map float empty)",
    "List.averageBy float empty",
    "List.min empty",
    "List.max empty",
    "List.minBy (fun x -> -x) empty",
    "List.maxBy (fun x -> -x) empty",
    "List.take 3 short",
    "List.take -1 short",
    "List.skip 3 short",
    "List.splitAt 3 short",
    "List.chunkBySize 0 short",
    "List.splitInto 0 short",
    "List.windowed 0 short",
    "List.insertAt 3 0 short",
    "List.insertManyAt 3 [ 0 ] short",
    "List.removeAt 2 short",
    "List.removeManyAt 1 2 short",
    "List.updateAt 2 0 short",
    "List.zip short empty",
    "List.zip3 short short empty",
    "List.transpose [ [ 1 ]; [ 1; 2 ] ]",
    "List.permute (fun _ -> 0) short",
    // Arrays.
    "Array.head none",
    "Array.tail none",
    "Array.last none",
    "Array.exactlyOne none",
    "Array.item 2 two",
    "Array.get two 2",
    "two[2]",
    "Array.create -1 0",
    "Array.replicate -1 0",
    "(Array.zeroCreate -1: int array)",
    "Array.init -1 id",
    "Array.sub two 1 2",
    "Array.fill two 1 2 0",
    "Array.blit two 0 two 1 2",
    "Array.map2 (+) two none",
    "Array.mapi2 (fun i a b -> i + a + b) two none",
    "Array.map3 (fun a b c -> a + b + c) two two none",
    "Array.iter2 (fun a b -> printfn \"%d\" (a + b)) two none",
    "Array.iteri2 (fun i a b -> printfn \"%d\" (i + a + b)) two none",
    "Array.fold2 (fun s a b -> s + a + b) 0 two none",
    "Array.foldBack2 (fun a b s -> s + a + b) two none 0",
    "Array.reduce (+) none",
    "Array.reduceBack (+) none",
    "Array.find (fun x -> x > 5) two",
    "Array.findBack (fun x -> x > 5) two",
    "Array.findIndex (fun x -> x > 5) two",
    "Array.findIndexBack (fun x -> x > 5) two",
    "Array.pick (fun x -> if x > 5 then Some x else None) two",
    "Array.exists2 (fun a b -> a > b) two none",
    "Array.forall2 (fun a b -> a > b) two none",
    "Array.average (Array.map float none)",
    "Array.averageBy float none",
    "Array.min none",
    "Array.max none",
    "Array.minBy (fun x -> -x) none",
    "Array.maxBy (fun x -> -x) none",
    "Array.take 3 two",
    "Array.skip 3 two",
    "Array.splitAt 3 two",
    "Array.chunkBySize 0 two",
    "Array.splitInto 0 two",
    "Array.windowed 0 two",
    "Array.insertAt 3 0 two",
    "Array.insertManyAt 3 none two",
    "Array.removeAt 2 two",
    "Array.removeManyAt 1 2 two",
    "Array.updateAt 2 0 two",
    "Array.zip two none",
    "Array.zip3 two two none",
    "Array.transpose [| [| 1 |]; none |]",
    "Array.permute (fun _ -> 0) two",
    // Sequences, some of which trap during enumeration.
    "Seq.head (Seq.ofList empty)",
    "Seq.last (Seq.ofList empty)",
    "Seq.exactlyOne short",
    "Seq.item 2 short",
    "Seq.nth 2 short",
    "Seq.sum (Seq.skip 3 short)",
    "empty |> Seq.tail |> Seq.length",
    "Seq.reduce (+) empty",
    "Seq.average (Seq.map float empty)",
    "Seq.averageBy float empty",
    "Seq.min empty",
    "Seq.max empty",
    "Seq.minBy (fun x -> -x) empty",
    "Seq.maxBy (fun x -> -x) empty",
    "Seq.find (fun x -> x > 5) short",
    "Seq.findIndex (fun x -> x > 5) short",
    "Seq.pick (fun x -> if x > 5 then Some x else None) short",
    "Seq.windowed 0 short |> Seq.length",
    "Seq.chunkBySize 0 short |> Seq.length",
    // Strings that do not parse.
    "Parse.int8 \"?\"",
    "Parse.int16 \"?\"",
    "Parse.int32 \"?\"",
    "Parse.int64 \"?\"",
    "Parse.int \"?\"",
    "Parse.uint8 \"?\"",
    "Parse.uint16 \"?\"",
    "Parse.uint32 \"?\"",
    "Parse.uint64 \"?\"",
    "Parse.uint \"?\"",
    "Parse.nativeint \"?\"",
    "Parse.unativeint \"?\"",
    "Parse.hex \"?\"",
    "Parse.octal \"?\"",
    "Parse.binary \"?\"",
    "Parse.float \"?\"",
    "Parse.float32 \"?\"",
    "Parse.bool \"?\"",
    "int \"?!\"",
    "uint8 \"?!\"",
    "float \"?!\"",
    "float32 \"?!\"",
    "char \"?!\"",
    "Checked.int8 \"?!\"",
    // Maps, sets and options.
    "Map.find 2 ages",
    "ages[2]",
    "Map.pick (fun k v -> if k > 5 then Some v else None) ages",
    "Map.findKey (fun k v -> k > 5 + v) ages",
    "Map.minKeyValue nobody",
    "Map.maxKeyValue nobody",
    "Set.minElement Set.empty + 0",
    "Set.maxElement Set.empty + 0",
    "Set.intersectMany [ Set.ofList short ] + Set.intersectMany []",
    "Option.get absent",
    "absent.Value",
    // Strings.
    "text[5]",
    "String.byteAt 5 text",
    "String.slice 2 5 text",
    "String.substring 1 1 text",
    "text.Substring 7",
    "text.Substring(1, 7)",
    "text[1..1]",
    "String.replicate -1 text",
    "String.insert 9 \"a\" text",
    "String.remove 3 3 text",
    "String.replace \"\" \"a\" text",
    "sprintf \"%.*f\" -1 1.0",
    "sprintf \"%.*e\" 40 1.0",
    // As values, with some of their arguments, and within functions that others call.
    "List.map List.head [ short; empty ]",
    "List.map (List.item 1) [ short; [ 1 ] ]",
    "Array.map (Array.get two) [| 1; 2 |]",
    "let third = List.item 2 in third short",
    "let first: int list -> int = List.head in (first short, first empty)",
    "(List.rev >> List.head) empty",
    "empty |> (List.head |> fun f -> f)",
    "Option.map (List.reduce (+)) (Some empty)",
    "(fun f g -> f g) (List.map2 (+) short) empty",
    "(let pick a b = if List.length short > 5 then a else b in pick List.last List.head) empty",
    "Seq.map List.head [ short; empty ] |> Seq.toList",
    "List.map ((/) 1) [ 1; 0 ]",
    "List.map ((/) 2) [ 1; 0 ]",
    "List.map2 (%) short [ 1; 0 ]",
    "List.map2 (%) [ 1; 0 ] [ 0; 1 ]",
    "Array.map (Array.get none) [| 1; 2 |]",
];

/// The definitions that the lines use.
const BEFORE: &str = "\
let empty: int list = List.filter (fun x -> x > 5) [ 1; 2 ]
let short = List.filter (fun x -> x < 5) [ 1; 2 ]
let none = Array.ofList empty
let two = Array.ofList short
let ages = Map.ofList [ 1, 36 ]
let nobody = Map.remove 1 ages
let absent = List.tryHead empty
let text = \"\\u00e4\\u00f6b\"
let chosen = Console.tryReadln () |> Option.bind Parse.tryInt |> Option.defaultValue -1
";

#[test]
fn every_trap_of_the_library_reports_the_line_of_the_program() {
    clef_testing::with_large_stack(|| {
        let mut text = BEFORE.to_owned();
        for (number, line) in TRAPS.iter().enumerate() {
            text += &format!("if chosen = {number} then ignore ({line})\n");
        }
        let checked = checked("a.clef", &text);
        let programs = [Level::Debug, Level::Speed, Level::Size].map(|level| checked.simplified(level));
        let first = BEFORE.lines().count() + 1;
        let mut wrong = String::new();
        for (number, line) in TRAPS.iter().enumerate() {
            let place = format!("a.clef:{}:", first + number);
            let input = format!("{number}\n");
            let outcome = checked.run(&input);
            let fits = matches!(&outcome.1, Outcome::Trapped(trap)
                if trap.span.is_some_and(|span| checked.sources.place(span).starts_with(&place)));
            if !fits {
                wrong += &format!("{line}: {:?}\n", outcome.1);
            }
            for program in &programs {
                let compiled = checked.run_core(program, &input);
                if compiled != outcome {
                    wrong += &format!("{line}: {outcome:?} on the interpreter, {compiled:?} as Core\n");
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    });
}
