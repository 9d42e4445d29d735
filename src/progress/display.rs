//! Progress on standard error.

use std::io::IsTerminal;

use hatchery_coordinator::time_left::TimeLeft;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::event::{ProgressEvent, ProgressUpdate};
use super::fold::RunProgress;
use crate::terminal::print_status;

/// The shortest interval between plain lines after generations, and after a farm's reports during a
/// long generation.
const LINE_INTERVAL_MS: u64 = 2000;
const REPORT_LINE_INTERVAL_MS: u64 = 10_000;

/// Shows progress on standard error: a bar on a terminal, a line now and then elsewhere.
#[derive(Debug)]
pub(crate) struct ProgressDisplay {
    progress: RunProgress,
    bar: Option<ProgressBar>,
    line_at_ms: u64,
}

impl ProgressDisplay {
    /// Creates a display, or none if `quiet`.
    pub(crate) fn new(quiet: bool) -> Option<Self> {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30.cyan/blue} {msg}")
                .expect("the template is valid");
            ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr()).with_style(style)
        });
        (!quiet).then(|| Self { progress: RunProgress::default(), bar, line_at_ms: 0 })
    }

    /// Shows the time that `time_left` estimates from the events of the run.
    pub(crate) fn with_time_left(mut self, time_left: TimeLeft) -> Self {
        self.progress = RunProgress::new(time_left);
        self
    }

    /// Applies an update, and shows what it changed.
    pub(crate) fn apply(&mut self, update: &ProgressUpdate) {
        self.progress.apply(update);
        match update.event {
            ProgressEvent::Folding | ProgressEvent::Folded { .. } => {
                self.show(update.unix_ms, LINE_INTERVAL_MS);
            }
            ProgressEvent::Reported { .. } => self.show(update.unix_ms, REPORT_LINE_INTERVAL_MS),
            _ => self.show_bar(),
        }
    }

    /// Applies an update of the past, and shows nothing.
    pub(crate) fn catch_up(&mut self, update: &ProgressUpdate) {
        self.progress.apply(update);
    }

    /// Prints a line of its own.
    pub(crate) fn note(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_status(line)),
            None => print_status(line),
        }
    }

    /// Shows the bar, or a line if the last one is at least `interval_ms` ago.
    fn show(&mut self, now_ms: u64, interval_ms: u64) {
        self.show_bar();
        if self.bar.is_none() && self.line_at_ms.saturating_add(interval_ms) <= now_ms {
            self.line_at_ms = now_ms;
            print_status(&self.progress.line());
        }
    }

    fn show_bar(&self) {
        const STEPS_PER_GENERATION: u64 = 1000;
        let (Some(bar), progress) = (&self.bar, &self.progress) else { return };
        #[expect(clippy::cast_precision_loss, reason = "a small constant")]
        let steps = progress.share().clamp(0.0, 1.0) * STEPS_PER_GENERATION as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share from 0 to 1, in steps"
        )]
        let steps = steps as u64;
        bar.set_length(u64::from(progress.generations) * STEPS_PER_GENERATION);
        bar.set_position(u64::from(progress.generation) * STEPS_PER_GENERATION + steps);
        bar.set_message(progress.line());
    }

    /// Removes the bar, so that what follows stands alone.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
