//! The signals that stop a process.

use std::fs;
use std::future::{pending, ready};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::Signal as Number;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::key_input::restore_terminal;

/// True once a signal has come.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// Ctrl-C, SIGTERM, and SIGHUP, which comes when the terminal goes away. Once they are listened
/// for, none ends the process by itself.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` if it is ignored, as `nohup` wants it.
    hang_up: Option<Signal>,
}

impl StopSignals {
    /// Starts to listen.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: match is_ignored(Number::HUP) {
                true => None,
                false => Some(signal(SignalKind::hangup())?),
            },
        })
    }

    /// Resolves at the next signal.
    pub(crate) async fn next(&mut self) {
        let hung_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = hung_up => {}
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        HAS_COME.store(true, Ordering::Relaxed);
    }

    /// Returns true if a signal has come since the last returned signal.
    pub(crate) async fn has_come(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.next() => true,
            () = ready(()) => false,
        }
    }
}

/// Returns true if the process was started so that it ignores a signal, or if the system does not
/// say.
fn is_ignored(signal: Number) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|digits| u128::from_str_radix(digits.trim(), 16).ok());
    ignored.is_none_or(|ignored| ignored >> (signal.as_raw() - 1) & 1 == 1)
}

/// Makes a file that is too large for the limit of the process an error of its writer, like a full
/// disk, instead of the end of the process. To be called in a runtime.
pub(crate) fn refuse_large_files() {
    // Once the signal has a listener, it does nothing by itself, also after the listener is gone.
    if let Err(error) = signal(SignalKind::from_raw(Number::XFSZ.as_raw())) {
        tracing::debug!(%error, "a file that is too large ends the process");
    }
}

/// The exit code of a process that was ended by a signal and could not end by itself.
const INTERRUPTED: i32 = 130;

/// The time for a process to end by itself after a signal.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Resolves at Ctrl-C, SIGTERM or SIGHUP, for a command that has little to put in order. If the
/// process has not ended two seconds later, it is ended: its standard output may be a terminal that
/// is halted, or a pipe that nobody reads.
pub(crate) async fn interrupted() {
    let Ok(mut signals) = StopSignals::listen() else { return pending().await };
    let (sender, come) = oneshot::channel();
    // In a task of its own, which ends with this future: the task that waits may be the task that
    // cannot write.
    let mut listener = JoinSet::new();
    listener.spawn(async move {
        signals.next().await;
        let (running, ended) = channel();
        in_thread(move || {
            let _running = running;
            end_unless(&ended);
        });
        sender.send(()).unwrap_or(());
    });
    come.await.unwrap_or(());
}

/// Runs `write`, which writes to standard output and so may hang. After a signal, before or during
/// `write`, the process has two seconds until it is ended.
pub(crate) fn unless_stopped<T>(write: impl FnOnce() -> T) -> T {
    // Without a runtime nobody listens for signals, so a signal ends the process.
    let Ok(runtime) = Handle::try_current() else { return write() };
    let (writing, written) = channel();
    let mut listener = JoinSet::new();
    let listen = async move {
        if !HAS_COME.load(Ordering::Relaxed) {
            let Ok(mut signals) = StopSignals::listen() else { return };
            signals.next().await;
        }
        in_thread(move || end_unless(&written));
    };
    listener.spawn_on(listen, &runtime);
    let answer = write();
    drop(writing);
    answer
}

/// Runs `end` in a thread of its own. The process ends at once if the system refuses the thread.
fn in_thread(end: impl FnOnce() + Send + 'static) {
    if thread::Builder::new().spawn(end).is_err() {
        exit();
    }
}

/// Ends the process, unless the sender of `ended` is dropped before.
fn end_unless(ended: &Receiver<()>) {
    if ended.recv_timeout(END_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
        exit();
    }
}

fn exit() {
    restore_terminal();
    #[expect(clippy::exit, reason = "the main thread hangs")]
    std::process::exit(INTERRUPTED);
}
