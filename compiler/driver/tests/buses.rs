//! The buses of boards: devices that QEMU models answer on I2C, and what SPI sends comes back.
#![cfg(unix)]

use std::{fs, process::Command};

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

/// Runs a program on a board with more keys, at each level of optimisation; nothing if there is no emulator.
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
    fs::write(directory.path().join("p.clef"), program).expect("the program is written");
    for level in ["-O0", "-O2", "-Oz"] {
        let output = Command::new(env!("CARGO_BIN_EXE_clefc"))
            .args(["run", "--timeout", "20", "--board", "./b.yaml", level, "p.clef"])
            .current_dir(directory.path())
            .output()
            .expect("clefc runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text, expected, "{board}, {level}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// QEMU puts devices on the last bus of the machine, that of the second shield.
#[test]
fn a_sensor_answers_on_two_lines() {
    let program = format!("{SENSOR}{REPEATED}");
    let answers = format!("{ANSWERS}{REPEATED_ANSWERS}");
    let sensor = ["tmp105,bus=i2c,address=0x48"];
    for (board, keys) in [
        ("mps2-an386", "i2c: { main: { base: 0x4002A000 }, shield1: { base: 0x40029000 } }\n"),
        ("mps2-an505", "i2c: { main: { base: 0x5020D000 }, shield1: { base: 0x5020C000 } }\n"),
    ] {
        expect(board, keys, &sensor, &program, &answers);
    }
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

#[test]
fn what_spi_sends_comes_back() {
    let answers = "[|0uy; 90uy; 255uy|] 129\n".repeat(4);
    for (board, base) in [("mps2-an386", "0x40026000"), ("mps2-an505", "0x5020A000"), ("lm3s6965evb", "0x40008000")] {
        // Loop back mode.
        let close = format!("let close () = Mmio.modify32 ({base}un + 4un) (fun control -> control ||| 1u)\n");
        expect(board, "", &[], &format!("{close}{LOOP}"), &answers);
    }
}
