//! A run's progress: a fold of its events.

use hatchery_core::Measure;

use super::event::{ProgressEvent, ProgressUpdate};
use crate::format::{clock, short};

/// The weight of the latest generation in the estimate of the next one's time.
const WEIGHT: f64 = 0.4;

/// The progress of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProgress {
    pub(super) generation: u32,
    pub(super) generations: u32,
    trials: u64,
    trials_done: u64,
    slots: u32,
    workers: u32,
    measures: Vec<Measure>,
    /// The start of the current generation.
    began_ms: u64,
    now_ms: u64,
    /// The duration of a generation, smoothed.
    generation_ms: Option<f64>,
    /// Trials done since the first event of this process, and the time of that event.
    n_observed: u64,
    first_ms: Option<u64>,
    /// True once a farm has reported the progress: earlier events are history.
    live: bool,
}

impl RunProgress {
    /// Applies an update.
    pub(super) fn apply(&mut self, ProgressUpdate { unix_ms, event }: &ProgressUpdate) {
        self.now_ms = (*unix_ms).max(self.now_ms);
        match event {
            ProgressEvent::Led { generation, generations } => {
                (self.generation, self.generations) = (*generation, *generations);
                self.began_ms = self.now_ms;
            }
            ProgressEvent::Planned { generation, trials, trials_done } => {
                self.generation = *generation;
                (self.trials, self.trials_done) = (*trials, *trials_done);
                self.began_ms = self.now_ms;
                self.first_ms.get_or_insert(self.now_ms);
            }
            ProgressEvent::TrialsDone { trials } => {
                self.trials_done += trials;
                self.n_observed += trials;
            }
            ProgressEvent::Folded { generation, measures } => {
                self.generation = generation.saturating_add(1);
                // A farm reports now and then how many trials are done, and never the last ones.
                self.n_observed += self.trials.saturating_sub(self.trials_done);
                (self.trials_done, self.trials) = (0, 0);
                self.measures.clone_from(measures);
                let took = as_f64(self.now_ms.saturating_sub(self.began_ms));
                let smooth = |known: f64| known + WEIGHT * (took - known);
                self.generation_ms = Some(self.generation_ms.map_or(took, smooth));
                self.began_ms = self.now_ms;
            }
            ProgressEvent::WorkerJoined { slots } => {
                self.workers += 1;
                self.slots += slots;
            }
            ProgressEvent::WorkerLeft { slots } => {
                self.workers = self.workers.saturating_sub(1);
                self.slots = self.slots.saturating_sub(*slots);
            }
            &ProgressEvent::Reported {
                generation,
                generations,
                trials,
                trials_done,
                workers,
                slots,
            } => {
                if !std::mem::replace(&mut self.live, true) {
                    (self.first_ms, self.n_observed) = (Some(self.now_ms), 0);
                } else if generation == self.generation {
                    self.n_observed += trials_done.saturating_sub(self.trials_done);
                }
                (self.generation, self.generations) = (generation, generations);
                (self.trials, self.trials_done) = (trials, trials_done);
                (self.workers, self.slots) = (workers, slots);
            }
            ProgressEvent::Other => {}
        }
    }

    /// Returns the share of the current generation that is done, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        as_f64(self.trials_done) / as_f64(self.trials.max(1))
    }

    /// Returns the trials per second since this process started.
    fn rate(&self) -> f64 {
        let ms = self.now_ms.saturating_sub(self.first_ms.unwrap_or(self.now_ms));
        as_f64(self.n_observed) * 1000.0 / as_f64(ms.max(1))
    }

    /// Estimates the seconds left, if that is possible yet.
    fn seconds_left(&self) -> Option<f64> {
        let elapsed = as_f64(self.now_ms.saturating_sub(self.began_ms));
        let share = self.share();
        let generation_ms = match self.generation_ms {
            Some(known) => known,
            None if 0.05 < share => elapsed / share,
            None => return None,
        };
        let generations_left = f64::from(self.generations.saturating_sub(self.generation)) - share;
        Some(generations_left.max(0.0) * generation_ms / 1000.0)
    }

    /// Formats the progress on one line.
    pub(super) fn line(&self) -> String {
        let mut parts = vec![format!("generation {}/{}", self.generation, self.generations)];
        parts.extend(self.measures.iter().take(2).map(|Measure { name, unit, value }| {
            format!("{} {} {unit}", name.replace('_', " "), short(value.point()))
                .trim_end()
                .to_owned()
        }));
        // At the end no time is left, and a command that came late has observed no trial.
        let is_over = self.generations != 0 && self.generations <= self.generation;
        if !is_over || 0.0 < self.rate() {
            parts.push(format!("{} trials/s", short(self.rate())));
        }
        let plural = if self.workers == 1 { "" } else { "s" };
        parts.push(format!("{} worker{plural}, {} slots", self.workers, self.slots));
        if let Some(seconds) = self.seconds_left().filter(|_| !is_over) {
            parts.push(format!("{} left", clock(seconds)));
        }
        parts.join(" · ")
    }
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use hatchery_coordinator::{Event, StampedEvent};
    use hatchery_proto::v1::RunStatus;

    use super::*;

    fn folded(progress: &mut RunProgress, events: Vec<(u64, Event)>) {
        for (unix_ms, event) in events {
            progress.apply(&ProgressUpdate::from(&StampedEvent { unix_ms, event }));
        }
    }

    #[test]
    fn the_line_is_a_fold_of_events() {
        let mut progress = RunProgress::default();
        let experiment = "pig".to_owned();
        let planned = |generation| Event::GenerationPlanned {
            generation,
            subjects: 4,
            trials: 1000,
            trials_done: 0,
        };
        let jobs = |trials| Event::JobsDone { generation: 0, jobs: 1, trials, cpu_ns: 1 };
        folded(
            &mut progress,
            vec![
                (
                    0,
                    Event::RunLed {
                        experiment,
                        version: 1,
                        seed: 1,
                        generation: 0,
                        generations: 4,
                    },
                ),
                (0, Event::WorkerJoined { worker: "local".to_owned(), slots: 2 }),
                (0, planned(0)),
                (5000, jobs(500)),
            ],
        );
        let half = "generation 0/4 · 100.0 trials/s · 1 worker, 2 slots · 0:35 left";
        assert_eq!(progress.line(), half);
        let measures = vec![
            Measure::new("best_fitness", "lines", 12_345.6),
            Measure::new("mean_fitness", "lines", 3.0),
            Measure::new("unseen", "", 3.0),
        ];
        let digest = String::new();
        let (jobs, trials, cpu_ns, work) = (2, 1000, 1, Vec::new());
        let generation = 0;
        folded(
            &mut progress,
            vec![
                (10_000, Event::JobsDone { generation, jobs, trials: 500, cpu_ns }),
                (
                    10_000,
                    Event::GenerationFolded {
                        generation,
                        jobs,
                        trials,
                        cpu_ns,
                        digest,
                        work,
                        measures,
                    },
                ),
                (10_000, planned(1)),
            ],
        );
        let line = "generation 1/4 · best fitness 12,346 lines · mean fitness 3.00 lines · \
                    100.0 trials/s · 1 worker, 2 slots · 0:30 left";
        assert_eq!(progress.line(), line);
    }

    #[test]
    fn a_report_counts_from_its_arrival() {
        let mut progress = RunProgress::default();
        let status = |generation, trials_done| RunStatus {
            generation,
            generations: 4,
            trials: 1000,
            trials_done,
            workers: 3,
            slots: 12,
            ..RunStatus::default()
        };
        let fold = |generation| Event::GenerationFolded {
            generation,
            jobs: 2,
            trials: 1000,
            cpu_ns: 1,
            digest: String::new(),
            work: Vec::new(),
            measures: Vec::new(),
        };
        // Events before the first report do not count for the rate.
        folded(&mut progress, vec![(1000, fold(0))]);
        progress.apply(&ProgressUpdate::from_status(60_000, &status(1, 400)));
        progress.apply(&ProgressUpdate::from_status(61_000, &status(1, 600)));
        let line = progress.line();
        assert!(line.contains("generation 1/4 · 200.0 trials/s · 3 workers, 12 slots"), "{line}");
        folded(&mut progress, vec![(62_000, fold(1))]);
        progress.apply(&ProgressUpdate::from_status(62_000, &status(2, 0)));
        let line = progress.line();
        assert!(line.contains("generation 2/4 · 300.0 trials/s"), "{line}");
    }

    #[test]
    fn a_run_that_has_ended_has_no_time_left() {
        let mut progress = RunProgress::default();
        let status = RunStatus { generation: 4, generations: 4, ..RunStatus::default() };
        progress.apply(&ProgressUpdate::from_status(60_000, &status));
        assert_eq!(progress.line(), "generation 4/4 · 0 workers, 0 slots");
    }
}
