//! `clefc svd`: the registers of a chip, in programs.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

const DESCRIPTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../svd/tests/mps2.svd");

/// Sequences of accesses of chips, with the registers of their boards and with addresses as numbers.
const SEQUENCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/registers");

/// Sends two lines, the second one from the handler of the transmit interrupt.
const PROGRAM: &str = "\
open Device
let mutable left = 3
let send (c: char) = UART0.data |> Register.put (Register.ofBits (uint32 c))
[<Interrupt(Device.Interrupt.UARTTX0)>]
let sent () =
    UART0.intclear |> Register.modify (Register.on UART0.INTCLEAR.tx)
    if left > 0 then
        left <- left - 1
        send '!'
UART0.bauddiv |> Register.write id
UART0.ctrl |> Register.write (Register.set UART0.CTRL.tx UART0.CTRL.TX.On >> Register.set UART0.CTRL.to_ 1u)
Interrupt.enable Device.Interrupt.UARTTX0
send '!'
Interrupt.waitUntil (fun () -> left = 0)
UART0.ctrl |> Register.modify (Register.off UART0.CTRL.to_)
let ctrl = Register.read UART0.ctrl
match Register.get UART0.CTRL.tx ctrl with
| UART0.CTRL.TX.On -> printfn \" on %d %b\" (Register.get UART0.CTRL.to_ ctrl) (Register.isSet UART0.CTRL.rx ctrl)
| _ -> printfn \" off\"
printfn \"%x %x\" (Register.bits (Register.read (Register.item 3 UART0.id))) (Register.bits (Register.reset UART1.bauddiv))
";

fn clefc(directory: &Path, arguments: &[&str]) -> Output {
    let mut clefc = Command::new(env!("CARGO_BIN_EXE_clefc"));
    clefc.args(arguments).current_dir(directory).stdin(Stdio::null()).output().expect("clefc starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A directory with the module of the description.
fn with_registers() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let made = clefc(directory.path(), &["svd", DESCRIPTION, "-o", "Device.clef"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    directory
}

#[test]
fn the_registers_are_formatted() {
    let directory = with_registers();
    let checked = clefc(directory.path(), &["fmt", "--check", "Device.clef"]);
    assert_eq!((checked.status.code(), text(&checked.stdout)), (Some(0), String::new()));
}

#[test]
fn a_program_uses_the_registers_of_a_board() {
    let directory = with_registers();
    fs::write(directory.path().join("main.clef"), PROGRAM).expect("it is writable");
    for level in ["-O0", "-O2", "-Oz"] {
        let run = clefc(
            directory.path(),
            &["run", "--board", "mps2-an386", "--timeout", "60", level, "Device.clef", "main.clef"],
        );
        assert_eq!(text(&run.stdout), " on 0 false\nb1 10\n", "{level}: {}", text(&run.stderr));
    }
}

#[test]
fn registers_and_fields_are_checked() {
    let cases = [
        ("UART0.state |> Register.write id", "found `Register<state, readable, notWritable>`"),
        ("printfn \"%x\" (Register.bits (Register.read (Register.item 0 TIMERS.TIMER.n3v)))", "notReadable"),
        ("UART0.ctrl |> Register.modify (Register.on UART0.INTCLEAR.tx)", "Field<intclear"),
        ("UART0.ctrl |> Register.modify (Register.set UART0.CTRL.tx 1u)", "`TX`"),
        ("printfn \"%d\" UART0.CTRL.to_.Nothing", "has no field `Nothing`"),
    ];
    let directory = with_registers();
    for (line, part) in cases {
        fs::write(directory.path().join("main.clef"), format!("open Device\n{line}\n")).expect("it is writable");
        let checked = clefc(directory.path(), &["check", "--board", "mps2-an386", "Device.clef", "main.clef"]);
        assert_eq!(checked.status.code(), Some(1), "{line}");
        assert!(text(&checked.stderr).contains(part), "{line}: {}", text(&checked.stderr));
    }
}

#[test]
fn an_access_is_one_instruction() {
    let directory = with_registers();
    let program = "open Device\n[<NoInline>]\nlet go () =\n    \
        UART0.ctrl |> Register.write (Register.set UART0.CTRL.tx UART0.CTRL.TX.On >> Register.set UART0.CTRL.to_ 1u)\n    \
        UART1.ctrl |> Register.modify (Register.off UART0.CTRL.to_ >> Register.on UART0.CTRL.rx)\ngo ()\n";
    fs::write(directory.path().join("main.clef"), program).expect("it is writable");
    let emitted =
        clefc(directory.path(), &["--board", "mps2-an386", "-O2", "--emit", "llvm-ir", "Device.clef", "main.clef"]);
    let ir = text(&emitted.stdout);
    let count = |part: &str| ir.lines().filter(|line| line.contains(part)).count();
    let (first, second) = ("ptr inttoptr (i32 1073758216 to ptr)", "ptr inttoptr (i32 1073762312 to ptr)");
    assert_eq!((count(first), count(second)), (1, 2), "{ir}");
    assert_eq!(count(&format!("store volatile i32 5, {first}")), 1, "{ir}");
    assert_eq!(count(&format!("load volatile i32, {second}")), 1, "{ir}");
}

/// The loads and stores of devices in LLVM IR, in order, without the names of values.
fn accesses(ir: &str) -> Vec<String> {
    let access = |line: &&str| line.contains(" volatile ");
    let words = |line: &str| -> Vec<String> {
        let words = line.split_whitespace().map(|word| word.trim_end_matches(','));
        words.filter(|word| !word.starts_with(['%', '!'])).map(str::to_owned).collect()
    };
    ir.lines().filter(access).map(|line| words(line).join(" ")).collect()
}

#[test]
fn sequences_are_the_accesses_of_addresses() {
    let directory = tempfile::tempdir().expect("a directory");
    for (chip, board, loads, stores) in [("nrf52840", "nrf52840-dk", 2, 12), ("rp2040", "rpi-pico", 3, 9)] {
        let [device, numbers] = ["", "_mmio"].map(|suffix| {
            let source = format!("{SEQUENCES}/{chip}/{chip}{suffix}.clef");
            let emitted = clefc(directory.path(), &["--board", board, "-Oz", "--emit", "llvm-ir", &source]);
            assert!(emitted.status.success(), "{}", text(&emitted.stderr));
            let ir = text(&emitted.stdout);
            let is_it = |function: &&str| function.lines().next().is_some_and(|line| line.contains(".registers()"));
            let function = ir.split("\ndefine ").find(is_it).unwrap_or_else(|| panic!("{ir}"));
            accesses(function.split("\n}").next().unwrap_or_default())
        });
        assert_eq!(device, numbers, "{chip}");
        let count = |part: &str| device.iter().filter(|access| access.contains(part)).count();
        assert_eq!((count("load volatile i32"), count("store volatile i32")), (loads, stores), "{chip}: {device:#?}");
        assert_eq!(device.len(), loads + stores, "{chip}: {device:#?}");
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.svd"), "<device/>").expect("it is writable");
    for (arguments, part) in [
        (["svd", "a.svd", "-o", "Device.clef"], "error[E0811]: `a.svd` is not a description of a chip in CMSIS-SVD"),
        (["svd", "none.svd", "-o", "Device.clef"], "error[E0001]"),
        (["svd", DESCRIPTION, "-o", "Device.txt"], "error[E0005]: `Device.txt` is not the name of a source file"),
        (["svd", "a.svd", "-o", "a.svd"], "error[E0005]"),
    ] {
        let made = clefc(directory.path(), &arguments);
        assert_eq!(made.status.code(), Some(1), "{arguments:?}");
        assert!(text(&made.stderr).contains(part), "{arguments:?}: {}", text(&made.stderr));
        assert!(!directory.path().join("Device.clef").exists());
    }
}

#[test]
fn registers_that_are_left_out_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let description =
        fs::read_to_string(DESCRIPTION).expect("it is there").replacen("<size>16</size>", "<size>64</size>", 1);
    fs::write(directory.path().join("a.svd"), description).expect("it is writable");
    let made = clefc(directory.path(), &["svd", "a.svd", "-o", "Device.clef"]);
    let warning = "warning[W0802]: the register `TIMERS.TIMER.3V` at 0x40000008 is not bound: it has 64 bits";
    assert!(made.status.success() && text(&made.stderr).contains(warning), "{}", text(&made.stderr));
    fs::write(directory.path().join("main.clef"), PROGRAM).expect("it is writable");
    let checked = clefc(directory.path(), &["check", "--board", "mps2-an386", "Device.clef", "main.clef"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
}

#[test]
fn boards_bring_the_registers_of_their_chips() {
    let cases = [
        ("microbit", "Device.Interrupt.RTC1", "17"),
        ("microbit-v2", "Device.Interrupt.SPIM3", "47"),
        ("nrf52840-dk", "Device.Interrupt.RTC1", "17"),
        ("feather-nrf52840", "Device.Interrupt.CRYPTOCELL", "42"),
        ("nrf9160-dk", "Device.Interrupt.EGU0", "27"),
        ("frdm-kl25z", "Device.Interrupt.PORTA", "30"),
        ("rpi-pico", "Device.Interrupt.IO_IRQ_BANK0", "13"),
        ("rpi-pico-2", "Device.Interrupt.IO_IRQ_BANK0", "21"),
        ("blue-pill", "Device.Interrupt.USART1", "37"),
        ("netduino2", "Device.Interrupt.OTG_FS", "67"),
        ("netduinoplus2", "Device.Interrupt.USART6", "71"),
        ("stm32f4-discovery", "Device.Interrupt.ETH", "61"),
        ("black-pill-f411", "Device.Interrupt.SPI5", "85"),
        ("nucleo-f446re", "Device.Interrupt.QUAD_SPI", "92"),
        ("nucleo-l552ze-q", "Device.Interrupt.LPUART1", "66"),
        ("lm3s6965evb", "Device.Interrupt.GPIOG", "31"),
        ("mps2-an385", "Device.Interrupt.UARTTX0", "1"),
        ("mps2-an500", "Device.Interrupt.UARTTX0", "1"),
        ("mps2-an505", "Device.Interrupt.GPIO1_15", "103"),
    ];
    let directory = tempfile::tempdir().expect("a directory");
    for (board, interrupt, number) in cases {
        fs::write(directory.path().join("main.clef"), format!("printfn \"number %d\" {interrupt}\n"))
            .expect("it is writable");
        let arguments = ["--board", board, "-O2", "--emit", "core", "main.clef"];
        let emitted = clefc(directory.path(), &arguments);
        let core = text(&emitted.stdout);
        assert!(core.contains(number), "{board}: {core}{}", text(&emitted.stderr));
    }
    fs::write(directory.path().join("main.clef"), "open Device\n").expect("it is writable");
    fs::write(directory.path().join("own.yaml"), "inherits: blue-pill\nregisters: none\n").expect("it is writable");
    let checked = clefc(directory.path(), &["check", "--board", "own.yaml", "main.clef"]);
    assert!(text(&checked.stderr).contains("clefc svd CHIP.svd -o Device.clef"), "{}", text(&checked.stderr));
}

/// Sets the rate of a line, enables its transmitter, and reads its flags.
const LINE: &str = "open Device
USART6.brr |> Register.write (Register.set USART6.BRR.div_mantissa 5u >> Register.set USART6.BRR.div_fraction 3u)
USART6.cr1 |> Register.modify (Register.on USART6.CR1.ue >> Register.on USART6.CR1.te)
let status = Register.read USART6.sr
printfn \"%d\" (int (Register.bits (Register.read USART6.brr)))
printfn \"%b\" (Register.get USART6.SR.tc status = USART6.SR.TC.TxComplete && Register.isSet USART6.SR.txe status)
";

#[test]
fn registers_of_a_board_are_those_of_its_chip() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("main.clef"), LINE).expect("it is writable");
    for level in ["-O0", "-Oz"] {
        let run = clefc(directory.path(), &["run", "--board", "netduinoplus2", "--timeout", "60", level, "main.clef"]);
        assert_eq!(text(&run.stdout), "83\ntrue\n", "{level}: {}", text(&run.stderr));
    }
}

#[test]
fn a_module_of_the_program_replaces_that_of_the_board() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("Device.clef"), "module Device\n\nlet number = 5\n").expect("it is writable");
    fs::write(directory.path().join("main.clef"), "printfn \"%d\" Device.number\n").expect("it is writable");
    let run = clefc(directory.path(), &["run", "--board", "microbit", "Device.clef", "main.clef"]);
    assert_eq!(text(&run.stdout), "5\n", "{}", text(&run.stderr));
    fs::write(directory.path().join("main.clef"), "printfn \"%d\" Device.Interrupt.RTC1\n").expect("it is writable");
    let checked = clefc(directory.path(), &["check", "--board", "microbit", "Device.clef", "main.clef"]);
    assert_eq!(checked.status.code(), Some(1));
}
