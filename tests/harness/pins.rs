//! Edges of pins on models of chips: the example `examples/button_edges.clef` counts the presses of a button whose contacts bounce, and
//! sleeps meanwhile. Another program has handlers of several pins, replaces and stops them, and watches more pins than there can be.

use crate::{
    ROOT,
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Part, Pin, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{fs, path::Path};

/// The boards whose chips have edges in the library, each with the pin of its button, and whether that is high while it is pressed.
const BUTTONS: [(&str, Pin, bool); 20] = [
    ("black-pill-f411", (0, 0), false),
    ("blue-pill", (0, 0), false),
    ("feather-nrf52840", (1, 2), false),
    ("frdm-kl25z", (3, 4), false),
    ("lm3s6965evb", (5, 1), false),
    ("microbit", (0, 17), false),
    ("microbit-v2", (0, 14), false),
    ("mps2-an385", (2, 2), true),
    ("mps2-an386", (2, 2), true),
    ("mps2-an500", (2, 2), true),
    ("mps2-an505", (2, 2), true),
    ("netduino2", (1, 11), true),
    ("netduinoplus2", (1, 11), true),
    ("nrf52840-dk", (0, 11), false),
    ("nrf9160-dk", (0, 6), false),
    ("nucleo-f446re", (2, 13), false),
    ("nucleo-l552ze-q", (2, 13), true),
    ("rpi-pico", (0, 15), false),
    ("rpi-pico-2", (0, 15), false),
    ("stm32f4-discovery", (0, 0), true),
];

/// The trials: one for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    for (index, model) in chips::models()?.into_iter().enumerate() {
        if let Some((name, pin, pressed)) = BUTTONS.into_iter().find(|(name, ..)| *name == model.name) {
            let level = ["0", "2", "z"][index % 3];
            let (of_button, of_lines) = (model.clone(), model);
            let trial = move || button(&of_button, level, pin, pressed);
            trials.push(Trial::test(format!("pins::button::{name}-O{level}"), trial));
            let trial = move || lines(&of_lines, level, 0);
            trials.push(Trial::test(format!("pins::lines::{name}-O{level}"), trial));
        }
    }
    if trials.len() != 2 * BUTTONS.len() {
        return Err("a board with edges is missing".into());
    }
    let mut models = chips::models()?.into_iter();
    let model = models.find(|model| model.name == WITH_JTAG.0).ok_or("a board is missing")?;
    trials.push(Trial::test(format!("pins::debug_port::{}", WITH_JTAG.0), move || debug_port(&model)));
    let mut models = chips::models()?.into_iter();
    let model = models.find(|model| model.name == ALONE.0).ok_or("a board is missing")?;
    for level in ["0", "z"] {
        let alone = model.with(ALONE.1);
        trials.push(Trial::test(format!("pins::alone::{}-O{level}", ALONE.0), move || lines(&alone, level, 2)));
    }
    trials.push(Trial::test(format!("pins::meanwhile::{}", ALONE.0), move || meanwhile(&model)));
    Ok(trials)
}

/// A board whose debug port has pins after a reset, and these pins.
const WITH_JTAG: (&str, [Pin; 3]) = ("blue-pill", [(0, 15), (1, 3), (1, 4)]);

/// A board, and a descriptor that has only the ports of its headers.
const ALONE: (&str, &str) = (
    "mps2-an385",
    "\
gpio: { kind: cmsdk, base: 0x40010000, ports: [\"0-15\", \"0-15\", \"0-15\", \"0-3\"], interrupts: [6, 7, 16, 17] }
uarts:
  uart1: { transmit: P1.08, receive: P1.07 }
  uart3: { transmit: P0.04, receive: P0.00 }
  uart4: { transmit: P1.14, receive: P1.10 }
i2c: { main: { scl: P0.05, sda: P0.15 }, shield1: { scl: P1.15, sda: P2.09 } }
spi: { main: { sck: P0.11, mosi: P0.13, miso: P0.14 }, shield1: { sck: P2.12, mosi: P2.07, miso: P2.08 } }
pins: { led: P0.00, led0: P0.00, led1: P0.01, button: P0.02, button0: P0.02, button1: P0.03 }
",
);

/// An output of the program is also an input. Its edges come while the handler of another one runs, or while interrupts are masked.
const MEANWHILE: &str = "\
let pin = Gpio.pin 2 9
let mutable edges = 0
let flip count = for _ in 1 .. count do Gpio.toggle pin
Gpio.output pin
Gpio.clear pin
Gpio.onEdge pin Gpio.Either (fun () ->
    edges <- edges + 1
    if edges = 2 then Gpio.toggle pin)
for count in [ 1; 1; 1 ] do
    flip count
    printfn \"%d %b\" edges (Gpio.read pin)
Interrupt.critical (fun () -> flip 2)
printfn \"%d %b\" edges (Gpio.read pin)
Gpio.onEdge pin Gpio.Falling (fun () -> edges <- edges + 10)
flip 4
printfn \"%d\" edges
Gpio.stopEdges pin
flip 2
printfn \"%d\" edges
";

/// An edge in a handler is one more; a pulse while interrupts are masked is two.
fn meanwhile(model: &Model) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("meanwhile.clef");
    fs::write(&path, MEANWHILE)?;
    let mut chip = start(model, "2", &path.to_string_lossy(), &[])?;
    let (ending, output) = (chip.run(100), chip.output());
    let expected = "1 true\n3 true\n4 false\n6 false\n26\n26\n";
    if ending == Ending::Exit(0) && output == expected {
        return Ok(());
    }
    Err(format!("{ending:?}:\n{output}").into())
}

/// The pins are low if the program makes them so.
fn debug_port(model: &Model) -> Result<(), Failed> {
    for (port, number) in WITH_JTAG.1 {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("pins.clef");
        let program = "Gpio.clear pin\nGpio.output pin\nprintfn \"%b\" (Gpio.read pin)\n";
        fs::write(&path, format!("let pin = Gpio.pin {port} {number}\n{program}"))?;
        let mut chip = start(model, "z", &path.to_string_lossy(), &[])?;
        let (ending, output) = (chip.run(10), chip.output());
        if (ending, output.as_str()) != (Ending::Exit(0), "false\n") {
            return Err(format!("{ending:?}: pin {number} of port {port}: {output}").into());
        }
    }
    Ok(())
}

/// Compiles a program for the board of a model, and starts it with these levels of pins.
fn start(model: &Model, level: &str, program: &str, levels: &[(Pin, bool)]) -> Result<Session, Failed> {
    // The name of a board decides about the pins.
    let directory = tempfile::tempdir()?;
    let descriptor = format!("{}.yaml", model.name);
    fs::write(directory.path().join(&descriptor), &model.descriptor)?;
    let arguments = ["--board", &descriptor, &format!("-O{level}"), "-o", "image.elf", program];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    let wiring = Wiring::default();
    wiring.levels.borrow_mut().extend(levels.iter().copied());
    Ok(Session::start(&image, model.part, &wiring, None)?)
}

/// Three presses, whose contacts bounce, count as three.
fn button(model: &Model, level: &str, pin: Pin, pressed: bool) -> Result<(), Failed> {
    let program = Path::new(ROOT).join("../examples/button_edges.clef");
    let mut chip = start(model, level, &program.to_string_lossy(), &[(pin, !pressed)])?;
    chip.run(100);
    for _ in 0..3 {
        for (is_pressed, bounces) in [(true, 3), (false, 4)] {
            for _ in 0..bounces {
                chip.drive(pin, pressed == is_pressed);
                chip.run(1);
                chip.drive(pin, pressed != is_pressed);
                chip.run(2);
            }
            chip.drive(pin, pressed == is_pressed);
            chip.run(100);
        }
    }
    let ending = chip.run(2000);
    let (time, asleep) = chip.microseconds();
    let output = chip.output();
    let (slept, least) = (asleep * 100 / time, 60);
    if ending == Ending::Exit(0) && output == "presses: 3, the light is on\n" && slept >= least {
        return Ok(());
    }
    Err(format!("{ending:?}, asleep {slept} % of {time} us:\n{output}").into())
}

/// Says which edges have come.
const LINES: &str = "\
let mutable text = 0
let note (digit: int) = text <- text * 10 + digit
let a, b, c = Gpio.pin PORT 3, Gpio.pin OTHER, Gpio.pin PORT 7
for pin in [| a; b; c |] do Gpio.input pin
Gpio.onEdge a Gpio.Rising (fun () -> note 1)
Gpio.onEdge b Gpio.Falling (fun () -> note 2)
Gpio.onEdge c Gpio.Either (fun () -> note 3)
let expect step =
    Time.sleep 10
    printfn \"%d: %d\" step text
    text <- 0
expect 0
expect 1
expect 2
Gpio.stopEdges c
Gpio.onEdge a Gpio.Falling (fun () -> note 4)
expect 3
expect 4
";

/// Then it watches as many pins as the chip can.
const MANY: &str = "\
Gpio.stopEdges a
Gpio.stopEdges b
for number in 0 .. LAST do Gpio.onEdge (Gpio.pin FIRST number) Gpio.Rising (fun () -> note 5)
printfn \"watched\"
";

/// Then one more.
const ONE_MORE: &str = "\
Gpio.onEdge (Gpio.pin FURTHER) Gpio.Rising (fun () -> note 6)
";

/// Each handler is called at its edges, until it is replaced or stopped. The ports of the chip have indices that are higher by a number than
/// those of the program.
fn lines(model: &Model, level: &str, higher: u32) -> Result<(), Failed> {
    let is_mps2 = matches!(model.part, Part::Mps2(..));
    // An nRF watches as many pins as it has channels, an STM32 one of each number, an RP2040, RP2350 or LM3S all, as a board does that has only
    // ports of the System Design Kit, a KL25 no pin of port B, and an MPS2 board no button of the FPGA.
    let (last, further) = match model.part {
        Part::Nrf51 => ("3", Some("0 20")),
        Part::Nrf52 | Part::Nrf91 => ("7", Some("0 20")),
        Part::Stm32(_) => ("15", Some("1 2")),
        Part::Mps2(..) => ("15", (higher == 0).then_some("1 1")),
        Part::Rp2040(_) | Part::Rp2350(_) => ("29", None),
        Part::Kl25 => ("5", Some("1 2")),
        Part::Lm3s6965 => ("7", None),
    };
    // Port A of a KL25 has no pin 7, and the ports of an MPS2 board follow its lights and buttons.
    let first = if is_mps2 { 2 - higher } else { 0 };
    let port = if model.part == Part::Kl25 { 3 } else { first };
    // A port of an LM3S has eight pins.
    let other = if model.part == Part::Lm3s6965 {
        (4, 2)
    } else if is_mps2 {
        (4 - higher, 12)
    } else {
        (0, 12)
    };
    let one_more = further.map(|further| ONE_MORE.replace("FURTHER", further)).unwrap_or_default();
    let program = format!("{LINES}{}{one_more}", MANY.replace("LAST", last).replace("FIRST", &first.to_string()));
    let program = program.replace("PORT", &port.to_string()).replace("OTHER", &format!("{} {}", other.0, other.1));
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("lines.clef");
    fs::write(&path, program)?;
    let [a, b, c] = [(port, 3), other, (port, 7)].map(|(port, number)| (port + higher, number));
    let mut chip = start(model, level, &path.to_string_lossy(), &[(a, false), (b, true), (c, false)])?;
    chip.run(5);
    let both = [(a, true), (b, false), (c, true)];
    let back = [(a, false), (b, true), (c, false)];
    for levels in [both, back, both, back] {
        for (pin, high) in levels {
            chip.run(1);
            chip.drive(pin, high);
        }
        chip.run(7);
    }
    let ending = chip.run(if further.is_some() { 100 } else { 3000 });
    let output = chip.output();
    let expected = "0: 123\n1: 3\n2: 123\n3: 4\n4: 0\nwatched\n";
    // On a chip that a probe does not know, the program itself prints what has stopped it.
    let trap = "trap: Gpio.onEdge: the chip cannot watch this pin, or not another such one";
    let fits = match (further, model.part) {
        (None, _) => ending == Ending::Exit(0) && output == expected,
        (Some(_), Part::Kl25) => ending == Ending::Exit(101) && output.starts_with(&format!("{expected}{trap}")),
        (Some(_), _) => matches!(ending, Ending::Fault(_)) && output == expected,
    };
    if fits {
        return Ok(());
    }
    Err(format!("{ending:?}:\n{output}").into())
}
