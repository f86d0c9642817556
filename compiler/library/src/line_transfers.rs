//! How the serial lines of a board send and receive while the program does something else: the sources of it, its handlers, and the
//! parameters of each line for it.

use crate::{
    Source,
    lines::{self, bits, number},
};
use clef_descriptors::{Board, Channel, Dma, Uart};

/// What sends and receives the bytes.
pub(crate) enum Background {
    /// The devices access memory by themselves, and tell the end by their own interrupts.
    Own,
    /// Channels of a DMA controller.
    Channels {
        /// The controller.
        dma: Dma,
        /// The channels with which the lines send.
        senders: Vec<Channel>,
        /// Those with which they receive, if all have one.
        readers: Option<Vec<Channel>>,
    },
}

/// A direction of the lines: its modules, and what they are for.
struct Direction {
    module: &'static str,
    source: &'static str,
    purpose: &'static str,
}

const SENDING: Direction = Direction {
    module: "UartBackgroundHandlers",
    source: "library/uart_background_handlers.clef",
    purpose: "what serial lines send in the background",
};

const RECEIVING: Direction = Direction {
    module: "UartReadingHandlers",
    source: "library/uart_reading_handlers.clef",
    purpose: "what serial lines receive in the background",
};

impl Background {
    /// What the lines of a board have, of which one is given.
    pub(crate) fn of(board: &Board, first: &Uart) -> Option<Background> {
        if matches!(first, Uart::NrfDma { .. }) {
            return board.interrupt_count().map(|_| Background::Own);
        }
        let dma = Dma::of(board)?;
        Some(Background::Channels { dma, senders: dma.of_lines(board)?, readers: dma.of_readers(board) })
    }

    /// Whether the lines receive too.
    pub(crate) fn receives(&self) -> bool {
        match self {
            Background::Own => true,
            Background::Channels { readers, .. } => readers.is_some(),
        }
    }

    /// The modules of what goes on in the background, and those of its handlers.
    pub(crate) fn sources(&self, board: &Board) -> Vec<Source> {
        let (transfers, receptions) = match self {
            Background::Own => (
                include_str!("../clef/devices/uart_transfers_nrf.clef"),
                include_str!("../clef/devices/uart_receptions_nrf.clef"),
            ),
            Background::Channels { .. } => (
                include_str!("../clef/devices/uart_transfers.clef"),
                include_str!("../clef/devices/uart_receptions.clef"),
            ),
        };
        let mut sources = vec![Source::new("library/uart_transfers.clef", transfers)];
        if self.receives() {
            sources.push(Source::new("library/uart_receptions.clef", receptions));
        }
        match self {
            Background::Own => {
                let installed = of_devices(board);
                sources.push(handlers(SENDING, &installed));
                sources.push(handlers_of_all(board, &installed));
            }
            Background::Channels { dma: Dma::Rp2040 | Dma::Rp2350, senders, readers } => {
                sources.push(handlers(SENDING, &of_outputs(board, senders)));
                if let Some(readers) = readers {
                    sources.push(handlers_of_all(board, &of_outputs(board, readers)));
                }
            }
            Background::Channels { dma: Dma::Stm32F1 | Dma::Stm32F4 | Dma::Stm32L5, senders, readers } => {
                sources.push(handlers(SENDING, &of_channels(board, senders, sent)));
                if let Some(readers) = readers {
                    sources.push(handlers(RECEIVING, &of_channels(board, readers, received)));
                }
            }
        }
        sources
    }

    /// The parameters of the lines.
    pub(crate) fn told(&self, count: usize) -> String {
        let mut text = format!("\n    /// The number of serial lines.\n    let uartCount = {count}\n");
        let mut tell = |channel: &'static str, request: &'static str, channels: &[Channel]| {
            let of = |found: &Channel| vec![number(channel, found.number), bits(request, u64::from(found.request))];
            text.push_str(&lines::told("line", &channels.iter().map(of).collect::<Vec<_>>()));
        };
        if let Background::Channels { senders, readers, .. } = self {
            tell("uartSendChannel", "uartSendRequest", senders);
            if let Some(readers) = readers {
                tell("uartReceiveChannel", "uartReceiveRequest", readers);
            }
        }
        text
    }
}

/// The module that installs the handler of a line for a direction, each under a number that is a constant.
fn handlers(direction: Direction, installed: &[String]) -> Source {
    let Direction { module, source, purpose } = direction;
    let cases = lines::cases(installed.iter());
    let text = format!(
        "/// The interrupts of {purpose}.\nmodule internal {module} =\n    /// Installs the handler of a line.\n    \
         let install (line: int) : unit =\n        match line with\n{cases}"
    );
    Source::new(source, text)
}

/// The same for what lines receive, where they have no interrupts for that alone.
fn handlers_of_all(board: &Board, installed: &[String]) -> Source {
    let Direction { module, source, purpose } = RECEIVING;
    let calls: String = calls(board, received).iter().map(|call| format!("        {call}\n")).collect();
    let cases = lines::cases(installed.iter());
    let text = format!(
        "/// The interrupts of {purpose}.\nmodule internal {module} =\n    let private handle () : unit =\n{calls}\n    \
         /// Installs the handler of a line.\n    let install (line: int) : unit =\n        \
         UartReaders.onEnd handle\n        match line with\n{cases}"
    );
    Source::new(source, text)
}

/// What installs the handler of each device, unless handlers of the program include it.
fn of_devices(board: &Board) -> Vec<String> {
    let install = |(index, (_, line)): (usize, (&str, Uart))| {
        let installed = on(line.interrupts().transmit, &handled(index, &line));
        format!("if not (UartDriver.isServed {:#x}un) then {installed}", line.base().0)
    };
    board.serial_lines().enumerate().map(install).collect()
}

/// What installs the handler of each channel of an RP2040 or RP2350, which has one interrupt for all lines and both directions.
fn of_outputs(board: &Board, channels: &[Channel]) -> Vec<String> {
    let all = format!("{}; UartReaders.handle ()", calls(board, sent).join("; "));
    channels.iter().map(|channel| on(channel.interrupt, &all)).collect()
}

/// What installs the handler of each channel for a direction.
fn of_channels(board: &Board, channels: &[Channel], call: fn(usize, &Uart) -> String) -> Vec<String> {
    channels.iter().zip(calls(board, call)).map(|(channel, call)| on(channel.interrupt, &call)).collect()
}

/// The calls for all lines.
fn calls(board: &Board, call: fn(usize, &Uart) -> String) -> Vec<String> {
    board.serial_lines().enumerate().map(|(index, (_, line))| call(index, &line)).collect()
}

/// Installs a call as the handler of an interrupt.
fn on(interrupt: u32, call: &str) -> String {
    format!("Interrupt.on {interrupt} (fun () -> {call})")
}

/// The calls that handle the interrupt of a device with DMA of its own, for both directions.
pub(crate) fn handled(index: usize, line: &Uart) -> String {
    format!("{}; UartReaders.handle ()", sent(index, line))
}

/// The call that handles the interrupt of what a line sends.
fn sent(index: usize, line: &Uart) -> String {
    format!("UartBackground.handle {index} {:#x}un", line.base().0)
}

/// The call that handles the interrupt of what a line receives.
fn received(index: usize, line: &Uart) -> String {
    format!("UartReading.handle {index} {:#x}un", line.base().0)
}
