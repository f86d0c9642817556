//! DMA on models of chips: programs that use the registers of the DMA controllers and of an SPI controller as the manuals say, and programs
//! that do not.

use crate::{
    chips::{self, Model},
    spi::{self, BOARDS},
};
use chip_sim::Ending;
use libtest_mimic::{Failed, Trial};

/// The boards with an SPI bus that have no DMA.
const WITHOUT: [&str; 2] = ["mps2-an385", "mps2-an505"];

/// What differs between chips: statements of a program.
struct Steps {
    /// Enables the controller, and defines the registers of both channels.
    prepare: &'static str,
    /// Functions that enable the channel that receives to an address, and the one that sends from an address: a number of bytes.
    channels: &'static str,
    /// What is before and between them, and after them.
    before: &'static str,
    after: &'static str,
    /// The end of a transfer, and what follows it.
    done: &'static str,
    close: &'static str,
    /// The line that is asserted then.
    interrupt: u32,
}

const F1: Steps = Steps {
    prepare: "modify 0x40021014u 1u",
    channels: "\
let receive (address: uint32) (count: uint32) =
    write 0x40020024u 0x4001300Cu
    write 0x40020028u address
    write 0x40020020u count
    write 0x4002001Cu 0x83u
let send (address: uint32) (count: uint32) =
    write 0x40020038u 0x4001300Cu
    write 0x4002003Cu address
    write 0x40020034u count
    write 0x40020030u 0x91u",
    before: "()",
    after: "write 0x40013004u 3u",
    done: "read 0x40020000u &&& 0x20u <> 0u",
    close: "\
write 0x4002001Cu 0u
    write 0x40020030u 0u
    write 0x40020004u 0xFF0u
    write 0x40013004u 0u",
    interrupt: 12,
};

const F4: Steps = Steps {
    prepare: "modify 0x40023830u 0x400000u",
    channels: "\
let receive (address: uint32) (count: uint32) =
    write 0x40026418u 0x4001300Cu
    write 0x4002641Cu address
    write 0x40026414u count
    write 0x40026410u 0x06000411u
let send (address: uint32) (count: uint32) =
    write 0x40026460u 0x4001300Cu
    write 0x40026464u address
    write 0x4002645Cu count
    write 0x40026458u 0x06000441u",
    before: "()",
    after: "write 0x40013004u 3u",
    done: "read 0x40026400u &&& 0x20u <> 0u",
    close: "\
write 0x40026408u 0x0F40003Du
    write 0x40013004u 0u",
    interrupt: 56,
};

/// The second SPI controller of an STM32F2 or F4, whose channels are those of DMA1.
const F4_SPI2: Steps = Steps {
    prepare: "modify 0x40023830u 0x200000u",
    channels: "\
let receive (address: uint32) (count: uint32) =
    write 0x40026060u 0x4000380Cu
    write 0x40026064u address
    write 0x4002605Cu count
    write 0x40026058u 0x411u
let send (address: uint32) (count: uint32) =
    write 0x40026078u 0x4000380Cu
    write 0x4002607Cu address
    write 0x40026074u count
    write 0x40026070u 0x441u",
    before: "()",
    after: "write 0x40003804u 3u",
    done: "read 0x40026000u &&& 0x8000000u <> 0u",
    close: "\
write 0x40026008u 0x0F400000u
    write 0x4002600Cu 0x3Du
    write 0x40003804u 0u",
    interrupt: 14,
};

const L5: Steps = Steps {
    prepare: "modify 0x40021048u 5u",
    channels: "\
write 0x40020800u 11u
write 0x40020804u 12u
let receive (address: uint32) (count: uint32) =
    write 0x40020010u 0x4001300Cu
    write 0x40020014u address
    write 0x4002000Cu count
    write 0x40020008u 0x83u
let send (address: uint32) (count: uint32) =
    write 0x40020024u 0x4001300Cu
    write 0x40020028u address
    write 0x40020020u count
    write 0x4002001Cu 0x91u",
    before: "\
write 0x40013000u (read 0x40013000u &&& ~~~0x40u)
    modify 0x40013004u 1u",
    after: "\
modify 0x40013004u 2u
    modify 0x40013000u 0x40u",
    done: "read 0x40020000u &&& 2u <> 0u",
    close: "\
write 0x40020008u 0u
    write 0x4002001Cu 0u
    write 0x40020004u 0xFFu
    write 0x40013000u (read 0x40013000u &&& ~~~0x40u)
    write 0x40013004u 0x1700u
    modify 0x40013000u 0x40u",
    interrupt: 29,
};

const RP2040: Steps = Steps {
    prepare: "write 0x4000F000u 4u",
    channels: "\
write 0x50000404u 1u
let receive (address: uint32) (count: uint32) =
    write 0x50000000u 0x4003C008u
    write 0x50000004u address
    write 0x50000008u count
    write 0x5000000Cu 0x00088021u
let send (address: uint32) (count: uint32) =
    write 0x50000040u address
    write 0x50000044u 0x4003C008u
    write 0x50000048u count
    write 0x5000004Cu 0x00080811u",
    before: "write 0x4003C024u 3u",
    after: "()",
    done: "read 0x5000040Cu &&& 1u <> 0u",
    close: "\
write 0x5000040Cu 3u
    write 0x4003C024u 0u",
    interrupt: 11,
};

const RP2350: Steps = Steps {
    prepare: "write 0x40023000u 4u",
    channels: "\
write 0x50000404u 1u
let receive (address: uint32) (count: uint32) =
    write 0x50000000u 0x40080008u
    write 0x50000004u address
    write 0x50000008u count
    write 0x5000000Cu 0x00320041u
let send (address: uint32) (count: uint32) =
    write 0x50000040u address
    write 0x50000044u 0x40080008u
    write 0x50000048u count
    write 0x5000004Cu 0x00302011u",
    before: "write 0x40080024u 3u",
    after: "()",
    done: "read 0x5000040Cu &&& 1u <> 0u",
    close: "\
write 0x5000040Cu 3u
    write 0x40080024u 0u",
    interrupt: 10,
};

fn steps(board: &str) -> Steps {
    match board {
        "blue-pill" => F1,
        "netduino2" | "netduinoplus2" => F4_SPI2,
        "nucleo-l552ze-q" => L5,
        "rpi-pico" => RP2040,
        "rpi-pico-2" => RP2350,
        _ => F4,
    }
}

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let has_dma = |model: &Model| BOARDS.contains(&&*model.name) && !WITHOUT.contains(&&*model.name);
    let models: Vec<Model> = chips::models()?.into_iter().filter(has_dma).collect();
    if models.len() != BOARDS.len() - WITHOUT.len() {
        return Err("a board with DMA is missing".into());
    }
    let mut trials = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let (model, level) = (model.clone(), ["2", "z", "0"][index % 3]);
        trials.push(Trial::test(format!("dma::spi::{}-O{level}", model.name), move || transfers(&model, level)));
    }
    for (board, program) in COPIES {
        let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        trials.push(Trial::test(format!("dma::copies::{board}"), move || copies(&model, program)));
    }
    for (board, name, program, reason) in WRONG {
        let model = models.iter().find(|model| model.name == board).ok_or("a board is missing")?.clone();
        let trial = move || is_misuse(&model, program, reason);
        trials.push(Trial::test(format!("dma::demands::{name}::{board}"), trial));
    }
    Ok(trials)
}

/// The functions of a program, of which `run` exchanges bytes.
fn functions(steps: &Steps) -> String {
    let Steps { prepare, channels, before, after, done, close, .. } = steps;
    format!(
        "\
let read (address: uint32) = Mmio.read32 (unativeint address)
let write (address: uint32) (value: uint32) = Mmio.write32 (unativeint address) value
let modify (address: uint32) (bits: uint32) = write address (read address ||| bits)
let address (bytes: byte[]) = uint32 (NativePtr.toNativeInt (NativePtr.ofArray bytes))
let data (bytes: byte[]) = address bytes
Spi.start bus Spi.Mode0 1_000_000
{prepare}
{channels}
let ready () =
    {before}
let go () =
    {after}
let isDone () = {done}
let close () =
    {close}
"
    )
}

/// Exchanges bytes in the background, those of flash as well, and one by one in between.
const PROGRAM: &str = "\
let isPending () = (read (0xE000E200u + INTERRUPTu / 32u * 4u) >>> int (INTERRUPTu % 32u)) &&& 1u = 1u
let exchange (bytes: byte[]) (buffer: byte[]) =
    let count = uint32 (Array.length bytes)
    let mutable passes = 0
    ready ()
    receive (address buffer) count
    send (data bytes) count
    go ()
    while not (isDone ()) do
        passes <- passes + 1
    printfn \"%b\" (isPending ())
    close ()
    passes
Gpio.clear device
ignore (Spi.exchange bus 3uy)
let buffer: byte[] = Array.zeroCreate 200
let passes = exchange (Array.init 200 byte) buffer
printfn \"%b %d %b\" (passes > 200) buffer.[0] (Array.forall id (Array.init 199 (fun index -> buffer.[index + 1] = byte index)))
printfn \"%d\" (Spi.exchange bus 4uy)
let few: byte[] = Array.zeroCreate 3
ignore (exchange [| 7uy; 8uy; 9uy |] few)
printfn \"%d %d %d\" few.[0] few.[1] few.[2]
";

fn transfers(model: &Model, level: &str) -> Result<(), Failed> {
    let steps = steps(&model.name);
    let program = PROGRAM.replace("INTERRUPT", &steps.interrupt.to_string());
    let mut run = spi::start(model, level, &format!("{}{program}", functions(&steps)))?;
    spi::ends(&mut run, "true\ntrue 3 true\n199\ntrue\n4 7 8\n", 205)?;
    // The transfers have the pace of the bus.
    let least = 200 * 8;
    let time = run.chip.microseconds().0;
    if time < least { Err(format!("{time} us").into()) } else { Ok(()) }
}

/// Transfers between memories: four words, and on an F1 also eight bytes to as many halfwords.
const COPIES: [(&str, &str); 5] = [
    (
        "blue-pill",
        "\
write 0x40020010u (address source)
write 0x40020014u (address target)
write 0x4002000Cu 8u
write 0x40020008u 0x44C1u
PRINTwrite 0x40020008u 0u
write 0x4002000Cu 4u
write 0x40020008u 0x4AC1u
",
    ),
    (
        "stm32f4-discovery",
        "\
write 0x40026430u (address source)
write 0x40026434u (address target)
write 0x4002642Cu 4u
write 0x4002643Cu 4u
write 0x40026428u 0x5681u
",
    ),
    (
        "nucleo-l552ze-q",
        "\
write 0x40020010u (address source)
write 0x40020014u (address target)
write 0x4002000Cu 4u
write 0x40020008u 0x4AC1u
",
    ),
    (
        "rpi-pico",
        "\
write 0x50000080u (address source)
write 0x50000084u (address target)
write 0x50000088u 4u
write 0x5000008Cu 0x1F9039u
",
    ),
    (
        "rpi-pico-2",
        "\
write 0x50000080u (address source)
write 0x50000084u (address target)
write 0x50000088u 4u
write 0x5000008Cu 0x7E4059u
",
    ),
];

fn copies(model: &Model, program: &str) -> Result<(), Failed> {
    let start = functions(&steps(&model.name));
    let arrays =
        "let source = Array.init 16 (fun index -> byte (index + 1))\nlet target: byte[] = Array.zeroCreate 16\n";
    let print = "for value in target do printf \"%d \" value\n";
    let program = program.replace("PRINT", print);
    let mut run = spi::start(model, "2", &format!("{start}{arrays}{program}{print}"))?;
    let words = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ";
    let halfwords = if model.name == "blue-pill" { "1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 " } else { "" };
    spi::ends(&mut run, &format!("{halfwords}{words}"), 0)
}

/// Programs that do not keep to the manuals, and a part of the reason.
const WRONG: [(&str, &str, &str, &str); 21] = [
    ("blue-pill", "count_of_zero", "receive (address bytes) 0u", "a count of zero"),
    (
        "blue-pill",
        "changed_while_on",
        "receive (address bytes) 9u\nwrite 0x40020028u 0u",
        "changed while it is enabled",
    ),
    (
        "blue-pill",
        "other_channel",
        "write 0x40020010u 0x4001300Cu\nwrite 0x4002000Cu 1u\nwrite 0x40020008u 0x83u",
        "does not have",
    ),
    (
        "blue-pill",
        "other_direction",
        "write 0x40020024u 0x4001300Cu\nwrite 0x40020020u 1u\nwrite 0x4002001Cu 0x93u",
        "does not have",
    ),
    ("blue-pill", "no_memory", "send 0x30000000u 2u\ngo ()", "what it does not reach"),
    (
        "blue-pill",
        "to_flash",
        "receive 0x08000000u 2u\nsend (address bytes) 2u\ngo ()\nwait ()",
        "what it does not reach",
    ),
    (
        "blue-pill",
        "unaligned",
        "write 0x4001300Cu 0u\nwrite 0x40020024u 0x4001300Cu\nwrite 0x40020028u (address bytes + 1u)\nwrite 0x40020020u 1u\nwrite 0x4002001Cu 0x583u",
        "not a multiple",
    ),
    (
        "blue-pill",
        "sends_first",
        "send (address bytes) 9u\nwrite 0x40013004u 2u\nwrite 0x40013004u 3u",
        "only after it sends",
    ),
    (
        "stm32f4-discovery",
        "flags",
        "receive (address bytes) 9u\nsend (address bytes) 9u\ngo ()\nwait ()\nsend (address bytes) 9u",
        "with flags",
    ),
    (
        "stm32f4-discovery",
        "changed_while_on",
        "receive (address bytes) 9u\nwrite 0x40026414u 8u",
        "changed while it is enabled",
    ),
    (
        "stm32f4-discovery",
        "core_memory",
        "receive 0x10000000u 9u\nsend (address bytes) 9u\ngo ()\nwait ()",
        "what it does not reach",
    ),
    (
        "stm32f4-discovery",
        "other_channel",
        "write 0x40026418u 0x4001300Cu\nwrite 0x40026414u 1u\nwrite 0x40026410u 0x411u",
        "does not have",
    ),
    ("stm32f4-discovery", "without_reception", "send (address bytes) 9u\ngo ()\nwait ()", "has no space"),
    ("nucleo-l552ze-q", "not_selected", "write 0x40020800u 0u\nreceive (address bytes) 9u", "does not have"),
    ("stm32f4-discovery", "without_clock", "write 0x40023830u 0u\nreceive (address bytes) 9u", "without its clock"),
    ("rpi-pico-2", "aborted_while_enabled", "receive (address bytes) 9u\nwrite 0x50000464u 1u", "RP2350-E5"),
    ("rpi-pico", "count_of_zero", "receive (address bytes) 0u", "a count of zero"),
    ("rpi-pico", "changed_while_busy", "receive (address bytes) 9u\nwrite 0x50000004u 0u", "changed while it is busy"),
    (
        "rpi-pico",
        "chained_to_zero",
        "ready ()\nreceive (address bytes) 9u\nwrite 0x50000040u (address bytes)\nwrite 0x50000044u 0x4003C008u\nwrite 0x50000048u 2u\nwrite 0x5000004Cu 0x00080011u\nwait ()",
        "triggered while it is busy",
    ),
    (
        "rpi-pico-2",
        "other_request",
        "write 0x50000040u (address bytes)\nwrite 0x50000044u 0x40080008u\nwrite 0x50000048u 2u\nwrite 0x5000004Cu 0x00322011u",
        "does not have",
    ),
    ("rpi-pico-2", "no_memory", "ready ()\nsend 0x40000000u 9u", "what it does not reach"),
];

fn is_misuse(model: &Model, program: &str, reason: &str) -> Result<(), Failed> {
    let start = functions(&steps(&model.name));
    let wait =
        "let bytes: byte[] = Array.zeroCreate 16\nlet wait () =\n    for _ in 1 .. 9000 do ignore (read 0xE000ED00u)\n";
    let ending = spi::start(model, "2", &format!("{start}{wait}{program}\n"))?.chip.run(100);
    let fits = if let Ending::Bus(found) = ending { found.contains(reason) } else { false };
    if fits { Ok(()) } else { Err(format!("{ending:?} in place of {reason}").into()) }
}
