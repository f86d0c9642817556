//! Transfers in the background on models of chips whose SPI controllers and serial lines access memory by themselves, or by a DMA controller.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Pin, Session, SpiDevice, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{cell::RefCell, fs, rc::Rc};

/// The boards, with a pin that selects the device.
pub(crate) const BOARDS: [(&str, Pin); 13] = [
    ("black-pill-f411", (1, 0)),
    ("blue-pill", (1, 0)),
    ("feather-nrf52840", (0, 10)),
    ("microbit-v2", (0, 10)),
    ("netduino2", (1, 0)),
    ("netduinoplus2", (1, 0)),
    ("nrf52840-dk", (0, 10)),
    ("nrf9160-dk", (0, 10)),
    ("nucleo-f446re", (1, 0)),
    ("nucleo-l552ze-q", (1, 0)),
    ("rpi-pico", (0, 10)),
    ("rpi-pico-2", (0, 10)),
    ("stm32f4-discovery", (1, 0)),
];

/// A device that answers each byte with the one before, and counts.
#[derive(Default)]
struct Echo {
    last: u8,
    count: usize,
}

impl SpiDevice for Echo {
    fn exchange(&mut self, byte: u8, _: &dyn Fn(Pin) -> bool) -> u8 {
        self.count += 1;
        std::mem::replace(&mut self.last, byte)
    }
}

/// What all programs begin with.
const START: &str = "\
let device = Gpio.pin PORT PIN
Gpio.set device
Gpio.output device
Spi.start SpiBus.main Spi.Mode0 8_000_000
let mutable ended = 0
let finish () : unit =
    Gpio.set device
    ended <- ended + 1
let sum (bytes: byte[]) : int = Array.fold (fun total value -> total + int value) 0 bytes
";

/// Both directions, one, from flash, longer than the counter of a controller, short transfers of the program before and after, and three
/// that begin in the ends of one another.
const WHOLE: &str = "\
let source: byte[] = Array.init 100 byte
let target: byte[] = Array.zeroCreate 100
Gpio.clear device
let mutable passes = 0
Spi.transferThen SpiBus.main source target finish
while ended = 0 do
    passes <- passes + 1
printfn \"%b %b\" (passes > 10) (Spi.isBusy SpiBus.main)
printfn \"%d %d %d\" target.[0] target.[1] (sum target)
Gpio.clear device
Spi.writeThen SpiBus.main [| 7uy; 8uy; 9uy |] finish
Interrupt.waitUntil (fun () -> ended = 2)
Gpio.clear device
printfn \"%d\" (Spi.exchange SpiBus.main 5uy)
let large: byte[] = Array.init LARGE byte
let copy: byte[] = Array.zeroCreate LARGE
Spi.transferThen SpiBus.main large copy finish
Interrupt.waitUntil (fun () -> not (Spi.isBusy SpiBus.main))
printfn \"%d %b\" copy.[0] (Array.forall id (Array.init (LARGE - 1) (fun index -> copy.[index + 1] = large.[index])))
Gpio.clear device
let few: byte[] = Array.zeroCreate 70
Spi.transfer SpiBus.main (Array.init 70 (fun index -> byte (index * 3))) few
printfn \"%d %d\" (int few.[1]) (int few.[69])
Spi.write SpiBus.main [| 1uy; 2uy |]
Spi.read SpiBus.main few
printfn \"%d %d\" few.[0] (sum few)
let long: byte[] = Array.zeroCreate LONG
Spi.writeThen SpiBus.main long finish
Interrupt.waitUntil (fun () -> ended = 4)
let back: byte[] = Array.zeroCreate 70
let mutable rounds = 0
let rec goOn () : unit =
    rounds <- rounds + 1
    if rounds < 3 then Spi.transferThen SpiBus.main few back goOn else finish ()
Gpio.clear device
Spi.writeThen SpiBus.main few goOn
Interrupt.waitUntil (fun () -> ended = 5)
printfn \"%d %b\" rounds (Spi.isBusy SpiBus.main)
";

/// What the program prints, by what the device does.
const OUTPUT: &str = "true false\n0 0 4851\n9\n5 true\n0 204\n2 2\n3 false\n";

/// Transfers that trap: other ones before the end, a start, an empty one, and arrays of different lengths.
const REFUSED: [&str; 5] = [
    "let bytes: byte[] = Array.init 50 byte\nSpi.writeThen SpiBus.main bytes ignore\nSpi.writeThen SpiBus.main bytes ignore\n",
    "let bytes: byte[] = Array.init 50 byte\nSpi.writeThen SpiBus.main bytes ignore\nSpi.write SpiBus.main bytes\n",
    "let bytes: byte[] = Array.init 50 byte\nSpi.writeThen SpiBus.main bytes ignore\nSpi.start SpiBus.main Spi.Mode0 125_000\n",
    "Spi.writeThen SpiBus.main [||] ignore\n",
    "Spi.transferThen SpiBus.main [| 1uy |] (Array.zeroCreate 2) ignore\n",
];

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let mut trials = Vec::new();
    for (index, model) in chips::models()?.into_iter().enumerate() {
        let Some((name, select)) = BOARDS.into_iter().find(|(name, _)| *name == model.name) else { continue };
        for level in [["0", "z"], ["2", "0"], ["z", "2"]][index % 3] {
            let (of_spi, of_line) = (model.clone(), model.clone());
            trials.push(Trial::test(format!("transfers::spi::{name}-O{level}"), move || spi(&of_spi, level, select)));
            trials.push(Trial::test(format!("transfers::serial::{name}-O{level}"), move || serial(&of_line, level)));
        }
    }
    match trials.len() == 4 * BOARDS.len() {
        true => Ok(trials),
        false => Err("a board with transfers is missing".into()),
    }
}

/// Compiles a program for the board of a model, and starts it.
pub(crate) fn start(model: &Model, level: &str, text: &str, wiring: &Wiring) -> Result<Session, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    fs::write(directory.path().join("program.clef"), text)?;
    let level = format!("-O{level}");
    let call = clefc_in(directory.path(), &["--board", "board.yaml", &level, "-o", "image.elf", "program.clef"], b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    Ok(Session::start(&image, model.part, wiring, None)?)
}

/// Runs a program with a device at the bus: the outcome, and the bytes that the device has got.
fn run(model: &Model, level: &str, text: &str, select: Pin) -> Result<(Ending, String, usize), Failed> {
    let begin = START.replace("PORT", &select.0.to_string()).replace("PIN", &select.1.to_string());
    let [both, sent] = lengths(model).map(|length| length.to_string());
    let text = text.replace("LARGE", &both).replace("LONG", &sent);
    let echo = Rc::new(RefCell::new(Echo::default()));
    let wiring = Wiring { spi: vec![(select, echo.clone())], ..Wiring::default() };
    let mut chip = start(model, level, &format!("{begin}{text}"), &wiring)?;
    let ending = chip.run(20_000);
    let count = echo.borrow().count;
    Ok((ending, chip.output(), count))
}

/// The lengths of a transfer in both directions, and of one that is only sent. They are longer than the counters of the controllers of
/// Nordic, or of the channels of others, if the board has the memory for it.
pub(crate) fn lengths(model: &Model) -> [usize; 2] {
    match model.name.as_str() {
        "blue-pill" => [1500, 1500],
        name if name.starts_with("nrf") || name.starts_with("feather") || name.starts_with("microbit") => [9000, 9000],
        _ => [9000, 66_000],
    }
}

fn spi(model: &Model, level: &str, select: Pin) -> Result<(), Failed> {
    let (ending, output, count) = run(model, level, WHOLE, select)?;
    let total = 100 + 3 + 1 + lengths(model).iter().sum::<usize>() + 70 + 2 + 70 + 3 * 70;
    if ending != Ending::Exit(0) || output != OUTPUT || count != total {
        return Err(format!("{ending:?}, {count} bytes:\n{output}").into());
    }
    for text in REFUSED {
        let (ending, output, _) = run(model, level, text, select)?;
        if !matches!(ending, Ending::Fault(_)) {
            return Err(format!("{text}{ending:?}:\n{output}").into());
        }
    }
    Ok(())
}

/// Sends from RAM, from flash, and more than the counters of most devices have, with bytes of the program before and after; then beside
/// handlers, which go on to send afterwards; at last in the ends of one another.
const SENDS: &str = "\
let mutable ended = 0
let finish () : unit = ended <- ended + 1
let bytes: byte[] = Array.init 300 (fun index -> byte (97 + index % 26))
let received = Queue.create 16 0uy
let waiting = Queue.create 16 0uy
let next () : byte option = Queue.tryTake waiting
Uart.start Serial.main 115200
Uart.write Serial.main \"<\"
Uart.writeThen Serial.main bytes finish
let mutable passes = 0
while ended = 0 do
    passes <- passes + 1
printfn \"%b %b\" (passes > 100) (Uart.isWriting Serial.main)
Uart.writeByte Serial.main 62uy
Uart.writeThen Serial.main [| 43uy; 45uy; 42uy |] finish
Interrupt.waitUntil (fun () -> ended = 2)
Uart.serve Serial.main (fun value -> Queue.tryAdd value received |> ignore) next
Uart.enqueue Serial.main waiting \"ab\"
Interrupt.waitUntil (fun () -> Queue.length waiting = 0)
Time.sleep 2
Uart.writeThen Serial.main bytes.[0..9] finish
Uart.enqueue Serial.main waiting \"cd\"
Interrupt.waitUntil (fun () -> ended = 3 && Queue.length received = 3)
Interrupt.waitUntil (fun () -> Queue.length waiting = 0)
Time.sleep 2
printfn \"%d\" (Queue.length received)
let long: byte[] = Array.create LONG 46uy
Uart.start Serial.main 1_000_000
Uart.writeThen Serial.main long finish
Interrupt.waitUntil (fun () -> ended = 4)
let ends = [| bytes.[0..1]; bytes.[0..2] |]
let mutable rounds = 0
let rec goOn () : unit =
    rounds <- rounds + 1
    if rounds < 3 then Uart.writeThen Serial.main ends.[rounds - 1] goOn else finish ()
goOn ()
Interrupt.waitUntil (fun () -> ended = 5)
Time.sleep 2
";

/// What traps: bytes and starts before the end, and no bytes.
const REFUSED_LINES: [&str; 5] = [
    "Uart.writeThen Serial.main bytes ignore\nUart.writeThen Serial.main bytes ignore\n",
    "Uart.writeThen Serial.main bytes ignore\nUart.write Serial.main \"a\"\n",
    "Uart.writeThen Serial.main bytes ignore\nUart.writeByte Serial.main 10uy\n",
    "Uart.writeThen Serial.main bytes ignore\nUart.start Serial.main 9600\n",
    "Uart.writeThen Serial.main [||] ignore\n",
];

fn serial(model: &Model, level: &str) -> Result<(), Failed> {
    let [_, long] = lengths(model);
    let text = SENDS.replace("LONG", &long.to_string());
    let mut chip = start(model, level, &text, &Wiring::default())?;
    // 304 bytes take 27 ms; those that arrive before the program listens are no concern of this test.
    let begun = chip.run(29);
    chip.send("xyz");
    let ending = chip.run(3000);
    let letters: String = ('a'..='z').cycle().take(300).collect();
    let expected = format!("<{letters}>+-*ababcdefghijcd{}ababc", ".".repeat(long));
    let (sent, output) = (chip.received(), chip.output());
    if ending != Ending::Exit(0) || sent != expected || output != "true false\n3\n" {
        let sent: String = sent.chars().take(400).collect();
        return Err(format!("{begun:?}, {ending:?}: {sent}\n{output}").into());
    }
    let begin = "let bytes: byte[] = Array.init 50 byte\nUart.start Serial.main 115200\n";
    for text in REFUSED_LINES {
        let ending = start(model, level, &format!("{begin}{text}"), &Wiring::default())?.run(1000);
        if !matches!(ending, Ending::Fault(_)) {
            return Err(format!("{text}{ending:?}").into());
        }
    }
    Ok(())
}
