//! Tools that a trial needs: if one is missing, the trial is ignored, and says why.

use libtest_mimic::Trial;

pub(crate) use clef_oracle::process::find;

/// Marks a trial as ignored, because something is missing.
pub(crate) fn ignored(trial: Trial, missing: &str) -> Trial {
    trial.with_ignored_flag(true).with_kind(format!("no {missing}"))
}
