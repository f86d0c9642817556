//! Dead statements: which are removed, and which stay because they have an effect or may trap.

use crate::fixture::optimised;

#[test]
fn unused_computations_reads_and_allocations_are_removed() {
    let left = optimised(
        "
        type Node = { mutable Left: int; Right: int }
        let other = ref 1
        let [<NoInline>] run n =
            let tuple = (n, n + 1)
            let quotient = n / 2
            let cell = ref n
            let content = !cell + !other
            let node = { Left = n; Right = 2 }
            let field = node.Left
            let list = [ n; n + 1 ]
            let array = [| n |]
            let text = \"a\" + Format.int n
            let chosen = if n > 5 then Some n else None
            let adds = List.map (fun x -> fun y -> x + y + n)
            n * 2
        other := opaque 3
        show (run !other)
        ",
    );
    assert_eq!(left.lines("A.run", " = "), 1, "{left}");
}

#[test]
fn closures_that_only_use_one_another_are_removed() {
    let text = |used: &str| {
        optimised(&format!(
            "
            let [<NoInline>] call (f: int -> int) = f 0
            let [<NoInline>] run n =
                let rec even x = if x = 0 then n else call odd
                and odd x = if x = 0 then n + 1 else call even
                {used}
            show (run (opaque 3))
            "
        ))
    };
    let unused = text("n");
    assert_eq!((unused.closures(), unused.lines("A.run", "group")), (0, 0), "{unused}");
    let used = text("call even");
    assert_eq!((used.closures(), used.lines("A.run", "group")), (2, 1), "{used}");
}

#[test]
fn what_may_trap_stays() {
    let left = optimised(
        "
        let [<NoInline>] run n =
            let array = [| n; n + 1 |]
            let element = array.[n]
            let quotient = 10 / n
            let checked = if n > 5 then failwith \"large\" else n
            let zeros: int array = Array.zeroCreate n
            n * 2
        show (run (opaque 1))
        ",
    );
    for operation in ["array_get", "trap division_by_zero", "fail", "array_zero"] {
        assert_eq!(left.lines("A.run", operation), 1, "{operation}: {left}");
    }
    // The check of the divisor stays, the division does not.
    assert_eq!(left.lines("A.run", " = divide"), 0, "{left}");
}

#[test]
fn a_trap_that_only_unused_values_lead_to_happens() {
    let left = optimised(
        "
        let [<NoInline>] run n =
            let element = [| n; n + 1 |].[n]
            n * 2
        show (run (opaque 2))
        ",
    );
    assert_eq!(left.lines("A.run", "array_get"), 1, "{left}");
}

#[test]
fn writes_and_calls_stay() {
    let left = optimised(
        "
        type Node = { mutable Content: int }
        let cell = ref 1
        let array = [| 1 |]
        let node = { Content = 1 }
        let mutable count = 0
        let [<NoInline>] next () =
            count <- count + 1
            count
        let [<NoInline>] run n =
            let unused = next ()
            cell := n
            array.[0] <- n
            node.Content <- n
            let line = Console.tryReadln ()
            n * 2
        show (run (opaque 3))
        show (!cell + array.[0] + node.Content + count)
        ",
    );
    for operation in ["call A.next", "assign", "array_set", "field 0.0 of", "console_read_line"] {
        assert_eq!(left.lines("A.run", operation), 1, "{operation}: {left}");
    }
}

#[test]
fn a_loop_stays_because_it_may_not_end() {
    let left = optimised(
        "
        let [<NoInline>] run n =
            let mutable i = n
            while i % 7 <> 0 do
                i <- i * 3 + 1
            n * 2
        show (run (opaque 3))
        ",
    );
    assert_eq!(left.lines("A.run", "while"), 1, "{left}");
}

#[test]
fn a_nested_block_stays_if_a_part_of_it_has_an_effect() {
    let text = |part: &str| {
        optimised(&format!(
            "
            let [<NoInline>] run n =
                let unused = if n > 2 then (if n > 3 then n + 1 else {part}) else n
                n * 2
            show (run (opaque 3))
            "
        ))
    };
    let (pure, effect) = (text("n - 1"), text("(show n; n - 1)"));
    assert_eq!(pure.lines("A.run", "if "), 0, "{pure}");
    assert_eq!(effect.lines("A.run", "if "), 2, "{effect}");
}

#[test]
fn a_closure_that_does_not_use_itself_forgets_its_address() {
    let text = |last: &str| {
        optimised(&format!(
            "
            let [<NoInline>] call (f: int -> int) x = f x
            let [<NoInline>] run n =
                let rec count x =
                    let again = [ count ]
                    if x > 5 then n else {last}
                call count 1
            show (run (opaque 3))
            "
        ))
    };
    let (unused, used) = (text("x"), text("call count (x * 2)"));
    assert_eq!(unused.function("A.run.count").itself(), None, "{unused}");
    assert!(used.function("A.run.count").itself().is_some(), "{used}");
}
