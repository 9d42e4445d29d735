//! A connection to the server that comes back by itself, and never keeps its caller waiting.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, ErrorKind, RedisError, ServerErrorKind, Value, cmd};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use tracing::{debug, warn};

use super::error::RedisFailure;
use super::script::{LuaScript, Repeat};

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

/// The silence of a server after which a connection without calls pings it. A server with the
/// setting `timeout`, a NAT or a load balancer cuts connections that carry nothing for longer. NATs
/// cut without a word.
pub(super) const PING_AFTER: Duration = Duration::from_secs(1);

/// The interval at which that silence is measured.
const LISTEN_EVERY: Duration = Duration::from_millis(500);

/// The time that the server has to answer a ping before the connection is replaced.
pub(super) const PING_DEADLINE: Duration = Duration::from_secs(1);

/// The silence after which a call waits for the answer to a ping first: this process was halted, so
/// that it could not ping, and the connection may be gone.
const PROBE_AFTER: Duration = Duration::from_secs(3);

/// The same for a call that is never sent again: less than the least `timeout` of a server, which
/// is a second, so that no server cuts the connection just before such a call.
const PROBE_UNREPEATED_AFTER: Duration = Duration::from_millis(500);

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
    /// The time of the server's last answer.
    heard_at: Mutex<Instant>,
    /// The number of calls that wait for an answer.
    n_waiting: AtomicUsize,
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
    /// Connects to the server, for calls that take `deadline` at most. A connection without calls
    /// pings the server as long as the returned value lives.
    pub(super) async fn open(
        client: Client,
        signals: Arc<ServerSignals>,
        deadline: Duration,
    ) -> Result<Arc<Self>, RedisFailure> {
        let connect = ConnectionManager::new_with_config(client.clone(), config(deadline));
        let manager = in_time(CALL_DEADLINE, async { Ok(connect.await?) }).await?;
        let connection = Arc::new(Self {
            client,
            manager: RwLock::new(manager),
            failing_since: Mutex::new(None),
            renewed_at: Mutex::new(None),
            heard_at: Mutex::new(Instant::now()),
            n_waiting: AtomicUsize::new(0),
            signals,
            deadline,
        });
        tokio::spawn(keep_alive(Arc::downgrade(&connection)));
        Ok(connection)
    }

    /// Returns the connections' observations of the server.
    pub(super) fn signals(&self) -> &ServerSignals {
        &self.signals
    }

    /// Sends a command, which may be sent again, and returns the server's answer.
    pub(super) async fn ask(&self, command: &Cmd) -> Result<Value, RedisFailure> {
        self.call(command, Repeat::Safe).await
    }

    /// Runs a script and returns its answer. `call` calls the script by its hash, which a restarted
    /// server has forgotten.
    pub(super) async fn run(&self, script: &LuaScript, call: &Cmd) -> Result<Value, RedisFailure> {
        match self.call(call, script.repeat).await {
            Err(RedisFailure::Redis(error))
                if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) =>
            {
                debug!(script = script.name, "script loaded");
                let mut manager = self.manager();
                let load = async { Ok(script.code.load_async(&mut manager).await?) };
                self.note(in_time(self.deadline, load).await)?;
                self.call(call, script.repeat).await
            }
            answer => answer,
        }
    }

    async fn call(&self, command: &Cmd, repeat: Repeat) -> Result<Value, RedisFailure> {
        let _waiting = WaitingCall::new(&self.n_waiting);
        let ask = async {
            let probe_after = match repeat {
                Repeat::Safe => PROBE_AFTER,
                Repeat::Never => PROBE_UNREPEATED_AFTER,
            };
            if probe_after <= self.silence() {
                self.probe().await;
            }
            let mut answer = self.send(command).await;
            if repeat == Repeat::Safe && answer.as_ref().is_err_and(is_broken) {
                debug!("the connection to redis broke; sending a call again");
                answer = self.send(command).await;
            }
            Ok(answer?)
        };
        self.note(in_time(self.deadline, ask).await)
    }

    /// Sends a command once.
    async fn send(&self, command: &Cmd) -> Result<Value, RedisError> {
        let answer = self.manager().send_packed_command(command).await;
        // An error that has a code comes from the server.
        if answer.as_ref().err().is_none_or(|error| error.code().is_some()) {
            *self.heard_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
        answer?.extract_error()
    }

    /// Returns the time since the server's last answer.
    fn silence(&self) -> Duration {
        self.heard_at.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Pings the server, unless it has answered just now or calls wait for its answers. Calls that
    /// wait in vain are no reason to keep a connection.
    async fn ping_if_silent(&self) {
        let (silence, n_waiting) = (self.silence(), self.n_waiting.load(Ordering::Relaxed));
        if PING_AFTER <= silence && (n_waiting == 0 || self.deadline <= silence) {
            self.probe().await;
        }
    }

    /// Pings the server, and replaces the connection if no answer comes in time. Any answer is good
    /// enough, also an error of the server.
    async fn probe(&self) {
        let ping = cmd("PING");
        let answered = timeout(PING_DEADLINE, self.send(&ping)).await;
        if answered.is_err() {
            debug!("redis does not answer a ping; connecting from scratch");
            self.renew();
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

/// A call while it waits for its answer.
struct WaitingCall<'a>(&'a AtomicUsize);

impl<'a> WaitingCall<'a> {
    fn new(n_waiting: &'a AtomicUsize) -> Self {
        n_waiting.fetch_add(1, Ordering::Relaxed);
        Self(n_waiting)
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Pings the server of a connection without calls, until the connection is dropped.
async fn keep_alive(connection: Weak<RedisConnection>) {
    loop {
        sleep(LISTEN_EVERY).await;
        let Some(connection) = connection.upgrade() else { return };
        connection.ping_if_silent().await;
    }
}

/// Returns whether a call failed because its connection broke. A server that refuses connections is
/// not there, so that a second call would fail as well.
fn is_broken(error: &RedisError) -> bool {
    error.is_connection_dropped() && !error.is_connection_refusal()
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
