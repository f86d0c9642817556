//! I2C buses on models of chips whose controllers are modelled: a memory is written and read by transfers of many lengths, also beside an
//! interrupt that takes longer than a byte; devices that do not acknowledge, lines that are held, and another controller. The models end a
//! program that does not keep to the manual of the controller. The buses of MPS2 boards are in software.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, I2cDevice, Part, Pin, Session, Wiring, parts::Memory};
use libtest_mimic::{Failed, Trial};
use std::{cell::RefCell, fs, rc::Rc};

/// The boards whose chips are modelled with the controller of their bus.
const BOARDS: [&str; 17] = [
    "black-pill-f411",
    "blue-pill",
    "feather-nrf52840",
    "frdm-kl25z",
    "microbit",
    "microbit-v2",
    "mps2-an385",
    "mps2-an505",
    "netduino2",
    "netduinoplus2",
    "nrf52840-dk",
    "nrf9160-dk",
    "nucleo-f446re",
    "nucleo-l552ze-q",
    "rpi-pico",
    "rpi-pico-2",
    "stm32f4-discovery",
];

/// Those whose models have lines that can be held, with the pins of the clock and the data.
const LINES: [(&str, [Pin; 2]); 13] = [
    ("black-pill-f411", [(1, 6), (1, 7)]),
    ("blue-pill", [(1, 6), (1, 7)]),
    ("frdm-kl25z", [(4, 24), (4, 25)]),
    ("mps2-an385", [(2, 5), (2, 15)]),
    ("mps2-an505", [(2, 5), (2, 15)]),
    ("netduino2", [(1, 6), (1, 7)]),
    ("netduinoplus2", [(1, 6), (1, 7)]),
    ("nrf9160-dk", [(0, 31), (0, 30)]),
    ("nucleo-f446re", [(1, 8), (1, 9)]),
    ("nucleo-l552ze-q", [(1, 8), (1, 9)]),
    ("rpi-pico", [(0, 5), (0, 4)]),
    ("rpi-pico-2", [(0, 5), (0, 4)]),
    ("stm32f4-discovery", [(1, 6), (1, 9)]),
];

/// A board, other pins of its bus, and the same ones again.
const MOVED: (&str, &str, [Pin; 2]) = ("blue-pill", "i2c: { main: { scl: PB8, sda: PB9 } }\n", [(1, 8), (1, 9)]);

/// A test of a board, at a level of optimisation.
type Test = fn(&Model, &str) -> Result<(), Failed>;

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models: Vec<Model> = chips::models()?.into_iter().filter(|model| BOARDS.contains(&&*model.name)).collect();
    if models.len() != BOARDS.len() {
        return Err("a board with an I2C bus is missing".into());
    }
    let mut trials = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let level = ["0", "2", "z"][index % 3];
        let mut tests: Vec<(&str, Test)> = vec![("transfers", transfers)];
        let pins = LINES.iter().find(|(name, _)| *name == model.name).map(|(_, pins)| *pins);
        // A bus in software has all the time that an interrupt takes, and a lower rate.
        let is_in_software = matches!(model.part, Part::Mps2(..));
        if is_in_software {
            tests.push(("shield1", shield));
        } else {
            tests.push(("interrupted", interrupted));
        }
        if pins.is_some() && !is_in_software {
            tests.push(("rates", rates));
        }
        if model.part == Part::Kl25 {
            tests.push(("other", other));
        }
        for (test, run) in tests {
            let model = model.clone();
            let name = format!("i2c::{test}::{}-O{level}", model.name);
            trials.push(Trial::test(name, move || run(&model, level)));
        }
        if let Some(pins) = pins {
            // Without optimisation the times of the bus take too many instructions.
            let level = ["2", "z"][index % 2];
            let of = model.clone();
            let name = format!("i2c::lines::{}-O{level}", model.name);
            trials.push(Trial::test(name, move || lines(&of, level, pins)));
            if model.part == Part::Nrf91 {
                let model = model.clone();
                let name = format!("i2c::directly::{}-O{level}", model.name);
                trials.push(Trial::test(name, move || directly(&model, level)));
            }
        }
    }
    let (board, more, pins) = MOVED;
    let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.with(more);
    let moved = model.clone();
    trials.push(Trial::test(format!("i2c::moved::transfers::{board}"), move || transfers(&moved, "z")));
    trials.push(Trial::test(format!("i2c::moved::lines::{board}"), move || lines(&model, "z", pins)));
    for (board, name, program, reason) in WRONG {
        let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        let trial = move || is_misuse(&model, program, reason);
        trials.push(Trial::test(format!("i2c::demands::{name}::{board}"), trial));
    }
    Ok(trials)
}

/// What the models demand: programs that use the registers of a controller wrongly, after the driver has started it, and a part of the
/// reason.
const WRONG: [(&str, &str, &str, &str); 28] = [
    ("blue-pill", "data_without_start", "write 0x10 0xA0u", "outside a transfer"),
    ("blue-pill", "data_before_txe", "call 0xA0u\nfor _ in 1 .. 3 do write 0x10 0u", "before it is empty"),
    ("blue-pill", "data_before_rxne", "call 0xA1u\nignore (read 0x10)", "before a byte has arrived"),
    ("blue-pill", "control_before_stop", "call 0xA0u\nwrite 0 0x201u\nwrite 0 1u", "while it requests a condition"),
    (
        "blue-pill",
        "stop_without_nack",
        "write 0 0x401u\ncall 0xA1u\nawait 0x14 4u\nwrite 0 0x601u",
        "that is acknowledged",
    ),
    (
        "blue-pill",
        "byte_after_the_last",
        "call 0xA1u\nawait 0x14 0x40u\nignore (read 0x10)\nawait 0x14 0x80u",
        "after the last one",
    ),
    (
        "mps2-an385",
        "pin_of_the_program",
        "Gpio.input (Gpio.pin 2 15)\nprintfn \"%A\" (I2c.read I2cBus.main 0x50 (Array.zeroCreate 1))",
        "are not those of the controller",
    ),
    ("nucleo-l552ze-q", "byte_without_space", "write 0x28 0u", "before there is space"),
    ("nucleo-l552ze-q", "rate_while_on", "write 0x10 0u", "while the controller is on"),
    ("nucleo-l552ze-q", "part_within_a_part", "for _ in 1 .. 2 do write 4 0x220A0u", "within a part"),
    ("rpi-pico", "command_while_off", "write 0x6C 0u\nwrite 0x10 0u", "while the controller is off"),
    ("rpi-pico", "address_while_on", "write 0x6C 1u\nwrite 4 0x50u", "while the controller is on"),
    (
        "rpi-pico",
        "byte_before_it_came",
        "write 0x6C 1u\nwrite 0x10 0x100u\nignore (read 0x10)",
        "before it has arrived",
    ),
    (
        "rpi-pico",
        "off_within_a_transfer",
        "write 4 0x50u\nwrite 0x6C 1u\nwrite 0x10 0u\nawait 0x70 4u\nwrite 0x6C 0u",
        "within a transfer",
    ),
    ("frdm-kl25z", "data_without_start", "write 2 0x90u\nwrite 4 0xA0u", "before its time"),
    ("frdm-kl25z", "data_while_it_receives", "write 4 0xA0u", "while the controller receives"),
    ("frdm-kl25z", "its_own_address", "write 0 0xA0u\nwrite 2 0xB0u\nwrite 4 0xA0u", "its own address"),
    ("frdm-kl25z", "stop_within_a_byte", "write 2 0xB0u\nwrite 4 0xA0u\nwrite 2 0x80u", "within a byte"),
    ("frdm-kl25z", "byte_before_it_came", "listen ()\nignore (read 4)", "before a byte has arrived"),
    ("frdm-kl25z", "stop_without_nack", "listen ()\nawait 3 2u\nwrite 2 0x80u", "that is acknowledged"),
    (
        "frdm-kl25z",
        "byte_after_the_last",
        "listen ()\nwrite 2 0xA8u\nawait 3 2u\nignore (read 4)",
        "after the last one",
    ),
    (
        "frdm-kl25z",
        "start_repeated_with_a_factor",
        "write 1 0x52u\nwrite 2 0xB0u\nwrite 4 0xA0u\nawait 3 2u\nwrite 2 0xB4u",
        "another factor than one",
    ),
    (
        "frdm-kl25z",
        "pins_of_the_program",
        "Mmio.write32 0x4004D060un 0x103u\nwrite 2 0xB0u\nwrite 4 0xA0u\nawait 3 2u",
        "are not those of the controller",
    ),
    ("nrf9160-dk", "pin_while_on", "write 0x508 3u", "while the controller is on"),
    ("nrf9160-dk", "stop_without_a_transfer", "write 0x14 1u", "without a transfer"),
    ("nrf9160-dk", "start_within_a_transfer", "call 1u\nwrite 0 1u", "within another one"),
    ("nrf9160-dk", "reception_without_an_end", "call 1u\nawait 0x104 1u", "for which there is no space"),
    (
        "nrf9160-dk",
        "pins_that_are_driven",
        "Mmio.write32 0x50842778un 3u\ncall 1u\nawait 0x104 1u",
        "are not open drains",
    ),
];

/// Registers of the controller, and a start condition with an address for the one of an STM32F1.
const REGISTERS: &str = "\
let read (offset: int) = Mmio.read32 (BASE + unativeint offset)
let write (offset: int) (value: uint32) = Mmio.write32 (BASE + unativeint offset) value
let await (offset: int) (flag: uint32) =
    while read offset &&& flag = 0u do ()
let call (address: uint32) =
    write 0 (read 0 ||| 0x100u)
    await 0x14 1u
    write 0x10 address
    await 0x14 2u
    ignore (read 0x18)
I2c.start I2cBus.main 400_000
";

/// The same for a KL25, whose registers have eight bits; it begins to receive.
const BYTES: &str = "\
let read (offset: int) = Mmio.read8 (0x40066000un + unativeint offset)
let write (offset: int) (value: uint32) = Mmio.write8 (0x40066000un + unativeint offset) (byte value)
let await (offset: int) (flag: uint32) =
    while uint32 (read offset) &&& flag = 0u do ()
let listen () =
    write 2 0xB0u
    write 4 0xA1u
    await 3 2u
    write 3 2u
    write 2 0xA0u
    ignore (read 4)
I2c.start I2cBus.main 400_000
";

/// The same for an nRF91; it begins to receive bytes.
const DIRECT: &str = "\
let write (offset: int) (value: uint32) = Mmio.write32 (0x5000A000un + unativeint offset) value
let await (offset: int) (flag: uint32) =
    while Mmio.read32 (0x5000A000un + unativeint offset) &&& flag = 0u do ()
let call (count: uint32) =
    write 0x588 0x50u
    write 0x534 0x20030000u
    write 0x538 count
    write 0 1u
I2c.start I2cBus.main 400_000
";

fn is_misuse(model: &Model, program: &str, reason: &str) -> Result<(), Failed> {
    let registers = match model.part {
        Part::Kl25 => BYTES.to_owned(),
        Part::Nrf91 => DIRECT.to_owned(),
        Part::Rp2040(_) => REGISTERS.replace("BASE", "0x40044000un"),
        Part::Nrf51 | Part::Nrf52 | Part::Rp2350(_) | Part::Stm32(_) | Part::Lm3s6965 | Part::Mps2(..) => {
            REGISTERS.replace("BASE", "0x40005400un")
        }
    };
    let ending = start(model, "2", &format!("{registers}{program}\n"))?.0.run(100);
    let fits = if let Ending::Bus(found) = ending { found.contains(reason) } else { false };
    if fits { Ok(()) } else { Err(format!("{ending:?} in place of {reason}").into()) }
}

/// Compiles a program for the board of a model, and starts it with memories at the bus: the one at 0x52 is protected.
fn start(model: &Model, level: &str, program: &str) -> Result<(Session, Wiring), Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    fs::write(directory.path().join("bus.clef"), program)?;
    let arguments = ["--board", "board.yaml", &format!("-O{level}"), "-o", "image.elf", "bus.clef"];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    let memory = |address, is_protected| -> Rc<RefCell<dyn I2cDevice>> {
        Rc::new(RefCell::new(Memory::new(address, is_protected)))
    };
    let wiring = Wiring { i2c: vec![memory(0x50, false), memory(0x52, true)], ..Wiring::default() };
    Ok((Session::start(&image, model.part, &wiring, None)?, wiring))
}

/// Writes and reads cells of memories that were not written before. After each transfer the next cell is read, so that a byte too many is
/// seen.
const TRANSFERS: &str = "\
let bus = I2cBus.main
let content (count: int) = Array.init count (fun index -> byte (index * 7 + count))
let next: byte[] = Array.zeroCreate 1
let mutable first = 0
let check (count: int) =
    let sent = content count
    let back: byte[] = Array.zeroCreate count
    let place = [| byte (first >>> 8); byte first |]
    let written = I2c.writePrefixed bus 0x50 place sent
    let read = I2c.writeRead bus 0x50 place back
    let following = I2c.read bus 0x50 next
    first <- first + count
    printfn \"%d: %A %A %b %A %b\" count written read (back = sent) following (next.[0] = byte (first * 3))
let refuse (address: int) =
    let buffer: byte[] = Array.zeroCreate 3
    printfn \"%A\" (I2c.write bus address [| 0uy; 0uy; 1uy |])
    printfn \"%A\" (I2c.writePrefixed bus address [| 0uy; 0uy |] [| 1uy; 2uy; 3uy |])
    for count in [ 1; 2; 3 ] do
        printfn \"%A\" (I2c.read bus address (if count = 1 then next else buffer))
    printfn \"%A\" (I2c.writeRead bus address [| 0uy; 0uy |] buffer)
I2c.start bus 400_000
for count in [ 1; 2; 3; 4; 5; 17; 300 ] do check count
refuse 0x51
check 2
refuse 0x52
check 1
I2c.start bus 100_000
check 6
printfn \"%A\" (I2c.write bus 0x50 [| 0uy |])
check 3
";

/// What it prints.
fn of_transfers() -> String {
    let good = |count: u32| format!("{count}: Ok () Ok () true Ok () true\n");
    let mut text: String = [1, 2, 3, 4, 5, 17, 300].into_iter().map(good).collect();
    text += &"Error AddressNotAcknowledged\n".repeat(6);
    text += &good(2);
    text += &"Error DataNotAcknowledged\n".repeat(2);
    text += &"Ok ()\n".repeat(4);
    text + &good(1) + &good(6) + "Ok ()\n" + &good(3)
}

/// More than the milliseconds in which a program ends that waits for its output to be read.
const END: u64 = 5000;

fn ends(chip: &mut Session, expected: &str) -> Result<(), Failed> {
    let (ending, output) = (chip.run(END), chip.output());
    if ending == Ending::Exit(0) && output == expected { Ok(()) } else { Err(format!("{ending:?}:\n{output}").into()) }
}

fn transfers(model: &Model, level: &str) -> Result<(), Failed> {
    ends(&mut start(model, level, TRANSFERS)?.0, &of_transfers())
}

/// An interrupt comes a thousand times in a second, and takes longer than some bytes.
const INTERRUPT: &str = "\
let mutable handled = 0
let handle () =
    handled <- handled + 1
    for _ in 1 .. LOOPS do ignore (Mmio.read32 0xE000ED00un)
Interrupt.onTimer handle
Interrupt.startTimer (Interrupt.timerFrequency () / 1000)
";

/// Long transfers, in each of which the interrupts come at other places.
const LONG: &str = "\
I2c.start bus 400_000
let long: byte[] = Array.zeroCreate 300
let mutable wrong = 0
for step in 1 .. 90 do
    for _ in 1 .. step * PAUSE do ignore (Mmio.read32 0xE000ED00un)
    if I2c.writeRead bus 0x50 [| 1uy; 0uy |] long <> Ok () then wrong <- wrong + 1
Interrupt.stopTimer ()
printfn \"%d %b\" wrong (handled > 20)
";

fn interrupted(model: &Model, level: &str) -> Result<(), Failed> {
    let interrupt = INTERRUPT.replace("LOOPS", &(model.part.frequency() / 40_000).to_string());
    let long = LONG.replace("PAUSE", &(model.part.frequency() / 2_000_000).to_string());
    let program = format!("{interrupt}{TRANSFERS}{long}");
    ends(&mut start(model, level, &program)?.0, &format!("{}0 true\n", of_transfers()))
}

/// The rates that it asks for, of which a controller may have a lower one.
const RATES: [u64; 4] = [400_000, 250_000, 100_000, 20_000];

fn rates(model: &Model, level: &str) -> Result<(), Failed> {
    // An nRF91 has no lower rate than 100 kHz.
    let lowest = if model.part == Part::Nrf91 { 100_000 } else { 0 };
    let rates: Vec<u64> = RATES.into_iter().filter(|rate| *rate >= lowest).collect();
    let step = |rate: &u64| {
        format!("I2c.start I2cBus.main {rate}\nprintfn \"%A\" (I2c.read I2cBus.main 0x50 buffer)\nTime.sleep 50\n")
    };
    let steps: Vec<String> = rates.iter().map(step).collect();
    let program = format!("let buffer: byte[] = Array.zeroCreate 2\n{}", steps.concat());
    let (mut chip, wiring) = start(model, level, &program)?;
    for rate in rates {
        await_line(&mut chip, "Ok ()\n")?;
        let found = wiring.i2c_lines.borrow().rate.unwrap_or_default();
        if !(rate * 85 / 100..=rate).contains(&found) {
            return Err(format!("{found} in place of {rate}").into());
        }
    }
    ends(&mut chip, "")
}

/// Runs a chip until it prints a line, which must be this one.
fn await_line(chip: &mut Session, expected: &str) -> Result<(), Failed> {
    let mut output = String::new();
    let mut ending = Ending::Running;
    for _ in 0..1000 {
        ending = chip.run(1);
        output += &chip.output();
        if output.ends_with('\n') || ending != Ending::Running {
            break;
        }
    }
    if output == expected { Ok(()) } else { Err(format!("{ending:?}: {output:?} in place of {expected:?}").into()) }
}

/// Transfers with some time in between.
const ATTEMPTS: &str = "\
I2c.start I2cBus.main 400_000
let buffer: byte[] = Array.zeroCreate 3
while true do
    printfn \"%A %A\" (I2c.writeRead I2cBus.main 0x50 [| 0uy; 1uy |] buffer) buffer.[0]
    buffer.[0] <- 0uy
    Time.sleep 50
";

fn lines(model: &Model, level: &str, [clock, data]: [Pin; 2]) -> Result<(), Failed> {
    let (mut chip, wiring) = start(model, level, ATTEMPTS)?;
    let (good, stuck) = ("Ok () 3uy\n", "Error BusStuck 0uy\n");
    await_line(&mut chip, good)?;
    // A device that was interrupted within a byte holds the data line until the end of the byte.
    chip.drive(data, false);
    wiring.i2c_lines.borrow_mut().pulses = Some(5);
    await_line(&mut chip, good)?;
    await_line(&mut chip, good)?;
    for line in [data, clock] {
        chip.drive(line, false);
        await_line(&mut chip, stuck)?;
        wiring.levels.borrow_mut().remove(&line);
        await_line(&mut chip, good)?;
        await_line(&mut chip, good)?;
    }
    // An nRF91 knows no other controller.
    if model.part == Part::Nrf91 {
        return Ok(());
    }
    wiring.i2c_lines.borrow_mut().has_rival = true;
    await_line(&mut chip, "Error ArbitrationLost 0uy\n")?;
    await_line(&mut chip, good)
}

/// Transfers by DMA that take much longer than a device may hold the clock, in both directions. One of them is interrupted.
const DIRECTLY: &str = "\
let bus = I2cBus.main
let long: byte[] = Array.zeroCreate 1028
I2c.start bus 100_000
printfn \"%A\" (I2c.writeRead bus 0x50 [| 0uy; 0uy |] long)
let mutable wrong = 0
for index in 0 .. 1027 do
    if long.[index] <> byte (index * 3) then wrong <- wrong + 1
long.[1] <- 5uy
printfn \"%d %A\" wrong (I2c.write bus 0x50 long)
printfn \"%A %d\" (I2c.writeRead bus 0x50 [| 0uy; 6uy |] long) long.[0]
printfn \"%A\" (I2c.read bus 0x50 long)
printfn \"%A\" (I2c.read bus 0x50 long)
printfn \"%A\" (I2c.writePrefixed bus 0x50 [| 0uy |] long)
";

fn directly(model: &Model, level: &str) -> Result<(), Failed> {
    let [clock, _] = LINES.iter().find(|(name, _)| *name == model.name).ok_or("the board has no lines")?.1;
    let (mut chip, wiring) = start(model, level, DIRECTLY)?;
    for line in ["Ok ()\n", "0 Ok ()\n", "Ok () 9\n"] {
        await_line(&mut chip, line)?;
    }
    chip.run(40);
    chip.drive(clock, false);
    await_line(&mut chip, "Error BusStuck\n")?;
    wiring.levels.borrow_mut().remove(&clock);
    await_line(&mut chip, "Ok ()\n")?;
    // One byte more than there is space for.
    let ending = chip.run(END);
    if matches!(ending, Ending::Fault(_)) { Ok(()) } else { Err(format!("{ending:?}").into()) }
}

/// The bus of the second shield.
fn shield(model: &Model, level: &str) -> Result<(), Failed> {
    ends(&mut start(model, level, &TRANSFERS.replace("I2cBus.main", "I2cBus.shield1"))?.0, &of_transfers())
}

/// The other controller, with its pins at two ports.
fn other(model: &Model, level: &str) -> Result<(), Failed> {
    let mut model = model.clone();
    model.descriptor.push_str("i2c: { other: { kind: kl25, scl: PTC1, sda: PTE0 } }\n");
    ends(&mut start(&model, level, &TRANSFERS.replace("I2cBus.main", "I2cBus.other"))?.0, &of_transfers())
}
