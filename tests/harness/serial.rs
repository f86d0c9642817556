//! Serial lines on models of chips: a program that polls its line, starts it again at another rate and misses nothing that waits in the
//! device, and one whose line is served by handlers while it sleeps. On a board whose console is a serial line, programs print there.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Part, Pin, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::fs;

/// The boards whose chips are modelled with their serial line.
const BOARDS: [&str; 6] = ["feather-nrf52840", "frdm-kl25z", "microbit", "microbit-v2", "nrf52840-dk", "nrf9160-dk"];

/// The board whose console is a serial line, and the pins of its lights.
const WITH_CONSOLE: &str = "frdm-kl25z";
const LIGHTS: [Pin; 3] = [(1, 18), (1, 19), (3, 1)];

/// The trials: two for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models: Vec<Model> = chips::models()?.into_iter().filter(|model| BOARDS.contains(&&*model.name)).collect();
    if models.len() != BOARDS.len() {
        return Err("a board with a serial line is missing".into());
    }
    let model_of_console =
        models.iter().find(|model| model.name == WITH_CONSOLE).cloned().ok_or("a board is missing")?;
    let trials = models.into_iter().enumerate().flat_map(|(index, model)| {
        let level = ["0", "2", "z"][index % 3];
        let name = |test| format!("serial::{test}::{}-O{level}", model.name);
        let (of_polled, of_handled) = (name("polled"), name("handled"));
        let other = model.clone();
        [Trial::test(of_polled, move || polled(&model, level)), Trial::test(of_handled, move || handled(&other, level))]
    });
    let of_console = ["0", "2", "z"].into_iter().map(|level| {
        let model = model_of_console.clone();
        Trial::test(format!("serial::console::{WITH_CONSOLE}-O{level}"), move || console(&model, level))
    });
    let other = model_of_console.clone();
    let demands = Trial::test(format!("serial::demands::{WITH_CONSOLE}"), move || demands(&other));
    Ok(trials.chain(of_console).chain([demands]).collect())
}

/// Compiles a program for the board of a model, and starts it.
fn start(model: &Model, level: &str, program: &str) -> Result<Session, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    fs::write(directory.path().join("serial.clef"), program)?;
    let level = format!("-O{level}");
    let arguments = ["--board", "board.yaml", &level, "-o", "image.elf", "serial.clef"];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    Ok(Session::start(&image, model.part, &Wiring::default(), None)?)
}

/// Runs a chip for some milliseconds, after which it must have sent a text.
fn expect(chip: &mut Session, milliseconds: u64, expected: &str) -> Result<Ending, Failed> {
    let ending = chip.run(milliseconds);
    let sent = chip.received();
    if sent == expected {
        return Ok(ending);
    }
    Err(format!("{ending:?}: it has sent {sent:?} in place of {expected:?}\n{}", chip.output()).into())
}

/// Echoes each byte, increased by one. In between it does not look for a while.
const POLLED: &str = "\
let echo () =
    let mutable isDone = false
    while not isDone do
        let value = Uart.readByte Serial.main
        Uart.writeByte Serial.main (value + 1uy)
        isDone <- value = 46uy
Uart.start Serial.main 115200
Uart.write Serial.main \"ready\\n\"
echo ()
Time.sleep 20
echo ()
Uart.start Serial.main 9600
Uart.write Serial.main (if Uart.hasByte Serial.main then \"wrong\\n\" else \"slow\\n\")
echo ()
Time.sleep 5
";

fn polled(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, POLLED)?;
    expect(&mut chip, 5, "ready\n")?;
    chip.send("abc.");
    expect(&mut chip, 5, "bcd/")?;
    if model.part == Part::Kl25 {
        // One byte waits in the device. The others are an overrun, after which it receives again.
        chip.send("xyz");
        expect(&mut chip, 5, "")?;
        expect(&mut chip, 20, "y")?;
        chip.send(".");
        expect(&mut chip, 15, "/slow\n")?;
    } else {
        // These wait in the device.
        chip.send("xy.");
        expect(&mut chip, 5, "")?;
        // A byte takes a millisecond at 9600 baud.
        expect(&mut chip, 30, "yz/slow\n")?;
    }
    chip.send("0.");
    // In the end the program waits for its output to be read.
    ends(expect(&mut chip, 3000, "1/")?)
}

/// Whether a program ended by itself, without an error.
fn ends(ending: Ending) -> Result<(), Failed> {
    if ending == Ending::Exit(0) { Ok(()) } else { Err(format!("{ending:?}").into()) }
}

/// Echoes lines in capital letters, and a number of bytes more than the buffer of what it sends has.
const HANDLED: &str = "\
let received = Queue.create 64 0uy
let waiting = Queue.create 8 0uy
Uart.start Serial.main 115200
Uart.serve Serial.main (fun value -> Queue.tryAdd value received |> ignore) (fun () -> Queue.tryTake waiting)
Uart.enqueue Serial.main waiting \"ready to serve\\n\"
let mutable isDone = false
while not isDone do
    Interrupt.waitUntil (fun () -> not (Queue.isEmpty received))
    match Queue.tryTake received with
    | Some value ->
        Uart.enqueueByte Serial.main waiting (if value >= 97uy then value - 32uy else value)
        isDone <- value = 46uy
    | None -> ()
Interrupt.waitUntil (fun () -> Queue.isEmpty waiting)
Time.sleep 5
";

fn handled(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, HANDLED)?;
    expect(&mut chip, 20, "ready to serve\n")?;
    chip.send("a longer line than it has space for\n");
    expect(&mut chip, 100, "A LONGER LINE THAN IT HAS SPACE FOR\n")?;
    let (time, asleep) = chip.microseconds();
    if asleep * 100 / time < 50 {
        return Err(format!("it sleeps only {asleep} of {time} us").into());
    }
    chip.send("end.");
    ends(expect(&mut chip, 3000, "END.")?)
}

/// Prints, reads a line, switches lights, which are on while their pins are low, and fails in the end.
const CONSOLE: &str = "\
for light in [| Pin.ledRed; Pin.ledGreen; Pin.ledBlue |] do
    Gpio.set light
    Gpio.output light
Console.writeln \"ready\"
let name = Console.readln ()
Gpio.toggle Pin.ledGreen
printfn \"%d bytes, red %b, green %b\" (String.length name) (Gpio.read Pin.ledRed) (Gpio.read Pin.ledGreen)
Time.sleep 20
Gpio.clear Pin.ledBlue
failwith \"the end\"
";

/// The board itself, with the console of its descriptor.
fn console(model: &Model, level: &str) -> Result<(), Failed> {
    let mut board = model.clone();
    board.descriptor = format!("inherits: {WITH_CONSOLE}\ndescription: The same\n");
    let mut chip = start(&board, level, CONSOLE)?;
    let lights = |chip: &Session| LIGHTS.map(|light| chip.level(light));
    expect(&mut chip, 5, "ready\n")?;
    let before = lights(&chip);
    chip.send("abc\r");
    expect(&mut chip, 15, "3 bytes, red true, green false\n")?;
    let between = lights(&chip);
    // The report of the trap takes a while.
    chip.run(200);
    let (report, after) = (chip.received(), lights(&chip));
    let levels = |levels: [bool; 3]| levels.map(Some);
    let fits = before == levels([true; 3])
        && between == levels([true, false, true])
        && after == levels([true, false, false])
        && report.starts_with("trap: the end at serial.clef:")
        && report.ends_with('\n');
    if fits { Ok(()) } else { Err(format!("{before:?} {between:?} {after:?}\n{report}").into()) }
}

/// What the model demands: a device without its clock faults, a register of eight bits takes no words, and the watchdog runs after a reset.
fn demands(model: &Model) -> Result<(), Failed> {
    let mut without_start = model.clone();
    without_start.descriptor.push_str("start: []\n");
    for (model, program, least, fits) in [
        (model, "printfn \"%d\" (Mmio.read32 0x40049000un)", 0, is_fault as fn(Ending) -> bool),
        (model, "Uart.start Serial.main 9600\nMmio.write32 0x4006A000un 0u", 0, is_fault),
        (&without_start, "Time.sleep 1020\nwhile true do ()", 1020, |ending| ending == Ending::Reset),
    ] {
        let mut chip = start(model, "2", program)?;
        let ending = chip.run(1100);
        if !fits(ending) || chip.microseconds().0 < least * 1000 {
            return Err(format!("{program}: {ending:?}").into());
        }
    }
    Ok(())
}

fn is_fault(ending: Ending) -> bool {
    matches!(ending, Ending::Fault(_))
}
