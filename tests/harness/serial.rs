//! Serial lines on models of chips: a program that polls its line, starts it again at another rate and misses nothing that waits in the
//! device, and one whose line is served by handlers while it sleeps.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::fs;

/// The boards whose chips are modelled with their serial line.
const BOARDS: [&str; 5] = ["feather-nrf52840", "microbit", "microbit-v2", "nrf52840-dk", "nrf9160-dk"];

/// The trials: two for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models: Vec<Model> = chips::models()?.into_iter().filter(|model| BOARDS.contains(&&*model.name)).collect();
    if models.len() != BOARDS.len() {
        return Err("a board with a serial line is missing".into());
    }
    let trials = models.into_iter().enumerate().flat_map(|(index, model)| {
        let level = ["0", "2", "z"][index % 3];
        let name = |test| format!("serial::{test}::{}-O{level}", model.name);
        let (of_polled, of_handled) = (name("polled"), name("handled"));
        let other = model.clone();
        [Trial::test(of_polled, move || polled(&model, level)), Trial::test(of_handled, move || handled(&other, level))]
    });
    Ok(trials.collect())
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
";

fn polled(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, POLLED)?;
    expect(&mut chip, 5, "ready\n")?;
    chip.send("abc.");
    expect(&mut chip, 5, "bcd/")?;
    // These wait in the device.
    chip.send("xy.");
    expect(&mut chip, 5, "")?;
    // A byte takes a millisecond at 9600 baud.
    expect(&mut chip, 30, "yz/slow\n")?;
    chip.send("0.");
    // In the end the program waits for its output to be read.
    match expect(&mut chip, 3000, "1/")? {
        Ending::Exit(0) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
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
    match expect(&mut chip, 3000, "END.")? {
        Ending::Exit(0) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
