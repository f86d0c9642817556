//! Generated programs are well-typed, end, and depend on the seed only.

use clef_oracle::{
    batch::Batch,
    generate::{Setting, program},
    reference::{End, interpret},
    run::ESCAPES,
};

fn batch(seed: u64, count: u64) -> Batch {
    Batch::new((0..count).map(|index| program(seed, index, Setting::PLAIN)).collect())
}

#[test]
fn programs_check_and_end() {
    for number in 0..12 {
        let programs = Batch::new(vec![program(2026, number, Setting::PLAIN)]);
        match interpret(&programs.files, 32, 4_000_000) {
            Ok(ran) => {
                assert_eq!(ran.end, End::Status(0), "program {number}");
                assert!(programs.parts(&ran.output)[0].is_some(), "program {number}");
            }
            Err(rejected) => assert!(ESCAPES.contains(&rejected.code), "program {number}: {}", rejected.rendered),
        }
    }
}

#[test]
fn programs_depend_on_the_seed_only() {
    assert_eq!(batch(7, 20).files, batch(7, 20).files);
    assert_ne!(batch(7, 1).files, batch(8, 1).files);
}

#[test]
fn what_programs_write_is_parted() {
    let batch = batch(7, 3);
    let parts = batch.parts("before\n#### 0\na\n\n#### 1\nb");
    assert_eq!(parts, [Some("a\n"), Some("b"), None]);
    assert_eq!(batch.program_at(batch.starts[1]), Some(1));
    assert_eq!(batch.program_at((0, batch.starts[2].1 - 1)), Some(1));
}
