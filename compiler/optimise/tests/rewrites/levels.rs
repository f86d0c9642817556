//! What a level does not do.

use crate::fixture::simplified;
use clef_optimise::Level;

/// A function with a variable that is not used, a local function, and a function that is called once.
const TEXT: &str = "
    let once n = n + 1
    let [<NoInline>] run n =
        let unused = n * 2
        let twice x = x * 2
        twice (once n)
    show (run (opaque 3))
    ";

#[test]
fn without_optimisation_the_functions_and_variables_of_the_source_stay() {
    let left = simplified(TEXT, Level::Debug);
    assert!(left.has("A.once") && left.has("A.run") && left.has("A.run.twice"), "{left}");
    assert_eq!(left.lines("A.run", "unused."), 1, "{left}");
}

#[test]
fn optimisation_removes_them() {
    for level in [Level::Speed, Level::Size] {
        let left = simplified(TEXT, level);
        assert!(!left.has("A.once") && !left.has("A.run.twice"), "{left}");
        assert_eq!(left.lines("A.run", " = "), 2, "{left}");
    }
}
