//! `--timings`: the time of each step of a compilation, and the compiler's peak memory use until its end.
//!
//! In: the names of the steps as they begin. Out: a table with one row per name; a step that begins again adds to its
//! row. Seconds are processor time of the compiler and of the linker that it calls, so that they do not depend on the
//! load of the machine; the time that passes is less where several processors work on a step. Memory is measured on
//! Linux only.

use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::{
    fmt::{self, Display, Formatter},
    fs,
    time::Instant,
};

/// The current step of the compiler, for reports of compiler bugs and for the table.
pub(crate) struct Progress {
    pub(crate) phase: &'static str,
    /// Set if requested.
    pub(crate) timings: Option<Timings>,
}

impl Progress {
    /// The initial state.
    pub(crate) fn new(is_timed: bool) -> Progress {
        let phase = "start";
        Progress { phase, timings: is_timed.then(|| Timings::new(phase)) }
    }

    /// Begins a step.
    pub(crate) fn enter(&mut self, phase: &'static str) {
        self.phase = phase;
        if let Some(timings) = &mut self.timings {
            timings.enter(phase);
        }
    }
}

/// A step and its costs.
#[derive(Serialize, Clone, Debug)]
pub struct Step {
    name: &'static str,
    /// Processor time.
    seconds: f64,
    /// The time that passed.
    elapsed: f64,
    /// The peak resident memory until its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// The steps so far, in the order in which they first began.
#[derive(Serialize, Clone, Debug)]
#[serde(transparent)]
pub struct Timings {
    steps: Vec<Step>,
    /// The current step and when it began.
    #[serde(skip)]
    present: (usize, Moment),
}

/// A moment by both clocks.
#[derive(Clone, Copy, Debug)]
struct Moment {
    processor_seconds: f64,
    clock: Instant,
}

impl Moment {
    fn now() -> Moment {
        Moment { processor_seconds: processor_seconds(), clock: Instant::now() }
    }
}

impl Step {
    fn new(name: &'static str) -> Step {
        Step { name, seconds: 0.0, elapsed: 0.0, bytes: None }
    }
}

impl Timings {
    /// Begins the first step.
    fn new(name: &'static str) -> Timings {
        Timings { steps: vec![Step::new(name)], present: (0, Moment::now()) }
    }

    /// Ends the current step, and begins another.
    fn enter(&mut self, name: &'static str) {
        let now = Moment::now();
        let (present, began) = self.present;
        self.steps[present].seconds += now.processor_seconds - began.processor_seconds;
        self.steps[present].elapsed += (now.clock - began.clock).as_secs_f64();
        self.steps[present].bytes = peak_bytes();
        let next = self.steps.iter().position(|step| step.name == name).unwrap_or_else(|| {
            self.steps.push(Step::new(name));
            self.steps.len() - 1
        });
        self.present = (next, now);
    }
}

impl Display for Timings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<20} {:>9} {:>9} {:>9}", "step", "seconds", "elapsed", "peak MB")?;
        for Step { name, seconds, elapsed, bytes } in &self.steps {
            write!(f, "{name:<20} {seconds:>9.3} {elapsed:>9.3}")?;
            match bytes {
                Some(bytes) => writeln!(f, " {:>9.1}", *bytes as f64 / 1e6)?,
                None => writeln!(f)?,
            }
        }
        let (seconds, elapsed) =
            self.steps.iter().fold((0.0, 0.0), |(all, passed), step| (all + step.seconds, passed + step.elapsed));
        writeln!(f, "{:<20} {seconds:>9.3} {elapsed:>9.3}", "all")
    }
}

/// The processor time of this process, and of its child processes that have ended.
fn processor_seconds() -> f64 {
    let own = clock_gettime(ClockId::ProcessCPUTime);
    own.tv_sec as f64 + own.tv_nsec as f64 * 1e-9 + seconds_of_children().unwrap_or(0.0)
}

/// From `/proc/self/stat`, where fields 16 and 17 count hundredths of a second. The second field may contain spaces.
fn seconds_of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut times = rest.split(' ').skip(13).take(2).map(|ticks| ticks.parse::<f64>().ok());
    Some((times.next()?? + times.next()??) / 100.0)
}

/// From `/proc/self/status`: `VmHWM: 1234 kB`.
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_begins_again_has_one_row() {
        let mut timings = Timings::new("read");
        ["parse", "check", "parse", "check"].into_iter().for_each(|step| timings.enter(step));
        let names: Vec<&str> = timings.steps.iter().map(|step| step.name).collect();
        assert_eq!(names, ["read", "parse", "check"]);
        assert!(timings.steps.iter().all(|step| step.seconds >= 0.0));
        assert_eq!(timings.to_string().lines().count(), 5);
    }
}
