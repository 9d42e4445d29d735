//! The signals that stop a process.

use std::future::{pending, ready};
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C and SIGTERM. Once they are listened for, neither ends the process by itself.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Starts to listen.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Resolves at the next signal.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
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

/// Resolves at Ctrl-C or SIGTERM.
pub(crate) async fn interrupted() {
    match StopSignals::listen() {
        Ok(mut signals) => signals.next().await,
        Err(_) => pending().await,
    }
}
