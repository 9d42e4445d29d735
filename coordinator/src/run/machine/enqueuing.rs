//! Enqueues jobs: first the jobs of long trials, then as many jobs as the slots can use soon.

use std::collections::VecDeque;

use hatchery_core::SeriesClass;
use hatchery_store::EnqueueBatch;
use prost::Message;

use super::{MachineEffect, RunMachine, RunPhase, SimulationPhase};
use crate::run::cutter::Cut;
use crate::run::cutter::sizer::BatchSize;

/// The most jobs between `folded` and `cursor`, whatever the size of a generation. So the store
/// never holds more jobs of a generation, except beside long trials.
pub const WINDOW_JOBS: u64 = 4096;

/// The factor by which the window may grow while jobs wait for earlier long trials: a minute of
/// jobs of a second on a thousand slots.
const WINDOWS_BESIDE_ALONE: u64 = 16;

/// The bytes of results up to which the window grows beside long trials.
const WINDOW_BYTES: u64 = 256 << 20;

/// Bytes of jobs that are enqueued in one call (the last job may exceed it): a larger call would
/// keep the store from serving others.
pub(super) const BYTES_PER_ENQUEUE: usize = 4 << 20;

/// The jobs that may be enqueued now. All jobs belong to one class.
#[derive(Clone, Copy)]
struct NextJobs {
    class: SeriesClass,
    most: u64,
    trials_per_job: u64,
}

impl RunMachine {
    /// Enqueues as many jobs as the slots can use soon and the window allows.
    pub(super) fn enqueue(&mut self, effects: &mut VecDeque<MachineEffect>) {
        while let Some(next) = self.next_jobs() {
            let RunPhase::Simulating(simulating) = &mut self.phase else { return };
            let (class, most) = (next.class, next.most);
            let first_index = simulating.cursor;
            effects.push_back(simulating.enqueue(self.generation, next));
            let n_jobs = simulating.cursor - first_index;
            match simulating.cutter.next_class() {
                Some(other) if other != class => {}
                // The rest follows after the next read.
                Some(_) if n_jobs < most => return self.results_available(effects),
                Some(_) | None => return,
            }
        }
    }

    /// Returns the jobs to enqueue now; `None` if there is nothing to enqueue.
    fn next_jobs(&self) -> Option<NextJobs> {
        let RunPhase::Simulating(simulating) = &self.phase else { return None };
        let SimulationPhase { cutter, ledger, together, cursor, folded, n_resolved, .. } =
            simulating.as_ref();
        let class = cutter.next_class().unwrap_or_default();
        let n_unresolved = *cursor - (*n_resolved).min(*cursor);
        let (trials_per_job, ahead, window) = match class {
            SeriesClass::Alone => (1, u64::MAX, self.window),
            SeriesClass::Pooled => {
                let n_left = cutter.n_trials_left();
                let together = u64::from(*together).min(n_left);
                let batch = BatchSize { together, lanes: cutter.lanes() };
                let trials_per_job = self.pace.trials_per_job(n_left, self.slots, batch);
                let ahead = self.pace.jobs_ahead(self.slots, together, trials_per_job);
                let n_pooled = n_unresolved.saturating_sub(ledger.n_alone_open(*cursor));
                let ahead = ahead.saturating_sub(n_pooled);
                (trials_per_job, ahead, self.window_now(simulating, trials_per_job))
            }
        };
        let most = match cutter.next_class() {
            Some(_) => ahead.min((*folded + window).saturating_sub(*cursor)),
            None => 0,
        };
        let has_any = most != 0 || !simulating.parts.is_empty();
        has_any.then_some(NextJobs { class, most, trials_per_job })
    }

    /// Returns the most jobs between `folded` and `cursor`.
    fn window_now(&self, simulating: &SimulationPhase, trials_per_job: u64) -> u64 {
        if simulating.ledger.n_alone_left() == 0 {
            return self.window;
        }
        let by_bytes = self.pace.n_jobs_of(WINDOW_BYTES, trials_per_job);
        by_bytes.clamp(self.window, WINDOWS_BESIDE_ALONE * self.window)
    }
}

impl SimulationPhase {
    /// Returns the effect that enqueues up to `next.most` jobs, with the shared input if it is not
    /// enqueued yet. The effect has fewer jobs if they have many bytes, or if the class ends.
    fn enqueue(&mut self, generation: u32, next: NextJobs) -> MachineEffect {
        let NextJobs { class, most, trials_per_job } = next;
        let Self { cutter, table, cursor, parts, .. } = self;
        let is_new_size = table.cuts.last().is_none_or(|cut| cut.trials_per_job != trials_per_job);
        if most != 0 && is_new_size {
            table.cuts.push(Cut { first_index: *cursor, trials_per_job });
        }
        let (mut jobs, mut n_bytes) = (Vec::new(), 0);
        while (jobs.len() as u64) < most
            && n_bytes < BYTES_PER_ENQUEUE
            && cutter.next_class() == Some(class)
            && let Some(job) = cutter.next_job(trials_per_job)
        {
            table.next_trial += job.n_trials();
            let job = job.encode_to_vec();
            n_bytes += job.len();
            jobs.push(job);
        }
        let first_index = *cursor;
        *cursor += jobs.len() as u64;
        let (table, parts) = (table.encode_to_vec(), std::mem::take(parts));
        MachineEffect::Enqueue(EnqueueBatch { generation, first_index, jobs, table, parts })
    }
}
