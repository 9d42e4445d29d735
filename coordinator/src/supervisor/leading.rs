//! Claims runs, and starts and stops their leaders.

use std::time::Duration;

use futures_util::future::join_all;
use hatchery_core::error_chain;
use hatchery_store::operation::{ClaimRun, UnclaimRun};
use hatchery_store::{RunId, StoreError};
use prost::Message as _;
use tokio::sync::watch;
use tokio::task::{self, JoinError};
use tokio::time::Instant;

use super::members::RENEW_EVERY;
use super::run_entry::{RunActivity, RunEntry};
use super::{REST, Supervisor};
use crate::dispatch::DispatchMessage;
use crate::leader::open::OpenedRun;
use crate::leader::{self, LeadError, RunOutcome};
use crate::run::record::LiveProgress;

/// The time for which a run is left alone after its leader failed.
const LEAD_AGAIN: Duration = Duration::from_millis(500);

impl Supervisor {
    /// Claims the run, and leads it while it has the claim.
    pub(super) async fn claim(&mut self, run: RunId, now: Instant) -> Result<(), StoreError> {
        let Some(entry) = self.runs.get(&run) else { return Ok(()) };
        let fresh = entry.claimed.is_some_and(|at| now - at < RENEW_EVERY);
        if entry.refused || (entry.lead.is_some() && fresh) {
            return Ok(());
        }
        let progress = self.encoded_progress(run);
        let (store, coordinator) = (self.context.store.supervisor(), self.context.incarnation);
        let ours = store.execute(ClaimRun { run, coordinator, progress }).await?;
        self.claimed(run, ours, now).await;
        Ok(())
    }

    /// Renews the claims on all runs that are led here. The calls travel together.
    pub(super) async fn renew_claims(&mut self, now: Instant) -> Result<(), StoreError> {
        let led = self.tables.led.runs();
        let (store, coordinator) = (self.context.store.supervisor(), self.context.incarnation);
        let renewals = led.iter().map(async |&run| {
            let progress = self.encoded_progress(run);
            store.execute(ClaimRun { run, coordinator, progress }).await
        });
        let ours = join_all(renewals).await;
        for (run, ours) in led.into_iter().zip(ours) {
            match ours {
                Ok(ours) => self.claimed(run, ours, now).await,
                Err(error) if error.is_of_run() => self.fail_damaged(run, error.into()).await,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the progress of a run that is led here, as it is stored with the claim.
    fn encoded_progress(&self, run: RunId) -> Vec<u8> {
        self.tables.led.progress(run).map(|live| live.encode_to_vec()).unwrap_or_default()
    }

    /// Notes whether this coordinator has the claim on a run.
    async fn claimed(&mut self, run: RunId, ours: bool, now: Instant) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        entry.claimed = ours.then_some(now);
        match (ours, &entry.lead) {
            (true, None) => self.start_leader(run),
            (false, Some(_)) => {
                tracing::warn!(%run, "another coordinator leads the run now");
                self.leave(run).await;
                self.set_led_elsewhere(run, true);
            }
            (false, None) => self.set_led_elsewhere(run, true),
            (true, Some(_)) => {}
        }
    }

    /// Starts the leader of the run, if it has none here.
    pub(super) fn start_leader(&mut self, run: RunId) {
        let Some(entry) = self.runs.get_mut(&run).filter(|run| run.lead.is_none()) else { return };
        let (say, progress) = watch::channel(LiveProgress::default());
        let (context, dispatch) = (self.context.clone(), self.dispatch.clone());
        // The plan of generation 0 is gone once it has begun.
        let first = entry.open.as_mut().and_then(|opened| opened.first.take());
        let opened = entry.open.clone();
        let lead = async move {
            let opened = match opened {
                Some(opened) => opened,
                None => OpenedRun::open(&context, run).await?,
            };
            leader::lead(&context, &dispatch, &opened, first, &say).await
        };
        let seen = progress.clone();
        entry.lead = Some((self.leaders.spawn(lead), progress));
        entry.activity = RunActivity::Worked;
        self.tables.led.insert(run, seen);
        self.queue().set_led(run, true);
        self.context.meters.farm.count_leader_change();
    }

    /// Stops leading the run.
    pub(super) async fn leave(&mut self, run: RunId) {
        if let Some(entry) = self.runs.get_mut(&run)
            && let Some((leader, _)) = entry.lead.take()
        {
            // Its last write may be done or not; both are fine.
            leader.abort();
            self.tables.led.remove(run);
            self.queue().set_led(run, false);
            self.dispatch.tell(DispatchMessage::Unlead(run)).await;
        }
    }

    /// Stops all work on a run that no longer exists, and forgets the run.
    pub(super) async fn forget(&mut self, run: RunId) {
        self.close(run).await;
        self.leave(run).await;
        self.queue().remove(run);
        self.tables.index.remove(run);
        self.answer(run, Err(StoreError::NoRun { run }.into()));
        self.runs.remove(&run);
    }

    pub(super) async fn leader_ended(
        &mut self,
        task: task::Id,
        ended: Result<RunOutcome, LeadError>,
    ) {
        let Some(run) = self.unlead(task, LEAD_AGAIN).await else { return };
        let has_ended = ended.is_ok();
        let Some(ended) = self.answer(run, ended) else {
            // The caller that waited reports it, and decides whether the run is led again.
            return if has_ended { self.reconcile_now(run).await } else { self.refuse(run).await };
        };
        match &ended {
            Ok(RunOutcome::Done) => tracing::info!(%run, "run done"),
            Ok(RunOutcome::Cancelled) => tracing::info!(%run, "run cancelled"),
            Ok(RunOutcome::Failed { reason }) => tracing::error!(%run, reason, "run failed"),
            Err(LeadError::Store(StoreError::Fenced { .. })) => {
                tracing::warn!(%run, "another coordinator leads the run now");
            }
            Err(error) => {
                tracing::warn!(%run, error = error_chain(error), "leading the run failed");
            }
        }
        match ended {
            Ok(_) => self.reconcile_now(run).await,
            Err(error) if error.remedy().is_some() => self.fail_damaged(run, error).await,
            // It may pass, or another coordinator may lead: try again later.
            Err(LeadError::Store(_)) => {}
            Err(_) => self.refuse(run).await,
        }
    }

    /// Handles a leader that panicked. The run rests: leading it again at once would panic again.
    pub(super) async fn leader_panicked(&mut self, error: &JoinError) {
        if let Some(run) = self.unlead(error.id(), REST).await {
            tracing::error!(%run, %error, "the leader of the run panicked: a bug");
            self.unclaim(run).await;
            if let Some(entry) = self.runs.get_mut(&run) {
                entry.waiter = None;
            }
        }
    }

    /// Reports the end of the run to its receiver, unless a leader here has not finished. Returns
    /// `ended` if there was no receiver.
    pub(super) fn answer(
        &mut self,
        run: RunId,
        ended: Result<RunOutcome, LeadError>,
    ) -> Option<Result<RunOutcome, LeadError>> {
        let entry = self.runs.get_mut(&run).filter(|entry| entry.lead.is_none());
        match entry.and_then(|entry| entry.waiter.take()) {
            Some(waiter) => waiter.send(ended).err(),
            None => Some(ended),
        }
    }

    /// Removes the leader that ran as this task, and leaves its run alone for `rest`. Returns the
    /// run, if it has had no other leader since.
    async fn unlead(&mut self, task: task::Id, rest: Duration) -> Option<RunId> {
        let is_its =
            |entry: &RunEntry| entry.lead.as_ref().is_some_and(|(leader, _)| leader.id() == task);
        let led = self.tables.led.runs();
        let run = led.into_iter().find(|run| self.runs.get(run).is_some_and(is_its))?;
        let entry = self.runs.get_mut(&run)?;
        entry.lead = None;
        // It is queued again once it was reconciled.
        (entry.activity, entry.next) = (RunActivity::Worked, Some(Instant::now() + rest));
        self.tables.led.remove(run);
        self.queue().remove(run);
        self.dispatch.tell(DispatchMessage::Unlead(run)).await;
        Some(run)
    }

    /// Fails a run whose stored data is damaged, so that other runs have their turns. If the store
    /// cannot even record that, the run is left alone.
    pub(super) async fn fail_damaged(&mut self, run: RunId, error: LeadError) {
        self.leave(run).await;
        self.close(run).await;
        self.queue().remove(run);
        let remedy = error.remedy().unwrap_or_default();
        tracing::error!(%run, error = error_chain(&error), remedy, "the run's data is damaged");
        let failed = leader::fail_unled(&self.context, run, (error.cause(), remedy)).await;
        if let Err(error) = failed {
            tracing::warn!(%run, error = error_chain(&error), "the run is left alone");
            self.refuse(run).await;
        }
        self.answer(run, Err(error));
    }

    /// Leaves the run to coordinators whose build can work on it.
    async fn refuse(&mut self, run: RunId) {
        self.close(run).await;
        if let Some(entry) = self.runs.get_mut(&run) {
            entry.refused = true;
        }
        self.unclaim(run).await;
    }

    pub(super) async fn unclaim(&mut self, run: RunId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        entry.claimed = None;
        let (store, coordinator) = (self.context.store.supervisor(), self.context.incarnation);
        match store.execute(UnclaimRun { run, coordinator }).await {
            // The claim expires by itself.
            Err(error) if !error.is_of_run() => self.presence.store_failed(&error),
            Ok(()) | Err(_) => {}
        }
    }
}
