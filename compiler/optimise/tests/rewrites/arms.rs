//! Arms of matches, which move to where their case is decided.

use crate::fixture::{Optimised, optimised};

fn program(body: &str) -> Optimised {
    optimised(&format!(
        "
        let [<NoInline>] run (n: int) =
            {}
        show (run (opaque 3))
        ",
        body.replace('\n', "\n            ")
    ))
}

#[test]
fn an_option_that_is_matched_at_once_is_not_made() {
    let left =
        program("match (if n > 2 then Some(n * 2) else None) with\n| Some x -> opaque x + 1\n| None -> opaque 7");
    assert_eq!(left.lines("A.run", "inject"), 0, "{left}");
    assert_eq!(left.lines("A.run", "switch"), 0, "{left}");
}

#[test]
fn a_condition_in_parts_is_tested_once() {
    let left = program("if (match n with 0 -> true | 1 -> false | _ -> false) then opaque 4 else n");
    assert_eq!(left.lines("A.run", "yield true"), 0, "{left}");
}

#[test]
fn an_arm_for_several_places_stays() {
    let body = "match (if n > 5 then Some(n * 2) elif n > 2 then Some n else None) with\n| Some x -> opaque x + opaque 1\n| None -> opaque 7";
    let left = program(body);
    assert_eq!(left.lines("A.run", "call A.opaque(1)"), 1, "{left}");
}
