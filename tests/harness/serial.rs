//! Serial lines on models of chips: a program that polls its line, starts it again at another rate and misses nothing that waits in the
//! device, one whose line is served by handlers while it sleeps, and one whose line has DMA. On a board whose console is a serial line,
//! programs print there. The models end a program that does not keep to the manual of the device.

use crate::{
    chips::{self, Model},
    compiler::clefc_in,
};
use chip_sim::{Ending, Pin, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::fs;

/// The boards whose chips are modelled with their serial line, and what is left of the bytes `xyz` where one has space.
pub(crate) const BOARDS: [(&str, Option<char>); 15] = [
    ("black-pill-f411", Some('x')),
    ("blue-pill", Some('x')),
    ("feather-nrf52840", None),
    ("frdm-kl25z", Some('x')),
    ("microbit", None),
    ("microbit-v2", None),
    // A further byte replaces it.
    ("mps2-an385", Some('z')),
    ("mps2-an505", Some('z')),
    ("nrf52840-dk", None),
    ("nrf9160-dk", None),
    ("nucleo-f446re", Some('x')),
    // A further byte replaces it.
    ("nucleo-l552ze-q", Some('z')),
    ("rpi-pico", None),
    ("rpi-pico-2", None),
    ("stm32f4-discovery", Some('x')),
];

/// The board whose console is a serial line, and the pins of its lights.
const WITH_CONSOLE: &str = "frdm-kl25z";
const LIGHTS: [Pin; 3] = [(1, 18), (1, 19), (3, 1)];

/// A board, and other pins of its line.
const MOVED: (&str, &str) =
    ("blue-pill", "uart: { transmit: PB6, receive: PB7 }\ni2c: { main: { kind: gpio, scl: PB8, sda: PB9 } }\n");

/// Boards, and further lines of theirs.
const OTHERS: [(&str, &str); 6] = [
    ("mps2-an385", "Serial.uart1"),
    ("mps2-an385", "Serial.uart2"),
    ("mps2-an385", "Serial.uart3"),
    ("mps2-an385", "Serial.uart4"),
    ("mps2-an505", "Serial.uart3"),
    ("mps2-an505", "Serial.uart4"),
];

/// A board whose lines and buses are those of Arm, and whose pins no port connects to them.
const WITHOUT_PORTS: &str = "\
inherits: cortex-m
description: Devices of Arm with pins of a PL061
target: thumbv6m
memory: { flash: { kind: flash, origin: 0, length: 1M }, ram: { kind: ram, origin: 0x20000000, length: 1M } }
vectors: 32
stack: 4K
region_pool: { page: 256 }
clock: 25M
gpio: { kind: pl061, base: 0x40010000 }
uart: { kind: cmsdk, base: 0x40004000, clock: 25M, interrupts: [0, 1] }
i2c: { main: { kind: sbcon, base: 0x40029000 } }
spi: { main: { kind: pl022, base: 0x40026000, clock: 25M } }
run: { kind: none }
";

/// Its drivers compile without ports.
fn without_ports() -> Result<(), Failed> {
    const PROGRAM: &str =
        "Uart.start Serial.main 9600\nI2c.start I2cBus.main 100_000\nSpi.start SpiBus.main Spi.Mode0 1_000_000\n";
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("board.yaml"), WITHOUT_PORTS)?;
    fs::write(directory.path().join("start.clef"), PROGRAM)?;
    let call = clefc_in(directory.path(), &["--board", "board.yaml", "-o", "image.elf", "start.clef"], b"")?;
    if call.status == Some(0) { Ok(()) } else { Err(call.errors.into()) }
}

/// The trials: two for each board.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let is_modelled = |model: &Model| BOARDS.iter().any(|(name, _)| *name == model.name);
    let models: Vec<Model> = chips::models()?.into_iter().filter(is_modelled).collect();
    if models.len() != BOARDS.len() {
        return Err("a board with a serial line is missing".into());
    }
    let all = models.clone();
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
    let mut trials: Vec<Trial> = trials.chain(of_console).chain([demands]).collect();
    for (board, name, program, reason) in WRONG {
        let model = all.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        let trial = move || is_misuse(&model, program, reason);
        trials.push(Trial::test(format!("serial::demands::{name}::{board}"), trial));
    }
    let (board, lines) = MOVED;
    let model = all.iter().find(|model| model.name == board).ok_or("a board is missing")?.with(lines);
    trials.push(Trial::test(format!("serial::moved::{board}"), move || polled(&model, "z")));
    for (board, line) in OTHERS {
        let model = all.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        let name = |test: &str| format!("serial::others::{test}::{}::{board}", &line["Serial.".len()..]);
        let of_handled = model.clone();
        let trial = move || polled_by(&model, "2", &POLLED.replace("Serial.main", line));
        trials.push(Trial::test(name("polled"), trial));
        let trial = move || handled_by(&of_handled, "z", &HANDLED.replace("Serial.main", line));
        trials.push(Trial::test(name("handled"), trial));
    }
    trials.push(Trial::test("serial::without_ports", without_ports));
    for (board, program) in WITH_DMA {
        let model = all.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        trials.push(Trial::test(format!("serial::dma::{board}"), move || by_dma(&model, program)));
    }
    Ok(trials)
}

/// Compiles a program for the board of a model, and starts it.
pub(crate) fn start(model: &Model, level: &str, program: &str) -> Result<Session, Failed> {
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
pub(crate) fn expect(chip: &mut Session, milliseconds: u64, expected: &str) -> Result<Ending, Failed> {
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
    polled_by(model, level, POLLED)
}

fn polled_by(model: &Model, level: &str, program: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, program)?;
    expect(&mut chip, 5, "ready\n")?;
    chip.send("abc.");
    expect(&mut chip, 5, "bcd/")?;
    let left = BOARDS.iter().find(|(name, _)| *name == model.name).and_then(|(_, left)| *left);
    if let Some(left) = left {
        // One byte waits in the device. The others are an overrun, after which it receives again.
        chip.send("xyz");
        expect(&mut chip, 5, "")?;
        expect(&mut chip, 20, &char::from(left as u8 + 1).to_string())?;
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
    handled_by(model, level, HANDLED)
}

fn handled_by(model: &Model, level: &str, program: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, program)?;
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

/// What the models demand of programs that use the registers of a line, after the driver has started it, and a part of the reason.
const WRONG: [(&str, &str, &str, &str); 25] = [
    ("blue-pill", "without_space", "for _ in 1 .. 3 do write 0x40013804u 0u", "has space"),
    ("blue-pill", "rate_while_it_sends", "write 0x40013804u 0u\nwrite 0x40013808u 100u", "the rate or the settings"),
    ("blue-pill", "without_pin", "write 0x40010804u 0x44444444u\nwrite 0x40013804u 0u\nwait ()", "the pin"),
    ("mps2-an385", "without_space", "for _ in 1 .. 3 do write 0x40004000u 0u", "has space"),
    ("mps2-an385", "too_early", "ignore (read 0x40004000u)", "before it has arrived"),
    ("mps2-an505", "small_divisor", "write 0x50200010u 9u\nwrite 0x50200000u 0u", "the divisor"),
    (
        "mps2-an505",
        "pin_of_the_program",
        "Uart.start Serial.uart3 9600\nGpio.input (Gpio.pin 2 4)\nUart.write Serial.uart3 \"a\"",
        "the pin",
    ),
    ("stm32f4-discovery", "off_while_it_sends", "write 0x40004404u 0u\nwrite 0x4000440Cu 0u", "turned off"),
    ("stm32f4-discovery", "while_off", "wait ()\nwrite 0x4000440Cu 0u\nwrite 0x40004404u 0u", "does not send"),
    ("stm32f4-discovery", "small_divisor", "wait ()\nwrite 0x40004408u 8u\nwrite 0x40004404u 0u", "the divisor"),
    ("nucleo-l552ze-q", "rate_while_on", "write 0x4000800Cu 1000u", "the rate or the settings"),
    ("nucleo-l552ze-q", "overruns_while_on", "write 0x40008008u 0u", "the rate or the settings"),
    ("nucleo-l552ze-q", "format_while_on", "write 0x40008000u 0x100Du", "the format"),
    ("nucleo-l552ze-q", "off_while_it_sends", "write 0x40008028u 0u\nwrite 0x40008000u 0u", "turned off"),
    ("rpi-pico", "without_space", "for _ in 1 .. 40 do write 0x40034000u 0u", "has space"),
    ("rpi-pico", "rate_while_on", "write 0x40034024u 9u", "the format or the rate"),
    (
        "rpi-pico",
        "last_byte",
        "write 0x40034000u 0u\nwrite 0x40034030u 0u\nwrite 0x4003402Cu 0x70u",
        "the format or the rate",
    ),
    ("rpi-pico-2", "too_early", "ignore (read 0x40070000u)", "before it has arrived"),
    ("rpi-pico", "data_of_dma", "write 0x40034048u 1u\nignore (read 0x40034000u)", "that DMA receives"),
    (
        "stm32f4-discovery",
        "interrupt_with_dma",
        "write 0x4000440Cu 0x202Cu\nwrite 0x40004414u 0x40u",
        "interrupts for bytes that DMA receives",
    ),
    (
        "nucleo-l552ze-q",
        "interrupt_with_dma",
        "write 0x40008008u 0x1040u\nwrite 0x40008000u 0x2Du",
        "interrupts for bytes that DMA receives",
    ),
    ("nrf52840-dk", "buffer_in_use", "write 0x40002534u 0x20001000u", "before the device has told"),
    ("nrf52840-dk", "started_twice", "write 0x40002000u 1u", "started while it receives"),
    ("nrf52840-dk", "stopped_with_shortcut", "write 0x40002200u 0x20u\nwrite 0x40002004u 1u", "starts again"),
    (
        "nrf52840-dk",
        "buffer_in_flash",
        "write 0x40002004u 1u\nwait ()\nwrite 0x40002534u 0x1000u\nwrite 0x40002000u 1u",
        "memory that it does not reach",
    ),
];

/// What programs begin with that use registers.
const REGISTERS: &str = "\
let read (address: uint32) = Mmio.read32 (unativeint address)
let write (address: uint32) (value: uint32) = Mmio.write32 (unativeint address) value
let modify (address: uint32) (bits: uint32) = write address (read address ||| bits)
let address (bytes: byte[]) = NativePtr.toNativeInt (NativePtr.ofArray bytes) |> uint32
let wait () = Time.sleep 1
Uart.start Serial.main 115200
";

fn is_misuse(model: &Model, program: &str, reason: &str) -> Result<(), Failed> {
    let ending = start(model, "2", &format!("{REGISTERS}{program}\n"))?.run(100);
    let fits = if let Ending::Bus(found) = ending { found.contains(reason) } else { false };
    if fits { Ok(()) } else { Err(format!("{ending:?} in place of {reason}").into()) }
}

/// Lines with DMA: what sends five bytes, and what receives five.
const WITH_DMA: [(&str, &str); 4] = [
    (
        "blue-pill",
        "\
modify 0x40021014u 1u
write 0x40013814u 0xC0u
let send (address: uint32) =
    write 0x4002004Cu 0x40013804u
    write 0x40020050u address
    write 0x40020048u 5u
    write 0x40020044u 0x91u
let receive (address: uint32) =
    write 0x40020060u 0x40013804u
    write 0x40020064u address
    write 0x4002005Cu 5u
    write 0x40020058u 0x81u
let isDone () = read 0x40020000u &&& 0x20000u <> 0u
",
    ),
    (
        "stm32f4-discovery",
        "\
modify 0x40023830u 0x200000u
write 0x40004414u 0xC0u
let send (address: uint32) =
    write 0x400260A8u 0x40004404u
    write 0x400260ACu address
    write 0x400260A4u 5u
    write 0x400260A0u 0x08000441u
let receive (address: uint32) =
    write 0x40026090u 0x40004404u
    write 0x40026094u address
    write 0x4002608Cu 5u
    write 0x40026088u 0x08000401u
let isDone () = read 0x40026004u &&& 0x800u <> 0u
",
    ),
    (
        "nucleo-l552ze-q",
        "\
modify 0x40021048u 5u
write 0x40020800u 36u
write 0x40020804u 35u
write 0x40008000u 0u
write 0x40008008u 0xC0u
write 0x40008000u 0xDu
let send (address: uint32) =
    write 0x40020010u 0x40008028u
    write 0x40020014u address
    write 0x4002000Cu 5u
    write 0x40020008u 0x91u
let receive (address: uint32) =
    write 0x40020024u 0x40008024u
    write 0x40020028u address
    write 0x40020020u 5u
    write 0x4002001Cu 0x81u
let isDone () = read 0x40020000u &&& 0x20u <> 0u
",
    ),
    (
        "rpi-pico",
        "\
write 0x4000F000u 4u
write 0x40034048u 3u
let send (address: uint32) =
    write 0x50000000u address
    write 0x50000004u 0x40034000u
    write 0x50000008u 5u
    write 0x5000000Cu 0x000A0011u
let receive (address: uint32) =
    write 0x50000040u 0x40034000u
    write 0x50000044u address
    write 0x50000048u 5u
    write 0x5000004Cu 0x000A8821u
let isDone () = read 0x50000400u &&& 2u <> 0u
",
    ),
];

/// Sends what it has received.
const ECHO: &str = "\
let bytes: byte[] = Array.zeroCreate 5
receive (address bytes)
while not (isDone ()) do ()
send (address bytes)
Time.sleep 10
";

fn by_dma(model: &Model, program: &str) -> Result<(), Failed> {
    let mut chip = start(model, "2", &format!("{REGISTERS}Time.sleep 1\n{program}{ECHO}"))?;
    expect(&mut chip, 3, "")?;
    chip.send("hello");
    ends(expect(&mut chip, 3000, "hello")?)
}
