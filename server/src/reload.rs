//! Files that are read again while the process runs.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::error::ServerError;

/// The interval between reads. A change takes effect when two reads in a row agree, about a second
/// later, so that a file that is half written hardly ever does.
pub(crate) const RELOAD_INTERVAL: Duration = Duration::from_millis(500);

/// Calls `read` again and again, and `on_change` with each new content once two reads in a row
/// agree on it. If a read fails after a successful read, `on_change` is called with its error.
/// Never returns.
pub(crate) async fn follow_content<C: Clone + PartialEq + Send + 'static>(
    read: impl Fn() -> Result<C, ServerError> + Clone + Send + 'static,
    mut current: C,
    mut on_change: impl FnMut(Result<&C, ServerError>),
) {
    let mut ticks = tokio::time::interval(RELOAD_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = Some(current.clone());
    loop {
        ticks.tick().await;
        let found = match tokio::task::spawn_blocking(read.clone()).await {
            Ok(Ok(found)) => Some(found),
            Ok(Err(error)) => {
                if last.is_some() {
                    on_change(Err(error));
                }
                None
            }
            Err(_) => None,
        };
        let settled = found == last;
        last = found;
        if let Some(content) = last.as_ref().filter(|content| settled && **content != current) {
            current = content.clone();
            on_change(Ok(&current));
        }
    }
}
