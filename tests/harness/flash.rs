//! Pages of flash on models of chips: settings survive failures of power, the models notice what the manuals forbid, and transfers in the
//! background that read flash end before it is changed.

use crate::chips::{self, INSTRUCTIONS, Model, compiled, workshop};
use chip_sim::{Chip, Ending, Failure, Flash, Part, Rated, Session, Wiring};
use libtest_mimic::{Failed, Trial};
use std::fs;

/// The trials.
pub(crate) fn trials() -> Result<Vec<Trial>, Failed> {
    let models = chips::models()?;
    let mut trials = Vec::new();
    // One board for each chip with flash of its own kind.
    for (index, model) in models.iter().enumerate().filter(|(_, model)| model.settings.is_some()) {
        if models[..index].iter().any(|before| has_flash_of(before.part, model.part)) {
            continue;
        }
        let (name, level, model) = (&model.name, ["2", "z"][index % 2], model.clone());
        let name = format!("flash::settings::{name}-O{level}");
        trials.push(Trial::test(name, move || check_settings(&model, level)));
    }
    let of = |board: &str| {
        let found = models.iter().find(|model| model.name == board);
        found.cloned().ok_or_else(|| Failed::from(format!("{board} is missing")))
    };
    for (board, name, text, reason) in WRONG {
        let model = of(board)?;
        trials.push(Trial::test(format!("flash::wrong::{name}"), move || is_misuse(&model, text, reason)));
    }
    for (board, level) in [("rpi-pico", "2"), ("rpi-pico", "0"), ("rpi-pico-2", "z")] {
        let model = of(board)?;
        trials.push(Trial::test(format!("flash::transfers::{board}-O{level}"), move || waits(&model, level)));
    }
    Ok(trials)
}

/// Whether two chips have the same kind of flash.
fn has_flash_of(one: Part, other: Part) -> bool {
    let family = |part: Part| match part {
        Part::Stm32(Rated { chip: chip @ (Chip::F103 | Chip::L552), .. }) => Some(chip),
        Part::Stm32(_)
        | Part::Nrf51
        | Part::Nrf52
        | Part::Nrf91
        | Part::Rp2040(_)
        | Part::Rp2350(_)
        | Part::Kl25
        | Part::Lm3s6965
        | Part::Mps2(..) => None,
    };
    std::mem::discriminant(&one) == std::mem::discriminant(&other) && family(one) == family(other)
}

/// Says what it has loaded, and saves further settings, each of which is known by its number.
const SETTINGS: &str = "\
let bytes : byte[] = Array.zeroCreate SIZE
let number () = int bytes.[0] + int bytes.[1] * 256
match Settings.load bytes with
| None -> printfn \"loaded 0\"
| Some length ->
    let mutable wrong = if length = SIZE then 0 else 1
    for index in 2 .. SIZE - 1 do
        if bytes.[index] <> byte (number () + index) then wrong <- wrong + 1
    if wrong = 0 then printfn \"loaded %d\" (number ()) else printfn \"broken\"
for _ in 1 .. 40 do
    let next = number () + 1
    for index in 2 .. SIZE - 1 do
        bytes.[index] <- byte (next + index)
    bytes.[0] <- byte next
    bytes.[1] <- byte (next / 256)
    if Settings.save bytes then printfn \"saved %d\" next else printfn \"failed\"
";

/// How often power fails.
const FAILURES: u32 = 24;

/// Settings are those that were saved last, or those that were being saved, whenever power fails.
fn check_settings(model: &Model, level: &str) -> Result<(), Failed> {
    let (origin, page, pages) = model.settings.ok_or("the board has pages")?;
    let mut flash = Flash::new(model.part, origin, page, pages);
    let directory = workshop(model)?;
    // A page has about twenty records.
    fs::write(directory.path().join("settings.clef"), SETTINGS.replace("SIZE", &(page / 20 - 16).to_string()))?;
    let image = compiled(directory.path(), level, "settings.clef")?;
    let (mut saved, mut erased) = (0, 0);
    for turn in 0..FAILURES {
        let failure = if turn % 6 == 5 { Failure::AtErase } else { Failure::After(turn * 7919 % (page / 8)) };
        flash = flash.map(|flash| flash.restarted(failure));
        let outcome = chip_sim::run_with_flash(&image, model.part, INSTRUCTIONS, &mut flash)?;
        let problem = || format!("{failure:?} after {saved}: {:?}\n{}", outcome.ending, outcome.output);
        let mut lines = outcome.output.lines();
        let loaded: u32 =
            lines.next().and_then(|line| line.strip_prefix("loaded ")?.parse().ok()).ok_or_else(problem)?;
        if loaded != saved && loaded != saved + 1 || outcome.ending != Ending::PowerLost {
            return Err(problem().into());
        }
        let later = lines.map(|line| line.strip_prefix("saved ")?.parse().ok());
        let later: Vec<u32> = later.collect::<Option<_>>().ok_or_else(problem)?;
        if !later.iter().copied().eq(loaded + 1..=loaded + later.len() as u32) {
            return Err(problem().into());
        }
        saved = loaded + later.len() as u32;
        erased += u32::from(failure == Failure::AtErase);
    }
    let enough = erased == FAILURES / 6 && saved > FAILURES;
    enough
        .then_some(())
        .ok_or_else(|| format!("only {saved} were saved, and {erased} times a page was being erased").into())
}

/// A chip with the pages of its board.
fn start(model: &Model, level: &str, text: &str, wiring: &Wiring) -> Result<Session, Failed> {
    let (origin, page, pages) = model.settings.ok_or("the board has pages")?;
    let directory = workshop(model)?;
    fs::write(directory.path().join("program.clef"), text)?;
    let image = compiled(directory.path(), level, "program.clef")?;
    Ok(Session::start(&image, model.part, wiring, Flash::new(model.part, origin, page, pages))?)
}

/// What the models notice: a board, the name, the program, and the reason.
const WRONG: [(&str, &str, &str, &str); 4] = [
    (
        "frdm-kl25z",
        "command_without_waiting",
        "Mmio.write32 0x40020004un 0x0901FC00u
Mmio.write8 0x40020000un 0x80uy
",
        "flash is read while a command runs",
    ),
    (
        "frdm-kl25z",
        "read_from_the_cache",
        "Mmio.write32 0xF000300Cun 0x10000u
Mmio.write32 0x40020004un 0x0901FC00u
Mmio.write8 0x40020000un 0x80uy
while Mmio.read8 0x40020000un &&& 0x80uy = 0uy do
    ()
printfn \"%d\" (Mmio.read32 0x1FC00un)
",
        "from the cache",
    ),
    ("rpi-pico", "interface_off", "Mmio.write32 0x18000008un 0u\n", "turned off by what is in flash"),
    ("rpi-pico", "interface_changed", "Mmio.write32 0x18000014un 8u\n", "changes while it is on"),
];

fn is_misuse(model: &Model, text: &str, reason: &str) -> Result<(), Failed> {
    let mut chip = start(model, "2", text, &Wiring::default())?;
    let ending = chip.run(100);
    let is_expected = matches!(ending, Ending::Bus(found) if found.contains(reason));
    is_expected.then_some(()).ok_or_else(|| format!("{ending:?} instead of `{reason}`").into())
}

/// Sends an array in flash while settings are saved.
const SENDS: &str = "\
let text: byte[] = \"this transfer reads flash, and ends before flash is changed\"B
let mutable isSent = false
Uart.start Serial.main 115_200
Uart.writeThen Serial.main text (fun () -> isSent <- true)
let isSaved = Settings.save [| 1uy; 2uy; 3uy |]
Interrupt.waitUntil (fun () -> isSent)
Time.sleep 20
let bytes: byte[] = Array.zeroCreate 3
printfn \"%b %A %A\" isSaved (Settings.load bytes) bytes
";

/// A transfer that reads flash ends before flash is changed.
fn waits(model: &Model, level: &str) -> Result<(), Failed> {
    let mut chip = start(model, level, SENDS, &Wiring::default())?;
    let ending = chip.run(1000);
    let (output, sent) = (chip.output(), chip.received());
    if ending == Ending::Exit(0)
        && output == "true Some 3 [|1uy; 2uy; 3uy|]\n"
        && sent == "this transfer reads flash, and ends before flash is changed"
    {
        return Ok(());
    }
    Err(format!("{ending:?}: {output}{sent}").into())
}
