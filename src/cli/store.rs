//! The arguments for the store of a coordinator.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use hatchery_core::error_chain;
use hatchery_server::{certificates, private_key, read_secret};
use hatchery_store::{
    EmbeddedStore, PartDirectoryOptions, RedisOptions, RedisStore, Store, StoreError,
};
use tokio::sync::oneshot;

use crate::environment::variable;
use crate::error::{CommandError, UsageError};

/// The file of the embedded store unless a flag or variable names another.
const DEFAULT_STORE: &str = "hatchery.redb";

/// The pause between attempts to reach a Redis that does not answer.
const CONNECT_AGAIN: Duration = Duration::from_millis(500);

/// The interval at which a wait for Redis is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The longest wait for a Redis that loads its data: tens of gigabytes from a slow disk.
const LOADING_TIMEOUT: Duration = Duration::from_secs(600);

/// The place of runs and parts.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Store")]
pub(super) struct StoreArgs {
    /// Redis server that stores the runs, such as redis://127.0.0.1/ or rediss://HOST:6380/0 for
    /// TLS; a URL with a password belongs in --redis-file or the variable [env: HATCHERY_REDIS]
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    redis: Option<String>,
    /// File with the URL of the Redis server, read once at the start [env: HATCHERY_REDIS_FILE]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["store", "redis"])]
    redis_file: Option<PathBuf>,
    /// Trust only certificates of Redis that are signed by this CA (PEM)
    #[arg(long, value_name = "FILE", env = "HATCHERY_REDIS_CA")]
    redis_ca: Option<PathBuf>,
    /// Client certificate for Redis, followed by its chain (PEM)
    #[arg(long, value_name = "FILE", env = "HATCHERY_REDIS_CERT", requires = "redis_key")]
    redis_cert: Option<PathBuf>,
    /// Private key of the client certificate for Redis (PEM)
    #[arg(long, value_name = "FILE", env = "HATCHERY_REDIS_KEY", requires = "redis_cert")]
    redis_key: Option<PathBuf>,
    /// File that stores the runs without Redis, for a farm with one coordinator
    /// [env: HATCHERY_STORE] [default: hatchery.redb]
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// Where to store large values: `redis`, or a directory shared by all coordinators of the
    /// Redis, such as /srv/parts
    #[arg(long, value_name = "redis|DIR", env = "HATCHERY_PARTS", default_value = "redis",
          value_parser = OsStringValueParser::new().try_map(PartsLocation::parse))]
    parts: PartsLocation,
    /// Longest time to wait for a Redis that does not answer, such as 60s; a Redis that loads its
    /// data always gets up to 10 minutes
    #[arg(long, value_name = "DURATION", env = "HATCHERY_WAIT_FOR_STORE", default_value = "0s",
          value_parser = humantime::parse_duration)]
    wait_for_store: Duration,
}

/// The place of the bytes of parts, on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PartsLocation {
    /// In Redis.
    Redis,
    /// In a directory.
    Directory(PathBuf),
}

impl PartsLocation {
    /// Parses `redis`, or a directory for parts and nothing else.
    fn parse(place: OsString) -> Result<Self, &'static str> {
        if place == "redis" {
            return Ok(Self::Redis);
        }
        let path = PathBuf::from(place);
        let has_name = |part: Component<'_>| !matches!(part, Component::RootDir);
        match path.components().any(has_name) {
            true => Ok(Self::Directory(path)),
            false if path.as_os_str().is_empty() => {
                Err("empty, but must be `redis` or a directory")
            }
            false => Err("a directory of its own is needed, such as /srv/parts"),
        }
    }
}

/// The place of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum StoreLocation {
    /// The URL of a Redis.
    Redis(String),
    /// A file with the URL of a Redis.
    RedisFile(PathBuf),
    /// The file of an embedded store.
    Embedded(PathBuf),
}

/// An open store.
pub(super) struct OpenedStore {
    pub(super) store: Store,
    /// Gets the error with which an embedded store is lost to this process.
    pub(super) loss: Option<oneshot::Receiver<StoreError>>,
}

impl OpenedStore {
    /// Returns the error with which the store is lost to this process; waits for ever if that does
    /// not happen.
    pub(super) async fn lost(loss: Option<oneshot::Receiver<StoreError>>) -> StoreError {
        if let Some(loss) = loss
            && let Ok(error) = loss.await
        {
            return error;
        }
        std::future::pending().await
    }
}

impl StoreArgs {
    /// Opens the store that the flags give, or the variables if there are no flags. A Redis that
    /// does not answer is waited for.
    pub(super) async fn open(&self) -> Result<OpenedStore, CommandError> {
        let flags = [
            self.redis.clone().map(StoreLocation::Redis),
            self.redis_file.clone().map(StoreLocation::RedisFile),
            self.store.clone().map(StoreLocation::Embedded),
        ];
        let text = |value: OsString| value.to_string_lossy().into_owned();
        let variables = [
            variable("HATCHERY_REDIS").map(text).map(StoreLocation::Redis),
            variable("HATCHERY_REDIS_FILE").map(PathBuf::from).map(StoreLocation::RedisFile),
            variable("HATCHERY_STORE").map(PathBuf::from).map(StoreLocation::Embedded),
        ];
        let path = match location(flags, variables)? {
            Some(StoreLocation::Redis(url)) => return self.open_redis(&url).await,
            Some(StoreLocation::RedisFile(path)) => return self.open_redis(&url_in(&path)?).await,
            _ if self.parts != PartsLocation::Redis => {
                return Err(UsageError::PartsWithoutRedis.into());
            }
            _ if self.redis_ca.is_some() || self.redis_cert.is_some() => {
                return Err(UsageError::CertificatesWithoutRedis.into());
            }
            Some(StoreLocation::Embedded(path)) => path,
            None => PathBuf::from(DEFAULT_STORE),
        };
        // Opening reads the whole file.
        let opened = tokio::task::spawn_blocking(move || EmbeddedStore::open(&path)).await;
        let opened = opened.map_err(CommandError::set_up)?;
        let mut store = opened.map_err(CommandError::StoreNotOpened)?;
        let loss = Some(store.on_loss());
        Ok(OpenedStore { store: Store::new(store), loss })
    }

    async fn open_redis(&self, url: &str) -> Result<OpenedStore, CommandError> {
        let mut options = RedisOptions::new(url);
        if let Some(path) = &self.redis_ca {
            options = options.trusting(&certificates(path)?);
        }
        if let (Some(certificate), Some(key)) = (&self.redis_cert, &self.redis_key) {
            options = options.showing(&certificates(certificate)?, &private_key(key)?);
        }
        if let PartsLocation::Directory(path) = &self.parts {
            options = options.with_parts_in(PartDirectoryOptions::new(path));
        }
        options.check().map_err(UsageError::StoreLocation)?;
        let store = Store::new(open_redis(&options, self.wait_for_store).await?);
        Ok(OpenedStore { store, loss: None })
    }
}

/// Returns the location that the flags give, or the variables if there are no flags.
fn location(
    flags: [Option<StoreLocation>; 3],
    variables: [Option<StoreLocation>; 3],
) -> Result<Option<StoreLocation>, UsageError> {
    for source in [flags, variables] {
        let mut given = source.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(_), Some(_)) => return Err(UsageError::TwoStores),
            (Some(location), None) => return Ok(Some(location)),
            (None, _) => {}
        }
    }
    Ok(None)
}

/// Returns the URL in a file, which only its owner and its group may read.
fn url_in(path: &Path) -> Result<String, CommandError> {
    let text = String::from_utf8(read_secret(path)?).ok();
    let url = text.as_deref().map(str::trim).filter(|url| !url.is_empty());
    let no_url = || UsageError::NoUrlInFile { path: path.to_owned() };
    Ok(url.ok_or_else(no_url)?.to_owned())
}

/// Connects to a Redis, again and again for as long as `wait` while it does not answer, and for
/// [`LOADING_TIMEOUT`] once it has answered that it loads its data.
async fn open_redis(options: &RedisOptions, wait: Duration) -> Result<RedisStore, CommandError> {
    let begun = Instant::now();
    let mut wait = wait;
    let mut logged: Option<(bool, Instant)> = None;
    loop {
        let error = match RedisStore::open_with(options).await {
            Err(error @ StoreError::Unavailable { .. }) if !error.is_denied() => error,
            opened => return opened.map_err(redis_error),
        };
        let loading = error.is_loading();
        if loading {
            // It answers rarely meanwhile.
            wait = wait.max(LOADING_TIMEOUT);
        }
        if wait <= begun.elapsed() {
            return Err(redis_error(error));
        }
        if logged.is_none_or(|(of, at)| of != loading || LOG_INTERVAL <= at.elapsed()) {
            let is_of_directory = error.is_of_directory();
            let (waited_s, error) = (begun.elapsed().as_secs(), error_chain(&error));
            match loading {
                true => tracing::warn!(waited_s, "waiting for Redis, which loads its data"),
                false if is_of_directory => {
                    tracing::warn!(waited_s, error, "the directory of parts cannot be used yet");
                }
                false => tracing::warn!(waited_s, error, "the store does not answer yet"),
            }
            logged = Some((loading, Instant::now()));
        }
        tokio::time::sleep(CONNECT_AGAIN).await;
    }
}

/// Converts the error of opening a Redis; a malformed URL or file is wrong usage.
fn redis_error(error: StoreError) -> CommandError {
    match error {
        error if error.is_denied() => CommandError::StoreDenied(error),
        // Redis answers.
        error if error.is_of_directory() => CommandError::StoreNotOpened(error),
        error @ StoreError::Unavailable { .. } => CommandError::NoStore(error),
        error => CommandError::StoreNotOpened(error),
    }
}
