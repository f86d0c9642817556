//! Several serial lines of a board: what arrives at one goes out at the other, polled and by interrupt.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

/// A bridge between two lines, which ends after a line of text.
const POLLED: &str = "\
let forward (source: Uart.Line) (target: Uart.Line) =
    match Uart.tryReadByte source with
    | Some value ->
        Uart.writeByte target value
        value = 10uy
    | None -> false
Uart.start Serial.main 115200
Uart.start Serial.uart2 9600
Uart.write Serial.uart2 \"ready\\n\"
let mutable ends = 0
while ends < 2 do
    if forward Serial.main Serial.uart2 then ends <- ends + 1
    if forward Serial.uart2 Serial.main then ends <- ends + 1
";

/// The same by interrupts, in both directions at once.
const SERVED: &str = "\
let toOther = Queue.create 8 0uy
let toMain = Queue.create 8 0uy
let mutable ends = 0
Uart.start Serial.main 115200
Uart.start Serial.uart2 9600
let receivedOfMain = Queue.create 64 0uy
let receivedOfOther = Queue.create 64 0uy
Uart.serve Serial.main (fun value -> Queue.tryAdd value receivedOfMain |> ignore) (fun () -> Queue.tryTake toMain)
Uart.serve Serial.uart2 (fun value -> Queue.tryAdd value receivedOfOther |> ignore) (fun () -> Queue.tryTake toOther)
Uart.enqueue Serial.uart2 toOther \"ready\\n\"
let forward (line: Uart.Line) (waiting: Queue.Queue<byte>) (value: byte) =
    Uart.enqueueByte line waiting value
    if value = 10uy then ends <- ends + 1
    if ends = 2 then Task.stop ()
Task.forEach receivedOfMain (forward Serial.uart2 toOther)
Task.forEach receivedOfOther (forward Serial.main toMain)
Task.run ()
Interrupt.waitUntil (fun () -> Queue.isEmpty toMain && Queue.isEmpty toOther)
";

/// Boards whose first line is the machine's second one, on our input and output; the machine's first one is on a socket.
const BOARDS: [(&str, &str, &str); 3] = [
    (
        "mps2-an386",
        "qemu-system-arm",
        "uart: { base: 0x40005000, interrupts: [2, 3] }\n\
         uarts: { uart1: { base: 0x40006000, interrupts: [4, 5] }, uart2: { base: 0x40004000, interrupts: [0, 1] } }\n",
    ),
    (
        "mps2-an505",
        "qemu-system-arm",
        "uart: { base: 0x50201000, interrupts: [34, 35] }\n\
         uarts: { uart1: { base: 0x50202000, interrupts: [36, 37] }, uart2: { base: 0x50200000, interrupts: [32, 33] } }\n",
    ),
    ("lm3s6965evb", "qemu-system-arm", "uart: { number: 1 }\nuarts: { uart1: { number: 2 }, uart2: { number: 0 } }\n"),
];

#[test]
fn two_lines_are_joined() {
    for (board, emulator, lines) in BOARDS {
        if Command::new(emulator).arg("--version").output().is_err() {
            return;
        }
        for (name, program) in [("polled", POLLED), ("served", SERVED)] {
            joined(board, lines, program).unwrap_or_else(|problem| panic!("{board}, {name}: {problem}"));
        }
    }
}

/// Runs a program between our input and output and a socket.
fn joined(board: &str, lines: &str, program: &str) -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| directory.path().join(name);
    let socket = path("line");
    let listener = UnixListener::bind(&socket).map_err(|error| error.to_string())?;
    fs::write(path("b.yaml"), descriptor(board, lines, &socket)).map_err(|error| error.to_string())?;
    fs::write(path("bridge.clef"), program).map_err(|error| error.to_string())?;
    let mut running = Command::new(env!("CARGO_BIN_EXE_clefc"))
        .args(["run", "--timeout", "20", "--board", "./b.yaml", "bridge.clef"])
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let far = accepted(&listener, &mut running)?;
    let mut input = running.stdin.take().ok_or("its input is piped")?;
    let mut answers = BufReader::new(far.try_clone().map_err(|error| error.to_string())?);
    let mut said = String::new();
    answers.read_line(&mut said).map_err(|error| error.to_string())?;
    input.write_all(b"to the socket\n").map_err(|error| error.to_string())?;
    answers.read_line(&mut said).map_err(|error| error.to_string())?;
    (&far).write_all("from the socket, grün\n".as_bytes()).map_err(|error| error.to_string())?;
    let output = running.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match (said.as_str(), text.as_ref(), output.status.success()) {
        ("ready\nto the socket\n", "from the socket, grün\n", true) => Ok(()),
        _ => Err(format!("{said:?}, {text:?}, {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The connection of the machine, unless it ends before.
fn accepted(listener: &UnixListener, running: &mut std::process::Child) -> Result<UnixStream, String> {
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    loop {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).map_err(|error| error.to_string())?;
            stream.set_read_timeout(Some(Duration::from_secs(20))).map_err(|error| error.to_string())?;
            return Ok(stream);
        }
        if let Ok(Some(status)) = running.try_wait() {
            let mut problem = String::new();
            if let Some(mut errors) = running.stderr.take() {
                errors.read_to_string(&mut problem).map_err(|error| error.to_string())?;
            }
            return Err(format!("{status}: {problem}"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn descriptor(board: &str, lines: &str, socket: &Path) -> String {
    format!(
        "inherits: {board}\ndescription: two lines\n{lines}run:\n  arguments: [\"-display\", \"none\", \"-monitor\", \"none\", \
         \"-semihosting-config\", \"enable=on,target=native\", \"-serial\", \"unix:{}\"]\n",
        socket.display()
    )
}
