//! The buses of boards: devices that QEMU models answer, and those in software have a device that is a program too.
#![cfg(unix)]

use std::{fs, path::Path, process::Command};

/// A temperature sensor at 0x48: a limit is written, and read in one transfer and in two.
const SENSOR: &str = "\
let bus, sensor = I2cBus.main, 0x48
I2c.start bus 100_000
let reading: byte[] = Array.zeroCreate 2
printfn \"%A\" (I2c.write bus sensor [| 2uy; 0x4Buy; 0x30uy |])
printfn \"%A\" (I2c.writePrefixed bus sensor [| 3uy |] [| 0x12uy; 0x40uy |])
printfn \"%A\" (I2c.write bus sensor [| 2uy |])
printfn \"%A %A\" (I2c.read bus sensor reading) reading
";

/// Its other limit is read with a repeated start, and nobody has the address 0x33. QEMU's controller of the LM3S begins no transfer
/// while it has the bus, and reports such an address as a lost arbitration.
const REPEATED: &str = "\
printfn \"%A %A\" (I2c.writeRead bus sensor [| 3uy |] reading) reading
printfn \"%A\" (I2c.read bus 0x33 reading)
printfn \"%A\" (I2c.write bus 0x33 [| 0uy |])
";

/// Each byte comes back while it is sent, in every mode.
const LOOP: &str = "\
let buffer: byte[] = Array.zeroCreate 3
let sent = [| 0x00uy; 0x5Auy; 0xFFuy |]
for mode in [ Spi.Mode0; Spi.Mode1; Spi.Mode2; Spi.Mode3 ] do
    Spi.start SpiBus.main mode 1_000_000
    close ()
    Spi.transfer SpiBus.main sent buffer
    printfn \"%A %d\" buffer (Spi.exchange SpiBus.main 0x81uy)
";

const ANSWERS: &str = "Ok ()\nOk ()\nOk ()\nOk () [|75uy; 48uy|]\n";
const REPEATED_ANSWERS: &str = "Ok () [|18uy; 64uy|]\nError AddressNotAcknowledged\nError AddressNotAcknowledged\n";

/// The driver of memories writes two pages and reads them back; there is no second one.
const MEMORY: &str = "\
let bus =
    { Eeprom.WritePart = I2c.writePart I2cBus.main
      Eeprom.WriteRead = I2c.writeRead I2cBus.main
      Eeprom.IsBusy = fun reason -> reason = AddressNotAcknowledged }
let memory = Eeprom.c32 0x50
let buffer: byte[] = Array.zeroCreate 9
I2c.start I2cBus.main 400_000
printfn \"%A\" (Eeprom.write bus memory 4060 \"two pages\"B)
printfn \"%A %A\" (Eeprom.read bus memory 4060 buffer) buffer
printfn \"%A\" (Eeprom.read bus { memory with Device = 0x51 } 0 buffer)
";

/// The drivers of devices that nobody has connected.
const ABSENT: &str = "\
let sensor = { Bmp280.Write = I2c.write I2cBus.main 0x76; Bmp280.WriteRead = I2c.writeRead I2cBus.main 0x76 }
let display = { Ssd1306.Send = I2c.writePrefixed I2cBus.main 0x3C }
I2c.start I2cBus.main 100_000
match Bmp280.start sensor |> Result.bind (Bmp280.read sensor) with
| Ok reading -> printfn \"%d\" reading.Temperature
| Error reason -> printfn \"%A\" reason
Ssd1306.text 0 0 \"text\"
printfn \"%A\" (Ssd1306.start display |> Result.bind (fun () -> Ssd1306.show display))
";

/// QEMU puts devices on the last bus of the machine, that of the second shield.
fn second(main: &str, shield: &str) -> String {
    format!(
        "i2c:\n  main: {{ base: {main}, scl: EXP31, sda: EXP41 }}\n  shield1: {{ base: {shield}, scl: EXP5, sda: EXP15 }}\n"
    )
}

/// Runs a program on a board with more keys, at each level of optimisation; nothing if there is no emulator. It may use the drivers of the
/// examples.
fn expect(board: &str, keys: &str, devices: &[&str], program: &str, expected: &str) {
    if Command::new("qemu-system-arm").arg("--version").output().is_err() {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let arguments = ["-display", "none", "-monitor", "none", "-semihosting-config", "enable=on,target=native"];
    let devices = devices.iter().flat_map(|device| ["-device", device]);
    let arguments: Vec<&str> = arguments.into_iter().chain(devices).collect();
    let descriptor = format!("inherits: {board}\ndescription: buses\n{keys}run: {{ arguments: {arguments:?} }}\n");
    fs::write(directory.path().join("b.yaml"), descriptor).expect("the descriptor is written");
    let drivers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/drivers");
    let driver = |name: &&str| format!("{name} = {{ path = {:?} }}\n", drivers.join(name));
    let used: String = ["bmp280", "eeprom", "ssd1306"].iter().map(driver).collect();
    let project = format!("name = \"p\"\nsources = [\"p.clef\"]\n[dependencies]\n{used}");
    fs::write(directory.path().join("clef.toml"), project).expect("the project is written");
    fs::write(directory.path().join("p.clef"), format!("module Main\n{program}")).expect("the program is written");
    for level in ["-O0", "-O2", "-Oz"] {
        let output = Command::new(env!("CARGO_BIN_EXE_clefc"))
            .args(["run", "--timeout", "20", "--board", "./b.yaml", level])
            .current_dir(directory.path())
            .output()
            .expect("clefc runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, expected, "{board}, {level}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_sensor_answers_on_two_lines() {
    let program = format!("{SENSOR}{REPEATED}");
    let answers = format!("{ANSWERS}{REPEATED_ANSWERS}");
    let sensor = ["tmp105,bus=i2c,address=0x48"];
    for (board, main, shield) in
        [("mps2-an386", "0x4002A000", "0x40029000"), ("mps2-an505", "0x5020D000", "0x5020C000")]
    {
        expect(board, &second(main, shield), &sensor, &program, &answers);
    }
}

#[test]
fn drivers_report_what_answers() {
    let bytes = b"two pages".map(|byte| format!("{byte}uy")).join("; ");
    let answers = format!("Ok ()\nOk () [|{bytes}|]\nError (BusFailed AddressNotAcknowledged)\n");
    let second = second("0x4002A000", "0x40029000");
    expect("mps2-an386", &second, &["at24c-eeprom,bus=i2c,address=0x50,rom-size=4096"], MEMORY, &answers);
    let answers = "BusFailed AddressNotAcknowledged\nError AddressNotAcknowledged\n";
    expect("mps2-an386", "", &[], ABSENT, answers);
}

#[test]
fn a_sensor_answers_a_controller() {
    expect("lm3s6965evb", "", &["tmp105,bus=i2c,address=0x48"], SENSOR, ANSWERS);
}

/// Nothing is connected to the pins, so that nobody acknowledges; a line that is held low is reported.
#[test]
fn pins_are_a_bus_without_devices() {
    let program = "\
I2c.start I2cBus.main 400_000
let reading: byte[] = Array.zeroCreate 1
printfn \"%A\" (I2c.read I2cBus.main 0x20 reading)
Gpio.inputPullDown (Gpio.pin 0 3)
printfn \"%A\" (I2c.read I2cBus.main 0x20 reading)
";
    let pins = "i2c: { main: { kind: gpio, scl: P0.03, sda: P0.04 } }\n";
    expect("microbit", pins, &[], program, "Error AddressNotAcknowledged\nError BusStuck\n");
}

/// QEMU's controller of the micro:bit has a device at every address, which always sends the same.
#[test]
fn a_sensor_of_the_microbit_answers() {
    let program = "\
I2c.start I2cBus.main 100_000
let reading: byte[] = Array.zeroCreate 3
printfn \"%A %A\" (I2c.writeRead I2cBus.main 0x1D [| 0x0Duy |] reading) reading
printfn \"%A\" (I2c.write I2cBus.main 0x1D [| 0x20uy; 1uy |])
";
    expect("microbit", "", &[], program, "Ok () [|90uy; 90uy; 64uy|]\nOk ()\n");
}

/// A flash memory says who it is. QEMU's controller of the STM32 transfers a byte also when one is read from it, so that every other one
/// is lost.
#[test]
fn a_memory_on_spi_says_who_it_is() {
    let program = "\
let answer: byte[] = Array.zeroCreate 4
Spi.start SpiBus.main Spi.Mode0 1_000_000
Spi.transfer SpiBus.main [| 0x9Fuy; 0uy; 0uy; 0uy |] answer
printfn \"%A\" answer
";
    let memory = ["w25q80,bus=ssi"];
    let shields = "\
spi:
  main: { base: 0x40027000, sck: EXP44, mosi: EXP39, miso: EXP40 }
  shield1: { base: 0x40026000, sck: EXP11, mosi: EXP13, miso: EXP14 }
";
    expect("mps2-an386", shields, &memory, program, "[|0uy; 239uy; 80uy; 20uy|]\n");
    let sixth = "spi: { main: { kind: stm32, model: f4, base: 0x40015400, clock: 16M, enable: 0x40023844, bit: 21, \
                 sck: PA5, mosi: PA7, miso: PA6, function: 5 } }\n";
    expect("netduinoplus2", sixth, &memory, program, "[|239uy; 20uy; 0uy; 0uy|]\n");
}

#[test]
fn what_spi_sends_comes_back() {
    let answers = "[|0uy; 90uy; 255uy|] 129\n".repeat(4);
    for (board, base) in [("mps2-an386", "0x40026000"), ("mps2-an505", "0x5020A000"), ("lm3s6965evb", "0x40008000")] {
        // Loop back mode.
        let close = format!("let close () = Mmio.modify32 ({base}un + 4un) (fun control -> control ||| 1u)\n");
        expect(board, "", &[], &format!("{close}{LOOP}"), &answers);
    }
}

/// What the library's controllers in software do at lines that are a program, as a process, at each level of optimisation.
fn expect_in_software(name: &str, parts: &[&str], expected: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join(name), parts.concat()).expect("the program is written");
    for level in ["-O0", "-O2", "-Oz"] {
        let output = Command::new(env!("CARGO_BIN_EXE_clefc"))
            .args(["run", "--board", "host-linux", level, name])
            .current_dir(directory.path())
            .output()
            .expect("clefc runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, expected, "{name}, {level}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A device that stretches the clock, one that holds a line, and another controller.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn i2c_in_software_waits_frees_and_gives_up() {
    let parts = [
        include_str!("buses/i2c_lines.clef"),
        include_str!("../../library/clef/devices/i2c_error.clef"),
        include_str!("../../library/clef/devices/i2c_bits.clef"),
        include_str!("buses/i2c_transfers.clef"),
    ];
    let expected = "\
Ok (), S 5A FF P \n\
Ok (), S P \n\
[|165uy; 166uy|]\n\
Error AddressNotAcknowledged, S P \n\
Error AddressNotAcknowledged, S P \n\
Ok (), S 1 S P \n\
[|165uy; 166uy|]\n\
Error BusStuck, S \n\
Ok (), P S 2 P \n\
Error BusStuck, \n\
Error ArbitrationLost, S \n\
Ok (), S 4 P \n";
    expect_in_software("i2c.clef", &parts, expected);
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn spi_in_software_has_all_modes() {
    let parts = [
        include_str!("buses/spi_pins.clef"),
        include_str!("../../library/clef/devices/spi_gpio.clef"),
        include_str!("buses/spi_transfers.clef"),
    ];
    expect_in_software("spi.clef", &parts, &"C5 C5, 963A\n".repeat(4));
}
