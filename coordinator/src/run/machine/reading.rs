//! Reads the results of each class of jobs in order.

use std::collections::VecDeque;
use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_store::{JobResult, ResultPage, RunState};

use super::{MachineEffect, RunFailure, RunMachine, RunPhase, SimulationPhase};
use crate::base::event::Event;
use crate::run::cutter::sizer::ResultCost;
use crate::run::ledger::LedgerError;

/// The most results read from the store in one call.
pub const RESULTS_PER_READ: usize = 256;

impl RunMachine {
    pub(super) fn results_available(&mut self, effects: &mut VecDeque<MachineEffect>) {
        if let RunPhase::Simulating(simulating) = &mut self.phase {
            simulating.read(SeriesClass::Pooled, effects);
        }
    }

    pub(super) fn results_read(
        &mut self,
        now: Duration,
        class: SeriesClass,
        page: &ResultPage,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        simulating.reading.remove(&class);
        match &page.state {
            RunState::Active | RunState::Paused => {}
            state @ (RunState::Done | RunState::Failed { .. } | RunState::Cancelled) => {
                self.ended = Some(state.clone());
                self.phase = RunPhase::Ended;
                return effects.clear();
            }
        }
        let added = match simulating.absorb(class, &page.results) {
            Ok(added) => added,
            Err(LedgerError::OtherCut { workers, .. }) => {
                return effects.push_back(MachineEffect::Disown { workers });
            }
            Err(error) => return self.fail(RunFailure::of(&error), effects),
        };
        let SimulationPhase { ledger, skipped, .. } = simulating.as_mut();
        skipped.retain(|&index, _| !ledger.has(index));
        // An earlier leader may have skipped jobs that this one learns of only now.
        let n_missing = ledger.n_missing();
        if self.record.exceeds_missing(simulating.n_trials, n_missing) {
            let message = format!(
                "{n_missing} of {} trials are missing: more than the run allows",
                simulating.n_trials
            );
            return self.fail(RunFailure { message, trial: None }, effects);
        }
        let resolved = simulating.cursor.saturating_sub(page.n_unresolved);
        simulating.n_resolved = resolved.max(simulating.ledger.n_jobs());
        simulating.n_parked = page.n_parked;
        if !page.results.is_empty() {
            let ResultCost { n_trials: trials, cpu_ns, .. } = added;
            let (pace, alone) = match class {
                SeriesClass::Alone => (&mut self.alone_pace, true),
                SeriesClass::Pooled => (&mut self.pace, false),
            };
            *pace = pace.observe(added);
            let (generation, jobs) = (self.generation, page.results.len() as u64);
            let done = Event::JobsDone { generation, jobs, trials, cpu_ns, alone };
            effects.push_back(MachineEffect::Publish(done));
        }
        match simulating.ledger.complete() {
            Ok(Some(tallies)) => return self.fold(tallies, effects),
            Ok(None) => {}
            Err(error) => return self.fail(RunFailure::of(&error), effects),
        }
        simulating.read_on(class, page, effects);
        // Once is enough: jobs that were dead when the run was paused wait until it is resumed.
        let goes_on = page.state == RunState::Active;
        if goes_on && 0 < page.n_parked && !std::mem::replace(&mut simulating.handling_dead, true) {
            effects.push_back(MachineEffect::ReadDeadJobs);
        }
        self.commit_part(now, effects);
        self.enqueue(effects);
    }
}

impl SimulationPhase {
    /// Reads the next results of a class, unless that is under way.
    pub(super) fn read(&mut self, class: SeriesClass, effects: &mut VecDeque<MachineEffect>) {
        if !self.reading.insert(class) {
            return;
        }
        let n_left = match class {
            SeriesClass::Alone => usize::try_from(self.ledger.n_alone_left()).unwrap_or(usize::MAX),
            SeriesClass::Pooled => usize::MAX,
        };
        let (from, most) = (self.ledger.next_index(class), n_left.min(RESULTS_PER_READ));
        effects.push_back(MachineEffect::ReadResults { class, from, most });
    }

    /// Reads on after a page if more jobs are resolved than the ledger has. Results of long trials
    /// follow once all other results are read, up to the first unresolved job.
    fn read_on(
        &mut self,
        class: SeriesClass,
        page: &ResultPage,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        if self.n_resolved <= self.ledger.n_jobs() {
            return;
        }
        let has_alone = 0 < self.ledger.n_alone_left();
        match class {
            // A store may return fewer results than it has, because it limits bytes too.
            SeriesClass::Pooled if !page.results.is_empty() => self.read(class, effects),
            SeriesClass::Alone if !page.results.is_empty() && has_alone => {
                self.read(class, effects);
            }
            SeriesClass::Pooled if has_alone => self.read(SeriesClass::Alone, effects),
            SeriesClass::Pooled | SeriesClass::Alone => {}
        }
    }

    fn absorb(
        &mut self,
        class: SeriesClass,
        results: &[JobResult],
    ) -> Result<ResultCost, LedgerError> {
        results.iter().try_fold(ResultCost::default(), |added, result| {
            Ok(added.plus(self.ledger.absorb(class, result)?))
        })
    }
}
