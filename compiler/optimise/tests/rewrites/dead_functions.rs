//! Dead functions, allocations and module-level values.

use crate::fixture::optimised;
use clef_core::AllocationKind;

#[test]
fn functions_on_a_cycle_that_nothing_calls_any_more_are_removed() {
    let left = optimised(
        "
        let rec even n = if n = 0 then true else odd (n - 1)
        and odd n = if n = 0 then false else even (n - 1)
        let [<NoInline>] called n = n + 1
        let run n = if true then called n elif even n then 1 else 2
        show (run (opaque 3))
        ",
    );
    assert!(!left.has("A.even") && !left.has("A.odd") && left.has("A.called"), "{left}");
}

#[test]
fn a_function_that_is_only_a_value_stays_as_long_as_it_is_one() {
    let left = optimised(
        "
        let [<NoInline>] call (f: int -> int) = f 1
        let one n = n + 1
        let two n = n + 2
        let three n = n + 3
        show (call (if opaque 3 > 2 then one else two))
        show (call (if true then one else three))
        ",
    );
    let functions = ["A.one", "A.two", "A.three"];
    assert!(functions.iter().all(|name| left.before().named(name) > 0), "{}", left.before());
    assert_eq!(functions.map(|name| left.named(name) > 0), [true, true, false], "{left}");
}

#[test]
fn an_exported_function_stays() {
    let left = optimised(
        "
        [<Export(\"exported\")>]
        let exported (n: int) = n + 1
        show (opaque 3)
        ",
    );
    assert_eq!(left.named("exported"), 1, "{left}");
}

#[test]
fn a_module_level_value_that_is_never_read_is_removed_but_not_its_effects() {
    let left = optimised(
        "
        let unread = (show 1; ref (opaque 2))
        let read = ref (opaque 3)
        let mutable written = 0
        written <- opaque 4
        show !read
        ",
    );
    let names: Vec<&str> = left.program.globals.values().map(|global| global.name.as_str()).collect();
    assert_eq!(names, ["A.read"], "{left}");
    let cells = left.program.allocations.values().filter(|one| matches!(one.kind, AllocationKind::Reference(_)));
    assert_eq!(cells.count(), 1, "{left}");
}
