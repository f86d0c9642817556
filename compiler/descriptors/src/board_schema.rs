//! Reads a [`Board`] from a merged tree.

use crate::{
    Address, Board, Boot, BootBlock, Bytes, Console, Exit, Hertz, Log, MemoryKind, MemoryRegion, QemuSystem, QemuUser,
    RegionPool, Run, StartStep, Timer, TrapMessages, Uart, Uf2, Watchdog,
    adc::{Converter, fit_adc},
    bus_schema::{fit_both, fit_buses, fit_dma, fit_i2c_dma},
    device_schema::{Pins, fit_gpio, fit_pins},
    interrupts::fit_controller,
    lines::Lines,
    memory_check,
    pwm::{Outputs, fit_pwm},
    reader::{A_BOARD, Fields, FromNode, Report, Words, mapping, unknown_word},
    registers::{Described, fit_registers},
    rng::{Generator, fit_rng},
    settings_schema::{Reserved, fit_settings},
    timer_schema::{Surroundings, fit_timer},
    timers::{OfChip, fit_timers},
    uart_schema::{Uses, fit_uarts},
    watchdog_schema::fit_watchdog,
    yaml::{Entry, Node},
};
use clef_base::{Diagnostic, Span, codes};
use std::{collections::BTreeMap, ops::RangeInclusive};

/// Reads and checks a board; `name` comes from its file, `place` is where missing keys are reported.
pub(crate) fn board(node: &Node, place: Span, name: &str, report: &mut Report) -> Option<Board> {
    let mut fields = Fields::of(node, place, A_BOARD, report)?;
    let description = fields.required("description");
    let target = fields.required("target");
    let boot = fields.required("boot");
    let memory = match boot {
        Some(Boot::Linux) => fields.optional("memory").map(Option::unwrap_or_default),
        Some(Boot::CortexM | Boot::Aarch64 | Boot::Pvh) | None => fields.required("memory"),
    };
    let stack = fields.required("stack");
    let region_pool = fields.required("region_pool");
    let vectors = match boot {
        Some(Boot::CortexM) => fields.required("vectors").map(Some),
        Some(Boot::Aarch64 | Boot::Pvh | Boot::Linux) | None => fields.optional("vectors"),
    };
    let interrupts = fields.optional("interrupts");
    let place_of_interrupts = fields.span("interrupts");
    let interrupts =
        interrupts.and_then(|controller| fit_controller(controller, boot, place_of_interrupts, fields.report()));
    let console: Option<Console> = fields.required("console");
    let place_of_console = fields.span("console");
    let console = console.filter(|console| fits_console(*console, boot, place_of_console, fields.report()));
    let console_error: Option<Option<Console>> = fields.optional("console_error");
    let place_of_errors = fields.span("console_error");
    let console_error = console_error
        .filter(|console| console.is_none_or(|console| fits_console(console, boot, place_of_errors, fields.report())));
    let log: Option<Option<Log>> = fields.optional("log");
    let place_of_log = fields.span("log");
    let log = log.filter(|log| log.is_none_or(|log| fits_log(log, boot, place_of_log, fields.report())));
    let exit: Option<Exit> = fields.required("exit");
    let place_of_exit = fields.span("exit");
    let exit = exit.filter(|exit| fits_exit(*exit, boot, place_of_exit, fields.report()));
    let run: Option<Run> = fields.required("run");
    let place_of_run = fields.span("run");
    let run = run.filter(|run| fits_run(run, boot, place_of_run, fields.report()));
    let chip: Option<Option<String>> = fields.optional("chip");
    let registers = fields.optional("registers").map(|chip| chip.and_then(|Described(chip)| chip));
    let place_of_registers = fields.span("registers");
    let trap_messages: Option<Option<TrapMessages>> = fields.optional("trap_messages");
    let boot_block = fields.optional("boot_block");
    let start = fields.optional("start").map(Option::unwrap_or_default);
    let uf2 = fields.optional("uf2");
    // The tree has been completed by what follows from it.
    fields.ignore("clocks");
    fit_keys(boot, node, &mut fields);
    let clock = match boot {
        Some(Boot::CortexM) => fields.required("clock").map(Some),
        Some(Boot::Aarch64 | Boot::Pvh | Boot::Linux) | None => fields.optional("clock"),
    };
    let place_of_clock = fields.span("clock");
    let clock = clock.filter(|clock| clock.is_none_or(|clock| fits_clock(clock, place_of_clock, fields.report())));
    let time: Option<Option<Timer>> = fields.optional("time");
    let place_of_time = fields.span("time");
    let timers = fields.optional("timers").map(|timers| timers.and_then(|OfChip(timers)| timers));
    let place_of_timers = fields.span("timers");
    let watchdog: Option<Option<Watchdog>> = fields.optional("watchdog");
    let place_of_watchdog = fields.span("watchdog");
    let settings = fields.optional("settings").map(|settings| settings.and_then(|Reserved(settings)| settings));
    let place_of_settings = fields.span("settings");
    let rng = fields.optional("rng").map(|rng| rng.and_then(|Generator(rng)| rng));
    let place_of_rng = fields.span("rng");
    let adc = fields.optional("adc").map(|adc| adc.and_then(|Converter(adc)| adc));
    let place_of_adc = fields.span("adc");
    let pwm = fields.optional("pwm").map(|pwm| pwm.and_then(|Outputs(pwm)| pwm));
    let place_of_pwm = fields.span("pwm");
    let gpio = fields.optional("gpio");
    let uart = fields.optional("uart");
    let uarts = fields.optional("uarts").map(Option::<Lines<_>>::unwrap_or_default);
    let i2c = fields.optional("i2c").map(Option::<Lines<_>>::unwrap_or_default);
    let spi = fields.optional("spi").map(Option::<Lines<_>>::unwrap_or_default);
    let pins = fields.optional("pins").map(|pins| pins.map_or_else(BTreeMap::new, |Pins(pins)| pins));
    let handled = vectors.flatten().or(interrupts.flatten().map(|controller| controller.count()));
    let handled = handled.filter(|count| *count > 0);
    let gpio = gpio.and_then(|gpio| fit_gpio(gpio, handled, node, fields.report()));
    let has_ports = boot.is_none_or(|boot| boot == Boot::Pvh);
    let chip_name = chip.as_ref().and_then(Option::as_deref);
    let uses = Uses { gpio: gpio.flatten(), interrupts: handled, has_ports, chip: chip_name.unwrap_or_default() };
    let lines = gpio.and_then(|_| fit_uarts(uart, uarts, &uses, node, fields.report()));
    let i2c = fit_buses(i2c, gpio, node, fields.report());
    let i2c = i2c.filter(|i2c| fit_i2c_dma(i2c, gpio.flatten(), node, fields.report()));
    let spi = fit_buses(spi, gpio, node, fields.report());
    let spi = spi.filter(|spi| fit_both(i2c.as_ref(), spi, node, fields.report()));
    let spi = spi.filter(|spi| fit_dma(spi, gpio.flatten(), vectors.flatten(), node, fields.report()));
    let around = Surroundings { boot, vectors: vectors.flatten(), gpio: gpio.flatten(), chip: chip_name };
    let registers =
        registers.and_then(|registers| fit_registers(registers, &around, [place_of_registers, place], fields.report()));
    let time = time.and_then(|time| fit_timer(time, &around, place_of_time, fields.report()));
    let timers = timers.and_then(|timers| fit_timers(timers, time, &around, [place_of_timers, place], fields.report()));
    let watchdog = watchdog.and_then(|watchdog| fit_watchdog(watchdog, &around, place_of_watchdog, fields.report()));
    let settings = settings.and_then(|settings| fit_settings(settings, &around, place_of_settings, fields.report()));
    let rng = rng.and_then(|rng| fit_rng(rng, &around, place_of_rng, fields.report()));
    let adc = adc.filter(|_| gpio.is_some()).and_then(|adc| fit_adc(adc, &around, place_of_adc, fields.report()));
    let pwm = pwm
        .filter(|_| gpio.is_some())
        .and_then(|pwm| fit_pwm(pwm, time, &around, [place_of_pwm, place], fields.report()));
    let pins = fit_pins(pins, gpio, node, fields.report());
    fields.finish();
    let (uart, uarts) = lines?;
    let streams = [(console?, "console"), (console_error?.or(console)?, "console_error")];
    fit_console(streams, uart, node, report)?;
    let board = Board {
        name: name.to_owned(),
        description: description?,
        target: target?,
        memory: memory.map(|Memory(regions)| regions)?,
        stack: stack?,
        region_pool: region_pool?,
        vectors: vectors?,
        interrupts: interrupts?,
        boot: boot?,
        console: console?,
        console_error: console_error?.or(console.map(for_errors))?,
        log: match log? {
            Some(log) => log,
            None => usual_log(&[console?, console_error?.or(console)?], exit?),
        },
        exit: exit?,
        trap_messages: trap_messages?.unwrap_or_else(|| usual_trap_messages(boot, streams[1].0, &run, &chip)),
        run: run?,
        chip: chip?,
        registers: registers?,
        boot_block: boot_block?,
        start: start?,
        uf2: uf2?,
        clock: clock?,
        time: time?,
        timers: timers?,
        watchdog: watchdog?,
        settings: settings?,
        rng: rng?,
        adc: adc?,
        pwm: pwm?,
        gpio: gpio?,
        uart,
        uarts,
        i2c: i2c?,
        spi: spi?,
        pins: pins?,
    };
    memory_check::check(node, place, &board, report).then_some(board)
}

/// The range of clock frequencies: the system timer divides one into milliseconds, with at most 24 bits.
const CLOCKS: RangeInclusive<u64> = 100_000..=4_000_000_000;

pub(crate) fn fits_clock(clock: Hertz, place: Span, report: &mut Report) -> bool {
    let fits = CLOCKS.contains(&clock.0);
    if !fits {
        let message = format!("the clock must be from 100 kHz to 4 GHz, not {clock}");
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
    }
    fits
}

/// The key `clock` of a device.
pub(crate) fn clock(fields: &mut Fields<'_, '_>) -> Option<Hertz> {
    let clock = fields.required::<Hertz>("clock")?;
    let place = fields.span("clock");
    fits_clock(clock, place, fields.report()).then_some(clock)
}

/// Whether a key is a letter, then letters, digits and `_`.
pub(crate) fn is_name(key: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_part)
}

pub(crate) fn bad_name(entry: &Entry, message: String, expected: &str) -> Diagnostic {
    Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, entry.key_span, message).label(expected)
}

/// Reports keys that do not apply to boards with this boot method.
fn fit_keys(boot: Option<Boot>, node: &Node, fields: &mut Fields<'_, '_>) {
    const CORTEX_M: &[Boot] = &[Boot::CortexM];
    const MACHINES: &[Boot] = &[Boot::CortexM, Boot::Aarch64, Boot::Pvh];
    const KEYS: [(&str, &[Boot]); 17] = [
        ("adc", CORTEX_M),
        ("boot_block", CORTEX_M),
        ("chip", MACHINES),
        ("clock", CORTEX_M),
        ("clocks", CORTEX_M),
        ("i2c", CORTEX_M),
        ("memory", MACHINES),
        ("pwm", CORTEX_M),
        ("registers", CORTEX_M),
        ("rng", CORTEX_M),
        ("settings", CORTEX_M),
        ("spi", CORTEX_M),
        ("start", CORTEX_M),
        ("timers", CORTEX_M),
        ("trap_messages", CORTEX_M),
        ("vectors", CORTEX_M),
        ("watchdog", CORTEX_M),
    ];
    let Some(boot) = boot else { return };
    for (key, boots) in KEYS.into_iter().filter(|(_, boots)| !boots.contains(&boot)) {
        // An empty list means that there is nothing.
        let Some(entry) = node.get(key).filter(|entry| !entry.value.is_empty_list()) else { continue };
        let message = format!("`{key}` requires a board that boots as {}", words(boots));
        fields.report().push(
            Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, entry.key_span, message)
                .help(format!("remove it: the board boots as {}", words(&[boot]))),
        );
    }
}

impl Words for BootBlock {
    const WHAT: &'static str = "a boot block";
    const WORDS: &'static [(&'static str, BootBlock)] =
        &[("rp2040", BootBlock::Rp2040), ("rp2350", BootBlock::Rp2350), ("kinetis", BootBlock::Kinetis)];
}

impl FromNode for StartStep {
    fn from_node(node: &Node, report: &mut Report) -> Option<StartStep> {
        const KINDS: Kinds<StartStep> = &[
            ("write", |fields| {
                let (address, value) = (fields.required("address"), fields.required("value"));
                Some(StartStep::Write { address: address?, value: value? })
            }),
            ("set", |fields| {
                register_bits(fields, "sets", "are set").map(|(address, bits)| StartStep::Set { address, bits })
            }),
            ("clear", |fields| {
                register_bits(fields, "clears", "are cleared").map(|(address, bits)| StartStep::Clear { address, bits })
            }),
            ("await", |fields| {
                let found = register_bits(fields, "waits for", "the register will have");
                found.map(|(address, bits)| StartStep::Await { address, bits })
            }),
            ("await-clear", |fields| {
                let found = register_bits(fields, "waits for", "will be clear");
                found.map(|(address, bits)| StartStep::AwaitClear { address, bits })
            }),
            ("write-byte", |fields| {
                let (address, value) = (fields.required("address"), fields.required::<u8>("value"));
                Some(StartStep::WriteByte { address: address?, value: value? })
            }),
            ("await-byte", |fields| {
                let found = register_byte(fields, "the register will have");
                found.map(|(address, bits)| StartStep::AwaitByte { address, bits })
            }),
            ("await-byte-clear", |fields| {
                let found = register_byte(fields, "will be clear");
                found.map(|(address, bits)| StartStep::AwaitByteClear { address, bits })
            }),
            ("trim", |fields| Some(StartStep::Trim { address: fields.required("address")? })),
        ];
        let step: StartStep = by_kind(node, "a step of the start", KINDS, report)?;
        let address = step.address().0;
        if (address.is_multiple_of(4) || step.is_of_a_byte()) && address <= u64::from(u32::MAX) {
            return Some(step);
        }
        let message = format!("no 32-bit register at {}", step.address());
        let note = "the address must be a 32-bit multiple of 4";
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, node.span, message).note(note));
        None
    }
}

/// A register and some of its bits, at least one; what the step does with them, and what they are, are for messages.
fn register_bits(fields: &mut Fields<'_, '_>, does: &str, are: &str) -> Option<(Address, u32)> {
    let (address, bits) = (fields.required("address"), fields.required("bits"));
    let (address, bits) = (address?, bits?);
    if bits != 0 {
        return Some((address, bits));
    }
    let place = fields.span("bits");
    let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, format!("the step {does} no bit"));
    fields.report().push(diagnostic.help(format!("write the bits that {are}, or remove the step")));
    None
}

/// A register of a byte and some of its bits that the step waits for; what they are is for messages.
fn register_byte(fields: &mut Fields<'_, '_>, are: &str) -> Option<(Address, u8)> {
    let (address, bits) = register_bits(fields, "waits for", are)?;
    if let Ok(bits) = u8::try_from(bits) {
        return Some((address, bits));
    }
    let place = fields.span("bits");
    let message = "the register has the bits 0 to 7".to_owned();
    let diagnostic = Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message);
    fields.report().push(diagnostic.help("for a register of 32 bits use the kind `await` or `await-clear`"));
    None
}

impl FromNode for Uf2 {
    fn from_node(node: &Node, report: &mut Report) -> Option<Uf2> {
        let mut fields = Fields::of(node, node.span, "UF2", report)?;
        let family = fields.required("family");
        fields.finish();
        Some(Uf2 { family: family? })
    }
}

/// The memory map, a mapping from names to regions.
#[derive(Default)]
struct Memory(Vec<MemoryRegion>);

impl FromNode for Memory {
    fn from_node(node: &Node, report: &mut Report) -> Option<Memory> {
        let entries = mapping(node, "a mapping of memory regions by name", report)?;
        let regions: Vec<Option<MemoryRegion>> = entries.iter().map(|entry| memory_region(entry, report)).collect();
        regions.into_iter().collect::<Option<_>>().map(Memory)
    }
}

fn memory_region(entry: &Entry, report: &mut Report) -> Option<MemoryRegion> {
    let mut fields = Fields::of(&entry.value, entry.key_span, "a memory region", report)?;
    let kind = fields.required("kind");
    let origin = fields.required("origin");
    let length = fields.required("length");
    fields.finish();
    if !is_name(&entry.key) {
        let message = format!("invalid memory region name `{}`", entry.key);
        report.push(bad_name(entry, message, "use a letter, then letters, digits and `_`"));
        return None;
    }
    Some(MemoryRegion { name: entry.key.clone(), origin: origin?, length: length?, kind: kind? })
}

/// A size, or `rest`.
struct PoolSize(Option<Bytes>);

impl FromNode for PoolSize {
    fn from_node(node: &Node, report: &mut Report) -> Option<PoolSize> {
        if node.text() == Some("rest") {
            return Some(PoolSize(None));
        }
        Bytes::from_node(node, report).map(|size| PoolSize(Some(size)))
    }
}

impl FromNode for RegionPool {
    fn from_node(node: &Node, report: &mut Report) -> Option<RegionPool> {
        let mut fields = Fields::of(node, node.span, "a region pool", report)?;
        let size: Option<Option<PoolSize>> = fields.optional("size");
        let page: Option<Bytes> = fields.required("page");
        let growth: Option<Option<Bytes>> = fields.optional("growth");
        let (at_page, at_growth) = (fields.span("page"), fields.span("growth"));
        fields.finish();
        let size = size?.and_then(|PoolSize(size)| size);
        let pool = RegionPool { size, page: page?, growth: growth? };
        let page = pool.page.0;
        let (place, problem) = if page < SMALLEST_PAGE || !page.is_power_of_two() {
            (at_page, format!("a page must be a power of two of at least {SMALLEST_PAGE} bytes, not {page}"))
        } else if let Some(size) = pool.size.filter(|size| size.0 == 0 || !size.0.is_multiple_of(page)) {
            (at_page, format!("the pool size of {} bytes is not a multiple of the page size of {page} bytes", size.0))
        } else if let Some(growth) = pool.growth.filter(|growth| growth.0 < page) {
            (at_growth, format!("regions grow by at least a page, which has {page} bytes, not by {}", growth.0))
        } else {
            return Some(pool);
        };
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, problem));
        None
    }
}

/// A page must have space for its link and one small closure.
const SMALLEST_PAGE: u64 = 64;

/// The kinds of a mapping whose `kind` determines its other keys, each with the function that reads those.
pub(crate) type Kinds<T> = &'static [(&'static str, fn(&mut Fields<'_, '_>) -> Option<T>)];

pub(crate) fn by_kind<T>(node: &Node, what: &'static str, kinds: Kinds<T>, report: &mut Report) -> Option<T> {
    let mut fields = Fields::of(node, node.span, what, report)?;
    let Some(kind) = fields.required::<String>("kind") else {
        fields.finish_unread();
        return None;
    };
    let span = fields.span("kind");
    let Some((_, read)) = kinds.iter().find(|(word, _)| *word == kind) else {
        fields.report().push(unknown_word(span, &kind, what, kinds.iter().map(|(word, _)| *word)));
        return None;
    };
    let value = read(&mut fields);
    fields.finish();
    value
}

/// The default size of the Real-Time Transfer buffers.
const RTT_BUFFER: Bytes = Bytes(1024);
const RTT_ERRORS: Bytes = Bytes(256);
const RTT_INPUT: Bytes = Bytes(16);

/// The sizes of a Real-Time Transfer buffer: one byte of it always stays empty.
const RTT_SIZES: RangeInclusive<u64> = 16..=1 << 20;

fn rtt_buffer(fields: &mut Fields<'_, '_>, key: &'static str, usual: Bytes) -> Option<Bytes> {
    let buffer = fields.optional::<Bytes>(key)?.unwrap_or(usual);
    if RTT_SIZES.contains(&buffer.0) {
        return Some(buffer);
    }
    let place = fields.span(key);
    let message = format!("the buffer for a debug probe must have from 16 bytes to 1M, not {buffer}");
    fields.report().push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
    None
}

/// The baud rates of a console, and the usual one.
const RATES: RangeInclusive<u32> = 300..=10_000_000;
const USUAL_RATE: u32 = 115_200;

fn baud_rate(fields: &mut Fields<'_, '_>) -> Option<u32> {
    let rate = fields.optional("rate")?.unwrap_or(USUAL_RATE);
    if RATES.contains(&rate) {
        return Some(rate);
    }
    let place = fields.span("rate");
    let message = format!("the baud rate of a console must be from 300 to 10000000, not {rate}");
    fields.report().push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
    None
}

/// Whether the board has the serial line that a stream of the console is on, and both streams have its rate.
fn fit_console(
    streams: [(Console, &'static str); 2],
    uart: Option<Uart>,
    node: &Node,
    report: &mut Report,
) -> Option<()> {
    let rates = streams.map(|(console, _)| console.rate());
    let place = |key: &str| node.get(key).map_or(node.span.at_start(), |entry| entry.value.span);
    let wrong = |key: &str, message: &str| Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place(key), message);
    let on_line = streams.into_iter().find(|(console, _)| console.rate().is_some());
    let problem = match (on_line, uart, rates) {
        (Some((_, key)), None, _) => wrong(key, "a console of the kind `uart` requires `uart`, the first serial line")
            .help("describe the line with `uart`, or choose another kind"),
        (_, _, [Some(output), Some(errors)]) if output != errors => {
            wrong("console_error", "output and errors are on one line, which has one rate")
                .help(format!("write `rate: {output}`, or leave out `console_error`"))
        }
        _ => return Some(()),
    };
    report.push(problem);
    None
}

/// The default device for errors, if the descriptor only specifies output. Its buffer is smaller.
fn for_errors(console: Console) -> Console {
    match console {
        Console::Rtt { buffer, input } => Console::Rtt { buffer: buffer.min(RTT_ERRORS), input },
        Console::Semihosting
        | Console::Pl011 { .. }
        | Console::Com { .. }
        | Console::CmsdkUart { .. }
        | Console::Kl25Uart { .. }
        | Console::Uart { .. }
        | Console::Syscalls => console,
    }
}

/// Whether the runtime supports the console on such a board: debug probes access buffers of Cortex-M only, ports exist
/// only on PCs, and system calls only on Linux.
fn fits_console(console: Console, boot: Option<Boot>, place: Span, report: &mut Report) -> bool {
    let (kind, boots): (&str, &[Boot]) = match console {
        Console::Rtt { .. } => ("rtt", &[Boot::CortexM]),
        Console::Semihosting => ("semihosting", &[Boot::CortexM, Boot::Aarch64]),
        Console::Pl011 { .. } => ("pl011", &[Boot::CortexM, Boot::Aarch64]),
        Console::CmsdkUart { .. } => ("cmsdk-uart", &[Boot::CortexM]),
        Console::Kl25Uart { .. } => ("kl25-uart", &[Boot::CortexM]),
        Console::Com { .. } => ("com", &[Boot::Pvh]),
        Console::Uart { .. } => ("uart", &[Boot::CortexM, Boot::Aarch64, Boot::Pvh]),
        Console::Syscalls => ("syscalls", &[Boot::Linux]),
    };
    fits_boot("a console", kind, boots, boot, place, report)
}

/// Whether the runtime supports this exit method on such a board.
fn fits_exit(exit: Exit, boot: Option<Boot>, place: Span, report: &mut Report) -> bool {
    let (kind, boots): (&str, &[Boot]) = match exit {
        Exit::Semihosting => ("semihosting", &[Boot::CortexM, Boot::Aarch64]),
        Exit::IsaDebugExit { .. } => ("isa-debug-exit", &[Boot::Pvh]),
        Exit::Syscall => ("syscall", &[Boot::Linux]),
        Exit::Halt => ("halt", &[Boot::CortexM, Boot::Aarch64, Boot::Pvh]),
    };
    fits_boot("an exit method", kind, boots, boot, place, report)
}

/// Whether images of such a board can be run this way.
fn fits_run(run: &Run, boot: Option<Boot>, place: Span, report: &mut Report) -> bool {
    let (kind, boots): (&str, &[Boot]) = match run {
        Run::Native => ("native", &[Boot::Linux]),
        Run::QemuUser(_) => ("qemu-user", &[Boot::Linux]),
        Run::Qemu(_) => ("qemu", &[Boot::CortexM, Boot::Aarch64, Boot::Pvh]),
        Run::None => return true,
    };
    fits_boot("a run method", kind, boots, boot, place, report)
}

/// Reports a kind that requires another boot method.
fn fits_boot(what: &str, kind: &str, boots: &[Boot], boot: Option<Boot>, place: Span, report: &mut Report) -> bool {
    let fits = boot.is_none_or(|boot| boots.contains(&boot));
    if !fits {
        let message = format!("{what} of the kind `{kind}` requires `boot` to be {}", words(boots));
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, message));
    }
    fits
}

/// The names of boot methods: `cortex-m`, `aarch64` or `pvh`.
fn words(boots: &[Boot]) -> String {
    let word = |boot: &Boot| Boot::WORDS.iter().find(|(_, known)| known == boot).map_or("", |(word, _)| *word);
    let words: Vec<String> = boots.iter().map(|boot| format!("`{}`", word(boot))).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        Some(_) | None => words.concat(),
    }
}

/// The default destination of the log: that of the console, or of the exit method.
fn usual_log(consoles: &[Console], exit: Exit) -> Log {
    let way = |console: &Console| match console {
        Console::Rtt { .. } => Some(Log::Rtt { buffer: RTT_BUFFER }),
        Console::Semihosting => Some(Log::Semihosting),
        Console::Syscalls => Some(Log::Syscalls),
        Console::Pl011 { .. }
        | Console::Com { .. }
        | Console::CmsdkUart { .. }
        | Console::Kl25Uart { .. }
        | Console::Uart { .. } => None,
    };
    let by_exit = match exit {
        Exit::Semihosting => Log::Semihosting,
        Exit::IsaDebugExit { .. } | Exit::Syscall | Exit::Halt => Log::None,
    };
    consoles.iter().find_map(way).unwrap_or(by_exit)
}

/// Where the texts of traps are by default: in the image only if nothing could read the state of the processor, or if errors go to a serial
/// line of the board, at which a reader needs no debugger.
fn usual_trap_messages(
    boot: Option<Boot>,
    errors: Console,
    run: &Option<Run>,
    chip: &Option<Option<String>>,
) -> TrapMessages {
    let is_emulated = matches!(run, Some(Run::Qemu(_)));
    let is_debugged = (is_emulated || matches!(chip, Some(Some(_)))) && errors.rate().is_none();
    if boot == Some(Boot::CortexM) && is_debugged { TrapMessages::Debugger } else { TrapMessages::Image }
}

/// Whether the runtime supports this log destination on such a board.
fn fits_log(log: Log, boot: Option<Boot>, place: Span, report: &mut Report) -> bool {
    let (fits, needs) = match (log, boot) {
        (_, None) | (Log::None, _) => (true, ""),
        (Log::Rtt { .. }, Some(boot)) => (boot == Boot::CortexM, "a log of the kind `rtt` requires `boot: cortex-m`"),
        (Log::Semihosting, Some(boot)) => (
            matches!(boot, Boot::CortexM | Boot::Aarch64),
            "a log of the kind `semihosting` requires `boot: cortex-m` or `aarch64`",
        ),
        (Log::Syscalls, Some(boot)) => (boot == Boot::Linux, "a log of the kind `syscalls` requires `boot: linux`"),
        (Log::IsaDebugcon { .. }, Some(boot)) => {
            (boot == Boot::Pvh, "a log of the kind `isa-debugcon` requires `boot: pvh`")
        }
    };
    if !fits {
        report.push(Diagnostic::error(codes::INVALID_DESCRIPTOR_VALUE, place, needs));
    }
    fits
}

impl FromNode for Log {
    fn from_node(node: &Node, report: &mut Report) -> Option<Log> {
        const KINDS: Kinds<Log> = &[
            ("semihosting", |_| Some(Log::Semihosting)),
            ("rtt", |fields| Some(Log::Rtt { buffer: rtt_buffer(fields, "buffer", RTT_BUFFER)? })),
            ("syscalls", |_| Some(Log::Syscalls)),
            ("isa-debugcon", |fields| Some(Log::IsaDebugcon { port: fields.required("port")? })),
            ("none", |_| Some(Log::None)),
        ];
        by_kind(node, "a log", KINDS, report)
    }
}

impl FromNode for Console {
    fn from_node(node: &Node, report: &mut Report) -> Option<Console> {
        const KINDS: Kinds<Console> = &[
            ("semihosting", |_| Some(Console::Semihosting)),
            ("pl011", |fields| Some(Console::Pl011 { base: fields.required("base")? })),
            ("com", |fields| Some(Console::Com { port: fields.required("port")? })),
            ("kl25-uart", |fields| {
                let clock = fields.optional("clock")?.unwrap_or(Console::KL25_CLOCK);
                Some(Console::Kl25Uart { clock })
            }),
            ("cmsdk-uart", |fields| Some(Console::CmsdkUart { base: fields.required("base")? })),
            ("uart", |fields| Some(Console::Uart { rate: baud_rate(fields)? })),
            ("syscalls", |_| Some(Console::Syscalls)),
            ("rtt", |fields| {
                let buffer = rtt_buffer(fields, "buffer", RTT_BUFFER);
                let input = rtt_buffer(fields, "input", RTT_INPUT);
                Some(Console::Rtt { buffer: buffer?, input: input? })
            }),
        ];
        by_kind(node, "a console", KINDS, report)
    }
}

impl FromNode for Exit {
    fn from_node(node: &Node, report: &mut Report) -> Option<Exit> {
        const KINDS: Kinds<Exit> = &[
            ("semihosting", |_| Some(Exit::Semihosting)),
            ("isa-debug-exit", |fields| Some(Exit::IsaDebugExit { port: fields.required("port")? })),
            ("syscall", |_| Some(Exit::Syscall)),
            ("halt", |_| Some(Exit::Halt)),
        ];
        by_kind(node, "an exit method", KINDS, report)
    }
}

impl FromNode for Run {
    fn from_node(node: &Node, report: &mut Report) -> Option<Run> {
        const KINDS: Kinds<Run> = &[
            ("native", |_| Some(Run::Native)),
            ("qemu", |fields| qemu_system(fields).map(Run::Qemu)),
            ("qemu-user", |fields| qemu_user(fields).map(Run::QemuUser)),
            ("none", |_| Some(Run::None)),
        ];
        by_kind(node, "a run method", KINDS, report)
    }
}

fn qemu_system(fields: &mut Fields<'_, '_>) -> Option<QemuSystem> {
    let program = fields.required("program");
    let machine = fields.required("machine");
    let cpu = fields.optional("cpu");
    let arguments = fields.optional("arguments").map(Option::unwrap_or_default);
    let uart = fields.optional("uart").map(Option::unwrap_or_default);
    Some(QemuSystem { program: program?, machine: machine?, cpu: cpu?, arguments: arguments?, uart: uart? })
}

fn qemu_user(fields: &mut Fields<'_, '_>) -> Option<QemuUser> {
    let program = fields.required("program");
    let cpu = fields.optional("cpu");
    let arguments = fields.optional("arguments").map(Option::unwrap_or_default);
    Some(QemuUser { program: program?, cpu: cpu?, arguments: arguments? })
}

impl Words for MemoryKind {
    const WHAT: &'static str = "a kind of memory";
    const WORDS: &'static [(&'static str, MemoryKind)] = &[("flash", MemoryKind::Flash), ("ram", MemoryKind::Ram)];
}

impl Words for Boot {
    const WHAT: &'static str = "a boot method";
    const WORDS: &'static [(&'static str, Boot)] =
        &[("cortex-m", Boot::CortexM), ("aarch64", Boot::Aarch64), ("pvh", Boot::Pvh), ("linux", Boot::Linux)];
}

impl Words for TrapMessages {
    const WHAT: &'static str = "a place of the messages of traps";
    const WORDS: &'static [(&'static str, TrapMessages)] =
        &[("image", TrapMessages::Image), ("debugger", TrapMessages::Debugger)];
}
