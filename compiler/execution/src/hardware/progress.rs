//! Bars that show how programming goes on: on terminals only.

use super::interrupt;
use clef_probe::{Progress, Step};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for each step.
pub(super) struct Bars {
    screen: MultiProgress,
    bars: Vec<(Step, ProgressBar)>,
    /// Whether it has been said what an interrupt does.
    is_interrupted: bool,
}

/// What an interrupt does, and what does not take place for it.
const INTERRUPTED: &str = "interrupted; the flash is brought to its end first, so that it does not hold a part of an image; interrupt \
                           again to stop at once";

impl Bars {
    /// No bars yet. Where standard error is no terminal, none are ever seen.
    pub(super) fn new() -> Bars {
        Bars::on(ProgressDrawTarget::stderr())
    }

    /// Bars that nobody sees.
    pub(super) fn hidden() -> Bars {
        Bars::on(ProgressDrawTarget::hidden())
    }

    fn on(target: ProgressDrawTarget) -> Bars {
        Bars { screen: MultiProgress::with_draw_target(target), bars: Vec::new(), is_interrupted: false }
    }

    /// Shows a step that has been planned, has gone on, or is done.
    pub(super) fn show(&mut self, progress: Progress) {
        if interrupt::has_come() && !self.is_interrupted {
            self.is_interrupted = true;
            // Where there are no bars, there is nobody to tell.
            let _ = self.screen.println(INTERRUPTED);
        }
        match progress {
            Progress::Planned(step, bytes) => match self.bar(step) {
                Some(bar) => bar.inc_length(bytes.unwrap_or(0)),
                None => self.add(step, bytes),
            },
            Progress::Advanced(step, bytes) => self.bar(step).into_iter().for_each(|bar| bar.inc(bytes)),
            Progress::Finished(step) => self.bar(step).into_iter().for_each(ProgressBar::finish),
        }
    }

    /// Removes what is left of them.
    pub(super) fn end(self) {
        self.bars.iter().for_each(|(_, bar)| bar.finish_and_clear());
    }

    fn bar(&self, step: Step) -> Option<&ProgressBar> {
        self.bars.iter().find(|(of, _)| *of == step).map(|(_, bar)| bar)
    }

    fn add(&mut self, step: Step, bytes: Option<u64>) {
        let bar = match bytes {
            Some(bytes) => ProgressBar::new(bytes).with_style(style("{prefix:>12} [{bar:40}] {bytes}/{total_bytes}")),
            None => ProgressBar::new_spinner().with_style(style("{prefix:>12} {spinner}")),
        };
        let bar = self.screen.add(bar).with_prefix(match step {
            Step::Erase => "erasing",
            Step::Program => "programming",
            Step::Verify => "verifying",
        });
        self.bars.push((step, bar));
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
