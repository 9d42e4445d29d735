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
        // What `act` changed is dropped with it, so nothing half-changed is seen afterwards.
        let act = move || catch_unwind(AssertUnwindSafe(act)).map_err(|panic| said(panic.as_ref()));
        match self {
            Self::Inline => act(),
            Self::Threads => match tokio::task::spawn_blocking(act).await {
                Ok(outcome) => outcome,
                Err(error) => Err(error.to_string()),
            },
        }
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}
