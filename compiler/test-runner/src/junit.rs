//! The results of tests as JUnit XML, which continuous integration systems read.

use super::{Failure, TestResult};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite};
use std::collections::BTreeMap;

/// A report with a suite for each program and place.
pub fn report(results: &[TestResult]) -> Result<String, quick_junit::SerializeError> {
    let mut suites: BTreeMap<(usize, String), TestSuite> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for result in results {
        let name = format!("{} on {}", result.test.suite, result.test.place);
        let number = order.iter().position(|known| *known == name).unwrap_or_else(|| {
            order.push(name.clone());
            order.len() - 1
        });
        let suite = suites.entry((number, name.clone())).or_insert_with(|| TestSuite::new(name.as_str()));
        suite.add_test_case(case(result));
    }
    let mut report = Report::new("clefc test");
    report.add_test_suites(suites.into_values());
    report.to_string()
}

fn case(result: &TestResult) -> TestCase {
    let test = &result.test;
    let mut status = match &result.failure {
        None => TestCaseStatus::success(),
        Some(failure) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(failure.kind).set_message(failure.message.as_str()).set_description(described(failure));
            status
        }
    };
    for earlier in &result.earlier {
        let mut again = TestRerun::new(NonSuccessKind::Failure);
        again.set_type(earlier.kind).set_message(earlier.message.as_str()).set_description(described(earlier));
        status.add_rerun(again);
    }
    let mut case = TestCase::new(test.name.as_str(), status);
    case.set_classname(format!("{}.{}", test.place, test.suite)).set_time(result.time);
    case.extra.insert("file".into(), test.file.as_str().into());
    case.extra.insert("line".into(), test.line.to_string().into());
    case.set_system_out(result.output.as_str()).set_system_err(format!("{}{}", result.errors, result.log));
    case
}

/// The location and the message.
fn described(failure: &Failure) -> String {
    match &failure.at {
        Some(at) => format!("{at}: {}", failure.message),
        None => failure.message.clone(),
    }
}
