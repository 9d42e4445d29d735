//! The entry of a run in the supervisor's table.

use hatchery_meters::labels;
use hatchery_store::RunState;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::leader::open::OpenedRun;
use crate::leader::{LeadError, RunOutcome};
use crate::run::record::{LEAST_PENDING_MS, LiveProgress};

/// The channel for the end of a run.
pub(crate) type RunWaiter = oneshot::Sender<Result<RunOutcome, LeadError>>;

/// A known run.
#[derive(Default)]
pub(super) struct RunEntry {
    /// Its last known activity.
    pub(super) activity: RunActivity,
    /// The time of the next reconciliation; `None` for at once.
    pub(super) next: Option<Instant>,
    /// The run with its experiment, if it is open here.
    pub(super) open: Option<OpenedRun>,
    /// The run's leader here, and the progress that the leader reports.
    pub(super) lead: Option<(AbortHandle, watch::Receiver<LiveProgress>)>,
    /// The time of the last renewal of the claim.
    pub(super) claimed: Option<Instant>,
    /// True if this build cannot work on the run.
    pub(super) refused: bool,
    /// The caller that waits for the end of the run.
    pub(super) waiter: Option<RunWaiter>,
    /// The run's state, once it has been read.
    pub(super) state: Option<labels::RunState>,
    /// Its progress, as another leader last announced it.
    pub(super) announced_progress: Option<LiveProgress>,
    /// The time since which it is paused, or active without a leader.
    pub(super) unattended_since: Option<Instant>,
}

/// The activity of a run.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum RunActivity {
    /// Not read yet.
    #[default]
    New,
    /// Led or open here, or about to be.
    Worked,
    /// Queued, led elsewhere, paused or ended: changes are notified.
    Resting,
}

impl RunEntry {
    /// Returns the CPU time that the run still needs, as far as it is known.
    pub(super) fn pending_ms(&self) -> u64 {
        if self.state != Some(labels::RunState::Active) {
            return 0;
        }
        let live =
            self.lead.as_ref().map(|(_, progress)| *progress.borrow()).or(self.announced_progress);
        live.map_or(0, |live| live.pending_ms).max(LEAST_PENDING_MS)
    }
}

/// Returns the metric label of a run's state.
pub(crate) fn state_label(state: &RunState) -> labels::RunState {
    match state {
        RunState::Active => labels::RunState::Active,
        RunState::Paused => labels::RunState::Paused,
        RunState::Done => labels::RunState::Done,
        RunState::Failed { .. } => labels::RunState::Failed,
        RunState::Cancelled => labels::RunState::Cancelled,
    }
}
