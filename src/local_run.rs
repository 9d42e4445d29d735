//! A run of this machine as other processes see it: in progress in another process, or at rest.
//!
//! A run in progress answers through its control socket. For a run at rest, the result document has
//! everything: its store, which may be large, need not be read for that.

use std::io;
use std::path::Path;
use std::time::Duration;

use hatchery_core::error_chain;
use hatchery_proto::v1::{ListRunsRequest, RunStatus};
use hatchery_server::regular_file;
use hatchery_store::operation::ListRuns;
use hatchery_store::{EmbeddedStore, RunId, Store, StoreError};

use crate::client::{FarmClient, SilentFollower, follow, has_ended};
use crate::control_socket::SocketDialer;
use crate::error::{CommandError, UsageError};
use crate::format::shell_quoted;
use crate::report::farm::{ReportedState, RunDocument};
use crate::report::{ResultDocument, StoredRun, document};
use crate::run_folder::RunFolder;

/// The time for a process to answer for its run: a stopped process never answers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The interval at which a run is looked at while its process says nothing.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A run of this machine.
pub(crate) enum LocalRun {
    /// A process runs it, and answers for it.
    InProgress { client: Box<FarmClient>, status: Box<RunStatus> },
    /// No process answers for it.
    AtRest(Box<RunDocument>),
}

impl LocalRun {
    /// Looks at the run in `folder`.
    ///
    /// # Errors
    /// If no process answers for it, and it cannot be read.
    pub(crate) async fn look(folder: &RunFolder) -> Result<Self, CommandError> {
        if let Some((client, status)) = in_progress(folder).await {
            return Ok(Self::InProgress { client, status });
        }
        // This order: a run that ends meanwhile has its last files by then.
        let is_running = folder.is_in_use();
        let written = folder.result().and_then(|text| ResultDocument::parse(&text));
        let mut result = match written {
            Some(result) => result,
            None if is_running => {
                let starting = RunDocument::starting(&folder.name(), folder.written_unix_ms());
                return Ok(Self::AtRest(Box::new(starting)));
            }
            // It was killed before its first files were written, or is of an earlier version.
            None => {
                let (store, id) = open_store(folder).await?;
                document(&StoredRun::read(&store, id).await?)?
            }
        };
        if result.name.is_empty() {
            result.name = folder.name();
        }
        Ok(Self::AtRest(Box::new(RunDocument::of_result(&result, is_running))))
    }

    /// Returns the document of the run.
    pub(crate) fn document(self) -> RunDocument {
        match self {
            Self::InProgress { status, .. } => RunDocument::from(*status),
            Self::AtRest(document) => *document,
        }
    }

    /// Returns the documents of the runs below `runs/`, the latest last. If a run cannot be read,
    /// its document has the reason.
    pub(crate) async fn list() -> Vec<RunDocument> {
        let mut documents = Vec::new();
        for folder in RunFolder::all() {
            let document = match Self::look(&folder).await {
                Ok(run) => run.document(),
                Err(error) => {
                    let written = folder.written_unix_ms();
                    RunDocument::unreadable(&folder.name(), written, &error_chain(&error))
                }
            };
            documents.push(document);
        }
        documents.sort_by_key(|run| run.created_unix_ms);
        documents
    }
}

/// Returns the client of the process that runs the run in `folder`, and the run's status; `None` if
/// no process answers.
pub(crate) async fn in_progress(folder: &RunFolder) -> Option<(Box<FarmClient>, Box<RunStatus>)> {
    let socket = folder.socket();
    if !socket.exists() {
        return None;
    }
    let mut client = FarmClient::of_run(SocketDialer::new(socket));
    let request = ListRunsRequest { most: 1, with_measures: true, ..ListRunsRequest::default() };
    let call = client.call(async |mut client| client.list_runs(request.clone()).await);
    let listed = tokio::time::timeout(ANSWER_TIMEOUT, call).await.ok()?.ok()?;
    let status = listed.runs.into_iter().next()?;
    Some((Box::new(client), Box::new(status)))
}

/// Returns the client of the process that runs the run in `folder`, and the run's id.
///
/// # Errors
/// If no process runs it, or the process does not answer.
pub(crate) async fn steered(folder: &RunFolder) -> Result<(Box<FarmClient>, String), CommandError> {
    if let Some((client, status)) = in_progress(folder).await {
        return Ok((client, status.run));
    }
    let path = folder.path().to_owned();
    if folder.is_in_use() {
        return Err(UsageError::RunDoesNotAnswer { path }.into());
    }
    let state = LocalRun::look(folder).await?.document().state;
    let remedy = match state {
        ReportedState::Done => format!("its results are in {}", path.display()),
        _ => format!(
            "continue it with `{}`, or delete it with `rm -r {}`",
            folder.resume_command(),
            shell_quoted(&path)
        ),
    };
    Err(UsageError::RunNotInProgress { path, state: state.word(), remedy }.into())
}

/// Waits until no process runs the run in `folder`, and returns the run's document as of its last
/// files.
///
/// # Errors
/// If it cannot be read.
pub(crate) async fn wait(folder: &RunFolder) -> Result<RunDocument, CommandError> {
    loop {
        match LocalRun::look(folder).await? {
            LocalRun::InProgress { mut client, status } if !has_ended(&status) => {
                match follow(&mut client, &status.run, &mut SilentFollower).await {
                    // The process has ended before the run, or is halted.
                    Ok(_) | Err(CommandError::NoCoordinator(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            // It writes its last files.
            LocalRun::InProgress { .. } => {}
            LocalRun::AtRest(document) if document.state != ReportedState::Active => {
                return Ok(*document);
            }
            // It is starting, has no socket, or is halted.
            LocalRun::AtRest(_) => {}
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Opens the store in `folder` to read it, and returns it with the id of its run. Nothing in the
/// folder is changed.
///
/// # Errors
/// If another process writes the store, if the store cannot be opened, or if it holds no run.
pub(crate) async fn open_store(folder: &RunFolder) -> Result<(Store, RunId), CommandError> {
    let store = opened(folder, EmbeddedStore::open_to_read)?;
    match store.execute(ListRuns).await?.first() {
        Some(&id) => Ok((store, id)),
        None => Err(UsageError::FolderHoldsNoRun { path: folder.path().to_owned() }.into()),
    }
}

/// Opens the store in `folder`, which is created if it does not exist.
///
/// # Errors
/// If another process has the store open, or if the store cannot be opened.
pub(crate) fn open_unlocked(folder: &RunFolder) -> Result<Store, CommandError> {
    opened(folder, EmbeddedStore::open)
}

fn opened(
    folder: &RunFolder,
    open: impl FnOnce(&Path) -> Result<EmbeddedStore, StoreError>,
) -> Result<Store, CommandError> {
    let path = folder.store();
    // The store would wait for the other end of a pipe.
    if let Err(source) = regular_file::open(&path)
        && source.kind() == io::ErrorKind::InvalidInput
    {
        return Err(CommandError::File { path, action: "open", source });
    }
    match open(&path) {
        Ok(store) => Ok(Store::new(store)),
        Err(StoreError::Locked { .. }) => {
            Err(UsageError::FolderInUse { path: folder.path().to_owned() }.into())
        }
        Err(error) => Err(CommandError::StoreNotOpened(error)),
    }
}
