//! Measures the pending work, the states of runs and the store's memory, for metrics and
//! autoscalers.

use std::time::Duration;

use hatchery_meters::labels;
use hatchery_store::StoreMemory;
use hatchery_store::operation::ReadMemory;

use super::Supervisor;
use super::run_entry::RunEntry;

impl Supervisor {
    /// Updates the gauges and the number of workers wanted.
    pub(super) fn measure(&self) {
        let (jobs, meters) = (&self.context.meters.jobs, &self.context.meters.farm);
        let mut n_runs = labels::RunState::ALL.iter().map(|&state| (state, 0)).collect::<Vec<_>>();
        for state in self.runs.values().filter_map(|entry| entry.state) {
            let of_state = n_runs.iter_mut().filter(|(other, _)| *other == state);
            of_state.for_each(|(_, n)| *n += 1);
        }
        n_runs.into_iter().for_each(|(state, n)| meters.set_runs(state, n));
        let led = self.tables.led.runs().into_iter();
        let led = led.filter_map(|run| self.tables.led.progress(run));
        let (mut n_led, mut n_open, mut n_parked) = (0, 0, 0);
        for live in led {
            n_led += 1;
            n_open += live.jobs_open;
            n_parked += live.jobs_parked;
        }
        meters.set_led_runs(n_led);
        meters.set_queued_runs(self.queue().n_waiting() as u64);
        jobs.set_unresolved(n_open, n_parked);
        let pending_ms = self.runs.values().map(RunEntry::pending_ms).fold(0, u64::saturating_add);
        let pending = Duration::from_millis(pending_ms);
        let desired = self.scaling.desired(pending, self.presence.capacity());
        meters.set_demand(pending, desired);
        self.presence.set_desired_workers(desired);
    }

    /// Updates the gauges of the store's memory.
    pub(super) async fn measure_store(&self) {
        match self.context.store.supervisor().execute(ReadMemory).await {
            Ok(memory) => {
                let StoreMemory { used_bytes, limit_bytes } = memory.unwrap_or_default();
                let limit_bytes = limit_bytes.unwrap_or_default();
                self.context.meters.store.set_memory(used_bytes, limit_bytes);
            }
            Err(error) => self.presence.store_failed(&error),
        }
    }
}
