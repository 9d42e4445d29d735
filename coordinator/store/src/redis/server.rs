//! Checks that a server can hold runs, and has room for more.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::cmd;
use tokio::time::Instant;
use tracing::{info, warn};

use super::connection::RedisConnection;
use super::error::RedisFailure;
use super::keys::{PROBED, SCHEMA, TIDIED};
use super::reply;
use super::script::PROBE;
use crate::{StoreError, StoreMemory};

/// The version of the layout of the keys.
pub(super) const FORMAT: u32 = 2;

/// The remedy for a database that another release has filled.
const TOO_OLD: &str = "give another database number, as in redis://HOST/1; or let its runs finish \
                       with the release that wrote it, fetch them, and empty it with FLUSHDB";

/// The oldest server whose scripts can say that they go on without free memory.
const OLDEST: (u32, u32) = (7, 0);

/// The part of `maxmemory`, in percent, above which nothing more is enqueued: the rest is for
/// results and checkpoints.
const MOST_PERCENT: u64 = 80;

/// The time for which the server's report of its memory is used.
const MEMORY_KEPT: Duration = Duration::from_secs(1);

/// Checks that the server keeps its data, in a format that this build reads.
pub(super) async fn check(link: &RedisConnection, place: &str) -> Result<(), StoreError> {
    let info = ServerInfo::of(link, "default").await.map_err(|trouble| trouble.at(place))?;
    let unsuitable = |what| StoreError::Unsuitable { place: place.to_owned(), what };
    let version = info.get("redis_version").unwrap_or("unknown");
    if parse_version(version).is_none_or(|version| version < OLDEST) {
        let (major, minor) = OLDEST;
        return Err(unsuitable(format!(
            "its version is {version}, and Redis {major}.{minor} or later is needed"
        )));
    }
    if info.get("role") == Some("slave") {
        let what = "it is a replica, which takes no writes; give the address of its master";
        return Err(unsuitable(what.to_owned()));
    }
    let policy = info.get("maxmemory_policy").unwrap_or("unknown");
    if policy != "noeviction" {
        return Err(unsuitable(format!(
            "its maxmemory-policy is {policy}, with which it throws runs away when its memory is \
             full; set it to noeviction"
        )));
    }
    if info.get("cluster_enabled") == Some("1") {
        let what = "it is a cluster, and this build speaks to a single server";
        return Err(unsuitable(what.to_owned()));
    }
    check_format(link, place).await?;
    check_permissions(link, place).await?;
    if info.get("aof_enabled") != Some("1") {
        warn!(
            redis = place,
            "appendonly is off: a restart of Redis loses what happened since its last snapshot"
        );
    }
    Ok(())
}

/// The rewriting of a server's append-only file, as seen by this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AofRewrite {
    /// The file may need one.
    Unknown,
    /// This process has asked for it.
    Requested,
    /// The file is rewritten, or needs no rewriting.
    Done,
}

/// Makes a server rewrite its append-only file, once for each of its starts, and returns how far
/// that is; to be called again until it is done.
///
/// A file that is cut off in the middle of a transaction, for example by a power cut, keeps the
/// transaction's written commands. The server does not execute them at its next start, but leaves
/// them in the file, and at the start after that takes them for a part of the next transaction
/// (`MULTI` without `EXEC`; seen in Redis 7.0.15): jobs without their cursor, results of jobs that
/// are still leased.
///
/// # Errors
/// If the server can't say who it is, as while it loads: then it is to be asked again.
pub(super) async fn rewrite_aof(
    link: &RedisConnection,
    rewrite: AofRewrite,
) -> Result<AofRewrite, RedisFailure> {
    let info = ServerInfo::of(link, "default").await?;
    let Some(start) = info.get("run_id") else { return Ok(AofRewrite::Done) };
    let tidied = reply::maybe_bytes(link.ask(cmd("GET").arg(TIDIED)).await?)?;
    if info.get("aof_enabled") != Some("1") || tidied.is_some_and(|at| at == start.as_bytes()) {
        return Ok(AofRewrite::Done);
    }
    let is_busy = ["aof_rewrite_in_progress", "aof_rewrite_scheduled"]
        .into_iter()
        .any(|field| info.get(field) == Some("1"));
    match rewrite {
        _ if is_busy => return Ok(rewrite),
        AofRewrite::Requested if info.get("aof_last_bgrewrite_status") == Some("ok") => {
            info!("redis has rewritten its append-only file");
        }
        AofRewrite::Unknown | AofRewrite::Requested | AofRewrite::Done => {
            match link.ask(&cmd("BGREWRITEAOF")).await {
                Ok(_) => return Ok(AofRewrite::Requested),
                // Somebody else was first.
                Err(trouble) if trouble.to_string().contains("in progress") => {
                    return Ok(AofRewrite::Unknown);
                }
                Err(RedisFailure::Redis(error)) if error.code().is_some() => warn!(
                    %error,
                    "cannot rewrite the append-only file of Redis: run BGREWRITEAOF after a power \
                     cut and after its disk was full"
                ),
                Err(trouble) => return Err(trouble),
            }
        }
    }
    // A server that is full takes no note of it: then other stores ask it too, each of them once.
    if let Err(trouble) = link.ask(cmd("SET").arg(TIDIED).arg(start)).await {
        warn!(error = %trouble, "cannot record that the append-only file of Redis was handled");
    }
    Ok(AofRewrite::Done)
}

/// Has the append-only file rewritten once more, after the server could not write it, as on a full
/// disk: Redis 7.0 and Valkey 8 leave a hole of zeros in a file that they have rewritten before,
/// and do not start with it.
///
/// # Errors
/// If the server still can't write.
pub(super) async fn repair_aof(link: &RedisConnection) -> Result<(), RedisFailure> {
    link.ask(cmd("UNLINK").arg(TIDIED)).await?;
    warn!("redis could not write its append-only file for a while: it is rewritten now");
    link.signals().repaired();
    Ok(())
}

/// Returns whether the server is a replica.
///
/// # Errors
/// If the server does not answer.
pub(super) async fn is_replica(link: &RedisConnection) -> Result<bool, RedisFailure> {
    let info = ServerInfo::of(link, "replication").await?;
    Ok(info.get("role") == Some("slave"))
}

async fn check_format(link: &RedisConnection, place: &str) -> Result<(), StoreError> {
    let found = async {
        link.ask(cmd("SET").arg(SCHEMA).arg(FORMAT).arg("NX")).await?;
        Ok(reply::text(link.ask(cmd("GET").arg(SCHEMA)).await?)?)
    };
    let found = found.await.map_err(|trouble: RedisFailure| trouble.at(place))?;
    match found.parse() {
        Ok(FORMAT) => Ok(()),
        Ok(found) => Err(StoreError::wrong_format(place, found, FORMAT, TOO_OLD)),
        Err(_) => {
            let what = format!("{SCHEMA} is {found:?} instead of a number");
            Err(StoreError::Damaged { place: place.to_owned(), what })
        }
    }
}

/// The last report of the server on its memory.
#[derive(Debug, Default)]
pub(super) struct MemoryGuard {
    /// Shared by all who enqueue; never held while waiting.
    last: Mutex<Option<(Instant, StoreMemory)>>,
}

impl MemoryGuard {
    /// Checks that there is room for more jobs.
    pub(super) async fn check(&self, link: &RedisConnection) -> Result<(), RedisFailure> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = match last {
            Some((when, memory)) if when.elapsed() < MEMORY_KEPT => memory,
            _ => self.read(link).await?,
        };
        match memory {
            StoreMemory { used_bytes: used, limit_bytes: Some(most) }
                if most / 100 * MOST_PERCENT < used =>
            {
                Err(RedisFailure::NearlyFull { used, most })
            }
            StoreMemory { .. } => Ok(()),
        }
    }

    /// Asks the server for its memory.
    pub(super) async fn read(&self, link: &RedisConnection) -> Result<StoreMemory, RedisFailure> {
        let info = ServerInfo::of(link, "memory").await?;
        let memory =
            info.memory().ok_or(reply::MalformedReply { expected: "a report on memory" })?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Instant::now(), memory));
        Ok(memory)
    }
}

/// Checks that the user of this connection may run all commands that a store calls: a command that
/// is refused in the middle of a run would hold the run up.
async fn check_permissions(link: &RedisConnection, place: &str) -> Result<(), StoreError> {
    let mut call = cmd("EVALSHA");
    call.arg(PROBE.code.get_hash()).arg(1).arg(PROBED);
    let refused = async {
        let refused = reply::list(link.run(&PROBE, &call).await?)?;
        Ok(refused.into_iter().map(reply::text).collect::<Result<Vec<_>, _>>()?)
    };
    let refused = refused.await.map_err(|trouble: RedisFailure| trouble.at(place))?;
    if refused.is_empty() {
        return Ok(());
    }
    let what = format!(
        "its user may not run {}; give the user the permissions in deploy/redis/users.acl",
        refused.join(", ")
    );
    Err(StoreError::Unsuitable { place: place.to_owned(), what })
}

/// The server's report on itself.
struct ServerInfo(String);

impl ServerInfo {
    async fn of(link: &RedisConnection, section: &str) -> Result<Self, RedisFailure> {
        Ok(Self(reply::text(link.ask(cmd("INFO").arg(section)).await?)?))
    }

    fn get(&self, field: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))
    }

    /// Returns the server's memory; `None` if the report does not have it.
    fn memory(&self) -> Option<StoreMemory> {
        let number = |field| self.get(field)?.parse().ok();
        // A server without a limit says 0.
        let limit_bytes = Some(number("maxmemory")?).filter(|&limit| limit != 0);
        Some(StoreMemory { used_bytes: number("used_memory")?, limit_bytes })
    }
}

fn parse_version(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert!(OLDEST <= parse_version("7.0.15").unwrap());
        assert!(OLDEST <= parse_version("10.2").unwrap());
        assert!(parse_version("6.2.14").unwrap() < OLDEST);
        assert_eq!(parse_version("unknown"), None);
        assert_eq!(parse_version("7"), None);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let info = ServerInfo("# Memory\r\nused_memory_rss:9\r\nused_memory:7\r\n".to_owned());
        assert_eq!(info.get("used_memory"), Some("7"));
        assert_eq!(info.get("memory"), None);
    }

    #[test]
    fn a_server_without_maxmemory_has_no_limit() {
        let memory = |report: &str| ServerInfo(report.to_owned()).memory();
        let known = |limit_bytes| Some(StoreMemory { used_bytes: 7, limit_bytes });
        assert_eq!(memory("used_memory:7\r\nmaxmemory:0\r\n"), known(None));
        assert_eq!(memory("used_memory:7\r\nmaxmemory:9\r\n"), known(Some(9)));
        assert_eq!(memory("used_memory:7\r\n"), None);
        assert_eq!(memory("used_memory:much\r\nmaxmemory:9\r\n"), None);
    }
}
