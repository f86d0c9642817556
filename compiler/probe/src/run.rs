//! A run: the program goes on until it ends, or is ended, while its console is served.

use crate::{
    Console,
    connection::{Connection, HALTING},
    failure::{Doing, Failure},
    model::{Begin, Ending, Registers, Run},
    rtt::RttConsole,
    semihosting::{self, Answer},
};
use probe_rs::{BreakpointCause, Core, CoreStatus, HaltReason, semihosting::SemihostingCommand};
use std::{
    thread,
    time::{Duration, Instant},
};

/// How long a program may take from a reset to its beginning, before it is taken for one that does not come there.
const BOOTING: Duration = Duration::from_secs(1);

/// The longest pause between two looks at the processor.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);
const SHORTEST_PAUSE: Duration = Duration::from_micros(100);

impl Connection {
    /// Runs what is in flash. Holds afterwards: if the program ended by itself, it is behind its last call; if the time was over
    /// or the user ended it, it still runs; if the user ended it before it began, it is where a reset leaves it.
    pub fn run(&mut self, run: &Run, console: &mut dyn Console) -> Result<Ending, Failure> {
        self.work(Doing::Running, |session| {
            let mut core = session.core(0)?;
            let mut rtt = run.rtt.map(RttConsole::at);
            match run.begin {
                Begin::Reset => {
                    core.reset_and_halt(HALTING)?;
                    if console.is_interrupted() {
                        return Ok(Ending::Interrupted);
                    }
                    if let Some(rtt) = &mut rtt {
                        rtt.clear(&mut core)?;
                        run.ready.map_or(Ok(()), |ready| meet(rtt, &mut core, ready))?;
                    }
                    core.run()?;
                }
                Begin::Here => go_on(&mut core)?,
            }
            let ending = watch(&mut core, rtt.as_mut(), run.timeout, console);
            if let Some(rtt) = &mut rtt {
                rtt.leave(&mut core);
            }
            ending
        })
    }
}

/// Lets the program make its channels, so that none of what it writes is left out because nobody reads yet. If it never comes
/// there, it shows later what became of it.
fn meet(rtt: &mut RttConsole, core: &mut Core<'_>, ready: u64) -> Result<(), probe_rs::Error> {
    if core.set_hw_breakpoint(ready).is_err() {
        // The processor has no breakpoints, or none for this place.
        return Ok(());
    }
    core.run()?;
    let _ = core.wait_for_core_halted(BOOTING);
    core.clear_hw_breakpoint(ready)?;
    rtt.attach(core);
    Ok(())
}

/// Lets a halted processor run, unless it waits for an answer.
fn go_on(core: &mut Core<'_>) -> Result<(), probe_rs::Error> {
    match core.status()? {
        CoreStatus::Halted(HaltReason::Breakpoint(BreakpointCause::Semihosting(_))) => Ok(()),
        CoreStatus::Halted(_) => core.run(),
        CoreStatus::Running | CoreStatus::Sleeping | CoreStatus::LockedUp | CoreStatus::Unknown => Ok(()),
    }
}

fn watch(
    core: &mut Core<'_>,
    mut rtt: Option<&mut RttConsole>,
    timeout: Option<Duration>,
    console: &mut dyn Console,
) -> Result<Ending, probe_rs::Error> {
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    loop {
        if console.is_interrupted() {
            return Ok(Ending::Interrupted);
        }
        if timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
            return Ok(Ending::TimedOut);
        }
        let status = core.status()?;
        // What was written before the processor stopped comes first.
        let has_output = rtt.as_deref_mut().is_some_and(|rtt| rtt.serve(core, console));
        let is_busy = match looked(status, core, console)? {
            Look::Over(ending) => return Ok(ending),
            Look::Served => true,
            Look::Nothing => has_output,
        };
        if is_busy {
            pause = SHORTEST_PAUSE;
        } else {
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// What a look at the processor found.
enum Look {
    /// The run is over.
    Over(Ending),
    /// It asked for something and has got it.
    Served,
    /// It runs, or waits for input.
    Nothing,
}

fn looked(status: CoreStatus, core: &mut Core<'_>, console: &mut dyn Console) -> Result<Look, probe_rs::Error> {
    let reason = match status {
        CoreStatus::Running | CoreStatus::Sleeping | CoreStatus::Unknown => return Ok(Look::Nothing),
        CoreStatus::LockedUp => {
            core.halt(HALTING)?;
            return Ok(Look::Over(Ending::LockedUp(registers(core)?)));
        }
        CoreStatus::Halted(reason) => reason,
    };
    match reason {
        HaltReason::Breakpoint(BreakpointCause::Semihosting(call)) => serve(call, core, console),
        HaltReason::Breakpoint(BreakpointCause::Hardware | BreakpointCause::Software | BreakpointCause::Unknown) => {
            Ok(Look::Over(Ending::Breakpoint(registers(core)?)))
        }
        HaltReason::Multiple
        | HaltReason::Exception
        | HaltReason::Watchpoint
        | HaltReason::Step
        | HaltReason::Request
        | HaltReason::External
        | HaltReason::Unknown => {
            let reason = format!("{reason:?}").to_lowercase();
            Ok(Look::Over(Ending::Halted { reason, registers: registers(core)? }))
        }
    }
}

fn serve(call: SemihostingCommand, core: &mut Core<'_>, console: &mut dyn Console) -> Result<Look, probe_rs::Error> {
    match semihosting::serve(call, core, console)? {
        Answer::Wait => Ok(Look::Nothing),
        Answer::Done => {
            core.run()?;
            Ok(Look::Served)
        }
        Answer::Exit(status) => {
            // Behind the call the program sleeps; at the call it would fault as soon as the probe is gone.
            core.run()?;
            Ok(Look::Over(Ending::Exited(status)))
        }
    }
}

fn registers(core: &mut Core<'_>) -> Result<Registers, probe_rs::Error> {
    Ok(Registers {
        program_counter: core.read_core_reg(core.program_counter().id())?,
        return_address: core.read_core_reg(core.return_address().id())?,
        stack_pointer: core.read_core_reg(core.stack_pointer().id())?,
    })
}
