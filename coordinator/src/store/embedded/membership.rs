//! Claims and announcements, and the farm's durable data: quarantined workers and the secret.

use async_trait::async_trait;
use hatchery_core::Digest;
use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use tokio::sync::broadcast;
use tokio::time::Instant;
use ulid::Ulid;

use super::EmbeddedStore;
use super::error::StoreStop;
use super::tables::{FARM, QUARANTINE, SECRET_KEY};
use crate::store::membership::{Membership, RunClaim, StoreChange};
use crate::store::{CoordinatorId, RunId, StoreError, WorkerId};

/// The number of ids that make a secret: each has 80 random bits of a cryptographic generator, so
/// these are more than the secret's 256.
const SECRET_IDS: usize = 4;

#[async_trait]
impl Membership for EmbeddedStore {
    async fn claim(
        &self,
        run: RunId,
        coordinator: CoordinatorId,
        progress: &[u8],
    ) -> Result<bool, StoreError> {
        let claim = RunClaim { coordinator, progress: progress.to_owned() };
        Ok(self.presence.heard().claim(run, claim, Instant::now()))
    }

    async fn unclaim(&self, run: RunId, coordinator: CoordinatorId) -> Result<(), StoreError> {
        self.presence
            .heard()
            .claims
            .retain(|of, (claim, _)| *of != run || claim.coordinator != coordinator);
        Ok(())
    }

    async fn claimed(&self, run: RunId) -> Result<Option<RunClaim>, StoreError> {
        Ok(self.presence.heard().claims.get(&run).map(|(claim, _)| claim.clone()))
    }

    async fn announce(
        &self,
        coordinator: CoordinatorId,
        announcement: &[u8],
    ) -> Result<(), StoreError> {
        let said = (announcement.to_owned(), Instant::now());
        self.presence.heard().announced.insert(coordinator, said);
        Ok(())
    }

    async fn withdraw(&self, coordinator: CoordinatorId) -> Result<(), StoreError> {
        self.presence.heard().announced.remove(&coordinator);
        Ok(())
    }

    async fn announced(&self) -> Result<Vec<(CoordinatorId, Vec<u8>)>, StoreError> {
        let heard = self.presence.heard();
        Ok(heard.announced.iter().map(|(id, (said, _))| (*id, said.clone())).collect())
    }

    async fn quarantine(&self, worker: WorkerId, reason: &str) -> Result<(), StoreError> {
        let reason = reason.to_owned();
        self.write(move |txn, _| quarantine(txn, worker, &reason)).await
    }

    async fn quarantined(&self) -> Result<Vec<(WorkerId, String)>, StoreError> {
        self.read(quarantined).await
    }

    async fn secret(&self) -> Result<[u8; 32], StoreError> {
        let known = self.read(|txn| known_secret(&txn.open_table(FARM)?)).await?;
        match known {
            Some(secret) => Ok(secret),
            None => self.write(|txn, _| secret(txn)).await,
        }
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.presence.changes()
    }
}

fn quarantine(txn: &WriteTransaction, worker: WorkerId, reason: &str) -> Result<(), StoreStop> {
    let mut out = txn.open_table(QUARANTINE)?;
    if out.get(worker.0)?.is_none() {
        out.insert(worker.0, reason)?;
    }
    Ok(())
}

fn quarantined(txn: &ReadTransaction) -> Result<Vec<(WorkerId, String)>, StoreStop> {
    let out = txn.open_table(QUARANTINE)?;
    let rows = out.iter()?.map(|entry| {
        let (worker, reason) = entry?;
        Ok((WorkerId(worker.value()), reason.value().to_owned()))
    });
    rows.collect()
}

fn secret(txn: &WriteTransaction) -> Result<[u8; 32], StoreStop> {
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
) -> Result<Option<[u8; 32]>, StoreStop> {
    Ok(farm.get(SECRET_KEY)?.map(|secret| *secret.value()))
}
