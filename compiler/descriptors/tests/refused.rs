//! Invalid descriptors, each with the rendered diagnostics. `UPDATE=1` rewrites the expectations.

use clef_base::{SourceMap, render};
use clef_descriptors::{Request, Resolver};
use std::{io, path::Path};

/// The diagnostics for a request among the given files.
fn refusal(request: Request<'_>, files: &[(&str, &str)]) -> String {
    let read = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    };
    let mut sources = SourceMap::default();
    let diagnostics = match Resolver::new(&mut sources, &read).machine(request) {
        Ok(_) => return "accepted".to_owned(),
        Err(diagnostics) => diagnostics,
    };
    diagnostics.iter().map(|diagnostic| render::render(&sources, diagnostic, render::Colour::Plain)).collect()
}

/// Compares the diagnostics for a request with the file of that name.
fn expect(name: &str, request: Request<'_>, files: &[(&str, &str)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused").join(name).with_extension("txt");
    clef_golden::assert(clef_golden::compare_with_file(&path, &refusal(request, files)));
}

macro_rules! refused_boards {
    ($($name:ident: $text:expr;)*) => {$(
        #[test]
        fn $name() {
            expect(stringify!($name), Request::Board("b.yaml"), &[("b.yaml", $text)]);
        }
    )*};
}

macro_rules! refused_targets {
    ($($name:ident: $text:expr;)*) => {$(
        #[test]
        fn $name() {
            expect(stringify!($name), Request::Target("t.yaml"), &[("t.yaml", $text)]);
        }
    )*};
}

refused_boards! {
    empty_file: "";
    not_yaml: "inherits: microbit\nmemory: [1, 2\nstack: 4K\n";
    tab_as_indentation: "inherits: microbit\nmemory:\n\tflash: 1\n";
    a_list_at_the_top: "- inherits\n- microbit\n";
    two_documents: "inherits: microbit\n---\nstack: 4K\n";
    a_key_twice: "inherits: microbit\nstack: 4K\nclock: 1M\nstack: 2K\n";
    an_anchor: "inherits: microbit\nstack: &size 4K\nclock: *size\n";
    unknown_keys_with_and_without_neighbour: "inherits: microbit\nstakc: 4K # Größe\ncolour: red\n";
    unknown_nested_key: "inherits: microbit\nmemory:\n  ram: { kind: ram, orgin: 0x20000000, length: 16K }\n";
    wrong_types: "inherits: microbit\ndescription: 5\nmemory: 16K\nstack: big\nvectors: [32]\npins: led\nchip: true\n";
    negative_and_fractional_sizes: "inherits: microbit\nstack: -4K\nregion_pool: { size: 1.5K, page: 256 }\n";
    missing_kind: "inherits: linux\ndescription: x\ntarget: x86_64-linux\nrun: { program: x }\n";
    missing_keys: "description: nothing else\n";
    unknown_words: "inherits: microbit\nboot: cortexm\nconsole: { kind: semihost }\nmemory: { ram: { kind: rom } }\n";
    chips_in_place_of_kinds: "inherits: blue-pill\ngpio: { kind: stm32f103 }\nwatchdog: { kind: stm32f1 }\nsettings: { kind: stm32f407 }\n";
    a_chip_of_another_kind: "inherits: netduinoplus2\ngpio: { kind: stm32f4 }\n";
    a_processor_in_place_of_a_target: "inherits: blue-pill\ntarget: cortex-m3\n";
    a_base_in_place_of_a_target: "inherits: blue-pill\ntarget: arm-cortex\n";
    key_of_another_kind: "inherits: microbit\nconsole: { kind: semihosting, base: 0x40000000 }\n";
    overlapping_memory: "inherits: microbit\nmemory:\n  more: { kind: ram, origin: 0x20003000, length: 16K }\n";
    zero_length: "inherits: microbit\nmemory:\n  ram: { length: 0 }\n";
    beyond_the_address_space: "inherits: microbit\nmemory:\n  x: { kind: ram, origin: 0xfffffffffffff000, length: 1M }\n";
    no_ram: "inherits: microbit\nmemory:\n  ram: { kind: flash, origin: 0x20000000, length: 16K }\n";
    pool_too_large: "inherits: microbit\nregion_pool: { size: 14K, page: 256 }\n";
    page_no_power_of_two: "inherits: microbit\nregion_pool: { size: 9K, page: 96 }\n";
    growth_below_a_page: "inherits: microbit\nregion_pool: { page: 256, growth: 100 }\n";
    unaligned_stack: "inherits: microbit\nstack: 4090\n";
    bad_region_name: "inherits: microbit\nmemory:\n  my ram: { kind: ram, origin: 0x30000000, length: 4K }\n";
    pins_that_are_none: "inherits: microbit\npins: { Led: P0.01, lamp: 13, button: P2.00, knob: P0.99 }\n";
    pins_beyond_the_port: "inherits: netduinoplus2\npins: { knob: PA16 }\n";
    clock_of_a_watch: "inherits: microbit\nclock: 32768\n";
    clocks_that_are_too_fast: "inherits: stm32f4-discovery\nclocks: { core: 200M }\n";
    clocks_that_cannot_be_made: "inherits: blue-pill\nclocks: { core: 70M }\n";
    clocks_with_a_fast_crystal: "inherits: stm32f4-discovery\nclocks: { crystal: 32M }\n";
    clocks_without_a_crystal: "inherits: rpi-pico\nclocks: { crystal: none }\n";
    clocks_with_an_odd_crystal: "inherits: rpi-pico-2\nclocks: { crystal: 12288k }\n";
    clocks_of_another_chip: "inherits: rpi-pico\nclocks: { kind: stm32f4, core: 84M }\n";
    clocks_of_an_unknown_kind: "inherits: blue-pill\nclocks: { kind: stm32f103, core: 72M }\n";
    clocks_of_a_value_line: "inherits: blue-pill\nchip: STM32F100RB\n";
    clocks_from_two_sources: "inherits: blue-pill\nclocks: { external: 8M }\n";
    clocks_without_frequency: "inherits: nrf52840-dk\nclocks: { kind: stm32f4, cristal: 8M }\n";
    clocks_beside_another_clock: "inherits: blue-pill\nclock: 8M\n";
    clocks_that_are_described_in_part: "inherits: blue-pill\nclocks: { kind: none }\nclock: 8M\n";
    clocks_that_a_timer_cannot_divide: "inherits: nucleo-f446re\nclocks: { core: 22500k }\ntime: { kind: stm32, base: 0x40000000, enable: 0x40023840, bit: 0, interrupt: 28 }\n";
    clocks_of_a_pc: "inherits: qemu-q35\nclocks: { kind: none }\n";
    no_clock: "description: x\ntarget: thumbv6m\nboot: cortex-m\nvectors: 32\nstack: 1K\n";
    devices_without_facts: "inherits: linux\ngpio: { kind: stm32, base: 0x40020000 }\nuart: { kind: uart }\n";
    uart_of_another_driver: "inherits: lm3s6965evb\nuart: { kind: nrf, base: 0x40002000, transmit: PA1, receive: PA0 }\n";
    device_beyond_the_addresses: "inherits: mps2-an386\nuart: { base: 0x1240004000 }\n";
    clock_of_a_uart: "inherits: mps2-an386\nuart: { clock: 5G }\n";
    start_that_is_none: "inherits: microbit\nstart: [{ kind: writ, address: 0x40000000, value: 1 }, { kind: write, address: 0x40000002, value: 1 }, { kind: await, address: 0x40000004 }, 7]\n";
    start_without_boot_code: "inherits: qemu-q35\nstart: [{ kind: set, address: 0x1000, bits: 1 }]\nboot_block: rp2040\n";
    controller_of_another_processor: "inherits: qemu-q35\ninterrupts: { kind: gicv2, distributor: 0x08000000, interface: 0x08010000, count: 96 }\n";
    controller_of_a_microcontroller: "inherits: microbit\ninterrupts: { kind: apic }\n";
    controller_beyond_the_devices: "inherits: qemu-virt-aarch64\ninterrupts: { interface: 0xff842000 }\n";
    controller_with_half_a_group: "inherits: qemu-virt-aarch64\ninterrupts: { count: 40 }\n";
    controller_that_is_none: "inherits: qemu-virt-aarch64\ninterrupts: { kind: gicv3 }\n";
    keys_of_a_microcontroller: "inherits: host-linux\nvectors: 32\nclock: 16M\nchip: nRF51822_xxAA\nmemory:\n  ram: { kind: ram, origin: 0x20000000, length: 16K }\n";
    vectors_of_a_pc: "inherits: qemu-q35\nvectors: 32\n";
    more_interrupts_than_armv6m_has: "inherits: microbit\nvectors: 33\n";
    more_interrupts_than_armv7m_has: "inherits: mps2-an386\nvectors: 241\nmemory: { flash: { origin: 0x800 } }\n";
    more_interrupts_than_any_core_has: "inherits: mps2-an505\nvectors: 481\n";
    chip_of_another_core: "inherits: microbit\ntarget: thumbv7em\n";
    console_in_ram: "inherits: mps2-an386\nconsole: { kind: cmsdk-uart, base: 0x20004000 }\n";
    console_without_a_line: "inherits: cortex-m\ndescription: bare\ntarget: thumbv7em-hf\nmemory: { flash: { kind: flash, origin: 0x0, length: 512K }, ram: { kind: ram, origin: 0x20000000, length: 64K } }\nstack: 8K\nregion_pool: { page: 256 }\nvectors: 48\nclock: 64M\nconsole: { kind: uart }\nrun: { kind: none }\n";
    console_of_a_process: "inherits: host-linux\nconsole: { kind: uart }\n";
    console_with_an_impossible_rate: "inherits: rpi-pico\nconsole: { kind: uart, rate: 20 }\n";
    console_with_two_rates: "inherits: rpi-pico\nconsole: { kind: uart }\nconsole_error: { kind: uart, rate: 9600 }\n";
    uart_in_flash: "inherits: mps2-an386\nuart: { base: 0x4000 }\n";
    boot_block_of_another_processor: "inherits: rpi-pico-2\nboot_block: rp2040\n";
    log_through_the_port_of_a_pc: "inherits: microbit\nlog: { kind: isa-debugcon, port: 0xe9 }\n";
    log_without_its_port: "inherits: qemu-q35\nlog: { kind: isa-debugcom }\nconsole_error: { kind: com }\n";
    port_that_is_too_high: "inherits: qemu-q35\nlog: { kind: isa-debugcon, port: 0x10000 }\n";
    unknown_boot_block: "inherits: rpi-pico\nboot_block: rp2030\n";
    registers_of_another_chip: "inherits: rpi-pico\nchip: RP2040\nregisters: nrf52840\n";
    registers_that_do_not_come_with_the_compiler: "inherits: microbit\nregisters: nrf52\n";
    timers_of_another_chip: "inherits: rpi-pico\ntimers: { kind: nrf52 }\n";
    timers_that_count_no_microseconds: "inherits: mps2-an386\ntimers: { clock: 24500k }\n";
    timers_without_their_interrupts: "inherits: mps2-an386\ntimers: { interrupt: 31 }\n";
    registers_of_another_chip_than_the_inherited_one: "inherits: nrf52840-dk\nregisters: nrf52833\n";
    spi_without_its_interrupt: "inherits: nrf52840-dk\nvectors: 36\nspi: { main: { base: 0x4002F000 } }\n";
    spi_that_a_serial_line_is: "inherits: nrf9160-dk\nuarts: { gps: { kind: nrf-dma, base: 0x50009000, transmit: P0.01, receive: P0.00 } }\nspi: { main: { base: 0x50009000 } }\n";
    spi_with_dma_elsewhere: "inherits: nrf52840-dk\nspi: { main: { base: 0x40005000 } }\n";
    spi_with_dma_of_an_older_chip: "inherits: microbit\nspi: { main: { kind: nrf-dma, base: 0x40004000, sck: P0.23, mosi: P0.21, miso: P0.22 } }\n";
    timers_with_a_slow_clock: "inherits: frdm-kl25z\ntimers: { clock: 400k }\n";
    uf2_without_family: "inherits: microbit\nuf2: { famly: 1 }\n";
    uf2_with_a_word_for_a_family: "inherits: microbit\nuf2: { family: rp2040 }\n";
    time_without_system_timer: "inherits: cortex-m\ndescription: x\ntarget: thumbv6m\nmemory:\n  flash: { kind: flash, origin: 0, length: 256K }\n  ram: { kind: ram, origin: 0x20000000, length: 16K }\nstack: 4K\nregion_pool: { size: 8K, page: 256 }\nvectors: 32\nrun: { kind: none }\nchip: nRF51822_xxAA\nclock: 16M\n";
    time_by_the_system_timer: "inherits: nrf52840-dk\ntime: { kind: systick }\n";
    time_of_an_unknown_kind: "inherits: microbit\ntime: { kind: nrf-tiemr, base: 0x40008000 }\n";
    time_at_no_timer: "inherits: microbit\ntime: { kind: nrf-timer, base: 0x4000B000 }\n";
    time_of_too_many_bits: "inherits: microbit\ntime: { kind: nrf-timer, base: 0x40009000 }\n";
    time_of_an_nrf52_on_an_nrf91: "inherits: nrf9160-dk\ntime: { kind: nrf-timer, base: 0x40008000 }\n";
    time_by_the_system_timer_of_an_nrf91: "inherits: nrf9160-dk\ntime: { kind: systick }\n";
    time_from_a_synthesized_clock_of_an_nrf91: "inherits: nrf9160-dk\ntime: { kind: nrf-rtc, base: 0x50014000, source: synthesized }\n";
    devices_of_an_nrf52_on_an_nrf91: "inherits: nrf9160-dk\nwatchdog: { kind: nrf }\nsettings: { kind: nrf, page: 4K }\nadc: { kind: nrf52 }\npwm: { kind: nrf52 }\nrng: { kind: nrf }\n";
    lines_of_an_nrf52_on_an_nrf91: "inherits: nrf9160-dk\nuart: { kind: nrf, base: 0x50008000, transmit: P0.29, receive: P0.28 }\ni2c: { main: { kind: nrf, base: 0x50009000, scl: P0.31, sda: P0.30 } }\n";
    a_line_of_an_nrf91_elsewhere: "inherits: nrf9160-dk\nuart: { base: 0x5000C000 }\n";
    a_line_of_an_nrf91_on_an_nrf52: "inherits: nrf52840-dk\nuart: { kind: nrf-dma, base: 0x50008000, transmit: P0.06, receive: P0.08 }\n";
    a_step_that_sets_nothing: "inherits: microbit\nstart: [{ kind: set, address: 0x40000504, bits: 0 }]\n";
    a_step_that_waits_for_a_wide_byte: "inherits: frdm-kl25z\nstart: [{ kind: await-byte, address: 0x40064006, bits: 0x100 }]\n";
    a_line_with_dma_of_an_nrf51: "inherits: microbit\nuart: { kind: nrf-dma, base: 0x40002000, transmit: P0.24, receive: P0.25 }\n";
    clocks_of_an_lm3s_with_another_crystal: "inherits: lm3s6965evb\nclocks: { crystal: 12M }\n";
    a_step_that_waits_for_nothing: "inherits: nrf9160-dk\nstart: [{ kind: await, address: 0x50004578, bits: 0 }]\n";
    a_line_of_a_kl25_at_other_pins: "inherits: frdm-kl25z\nuart: { transmit: PTA1, receive: PTA2 }\n";
    a_line_of_a_kl25_elsewhere: "inherits: rpi-pico\nuart: { kind: kl25, clock: 12M, transmit: GP0, receive: GP1, function: 2 }\n";
    a_pin_that_a_kl25_lacks: "inherits: frdm-kl25z\npins: { led: PTB20 }\n";
    a_flash_configuration_of_another_chip: "inherits: rpi-pico\nboot_block: kinetis\n";
    time_of_odd_bits: "inherits: nrf52840-dk\ntime: { kind: nrf-timer, base: 0x40009000, bits: 24 }\n";
    time_without_source: "inherits: nrf52840-dk\ntime: { kind: nrf-rtc, base: 0x4000B000, source: quartz }\n";
    time_of_another_chip: "inherits: rpi-pico\ntime: { kind: rp2350, clock: 12M }\n";
    time_of_another_maker: "inherits: rpi-pico-2\ntime: { kind: stm32, base: 0x40000000, clock: 16M, enable: 0x40023840, bit: 0, interrupt: 28 }\n";
    time_by_a_broken_clock: "inherits: rpi-pico\ntime: { clock: 6500k }\n";
    time_by_a_fast_clock: "inherits: rpi-pico-2\ntime: { clock: 600M }\n";
    time_by_an_absent_interrupt: "inherits: nucleo-f446re\ntime: { kind: stm32, base: 0x40000002, clock: 16M, enable: 0x140023840, bit: 32, interrupt: 97 }\n";
    time_by_an_interrupt_too_far: "inherits: nucleo-f446re\ntime: { kind: stm32, base: 0x40000000, clock: 16M, enable: 0x40023840, bit: 0, interrupt: 97 }\n";
    time_of_a_pc: "inherits: qemu-q35\ntime: { kind: systick }\n";
    watchdog_of_another_chip: "inherits: rpi-pico\nwatchdog: { kind: nrf }\n";
    watchdog_of_an_unknown_kind: "inherits: microbit\nwatchdog: { kind: wdt }\n";
    watchdog_with_a_fast_oscillator: "inherits: blue-pill\nwatchdog: { clock: 8M }\n";
    watchdog_in_flash: "inherits: mps2-an386\nwatchdog: { base: 0x8000 }\n";
    watchdog_of_a_pc: "inherits: qemu-q35\nwatchdog: { kind: cmsdk, base: 0x40008000, clock: 25M }\n";
    settings_with_pages_of_another_size: "inherits: blue-pill\nsettings: { page: 4K }\n";
    settings_with_one_page: "inherits: microbit\nsettings: { pages: 1 }\n";
    settings_with_pages_of_another_chip: "inherits: microbit\nsettings: { page: 4K }\n";
    settings_of_another_maker: "inherits: rpi-pico\nsettings: { kind: nrf, page: 4K }\n";
    settings_of_an_unknown_kind: "inherits: microbit\nsettings: { kind: eeprom, page: 4K }\n";
    settings_that_take_all: "inherits: microbit\nsettings: { pages: 256 }\n";
    settings_within_a_page: "inherits: nrf52840-dk\nmemory: { flash: { length: 1022K } }\n";
    settings_in_small_sectors: "inherits: black-pill-f411\nmemory: { flash: { origin: 0x08000000, length: 256K } }\nsettings: { pages: 2 }\n";
    settings_in_sectors_of_another_size: "inherits: black-pill-f411\nmemory: { flash: { origin: 0x07fe0000, length: 384K } }\n";
    settings_at_the_flash_configuration: "inherits: frdm-kl25z\nmemory: { flash: { length: 3K } }\n";
    settings_beyond_the_boot_rom: "inherits: rpi-pico-2\nmemory: { flash: { length: 17M } }\n";
    settings_of_another_stm32: "inherits: nucleo-l552ze-q\nsettings: { kind: stm32f4, page: 128K }\n";
    settings_of_the_other_raspberry_pi: "inherits: rpi-pico\nsettings: { kind: rp2350, page: 4K }\n";
    settings_of_a_process: "inherits: host-linux\nsettings: { kind: nrf, page: 4K }\n";
    adc_of_another_chip: "inherits: rpi-pico\nadc: { kind: nrf52 }\n";
    adc_of_another_stm32: "inherits: blue-pill\nadc: { kind: stm32f4, clock: 8M }\n";
    adc_without_pins: "inherits: cortex-m\ndescription: bare\ntarget: thumbv7em-hf\nmemory: { flash: { kind: flash, origin: 0x0, length: 512K }, ram: { kind: ram, origin: 0x20000000, length: 64K } }\nstack: 8K\nregion_pool: { page: 256 }\nvectors: 48\nclock: 64M\nconsole: { kind: rtt }\nrun: { kind: none }\nadc: { kind: nrf52 }\n";
    adc_with_a_slow_clock: "inherits: blue-pill\nadc: { clock: 1M }\n";
    adc_with_an_odd_crystal: "inherits: rpi-pico\nadc: { clock: 11M }\n";
    adc_without_a_loop: "inherits: lm3s6965evb\nclocks: { crystal: none, core: 12M }\n";
    adc_with_a_fast_loop: "inherits: lm3s6965evb\nadc: { clock: 20M }\n";
    devices_of_an_lm3s6965_on_another: "inherits: lm3s6965evb\nchip: LM3S1968\nclocks: { kind: none }\nclock: 50M\ntimers: { clock: 50M }\nadc: { clock: 16M }\npwm: { clock: 50M }\nwatchdog: { clock: 50M }\nuart: { clock: 50M }\nuarts: { uart1: { clock: 50M }, uart2: { clock: 50M } }\ni2c: { main: { clock: 50M } }\nspi: { main: { clock: 50M } }\n";
    bus_at_an_analog_input: "inherits: lm3s6965evb\ni2c: { main: { kind: gpio, scl: ADC0, sda: PB3 } }\n";
    adc_of_a_pc: "inherits: qemu-q35\nadc: { kind: nrf52 }\n";
    pwm_of_another_chip: "inherits: nrf52840-dk\npwm: { kind: rp2040, clock: 12M }\n";
    pwm_of_a_chip_that_plays_wrongly: "inherits: nrf52840-dk\nchip: nRF52832_xxAA\n";
    pwm_of_an_nrf51_on_an_nrf52: "inherits: nrf52840-dk\npwm: { kind: nrf51 }\n";
    pwm_by_a_timer_without_its_interrupt: "inherits: microbit\nvectors: 10\ntimers: { kind: none }\npwm: { kind: nrf51 }\n";
    pwm_of_an_unknown_kind: "inherits: nrf52840-dk\npwm: { kind: servo }\n";
    interrupt_of_ports_that_is_none: "inherits: mps2-an386\ngpio: { expansion: { interrupts: [6, 7, 16, 32] } }\n";
    interrupts_of_two_ports: "inherits: mps2-an386\ngpio: { expansion: { interrupts: [6, 7] } }\n";
    ports_without_their_base: "inherits: mps2-an386\ngpio: { kind: mps2, base: 0x40028000, expansion: { interrupt: 6 } }\n";
    ports_of_the_design_kit_that_are_wide: "inherits: mps2-an386\ngpio: { kind: cmsdk, base: 0x40010000, ports: [\"0-15\", \"0-31\"] }\n";
    pins_beyond_the_headers: "inherits: mps2-an386\npins: { knob: EXP52, first: EXP0, far: EXP100 }\n";
    interrupt_of_pins_that_is_none: "inherits: qemu-virt-aarch64\ngpio: { interrupt: 288 }\n";
    rng_of_another_chip: "inherits: rpi-pico\nrng: { kind: nrf }\n";
    rng_that_the_stm32f411_lacks: "inherits: black-pill-f411\nrng: { kind: stm32f4 }\n";
    rng_with_a_clock_that_is_too_slow: "inherits: rpi-pico\nrng: { clock: 0 }\n";
    pins_of_two_uarts: "inherits: rpi-pico\nuart: { transmit: GP4 }\n";
    pins_that_the_chip_lacks: "inherits: rpi-pico-2\nuart: { transmit: GP32, receive: GP33 }\n";
    uart_of_another_chip: "inherits: rpi-pico\nuart: { kind: stm32, model: f3, base: 0x40011400, clock: 16M, enable: 0x40023844, bit: 5, transmit: PC6, receive: PC7, function: 8, interrupt: 71 }\n";
    uart_without_its_pins: "inherits: netduinoplus2\nuart: { transmit: PC16, bit: 32 }\n";
    uart_with_an_impossible_function: "inherits: netduinoplus2\nuart: { function: 16 }\n";
    interrupt_of_a_uart_that_is_none: "inherits: mps2-an386\nuart: { interrupts: [0, 32] }\n";
    interrupts_of_a_uart_that_are_three: "inherits: mps2-an386\nuart: { interrupts: [0, 1, 2] }\n";
    interrupt_of_a_uart_without_a_vector: "inherits: microbit\nvectors: 2\nuart: { base: 0x40002000 }\n";
    uart_of_a_pc: "inherits: mps2-an386\nuart: { kind: com, port: 0x3f8, interrupt: 4 }\nuarts: { uart1: { kind: com, port: 0x2f8, interrupt: 3 }, uart2: { kind: com, port: 0x3e8, interrupt: 4 } }\n";
    uart_number_of_another_chip: "inherits: lm3s6965evb\nuart: { number: 3 }\n";
    quantities_that_are_written_otherwise: "inherits: microbit\nstack: 2.5K\nclock: 16MHz\nregion_pool: { page: \"256\", size: 4kB }\n";
    line_with_the_pins_of_another: "inherits: mps2-an386\nuarts: { uart3: { base: 0x40009000 }, uart4: { base: 0x40007000 } }\n";
    line_of_the_secure_image_with_pins_of_another: "inherits: mps2-an505\nuarts: { uart1: { base: 0x50203000 }, uart3: { base: 0x50202000 }, uart2: { base: 0x50201000 } }\n";
    buses_with_the_pins_of_others: "inherits: mps2-an386\ni2c: { main: { base: 0x4002A000 }, shield1: { base: 0x40029000 } }\nspi: { main: { miso: EXP16 } }\n";
    line_called_main: "inherits: mps2-an386\nuarts: { main: { kind: cmsdk, base: 0x40007000, clock: 25M, interrupts: [18, 19] } }\n";
    line_with_a_bad_name: "inherits: mps2-an386\nuarts: { GPS: { kind: cmsdk, base: 0x40007000, clock: 25M, interrupts: [18, 19] } }\n";
    line_of_another_kind: "inherits: mps2-an386\nuarts: { gps: { kind: pl011, base: 0x4000A000, clock: 25M, interrupt: 22 } }\n";
    line_that_the_board_has: "inherits: mps2-an386\nuarts: { gps: { kind: cmsdk, base: 0x40004000, clock: 25M, interrupts: [22, 23] } }\n";
    line_with_the_interrupt_of_another: "inherits: qemu-q35\nuarts: { com3: { kind: com, port: 0x3e8, interrupt: 4 } }\n";
    line_in_flash: "inherits: mps2-an386\nuarts: { uart1: { base: 0x4000 } }\n";
    lines_without_the_first: "inherits: linux\nuarts: { gps: { kind: pl011, base: 0x40007000, clock: 25M, interrupt: 18 } }\n";
    line_of_half_its_pins: "inherits: mps2-an386\nuarts: { uart2: { transmit: EXP2 } }\n";
    line_of_a_light: "inherits: mps2-an386\nuarts: { uart2: { transmit: EXP2, receive: LED0 } }\n";
    line_of_one_pin: "inherits: mps2-an386\nuarts: { uart2: { transmit: EXP2, receive: EXP2 } }\n";
    line_without_ports: "inherits: cortex-m\ntarget: thumbv7m\nmemory: { flash: { kind: flash, origin: 0, length: 1M }, ram: { kind: ram, origin: 0x20000000, length: 1M } }\nvectors: 32\ndescription: B\nstack: 4K\nregion_pool: { page: 256 }\nclock: 25M\nrun: { kind: none }\nuart: { kind: cmsdk, base: 0x40004000, clock: 25M, interrupts: [0, 1], transmit: P0.01, receive: P0.02 }\n";
    buses_without_ports: "inherits: cortex-m\ntarget: thumbv7m\nmemory: { flash: { kind: flash, origin: 0, length: 1M }, ram: { kind: ram, origin: 0x20000000, length: 1M } }\nvectors: 32\ndescription: B\nstack: 4K\nregion_pool: { page: 256 }\nclock: 25M\nrun: { kind: none }\ni2c: { main: { kind: sbcon, base: 0x40029000, scl: P0.05 } }\nspi: { main: { kind: pl022, base: 0x40026000, clock: 25M, sck: P0.01, mosi: P0.02, miso: P0.03 } }\n";
    buses_of_a_pc: "inherits: qemu-q35\nspi: { main: { kind: pl022, base: 0x40020000, clock: 1M } }\n";
    buses_of_two_drivers: "inherits: mps2-an386\ni2c: { shield1: { kind: stellaris, clock: 12M }, Bad: { kind: sbcon, base: 0 } }\n";
    bus_that_the_board_has: "inherits: mps2-an386\nspi: { zero: { kind: pl022, base: 0x40026000, clock: 25M }, one: { kind: pl022, base: 0x4000, clock: 1k } }\n";
    bus_of_lights: "inherits: mps2-an386\ni2c: { main: { kind: gpio, scl: LED0, sda: LED1 }, shield1: { kind: gpio, scl: LED0, sda: LED1 } }\n";
    bus_of_one_pin: "inherits: microbit\nspi: { main: { kind: gpio, sck: P0.03, mosi: P0.03, miso: P0.99 } }\n";
    bus_of_another_driver_than_the_first: "inherits: mps2-an386\ni2c: { shield1: { kind: stellaris, clock: 12M } }\n";
    bus_that_is_two: "inherits: microbit\nspi: { main: { base: 0x40003000 } }\n";
    bus_of_another_chip: "inherits: rpi-pico\ni2c: { main: { kind: nrf, base: 0x40003000, scl: GP4, sda: GP5 } }\nspi: { main: { kind: stm32, model: f3, base: 0x40013000, clock: 16M, enable: 0x40023844, bit: 12, sck: GP2, mosi: GP3, miso: GP4 } }\n";
    bus_of_two_controllers: "inherits: rpi-pico\nspi: { main: { sck: GP10 } }\n";
    bus_without_its_bit: "inherits: nucleo-f446re\nspi: { main: { bit: 32, sck: PA16 } }\n";
    bus_in_flash: "inherits: mps2-an386\ni2c: { main: { base: 0x4000 } }\n";
    bus_number_of_another_chip: "inherits: lm3s6965evb\ni2c: { main: { number: 2 } }\n";
    base_of_another_chip: "inherits: stm32f103\n";
    i2c_at_pins_of_another_controller: "inherits: blue-pill\ni2c: { main: { scl: PB10, sda: PB11 } }\n";
    spi_at_pins_of_another_controller: "inherits: blue-pill\nspi: { main: { sck: PB13, mosi: PB15, miso: PB14 } }\n";
    spi_at_the_pin_of_alerts: "inherits: blue-pill\nspi: { main: { sck: PB3, mosi: PB5, miso: PB4 } }\n";
    uart_at_pins_of_another_line: "inherits: blue-pill\nuart: { transmit: PA2, receive: PA3 }\n";
    settings_of_larger_pages: "inherits: blue-pill\nsettings: { page: 2K }\n";
    i2c_with_a_slow_clock: "inherits: blue-pill\ni2c: { main: { clock: 1M } }\n";
    i2c_without_its_keys: "inherits: netduinoplus2\ni2c: { more: { kind: stm32, model: f4, base: 0x40005800, scl: PB10, sda: PB11 } }\n";
    i2c_of_a_wrong_model: "inherits: nucleo-f446re\ni2c: { main: { model: f3 } }\n";
    i2c_of_two_models: "inherits: nucleo-f446re\ni2c: { other: { kind: stm32, model: l5, base: 0x40005800, enable: 0x40023840, bit: 22, scl: PB10, sda: PB3, function: 4 } }\n";
    i2c_of_two_controllers: "inherits: rpi-pico\ni2c: { main: { sda: GP6 } }\n";
    i2c_of_a_kl25_at_pins_of_two_controllers: "inherits: frdm-kl25z\ni2c: { main: { sda: PTE0 } }\n";
    i2c_of_a_kl25_that_is_two: "inherits: frdm-kl25z\ni2c: { other: { kind: kl25, scl: PTC8, sda: PTC9 } }\n";
    i2c_with_dma_of_an_nrf52: "inherits: nrf52840-dk\ni2c: { main: { kind: nrf-dma, base: 0x40003000, scl: P0.27, sda: P0.26 } }\n";
    i2c_with_dma_elsewhere: "inherits: nrf9160-dk\ni2c: { main: { base: 0x5000C000 } }\n";
    i2c_with_dma_that_is_spi: "inherits: nrf9160-dk\ni2c: { main: { base: 0x5000B000 } }\n";
    i2c_with_dma_that_a_serial_line_is: "inherits: nrf9160-dk\ni2c: { main: { base: 0x50008000 } }\n";
    i2c_with_its_pins_exchanged: "inherits: rpi-pico-2\ni2c: { main: { sda: GP5, scl: GP4 } }\n";
    i2c_without_its_function: "inherits: nucleo-f446re\ni2c: { main: { bit: 32 }, other: { kind: stm32, model: f4, base: 0x40005800, enable: 0x40023840, bit: 22, scl: PB10, sda: PB3, function: 16 } }\n";
    fifo_that_is_none: "inherits: qemu-virt-aarch64\nuart: { fifo: maybe }\n";
    missing_parent: "inherits: micro-bit\n";
    missing_target: "inherits: microbit\ntarget: thumbv6\n";
    target_of_another_processor: "inherits: microbit\ntarget: aarch64-none\n";
    inherits_from_itself: "inherits: ./b.yaml\n";
    deeply_nested: "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n";
}

refused_targets! {
    invalid_triple: "inherits: thumbv7em\ntriple: thumbv99-none-eabi\n";
    triple_of_another_format: "inherits: x86_64-linux\ntriple: x86_64-apple-darwin\n";
    widths_disagree: "inherits: thumbv7em\npointer_bits: 64\n";
    feature_without_sign: "inherits: thumbv7em\nfeatures: [fpregs]\n";
    policy_without_line: "inherits: thumbv7em\nclosure_alignment: { policy: no-straddle }\n";
    two_features_in_one: "inherits: thumbv7em\nfeatures: [\"-fpregs\", \"+aes,foo\"]\n";
    board_does_not_exist: "inherits: thumbv7em\ndefault_board: mps2-an387\n";
}

#[test]
fn a_cycle_of_three_files() {
    let files = [("d/a.yaml", "inherits: b\n"), ("d/b.yaml", "inherits: ../d/c.yaml\n"), ("d/c.yaml", "inherits: a\n")];
    expect("a_cycle_of_three_files", Request::Target("d/a.yaml"), &files);
}

#[test]
fn names_that_do_not_exist() {
    for (name, request) in [
        ("misspelt_target", Request::Target("thumv7em")),
        ("misspelt_board", Request::Board("mps2-an836")),
        ("nothing_like_it", Request::Board("toaster")),
        ("abstract_board", Request::Board("mps2")),
        ("misspelt_abstract_board", Request::Board("nrf5")),
        ("target_by_its_processor", Request::Target("cortex-m0plus")),
        ("target_by_a_processor_with_an_fpu", Request::Target("cortex-m4f")),
        ("target_by_a_similar_processor", Request::Target("cortex-m7")),
        ("missing_file", Request::Board("boards/mine.yaml")),
    ] {
        expect(name, request, &[]);
    }
}

#[test]
fn code_for_armv6m_runs_on_other_cores() {
    let files = [("b.yaml", "inherits: nrf52840-dk\ntarget: thumbv6m\n")];
    assert_eq!(refusal(Request::Board("b.yaml"), &files), "accepted");
}

#[test]
fn a_shipped_name_can_be_redefined_beside() {
    let files = [("my/microbit.yaml", "inherits: microbit\nstack: 2K\n")];
    assert_eq!(refusal(Request::Board("my/microbit.yaml"), &files), "accepted");
}
