//! Progress on standard error.

use hatchery_coordinator::run::time_left::TimeLeft;
use indicatif::{ProgressBar, ProgressStyle};

use super::event::ProgressUpdate;
use super::fold::RunProgress;
use crate::terminal::{is_renewable, print_status, progress_target, set_progress, stderr_columns};

/// The interval between lines where there is no terminal.
const LINE_INTERVAL_MS: u64 = 10_000;

/// The columns that the text gets before there is a bar, and the width of the bar.
const TEXT_COLUMNS: usize = 90;
const BAR_COLUMNS: usize = 30;

/// The narrowest bar that is of use.
const MIN_BAR_COLUMNS: usize = 5;

/// Shows progress on standard error: one line that is renewed on a terminal, and a line of its own
/// every ten seconds elsewhere.
#[derive(Debug)]
pub(crate) struct ProgressDisplay {
    progress: RunProgress,
    bar: Option<ProgressBar>,
    lines: LineSchedule,
}

/// The times of lines where there is no terminal.
#[derive(Debug, Default)]
struct LineSchedule {
    last_ms: Option<u64>,
}

impl LineSchedule {
    /// Returns true if a line is due at `now_ms`, and then records `now_ms` as the time of the last
    /// line.
    fn is_due(&mut self, now_ms: u64) -> bool {
        let next_ms = self.last_ms.map_or(0, |last_ms| last_ms.saturating_add(LINE_INTERVAL_MS));
        let is_due = next_ms <= now_ms;
        if is_due {
            self.last_ms = Some(now_ms);
        }
        is_due
    }
}

impl ProgressDisplay {
    /// Creates a display, or none if `quiet`.
    pub(crate) fn new(quiet: bool) -> Option<Self> {
        let bar = (!quiet && is_renewable(&std::io::stderr())).then(|| {
            // It is empty before the run begins.
            let bar = ProgressBar::with_draw_target(Some(1), progress_target());
            bar.with_style(style(0))
        });
        set_progress(bar.clone());
        let (progress, lines) = (RunProgress::default(), LineSchedule::default());
        (!quiet).then_some(Self { progress, bar, lines })
    }

    /// Shows the time that `time_left` estimates from the events of the run.
    pub(crate) fn with_time_left(mut self, time_left: TimeLeft) -> Self {
        self.progress = RunProgress::new(time_left);
        self
    }

    /// Applies an update, and shows its changes.
    pub(crate) fn apply(&mut self, update: &ProgressUpdate) {
        self.progress.apply(update);
        if !self.progress.has_begun() {
            return;
        }
        match &self.bar {
            Some(bar) => show_bar(bar, &self.progress),
            None if self.lines.is_due(update.unix_ms) => {
                print_status(&self.progress.line(usize::MAX));
            }
            None => {}
        }
    }

    /// Applies an update of the past, and shows nothing.
    pub(crate) fn catch_up(&mut self, update: &ProgressUpdate) {
        self.progress.apply(update);
    }

    /// Removes the bar, so that it does not mix with later output.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            set_progress(None);
        }
    }
}

impl Drop for ProgressDisplay {
    /// Removes the bar also where the command is interrupted: nothing draws it again.
    fn drop(&mut self) {
        self.finish();
    }
}

/// Shows `progress` on the line of `bar`, which fits the terminal as it is now.
fn show_bar(bar: &ProgressBar, progress: &RunProgress) {
    const STEPS_PER_GENERATION: u64 = 1000;
    let (bar_columns, text_columns) = layout(stderr_columns().into());
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    let steps = progress.share().clamp(0.0, 1.0) * STEPS_PER_GENERATION as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share from 0 to 1, in steps"
    )]
    let steps = steps as u64;
    bar.set_style(style(bar_columns));
    bar.set_length(u64::from(progress.generations) * STEPS_PER_GENERATION);
    bar.set_position(u64::from(progress.generation) * STEPS_PER_GENERATION + steps);
    bar.set_message(progress.line(text_columns));
}

/// Returns the style of a line with a bar of this width, or without one.
fn style(bar_columns: usize) -> ProgressStyle {
    let template = match bar_columns {
        0 => "{msg}".to_owned(),
        _ => format!("{{bar:{bar_columns}.cyan/blue}} {{msg}}"),
    };
    ProgressStyle::with_template(&template).expect("the template is valid")
}

/// Divides the columns of a terminal between the bar and the text after it. The last column stays
/// free: terminals differ in their behavior after it.
fn layout(columns: usize) -> (usize, usize) {
    let columns = columns.saturating_sub(1);
    match columns.saturating_sub(TEXT_COLUMNS + 1).min(BAR_COLUMNS) {
        ..MIN_BAR_COLUMNS => (0, columns),
        bar_columns => (bar_columns, columns - bar_columns - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_printed_every_ten_seconds() {
        let mut lines = LineSchedule::default();
        let due: Vec<_> = (0..60).filter(|second| lines.is_due(7_000 + second * 500)).collect();
        assert_eq!(due, [0, 20, 40]);
    }

    #[test]
    fn the_line_fits_every_terminal() {
        for columns in 0..=200 {
            let (bar, text) = layout(columns);
            let used = if bar == 0 { text } else { bar + 1 + text };
            assert!(used < columns.max(1), "{columns}: {bar} and {text}");
        }
        assert_eq!([40, 80, 200].map(layout), [(0, 39), (0, 79), (30, 168)]);
    }
}
