use super::*;

fn first_line(text: &str, boot: Boot) -> String {
    let report = report(text, boot, None).expect("the numbers are of such a machine");
    report.lines().next().unwrap_or_default().trim().to_owned()
}

#[test]
fn causes_of_cortex_m_are_decoded() {
    let stack = "1 2 3 4 5 135 150 61000000 131 141";
    for (causes, cause) in [
        (
            "3 20000f00 20000f00;8200 40000000 0 50000000 50000000",
            "an address without memory was accessed (PRECISERR), at address 0x50000000",
        ),
        ("6 20000f00 20000f00;10000 0 0 0 0", "the instruction is undefined (UNDEFINSTR)"),
        ("3 20000f00 20000f00", "a hard fault"),
        ("15 20000f00 20000f00;0 0 0 0 0", "the unhandled interrupt 5"),
        ("f 20000f00 20000f00", "the unhandled interrupt SysTick"),
    ] {
        assert_eq!(first_line(&format!(" {causes}/{stack}"), Boot::CortexM), cause);
    }
    assert_eq!(report(" 3 20000f00 1;1 2", Boot::CortexM, None), None);
}

#[test]
fn registers_of_cortex_m_have_names() {
    let report = report(" 3 20000010 20000010/1 2 3 4 5 135 150 61000000", Boot::CortexM, None).expect("it is a fault");
    assert_eq!(
        report,
        "  a hard fault\n  r0 0x00000001  r1 0x00000002  r2 0x00000003  r3 0x00000004  r12 0x00000005\n  lr 0x00000135  pc 0x00000150  \
         psr 0x61000000  sp 0x20000010\n"
    );
}

#[test]
fn causes_of_aarch64_are_decoded() {
    let registers = "0 ".repeat(32);
    for (syndrome, cause) in [
        (0x9600_0046_u64, "memory was written at 0xdead0000, where nothing is mapped"),
        (0x9600_004f, "memory was written at 0xdead0000, which is not permitted"),
        (0x9600_0021, "memory was read at 0xdead0000, which is not aligned"),
        (0x8600_0006, "instructions were fetched from 0xdead0000, where nothing is mapped"),
        (0x0200_0000, "the instruction is undefined"),
        (0xfc00_0005, "the unhandled interrupt 5"),
    ] {
        assert_eq!(first_line(&format!(" {syndrome:x} dead0000 40080000 3c5;{registers}"), Boot::Aarch64), cause);
    }
}

#[test]
fn causes_of_x86_64_are_decoded() {
    let general = "0 ".repeat(15);
    let frame = "100000 8 2 200000 10";
    for (numbers, cause) in [
        ("e 2", "memory was written at 0xdead0000, where nothing is mapped"),
        ("e 0", "memory was read at 0xdead0000, where nothing is mapped"),
        ("e 11", "instructions were fetched from 0xdead0000, which is not permitted"),
        ("6", "the instruction is undefined"),
        ("25", "the unhandled interrupt 5"),
        ("d 0", "a general protection fault: the address or the instruction is not allowed"),
    ] {
        assert_eq!(first_line(&format!(" dead0000;{general}{numbers} {frame}"), Boot::Pvh), cause);
    }
}

#[test]
fn signals_are_decoded() {
    let registers = "0 ".repeat(18);
    for (numbers, cause) in [
        ("b 1 10", "memory was accessed at 0x10, where nothing is mapped (SIGSEGV)"),
        ("b 80 0", "memory was accessed at a non-canonical address (SIGSEGV)"),
        ("4 2 400000", "the instruction is undefined (SIGILL)"),
    ] {
        assert_eq!(first_line(&format!(" {numbers};{registers}"), Boot::Linux), cause);
    }
    assert_eq!(report(" b 1 10;1 2", Boot::Linux, None), None);
}

fn shown(pieces: &[&str]) -> String {
    let mut reader = FaultReader::new(Source::Unknown, Boot::CortexM);
    let mut shown = Vec::new();
    for piece in pieces {
        shown.extend(reader.pass(piece.as_bytes()));
    }
    shown.extend(reader.finish());
    String::from_utf8(shown).expect("text must remain text")
}

#[test]
fn only_the_numbers_of_a_fault_become_a_report() {
    let report = "trap: processor fault\n  a hard fault\n  sp 0x00000010\n";
    assert_eq!(shown(&["a\ntrap: processor fault\nfault: 3 10 20/1 2 3 4 5 6 7 8\nb"]), format!("a\n{report}b"));
    assert_eq!(
        shown(&["trap: processor fault\r\nfau", "lt: 3", " 10 20/1 2 3 4 5 6 7 8\r\n"]),
        report.replacen('\n', "\r\n", 1)
    );
    // Without the report before it, and without its end.
    for same in [
        "fault: 3 10 20/1 2 3 4 5 6 7 8\n",
        "trap: processor fault\nfault\n",
        "trap: processor fault\nfault: x\n",
        "trap: processor fault\n\n",
        "trap: stack overflow\nfaulty",
        "trap: stack overflow\n",
        "",
    ] {
        assert_eq!(shown(&[same]), same);
        let pieces: Vec<String> = same.chars().map(String::from).collect();
        assert_eq!(shown(&pieces.iter().map(String::as_str).collect::<Vec<_>>()), same);
    }
    let long = format!("trap: stack overflow\nfault:{}\n", " 1".repeat(5000));
    assert_eq!(shown(&[&long]), long);
}

#[test]
fn the_numbers_of_a_trap_are_not_shown() {
    let numbers = format!("stack: 20000100/{}\n", "1 ".repeat(20));
    let shown_numbers = |report: &str| shown(&[report, &numbers]);
    for report in ["trap: no match at a.clef:1:2\n", "text trap: no match at a.clef:1:2\r\n"] {
        assert_eq!(shown_numbers(report), report);
    }
    let pool =
        "trap: regions exhausted at a.clef:1:2\n8 bytes asked, 0 bytes left in the pool; 4 bytes in this region\n";
    assert_eq!(shown_numbers(pool), pool);
    for other in ["", "a\n", "trap\n", "trap: stack overflow\n"] {
        assert_eq!(shown_numbers(other), format!("{other}{numbers}"));
    }
    assert_eq!(shown(&["trap: a\nstack: of a program\n"]), "trap: a\nstack: of a program\n");
}
