//! The Clef library: the sources that are checked before every program, each after those that it uses.
//!
//! It is written in Clef over the intrinsics of `clef_types`: a `let` marked `[<Intrinsic("name")>]` is typed by its
//! annotations, and its body, the word `intrinsic`, is ignored. Only what a program uses is in its image.

mod analog;
mod buses;
mod devices;
mod dma;
mod edges;
mod flash;
mod line_transfers;
mod lines;
mod needed;
mod random;
mod registers;
mod serial_lines;
mod timers;
mod watchdog;

use clef_descriptors::{Board, Boot, InterruptController};
pub use devices::DeviceModule;
pub use needed::needed;
pub use registers::{names_registers, registers};

/// A source of the library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name for diagnostics.
    pub name: &'static str,
    /// The source text.
    pub text: String,
    /// The module of devices that it is, if it is one.
    pub device: Option<DeviceModule>,
}

impl Source {
    fn new(name: &'static str, text: impl Into<String>) -> Source {
        Source { name, text: text.into(), device: None }
    }

    fn of(self, device: DeviceModule) -> Source {
        Source { device: Some(device), ..self }
    }
}

/// The sources that do not depend on the devices of a board: a name for diagnostics, and the source text. Those after
/// [`INTERRUPTS`] are for boards that have what they use, and are as for a Cortex-M here.
pub const SOURCES: &[(&str, &str)] = &[
    ("library/prelude.clef", include_str!("../clef/prelude.clef")),
    ("library/lazy.clef", include_str!("../clef/lazy.clef")),
    ("library/sequence.clef", include_str!("../clef/sequence.clef")),
    ("library/platform.clef", include_str!("../clef/platform.clef")),
    ("library/text.clef", include_str!("../clef/text.clef")),
    ("library/characters.clef", include_str!("../clef/characters.clef")),
    ("library/console.clef", include_str!("../clef/console.clef")),
    ("library/log.clef", include_str!("../clef/log.clef")),
    ("library/format.clef", include_str!("../clef/format.clef")),
    ("library/parse.clef", include_str!("../clef/parse.clef")),
    ("library/option.clef", include_str!("../clef/option.clef")),
    ("library/array.clef", include_str!("../clef/array.clef")),
    ("library/arguments.clef", include_str!("../clef/arguments.clef")),
    ("library/list.clef", include_str!("../clef/list.clef")),
    ("library/set.clef", include_str!("../clef/set.clef")),
    ("library/map.clef", include_str!("../clef/map.clef")),
    ("library/result.clef", include_str!("../clef/result.clef")),
    ("library/char.clef", include_str!("../clef/char.clef")),
    ("library/string.clef", include_str!("../clef/string.clef")),
    ("library/conversion.clef", include_str!("../clef/conversion.clef")),
    ("library/seq.clef", include_str!("../clef/seq.clef")),
    ("library/math.clef", include_str!("../clef/math.clef")),
    ("library/units.clef", include_str!("../clef/units.clef")),
    ("library/bits.clef", include_str!("../clef/bits.clef")),
    ("library/saturating.clef", include_str!("../clef/saturating.clef")),
    ("library/pointers.clef", include_str!("../clef/pointers.clef")),
    ("library/register.clef", include_str!("../clef/register.clef")),
    ("library/time.clef", include_str!("../clef/time.clef")),
    ("library/assert.clef", include_str!("../clef/assert.clef")),
    ("library/testing.clef", include_str!("../clef/testing.clef")),
    ("library/region.clef", include_str!("../clef/region.clef")),
    ("library/sharing.clef", include_str!("../clef/sharing.clef")),
    (INTERRUPTS, concat!(include_str!("../clef/devices/interrupt_nvic.clef"), include_str!("../clef/interrupt.clef"))),
    (ATOMIC, include_str!("../clef/atomic.clef")),
    ("library/task.clef", include_str!("../clef/task.clef")),
    (PROCESSOR, include_str!("../clef/devices/processor_arm.clef")),
    (PORT, include_str!("../clef/devices/port.clef")),
];

/// The source of interrupts.
const INTERRUPTS: &str = "library/interrupt.clef";

/// The source of changes that interrupts do not divide.
const ATOMIC: &str = "library/atomic.clef";

/// The source of the instructions of Arm processors.
const PROCESSOR: &str = "library/processor.clef";

/// The source of the ports of a PC.
const PORT: &str = "library/port.clef";

/// The sources for a machine. They provide the names of the target and the board, interrupt handlers where there are
/// interrupts, and the devices of the board.
pub fn sources_for(target: &str, board: &Board) -> Vec<Source> {
    let told = [("\"unknown target\"", format!("{target:?}")), ("\"unknown board\"", format!("{:?}", board.name))];
    let shared = SOURCES.iter().filter_map(|(name, text)| {
        let text = match *name {
            INTERRUPTS => format!("{}{}", controller(board)?, include_str!("../clef/interrupt.clef")),
            ATOMIC if controller(board).is_some() => text.replacen("= body ()", "= Interrupt.critical body", 1),
            PROCESSOR if !matches!(board.boot, Boot::CortexM | Boot::Aarch64) => return None,
            PORT if board.boot != Boot::Pvh => return None,
            _ => (*text).to_owned(),
        };
        let text = told.iter().fold(text, |text, (unknown, told)| text.replace(unknown, told));
        Some(Source::new(name, text))
    });
    shared.chain(devices::sources(board)).collect()
}

/// The first part of the module of interrupts, the functions of the board's controller; nothing for boards on which programs handle
/// no interrupts.
fn controller(board: &Board) -> Option<&'static str> {
    board.interrupt_count()?;
    Some(match board.interrupts {
        None => include_str!("../clef/devices/interrupt_nvic.clef"),
        Some(InterruptController::Gicv2 { .. }) => {
            concat!(
                include_str!("../clef/devices/interrupt_gic.clef"),
                include_str!("../clef/devices/interrupt_controller.clef")
            )
        }
        Some(InterruptController::Apic) => {
            concat!(
                include_str!("../clef/devices/interrupt_apic.clef"),
                include_str!("../clef/devices/interrupt_controller.clef")
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_descriptors::{Console, Gpio, Request, Resolver};
    use clef_documentation::comment::{Comment, above};
    use clef_syntax::ast::{Access, BindingHead, DeclarationKind};

    fn board(name: &str) -> Board {
        let mut sources = clef_base::SourceMap::default();
        let no_files = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        let machine = Resolver::new(&mut sources, &no_files).machine(Request::Board(name));
        machine.expect("the shipped board must be valid").board.value
    }

    #[test]
    fn the_machine_is_told_once() {
        let text: String =
            sources_for("thumbv7em", &board("mps2-an386")).into_iter().map(|source| source.text).collect();
        assert!(text.contains("module Interrupt"));
        assert!(text.contains("module Uart"));
        assert_eq!(text.matches("= \"thumbv7em\"").count(), 1);
        assert_eq!(text.matches("= \"mps2-an386\"").count(), 1);
    }

    #[test]
    fn pins_may_be_called_like_words_of_the_language() {
        let mut board = board("microbit");
        let led = board.pins["ledRow1"].clone();
        board.pins.insert("in".to_owned(), led);
        let mut texts = clef_base::SourceMap::default();
        for Source { name, text, .. } in sources_for("thumbv6m", &board) {
            let file = texts.add(name, text);
            let (_, found) = clef_syntax::parse(&texts, file);
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }

    /// Boards that together have every source.
    fn boards() -> Vec<Board> {
        let mut boards = [
            "microbit",
            "nrf52840-dk",
            "mps2-an386",
            "lm3s6965evb",
            "netduinoplus2",
            "nrf9160-dk",
            "frdm-kl25z",
            "nucleo-f446re",
            "nucleo-l552ze-q",
            "blue-pill",
            "rpi-pico",
            "rpi-pico-2",
            "qemu-virt-aarch64",
            "qemu-q35",
        ]
        .map(board)
        .to_vec();
        // The only pins of this one are those of the headers of an MPS2 board.
        let mut of_headers = board("mps2-an386");
        of_headers.gpio = of_headers.gpio.and_then(|gpio| gpio.cmsdk()).map(|(ports, _)| Gpio::Cmsdk(ports));
        of_headers.pins.clear();
        boards.push(of_headers);
        boards
    }

    /// Programs start lines and send bytes as the console does.
    #[test]
    fn a_console_shares_its_line() {
        for mut board in boards().into_iter().filter(|board| board.uart.is_some()) {
            board.console = Console::Uart { rate: 9600 };
            let sources = sources_for("target", &board);
            let text =
                |name: &str| sources.iter().find(|source| source.name == name).map(|source| source.text.as_str());
            let uart = text("library/uart.clef").expect("there are lines");
            assert!(text("library/uart_console.clef").is_some(), "{}", board.name);
            assert!(text("library/devices.clef").is_some_and(|text| text.contains("consoleRate = 9600u")));
            assert_eq!(uart.matches("UartConsole.").count(), 3, "{uart}");
            assert!(!uart.contains("UartDriver.start") && !uart.contains("UartDriver.send "), "{uart}");
        }
    }

    #[test]
    fn what_programs_see_is_documented() {
        for Source { name, text, .. } in boards().iter().flat_map(|board| sources_for("target", board)) {
            let mut before = "";
            for (number, line) in text.lines().enumerate() {
                let declares = ["let ", "type ", "module "].iter().any(|word| line.trim_start().starts_with(word));
                let outermost = line.len() - line.trim_start().len() <= 4;
                let hidden = ["let private ", "let rec private "].iter().any(|word| line.contains(word));
                if declares && outermost && !hidden {
                    assert!(before.trim_start().starts_with("///"), "{name}:{}: {line}", number + 1);
                }
                // Attributes are between a documentation comment and its declaration.
                if !line.trim_start().starts_with("[<") {
                    before = line;
                }
            }
        }
    }

    /// What is missing in the comment of a function.
    fn missing(comment: Option<&Comment>) -> Vec<&'static str> {
        let fact = |name| comment.and_then(|comment| comment.fact(name)).unwrap_or_default();
        let allocation = fact("Allocation");
        let allocation = allocation.split(',').next().unwrap_or_default();
        let parts = [
            (comment.is_some_and(|comment| !comment.summary().is_empty()), "a summary"),
            (comment.is_some_and(|comment| !comment.examples().is_empty()), "an example"),
            (["none", "static", "region"].contains(&allocation), "`Allocation:`, none, static or region"),
            (fact("Complexity").starts_with("O("), "`Complexity:`"),
        ];
        parts.into_iter().filter(|(is_there, _)| !is_there).map(|(_, part)| part).collect()
    }

    #[test]
    fn every_function_has_an_example_and_its_costs() {
        let mut found = std::collections::BTreeSet::new();
        for Source { name, text, .. } in boards().iter().flat_map(|board| sources_for("target", board)) {
            let mut sources = clef_base::SourceMap::default();
            let file = sources.add(name, text.clone());
            let (tree, _) = clef_syntax::parse(&sources, file);
            for declaration in &tree.declarations {
                let DeclarationKind::Module { access: Access::Public, name: module, declarations, .. } =
                    &declaration.kind
                else {
                    continue;
                };
                for declaration in declarations {
                    let DeclarationKind::Let(group) = &declaration.kind else { continue };
                    for binding in group.bindings.iter().filter(|binding| binding.access == Access::Public) {
                        let BindingHead::Function { name, parameters, .. } = &binding.head else { continue };
                        if parameters.is_empty() {
                            continue;
                        }
                        let comment = above(&text, name.span.start as usize);
                        for part in missing(comment.as_ref()) {
                            found.insert(format!("{}.{}: {part}", module.symbol, name.symbol));
                        }
                    }
                }
            }
        }
        let found: Vec<String> = found.into_iter().collect();
        assert!(found.is_empty(), "comments of functions lack:\n{}", found.join("\n"));
    }
}
