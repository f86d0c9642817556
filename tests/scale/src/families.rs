//! Families of programs: each can be generated in any size, and its work should grow linearly.
//!
//! In: a number. Out: a program that compiles without errors, with `count` elements of the family's kind.

use std::fmt::Write;

/// A family of programs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// The kind of its elements.
    pub about: &'static str,
    /// The initial number of elements of a measurement.
    pub start: usize,
    make: fn(usize) -> String,
}

impl Family {
    /// Its program with `count` elements.
    pub fn program(&self, count: usize) -> String {
        (self.make)(count)
    }
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "types", about: "unions that refer to each other", start: 12, make: types },
    Family { name: "record-chain", about: "records with two lists of the one before", start: 12, make: record_chain },
    Family {
        name: "compared-types",
        about: "types that refer to each other and are compared",
        start: 12,
        make: compared,
    },
    Family { name: "value-chain", about: "records with the one before as a value", start: 20, make: value_chain },
    Family { name: "instances", about: "types of a generic record and a generic function", start: 40, make: instances },
    Family { name: "shared-fields", about: "records with the same fields", start: 100, make: shared_fields },
    Family { name: "records", about: "records with fields of their own", start: 100, make: records },
    Family { name: "wide-record", about: "fields of one record", start: 40, make: wide_record },
    Family { name: "cases", about: "cases of a union", start: 60, make: cases },
    Family { name: "enums", about: "values of an enum", start: 60, make: enums },
    Family { name: "functions", about: "functions that call the one before", start: 800, make: functions },
    Family { name: "mutual", about: "functions of one recursive group", start: 60, make: mutual },
    Family { name: "globals", about: "module-level values", start: 150, make: globals },
    Family { name: "mutable-globals", about: "module-level variables", start: 100, make: mutable_globals },
    Family { name: "closures", about: "closures in a list", start: 60, make: closures },
    Family { name: "handlers", about: "closures that replace a handler", start: 40, make: handlers },
    Family { name: "stored-types", about: "types of functions that variables hold", start: 40, make: stored_types },
    Family { name: "lets", about: "bindings of one function", start: 200, make: lets },
    Family { name: "mutable-locals", about: "variables of one loop", start: 40, make: mutable_locals },
    Family { name: "loops", about: "loops of one function, with lists as state", start: 20, make: loops },
    Family { name: "statements", about: "statements of one function", start: 100, make: statements },
    Family { name: "numbers", about: "numbers that a match distinguishes", start: 100, make: numbers },
    Family { name: "strings", about: "strings that a match distinguishes", start: 60, make: strings },
    Family { name: "rows", about: "rows of a match of four columns", start: 30, make: rows },
    Family { name: "choices", about: "or-patterns side by side", start: 8, make: choices },
    Family { name: "elif", about: "branches of one `if`", start: 100, make: elif },
    Family { name: "list", about: "elements of a list", start: 200, make: list },
    Family { name: "array", about: "elements of an array", start: 400, make: array },
    Family { name: "list-of-tuples", about: "tuples with strings in a list", start: 100, make: list_of_tuples },
    Family { name: "long-string", about: "characters of a string", start: 5000, make: long_string },
    Family { name: "texts", about: "strings that are written", start: 100, make: texts },
    Family { name: "interpolation", about: "parts of an interpolated string", start: 40, make: interpolation },
    Family { name: "pipeline", about: "stages of a pipeline", start: 40, make: pipeline },
    Family { name: "operators", about: "operands of a sum", start: 100, make: operators },
    Family { name: "modules", about: "modules that open the one before", start: 240, make: modules },
    Family { name: "list-functions", about: "calls of functions on lists", start: 40, make: list_functions },
    Family { name: "sequence", about: "elements that a sequence yields", start: 40, make: sequence },
    Family { name: "nesting", about: "conditions within one another", start: 10, make: nesting },
    Family { name: "nested-calls", about: "calls within one another", start: 20, make: nested_calls },
    Family {
        name: "nested-closures",
        about: "closures within one another, which capture all",
        start: 8,
        make: nested_closures,
    },
    Family { name: "list-pattern", about: "elements that a pattern of a list has", start: 8, make: list_pattern },
    Family {
        name: "generic-chain",
        about: "generic functions, each at a type of the one before",
        start: 12,
        make: generic_chain,
    },
    Family { name: "comments", about: "lines of comments", start: 2000, make: comments },
];

/// Writes to a string, which cannot fail.
macro_rules! line {
    ($text:expr, $($rest:tt)*) => {{
        let _ = writeln!($text, $($rest)*);
    }};
}

fn types(count: usize) -> String {
    let mut text = String::new();
    // A fixed walk through the types, so that references are near and far.
    let mut other = 7;
    for index in 0..count {
        line!(text, "{} T{index} =", if index == 0 { "type" } else { "and" });
        line!(text, "    | L{index} of int");
        for case in 0..5 {
            other = (other * 31 + 17) % 65_537;
            let target = if case == 0 { (index + 1) % count } else { other % count };
            line!(text, "    | C{index}_{case} of T{target} list");
        }
    }
    line!(text, "let mutable tree = L0 0");
    line!(text, "let step k = match tree with L0 n -> C0_0 [] | C0_0 rest -> L0 k | other -> L0 1");
    line!(text, "for i in 1 .. 100 do");
    line!(text, "    tree <- step i");
    line!(text, "printfn \"%d\" (match tree with L0 n -> n | _ -> 0)");
    text
}

fn record_chain(count: usize) -> String {
    let mut text = String::from("type T0 = { A0: int; B0: string }\n");
    for index in 1..=count {
        let before = index - 1;
        line!(text, "type T{index} = {{ A{index}: T{before} list; B{index}: T{before} list }}");
    }
    line!(text, "let make k = {{ A{count} = []; B{count} = [] }}");
    line!(text, "let mutable state = [make 0]");
    line!(text, "let next k = if k % 3 = 0 then [make k] else (match state with a :: _ -> [a; make k] | [] -> [])");
    line!(text, "for i in 1 .. 100 do");
    line!(text, "    state <- next i");
    line!(text, "printfn \"%d\" (List.length state)");
    text
}

fn compared(count: usize) -> String {
    let mut text = String::from("type R0 = { V: int }\n");
    for index in 1..=count {
        let before = index - 1;
        line!(text, "type R{index} = {{ A{index}: R{before} list; B{index}: (R{before} * R{before}) list }}");
    }
    for index in 0..count {
        let word = if index == 0 { "type" } else { "and" };
        let next = |step: usize| (index + step) % count;
        line!(
            text,
            "{word} U{index} = L{index} | N{index} of U{} list | M{index} of U{} * U{} option",
            next(1),
            next(2),
            next(5)
        );
    }
    line!(text, "let same (x: R{count}) y = x = y");
    line!(text, "let order (x: U0) y = compare x y");
    line!(text, "let r: R{count} = {{ A{count} = []; B{count} = [] }}");
    line!(text, "printfn \"%b %d %d\" (same r r) (order L0 (N0 [])) (Set.count (Set.ofList [ L0; L0 ]))");
    text
}

fn value_chain(count: usize) -> String {
    let mut text = String::from("type T0 = { A0: int; B0: string }\nlet make0 k = { A0 = k; B0 = $\"{k}\" }\n");
    for index in 1..=count {
        let before = index - 1;
        line!(text, "type T{index} = {{ A{index}: T{before} list; B{index}: int }}");
        line!(text, "let make{index} k = {{ A{index} = [make{before} k]; B{index} = k }}");
    }
    line!(text, "printfn \"%d\" (make{count} 3).B{count}");
    text
}

fn instances(count: usize) -> String {
    let mut text =
        String::from("type Pair<'a> = { Left: 'a; Right: 'a }\nlet swap p = { Left = p.Right; Right = p.Left }\n");
    for index in 0..count {
        line!(text, "type U{index} = {{ V{index}: int }}");
        line!(
            text,
            "let u{index} k = (swap {{ Left = {{ V{index} = k }}; Right = {{ V{index} = {index} }} }}).Left.V{index}"
        );
    }
    sum_of(&mut text, count, |index| format!("u{index} {index}"));
    text
}

fn shared_fields(count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        line!(text, "type R{index} = {{ Name: string; Size: int; Weight: int }}");
        line!(text, "let make{index} k : R{index} = {{ Name = \"r\"; Size = k; Weight = {index} }}");
        line!(text, "let grow{index} (r: R{index}) = {{ r with Size = r.Size + r.Weight }}");
    }
    sum_of(&mut text, count, |index| format!("(grow{index} (make{index} 2)).Size"));
    text
}

fn records(count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        line!(text, "type R{index} = {{ Name{index}: string; Size{index}: int }}");
        line!(text, "let make{index} k = {{ Name{index} = \"r\"; Size{index} = k }}");
        line!(text, "let grow{index} r = {{ r with Size{index} = r.Size{index} + 1 }}");
    }
    sum_of(&mut text, count, |index| format!("(grow{index} (make{index} 2)).Size{index}"));
    text
}

fn wide_record(count: usize) -> String {
    let mut text = String::from("type Wide =\n    {\n");
    (0..count).for_each(|index| line!(text, "        F{index}: int"));
    text.push_str("    }\nlet make k =\n    {\n");
    (0..count).for_each(|index| line!(text, "        F{index} = k + {index}"));
    line!(text, "    }}\nlet total w = w.F0 + w.F{} + w.F{}", count / 2, count - 1);
    line!(text, "printfn \"%d\" (total {{ make 3 with F1 = 4 }})");
    text
}

fn cases(count: usize) -> String {
    let mut text = String::from("type U =\n");
    (0..count).for_each(|index| line!(text, "    | Case{index} of int * string"));
    line!(text, "let value u =\n    match u with");
    (0..count).for_each(|index| line!(text, "    | Case{index} (n, s) -> n + s.Length + {index}"));
    line!(text, "let make k =\n    match k with");
    (0..count).for_each(|index| line!(text, "    | {index} -> Case{index} (k, \"s\")"));
    line!(text, "    | _ -> Case0 (k, \"\")");
    line!(text, "printfn \"%d %b %A\" (value (make 3)) (make 4 = make 5) (make 6)");
    text
}

fn enums(count: usize) -> String {
    let mut text = String::from("type E =\n");
    (0..count).for_each(|index| line!(text, "    | Value{index} = {index}"));
    line!(text, "let value e =\n    match e with");
    (0..count).for_each(|index| line!(text, "    | E.Value{index} -> {}", index * 7 % 13));
    line!(text, "    | _ -> 0");
    line!(text, "printfn \"%d %A\" (value E.Value3) E.Value4");
    text
}

fn functions(count: usize) -> String {
    let mut text = String::from("let f0 x = x + 1\n");
    for index in 1..count {
        let before = index - 1;
        line!(text, "let f{index} x = if x > {index} then f{before} (x - 1) + x else f{before} (x + 2) - {index}");
    }
    line!(text, "printfn \"%d\" (f{} 3)", count - 1);
    text
}

fn mutual(count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        let word = if index == 0 { "let rec" } else { "and" };
        let (next, far) = ((index + 1) % count, (index * 7 + 3) % count);
        line!(text, "{word} f{index} (xs: int list) n =");
        line!(text, "    if n <= 0 then xs elif n % 2 = 0 then f{next} ({index} :: xs) (n - 1) else f{far} xs (n - 1)");
    }
    line!(text, "printfn \"%d\" (List.length (f0 [] 10))");
    text
}

fn globals(count: usize) -> String {
    let mut text = String::from("let seed = Array.length [| 1; 2; 3 |]\n");
    for index in 0..count {
        line!(text, "let g{index} = [seed + {index}; seed]");
    }
    sum_of(&mut text, count, |index| format!("List.head g{index}"));
    text
}

fn mutable_globals(count: usize) -> String {
    let mut text = String::new();
    (0..count).for_each(|index| line!(text, "let mutable m{index} = [{index}]"));
    line!(text, "let step k =");
    (0..count).for_each(|index| line!(text, "    m{index} <- k :: List.truncate 2 m{}", (index + 1) % count));
    line!(text, "for i in 1 .. 10 do\n    step i\nprintfn \"%d\" (List.head m0)");
    text
}

fn closures(count: usize) -> String {
    let mut text = String::from("let make a b =\n    [\n");
    (0..count).for_each(|index| line!(text, "        (fun x -> x + a * {index} + b)"));
    line!(text, "    ]\nprintfn \"%d\" (List.fold (fun sum f -> sum + f 2) 0 (make 3 4))");
    text
}

fn handlers(count: usize) -> String {
    let mut text = String::from("let mutable handler = fun (x: int) -> x\n");
    for index in 0..count {
        line!(text, "let set{index} a = handler <- (fun x -> x * {index} + a)");
    }
    line!(text, "let choose k =\n    match k with");
    (0..count).for_each(|index| line!(text, "    | {index} -> set{index} k"));
    line!(text, "    | _ -> ()\nfor i in 1 .. 10 do\n    choose i\nprintfn \"%d\" (handler 3)");
    text
}

fn stored_types(count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        line!(text, "type T{index} = {{ v{index}: int }}");
        line!(text, "let make{index} k = fun (x: T{index}) -> x.v{index} + k");
        line!(text, "let mutable f{index} = make{index} 1");
        line!(text, "let set{index} k = f{index} <- make{index} k");
    }
    line!(text, "let set k =");
    (0..count).for_each(|index| line!(text, "    set{index} k"));
    line!(text, "let call k =\n    let mutable sum = 0");
    (0..count).for_each(|index| line!(text, "    sum <- sum + f{index} {{ v{index} = k }}"));
    line!(text, "    sum\nset 3\nprintfn \"%d\" (call 4)");
    text
}

fn lets(count: usize) -> String {
    let mut text = String::from("let f a b =\n    let v0 = a + b\n    let v1 = a - b\n");
    for index in 2..count {
        line!(text, "    let v{index} = v{} * {index} + v{}", index - 1, index - 2);
    }
    line!(text, "    v{}\nprintfn \"%d\" (f 1 2)", count - 1);
    text
}

fn mutable_locals(count: usize) -> String {
    let mut text = String::from("let run k =\n");
    (0..count).for_each(|index| line!(text, "    let mutable v{index} = k + {index}"));
    line!(text, "    for i in 1 .. k do");
    (0..count).for_each(|index| line!(text, "        v{index} <- v{} + i", (index + 1) % count));
    line!(text, "    v0\nprintfn \"%d\" (run 10)");
    text
}

fn loops(count: usize) -> String {
    let mut text = String::from("let run k =\n    let mutable state = [k]\n");
    for index in 0..count {
        line!(text, "    for i in 1 .. k do");
        line!(text, "        state <- (i + {index}) :: List.truncate 3 state");
    }
    line!(text, "    List.length state\nprintfn \"%d\" (run 10)");
    text
}

fn statements(count: usize) -> String {
    let mut text = String::from("let run k =\n");
    (0..count).for_each(|index| line!(text, "    printfn \"%d and %s\" (k + {index}) \"text\""));
    line!(text, "run 1");
    text
}

fn numbers(count: usize) -> String {
    let mut text = String::from("let f n =\n    match n with\n");
    (0..count).for_each(|index| line!(text, "    | {} -> {}", index * 3, index * 7 % 101));
    line!(text, "    | other -> other\nprintfn \"%d\" (f 9)");
    text
}

fn strings(count: usize) -> String {
    let mut text = String::from("let f s =\n    match s with\n");
    (0..count).for_each(|index| line!(text, "    | \"key{index}\" -> {}", index * 7 % 101));
    line!(text, "    | _ -> 0\nprintfn \"%d\" (f \"key3\")");
    text
}

fn rows(count: usize) -> String {
    let mut text = String::from("let f a b c d =\n    match a, b, c, d with\n");
    for index in 0..count {
        let column = |at: usize| match (index + at) % 4 {
            0 => "_".to_owned(),
            _ => (index * 5 % (11 + at)).to_string(),
        };
        line!(text, "    | {}, {}, {}, Some {} -> {index}", column(0), column(1), column(2), index);
    }
    line!(text, "    | _ -> 0\nprintfn \"%d\" (f 1 2 3 (Some 4))");
    text
}

fn choices(count: usize) -> String {
    let columns = |item: &str| vec![item; count].join(", ");
    let params: Vec<String> = (0..count).map(|index| format!("a{index}")).collect();
    let arguments = vec!["(Some 1)"; count].join(" ");
    let mut text = format!("let f {} =\n    match {} with\n", params.join(" "), params.join(", "));
    line!(text, "    | {} -> 1", columns("(Some 1 | None)"));
    line!(text, "    | {} -> 2", columns("(Some 2 | Some 3)"));
    line!(text, "    | _ -> 3\nprintfn \"%d\" (f {arguments})");
    text
}

fn elif(count: usize) -> String {
    let mut text = String::from("let f a b =\n    if a = 0 then b\n");
    (1..count).for_each(|index| line!(text, "    elif a > b * {index} && b <> {index} then a + {index}"));
    line!(text, "    else 0\nprintfn \"%d\" (f 1 2)");
    text
}

fn list(count: usize) -> String {
    let elements: Vec<String> = (0..count).map(|index| (index * 7 % 1000).to_string()).collect();
    format!("let xs = [{}]\nprintfn \"%d\" (List.sum xs)\n", lines_of(&elements))
}

fn array(count: usize) -> String {
    let elements: Vec<String> = (0..count).map(|index| (index * 7 % 1000).to_string()).collect();
    format!("let xs = [|{}|]\nprintfn \"%d\" (Array.sum xs)\n", lines_of(&elements))
}

fn list_of_tuples(count: usize) -> String {
    let elements: Vec<String> = (0..count).map(|index| format!("(\"name{index}\", {index}, [{index}])")).collect();
    format!("let xs = [{}]\nprintfn \"%d\" (List.sumBy (fun (_, n, _) -> n) xs)\n", lines_of(&elements))
}

fn long_string(count: usize) -> String {
    let text: String = (0..count).map(|index| char::from(b'a' + (index % 26) as u8)).collect();
    format!("let s = \"{text}\"\nprintfn \"%d\" s.Length\n")
}

fn texts(count: usize) -> String {
    let mut text = String::new();
    (0..count).for_each(|index| line!(text, "printfn \"this is the text number {index}\""));
    text
}

fn interpolation(count: usize) -> String {
    let parts: String = (0..count).map(|index| format!("{{k + {index}}} of {{s}}, ")).collect();
    format!("let f k (s: string) = $\"{parts}\"\nprintfn \"%d\" (f 1 \"x\").Length\n")
}

fn pipeline(count: usize) -> String {
    let mut text = String::from("let f k =\n    [k; 2; 3]\n");
    (0..count).for_each(|index| line!(text, "    |> List.map (fun x -> x + {index})"));
    line!(text, "printfn \"%d\" (List.sum (f 1))");
    text
}

fn operators(count: usize) -> String {
    let mut text = String::from("let f a b =\n    a\n");
    (0..count).for_each(|index| line!(text, "    + (b * {index} - a)"));
    line!(text, "printfn \"%d\" (f 1 2)");
    text
}

fn modules(count: usize) -> String {
    let mut text = String::from("module Program\nmodule M0 =\n    let value x = x + 1\n");
    for index in 1..count {
        let before = index - 1;
        line!(
            text,
            "module M{index} =\n    open M{before}\n    let here{index} x = value x + {index}\n    let value x = here{index} x"
        );
    }
    line!(text, "printfn \"%d\" (M{}.value 2)", count - 1);
    text
}

fn list_functions(count: usize) -> String {
    let mut text = String::new();
    for index in 0..count {
        line!(
            text,
            "let f{index} xs = xs |> List.filter (fun x -> x > {index}) |> List.map (fun x -> x * {index}) |> List.sum"
        );
    }
    sum_of(&mut text, count, |index| format!("f{index} [1; 2; {index}]"));
    text
}

fn sequence(count: usize) -> String {
    let mut text = String::from("let s k =\n    seq {\n");
    (0..count).for_each(|index| line!(text, "        yield k + {index}"));
    line!(text, "    }}\nprintfn \"%d\" (Seq.sum (s 2))");
    text
}

fn nesting(count: usize) -> String {
    let mut text = String::from("let f k =\n");
    for index in 0..count {
        let indent = " ".repeat(4 + index);
        line!(text, "{indent}let v{index} = k * {index}\n{indent}if v{index} = k then v{index} else");
    }
    line!(text, "{}k\nprintfn \"%d\" (f 3)", " ".repeat(4 + count));
    text
}

fn nested_calls(count: usize) -> String {
    let (calls, ends) = ("add 1 (".repeat(count), ")".repeat(count));
    format!("let add a b = a * b + 1\nlet f k = {calls}k{ends}\nprintfn \"%d\" (f 3)\n")
}

fn nested_closures(count: usize) -> String {
    let mut text = String::from("let f a0 =\n");
    for index in 1..=count {
        let sum: Vec<_> = (0..index).map(|before| format!("a{before}")).collect();
        line!(text, "{}let g{index} a{index} =", "    ".repeat(index));
        line!(text, "{}let here{index} = a{index} + {}", "    ".repeat(index + 1), sum.join(" + "));
    }
    line!(text, "{}here{count}", "    ".repeat(count + 1));
    (1..=count).rev().for_each(|index| line!(text, "{}g{index}", "    ".repeat(index)));
    line!(text, "printfn \"%d\" (f 1 {})", "2 ".repeat(count));
    text
}

fn list_pattern(count: usize) -> String {
    let names: Vec<_> = (0..count).map(|index| format!("x{index}")).collect();
    let (pattern, sum) = (names.join(" :: "), names.join(" + "));
    format!(
        "let f xs =\n    match xs with\n    | {pattern} :: _ -> {sum}\n    | _ -> 0\nprintfn \"%d\" (f [1 .. 100])\n"
    )
}

fn generic_chain(count: usize) -> String {
    let mut text = String::from("let f0 x = List.length x\n");
    (1..count).for_each(|index| line!(text, "let f{index} x = f{} [x; []]", index - 1));
    line!(text, "printfn \"%d\" (f{} [1])", count - 1);
    text
}

fn comments(count: usize) -> String {
    let mut text = String::new();
    (0..count).for_each(|index| line!(text, "// This is the comment number {index}, which says nothing."));
    line!(text, "printfn \"end\"");
    text
}

/// Writes a variable to which values are added in separate statements, so that nothing nests.
fn sum_of(text: &mut String, count: usize, value: impl Fn(usize) -> String) {
    line!(text, "let mutable sum = 0");
    (0..count).for_each(|index| line!(text, "sum <- sum + {}", value(index)));
    line!(text, "printfn \"%d\" sum");
}

/// Elements with semicolons, ten to a line.
fn lines_of(elements: &[String]) -> String {
    elements.chunks(10).map(|chunk| chunk.join("; ")).collect::<Vec<_>>().join(";\n        ")
}
