//! Which programs need the time since the start.

use clef_testing::checked;

fn needs_clock(text: &str) -> bool {
    checked("a.clef", text).simplified(clef_optimise::Level::Speed).needs_clock()
}

#[test]
fn a_program_that_only_waits_needs_no_clock() {
    assert!(!needs_clock("while true do Time.sleep 500\n"));
}

#[test]
fn a_program_that_asks_for_the_time_needs_one() {
    assert!(needs_clock("printfn \"%d\" (Time.microseconds ())\n"));
}

#[test]
fn a_function_that_others_call_may_wait_while_the_program_waits() {
    let text = "[<Export(\"later\")>]\nlet later () : unit = Time.sleep 3\nwhile true do Time.sleep 500\n";
    assert!(needs_clock(text));
}
