//! Progress on standard error.

use std::io::IsTerminal;

use hatchery_coordinator::{Event, Stamped};
use hatchery_proto::v1::RunStatus;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::fold::Progress;
use crate::terminal::print_status;

/// How long plain progress lines are apart, at least; and how long at most, where a farm says how
/// a long generation goes on.
const LINE_EVERY_MS: u64 = 2000;
const STATUS_LINE_EVERY_MS: u64 = 10_000;

/// Shows progress on standard error: a bar on a terminal, a line now and then elsewhere.
#[derive(Debug)]
pub(crate) struct Display {
    progress: Progress,
    bar: Option<ProgressBar>,
    line_at_ms: u64,
}

impl Display {
    /// A display; one that shows nothing if `quiet`.
    pub(crate) fn new(quiet: bool) -> Option<Self> {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30.cyan/blue} {msg}")
                .expect("the template is valid");
            ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr()).with_style(style)
        });
        (!quiet).then(|| Self { progress: Progress::default(), bar, line_at_ms: 0 })
    }

    /// Takes in an event, and shows what it changed.
    pub(crate) fn apply(&mut self, stamped: &Stamped) {
        self.progress.apply(stamped);
        if matches!(stamped.event, Event::GenerationFolded { .. }) {
            self.show(stamped.unix_ms, LINE_EVERY_MS);
        } else {
            self.show_bar();
        }
    }

    /// Takes in an event of the past, and shows nothing.
    pub(crate) fn catch_up(&mut self, stamped: &Stamped) {
        self.progress.apply(stamped);
    }

    /// Takes in how a farm says that the run is at `now_ms`, and shows it.
    pub(crate) fn observe(&mut self, now_ms: u64, status: &RunStatus) {
        self.progress.observe(now_ms, status);
        self.show(now_ms, STATUS_LINE_EVERY_MS);
    }

    /// Says something in a line of its own.
    pub(crate) fn note(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_status(line)),
            None => print_status(line),
        }
    }

    /// Shows the bar, or a line if the last one is `line_every_ms` ago.
    fn show(&mut self, now_ms: u64, line_every_ms: u64) {
        self.show_bar();
        if self.bar.is_none() && self.line_at_ms.saturating_add(line_every_ms) <= now_ms {
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

    /// Takes the bar away, so that what follows stands alone.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
