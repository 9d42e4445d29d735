//! Announces this coordinator and its leads to the other coordinators, until it leaves.

use hatchery_store::RunId;
use tokio::time::Instant;

use super::run_entry::RunEntry;
use super::{REPORT_EVERY, Supervisor};
use crate::dispatch::DispatchMessage;

impl Supervisor {
    /// Stops leading runs, and announces that this coordinator leaves.
    pub(super) async fn give_up(&mut self) {
        self.serving = false;
        let is_ours = |(_, run): &(&RunId, &RunEntry)| run.lead.is_some() || run.claimed.is_some();
        let ours: Vec<_> = self.runs.iter().filter(is_ours).map(|(&run, _)| run).collect();
        for &run in &ours {
            self.leave(run).await;
        }
        for run in ours {
            self.unclaim(run).await;
        }
        self.presence.leave();
        self.announce().await;
    }

    /// Releases all jobs, and withdraws the announcement once the other coordinators have read that
    /// this coordinator leaves.
    pub(super) async fn withdraw(&mut self) {
        for run in self.runs.keys().copied().collect::<Vec<_>>() {
            self.close(run).await;
        }
        if let Some(until) = self.presence.unread_until() {
            tokio::time::sleep_until(until).await;
        }
        self.presence.withdraw().await;
    }

    /// Announces the progress of runs while any is led.
    pub(super) async fn report(&mut self) {
        let is_old = self.announced.is_none_or(|at| REPORT_EVERY <= at.elapsed());
        if is_old && (0 < self.tables.led.len() || !self.led_elsewhere.is_empty()) {
            self.announce().await;
        }
    }

    /// Announces this coordinator, and reads the announcements of the other coordinators.
    pub(super) async fn announce(&mut self) {
        self.announced = Some(Instant::now());
        if let Some(peers) = self.presence.announce(self.tables.led.announcement()).await {
            self.dispatch.tell(DispatchMessage::Farm(peers)).await;
            self.read_announcements().await;
        }
    }
}
