//! The channels of DMA of the buses and lines of a board: no two have the same one.

use clef_base::{Diagnostic, SourceMap, render};
use clef_descriptors::{Board, Dma, Request, Resolver};
use std::{io, path::Path};

/// The board of a descriptor.
fn board(text: &str) -> Board {
    let read = |path: &Path| match path == Path::new("b.yaml") {
        true => Ok(text.to_owned()),
        false => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let mut sources = SourceMap::default();
    let machine = Resolver::new(&mut sources, &read).machine(Request::Board("b.yaml"));
    let fail = |diagnostics: Vec<Diagnostic>| -> String {
        diagnostics.iter().map(|diagnostic| render::render(&sources, diagnostic, render::Colour::Plain)).collect()
    };
    machine.map_err(fail).expect("a valid board").board.value
}

/// The numbers of the channels of the buses, and of those of the lines that send and that receive, of which none may be twice.
fn channels(text: &str) -> (Vec<u32>, Option<Vec<u32>>, Option<Vec<u32>>) {
    let board = board(text);
    let dma = Dma::of(&board).expect("a chip with DMA");
    let buses = dma.of_spi(&board).expect("channels of the buses");
    let buses: Vec<u32> = buses.iter().flat_map(|bus| [bus.receive.number, bus.send.number]).collect();
    let numbers = |found: Option<Vec<clef_descriptors::Channel>>| -> Option<Vec<u32>> {
        Some(found?.iter().map(|channel| channel.number).collect())
    };
    let (senders, readers) = (numbers(dma.of_lines(&board)), numbers(dma.of_readers(&board)));
    let lines = senders.iter().chain(&readers).flatten();
    let mut all: Vec<u32> = buses.iter().chain(lines).copied().collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "{buses:?} {senders:?} {readers:?}");
    (buses, senders, readers)
}

/// A line of an STM32F4.
fn line(name: &str, base: u32) -> String {
    format!(
        "{name}: {{ kind: stm32, model: f4, base: {base:#x}, clock: 42M, enable: 0x40023840, bit: 1, transmit: PC10, \
         receive: PC11, function: 7, interrupt: 39 }}"
    )
}

#[test]
fn shipped_boards_have_channels_for_all() {
    for (name, readers) in [
        ("black-pill-f411", 8 + 2),
        ("blue-pill", 4),
        ("nucleo-f446re", 5),
        ("nucleo-l552ze-q", 15),
        ("rpi-pico", 6),
        ("rpi-pico-2", 6),
        ("stm32f4-discovery", 5),
    ] {
        let (_, senders, found) = channels(&format!("inherits: {name}\n"));
        assert!(senders.is_some(), "{name}");
        assert_eq!(found, Some(vec![readers]), "{name}");
    }
}

/// USART1 receives with a stream of SPI1, which has another one, unless SPI4 has that.
#[test]
fn buses_leave_streams_to_lines() {
    let first = |bus: &str| {
        let (buses, ..) = channels(&format!("inherits: {bus}\n"));
        buses[0]
    };
    assert_eq!(first("black-pill-f411"), 8);
    assert_eq!(first("nucleo-f446re"), 8 + 2);
    let fourth = "spi:\n  other: { kind: stm32, model: f4, base: 0x40013400, enable: 0x40023844, bit: 13, sck: PB13, mosi: PA1, \
                  miso: PA11, function: 5 }\n";
    let (buses, senders, readers) = channels(&format!("inherits: black-pill-f411\n{fourth}"));
    assert_eq!((buses, senders, readers), (vec![8 + 2, 8 + 5, 8, 8 + 1], Some(vec![8 + 7]), None));
}

/// USART1 of an F1 sends with a channel of SPI2, and USART2 of an F4 receives with one of SPI3.
#[test]
fn buses_come_first() {
    let second = "spi:\n  main: { kind: stm32, model: f1, base: 0x40003800, enable: 0x4002101C, bit: 14, sck: PB13, mosi: PB15, \
                  miso: PB14 }\n";
    assert_eq!(channels(&format!("inherits: blue-pill\n{second}")), (vec![3, 4], None, None));
    let third = "spi:\n  main: { kind: stm32, model: f4, base: 0x40003C00, enable: 0x40023840, bit: 15, sck: PB3, mosi: PB5, \
                 miso: PB4, function: 6 }\n";
    assert_eq!(channels(&format!("inherits: nucleo-f446re\n{third}")), (vec![0, 5], Some(vec![6]), None));
}

#[test]
fn lines_have_channels_of_their_own() {
    let uarts = format!("uarts:\n  {}\n", line("second", 0x4000_4800));
    let (_, senders, readers) = channels(&format!("inherits: nucleo-f446re\n{uarts}"));
    assert_eq!((senders, readers), (Some(vec![6, 3]), Some(vec![5, 1])));
}
