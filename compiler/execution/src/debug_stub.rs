//! Emulators whose images do not report traps: a debugger waits for the exceptions that the image does not handle.
//!
//! In: an image, and a connection to the debug stub of QEMU, which has not started the image. Out: the report of a trap.
//! It speaks as much of GDB's remote serial protocol as that takes ("Debugging with GDB", appendix E).

use crate::fault::stopped;
use clef_base::Diagnostic;
use clef_descriptors::Board;
use clef_host::{
    cleanup::TemporaryDirectory,
    output::{self, Mode},
    user_files::UserFiles,
};
use clef_runtime::{FAULT_SKIP, FAULT_STOP};
use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
};

/// Where unhandled exceptions lead in the emulator: an address that holds no code on any Cortex-M. As a breakpoint it
/// does not slow down the emulation of the code around it.
const CATCH: u32 = 0xe000_0000;

/// An image whose unhandled exceptions a debugger catches.
pub(crate) struct Caught {
    /// The image for the emulator.
    path: PathBuf,
    /// The image as it was compiled.
    image: Vec<u8>,
    _directory: TemporaryDirectory,
}

impl Caught {
    /// Prepares an image for an emulator, whose vector table leads to [`CATCH`] instead of the function at which the
    /// processor would stop; nothing if the image reports traps itself.
    pub(crate) fn prepare(path: &Path, board: &Board) -> Result<Option<Caught>, Diagnostic> {
        let image = UserFiles::default().bytes(path)?;
        let Some(caught) = redirected(&image, board) else { return Ok(None) };
        let directory = TemporaryDirectory::new("run")?;
        let path = directory.path().join("program");
        output::write_file(&path, &caught, Mode::Executable)?;
        Ok(Some(Caught { path, image, _directory: directory }))
    }

    /// The image for the emulator.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs the program over the debug stub; returns the report of a trap, after which the emulator ends. Nothing is
    /// returned if the emulator ends for another reason.
    pub(crate) fn watch(&self, stub: UnixStream) -> Option<String> {
        let mut stub = Stub(stub);
        stub.ask(&format!("Z0,{CATCH:x},2"))?;
        stub.ask("c")?;
        let registers = stub.ask("g")?;
        let registers = words(&registers)?;
        let mut read = |address, count| stub.memory(address, count);
        let report = stopped::report(&self.image, &registers, &mut read);
        stub.send("k")?;
        Some(report.unwrap_or_else(|| stopped::UNREADABLE.to_owned()))
    }
}

/// The registers in the reply to `g`: `r0` to `r15`.
fn words(digits: &[u8]) -> Option<[u64; 16]> {
    let mut words = [0; 16];
    for (word, digits) in words.iter_mut().zip(digits.chunks(8)) {
        *word = u32::from_le_bytes(bytes(digits)?.try_into().ok()?).into();
    }
    (digits.len() >= 16 * 8).then_some(words)
}

/// The image with its vector table changed.
fn redirected(image: &[u8], board: &Board) -> Option<Vec<u8>> {
    let elf = clef_image::parse(image).ok()?;
    let table = board.vector_table()?.0;
    let is_stop = |name: Option<&str>| name.is_some_and(|name| [FAULT_STOP, FAULT_SKIP].contains(&name));
    let stops = elf.syms.iter().filter(|symbol| is_stop(elf.strtab.get_at(symbol.st_name)));
    let stops: Vec<[u8; 4]> = stops.map(|symbol| (symbol.st_value as u32 | 1).to_le_bytes()).collect();
    if stops.is_empty() {
        return None;
    }
    let section = elf.section_headers.iter().find(|header| header.sh_addr == table && header.sh_size > 0)?;
    let mut redirected = image.to_owned();
    for vector in redirected.get_mut(section.file_range()?)?.chunks_exact_mut(4) {
        if stops.iter().any(|stop| vector == stop) {
            vector.copy_from_slice(&(CATCH | 1).to_le_bytes());
        }
    }
    Some(redirected)
}

/// A connection to a debug stub. A call returns nothing once the connection has ended.
struct Stub(UnixStream);

impl Stub {
    /// Sends a packet, and returns the reply.
    fn ask(&mut self, packet: &str) -> Option<Vec<u8>> {
        self.send(packet)?;
        // `W` and `X` say that the emulator ends.
        self.reply().filter(|reply| !matches!(reply.first(), Some(b'W' | b'X')))
    }

    fn send(&mut self, packet: &str) -> Option<()> {
        let sum = packet.bytes().fold(0_u8, u8::wrapping_add);
        self.0.write_all(format!("${packet}#{sum:02x}").as_bytes()).ok()
    }

    /// The content of the next packet, which is acknowledged.
    fn reply(&mut self) -> Option<Vec<u8>> {
        while self.byte()? != b'$' {}
        let mut content = Vec::new();
        loop {
            match self.byte()? {
                b'#' => break,
                byte => content.push(byte),
            }
        }
        self.byte()?;
        self.byte()?;
        self.0.write_all(b"+").ok()?;
        Some(content)
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.0.read_exact(&mut byte).ok().map(|()| byte[0])
    }

    fn memory(&mut self, address: u64, count: usize) -> Option<Vec<u8>> {
        let reply = self.ask(&format!("m{address:x},{count:x}"))?;
        bytes(&reply).filter(|bytes| bytes.len() == count)
    }
}

/// The bytes of hexadecimal digits; nothing if they are not such, as in the code of an error.
fn bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok();
    digits.chunks(2).map(byte).collect()
}
