//! Tools of this machine that a trial needs: without one the trial is ignored, and says why.

use libtest_mimic::Trial;

pub(crate) use clef_oracle::process::find;

/// A trial that cannot be made for want of something.
pub(crate) fn ignored(trial: Trial, missing: &str) -> Trial {
    trial.with_ignored_flag(true).with_kind(format!("no {missing}"))
}
