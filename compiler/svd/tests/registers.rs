//! Descriptions of chips, and the modules that are made of them.

use clef_svd::{Registers, registers};

const DESCRIPTION: &str = include_str!("mps2.svd");

#[test]
fn a_module_has_every_part_of_a_description() {
    let expected = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/Device.clef");
    let source = registers("mps2.svd", DESCRIPTION, "Device").expect("it is a description").source;
    clef_golden::compare_with_file(&expected, &source).unwrap_or_else(|difference| panic!("{difference}"));
}

/// The description with several changes, each of one place.
fn changed(changes: &[(&str, &str)]) -> Registers {
    let text = changes.iter().fold(DESCRIPTION.to_owned(), |text, (place, changed)| {
        assert!(text.contains(place), "{place}");
        text.replacen(place, changed, 1)
    });
    registers("a.svd", &text, "Device").expect("it is a description")
}

#[test]
fn effects_of_reads_on_fields_are_documented() {
    let field = "<name>RXFULL</name><bitOffset>1</bitOffset>";
    let source =
        changed(&[(field, &format!("<name>RXFULL</name><readAction>clear</readAction>{}", &field[19..]))]).source;
    assert!(source.contains("        /// A read clears it.\n        let rxfull: Field<state"), "{source}");
}

#[test]
fn clusters_within_arrays_of_clusters_have_arrays_too() {
    let (cluster, inner) = ("<name>TIMER[%s]</name>", "<register><name>AT</name><addressOffset>8</addressOffset>");
    let nested = |register: &str| {
        let nested =
            format!("<cluster><name>EVENT</name><addressOffset>0x10</addressOffset>{register}</register></cluster>");
        changed(&[(cluster, &format!("{cluster}{nested}"))]).source
    };
    let array = nested(inner);
    let at = "            let at: RegisterArray<at, readable, writable> = { First = { Address = 0x40000018un;";
    let event = format!("\n    module TIMER =\n        module EVENT =\n            [<Measure>] type at\n{at}");
    assert!(array.contains(&event) && array.contains("Distance = 0x1000un; Count = 2 }\n    module DUAL"), "{array}");
    // An array of arrays has two distances.
    let arrays =
        nested(&inner.replace("<name>AT</name>", "<dim>2</dim><dimIncrement>4</dimIncrement><name>AT[%s]</name>"));
    assert!(arrays.contains("\n    module TIMER0 =\n") && arrays.contains("\n    module TIMER1 =\n"), "{arrays}");
}

#[test]
fn registers_of_other_sizes_are_named() {
    let (value, port) = ("<addressOffset>4</addressOffset><size>32</size>", "<size>16</size>");
    let with_64_bits = "<addressOffset>4</addressOffset><size>64</size>";
    let one = changed(&[(value, with_64_bits)]);
    let reason = "it has 64 bits, and the registers of Clef have 8, 16 or 32";
    assert!(
        one.source.contains(&format!("\n        // `VALUE` at 0x40000004 is not bound: {reason}.\n")),
        "{}",
        one.source
    );
    assert!(!one.source.contains("let value") && one.source.contains("let n3v"), "{}", one.source);
    let warnings: Vec<String> = one.omissions.iter().map(|omission| omission.diagnostic().message).collect();
    assert_eq!(warnings, [format!("the register `TIMERS.TIMER.VALUE` at 0x40000004 is not bound: {reason}")]);

    let cluster = changed(&[(value, with_64_bits), (port, "<size>24</size>")]);
    assert!(cluster.source.contains("\n    // `TIMER.VALUE` at 0x40000004 is"), "{}", cluster.source);
    assert!(!cluster.source.contains("module TIMER ="), "{}", cluster.source);
    assert_eq!(cluster.omissions.len(), 2);

    let all =
        changed(&[("<size>32</size>", "<size>64</size>"), (port, ""), ("<size>8</size>", ""), (value, with_64_bits)]);
    for line in ["// `UART0.DATA` at 0x40004000 is", "// `UART1.DATA` at 0x40005000 is", "// `TIMERS.DUAL.LOAD_A` at"] {
        assert!(all.source.contains(&format!("\n{line}")), "{line}: {}", all.source);
    }
    assert!(!all.source.contains("module UART0") && !all.source.contains("let data"), "{}", all.source);
    // Not those of the derived peripheral.
    assert_eq!(all.omissions.len(), 10);
}

/// The message for a description that differs in one place.
fn error(place: &str, changed: &str) -> String {
    assert!(DESCRIPTION.contains(place), "{place}");
    let text = DESCRIPTION.replacen(place, changed, 1);
    registers("a.svd", &text, "Device").expect_err("it is wrong").message
}

#[test]
fn what_is_wrong_is_said() {
    let wrong = [
        ("<device schemaVersion=\"1.3\">", "", "unknown token"),
        ("<value>0</value>", "<value>none</value>", "interrupt"),
        ("derivedFrom=\"UART0\"", "derivedFrom=\"UART7\"", "UART7 not found"),
        ("derivedFrom=\"UART0\"", "derivedFrom=\"UART1\"", "UART1"),
        ("<dim>4</dim>", "<dim>4000000000</dim>", "its arrays have more than 4000000 elements"),
    ];
    for (place, changed, part) in wrong {
        let message = error(place, changed);
        assert!(message.contains(part), "{changed}: {message}");
    }
    let deep = format!("<name>UART0</name>{}{}", "<cluster>".repeat(100_000), "</cluster>".repeat(100_000));
    assert!(error("<name>UART0</name>", &deep).contains("nested more than 200 times"));
    assert!(registers("a.svd", "", "Device").is_err());
    assert!(registers("a.svd", "<device/>", "Device").is_err());
}

#[test]
fn a_chain_of_derivations_ends() {
    let peripherals: String = (0..100)
        .map(|number| {
            let next = (number + 1) % 100;
            format!(
                "<peripheral derivedFrom=\"P{next}\"><name>P{number}</name><baseAddress>{number}</baseAddress></peripheral>"
            )
        })
        .collect();
    let before = &DESCRIPTION[..DESCRIPTION.find("<peripheral>").expect("a peripheral")];
    let text = format!("{before}{peripherals}</peripherals></device>");
    let message = registers("a.svd", &text, "Device").expect_err("it is a circle").message;
    assert!(message.contains("is derived from itself, or over more than 64 steps"), "{message}");
}

#[test]
fn values_that_are_derived_from_each_other_are_rejected() {
    let first = DESCRIPTION.find("<enumeratedValues>").expect("values");
    let end = first + DESCRIPTION[first..].find("</enumeratedValues>").expect("their end");
    let text = format!(
        "{}<enumeratedValues derivedFrom=\"RX.Other\"><name>Switch</name>{}",
        &DESCRIPTION[..first],
        DESCRIPTION[end..].replacen("\"TX.Switch\">", "\"TX.Switch\"><name>Other</name>", 1)
    );
    let message = registers("a.svd", &text, "Device").expect_err("it is a circle").message;
    assert!(message.contains("is derived from itself"), "{message}");
}

#[test]
fn changed_descriptions_never_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let mut bytes = DESCRIPTION.as_bytes().to_vec();
        for _ in 0..=random.usize(..4) {
            let at = random.usize(..bytes.len());
            match random.usize(..3) {
                0 => bytes[at] = b"0<>/9-%[]\" "[random.usize(..11)],
                1 => drop(bytes.drain(at..bytes.len().min(at + random.usize(..40)))),
                _ => {
                    let piece = bytes[at..bytes.len().min(at + random.usize(..200))].to_vec();
                    let to = random.usize(..bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        let _ = registers("a.svd", &String::from_utf8_lossy(&bytes), "Device");
    }
}
