//! Measures the pending work and the states of runs, for metrics and autoscalers.

use std::time::Duration;

use hatchery_meters::labels;
use prost::Message;

use super::{RunActivity, RunEntry, Supervisor};
use crate::record::{LEAST_PENDING_MS, LiveProgress};
use crate::store::{RunId, StoreError};

impl Supervisor {
    /// Reads the progress that the leaders of active runs have stored.
    pub(super) async fn hear_leaders(&mut self) -> Result<(), StoreError> {
        let others = self.runs.iter().filter(|(_, watched)| {
            watched.lead.is_none() && watched.state == Some(labels::RunState::Active)
        });
        for run in others.map(|(&run, _)| run).collect::<Vec<RunId>>() {
            let claim = self.context.store.claimed(run).await?;
            let live = claim.and_then(|claim| LiveProgress::decode(claim.progress.as_slice()).ok());
            if let Some(watched) = self.runs.get_mut(&run) {
                watched.heard = live;
            }
        }
        Ok(())
    }

    /// Updates the gauges and the number of workers wanted.
    pub(super) fn measure(&self) {
        let (jobs, meters) = (&self.context.meters.jobs, &self.context.meters.farm);
        let mut n_runs = labels::RunState::ALL.iter().map(|&state| (state, 0)).collect::<Vec<_>>();
        for state in self.runs.values().filter_map(|watched| watched.state) {
            let of_state = n_runs.iter_mut().filter(|(other, _)| *other == state);
            of_state.for_each(|(_, n)| *n += 1);
        }
        n_runs.into_iter().for_each(|(state, n)| meters.set_runs(state, n));
        let led = self.runs.values().filter_map(|watched| Some(*watched.lead.as_ref()?.1.borrow()));
        let (mut n_led, mut n_open, mut n_parked) = (0, 0, 0);
        for live in led {
            n_led += 1;
            n_open += live.jobs_open;
            n_parked += live.jobs_parked;
        }
        meters.set_led_runs(n_led);
        jobs.set_unresolved(n_open, n_parked);
        let pending_ms = self.runs.values().map(RunEntry::pending_ms).fold(0, u64::saturating_add);
        let pending = Duration::from_millis(pending_ms);
        let desired = self.settings.scaling.desired(pending, self.farm.borrow().capacity());
        meters.set_demand(pending, desired);
        self.farm.send_if_modified(|farm| {
            std::mem::replace(&mut farm.desired_workers, desired) != desired
        });
    }
}

impl RunEntry {
    /// Returns the CPU time that the run still needs, as far as it is known.
    fn pending_ms(&self) -> u64 {
        if self.standing != RunActivity::GoesOn || self.state != Some(labels::RunState::Active) {
            return 0;
        }
        let live = self.lead.as_ref().map(|(_, progress)| *progress.borrow()).or(self.heard);
        live.map_or(0, |live| live.pending_ms).max(LEAST_PENDING_MS)
    }
}
