//! Transfers in the background on models of chips whose controllers access memory by themselves: SPI of nRF52 and nRF91.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Pin, Session, SpiDevice, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{cell::RefCell, fs, rc::Rc};

/// The boards.
const BOARDS: [&str; 4] = ["feather-nrf52840", "microbit-v2", "nrf52840-dk", "nrf9160-dk"];

/// The pin that selects the device, which all of them have.
const SELECT: Pin = (0, 10);

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
let device = Gpio.pin 0 10
Gpio.set device
Gpio.output device
Spi.start SpiBus.main Spi.Mode0 8_000_000
let mutable ended = 0
let finish () : unit =
    Gpio.set device
    ended <- ended + 1
let sum (bytes: byte[]) : int = Array.fold (fun total value -> total + int value) 0 bytes
";

/// Both directions, one, from flash, longer than the counter of a controller, and short transfers of the program before and after.
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
let large: byte[] = Array.init 9000 byte
let copy: byte[] = Array.zeroCreate 9000
Spi.transferThen SpiBus.main large copy finish
Interrupt.waitUntil (fun () -> not (Spi.isBusy SpiBus.main))
printfn \"%d %b\" copy.[0] (Array.forall id (Array.init 8999 (fun index -> copy.[index + 1] = large.[index])))
Gpio.clear device
let few: byte[] = Array.zeroCreate 70
Spi.transfer SpiBus.main (Array.init 70 (fun index -> byte (index * 3))) few
printfn \"%d %d\" (int few.[1]) (int few.[69])
Spi.write SpiBus.main [| 1uy; 2uy |]
Spi.read SpiBus.main few
printfn \"%d %d\" few.[0] (sum few)
";

/// What the program prints, by what the device does.
const OUTPUT: &str = "true false\n0 0 4851\n9\n5 true\n0 204\n2 2\n";

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
        let Some(name) = BOARDS.into_iter().find(|name| *name == model.name) else { continue };
        for level in [["0", "z"], ["2", "0"], ["z", "2"]][index % 3] {
            let model = model.clone();
            trials.push(Trial::test(format!("transfers::spi::{name}-O{level}"), move || spi(&model, level)));
        }
    }
    match trials.len() == 2 * BOARDS.len() {
        true => Ok(trials),
        false => Err("a board with transfers is missing".into()),
    }
}

/// Compiles a program for the board of a model, and runs it with a device: the outcome, and the bytes that the device has got.
fn run(model: &Model, level: &str, text: &str) -> Result<(Ending, String, usize), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    fs::write(directory.path().join("program.clef"), format!("{START}{text}"))?;
    let level = format!("-O{level}");
    let call = clefc_in(directory.path(), &["--board", "board.yaml", &level, "-o", "image.elf", "program.clef"], b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    let echo = Rc::new(RefCell::new(Echo::default()));
    let wiring = Wiring { spi: vec![(SELECT, echo.clone())], ..Wiring::default() };
    let mut chip = Session::start(&image, model.part, &wiring, None)?;
    let ending = chip.run(20_000);
    let count = echo.borrow().count;
    Ok((ending, chip.output(), count))
}

fn spi(model: &Model, level: &str) -> Result<(), Failed> {
    let (ending, output, count) = run(model, level, WHOLE)?;
    if ending != Ending::Exit(0) || output != OUTPUT || count != 100 + 3 + 1 + 9000 + 70 + 2 + 70 {
        return Err(format!("{ending:?}, {count} bytes:\n{output}").into());
    }
    for text in REFUSED {
        let (ending, output, _) = run(model, level, text)?;
        if !matches!(ending, Ending::Fault(_)) {
            return Err(format!("{text}{ending:?}:\n{output}").into());
        }
    }
    Ok(())
}
