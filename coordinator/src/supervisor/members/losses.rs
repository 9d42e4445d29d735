//! The members of a farm that were lost recently.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::run::record::MAX_LOSSES;

/// The time for which a loss is remembered.
const REMEMBERED: Duration = Duration::from_secs(3600);

/// The members lost in the last hour, keyed by id: at most the latest [`MAX_LOSSES`].
#[derive(Clone, Debug)]
pub(crate) struct LossTable<I, L> {
    losses: BTreeMap<I, (Instant, L)>,
}

impl<I, L> Default for LossTable<I, L> {
    fn default() -> Self {
        Self { losses: BTreeMap::new() }
    }
}

impl<I: Copy + Ord, L: Clone> LossTable<I, L> {
    /// Adds a loss that happened the time `age` before `now`. A loss that is already known keeps
    /// its time.
    pub(crate) fn add(&mut self, now: Instant, id: I, age: Duration, loss: L) {
        let Some(at) = now.checked_sub(age).filter(|_| age < REMEMBERED) else { return };
        self.losses.entry(id).or_insert((at, loss));
        self.losses.retain(|_, (at, _)| now.duration_since(*at) < REMEMBERED);
        if MAX_LOSSES < self.losses.len()
            && let Some((&oldest, _)) = self.losses.iter().min_by_key(|(_, (at, _))| *at)
        {
            self.losses.remove(&oldest);
        }
    }

    /// Forgets the losses of members that have returned.
    pub(crate) fn forget(&mut self, is_back: impl Fn(&I, &L) -> bool) {
        self.losses.retain(|id, (_, loss)| !is_back(id, loss));
    }

    /// Returns the losses, the latest first, with the milliseconds since each loss.
    pub(crate) fn list(&self, now: Instant) -> Vec<(I, L, u64)> {
        let age = |at: Instant| now.duration_since(at);
        let recent = self.losses.iter().filter(|(_, (at, _))| age(*at) < REMEMBERED);
        let mut listed: Vec<_> = recent
            .map(|(&id, (at, loss))| {
                (id, loss.clone(), u64::try_from(age(*at).as_millis()).unwrap_or(u64::MAX))
            })
            .collect();
        listed.sort_by_key(|&(id, _, lost_ms)| (lost_ms, id));
        listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_remembered_for_an_hour_and_bounded() {
        let start = Instant::now() + 2 * REMEMBERED;
        let mut table = LossTable::default();
        for n in 0..200_u64 {
            table.add(start + Duration::from_secs(n), n, Duration::from_secs(5), "lost");
        }
        let now = start + Duration::from_secs(200);
        let listed = table.list(now);
        assert_eq!((listed.len(), listed[0]), (MAX_LOSSES, (199, "lost", 6_000)));
        table.add(now, 199, Duration::ZERO, "known");
        table.forget(|&id, _| id == 198);
        assert_eq!(table.list(now)[..2], [(199, "lost", 6_000), (197, "lost", 8_000)]);
        table.add(now, 7, REMEMBERED, "an hour ago");
        assert!(table.list(now).iter().all(|it| it.0 != 7));
        assert_eq!(table.list(now + REMEMBERED), []);
    }
}
