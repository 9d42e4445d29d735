//! Who works on the runs: claims and announcements in memory, since no other process has the store
//! open; and what the file holds of the farm as a whole.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hatchery_core::Digest;
use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use tokio::sync::broadcast;
use tokio::time::Instant;
use ulid::Ulid;

use super::EmbeddedStore;
use super::tables::{FARM, KEYS, QUARANTINE, SECRET_KEY, key};
use super::trouble::Stop;
use crate::roster::{Bell, Claim, PRESENCE_TTL, Roster};
use crate::store::{RunId, StoreError};

/// How many ids a secret is made of: each has 80 random bits of a cryptographic generator, so these
/// are more than the secret's 256.
const SECRET_IDS: usize = 4;

/// Who is there now.
#[derive(Debug)]
pub(super) struct Presence {
    /// Behind a lock, as coordinators of the same process share the store; it is held for a look
    /// at a map, never while anything waits.
    heard: Mutex<Heard>,
    /// Never rings, as nobody else changes anything, and is kept so that listeners wait on.
    bells: broadcast::Sender<Bell>,
}

/// What was last said, and when.
#[derive(Debug, Default)]
struct Heard {
    claims: BTreeMap<RunId, (Claim, Instant)>,
    announced: BTreeMap<u128, (Vec<u8>, Instant)>,
}

impl Default for Presence {
    fn default() -> Self {
        Self { heard: Mutex::default(), bells: broadcast::Sender::new(1) }
    }
}

impl Presence {
    /// Forgets the claim on a run.
    pub(super) fn forget(&self, run: RunId) {
        self.heard().claims.remove(&run);
    }

    /// What was said and is not too long ago.
    fn heard(&self) -> MutexGuard<'_, Heard> {
        // A map is whole after any panic.
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.forget_before(Instant::now());
        heard
    }
}

impl Heard {
    fn forget_before(&mut self, now: Instant) {
        self.claims.retain(|_, (_, said)| now < *said + PRESENCE_TTL);
        self.announced.retain(|_, (_, said)| now < *said + PRESENCE_TTL);
    }

    fn claim(&mut self, run: RunId, claim: Claim, now: Instant) -> bool {
        let is_others =
            self.claims.get(&run).is_some_and(|(kept, _)| kept.coordinator != claim.coordinator);
        if !is_others {
            self.claims.insert(run, (claim, now));
        }
        !is_others
    }
}

#[async_trait]
impl Roster for EmbeddedStore {
    async fn claim(
        &self,
        run: RunId,
        coordinator: u128,
        progress: &[u8],
    ) -> Result<bool, StoreError> {
        let claim = Claim { coordinator, progress: progress.to_owned() };
        Ok(self.presence.heard().claim(run, claim, Instant::now()))
    }

    async fn unclaim(&self, run: RunId, coordinator: u128) -> Result<(), StoreError> {
        self.presence
            .heard()
            .claims
            .retain(|of, (claim, _)| *of != run || claim.coordinator != coordinator);
        Ok(())
    }

    async fn claimed(&self, run: RunId) -> Result<Option<Claim>, StoreError> {
        Ok(self.presence.heard().claims.get(&run).map(|(claim, _)| claim.clone()))
    }

    async fn announce(&self, coordinator: u128, announcement: &[u8]) -> Result<(), StoreError> {
        let said = (announcement.to_owned(), Instant::now());
        self.presence.heard().announced.insert(coordinator, said);
        Ok(())
    }

    async fn withdraw(&self, coordinator: u128) -> Result<(), StoreError> {
        self.presence.heard().announced.remove(&coordinator);
        Ok(())
    }

    async fn announced(&self) -> Result<Vec<(u128, Vec<u8>)>, StoreError> {
        let heard = self.presence.heard();
        Ok(heard.announced.iter().map(|(id, (said, _))| (*id, said.clone())).collect())
    }

    async fn quarantine(&self, worker: u128, reason: &str) -> Result<(), StoreError> {
        let reason = reason.to_owned();
        self.write(move |txn, _| quarantine(txn, worker, &reason)).await
    }

    async fn quarantined(&self) -> Result<Vec<(u128, String)>, StoreError> {
        self.read(quarantined).await
    }

    async fn secret(&self) -> Result<[u8; 32], StoreError> {
        let known = self.read(|txn| known_secret(&txn.open_table(FARM)?)).await?;
        match known {
            Some(secret) => Ok(secret),
            None => self.write(|txn, _| secret(txn)).await,
        }
    }

    fn bells(&self) -> broadcast::Receiver<Bell> {
        self.presence.bells.subscribe()
    }
}

/// The run that a key stands for.
pub(super) fn run_for(txn: &WriteTransaction, name: Digest, run: RunId) -> Result<RunId, Stop> {
    let mut keys = txn.open_table(KEYS)?;
    if let Some(first) = keys.get(name.as_bytes())? {
        return Ok(RunId(Ulid(first.value())));
    }
    keys.insert(name.as_bytes(), key(run))?;
    Ok(run)
}

fn quarantine(txn: &WriteTransaction, worker: u128, reason: &str) -> Result<(), Stop> {
    let mut out = txn.open_table(QUARANTINE)?;
    if out.get(worker)?.is_none() {
        out.insert(worker, reason)?;
    }
    Ok(())
}

fn quarantined(txn: &ReadTransaction) -> Result<Vec<(u128, String)>, Stop> {
    let out = txn.open_table(QUARANTINE)?;
    let rows = out.iter()?.map(|entry| {
        let (worker, reason) = entry?;
        Ok((worker.value(), reason.value().to_owned()))
    });
    rows.collect()
}

fn secret(txn: &WriteTransaction) -> Result<[u8; 32], Stop> {
    let mut farm = txn.open_table(FARM)?;
    if let Some(known) = known_secret(&farm)? {
        return Ok(known);
    }
    let ids: Vec<u8> = (0..SECRET_IDS).flat_map(|_| Ulid::generate().0.to_le_bytes()).collect();
    let secret = *Digest::of(&ids).as_bytes();
    farm.insert(SECRET_KEY, &secret)?;
    Ok(secret)
}

fn known_secret(
    farm: &impl ReadableTable<&'static str, &'static [u8; 32]>,
) -> Result<Option<[u8; 32]>, Stop> {
    Ok(farm.get(SECRET_KEY)?.map(|secret| *secret.value()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const RUN: RunId = RunId(Ulid(1));
    const SHORT: Duration = Duration::from_millis(1);

    fn by(coordinator: u128) -> Claim {
        Claim { coordinator, progress: vec![] }
    }

    #[test]
    fn a_claim_lasts_as_long_as_its_coordinator_is_heard_of() {
        let (mut heard, start) = (Heard::default(), Instant::now());
        assert!(heard.claim(RUN, by(1), start));
        let late = start + PRESENCE_TTL - SHORT;
        heard.forget_before(late);
        assert!(!heard.claim(RUN, by(2), late));
        assert!(heard.claim(RUN, by(1), late));
        heard.forget_before(start + PRESENCE_TTL);
        assert!(!heard.claim(RUN, by(2), start + PRESENCE_TTL));
        heard.forget_before(late + PRESENCE_TTL);
        assert!(heard.claim(RUN, by(2), late + PRESENCE_TTL));
    }

    #[test]
    fn an_announcement_is_forgotten_unless_it_is_repeated() {
        let (mut heard, start) = (Heard::default(), Instant::now());
        heard.announced.insert(1, (vec![], start));
        heard.announced.insert(2, (vec![], start + SHORT));
        heard.forget_before(start + PRESENCE_TTL);
        assert_eq!(heard.announced.keys().collect::<Vec<_>>(), [&2]);
    }
}
