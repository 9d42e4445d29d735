//! The files of a run's folder while the run is active.

use std::time::Duration;

use hatchery_store::operation::ReadEvents;
use hatchery_store::{RunId, Store};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::Instant;

use super::files::write_stored;
use super::page::NoReplay;
use crate::run_folder::HeldFolder;

/// The shortest interval between two states of the files: soon enough for a person.
const INTERVAL: Duration = Duration::from_secs(1);

/// The interval between two states, at least, as a multiple of the time that writing them takes:
/// a run with many generations or large exhibits spends less than 5 % of a core on its files.
const WRITING_SHARE: u32 = 20;

/// Writes the files of a run's folder again whenever the run has new events.
pub(crate) struct LiveFiles {
    stop: watch::Sender<bool>,
    writing: JoinHandle<()>,
}

impl LiveFiles {
    /// Starts to write the files of the run `id`, which is in `store` or soon will be.
    pub(crate) fn start(id: RunId, store: Store, folder: HeldFolder) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, writing: tokio::spawn(write_until(stopped, id, store, folder)) }
    }

    /// Returns once nothing is written any more.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.writing.await {
            tracing::error!(%error, "the files were not written while the run went on");
        }
    }
}

async fn write_until(
    mut stopped: watch::Receiver<bool>,
    id: RunId,
    store: Store,
    folder: HeldFolder,
) {
    let (mut n_events, mut pause) = (0, INTERVAL);
    loop {
        tokio::select! {
            _ = stopped.wait_for(|&stop| stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
        // The run may not be there yet.
        let new = store.execute(ReadEvents { run: id, from: n_events }).await;
        let n_new = new.map_or(0, |events| events.len());
        if n_new == 0 {
            pause = INTERVAL;
            continue;
        }
        n_events += n_new as u64;
        let begun = Instant::now();
        if folder.check().is_err() {
            // The run ends with this error.
            return;
        }
        let folder = folder.folder().clone();
        let (runtime, store) = (Handle::current(), store.clone());
        // Exhibits may take long to make.
        let write =
            move || runtime.block_on(write_stored(id, &store, &folder, &NoReplay)).map(drop);
        match spawn_blocking(write).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot write the files of the run"),
            Err(error) => tracing::error!(%error, "cannot write the files of the run"),
        }
        pause = INTERVAL.max(begun.elapsed() * WRITING_SHARE);
    }
}
