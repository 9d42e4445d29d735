//! Queues active runs, and gives leaders to the runs whose turn it is.

use std::collections::BTreeSet;
use std::time::Duration;

use hatchery_meters::labels;
use hatchery_store::operation::ReadRecord;
use hatchery_store::{RunId, StoreError};
use prost::Message as _;
use tokio::time::Instant;

use super::Supervisor;
use super::run_queue::lead_capacity;
use crate::run::record::RunRecord;
use crate::run::scheduling::RunScheduling;

/// The time after which a run without a leader is closed, and a paused run loses its leader: longer
/// than a failover takes.
const UNATTENDED: Duration = Duration::from_secs(15);

impl Supervisor {
    /// Adds an active run to the queue.
    pub(super) fn enqueue(&mut self, run: RunId, record: &RunRecord) {
        let RunScheduling { user, priority, .. } = record.into();
        let experiment = record.label();
        let is_led = self.tables.led.contains(run) || self.led_elsewhere.contains(&run);
        let mut queue = self.queue();
        queue.insert(run, &user, priority, &experiment);
        queue.set_led(run, is_led);
    }

    /// Queues, opens or leads an active run; `record` is the record in its summary, if it has one.
    pub(super) async fn attend(
        &mut self,
        run: RunId,
        record: Option<RunRecord>,
    ) -> Result<(), StoreError> {
        let Some(entry) = self.runs.get(&run) else { return Ok(()) };
        if entry.refused {
            return Ok(());
        }
        let (is_led_here, has_waiter) = (entry.lead.is_some(), entry.waiter.is_some());
        if !self.queue().contains(run) {
            let record = match record {
                Some(record) => record,
                None => {
                    let record =
                        self.context.store.supervisor().execute(ReadRecord { run }).await?;
                    // One that this build cannot read is refused where it is opened.
                    RunRecord::decode(record.as_slice()).unwrap_or_default()
                }
            };
            self.enqueue(run, &record);
        }
        // A caller that waits for the end of a run does not queue.
        if has_waiter && !is_led_here {
            self.open(run).await?;
            return self.claim(run, Instant::now()).await;
        }
        let is_led = is_led_here || self.led_elsewhere.contains(&run);
        if is_led_here || (is_led && self.presence.has_workers()) {
            self.open(run).await?;
        }
        if self.note_attendance(run, is_led) {
            self.close(run).await;
        }
        Ok(())
    }

    /// Takes the leader from a run that has been paused for a while.
    pub(super) async fn rest_paused(&mut self, run: RunId) {
        let has_waiter = self.runs.get(&run).is_some_and(|entry| entry.waiter.is_some());
        if self.note_attendance(run, false) && self.tables.led.contains(run) && !has_waiter {
            self.leave(run).await;
            self.unclaim(run).await;
        }
    }

    /// Records whether the run is attended to, and returns whether it has been unattended for a
    /// while.
    fn note_attendance(&mut self, run: RunId, is_attended: bool) -> bool {
        let Some(entry) = self.runs.get_mut(&run) else { return false };
        if is_attended {
            entry.unattended_since = None;
            return false;
        }
        UNATTENDED <= entry.unattended_since.get_or_insert_with(Instant::now).elapsed()
    }

    /// Opens a run that has READY jobs: another coordinator leads such a run.
    pub(super) async fn open_ready(&mut self, run: RunId) {
        let is_closed = self.runs.get(&run).is_none_or(|entry| entry.open.is_none());
        if self.serving && is_closed && self.presence.has_workers() {
            self.set_led_elsewhere(run, true);
            self.reconcile_now(run).await;
        }
    }

    /// Records whether another coordinator leads a run.
    pub(super) fn set_led_elsewhere(&mut self, run: RunId, is_led: bool) {
        match is_led {
            true => _ = self.led_elsewhere.insert(run),
            false => _ = self.led_elsewhere.remove(&run),
        }
        let is_led = is_led || self.tables.led.contains(run);
        self.queue().set_led(run, is_led);
    }

    /// Reads the announcements of the farm's coordinators: the runs that they lead, and the
    /// experiments that their workers compute.
    pub(super) async fn read_announcements(&mut self) {
        let (mut led, mut able) = (Vec::new(), BTreeSet::new());
        for coordinator in &self.presence.view().coordinators {
            let leads = coordinator
                .led
                .iter()
                .filter_map(|lead| Some((RunId::from_bytes(&lead.run)?, lead.progress)));
            led.extend(leads.filter(|(run, _)| !self.tables.led.contains(*run)));
            let workers = coordinator.workers.iter().filter(|worker| !worker.draining);
            able.extend(workers.flat_map(|worker| worker.experiments.iter().cloned()));
        }
        self.queue().set_able(able);
        let now_led: BTreeSet<_> = led.iter().map(|&(run, _)| run).collect();
        for run in self.led_elsewhere.difference(&now_led).copied().collect::<Vec<_>>() {
            self.set_led_elsewhere(run, false);
        }
        for (run, progress) in led {
            self.set_led_elsewhere(run, true);
            let entry = self.runs.entry(run).or_default();
            entry.announced_progress = progress;
            let is_active = entry.state == Some(labels::RunState::Active);
            if is_active && entry.open.is_none() && !entry.refused {
                self.open_ready(run).await;
            }
        }
    }

    /// Returns the run that gets a leader here next.
    pub(super) fn next_to_lead(&self) -> Option<RunId> {
        let capacity = lead_capacity(self.presence.capacity().n_slots);
        let n_coordinators = self.presence.view().coordinators.len().max(1);
        let has_room = self.tables.led.len() < capacity.div_ceil(n_coordinators);
        self.queue().next(capacity, has_room)
    }

    /// Gives leaders to the runs whose turn it is.
    pub(super) async fn admit(&mut self) {
        if !self.serving {
            return;
        }
        let capacity = lead_capacity(self.presence.capacity().n_slots);
        let unable = self.queue().next_to_yield(capacity, self.tables.led.runs().into_iter());
        if let Some(run) = unable {
            self.leave(run).await;
            self.unclaim(run).await;
        }
        while let Some(run) = self.next_to_lead() {
            match self.lead_next(run).await {
                Ok(()) => {}
                Err(error) if error.is_of_run() => self.fail_damaged(run, error.into()).await,
                Err(error) => return self.presence.store_failed(&error),
            }
        }
    }

    /// Claims the run whose turn it is, and leads it if no other coordinator does.
    async fn lead_next(&mut self, run: RunId) -> Result<(), StoreError> {
        self.open(run).await?;
        if self.runs.get(&run).is_none_or(|entry| entry.refused) {
            self.queue().remove(run);
            return Ok(());
        }
        self.claim(run, Instant::now()).await
    }
}
