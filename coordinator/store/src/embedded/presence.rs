//! Claims and announcements, in memory: no other process has the store open.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::membership::{PRESENCE_TTL, RunClaim, StoreChange};
use crate::{CoordinatorId, RunId};

/// The members of the farm now.
#[derive(Debug)]
pub(super) struct MemberPresence {
    /// Behind a lock, as coordinators of the same process share the store; it is held for a look
    /// at a map, never while anything waits.
    heard: Mutex<ChangeLog>,
    /// The sender of changes. It never sends, because no other process changes anything, and is
    /// kept so that listeners keep waiting.
    changes: broadcast::Sender<StoreChange>,
}

/// The last claims and announcements, with their times.
#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    pub(super) claims: BTreeMap<RunId, (RunClaim, Instant)>,
    pub(super) announced: BTreeMap<CoordinatorId, (Vec<u8>, Instant)>,
}

impl Default for MemberPresence {
    fn default() -> Self {
        Self { heard: Mutex::default(), changes: broadcast::Sender::new(1) }
    }
}

impl MemberPresence {
    /// Forgets the claim on a run.
    pub(super) fn forget(&self, run: RunId) {
        self.heard().claims.remove(&run);
    }

    pub(super) fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.changes.subscribe()
    }

    /// Returns the claims and announcements that have not expired.
    pub(super) fn heard(&self) -> MutexGuard<'_, ChangeLog> {
        // A map is whole after any panic.
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.forget_before(Instant::now());
        heard
    }
}

impl ChangeLog {
    fn forget_before(&mut self, now: Instant) {
        self.claims.retain(|_, (_, said)| now < *said + PRESENCE_TTL);
        self.announced.retain(|_, (_, said)| now < *said + PRESENCE_TTL);
    }

    pub(super) fn claim(&mut self, run: RunId, claim: RunClaim, now: Instant) -> bool {
        let is_others =
            self.claims.get(&run).is_some_and(|(kept, _)| kept.coordinator != claim.coordinator);
        if !is_others {
            self.claims.insert(run, (claim, now));
        }
        !is_others
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ulid::Ulid;

    use super::*;

    const RUN: RunId = RunId(Ulid(1));
    const ANN: CoordinatorId = CoordinatorId(1);
    const BEN: CoordinatorId = CoordinatorId(2);
    const SHORT: Duration = Duration::from_millis(1);

    fn by(coordinator: CoordinatorId) -> RunClaim {
        RunClaim { coordinator, progress: vec![] }
    }

    #[test]
    fn a_claim_lasts_as_long_as_its_coordinator_is_heard_of() {
        let (mut heard, start) = (ChangeLog::default(), Instant::now());
        assert!(heard.claim(RUN, by(ANN), start));
        let late = start + PRESENCE_TTL - SHORT;
        heard.forget_before(late);
        assert!(!heard.claim(RUN, by(BEN), late));
        assert!(heard.claim(RUN, by(ANN), late));
        heard.forget_before(start + PRESENCE_TTL);
        assert!(!heard.claim(RUN, by(BEN), start + PRESENCE_TTL));
        heard.forget_before(late + PRESENCE_TTL);
        assert!(heard.claim(RUN, by(BEN), late + PRESENCE_TTL));
    }

    #[test]
    fn an_announcement_is_forgotten_unless_it_is_repeated() {
        let (mut heard, start) = (ChangeLog::default(), Instant::now());
        heard.announced.insert(ANN, (vec![], start));
        heard.announced.insert(BEN, (vec![], start + SHORT));
        heard.forget_before(start + PRESENCE_TTL);
        assert_eq!(heard.announced.keys().collect::<Vec<_>>(), [&BEN]);
    }
}
