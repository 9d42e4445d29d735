//! Claims and announcements, and the farm's durable data: quarantined workers and the secret.

use hatchery_core::Digest;
use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use tokio::time::Instant;
use ulid::Ulid;

use super::EmbeddedStore;
use super::error::StoreStop;
use super::tables::{FARM, QUARANTINE, SECRET_KEY};
use crate::membership::RunClaim;
use crate::{CoordinatorId, RunId, StoreError, WorkerId};

/// The number of ids that make a secret: each has 80 random bits of a cryptographic generator, so
/// these are more than the secret's 256.
const SECRET_IDS: usize = 4;

impl EmbeddedStore {
    pub(super) fn claim(&self, run: RunId, coordinator: CoordinatorId, progress: Vec<u8>) -> bool {
        self.presence.heard().claim(run, RunClaim { coordinator, progress }, Instant::now())
    }

    pub(super) fn unclaim(&self, run: RunId, coordinator: CoordinatorId) {
        self.presence
            .heard()
            .claims
            .retain(|of, (claim, _)| *of != run || claim.coordinator != coordinator);
    }

    pub(super) fn claimed(&self, run: RunId) -> Option<RunClaim> {
        self.presence.heard().claims.get(&run).map(|(claim, _)| claim.clone())
    }

    pub(super) fn announce(&self, coordinator: CoordinatorId, announcement: Vec<u8>) {
        self.presence.heard().announced.insert(coordinator, (announcement, Instant::now()));
    }

    pub(super) fn withdraw(&self, coordinator: CoordinatorId) {
        self.presence.heard().announced.remove(&coordinator);
    }

    pub(super) fn announced(&self) -> Vec<(CoordinatorId, Vec<u8>)> {
        let heard = self.presence.heard();
        heard.announced.iter().map(|(id, (said, _))| (*id, said.clone())).collect()
    }

    pub(super) async fn quarantine(
        &self,
        worker: WorkerId,
        reason: String,
    ) -> Result<(), StoreError> {
        self.write(move |txn, _| quarantine(txn, worker, &reason)).await
    }

    pub(super) async fn quarantined(&self) -> Result<Vec<(WorkerId, String)>, StoreError> {
        self.read(quarantined).await
    }

    pub(super) async fn find_quarantined(
        &self,
        workers: Vec<WorkerId>,
    ) -> Result<Vec<(WorkerId, String)>, StoreError> {
        self.read(move |txn| find_quarantined(txn, &workers)).await
    }

    pub(super) async fn secret(&self) -> Result<[u8; 32], StoreError> {
        let known = self.read(|txn| known_secret(&txn.open_table(FARM)?)).await?;
        match known {
            Some(secret) => Ok(secret),
            None => self.write(|txn, _| secret(txn)).await,
        }
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

fn find_quarantined(
    txn: &ReadTransaction,
    workers: &[WorkerId],
) -> Result<Vec<(WorkerId, String)>, StoreStop> {
    let out = txn.open_table(QUARANTINE)?;
    let mut found = Vec::new();
    for worker in workers {
        let reason = out.get(worker.0)?.map(|reason| reason.value().to_owned());
        found.extend(reason.map(|reason| (*worker, reason)));
    }
    Ok(found)
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
