//! The progress of a run.

use std::time::Duration;

use hatchery_proto::v1::GenerationPhase;

use super::{RunMachine, RunPhase, SimulationPhase};
use crate::run::record::{CostTotals, LEAST_PENDING_MS, LiveProgress};
use crate::run::time_left::{ClassProgress, GenerationProgress, share_done};

impl RunMachine {
    /// Returns the progress of the run.
    #[must_use]
    pub fn progress(&self) -> LiveProgress {
        let (generation, generations) = (self.generation, self.generations);
        let CostTotals { trials, cpu_ns, .. } = self.checkpoint.total;
        let (trials_total, cpu_ns_total) = (trials, cpu_ns);
        let mut live = LiveProgress {
            generation,
            generations,
            trials_total,
            cpu_ns_total,
            ..LiveProgress::default()
        };
        live.set_phase(match &self.phase {
            RunPhase::Planning => GenerationPhase::Planning,
            RunPhase::Simulating(_) => GenerationPhase::Computing,
            RunPhase::Folding(_) => GenerationPhase::Folding,
            RunPhase::Ended => GenerationPhase::Unspecified,
        });
        if let RunPhase::Simulating(now) | RunPhase::Folding(now) = &self.phase {
            (live.trials, live.trials_done) = (now.n_trials, now.n_trials_done());
            live.trials_total = live.trials_total.saturating_add(live.trials_done);
            live.cpu_ns_total = live.cpu_ns_total.saturating_add(now.ledger.spent().cpu_ns);
        }
        if let RunPhase::Simulating(now) = &self.phase {
            live.jobs_parked = now.n_parked;
            live.jobs_open = now.n_unresolved().saturating_sub(now.n_parked);
        }
        if !self.has_ended() {
            let n_trials_left = live.trials.saturating_sub(live.trials_done);
            let pending_ms = self.cpu_left(n_trials_left).as_millis();
            live.pending_ms = u64::try_from(pending_ms).unwrap_or(u64::MAX).max(LEAST_PENDING_MS);
        }
        live
    }

    /// Returns the cost of the current generation so far, at time `now`; `None` while it is
    /// planned.
    #[must_use]
    pub fn generation_progress(&self, now: Duration) -> Option<GenerationProgress> {
        let (RunPhase::Simulating(simulating) | RunPhase::Folding(simulating)) = &self.phase else {
            return None;
        };
        let spent = simulating.ledger.spent();
        let before = Duration::from_nanos(self.checkpoint.spent.elapsed_ns);
        let n_alone = spent.alone_trials + simulating.ledger.n_alone_left();
        let alone = ClassProgress {
            trials: n_alone,
            trials_done: spent.alone_trials,
            cpu: Duration::from_nanos(spent.alone_cpu_ns),
            cpu_per_trial: self.alone_pace.cpu_per_trial(),
        };
        let cpu = Duration::from_nanos(spent.cpu_ns);
        let pooled = ClassProgress {
            trials: simulating.n_trials.saturating_sub(n_alone),
            trials_done: spent.trials.saturating_sub(spent.alone_trials),
            cpu: cpu.saturating_sub(alone.cpu),
            cpu_per_trial: None,
        };
        Some(GenerationProgress {
            generation: self.generation,
            trials: simulating.n_trials,
            share: share_done(pooled, alone),
            cpu,
            elapsed: before.saturating_add(now.saturating_sub(self.clock)),
        })
    }

    /// Returns the CPU time for the remaining `n_trials` of the generation.
    fn cpu_left(&self, n_trials: u64) -> Duration {
        let (RunPhase::Simulating(now) | RunPhase::Folding(now)) = &self.phase else {
            return Duration::ZERO;
        };
        let n_alone = now.ledger.n_alone_left().min(n_trials);
        self.pace.cpu_time(n_trials - n_alone).saturating_add(self.alone_pace.cpu_time(n_alone))
    }
}

impl SimulationPhase {
    /// Returns the number of trials done: the trials in the ledger, plus an estimate for the
    /// resolved jobs that wait for an earlier job. Each such job counts as an average job.
    fn n_trials_done(&self) -> u64 {
        let (absorbed, n_absorbed) = (self.ledger.spent().trials, self.ledger.n_jobs());
        let n_enqueued = self.n_trials.saturating_sub(self.cutter.n_trials_left());
        let n_open = n_enqueued.saturating_sub(absorbed.saturating_add(self.ledger.n_missing()));
        let n_jobs = self.cursor.saturating_sub(n_absorbed).max(1);
        let n_ahead = self.n_resolved.saturating_sub(n_absorbed).min(n_jobs);
        let ahead = u128::from(n_open) * u128::from(n_ahead) / u128::from(n_jobs);
        absorbed.saturating_add(u64::try_from(ahead).unwrap_or(u64::MAX))
    }
}
