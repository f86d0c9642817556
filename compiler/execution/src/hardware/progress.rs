//! Progress bars for programming: on terminals only.

use super::interrupt;
use clef_probe::{Progress, Step};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for each step.
pub(super) struct Bars {
    screen: MultiProgress,
    bars: Vec<(Step, ProgressBar)>,
    /// Whether the effect of an interrupt has been shown.
    is_interrupted: bool,
}

/// The message that explains the effect of an interrupt.
const INTERRUPTED: &str = "interrupted; programming the flash continues, so that it does not contain an incomplete \
                           image; interrupt again to stop immediately";

impl Bars {
    /// No bars yet. If standard error is no terminal, none are shown.
    pub(super) fn new() -> Bars {
        Bars::on(ProgressDrawTarget::stderr())
    }

    /// Invisible bars.
    pub(super) fn hidden() -> Bars {
        Bars::on(ProgressDrawTarget::hidden())
    }

    fn on(target: ProgressDrawTarget) -> Bars {
        Bars { screen: MultiProgress::with_draw_target(target), bars: Vec::new(), is_interrupted: false }
    }

    /// Shows a step that is planned, in progress, or done.
    pub(super) fn show(&mut self, progress: Progress) {
        if interrupt::has_come() && !self.is_interrupted {
            self.is_interrupted = true;
            // If there are no bars, nobody can be told.
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

    /// Removes the bars.
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
