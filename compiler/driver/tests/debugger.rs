//! Images of Cortex-M boards without a debugger, and the buffers that a debugger reads: QEMU as it comes, without
//! semihosting, and its monitor as the probe.

use clef_base::render::Colour;
use clef_execution::log::{LogFormat, LogPrinter, LogTable};
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// As tests compare the log.
const PRINTER: LogPrinter = LogPrinter { format: LogFormat::Plain, colour: Colour::Plain };

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

fn qemu_is_there() -> bool {
    let found = Command::new("qemu-system-arm").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("ignored: qemu-system-arm is not installed");
    }
    found
}

/// Compiles a program for a board of its own; the image is `program.elf`.
fn compiled(board: &str, program: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("board.yaml"), board).expect("it is writable");
    fs::write(directory.path().join("program.clef"), program).expect("it is writable");
    let output = Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(["--board", "./board.yaml", "-o", "program.elf", "program.clef"])
        .current_dir(directory.path())
        .output()
        .expect("clefc can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    directory
}

/// An emulator that is ended in any case.
struct Machine(Child);

impl Drop for Machine {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn machine(directory: &Path, name: &str, arguments: &[&str]) -> Machine {
    // A program that stops would keep the tests waiting for its output.
    let child = Command::new("timeout")
        .args([PATIENCE.as_secs().to_string().as_str(), "setpriv", "--pdeathsig", "KILL", "--", "qemu-system-arm"])
        .args(["-machine", name, "-display", "none", "-kernel", "program.elf"])
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    Machine(child.expect("QEMU can be started"))
}

#[test]
fn without_a_debugger_its_calls_fail_and_the_program_goes_on() {
    if !qemu_is_there() {
        return;
    }
    for (machine_name, uart) in
        [("mps2-an385", "0x40004000"), ("mps2-an386", "0x40004000"), ("mps2-an505", "0x50200000")]
    {
        let board = format!(
            "inherits: {machine_name}\ndescription: errors on the serial line\nchip: MPS2\n\
             console_error: {{ kind: cmsdk-uart, base: {uart} }}\n"
        );
        let program =
            "Console.writeln \"to nobody\"\nlet line = Console.tryReadln ()\nConsole.errorln $\"read {line.IsSome}\"\n";
        let directory = compiled(&board, program);
        let arguments = ["-monitor", "none", "-serial", "stdio"];
        let mut machine = machine(directory.path(), machine_name, &arguments);
        let mut line = String::new();
        let output = machine.0.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it must be text");
        assert_eq!(line, "read False\n", "{machine_name}");
    }
}

/// Memory of an emulated machine, by QEMU's monitor.
struct Probe {
    machine: Machine,
    answers: BufReader<std::process::ChildStdout>,
    directory: TempDir,
}

impl Probe {
    fn attach(directory: TempDir, name: &str) -> Probe {
        let mut machine = machine(directory.path(), name, &["-serial", "none", "-monitor", "none", "-qmp", "stdio"]);
        let answers = BufReader::new(machine.0.stdout.take().expect("it is piped"));
        let mut probe = Probe { machine, answers, directory };
        probe.command("{\"execute\": \"qmp_capabilities\"}");
        probe
    }

    fn command(&mut self, text: &str) {
        let input = self.machine.0.stdin.as_mut().expect("it is piped");
        writeln!(input, "{text}").expect("QEMU reads");
        let mut answer = String::new();
        while !answer.contains("\"return\"") {
            answer.clear();
            assert_ne!(self.answers.read_line(&mut answer).expect("it must be text"), 0, "QEMU has ended");
            assert!(!answer.contains("\"error\""), "{answer}");
        }
    }

    fn read(&mut self, address: u32, size: usize) -> Vec<u8> {
        let file = self.directory.path().join("memory");
        self.command(&format!(
            "{{\"execute\": \"memsave\", \"arguments\": {{\"val\": {address}, \"size\": {size}, \"filename\": {file:?}}}}}"
        ));
        let mut bytes = Vec::new();
        fs::File::open(&file).expect("QEMU has written it").read_to_end(&mut bytes).expect("it can be read");
        bytes
    }

    fn words(&mut self, address: u32, count: usize) -> Vec<u32> {
        let bytes = self.read(address, count * 4);
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    /// The name of a channel, and what can be read from it.
    fn channel(&mut self, block: u32, index: u32) -> (String, Vec<u8>) {
        let words = self.words(block + 24 + 24 * index, 6);
        let (name, start, size, written, read) = (words[0], words[1], words[2], words[3], words[4]);
        assert!(written < size && read == 0);
        let name = self.read(name, 16);
        let name: Vec<u8> = name.into_iter().take_while(|byte| *byte != 0).collect();
        let content = if written == 0 { Vec::new() } else { self.read(start, written as usize) };
        (String::from_utf8_lossy(&name).into_owned(), content)
    }
}

/// The address of the control block, as debuggers find it.
fn control_block(image: &[u8]) -> u32 {
    let elf = goblin::elf::Elf::parse(image).expect("it is an ELF file");
    let symbol = elf.syms.iter().find(|symbol| elf.strtab.get_at(symbol.st_name) == Some("_SEGGER_RTT"));
    symbol.expect("there is a control block").st_value as u32
}

#[test]
fn a_probe_reads_what_the_program_writes() {
    if !qemu_is_there() {
        return;
    }
    for name in ["microbit", "mps2-an386"] {
        let board = format!(
            "inherits: {name}\ndescription: with a probe\nconsole: {{ kind: rtt, buffer: 64 }}\nexit: {{ kind: halt }}\n"
        );
        // What does not fit is left out, and the program goes on.
        let program =
            "Log.info $\"begins with {20}\"\nfor i in 1 .. 20 do Console.write $\"[{i}]\"\nConsole.error \"done\"\n";
        let directory = compiled(&board, program);
        let image = fs::read(directory.path().join("program.elf")).expect("it is there");
        let identity = b"SEGGER RTT";
        assert!(!image.windows(identity.len()).any(|bytes| bytes == identity), "a scan of flash finds a false block");
        let block = control_block(&image);
        let mut probe = Probe::attach(directory, name);
        let start = Instant::now();
        while !probe.read(block, 16).starts_with(identity) || probe.channel(block, 1).1 != b"done" {
            assert!(start.elapsed() < PATIENCE, "{name} does not write");
        }
        assert_eq!(probe.read(block, 16), b"SEGGER RTT\0\0\0\0\0\0");
        let expected: String = (1..=20).map(|number| format!("[{number}]")).collect();
        let (terminal, output) = probe.channel(block, 0);
        let output = String::from_utf8_lossy(&output);
        assert_eq!(terminal, "Terminal");
        assert!(output.starts_with("[1][2][3]") && output.len() <= 63 && expected.len() > 63, "{output}");
        assert_eq!(probe.channel(block, 1), ("Errors".to_owned(), b"done".to_vec()));
        let (defmt, frames) = probe.channel(block, 2);
        assert_eq!(defmt, "defmt");
        let table = LogTable::read(&image).expect("it can be read").expect("it logs");
        let lines: String = table.decoder().receive(&frames).iter().map(|event| PRINTER.line(event)).collect();
        assert_eq!(lines, "INFO  begins with 20\n");
        assert_eq!(probe.channel(block, 3), ("Terminal".to_owned(), Vec::new()));
    }
}
