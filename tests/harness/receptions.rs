//! Serial lines that receive in the background on models of chips, by a DMA controller or by DMA of their own.
//!
//! A program sends a digit when it is ready for input, which it then gets: the next one of a list.

use crate::{
    chips::{self, Model},
    transfers::{self, BOARDS},
};
use chip_sim::{Ending, Session, Wiring};
use libtest_mimic::{Failed, Trial};

/// What all programs begin with.
const START: &str = "\
let mutable ended = 0
let finish () : unit = ended <- ended + 1
let line = Serial.main
let ready () : unit = Uart.writeByte line 48uy
let sum (bytes: byte[]) : int = Array.fold (fun total value -> total + int value) 0 bytes
let show (count: int) (bytes: byte[]) : unit =
    for index in 0 .. count - 1 do
        printf \"%c\" (char bytes.[index])
    printfn \"\"
Uart.start line BAUD
";

/// A program, the rate, the inputs, and what it prints.
struct Case {
    name: &'static str,
    text: &'static str,
    baud: u32,
    inputs: fn() -> Vec<String>,
    output: &'static str,
}

/// Some of the alphabet, from its beginning on, again and again.
fn letters(count: usize) -> String {
    ('a'..='z').cycle().take(count).collect()
}

const CASES: &[Case] = &[
    Case {
        name: "whole",
        text: "\
let buffer: byte[] = Array.zeroCreate 100
Uart.readThen line buffer finish
ready ()
let mutable passes = 0
while ended = 0 do
    passes <- passes + 1
printfn \"%b %b %b\" (passes > 100) (Uart.isReading line) (Uart.hasByte line)
show 100 buffer
let literal: byte[] = [| 7uy; 8uy; 9uy |]
ready ()
Time.sleep 3
Uart.readThen line literal finish
Time.sleep 1
ready ()
Interrupt.waitUntil (fun () -> ended = 2)
show 3 literal
ready ()
printfn \"%c\" (char (Uart.readByte line))
",
        baud: 115_200,
        inputs: || vec![letters(100), "x".into(), "yz".into(), "r".into()],
        output: "true false false\n\
                 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv\nxyz\nr\n",
    },
    Case {
        name: "long",
        text: "\
let buffer: byte[] = Array.zeroCreate LONG
Uart.readThen line buffer finish
ready ()
Interrupt.waitUntil (fun () -> ended = 1)
let mutable wrong = 0
for index in 0 .. LONG - 1 do
    if int buffer.[index] <> 97 + index % 26 then wrong <- wrong + 1
printfn \"%d\" wrong
",
        baud: 1_000_000,
        inputs: || vec![letters(70_000)],
        output: "0\n",
    },
    Case {
        name: "stopped",
        text: "\
let buffer: byte[] = Array.zeroCreate 300
let part count =
    Uart.readThen line buffer finish
    ready ()
    Time.sleep 40
    printfn \"%b %d\" (Uart.isReading line) (Uart.stopReading line)
    show count buffer
    printfn \"%d %d %b\" (Uart.stopReading line) ended (Uart.isReading line)
part 0
part 1
part 2
part 270
ready ()
printfn \"%c\" (char (Uart.readByte line))
",
        baud: 115_200,
        inputs: || vec!["".into(), "k".into(), "mn".into(), letters(270), "z".into()],
        output: "true 0\n\n0 0 false\n\
                 true 1\nk\n0 0 false\n\
                 true 2\nmn\n0 0 false\n\
                 true 270\n\
                 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\
                 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\
                 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghij\n0 0 false\nz\n",
    },
    // Each round stops somewhere before, in or after the four bytes, which are all there, once and in order.
    Case {
        name: "races",
        text: "\
let buffer: byte[] = Array.zeroCreate 4
let mutable stopped = 0
let mutable wrong = 0
for round in 0 .. 79 do
    let before = ended
    Uart.readThen line buffer finish
    ready ()
    Time.sleepMicroseconds (round * 21)
    let count = Uart.stopReading line
    let isWhole = ended > before
    if isWhole && count > 0 then wrong <- wrong + 1
    if not isWhole && count > 0 && count < 4 then stopped <- stopped + 1
    for index in (if isWhole then 4 else count) .. 3 do
        buffer.[index] <- Uart.readByte line
    for index in 0 .. 3 do
        if int buffer.[index] <> 97 + (4 * round + index) % 26 then wrong <- wrong + 1
printfn \"%d %b %b\" wrong (stopped > 3) (ended > 3)
",
        baud: 115_200,
        inputs: || {
            let all: Vec<char> = letters(320).chars().collect();
            all.chunks(4).map(|four| four.iter().collect()).collect()
        },
        output: "0 true true\n",
    },
    Case {
        name: "chained",
        text: "\
let buffers = [| (Array.zeroCreate 2 : byte[]); Array.zeroCreate 3; Array.zeroCreate 1; Array.zeroCreate 260 |]
let mutable rounds = 0
let rec goOn () : unit =
    rounds <- rounds + 1
    if rounds < 4 then Uart.readThen line buffers.[rounds] goOn else finish ()
Uart.readThen line buffers.[0] goOn
ready ()
Interrupt.waitUntil (fun () -> ended = 1)
for buffer in buffers do
    show (min 10 (Array.length buffer)) buffer
",
        baud: 115_200,
        inputs: || vec![letters(266)],
        output: "ab\ncde\nf\nghijklmnop\n",
    },
    Case {
        name: "both",
        text: "\
let buffer: byte[] = Array.zeroCreate 40
let bytes: byte[] = Array.init 60 (fun index -> byte (65 + index % 26))
let few: byte[] = Array.zeroCreate 2
let mutable rounds = 0
let rec again () : unit =
    rounds <- rounds + 1
    if rounds < 20 then Uart.readThen line few again else finish ()
for round in 0 .. 2 do
    Uart.readThen line buffer finish
    ready ()
    Uart.writeThen line bytes finish
    Interrupt.waitUntil (fun () -> ended = 2 * round + 2)
    printfn \"%b %b\" (Uart.isReading line) (Uart.isWriting line)
    show 40 buffer
Uart.readThen line few again
ready ()
while ended < 7 do
    if not (Uart.isWriting line) then Uart.writeThen line [| 46uy; 46uy |] ignore
show 2 few
Interrupt.waitUntil (fun () -> not (Uart.isWriting line))
Time.sleep 2
",
        baud: 115_200,
        inputs: || vec![letters(40), letters(40), letters(40), letters(40)],
        output: "false false\nabcdefghijklmnopqrstuvwxyzabcdefghijklmn\n\
                 false false\nabcdefghijklmnopqrstuvwxyzabcdefghijklmn\n\
                 false false\nabcdefghijklmnopqrstuvwxyzabcdefghijklmn\nmn\n",
    },
    // Interrupts are masked from before the end of the first array on, so that most devices lose bytes.
    Case {
        name: "late",
        text: "\
let first: byte[] = Array.zeroCreate 5
let second: byte[] = Array.zeroCreate 5
Uart.readThen line first (fun () -> Uart.readThen line second finish)
ready ()
Interrupt.critical (fun () ->
    for _ in 1 .. 400_000 do
        ignore (Mmio.read32 0xE000ED00un))
ready ()
Interrupt.waitUntil (fun () -> ended = 1)
show 5 first
printfn \"%b\" (Array.forall (fun value -> value <> 0uy) second)
Time.sleep 1
",
        baud: 115_200,
        inputs: || vec![letters(40), letters(40)],
        output: "abcde\ntrue\n",
    },
    Case {
        name: "served",
        text: "\
let received = Queue.create 16 0uy
let waiting = Queue.create 16 0uy
let few: byte[] = Array.zeroCreate 3
let call () : unit = Uart.enqueueByte line waiting 48uy
let drain (count: int) : unit =
    Interrupt.waitUntil (fun () -> Queue.length received = count)
    for _ in 1 .. count do
        printf \"%c\" (char (Option.defaultValue 63uy (Queue.tryTake received)))
    printfn \"\"
let take (value: byte) : unit =
    if value = 58uy then Uart.readThen line few finish else Queue.tryAdd value received |> ignore
Uart.serve line take (fun () -> Queue.tryTake waiting)
Uart.readThen line few finish
call ()
drain 2
show 3 few
Uart.readThen line few finish
call ()
Time.sleep 3
printfn \"%d\" (Uart.stopReading line)
show 2 few
call ()
drain 2
call ()
drain 3
show 3 few
printfn \"%d\" ended
",
        baud: 115_200,
        inputs: || vec!["abcde".into(), "fg".into(), "hi".into(), "k:lmnop".into()],
        output: "de\nabc\n2\nfg\nhi\nkop\nlmn\n2\n",
    },
];

/// What traps while a line reads, and an empty buffer.
const REFUSED: [&str; 6] = [
    "Uart.readThen line buffer finish\nUart.readThen line buffer finish\n",
    "Uart.readThen line buffer finish\nignore (Uart.readByte line)\n",
    "Uart.readThen line buffer finish\nignore (Uart.tryReadByte line)\n",
    "Uart.readThen line buffer finish\nUart.start line 9600\n",
    "Uart.readThen line buffer finish\nUart.onReceive line ignore\n",
    "Uart.readThen line [||] finish\n",
];

/// The trials of all boards.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let is_meant = |model: &Model| BOARDS.iter().any(|(name, _)| *name == model.name);
    let models: Vec<Model> = chips::models()?.into_iter().filter(is_meant).collect();
    if models.len() != BOARDS.len() {
        return Err("a board with transfers is missing".into());
    }
    let mut trials = Vec::new();
    for (index, model) in models.iter().enumerate() {
        for (place, case) in CASES.iter().enumerate() {
            let (model, level) = (model.clone(), ["0", "2", "z"][(index + place) % 3]);
            let name = format!("transfers::reading::{}::{}-O{level}", case.name, model.name);
            trials.push(Trial::test(name, move || check(&model, level, case)));
        }
        let model = model.clone();
        let name = format!("transfers::reading::refused::{}", model.name);
        trials.push(Trial::test(name, move || refuses(&model)));
    }
    Ok(trials)
}

/// Compiles a program, and starts it.
fn start(model: &Model, level: &str, text: &str, baud: u32) -> Result<Session, Failed> {
    let [_, long] = transfers::lengths(model);
    let text = format!("{START}{text}").replace("BAUD", &baud.to_string()).replace("LONG", &long.to_string());
    transfers::start(model, level, &text, &Wiring::default())
}

fn check(model: &Model, level: &str, case: &Case) -> Result<(), Failed> {
    let mut chip = start(model, level, case.text, case.baud)?;
    let mut inputs = (case.inputs)().into_iter();
    let mut sent = String::new();
    let mut ending = Ending::Running;
    for _ in 0..6000 {
        ending = chip.run(1);
        let now = chip.received();
        for _ in now.matches('0') {
            chip.send(&inputs.next().ok_or("the program wants more input than there is")?);
        }
        sent.push_str(&now);
        if ending != Ending::Running {
            break;
        }
    }
    let output = chip.output();
    let others = sent.replace(['0', '.'], "");
    let expected = if case.name == "both" { letters(60).to_uppercase()[..60].repeat(3) } else { String::new() };
    match ending == Ending::Exit(0) && output == case.output && others == expected && inputs.next().is_none() {
        true => Ok(()),
        false => Err(format!("{ending:?}: {others}\n{output}").into()),
    }
}

fn refuses(model: &Model) -> Result<(), Failed> {
    for text in REFUSED {
        let text = format!("let buffer: byte[] = Array.zeroCreate 8\n{text}");
        let ending = start(model, "2", &text, 115_200)?.run(100);
        if !matches!(ending, Ending::Fault(_)) {
            return Err(format!("{text}{ending:?}").into());
        }
    }
    Ok(())
}
