//! Tools of this machine that a trial needs: without one the trial is ignored, and says why.

use libtest_mimic::Trial;
use std::path::PathBuf;

/// The file of a program on the search path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}

/// A trial that cannot be made for want of something.
pub(crate) fn ignored(trial: Trial, missing: &str) -> Trial {
    trial.with_ignored_flag(true).with_kind(format!("no {missing}"))
}
