//! Where the bytes of parts are: in Redis, or in a directory. All coordinators of a database agree.
//!
//! The first coordinator decides, and the database records its choice. A directory has the id of
//! the farm, which comes from the farm's secret: so no two farms share a directory, and an
//! unmounted directory is noticed.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use hatchery_core::Digest;
use redis::cmd;

use super::connection::RedisConnection;
use super::error::RedisFailure;
use super::keys::{PART_PLACE, RUNS};
use super::part_keeper::PartKeeper;
use super::reply;
use crate::StoreError;
use crate::part_directory::{DirectoryFailure, PartDirectory};

/// The two places, as the database records them.
const IN_REDIS: &str = "redis";
const IN_DIRECTORY: &str = "directory";

/// The beginning of the bytes whose hash is a farm's id.
const ID_LABEL: &[u8] = b"hatchery parts of the farm with the secret ";

/// The place of the bytes of parts.
#[derive(Debug)]
pub(super) enum PartPlace {
    /// In Redis, beside everything else.
    Redis,
    /// In a directory.
    Directory {
        /// The directory.
        directory: Arc<PartDirectory>,
        /// Removes what nothing names.
        keeper: PartKeeper,
    },
}

impl PartPlace {
    /// Returns the place as the database records it.
    pub(super) fn record(&self) -> &'static str {
        match self {
            Self::Redis => IN_REDIS,
            Self::Directory { .. } => IN_DIRECTORY,
        }
    }
}

/// Agrees with the database at `place` that parts are in Redis.
pub(super) async fn agree_on_redis(link: &RedisConnection, place: &str) -> Result<(), StoreError> {
    if agreed(link, IN_REDIS).await.map_err(|trouble| trouble.at(place))? == IN_REDIS {
        return Ok(());
    }
    let what = format!(
        "the runs in {place} have theirs in a directory; give --parts with the directory that the \
         other coordinators use"
    );
    Err(StoreError::PartPlace { place: "Redis".to_owned(), what })
}

/// Agrees with the database at `place`, which has this secret, that parts are in the directory at
/// `path`, and returns the directory.
pub(super) async fn agree_on_directory(
    link: &RedisConnection,
    place: &str,
    path: &Path,
    secret: [u8; 32],
) -> Result<PartDirectory, StoreError> {
    let farm = Digest::of(&[ID_LABEL, &secret].concat());
    let directory = PartDirectory::open(path, farm)?;
    let wrong =
        |what: String| Err(StoreError::PartPlace { place: directory.place().to_owned(), what });
    let owner = match directory.owner().await {
        Err(error) if is_no_directory(&error) => {
            return wrong("there is no such directory; make or mount it".to_owned());
        }
        owner => owner?,
    };
    let known = known(link).await.map_err(|trouble| trouble.at(place))?;
    match (owner, known.as_deref()) {
        (_, Some(IN_REDIS)) => wrong(format!(
            "the runs in {place} have theirs in Redis; start the coordinator without --parts, or \
             give another database number, as in redis://HOST/1"
        )),
        (Some(owner), _) if owner != directory.farm() => wrong(format!(
            "it belongs to another farm than the one in {place}, or to the same one before its \
             Redis lost all data; give the directory of this farm, or an empty one to a new farm"
        )),
        (None, Some(_)) => wrong(format!(
            "it is not where the runs in {place} have theirs, as the file hatchery-parts is \
             missing; mount the directory that the other coordinators use"
        )),
        (owner, None) => {
            // The marker comes first: a directory that is recorded has one.
            if owner.is_none() {
                directory.mark().await?;
            }
            let agreed = agreed(link, IN_DIRECTORY).await.map_err(|trouble| trouble.at(place))?;
            match agreed == IN_DIRECTORY {
                true => Ok(directory),
                false => wrong(format!("another coordinator of {place} keeps them in Redis")),
            }
        }
        (Some(_), Some(_)) => Ok(directory),
    }
}

/// Returns the recorded place; `None` in a new database. A database with runs but without a record
/// is from a release that kept parts in Redis.
async fn known(link: &RedisConnection) -> Result<Option<String>, RedisFailure> {
    let recorded = link.ask(cmd("GET").arg(PART_PLACE)).await?;
    if let Some(recorded) = reply::maybe_bytes(recorded)? {
        return Ok(Some(String::from_utf8_lossy(&recorded).into_owned()));
    }
    let n_runs = reply::number(link.ask(cmd("ZCARD").arg(RUNS)).await?)?;
    Ok((n_runs != 0).then(|| IN_REDIS.to_owned()))
}

/// Records the place unless another place is recorded, and returns the recorded place.
async fn agreed(link: &RedisConnection, ours: &str) -> Result<String, RedisFailure> {
    link.ask(cmd("SET").arg(PART_PLACE).arg(ours).arg("NX")).await?;
    Ok(reply::text(link.ask(cmd("GET").arg(PART_PLACE)).await?)?)
}

/// Returns true if the path leads to no directory.
fn is_no_directory(error: &StoreError) -> bool {
    let StoreError::Unavailable { source, .. } = error else { return false };
    let Some(DirectoryFailure::Io(error)) = source.downcast_ref() else { return false };
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
