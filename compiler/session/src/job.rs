//! What to compile, and how.

use crate::{
    Session, library,
    options::{CodeChoice, DebugInfo, LogLevelChoice, Optimisation},
    program::{Program, ProgramFile},
};
use clef_base::{Diagnostic, Symbol};
use clef_descriptors::{Machine, TrapMessages};
use clef_image::link::{self, LinkInput};

/// What to compile, and how.
#[derive(Clone)]
pub struct Job {
    /// The source files, in the order of their dependencies.
    pub files: Vec<ProgramFile>,
    /// The target and the board.
    pub machine: Machine,
    /// The optimisation level.
    pub optimisation: Optimisation,
    /// The debug information to add.
    pub debug: DebugInfo,
    /// Whether the program prints peak region and stack use on exit.
    pub statistics: bool,
    /// The lowest level of messages that are logged; all if unset.
    pub log_level: Option<LogLevelChoice>,
    /// Objects and archives of other languages.
    pub link: Vec<LinkInput>,
    /// What the program does after initialisation.
    pub purpose: Purpose,
    /// Whether the program uses the pages of flash that its board reserves, as far as is known.
    pub uses_flash: bool,
}

/// What a program does after the initialisation of its modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It runs its entry point.
    Run,
    /// It runs its tests.
    Test,
    /// It returns to its host, which calls its exported functions: it is a library with this name, an identifier of C.
    Library(Symbol),
}

impl Purpose {
    /// The name of the library, if it is one.
    pub fn library(self) -> Option<Symbol> {
        match self {
            Purpose::Library(name) => Some(name),
            Purpose::Run | Purpose::Test => None,
        }
    }
}

impl Job {
    /// The same for a program that uses the pages of flash that its board reserves, or the watchdog.
    pub(crate) fn adapted(&self, uses_flash: bool, uses_watchdog: bool) -> Job {
        let mut job = self.clone();
        job.uses_flash = uses_flash;
        if uses_flash {
            job.machine.board.value.reserve_settings();
        }
        if uses_watchdog {
            job.machine.board.value.keep_watchdog();
        }
        job
    }

    /// Whether the runtime handles errors in flash that come when power has failed while the program changed it.
    pub(crate) fn handles_errors_of_flash(&self) -> bool {
        self.uses_flash && self.machine.board.value.settings.is_some_and(|settings| settings.kind.interrupts())
    }

    /// Whether variables keep their values to the end of their scopes.
    pub(crate) fn keeps_variables(&self) -> bool {
        self.debug == DebugInfo::Variables && self.optimisation.keeps_variables()
    }

    /// The job of compiling a program; the program's project supplies defaults. Reads the inputs of the linker.
    pub fn of(
        session: &Session,
        program: &Program,
        mut machine: Machine,
        choice: &CodeChoice,
        purpose: Purpose,
    ) -> Result<Job, Vec<Diagnostic>> {
        // Statistics are printed when a trap is reported, too.
        if choice.trap_messages || choice.statistics {
            machine.board.value.trap_messages = TrapMessages::Image;
        }
        if let Purpose::Library(_) = purpose {
            let pool = program.machine.as_ref().and_then(|machine| machine.pool.as_ref());
            library::adapt(&mut machine, pool.map(|pool| pool.value));
        }
        let link = link::read_inputs(&session.files, &program.link, &choice.link, &machine.target.value)?;
        let optimisation = choice.optimisation.or(program.optimisation).unwrap_or_default();
        Ok(Job {
            files: program.files.clone(),
            machine,
            optimisation,
            debug: if optimisation == Optimisation::Debugging { DebugInfo::Variables } else { choice.debug },
            statistics: choice.statistics,
            log_level: choice.log_level.or(program.log_level),
            link,
            purpose,
            uses_flash: false,
        })
    }
}
