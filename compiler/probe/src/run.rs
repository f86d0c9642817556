//! A run: the program runs until it exits or is interrupted, while its console is served.

use crate::{
    Console,
    connection::{Connection, HALTING},
    failure::{Doing, Failure},
    model::{Begin, Ending, Registers, Run},
    rtt::RttConsole,
    semihosting::{self, Answer},
};
use probe_rs::{
    BreakpointCause, Core, CoreStatus, HaltReason, MemoryInterface as _, RegisterId, semihosting::SemihostingCommand,
};
use std::{
    thread,
    time::{Duration, Instant},
};

/// The time limit from a reset to the start of the program.
const BOOTING: Duration = Duration::from_secs(1);

/// The maximum pause between two polls of the processor.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);
const SHORTEST_PAUSE: Duration = Duration::from_micros(100);

impl Connection {
    /// Runs the program in flash. Holds afterwards: if the program exited, it is after its last call; if the time limit
    /// was exceeded or the user interrupted it, it still runs; if the user interrupted it before it started, it is in
    /// the state after a reset.
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
                    catch(&mut core, run.stop);
                    core.run()?;
                }
                Begin::Here => {
                    // Some probes set breakpoints only while the processor is halted.
                    if run.stop.is_some() && !core.core_halted()? {
                        core.halt(HALTING)?;
                    }
                    catch(&mut core, run.stop);
                    go_on(&mut core)?;
                }
            }
            let ending = watch(&mut core, rtt.as_mut(), run, console);
            if let Some(stop) = run.stop {
                release(&mut core, stop)?;
            }
            if let Some(rtt) = &mut rtt {
                rtt.leave(&mut core);
            }
            ending
        })
    }
}

/// Waits until the program has created its channels, so that no output is dropped for lack of a reader. If it never
/// does, the run shows later what happened.
fn meet(rtt: &mut RttConsole, core: &mut Core<'_>, ready: u64) -> Result<(), probe_rs::Error> {
    if core.set_hw_breakpoint(ready).is_err() {
        // The processor has no breakpoints, or none for this address.
        return Ok(());
    }
    core.run()?;
    let _ = core.wait_for_core_halted(BOOTING);
    core.clear_hw_breakpoint(ready)?;
    rtt.attach(core);
    Ok(())
}

/// Lets the processor halt where the program stops at a trap. A processor without breakpoints, or without one for this
/// address, stays there.
fn catch(core: &mut Core<'_>, stop: Option<u64>) {
    if let Some(stop) = stop {
        let _ = core.set_hw_breakpoint(stop);
    }
}

/// Removes the breakpoint, and lets the processor stay where it is if it has halted there.
fn release(core: &mut Core<'_>, stop: u64) -> Result<(), probe_rs::Error> {
    // There may be none.
    let _ = core.clear_hw_breakpoint(stop);
    let is_there = core.core_halted()? && core.read_core_reg::<u64>(core.program_counter().id())? == stop;
    if is_there { core.run() } else { Ok(()) }
}

/// Resumes a halted processor, unless it waits for an answer.
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
    run: &Run,
    console: &mut dyn Console,
) -> Result<Ending, probe_rs::Error> {
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    loop {
        if console.is_interrupted() {
            return Ok(Ending::Interrupted);
        }
        if run.timeout.is_some_and(|timeout| start.elapsed() >= timeout) {
            return Ok(Ending::TimedOut);
        }
        let status = core.status()?;
        // Output that was written before the processor stopped comes first.
        let has_output = rtt.as_deref_mut().is_some_and(|rtt| rtt.serve(core, console));
        let is_busy = match looked(status, core, run.stop, console)? {
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

/// The result of polling the processor.
enum Look {
    /// The run is over.
    Over(Ending),
    /// It made a request that was served.
    Served,
    /// It is running, or waits for input.
    Nothing,
}

fn looked(
    status: CoreStatus,
    core: &mut Core<'_>,
    stop: Option<u64>,
    console: &mut dyn Console,
) -> Result<Look, probe_rs::Error> {
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
            let registers = registers(core)?;
            if stop != Some(registers.program_counter.into()) {
                return Ok(Look::Over(Ending::Breakpoint(registers)));
            }
            let mut general = [0; 16];
            for (number, value) in (0..).zip(&mut general) {
                *value = core.read_core_reg(RegisterId(number))?;
            }
            console.trapped(&general, &mut |address, count| {
                let mut bytes = vec![0; count];
                core.read(address, &mut bytes).ok().map(|()| bytes)
            });
            Ok(Look::Over(Ending::Trapped))
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
            // After the call the program sleeps; at the call it would fault once the probe is gone.
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
