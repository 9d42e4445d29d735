//! Where an experiment's own code runs: it may take long, and it may panic.

use hatchery_core::catch_panic;
use tokio::task;

/// Where code runs that is no I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComputePool {
    /// On threads of its own, beside the runtime.
    #[default]
    Threads,
    /// Where it is called: for a simulation in which nothing may happen at the same time.
    Inline,
}

impl ComputePool {
    /// Runs `act`.
    ///
    /// # Errors
    /// What a panic said, if it panicked.
    pub(crate) async fn lend<T: Send + 'static>(
        self,
        act: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        match self {
            Self::Inline => caught(act),
            Self::Threads => match task::spawn_blocking(move || caught(act)).await {
                Ok(outcome) => outcome,
                Err(error) => Err(error.to_string()),
            },
        }
    }
}

/// Runs `act`, an experiment's own code that is quick.
///
/// # Errors
/// What the panic said.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_panic(act).map_err(|panic| format!("panicked: {}", panic.message))
}
