//! The results of tests as JSON.

use super::{Failure, TestResult};
use serde_json::{Value, json};

/// One object: the counts, and the tests in order.
pub fn report(results: &[TestResult]) -> String {
    let failed = results.iter().filter(|result| result.failure.is_some()).count();
    let tests: Vec<Value> = results.iter().map(test).collect();
    let report = json!({
        "passed": results.len() - failed,
        "failed": failed,
        "flaky": results.iter().filter(|result| result.is_flaky()).count(),
        "tests": tests,
    });
    format!("{report:#}\n")
}

fn test(result: &TestResult) -> Value {
    let test = &result.test;
    json!({
        "suite": test.suite,
        "name": test.name,
        "place": test.place,
        "file": test.file,
        "line": test.line,
        "result": if result.failure.is_some() { "failed" } else { "passed" },
        "seconds": result.time.as_secs_f64(),
        "failures": result.earlier.iter().chain(&result.failure).map(failure).collect::<Vec<_>>(),
        "stdout": result.output,
        "stderr": result.errors,
        "log": result.log,
    })
}

fn failure(failure: &Failure) -> Value {
    json!({ "kind": failure.kind, "message": failure.message, "at": failure.at })
}
