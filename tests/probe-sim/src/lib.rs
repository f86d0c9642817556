//! A simulated debug probe: the protocol of a Black Magic Probe over TCP, with QEMU as the chip.
//!
//! In: the name of a QEMU machine, the size of its flash, and optionally a fault. Out: a [`Simulator`], whose
//! [`selector`](Simulator::selector) a debugger opens as it opens a real probe. Sessions are served one after another,
//! and the flash keeps its contents between them, as on a real board.
//!
//! The layers, from the cable to the chip:
//!
//! | File | What it plays |
//! | --- | --- |
//! | `server.rs` | the probe's firmware: sessions, and the commands of the remote protocol |
//! | `swd.rs` | the wire: bits that make requests to the debug port |
//! | `port.rs` | the debug port and the access port behind the wire |
//! | `target.rs` | the chip as the debugger sees it: memory, and what may be done to it |
//! | `core_debug.rs` | the debug registers of a Cortex-M |
//! | `breakpoints.rs` | where the emulated processor has to stop |
//! | `machine.rs` | QEMU: a process that never outlives the simulator |
//! | `gdb.rs` | the protocol of QEMU's debugger interface |
//! | `faults.rs` | what can be wrong with a probe or a chip |
//!
//! Writes of the debugger to flash have no effect, as on a chip: only the chip's own flash controller programs it, at
//! the request of code that runs on the chip. There is no cache, no security extension, and one core.

mod breakpoints;
mod core_debug;
mod faults;
mod gdb;
mod machine;
mod port;
mod server;
mod swd;
mod target;

pub use faults::Fault;
use server::Server;
use std::{
    io,
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
};

/// The options of a simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// QEMU's name of the machine, such as `microbit`.
    pub machine: String,
    /// The size of flash, which begins at address zero, in bytes.
    pub flash: u64,
    /// An image that is in flash at the start; without one its flash is empty.
    pub image: Option<PathBuf>,
    /// The fault in the first session; later ones have none.
    pub fault: Option<Fault>,
    /// The TCP port to listen at; a free one if there is none.
    pub port: Option<u16>,
}

impl Options {
    /// A BBC micro:bit without faults.
    pub fn microbit() -> Options {
        Options { machine: "microbit".to_owned(), flash: 256 << 10, image: None, fault: None, port: None }
    }
}

/// A running simulated probe. When it is dropped, its session is disconnected and QEMU ends.
#[derive(Debug)]
pub struct Simulator {
    port: u16,
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
}

/// What the owner of a simulator and its thread share.
#[derive(Debug, Default)]
struct Control {
    /// Whether to end.
    is_over: AtomicBool,
    /// The current connection.
    session: Mutex<Option<TcpStream>>,
    /// The number of calls of the chip's flash algorithm in this session.
    calls: Arc<AtomicU32>,
}

impl Simulator {
    /// Starts QEMU and listens. Holds afterwards: the selector can be opened.
    pub fn start(options: &Options) -> io::Result<Simulator> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port.unwrap_or(0)))?;
        let port = listener.local_addr()?.port();
        let control = Arc::new(Control::default());
        let (report, started) = mpsc::channel();
        let (options, shared) = (options.clone(), control.clone());
        // QEMU dies with the thread that started it; so the thread that lives as long as the simulator starts it.
        let thread = thread::Builder::new().name("probe-sim".to_owned()).spawn(move || {
            let server = Server::start(&options, shared.calls.clone());
            // The receiver is gone only if the whole process ends.
            match server {
                Ok(mut server) => {
                    let _ = report.send(Ok(()));
                    serve(&mut server, &listener, &shared);
                }
                Err(error) => {
                    let _ = report.send(Err(error));
                }
            }
        })?;
        let simulator = Simulator { port, control, thread: Some(thread) };
        started.recv().map_err(|_| io::Error::other("the simulator's thread ended"))??;
        Ok(simulator)
    }

    /// The selector by which a debugger finds the probe.
    pub fn selector(&self) -> String {
        selector(self.port)
    }

    /// The TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The number of calls of the chip's flash algorithm in the current or last session.
    pub fn calls(&self) -> u32 {
        self.control.calls.load(Ordering::SeqCst)
    }

    /// Waits for the end, which comes if listening at the port fails.
    pub fn wait(mut self) {
        self.thread.take().map(JoinHandle::join);
    }
}

/// The selector of a probe at a TCP port of this machine: the USB identity of Black Magic Probes, and the address in
/// place of a serial number.
pub fn selector(port: u16) -> String {
    format!("1d50:6018:127.0.0.1:{port}")
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.control.is_over.store(true, Ordering::SeqCst);
        if let Some(session) = self.control.session().as_ref() {
            // It may have been closed already.
            let _ = session.shutdown(Shutdown::Both);
        }
        // Wakes the thread if it waits for a session.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        self.thread.take().map(JoinHandle::join);
    }
}

impl Control {
    fn session(&self) -> std::sync::MutexGuard<'_, Option<TcpStream>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }
}

/// Serves sessions until the simulator is dropped.
fn serve(server: &mut Server, listener: &TcpListener, control: &Control) {
    while let Ok((stream, _)) = listener.accept() {
        *control.session() = stream.try_clone().ok();
        if control.is_over() {
            return;
        }
        // An error in a session ends it, and the debugger reports it.
        let _ = server.serve(stream);
        *control.session() = None;
    }
}
