//! SPI buses on models of chips whose controllers are modelled: bytes are exchanged one by one and in arrays of several lengths, in all modes
//! and at several rates. The models end a program that does not keep to the manual of the controller.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Part, Pin, Session, SpiDevice, Wiring};
use libtest_mimic::{Failed, Trial};
use std::{cell::RefCell, fs, rc::Rc};

/// The boards.
pub(crate) const BOARDS: [&str; 11] = [
    "black-pill-f411",
    "blue-pill",
    "mps2-an385",
    "mps2-an505",
    "netduino2",
    "netduinoplus2",
    "nucleo-f446re",
    "nucleo-l552ze-q",
    "rpi-pico",
    "rpi-pico-2",
    "stm32f4-discovery",
];

/// A board, and other pins of its bus.
const MOVED: (&str, &str) = (
    "blue-pill",
    "spi: { main: { sck: PB3, mosi: PB5, miso: PB4 } }\ni2c: { main: { kind: gpio, scl: PB6, sda: PB7 } }\n",
);

/// Boards, and further buses of theirs.
const OTHERS: [(&str, &str); 2] = [("mps2-an385", "SpiBus.shield1"), ("mps2-an505", "SpiBus.shield1")];

/// The pin that selects the device: one that the chips have, or a pin of the headers of an MPS2 board.
fn select(model: &Model) -> Pin {
    if matches!(model.part, Part::Mps2(..)) { (2, 12) } else { (0, 4) }
}

/// A test of a board, at a level of optimisation.
type Test = fn(&Model, &str) -> Result<(), Failed>;

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models: Vec<Model> = chips::models()?.into_iter().filter(|model| BOARDS.contains(&&*model.name)).collect();
    if models.len() != BOARDS.len() {
        return Err("a board with an SPI bus is missing".into());
    }
    let mut trials = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let level = ["0", "2", "z"][index % 3];
        let tests: [(&str, Test); 3] = [("transfers", transfers), ("modes", modes), ("rates", rates)];
        for (test, run) in tests {
            let model = model.clone();
            let name = format!("spi::{test}::{}-O{level}", model.name);
            trials.push(Trial::test(name, move || run(&model, level)));
        }
    }
    let (board, lines) = MOVED;
    let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.with(lines);
    trials.push(Trial::test(format!("spi::moved::{board}"), move || transfers(&model, "z")));
    for (board, bus) in OTHERS {
        let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        let program = TRANSFERS.replace("bus", bus);
        trials.push(Trial::test(format!("spi::others::{board}"), move || transfers_of(&model, "z", &program)));
    }
    for (board, program) in WIDE {
        let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        let trial = move || ends(&mut start(&model, "2", program)?, "9 18\n", 5);
        trials.push(Trial::test(format!("spi::wide::{board}"), trial));
    }
    for wrong in WRONG {
        let model = models.iter().find(|model| model.name == wrong.0).ok_or("a board is missing")?.clone();
        let name = format!("spi::demands::{}::{}", wrong.1, wrong.0);
        trials.push(Trial::test(name, move || is_misuse(&model, wrong.2, wrong.3)));
    }
    Ok(trials)
}

/// A device that answers each byte with the one before, and counts.
#[derive(Default)]
pub(crate) struct Echo {
    last: u8,
    pub(crate) count: usize,
}

impl SpiDevice for Echo {
    fn exchange(&mut self, byte: u8, _: &dyn Fn(Pin) -> bool) -> u8 {
        self.count += 1;
        std::mem::replace(&mut self.last, byte)
    }
}

/// A chip that runs a program, with its device.
pub(crate) struct Run {
    pub(crate) chip: Session,
    wiring: Wiring,
    pub(crate) echo: Rc<RefCell<Echo>>,
}

/// What all programs begin with.
const START: &str = "\
let device = Gpio.pin PIN
Gpio.set device
Gpio.output device
let bus = SpiBus.main
";

/// Compiles a program for the board of a model, and starts it.
pub(crate) fn start(model: &Model, level: &str, program: &str) -> Result<Run, Failed> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), &model.descriptor)?;
    let (port, number) = select(model);
    let start = START.replace("PIN", &format!("{port} {number}"));
    fs::write(directory.path().join("bus.clef"), format!("{start}{program}"))?;
    let arguments = ["--board", "board.yaml", &format!("-O{level}"), "-o", "image.elf", "bus.clef"];
    let call = clefc_in(directory.path(), &arguments, b"")?;
    if call.status != Some(0) {
        return Err(call.errors.into());
    }
    let image = fs::read(directory.path().join("image.elf"))?;
    let echo = Rc::new(RefCell::new(Echo::default()));
    let wiring = Wiring { spi: vec![((port, number), echo.clone())], ..Wiring::default() };
    Ok(Run { chip: Session::start(&image, model.part, &wiring, None)?, wiring, echo })
}

/// More than the milliseconds in which a program ends that waits for its output to be read.
const END: u64 = 5000;

pub(crate) fn ends(run: &mut Run, expected: &str, count: usize) -> Result<(), Failed> {
    let (ending, output, found) = (run.chip.run(END), run.chip.output(), run.echo.borrow().count);
    if ending == Ending::Exit(0) && output == expected && found == count {
        return Ok(());
    }
    Err(format!("{ending:?}, {found} bytes:\n{output}").into())
}

/// Sends and receives arrays. A device that is not selected gets nothing.
const TRANSFERS: &str = "\
let check (count: int) =
    let source: byte[] = Array.init count (fun index -> byte (index * 7 + count))
    let target: byte[] = Array.zeroCreate count
    Gpio.clear device
    ignore (Spi.exchange bus 9uy)
    Spi.transfer bus source target
    let fits = target.[0] = 9uy && Array.forall id (Array.init (count - 1) (fun index -> target.[index + 1] = source.[index]))
    let last = Spi.exchange bus 5uy = source.[count - 1]
    Spi.write bus source
    Spi.read bus target
    let isRead = target.[0] = source.[count - 1] && Array.forall (fun value -> value = 0uy) (Array.sub target 1 (count - 1))
    Gpio.set device
    Spi.write bus source
    printfn \"%d %b %b %b\" count fits last isRead
Spi.start bus Spi.Mode0 8_000_000
for count in [ 1; 2; 3; 4; 5; 9; 17; 300 ] do check count
Spi.start bus Spi.Mode3 1_000_000
for count in [ 1; 8; 40 ] do check count
";

fn transfers(model: &Model, level: &str) -> Result<(), Failed> {
    transfers_of(model, level, TRANSFERS)
}

fn transfers_of(model: &Model, level: &str, program: &str) -> Result<(), Failed> {
    let counts = [1, 2, 3, 4, 5, 9, 17, 300, 1, 8, 40];
    let expected: String = counts.iter().map(|count| format!("{count} true true true\n")).collect();
    let bytes = counts.iter().map(|count| 3 * count + 2).sum();
    ends(&mut start(model, level, program)?, &expected, bytes)
}

/// The device reads at rising edges.
const MODES: &str = "\
Gpio.clear device
for mode in [ Spi.Mode0; Spi.Mode1; Spi.Mode2; Spi.Mode3 ] do
    Spi.start bus mode 500_000
    ignore (Spi.exchange bus 7uy)
    printfn \"%d\" (Spi.exchange bus 8uy)
";

fn modes(model: &Model, level: &str) -> Result<(), Failed> {
    ends(&mut start(model, level, MODES)?, "7\n0\n0\n7\n", 4)
}

/// The rates that it asks for, of which a controller may have a lower one.
const RATES: [u64; 4] = [12_000_000, 8_000_000, 1_000_000, 500_000];

/// The bytes that are sent at each rate.
const BYTES: usize = 100;

fn rates(model: &Model, level: &str) -> Result<(), Failed> {
    for rate in RATES {
        let program = format!(
            "Spi.start bus Spi.Mode0 {rate}\nGpio.clear device\nSpi.write bus (Array.zeroCreate {BYTES})\nprintfn \"end\"\n"
        );
        let mut run = start(model, level, &program)?;
        ends(&mut run, "end\n", BYTES)?;
        let found = run.wiring.spi_rate.get().unwrap_or_default();
        // Some divide by powers of two only.
        if !(rate * 47 / 100..=rate).contains(&found) {
            return Err(format!("{found} in place of {rate}").into());
        }
        let (time, least) = (run.chip.microseconds().0, 8_000_000 * BYTES as u64 / found);
        if time < least {
            return Err(format!("{time} us at {found}").into());
        }
    }
    Ok(())
}

/// Programs that exchange frames of two bytes by registers, and print the bytes that come.
const WIDE: [(&str, &str); 3] = [
    (
        "blue-pill",
        "\
Spi.start bus Spi.Mode0 1_000_000
Gpio.clear device
ignore (Spi.exchange bus 9uy)
Mmio.write32 0x40013000un 0u
Mmio.write32 0x40013000un 0xB74u
Mmio.write32 0x4001300Cun 0x1234u
Mmio.write32 0x4001300Cun 0x5678u
while Mmio.read32 0x40013008un &&& 1u = 0u do ()
let word = Mmio.read32 0x4001300Cun
printfn \"%d %d\" (word >>> 8) (word &&& 0xFFu)
while Mmio.read32 0x40013008un &&& 0x80u <> 0u do ()
",
    ),
    (
        "nucleo-l552ze-q",
        "\
Spi.start bus Spi.Mode0 1_000_000
Gpio.clear device
ignore (Spi.exchange bus 9uy)
Mmio.write32 0x40013000un 0u
Mmio.write32 0x40013004un 0xF00u
Mmio.write32 0x40013000un 0x374u
Mmio.write32 0x4001300Cun 0x1234u
Mmio.write32 0x4001300Cun 0x5678u
while Mmio.read32 0x40013008un &&& 1u = 0u do ()
let word = Mmio.read32 0x4001300Cun
printfn \"%d %d\" (word >>> 8) (word &&& 0xFFu)
while Mmio.read32 0x40013008un &&& 0x80u <> 0u do ()
",
    ),
    (
        "rpi-pico",
        "\
Spi.start bus Spi.Mode0 1_000_000
Gpio.clear device
ignore (Spi.exchange bus 9uy)
Mmio.write32 0x4003C004un 0u
Mmio.write32 0x4003C000un 0x1C0Fu
Mmio.write32 0x4003C004un 2u
Mmio.write32 0x4003C008un 0x1234u
Mmio.write32 0x4003C008un 0x5678u
while Mmio.read32 0x4003C00Cun &&& 4u = 0u do ()
let word = Mmio.read32 0x4003C008un
printfn \"%d %d\" (word >>> 8) (word &&& 0xFFu)
while Mmio.read32 0x4003C00Cun &&& 0x10u <> 0u do ()
",
    ),
];

/// What the models demand: programs that use the registers of a controller wrongly, and a part of the reason.
const WRONG: [(&str, &str, &str, &str); 18] = [
    ("blue-pill", "frame_before_txe", "prepare ()\nfor _ in 1 .. 3 do write 0xC 0u", "before there is space"),
    ("blue-pill", "format_while_on", "prepare ()\nwrite 0 (read 0 ^^^ 0x800u)", "the format changes"),
    ("blue-pill", "off_within_a_transfer", "prepare ()\nwrite 0xC 0u\nwrite 0 0u", "within a transfer"),
    ("blue-pill", "without_pins", "enable ()\nwrite 0 0x344u\nwrite 0xC 0u", "the pins"),
    ("blue-pill", "without_ssi", "prepare ()\nwrite 0 0u\nwrite 0 0x254u", "not selected"),
    ("blue-pill", "after_an_overrun", "prepare ()\noverrun 2\nwrite 0xC 0u", "before an overrun is cleared"),
    ("blue-pill", "lost_frame", "prepare ()\nwrite 4 0x40u\noverrun 2", "has no space"),
    ("mps2-an385", "pin_of_the_program", "prepare ()\nGpio.output (Gpio.pin 2 13)\nwrite 8 0u", "the pins"),
    ("mps2-an505", "odd_prescaler", "prepare ()\nwrite 4 0u\nwrite 0x10 3u\nwrite 4 2u\nwrite 8 0u", "the prescaler"),
    ("stm32f4-discovery", "not_of_the_bus", "enable ()\nwrite 0 0x340u", "not that of the bus"),
    ("nucleo-l552ze-q", "two_frames", "prepare ()\nwrite 0xC 0u", "not as large as a frame"),
    ("nucleo-l552ze-q", "without_frxth", "prepare ()\nwrite 4 0x700u\nMmio.write8 (BASE + 0xCun) 0uy", "FRXTH"),
    ("nucleo-l552ze-q", "size_while_on", "prepare ()\nwrite 4 0x1F00u", "the size of a frame changes"),
    ("rpi-pico", "frame_without_space", "prepare ()\nfor _ in 1 .. 20 do write 8 0u", "before there is space"),
    ("rpi-pico", "frame_before_it_came", "prepare ()\nignore (read 8)", "before it has arrived"),
    ("rpi-pico", "rate_while_on", "prepare ()\nwrite 0x10 8u", "the format changes"),
    ("rpi-pico-2", "after_an_overrun", "prepare ()\noverrun 9\nwrite 8 0u", "before an overrun is cleared"),
    ("rpi-pico-2", "odd_prescaler", "prepare ()\nwrite 4 0u\nwrite 0x10 3u\nwrite 4 2u\nwrite 8 0u", "the prescaler"),
];

/// Registers of the first controller, of which `prepare` is the driver's start.
const REGISTERS: &str = "\
let read (offset: int) = Mmio.read32 (BASE + unativeint offset)
let write (offset: int) (value: uint32) = Mmio.write32 (BASE + unativeint offset) value
let prepare () = Spi.start bus Spi.Mode0 1_000_000
let enable () = Mmio.write32 ENABLEun 0x1000u
let wait () =
    for _ in 1 .. 2000 do ignore (Mmio.read32 0xE000ED00un)
let overrun (frames: int) =
    for _ in 1 .. frames do
        write DATA 0u
        wait ()
";

fn is_misuse(model: &Model, program: &str, reason: &str) -> Result<(), Failed> {
    let (base, data, enable) = match &*model.name {
        "rpi-pico" => ("0x4003C000un", "8", ""),
        "rpi-pico-2" => ("0x40080000un", "8", ""),
        "mps2-an385" => ("0x40026000un", "8", ""),
        "mps2-an505" => ("0x5020A000un", "8", ""),
        "blue-pill" => ("0x40013000un", "0xC", "0x40021018"),
        "nucleo-l552ze-q" => ("0x40013000un", "0xC", "0x40021060"),
        _ => ("0x40013000un", "0xC", "0x40023844"),
    };
    let text = format!("{REGISTERS}{program}\n").replace("BASE", base).replace("DATA", data);
    let text = if enable.is_empty() {
        text.lines().filter(|line| !line.contains("ENABLE")).map(|line| format!("{line}\n")).collect()
    } else {
        text.replace("ENABLE", enable)
    };
    let ending = start(model, "2", &text)?.chip.run(100);
    let fits = if let Ending::Bus(found) = ending { found.contains(reason) } else { false };
    if fits { Ok(()) } else { Err(format!("{ending:?} in place of {reason}").into()) }
}
