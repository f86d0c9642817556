//! Every shipped descriptor is complete, and each name that a user would try finds its target.

#![allow(clippy::disallowed_methods, reason = "the tests compare the built-in copies with the files")]

use clef_base::{Diagnostic, SourceMap, render};
use clef_descriptors::{
    Address, AlignmentPolicy, Board, Boot, Bytes, Console, Described, Machine, PointerWidth, Request, Resolver, Run,
    TailCalls, Target, TrapMessages,
};
use std::{collections::BTreeSet, fs, io, path::Path};

fn no_files(path: &Path) -> io::Result<String> {
    Err(io::Error::new(io::ErrorKind::NotFound, format!("{} is not to be read", path.display())))
}

/// Runs `ask` with a resolver of shipped files only; a failure shows the diagnostics.
fn resolved<T>(ask: impl FnOnce(&mut Resolver<'_>) -> Result<T, Vec<Diagnostic>>) -> T {
    let mut sources = SourceMap::default();
    let result = ask(&mut Resolver::new(&mut sources, &no_files));
    result.unwrap_or_else(|diagnostics| {
        let texts = diagnostics.iter().map(|diagnostic| render::render(&sources, diagnostic, render::Colour::Plain));
        panic!("{}", texts.collect::<String>())
    })
}

fn target(name: &str) -> Target {
    resolved(|resolver| resolver.target(name)).value
}

fn board(name: &str) -> Described<Board> {
    resolved(|resolver| resolver.board(name))
}

fn machine(request: Request<'_>) -> Machine {
    resolved(|resolver| resolver.machine(request))
}

/// The names of the shipped files of a directory, without abstract ones.
fn files(directory: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(path).expect("the directory exists") {
        let path = entry.expect("a directory entry").path();
        assert_eq!(path.extension().and_then(|extension| extension.to_str()), Some("yaml"), "{}", path.display());
        let text = fs::read_to_string(&path).expect("the file can be read");
        if !text.lines().any(|line| line == "abstract: true") {
            names.insert(path.file_stem().expect("a name").to_string_lossy().into_owned());
        }
    }
    names
}

#[test]
fn every_file_is_built_in_and_complete() {
    let targets: BTreeSet<String> =
        resolved(|resolver| resolver.shipped_targets()).into_iter().map(|target| target.name).collect();
    assert_eq!(targets, files("targets"));
    let boards: BTreeSet<String> =
        resolved(|resolver| resolver.shipped_boards()).into_iter().map(|board| board.name).collect();
    assert_eq!(boards, files("boards"));
}

#[test]
fn every_target_runs_on_its_default_board_and_every_board_has_its_target() {
    for name in files("targets") {
        assert_eq!(machine(Request::Target(&name)).target.value.name, name);
    }
    for name in files("boards") {
        let machine = machine(Request::Board(&name));
        assert_eq!(machine.target.value.name, machine.board.value.target);
    }
}

#[test]
fn names_of_llvm_and_rust_are_accepted() {
    for (asked, name) in [
        ("thumbv7em", "thumbv7em"),
        ("thumbv7em-none-eabi", "thumbv7em"),
        ("thumbv7em-unknown-none-eabi", "thumbv7em"),
        ("thumbv7em-none-eabihf", "thumbv7em-hf"),
        ("thumbv8m.main-none-eabihf", "thumbv8m.main-hf"),
        ("aarch64-unknown-none", "aarch64-none"),
        ("aarch64-none-elf", "aarch64-none"),
        ("aarch64-unknown-linux-gnu", "aarch64-linux"),
        ("x86_64-unknown-none", "x86_64-none"),
        ("x86_64-unknown-linux-gnu", "x86_64-linux"),
        ("x86_64-pc-linux-gnu", "x86_64-linux"),
    ] {
        assert_eq!(target(asked).name, name, "{asked}");
    }
}

#[test]
fn names_are_unique() {
    let mut seen = BTreeSet::new();
    for target in resolved(|resolver| resolver.shipped_targets()) {
        for name in target.aliases.iter().chain([&target.name]) {
            assert!(seen.insert(name.clone()), "{name} names two targets");
        }
        assert!(target.aliases.contains(&target.runtime), "{} lacks the alias {}", target.name, target.runtime);
    }
}

#[test]
fn cortex_m0_inherits_and_overrides() {
    let target = target("thumbv6m");
    assert_eq!((target.cpu.as_str(), target.pointer_bits), ("cortex-m0", PointerWidth::Bits32));
    assert_eq!(target.tail_calls, TailCalls::Trampoline);
    assert_eq!(target.feature_string(), "+strict-align");
    assert_eq!((target.closure_alignment.line, target.closure_alignment.policy), (None, AlignmentPolicy::Natural));
}

#[test]
fn an_inherited_memory_region_keeps_what_the_heir_does_not_set() {
    let board = board("mps2-an505").value;
    let flash = board.flash().expect("it has flash");
    assert_eq!((flash.origin, flash.length), (Address(0x1000_0000), Bytes(4 << 20)));
    assert_eq!(board.ram().map(|ram| ram.origin), Some(Address(0x3800_0000)));
    assert_eq!((board.boot, board.vectors), (Boot::CortexM, Some(124)));
}

#[test]
fn an_image_of_mps2_has_its_ports_elsewhere() {
    let gpio = board("mps2-an505").value.gpio.expect("the board has pins");
    let (ports, first) = gpio.cmsdk().expect("the pins of the headers");
    assert_eq!((ports.base, first), (Address(0x5010_0000), 2));
    assert_eq!(ports.numbers().collect::<Vec<_>>(), [68, 69, 70, 71]);
}

#[test]
fn resolved_lines_name_the_files() {
    let lines = board("mps2-an386").lines;
    let origin = |text: &str| {
        let line = lines.iter().find(|line| line.text.trim_start() == text).unwrap_or_else(|| panic!("no line {text}"));
        line.origin.clone().unwrap_or_default()
    };
    assert!(origin("target: thumbv7em-hf").starts_with("boards/mps2-an386.yaml:"));
    assert!(origin("machine: mps2-an386").starts_with("boards/mps2-an386.yaml:"));
    assert!(origin("stack: 64K").starts_with("boards/mps2.yaml:"));
    assert!(origin("program: qemu-system-arm").starts_with("boards/cortex-m.yaml:"));
}

/// The chip names are those that probe-rs uses.
#[test]
fn chips_are_those_that_probes_know() {
    let known = [
        "nRF51822_xxAA",
        "nRF52833_xxAA",
        "nRF52840_xxAA",
        "nRF9160_xxAA",
        "RP2040",
        "RP235x",
        "STM32F103C8",
        "STM32F205RF",
        "STM32F405RG",
        "STM32F407VG",
        "STM32F411CE",
        "STM32F446RE",
        "STM32L552ZE",
    ];
    let boards = resolved(|resolver| resolver.shipped_boards());
    let chips: BTreeSet<&str> = boards.iter().filter_map(|board| board.chip.as_deref()).collect();
    assert_eq!(chips, BTreeSet::from(known));
    for board in boards.iter().filter(|board| board.run == Run::None) {
        // The console of others is at a serial line, and their images are copied to them.
        let runs_alone = matches!(board.console, Console::Kl25Uart { .. });
        assert!(board.chip.is_some() || runs_alone, "no emulator for images of {}", board.name);
    }
}

/// The family numbers are those of Microsoft's `uf2families.json`, and for the RP2350 those of the Pico SDK.
#[test]
fn families_of_uf2() {
    let boards = resolved(|resolver| resolver.shipped_boards());
    let families = boards.iter().filter_map(|board| Some((board.name.as_str(), board.uf2?.family)));
    let expected = [
        ("black-pill-f411", 0x2dc3_09c5),
        ("blue-pill", 0x5ee2_1072),
        ("feather-nrf52840", 0xada5_2840),
        ("microbit-v2", 0x621e_937a),
        ("nrf52840-dk", 0xada5_2840),
        ("nucleo-f446re", 0x5775_5a57),
        ("nucleo-l552ze-q", 0x0424_0bdf),
        ("rpi-pico", 0xe48b_ff56),
        ("rpi-pico-2", 0xe48b_ff59),
        ("stm32f4-discovery", 0x8fb0_60fe),
    ];
    assert_eq!(families.collect::<Vec<_>>(), expected);
}

/// If the chip's own boot code starts images, the vector table is where that code or the boot block expects it.
#[test]
fn vector_tables_are_aligned() {
    for board in resolved(|resolver| resolver.shipped_boards()) {
        let Some((table, vectors)) = board.vector_table().zip(board.vectors) else { continue };
        let size = (16 + u64::from(vectors)) * 4;
        assert_eq!(table.0 % size.next_power_of_two(), 0, "{}", board.name);
    }
    assert_eq!(board("rpi-pico").value.vector_table(), Some(Address(0x1000_0100)));
}

/// The document about boards lists everything that is shipped.
#[test]
fn the_document_is_complete() {
    let text = documentation();
    for name in files("targets").into_iter().chain(files("boards")) {
        assert!(text.contains(&format!("`{name}`")), "{name} is missing");
    }
}

/// The descriptors in the document about boards are valid.
#[test]
fn documented_boards_are_accepted() {
    let text = documentation();
    let blocks = text.split("```yaml\n").skip(1).filter_map(|block| block.split("```").next());
    let mut count = 0;
    for block in blocks {
        let read = |path: &Path| if path.ends_with("documented.yaml") { Ok(block.to_owned()) } else { no_files(path) };
        let mut sources = SourceMap::default();
        let found = Resolver::new(&mut sources, &read).machine(Request::Board("./documented.yaml"));
        if let Err(diagnostics) = found {
            let texts = diagnostics.iter().map(|found| render::render(&sources, found, render::Colour::Plain));
            panic!("{}", texts.collect::<String>());
        }
        count += 1;
    }
    assert!(count >= 2, "there are no examples");
}

/// The document about boards lists every key of shipped boards.
#[test]
fn every_key_is_documented() {
    let text = documentation();
    for name in files("boards") {
        for line in board(&name).lines {
            let key = line.text.trim_start().split(':').next().unwrap_or_default().to_owned();
            // Memory and pins have arbitrary names in a mapping.
            let is_name = line.text.starts_with("  ");
            assert!(is_name || text.contains(&format!("`{key}`")), "`{key}` of {name} is missing");
        }
    }
}

/// A frequency in megahertz.
fn megahertz(clock: Option<clef_descriptors::Hertz>) -> Option<u64> {
    clock.map(|clock| clock.0 / 1_000_000)
}

/// The frequencies of the manufacturers, for boards with `clocks`: of the core, of the first serial line, of the first
/// I2C and SPI buses, and of pulses.
#[test]
fn boards_have_the_rated_speed_of_their_chips() {
    for (name, core, uart, i2c, spi, pwm) in [
        ("black-pill-f411", 100, 100, Some(50), Some(100), 100),
        ("blue-pill", 72, 72, Some(36), Some(72), 72),
        ("frdm-kl25z", 48, 48, Some(24), None, 48),
        ("netduino2", 120, 60, Some(30), Some(30), 60),
        ("netduinoplus2", 168, 84, Some(42), Some(42), 84),
        ("nucleo-f446re", 180, 45, Some(45), Some(90), 90),
        ("nucleo-l552ze-q", 110, 110, Some(110), Some(110), 110),
        ("rpi-pico", 125, 125, Some(125), Some(125), 125),
        ("rpi-pico-2", 150, 150, Some(150), Some(150), 150),
        ("stm32f4-discovery", 168, 42, Some(42), Some(84), 84),
    ] {
        let board = board(name).value;
        let found = (
            megahertz(board.clock),
            megahertz(board.uart.and_then(|uart| uart.clock())),
            megahertz(board.i2c.get("main").and_then(|i2c| i2c.clock())),
            megahertz(board.spi.get("main").and_then(|spi| spi.clock())),
            megahertz(board.pwm.map(|pwm| pwm.clock())),
        );
        assert_eq!(found, (Some(core), Some(uart), i2c, spi, Some(pwm)), "{name}");
        assert!(!board.start.is_empty(), "{name}");
    }
}

/// An heir changes the frequency of the core, and those of devices follow, except for those that it specifies.
#[test]
fn frequencies_of_devices_follow_from_that_of_the_core() {
    let text = "inherits: stm32f4-discovery\nclocks: { core: 84M }\npwm: { clock: 21M }\n";
    let read = |path: &Path| if path.ends_with("slow.yaml") { Ok(text.to_owned()) } else { no_files(path) };
    let mut sources = SourceMap::default();
    let found = Resolver::new(&mut sources, &read).board("./slow.yaml").expect("it is complete");
    let uart = found.value.uart.and_then(|uart| uart.clock());
    let pwm = found.value.pwm.map(|pwm| pwm.clock());
    assert_eq!([megahertz(found.value.clock), megahertz(uart), megahertz(pwm)], [Some(84), Some(42), Some(21)]);
    let line = found.lines.iter().find(|line| line.text == "clock: 84M").expect("it is listed");
    assert!(line.origin.as_deref().is_some_and(|origin| origin.ends_with("slow.yaml:2")), "{line:?}");
}

/// An heir whose vector table lacks the interrupt of the timer for pulses has no pulses.
#[test]
fn pulses_need_the_interrupt_of_their_timer() {
    for (vectors, expected) in [(10, None), (11, Some("nrf51"))] {
        let text = format!("inherits: microbit\nvectors: {vectors}\n");
        let read = |path: &Path| if path.ends_with("small.yaml") { Ok(text.clone()) } else { no_files(path) };
        let mut sources = SourceMap::default();
        let found = Resolver::new(&mut sources, &read).board("./small.yaml").expect("it is complete");
        assert_eq!(found.value.pwm.map(|pwm| pwm.kind()), expected, "{vectors}");
    }
}

fn documentation() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/boards.md");
    fs::read_to_string(path).expect("it can be read")
}

/// An independent reader of YAML agrees that the resolved lines are YAML, with the same values.
#[test]
fn resolved_lines_are_yaml() {
    for name in files("boards") {
        let described = board(&name);
        let text: String = described.lines.iter().map(|line| format!("{}\n", line.text)).collect();
        let read: serde_yaml::Value = serde_yaml::from_str(&text).expect("it is YAML");
        assert_eq!(read["description"].as_str(), Some(described.value.description.as_str()));
        for region in &described.value.memory {
            assert_eq!(read["memory"][&region.name]["origin"].as_u64(), Some(region.origin.0), "{name}");
        }
    }
}

/// By default, errors go to the device for output.
#[test]
fn errors_have_a_console() {
    assert_eq!(board("microbit").value.console_error, Console::Semihosting);
    assert_eq!(board("qemu-microvm").value.console_error, Console::Com { port: 0x2f8 });
    assert_eq!(board("qemu-q35").value.console_error, Console::Com { port: 0x2f8 });
}

/// Nothing reads the state of a processor whose errors go over a serial line.
#[test]
fn traps_are_printed_on_serial_lines() {
    let read = |_: &Path| Ok("inherits: rpi-pico\nconsole: { kind: uart }\n".to_owned());
    let mut sources = SourceMap::default();
    let board = Resolver::new(&mut sources, &read).board("./b.yaml").expect("it is complete").value;
    assert_eq!(board.console_error, Console::Uart { rate: 115_200 });
    assert_eq!(board.trap_messages, TrapMessages::Image);
}

/// The resolved lines are themselves a descriptor with the same meaning.
#[test]
fn resolved_lines_can_be_read_again() {
    for name in files("boards") {
        let original = board(&name);
        let text: String = original.lines.iter().map(|line| format!("{}\n", line.text)).collect();
        let read = |_: &Path| Ok(text.clone());
        let mut sources = SourceMap::default();
        let again = Resolver::new(&mut sources, &read).board(&format!("./{name}.yaml"));
        assert_eq!(again.expect("it is complete").value, original.value);
    }
}
