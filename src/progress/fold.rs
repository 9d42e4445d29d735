//! A run's progress: a fold of its events.

use std::time::Duration;

use hatchery_coordinator::run::time_left::{
    ClassProgress, GenerationCost, GenerationProgress, RecentRate, TimeLeft, TimeRange, share_done,
};
use hatchery_core::Measure;
use hatchery_core::text::{counted, time_span};

use super::event::{ProgressEvent, ProgressUpdate};
use crate::format::{as_f64, measured, short, time_range};

/// The progress of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProgress {
    pub(super) generation: u32,
    pub(super) generations: u32,
    trials: u64,
    trials_done: u64,
    /// Trials in progress, each counted by the share that is done.
    trials_in_progress: f64,
    slots: u32,
    workers: u32,
    measures: Vec<Measure>,
    /// Whether the current generation is being folded.
    is_folding: bool,
    is_paused: bool,
    now_ms: u64,
    /// When the run was first led, if this process has learned it.
    began_ms: Option<u64>,
    /// Trials done since the first event of this process.
    n_observed: u64,
    rate: RecentRate,
    /// The estimator of the time left; a farm has its own.
    time_left: Option<TimeLeft>,
    /// The rate and the time left that a farm reported.
    reported: (Option<f64>, Option<TimeRange>),
    /// `None` before the run is led.
    current: Option<CurrentGeneration>,
    /// The CPU time of a long trial.
    alone_cpu: Option<Duration>,
    /// True once a farm has reported the progress: earlier events are history.
    live: bool,
}

/// The part of the current generation that this process has seen.
#[derive(Clone, Copy, Debug, Default)]
struct CurrentGeneration {
    /// The time of the fold before, or that at which the run was led.
    began_ms: u64,
    /// The trials that were done before.
    n_before: u64,
    cpu_ns: u64,
    /// The long trials that were not done before, and how many are done now.
    n_alone: u64,
    n_alone_done: u64,
    alone_cpu_ns: u64,
}

impl CurrentGeneration {
    /// Counts trials that are done.
    fn count(&mut self, trials: u64, cpu_ns: u64, alone: bool) {
        self.cpu_ns = self.cpu_ns.saturating_add(cpu_ns);
        if alone {
            self.n_alone_done += trials;
            self.alone_cpu_ns = self.alone_cpu_ns.saturating_add(cpu_ns);
        }
    }

    /// Returns the mean CPU time of the long trials that are done; `None` if no long trial is done.
    fn alone_cpu(&self) -> Option<Duration> {
        let cpu_ns = self.alone_cpu_ns.checked_div(self.n_alone_done);
        cpu_ns.map(Duration::from_nanos)
    }
}

impl RunProgress {
    /// Returns the progress before the first event of a run whose time left is estimated by
    /// `time_left`, which has seen the generations folded by earlier processes.
    pub(super) fn new(time_left: TimeLeft) -> Self {
        Self { time_left: Some(time_left), ..Self::default() }
    }

    /// Applies an update.
    pub(super) fn apply(&mut self, ProgressUpdate { unix_ms, event }: &ProgressUpdate) {
        self.now_ms = (*unix_ms).max(self.now_ms);
        match event {
            ProgressEvent::Folding => {
                self.is_folding = true;
                self.observe();
            }
            ProgressEvent::Paused => self.is_paused = true,
            ProgressEvent::Resumed => self.is_paused = false,
            ProgressEvent::Led { generation, generations } => {
                (self.is_folding, self.is_paused) = (false, false);
                (self.generation, self.generations) = (*generation, *generations);
                self.began_ms = self.began_ms.or(Some(*unix_ms));
                self.begin_generation();
            }
            ProgressEvent::Planned { generation, trials, trials_done, alone_trials } => {
                self.generation = *generation;
                (self.trials, self.trials_done) = (*trials, *trials_done);
                if let Some(current) = &mut self.current {
                    current.n_before = *trials_done;
                    // They are the first of a generation.
                    current.n_alone = alone_trials.saturating_sub(*trials_done);
                }
                self.observe();
            }
            ProgressEvent::TrialsDone { trials, cpu_ns, alone } => {
                self.trials_done += trials;
                self.n_observed += trials;
                if let Some(current) = &mut self.current {
                    current.count(*trials, *cpu_ns, *alone);
                    self.alone_cpu = current.alone_cpu().or(self.alone_cpu);
                }
                self.observe();
            }
            ProgressEvent::InProgress { trials } => {
                self.trials_in_progress = *trials;
                self.observe();
            }
            ProgressEvent::Folded { generation, trials, cpu_ns, measures } => {
                self.generation = generation.saturating_add(1);
                self.is_folding = false;
                // A farm reports now and then how many trials are done, and never the last ones.
                self.n_observed += self.trials.saturating_sub(self.trials_done);
                (self.trials_done, self.trials, self.trials_in_progress) = (0, 0, 0.0);
                self.measures.clone_from(measures);
                self.rate.observe(Duration::from_millis(self.now_ms), self.n_observed);
                let (generation, trials) = (*generation, *trials);
                let cpu = Duration::from_nanos(*cpu_ns);
                if let (Some(elapsed), Some(time_left)) = (self.elapsed(), &mut self.time_left) {
                    time_left.folded(GenerationCost { generation, trials, cpu, elapsed });
                }
                self.begin_generation();
            }
            ProgressEvent::WorkerJoined { slots } => {
                self.workers += 1;
                self.slots += slots;
            }
            ProgressEvent::WorkerLeft { slots } => {
                self.workers = self.workers.saturating_sub(1);
                self.slots = self.slots.saturating_sub(*slots);
            }
            reported @ ProgressEvent::Reported { .. } => self.report(reported),
            ProgressEvent::Other => self.observe(),
        }
    }

    /// Applies a farm's report.
    fn report(&mut self, event: &ProgressEvent) {
        let &ProgressEvent::Reported {
            generation,
            generations,
            trials,
            trials_done,
            trials_in_progress,
            workers,
            slots,
            rate,
            time_left,
            is_folding,
            is_paused,
            started_unix_ms,
        } = event
        else {
            return;
        };
        self.began_ms = started_unix_ms.or(self.began_ms);
        self.reported = (rate, time_left);
        if !std::mem::replace(&mut self.live, true) {
            (self.rate, self.n_observed) = (RecentRate::default(), 0);
        } else if generation == self.generation {
            self.n_observed += trials_done.saturating_sub(self.trials_done);
        }
        (self.generation, self.generations) = (generation, generations);
        (self.trials, self.trials_done) = (trials, trials_done);
        self.trials_in_progress = trials_in_progress;
        (self.workers, self.slots) = (workers, slots);
        (self.is_folding, self.is_paused) = (is_folding, is_paused);
        self.observe();
    }

    fn begin_generation(&mut self) {
        let current = CurrentGeneration { began_ms: self.now_ms, ..CurrentGeneration::default() };
        self.current = Some(current);
    }

    /// Takes note of the trials that are done now.
    fn observe(&mut self) {
        self.rate.observe(Duration::from_millis(self.now_ms), self.n_observed);
        // The time before the run is led is no time of a generation.
        let (Some(elapsed), Some(current)) = (self.elapsed(), self.current) else { return };
        // The cost of trials that an earlier process had done is not known here.
        let trials = self.trials.saturating_sub(current.n_before);
        let (generation, cpu) = (self.generation, Duration::from_nanos(current.cpu_ns));
        let alone = ClassProgress {
            trials: current.n_alone,
            trials_done: current.n_alone_done,
            cpu: Duration::from_nanos(current.alone_cpu_ns),
            cpu_per_trial: self.alone_cpu,
        };
        let n_done = self.trials_done.saturating_sub(current.n_before);
        let pooled = ClassProgress {
            trials: trials.saturating_sub(alone.trials),
            trials_done: n_done.saturating_sub(alone.trials_done),
            cpu: cpu.saturating_sub(alone.cpu),
            cpu_per_trial: None,
        };
        let share = share_done(pooled, alone);
        if let Some(time_left) = &mut self.time_left {
            time_left.progressed(GenerationProgress { generation, trials, share, cpu, elapsed });
        }
    }

    /// Returns the time since the fold before, or since the run was led; `None` before that.
    fn elapsed(&self) -> Option<Duration> {
        let current = self.current?;
        Some(Duration::from_millis(self.now_ms.saturating_sub(current.began_ms)))
    }

    /// Returns the share of the current generation that is done, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        (as_f64(self.trials_done) + self.trials_in_progress) / as_f64(self.trials.max(1))
    }

    /// Returns the time left, if it can be told yet.
    pub(super) fn time_left(&self) -> Option<TimeRange> {
        self.reported.1.or_else(|| self.time_left.as_ref().and_then(TimeLeft::range))
    }

    /// Returns true once the run is led, or a farm has reported on it: before that, there is
    /// nothing to show.
    pub(super) fn has_begun(&self) -> bool {
        self.live || self.generations != 0
    }

    /// Formats the progress on one line of at most `columns`: the least important parts are left
    /// out where it would be longer.
    pub(super) fn line(&self, columns: usize) -> String {
        let mut line = String::new();
        let mut n_columns = 0;
        for part in self.parts() {
            let separator = if line.is_empty() { "" } else { " · " };
            n_columns += separator.chars().count() + part.chars().count();
            if columns < n_columns {
                break;
            }
            line.push_str(separator);
            line.push_str(&part);
        }
        line
    }

    /// Returns the parts of the line, the most important first.
    fn parts(&self) -> Vec<String> {
        let mut parts = vec![format!("generation {}/{}", self.generation, self.generations)];
        parts.extend(self.is_folding.then(|| "folding".to_owned()));
        parts.extend(self.is_paused.then(|| "paused".to_owned()));
        parts.extend(self.began_ms.map(|began_ms| {
            let elapsed_ms = self.now_ms.saturating_sub(began_ms);
            format!(
                "{} elapsed",
                time_span(Duration::from_millis(elapsed_ms).as_secs_f64().floor())
            )
        }));
        // At the end no time is left, and a command that came late has observed no trial.
        let is_over = self.generations != 0 && self.generations <= self.generation;
        if let Some(range) = self.time_left().filter(|_| !is_over && !self.is_paused) {
            parts.push(format!("{} left", time_range(range)));
        }
        if 0.0 < self.trials_in_progress {
            parts.push(format!("{:.2} trials in progress", self.trials_in_progress));
        }
        parts.extend(self.measures.iter().take(2).map(|Measure { name, unit, value, .. }| {
            format!("{} {} {unit}", name.replace('_', " "), measured(*value)).trim_end().to_owned()
        }));
        let rate = self.reported.0.or_else(|| self.rate.per_second());
        if let Some(rate) = rate.filter(|rate| !self.is_paused && (!is_over || 0.0 < *rate)) {
            parts.push(format!("{} trials/s", short(rate)));
        }
        let (workers, slots) = (counted(self.workers, "worker"), self.slots);
        parts.push(format!("{workers}, {}", counted(slots, "slot")));
        parts
    }
}

#[cfg(test)]
mod tests {
    use hatchery_coordinator::{Event, StampedEvent};
    use hatchery_proto::v1::{self, RunStatus};

    use super::*;

    fn folded(progress: &mut RunProgress, events: Vec<(u64, Event)>) {
        for (unix_ms, event) in events {
            progress.apply(&ProgressUpdate::from(&StampedEvent { unix_ms, event }));
        }
    }

    #[test]
    fn a_paused_run_says_so_and_has_no_time_left() {
        let mut progress = RunProgress::new(TimeLeft::new(4, Vec::new()));
        let led = Event::RunLed {
            experiment: "pig".to_owned(),
            version: 1,
            seed: 1,
            generation: 1,
            generations: 4,
        };
        let paused = Event::RunPaused { reason: "by a person".to_owned(), trial: None };
        folded(&mut progress, vec![(0, led), (2000, paused)]);
        let said = progress.line(usize::MAX);
        assert_eq!(said, "generation 1/4 · paused · 2s elapsed · 0 workers, 0 slots");
        folded(&mut progress, vec![(3000, Event::RunResumed)]);
        assert!(!progress.line(usize::MAX).contains("paused"));
        // Of a run that has ended, the time that it took.
        let status = RunStatus {
            generation: 4,
            generations: 4,
            started_unix_ms: 1000,
            ended_unix_ms: 35_000,
            ..RunStatus::default()
        };
        let mut progress = RunProgress::default();
        progress.apply(&ProgressUpdate::from_status(99_000, &status));
        assert!(progress.line(usize::MAX).starts_with("generation 4/4 · 34s elapsed"));
    }

    #[test]
    fn the_line_is_a_fold_of_events() {
        let mut progress = RunProgress::new(TimeLeft::new(4, Vec::new()));
        let experiment = "pig".to_owned();
        let planned = |generation| Event::GenerationPlanned {
            generation,
            subjects: 4,
            trials: 1000,
            trials_done: 0,
            alone_trials: 0,
        };
        let cpu_ns = 8_000_000_000;
        let alone = false;
        let jobs = |trials| Event::JobsDone { generation: 0, jobs: 1, trials, cpu_ns, alone };
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
        let half = "generation 0/4 · 5s elapsed · 20s to 1m left · 100.0 trials/s · 1 worker, \
                    2 slots";
        assert_eq!(progress.line(usize::MAX), half);
        let measures = vec![
            Measure::new("best_fitness", "lines", 12_345.6),
            Measure::new("mean_fitness", "lines", 3.0),
            Measure::new("unseen", "", 3.0),
        ];
        let digest = String::new();
        let done = jobs(500);
        let (jobs, trials, cpu_ns, work) = (2, 1000, 2 * cpu_ns, Vec::new());
        let generation = 0;
        folded(
            &mut progress,
            vec![
                (10_000, done),
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
        let line = "generation 1/4 · 10s elapsed · 17s to 55s left · best fitness 12,346 lines \
                    · mean fitness 3.00 lines · 100.0 trials/s · 1 worker, 2 slots";
        assert_eq!(progress.line(usize::MAX), line);
    }

    #[test]
    fn no_part_of_the_line_is_cut_in_two() {
        let mut progress = RunProgress::default();
        let measures =
            vec![Measure::new("best", "lines", 12_345.6), Measure::new("mean", "lines", 3.0)];
        let (generation, started_unix_ms) = (1, 50_000);
        let status =
            RunStatus { generation, generations: 4, started_unix_ms, ..Default::default() };
        progress.apply(&ProgressUpdate::from_status(62_000, &status));
        progress.measures = measures;
        let whole = progress.line(usize::MAX);
        let parts = "generation 1/4 · 12s elapsed · best 12,346 lines · mean 3.00 lines";
        assert!(whole.starts_with(parts), "{whole}");
        for columns in 15..=200 {
            let short = progress.line(columns);
            assert!(short.chars().count() <= columns, "{columns}: {short}");
            let rest = whole.strip_prefix(short.as_str());
            assert!(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" · ")), "{short}");
        }
        assert_eq!(progress.line(39), "generation 1/4 · 12s elapsed");
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
        let line = progress.line(usize::MAX);
        assert!(line.contains("generation 1/4 · 200.0 trials/s · 3 workers, 12 slots"), "{line}");
        folded(&mut progress, vec![(62_000, fold(1))]);
        progress.apply(&ProgressUpdate::from_status(62_000, &status(2, 0)));
        let line = progress.line(usize::MAX);
        assert!(line.contains("generation 2/4 · 300.0 trials/s"), "{line}");
    }

    #[test]
    fn the_line_says_that_a_fold_takes_long() {
        let mut progress = RunProgress::default();
        let folding = Event::GenerationFolding { generation: 0, bytes: 9 };
        folded(&mut progress, vec![(1000, folding)]);
        assert_eq!(progress.line(usize::MAX), "generation 0/0 · folding · 0 workers, 0 slots");
        let phase = v1::GenerationPhase::Computing.into();
        let status = RunStatus { generations: 2, phase, ..RunStatus::default() };
        progress.apply(&ProgressUpdate::from_status(2000, &status));
        assert_eq!(progress.line(usize::MAX), "generation 0/2 · 0 workers, 0 slots");
    }

    #[test]
    fn a_run_that_has_ended_has_no_time_left() {
        let mut progress = RunProgress::default();
        let status = RunStatus { generation: 4, generations: 4, ..RunStatus::default() };
        progress.apply(&ProgressUpdate::from_status(60_000, &status));
        assert_eq!(progress.line(usize::MAX), "generation 4/4 · 0 workers, 0 slots");
    }
}
