//! Where an experiment's own code runs: it may take long, and it may panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where code runs that is no I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hands {
    /// On threads of its own, beside the runtime.
    #[default]
    Threads,
    /// Where it is called: for a simulation in which nothing may happen at the same time.
    Inline,
}

impl Hands {
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
            Self::Threads => match tokio::task::spawn_blocking(move || caught(act)).await {
                Ok(outcome) => outcome,
                Err(error) => Err(error.to_string()),
            },
        }
    }
}

/// Runs `act`, an experiment's own code that is quick. Whoever calls drops what `act` changed if it
/// panicked, so that nothing half-changed is seen afterwards.
///
/// # Errors
/// What the panic said.
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|panic| said(panic.as_ref()))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}
