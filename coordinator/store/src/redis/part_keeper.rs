//! Removes the files of unreferenced parts soon after a run gave them up. Regular sweeps remove the
//! leftovers of a crash.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::error_chain;
use redis::cmd;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval, sleep_until};
use tracing::{debug, info, warn};

use super::connection::RedisConnection;
use super::error::RedisFailure;
use super::keys::{RUNS, parts_of};
use super::reply::{self, MalformedReply};
use crate::part_directory::{FileAge, PartDirectory, PartFile};
use crate::{RunId, StoreError};

/// The age from which a file that nothing names is an orphan: far longer than an upload takes, and
/// twice as long as parts are kept for a run that is not created yet.
const ORPHAN_AGE: FileAge = FileAge(Duration::from_secs(7200));

/// The interval between sweeps.
const SWEEP_EVERY: Duration = Duration::from_secs(3600);

/// The most removals that wait for their time. Further files become orphans.
const MAX_REMOVALS: usize = 1024;

/// Files that a run has given up.
struct Removal {
    run: RunId,
    names: Vec<String>,
    due: Instant,
}

/// A background task that removes unreferenced files; dropping this value stops it.
#[derive(Debug)]
pub(super) struct PartKeeper {
    removals: mpsc::Sender<Removal>,
    delay: Duration,
    task: AbortHandle,
}

impl PartKeeper {
    /// Starts to keep `directory` tidy, first with a sweep. The notes of the server at `link` say
    /// what stays; files that a run gives up are removed after `delay`.
    pub(super) fn start(
        link: Arc<RedisConnection>,
        place: String,
        directory: Arc<PartDirectory>,
        delay: Duration,
    ) -> Self {
        let (removals, due) = mpsc::channel(MAX_REMOVALS);
        let task = tokio::spawn(keep(PartNotes { link, place }, directory, due));
        Self { removals, delay, task: task.abort_handle() }
    }

    /// Removes files of a run when the server can no longer take back that it gave them up.
    pub(super) fn remove_later(&self, run: RunId, files: &[PartFile]) {
        let due = Instant::now() + self.delay;
        let names: Vec<_> = files.iter().map(PartFile::name).collect();
        if !names.is_empty() && self.removals.try_send(Removal { run, names, due }).is_err() {
            debug!(%run, "many files wait for their removal: these are left to a sweep");
        }
    }
}

impl Drop for PartKeeper {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The server, as far as it says which files there are.
#[derive(Debug)]
pub(super) struct PartNotes {
    pub(super) link: Arc<RedisConnection>,
    pub(super) place: String,
}

impl PartNotes {
    /// Returns the names of the files that a run has.
    async fn files(&self, run: RunId) -> Result<HashSet<String>, StoreError> {
        let notes = async {
            let notes = reply::list(self.link.ask(cmd("HGETALL").arg(parts_of(run))).await?)?;
            let mut texts = notes.into_iter().map(reply::text);
            let mut names = HashSet::new();
            while let (Some(hash), Some(note)) = (texts.next(), texts.next()) {
                let file = reply::part_file(&hash?, &note?)?;
                names.insert(file.ok_or(MalformedReply { expected: "a file" })?.name());
            }
            Ok(names)
        };
        notes.await.map_err(|trouble: RedisFailure| trouble.at(&self.place))
    }

    /// Returns true if there is no run at all.
    async fn is_empty(&self) -> Result<bool, StoreError> {
        let count = async { Ok(reply::number(self.link.ask(cmd("ZCARD").arg(RUNS)).await?)?) };
        let count = count.await.map_err(|trouble: RedisFailure| trouble.at(&self.place))?;
        Ok(count == 0)
    }
}

async fn keep(
    notes: PartNotes,
    directory: Arc<PartDirectory>,
    mut given_up: mpsc::Receiver<Removal>,
) -> Infallible {
    let mut sweep_timer = interval(SWEEP_EVERY);
    let mut waiting: VecDeque<Removal> = VecDeque::new();
    loop {
        let next = waiting.front().map(|removal| removal.due);
        tokio::select! {
            _ = sweep_timer.tick() => match sweep(&notes, &directory).await {
                Ok(0) => {}
                Ok(n_files) => info!(n_files, "files that no part names were removed"),
                Err(error) => warn!(%error, "cannot look for files that no part names"),
            },
            Some(removal) = given_up.recv(), if waiting.len() < MAX_REMOVALS => {
                waiting.push_back(removal);
            }
            () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {
                if let Some(removal) = waiting.pop_front()
                    && let Err(error) = remove(&notes, &directory, removal).await
                {
                    let error = error_chain(&error);
                    warn!(error, "files of removed parts are left to a sweep");
                }
            }
        }
    }
}

/// Removes files that are still not named.
async fn remove(
    notes: &PartNotes,
    directory: &PartDirectory,
    Removal { run, mut names, due: _ }: Removal,
) -> Result<(), StoreError> {
    let named = notes.files(run).await?;
    names.retain(|name| !named.contains(name));
    directory.remove(run, names).await
}

/// Removes the orphans of every run, and returns their number.
///
/// A server without any run may have been started with the wrong data: then nothing is removed.
async fn sweep(notes: &PartNotes, directory: &PartDirectory) -> Result<usize, StoreError> {
    if notes.is_empty().await? {
        return Ok(0);
    }
    let mut n_removed = 0;
    for run in directory.runs().await? {
        n_removed += sweep_run(notes, directory, run, ORPHAN_AGE).await?;
    }
    Ok(n_removed)
}

/// Removes the files of a run that nothing names and that are at least so old, and its folder if it
/// is empty then; returns the number of files.
pub(super) async fn sweep_run(
    notes: &PartNotes,
    directory: &PartDirectory,
    run: RunId,
    least_age: FileAge,
) -> Result<usize, StoreError> {
    // First the files, then the notes: a file that is noted in between stays.
    let files = directory.files(run, directory.now().await?).await?;
    let mut names: Vec<_> = files.iter().filter(|file| least_age <= file.age).collect();
    if !names.is_empty() {
        let named = notes.files(run).await?;
        names.retain(|file| !named.contains(&file.name));
        directory.remove(run, names.iter().map(|file| file.name.clone())).await?;
    }
    if names.len() == files.len() {
        directory.remove_folder(run).await?;
    }
    Ok(names.len())
}
