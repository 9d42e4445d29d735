//! A dialer that reads its files again for each connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hatchery_core::error_chain;
use hatchery_worker::{CallCredentials, DialError, Dialer, TcpDialer};
use tonic::transport::Channel;

use super::connect::ConnectArgs;
use crate::error::CommandError;

/// Dials with the certificates and the token that the files hold at the time, for a process that
/// runs for months. Files that cannot be used change nothing.
#[derive(Debug)]
pub(crate) struct ReloadingDialer {
    args: ConnectArgs,
    /// Behind a lock, as a dialer is shared.
    state: Mutex<ReloadState>,
}

#[derive(Debug)]
struct ReloadState {
    /// The dialer that was read last.
    current: Arc<TcpDialer>,
    /// The error of the last read, if it failed: a worker that reconnects for hours logs it once.
    error: Option<String>,
}

impl ReloadingDialer {
    /// Reads the files that `args` name.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be used.
    pub(crate) fn new(args: ConnectArgs) -> Result<Self, CommandError> {
        let state = ReloadState { current: Arc::new(args.dial()?), error: None };
        Ok(Self { args, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, ReloadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the files, and returns the dialer to use.
    async fn reload(&self) -> Arc<TcpDialer> {
        let args = self.args.clone();
        let dialer = tokio::task::spawn_blocking(move || args.dial()).await;
        let mut state = self.state();
        match dialer {
            Ok(Ok(dialer)) => {
                *state = ReloadState { current: Arc::new(dialer), error: None };
            }
            Ok(Err(error)) => {
                let error = error_chain(&error);
                if state.error.as_ref() != Some(&error) {
                    tracing::error!(
                        error,
                        "cannot use the new certificates or token; the previous ones stay"
                    );
                    state.error = Some(error);
                }
            }
            // The process ends.
            Err(_) => {}
        }
        Arc::clone(&state.current)
    }
}

#[tonic::async_trait]
impl Dialer for ReloadingDialer {
    async fn dial(&self, endpoint: &str) -> Result<Channel, DialError> {
        self.reload().await.dial(endpoint).await
    }

    fn credentials(&self) -> CallCredentials {
        self.state().current.credentials()
    }
}
