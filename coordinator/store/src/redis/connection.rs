//! A connection to the server that comes back by itself, and never keeps its caller waiting.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, ErrorKind, ServerErrorKind, Value};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use tracing::{debug, warn};

use super::error::RedisFailure;
use super::script::LuaScript;

/// The longest time of a call, reconnecting included: leases are renewed and claims repeated
/// several times before they end, so a call that hangs must end well before them.
pub(super) const CALL_DEADLINE: Duration = Duration::from_secs(3);

/// The same for a chunk of a part, once it has its turn. Chunks have a connection of their own,
/// with at most [`PART_CALLS`] chunks on it: 4 MiB, which a line of 500 kB/s carries in that time.
/// So the time for a whole part grows with its size, 10 seconds for each chunk.
pub(super) const PART_DEADLINE: Duration = Duration::from_secs(10);

/// The most calls about parts at a time: enough that a distant server is not waited for.
pub(super) const PART_CALLS: usize = 16;

/// The longest wait for a turn among these calls: other calls finish meanwhile, or fail after
/// [`PART_DEADLINE`].
pub(super) const PART_TURN_DEADLINE: Duration = Duration::from_secs(30);

/// The part of a call's deadline that is left when the server's time for an answer is over, so that
/// the manager notices the silence and connects again.
const AFTER_SILENCE: Duration = Duration::from_millis(500);

/// The longest time of connecting: enough for the other side of the world.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// The attempts of the manager to connect for one call, and the waits between them: twice and
/// briefly, since the caller tries again too.
const RETRIES: usize = 2;
const RETRY_DELAY: Duration = Duration::from_millis(50);
const MAX_RETRY_DELAY: Duration = Duration::from_millis(200);

/// The number of calls of this process that may wait for one connection; the crate's 50 are too few
/// for the sessions of a coordinator.
const MAX_CALLS_WAITING: usize = 1024;

/// The time without any success after which the manager is replaced. It recovers by itself from the
/// errors of the system, but not from the errors that the server sends at the beginning of a
/// connection, such as too many clients.
const GIVE_UP_AFTER: Duration = Duration::from_secs(10);

/// The least time between two connections that are dropped because they lead to a replica.
const RENEW_EVERY: Duration = Duration::from_millis(200);

/// Facts about a server that its connections noticed.
#[derive(Debug, Default)]
pub(super) struct ServerSignals {
    /// The server could not write its append-only file, and that was not repaired since.
    write_failed: AtomicBool,
    /// A connection led to a replica and was dropped.
    pub(super) handed_over: Notify,
}

impl ServerSignals {
    /// Returns whether the server could not write its append-only file.
    pub(super) fn write_failed(&self) -> bool {
        self.write_failed.load(Ordering::Relaxed)
    }

    /// Notes that the append-only file is whole again.
    pub(super) fn repaired(&self) {
        self.write_failed.store(false, Ordering::Relaxed);
    }
}

/// A connection to the server.
pub(super) struct RedisConnection {
    client: Client,
    /// The manager, behind a lock since it is replaced when it stays broken; never held while
    /// waiting.
    manager: RwLock<ConnectionManager>,
    /// The time since which every call has failed.
    failing_since: Mutex<Option<Instant>>,
    renewed_at: Mutex<Option<Instant>>,
    signals: Arc<ServerSignals>,
    /// The longest time of a call.
    deadline: Duration,
}

impl fmt::Debug for RedisConnection {
    // The client knows the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisConnection")
            .field("failing_since", &self.failing_since)
            .finish_non_exhaustive()
    }
}

impl RedisConnection {
    /// Connects to the server, for calls that take `deadline` at most.
    pub(super) async fn open(
        client: Client,
        signals: Arc<ServerSignals>,
        deadline: Duration,
    ) -> Result<Self, RedisFailure> {
        let connect = ConnectionManager::new_with_config(client.clone(), config(deadline));
        let manager = in_time(CALL_DEADLINE, async { Ok(connect.await?) }).await?;
        Ok(Self {
            client,
            manager: RwLock::new(manager),
            failing_since: Mutex::new(None),
            renewed_at: Mutex::new(None),
            signals,
            deadline,
        })
    }

    /// Returns the connections' observations of the server.
    pub(super) fn signals(&self) -> &ServerSignals {
        &self.signals
    }

    /// Sends a command and returns the server's answer.
    pub(super) async fn ask(&self, command: &Cmd) -> Result<Value, RedisFailure> {
        let mut manager = self.manager();
        let ask = async { Ok(manager.send_packed_command(command).await?) };
        let answer = in_time(self.deadline, ask).await;
        self.note(answer.and_then(|value| Ok(value.extract_error()?)))
    }

    /// Runs a script and returns its answer. `call` calls the script by its hash, which a restarted
    /// server has forgotten.
    pub(super) async fn run(&self, script: &LuaScript, call: &Cmd) -> Result<Value, RedisFailure> {
        match self.ask(call).await {
            Err(RedisFailure::Redis(error))
                if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) =>
            {
                debug!(script = script.name, "script loaded");
                let mut manager = self.manager();
                let load = async { Ok(script.code.load_async(&mut manager).await?) };
                self.note(in_time(self.deadline, load).await)?;
                self.ask(call).await
            }
            answer => answer,
        }
    }

    fn manager(&self) -> ConnectionManager {
        self.manager.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records the outcome of a call, and connects again when all calls fail.
    fn note<T>(&self, answer: Result<T, RedisFailure>) -> Result<T, RedisFailure> {
        match answer.as_ref().err().and_then(RedisFailure::code) {
            Some("READONLY" | "MASTERDOWN") => self.leave_replica(),
            Some("MISCONF") => self.signals.write_failed.store(true, Ordering::Relaxed),
            _ => {}
        }
        let mut since = self.failing_since.lock().unwrap_or_else(PoisonError::into_inner);
        if answer.is_ok() {
            *since = None;
        } else if GIVE_UP_AFTER <= since.get_or_insert_with(Instant::now).elapsed() {
            *since = Some(Instant::now());
            warn!("redis does not answer; connecting from scratch");
            self.renew();
        }
        answer
    }

    /// Drops a connection to a server that has become a replica: the master is elsewhere, and a new
    /// connection to the same address leads there once its name or proxy does.
    pub(super) fn leave_replica(&self) {
        let mut renewed_at = self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if renewed_at.is_some_and(|at| at.elapsed() < RENEW_EVERY) {
            return;
        }
        *renewed_at = Some(Instant::now());
        warn!("redis has become a replica; connecting again, to reach the master");
        self.renew();
        self.signals.handed_over.notify_one();
    }

    /// Replaces the connection.
    fn renew(&self) {
        match ConnectionManager::new_lazy_with_config(self.client.clone(), config(self.deadline)) {
            Ok(anew) => *self.manager.write().unwrap_or_else(PoisonError::into_inner) = anew,
            Err(error) => warn!(%error, "cannot connect to redis"),
        }
    }
}

/// Returns the answer, or [`RedisFailure::NoAnswer`] after `deadline`.
pub(super) async fn in_time<T>(
    deadline: Duration,
    answer: impl Future<Output = Result<T, RedisFailure>>,
) -> Result<T, RedisFailure> {
    let late = |_| RedisFailure::NoAnswer { within: deadline };
    timeout(deadline, answer).await.map_err(late)?
}

fn config(deadline: Duration) -> ConnectionManagerConfig {
    ConnectionManagerConfig::new()
        .set_response_timeout(Some(deadline.saturating_sub(AFTER_SILENCE)))
        .set_connection_timeout(Some(CONNECT_TIMEOUT))
        .set_number_of_retries(RETRIES)
        .set_min_delay(RETRY_DELAY)
        .set_max_delay(MAX_RETRY_DELAY)
        .set_pipeline_buffer_size(MAX_CALLS_WAITING)
}
