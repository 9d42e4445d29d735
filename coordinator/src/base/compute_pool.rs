//! Runs an experiment's own code, which may take long and may panic.

use hatchery_core::catch_panic;
use tokio::task;

/// Runs CPU-bound experiment code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComputePool {
    /// On blocking threads beside the runtime.
    #[default]
    Threads,
    /// On the calling thread: for a simulation without parallelism.
    Inline,
}

impl ComputePool {
    /// Runs `act`.
    ///
    /// # Errors
    /// The message of a panic.
    pub(crate) async fn run<T: Send + 'static>(
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

/// Runs `act`, quick experiment code, on the calling thread.
///
/// # Errors
/// The message of a panic.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_panic(act).map_err(|panic| format!("panicked: {}", panic.message))
}
