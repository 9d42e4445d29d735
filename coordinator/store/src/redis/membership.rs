//! Claims, coordinators, quarantined workers and the farm's secret.

use std::str::FromStr;
use std::sync::PoisonError;

use hatchery_core::Digest;
use redis::{Cmd, Value, cmd};
use ulid::Ulid;

use super::reply::{self, MalformedReply};
use super::script::{BATCH, CLAIM, CLAIMED, UNCLAIM};
use super::server::FORMAT;
use super::{RedisStore, keys};
use crate::membership::{PRESENCE_TTL, RunClaim};
use crate::{CoordinatorId, RunId, StoreError, WorkerId};

/// The number of digits of an incarnation.
const HEX_LEN: usize = 32;

impl RedisStore {
    pub(super) async fn claim(
        &self,
        run: RunId,
        coordinator: CoordinatorId,
        progress: &[u8],
    ) -> Result<bool, StoreError> {
        let request = self.on(run, &CLAIM).arg(coordinator.to_string()).arg(progress);
        Ok(request.arg(presence_ms()).ask(reply::number).await? == 1)
    }

    pub(super) async fn unclaim(
        &self,
        run: RunId,
        coordinator: CoordinatorId,
    ) -> Result<(), StoreError> {
        self.on(run, &UNCLAIM).arg(coordinator.to_string()).done().await
    }

    pub(super) async fn claimed(&self, run: RunId) -> Result<Option<RunClaim>, StoreError> {
        let claim = |value| reply::maybe_bytes(value)?.map(|kept| parse_claim(&kept)).transpose();
        self.on(run, &CLAIMED).ask(claim).await
    }

    pub(super) async fn announce(
        &self,
        coordinator: CoordinatorId,
        announcement: &[u8],
    ) -> Result<(), StoreError> {
        let hex = coordinator.to_string();
        let mut set = cmd("SET");
        set.arg(keys::of_coordinator(&hex)).arg(announcement).arg("PX").arg(presence_ms());
        self.tell(&set).await?;
        self.tell(cmd("SADD").arg(keys::COORDINATORS).arg(hex)).await.map(drop)
    }

    pub(super) async fn withdraw(&self, coordinator: CoordinatorId) -> Result<(), StoreError> {
        let hex = coordinator.to_string();
        self.tell(cmd("SREM").arg(keys::COORDINATORS).arg(&hex)).await?;
        self.tell(cmd("UNLINK").arg(keys::of_coordinator(&hex))).await.map(drop)
    }

    pub(super) async fn announced(&self) -> Result<Vec<(CoordinatorId, Vec<u8>)>, StoreError> {
        let members = self.tell(cmd("SMEMBERS").arg(keys::COORDINATORS)).await?;
        let parse = || reply::list(members)?.into_iter().map(reply::text).collect();
        let members: Vec<String> = self.parsed(parse())?;
        let mut found = Vec::with_capacity(members.len());
        for hex in members {
            let key = keys::of_coordinator(&hex);
            // It holds for longer only if the clock of the server was set back.
            self.tell(cmd("PEXPIRE").arg(&key).arg(presence_ms()).arg("LT")).await?;
            let announcement = self.tell(cmd("GET").arg(key)).await?;
            match self.parsed(reply::maybe_bytes(announcement))? {
                Some(announcement) => found.push((self.parsed(parse_hex(&hex))?, announcement)),
                // It is gone without a word; one that is only late adds itself again.
                None => self.tell(cmd("SREM").arg(keys::COORDINATORS).arg(hex)).await.map(drop)?,
            }
        }
        found.sort_unstable_by_key(|(coordinator, _)| *coordinator);
        Ok(found)
    }

    pub(super) async fn quarantine(
        &self,
        worker: WorkerId,
        reason: &str,
    ) -> Result<(), StoreError> {
        let mut first = cmd("HSETNX");
        first.arg(keys::QUARANTINE).arg(worker.to_string()).arg(reason);
        self.tell(&first).await.map(drop)
    }

    pub(super) async fn quarantined(&self) -> Result<Vec<(WorkerId, String)>, StoreError> {
        let fields = self.tell(cmd("HGETALL").arg(keys::QUARANTINE)).await?;
        let mut workers = self.parsed(parse_quarantine(fields))?;
        workers.sort_unstable_by_key(|(worker, _)| *worker);
        Ok(workers)
    }

    /// Returns the quarantined workers among `workers`, whose number alone decides the cost.
    pub(super) async fn find_quarantined(
        &self,
        workers: &[WorkerId],
    ) -> Result<Vec<(WorkerId, String)>, StoreError> {
        let mut found = Vec::new();
        for slice in workers.chunks(BATCH) {
            let mut get = cmd("HMGET");
            get.arg(keys::QUARANTINE);
            slice.iter().for_each(|worker| _ = get.arg(worker.to_string()));
            let reasons = self.parsed(reply::list(self.tell(&get).await?))?;
            for (worker, reason) in slice.iter().zip(reasons) {
                if reason != Value::Nil {
                    found.push((*worker, self.parsed(reply::text(reason))?));
                }
            }
        }
        Ok(found)
    }

    pub(super) async fn secret(&self) -> Result<[u8; 32], StoreError> {
        let mut secret = self.tell(&get_secret()).await?;
        if secret == Value::Nil {
            // The server is new, or has lost all data. The first secret stays, whoever brings it.
            let known = *self.secret.lock().unwrap_or_else(PoisonError::into_inner);
            if known.is_some() {
                let place = self.part_place.record();
                self.tell(cmd("SET").arg(keys::PART_PLACE).arg(place).arg("NX")).await?;
            }
            let known = known.unwrap_or_else(fresh_secret);
            self.tell(cmd("SET").arg(keys::SCHEMA).arg(FORMAT).arg("NX")).await?;
            self.tell(cmd("SET").arg(keys::SECRET).arg(&known[..]).arg("NX")).await?;
            secret = self.tell(&get_secret()).await?;
        }
        let secret = self.parsed(parse_secret(secret))?;
        *self.secret.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret);
        Ok(secret)
    }
}

fn presence_ms() -> u64 {
    u64::try_from(PRESENCE_TTL.as_millis()).unwrap_or(u64::MAX)
}

fn get_secret() -> Cmd {
    let mut get = cmd("GET");
    get.arg(keys::SECRET);
    get
}

/// Returns 32 unpredictable bytes: every ULID has 80 bits from the system's randomness.
fn fresh_secret() -> [u8; 32] {
    let parts = [(); 4].map(|()| Ulid::generate().to_bytes());
    *Digest::of(&parts.concat()).as_bytes()
}

fn parse_secret(value: Value) -> Result<[u8; 32], MalformedReply> {
    reply::bytes(value)?.try_into().map_err(|_| MalformedReply { expected: "a secret of 32 bytes" })
}

fn parse_hex<Id: FromStr>(hex: &str) -> Result<Id, MalformedReply> {
    hex.parse().map_err(|_| MalformedReply { expected: "an incarnation" })
}

pub(super) fn parse_claim(kept: &[u8]) -> Result<RunClaim, MalformedReply> {
    let expected = "a claim";
    let (hex, progress) = kept.split_at_checked(HEX_LEN).ok_or(MalformedReply { expected })?;
    let hex = str::from_utf8(hex).map_err(|_| MalformedReply { expected })?;
    Ok(RunClaim { coordinator: parse_hex(hex)?, progress: progress.to_owned() })
}

fn parse_quarantine(value: Value) -> Result<Vec<(WorkerId, String)>, MalformedReply> {
    let mut fields = reply::list(value)?.into_iter();
    let mut workers = Vec::new();
    while let (Some(worker), Some(reason)) = (fields.next(), fields.next()) {
        workers.push((parse_hex(&reply::text(worker)?)?, reply::text(reason)?));
    }
    Ok(workers)
}
