//! The execution of a run on this machine, from its beginning or from where it stopped.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use hatchery_coordinator::run::time_left::{GenerationCost, TimeLeft};
use hatchery_coordinator::{Event, RunOutcome, RunScheduling, StampedEvent, Submission};
use hatchery_core::erased::Beginning;
use hatchery_proto::v1::OnDead;
use hatchery_store::operation::ListRuns;
use hatchery_store::{RunId, SteerAction, Store};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::cli::input_args::InputArgs;
use crate::cli::loaded_spec::LoadedSpec;
use crate::cli::stall_args::StallArgs;
use crate::control_socket::ControlSocket;
use crate::error::{CommandError, UsageError};
use crate::format::{shell_quoted, unix_ms};
use crate::local::LocalFarm;
use crate::local_run::open_unlocked;
use crate::program;
use crate::progress::{ProgressDisplay, ProgressUpdate};
use crate::replay::BestReplay;
use crate::report::{self, LiveFiles, ResultDocument, StoredRun};
use crate::run_folder::{HeldFolder, RunFolder};
use crate::run_source::RunSource;
use crate::signals::StopSignals;
use crate::terminal::print_status;

/// The settings that all runs of a command share.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalExecution<'a> {
    pub(super) input: &'a InputArgs,
    pub(super) stall: &'a StallArgs,
    pub(super) n_threads: u32,
    /// True if no progress is shown.
    pub(super) quiet: bool,
}

/// A run that has been executed, to its end or until it was stopped.
pub(super) struct ExecutedRun {
    /// The outcome, or why there is none.
    pub(super) outcome: Result<RunOutcome, CommandError>,
    /// The run's result, unless the store may not be readable.
    pub(super) document: Option<ResultDocument>,
    /// True if the run has a best trial, which can be replayed.
    pub(super) has_best: bool,
}

impl LocalExecution<'_> {
    /// Starts the farm that executes runs.
    pub(super) async fn start_farm(self) -> Result<LocalFarm, CommandError> {
        LocalFarm::start(self.n_threads, self.stall.stall_timeout).await
    }

    /// Executes the run of `spec` in `folder` on `farm`: the run in the folder, or a new run called
    /// `name` with this id. Its store is closed at the end.
    ///
    /// # Errors
    ///
    /// Fails if the run cannot begin. Nothing is left in the folder then, unless there was
    /// something before.
    pub(super) async fn run(
        self,
        farm: &mut LocalFarm,
        (id, name): (RunId, &str),
        mut spec: LoadedSpec,
        folder: &RunFolder,
    ) -> Result<ExecutedRun, CommandError> {
        // What is refused leaves no folder behind.
        let mut new = match folder.holds_run() {
            true => None,
            false => Some(self.input.begin(&mut spec)?),
        };
        let missing = folder.missing_folders();
        folder.create()?;
        let store = open_unlocked(folder).inspect_err(|_| remove_empty(&missing))?;
        let held = HeldFolder::new(folder.clone());
        let mut time_left = TimeLeft::new(spec.procedure.generations(), spec.procedure.phases());
        let id = match store.execute(ListRuns).await?.first() {
            Some(&known) => {
                let stored = check_same_spec(&store, known, &spec, folder).await?;
                let costs = stored.generations.iter().map(GenerationCost::from);
                costs.for_each(|cost| time_left.folded(cost));
                new = None;
                known
            }
            None => {
                let begun = match new.take() {
                    Some(begun) => begun,
                    None => self.input.begin(&mut spec)?,
                };
                begun.write_inputs(&store, id).await?;
                new = Some(begun);
                id
            }
        };
        let submission = new.map(|begun| self.submission(name, &spec, begun.beginning));
        let display = ProgressDisplay::new(self.quiet);
        let display = display.map(|display| display.with_time_left(time_left));
        folder.write("spec.toml", spec.document.text().as_bytes())?;
        spec.files.keep(folder)?;
        let live = LiveFiles::start(id, store.clone(), held.clone());
        let mut socket = None;
        let run = (id, submission);
        farm.add(id, store.clone());
        let outcome = simulate(farm, run, &held, display, &mut socket).await;
        live.stop().await;
        let written = match &outcome {
            Ok(_) | Err(CommandError::Interrupted) => Some(write_files(id, &store, &held).await),
            // The error is reported first; the store may not be readable.
            Err(_) => None,
        };
        if let Some(socket) = socket {
            socket.close().await;
        }
        farm.remove(id).await;
        let written = written.transpose()?;
        let has_best = written.as_ref().is_some_and(|(_, has_best)| *has_best);
        Ok(ExecutedRun { outcome, document: written.map(|(document, _)| document), has_best })
    }

    fn submission(self, name: &str, spec: &LoadedSpec, beginning: Beginning) -> Submission {
        Submission {
            experiment: spec.head.experiment.clone(),
            version: spec.experiment.version(),
            seed: spec.head.seed,
            params: spec.procedure.canonical_params(),
            beginning,
            first_plan: None,
            spec: spec.document.text().to_owned(),
            name: name.to_owned(),
            on_dead: OnDead::Fail,
            skip_ppm: 0,
            stall_ms: self.stall.millis(),
            scheduling: RunScheduling::default(),
        }
    }
}

/// Simulates the run `id` to its end on `farm`, or until it is interrupted. If there is a
/// submission, creates the run first. Other processes can watch the run through `socket`, which is
/// left open.
async fn simulate(
    farm: &mut LocalFarm,
    (id, submission): (RunId, Option<Submission>),
    held: &HeldFolder,
    mut display: Option<ProgressDisplay>,
    socket: &mut Option<ControlSocket>,
) -> Result<RunOutcome, CommandError> {
    // From now on, a signal leaves a run that can be resumed, and says how.
    let mut signals = StopSignals::listen().map_err(CommandError::set_up)?;
    let coordinator = farm.coordinator.clone();
    if let Some(submission) = submission {
        coordinator.submit(id, submission).await?;
    }
    // A run that failed before continues with the results that it had.
    coordinator.steer(id, SteerAction::Resume).await?;
    // Only now may others cancel it: nothing resumes it after that.
    let folder = held.folder();
    *socket = ControlSocket::serve(&folder.socket(), &coordinator)
        .inspect_err(|error| tracing::warn!(%error, "others can look at the run's files only"))
        .ok();
    if let Some(event) = &farm.worker_event {
        show(&mut display, &ProgressUpdate::from(event));
    }
    let mut failed_trial = None;
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut interrupt = std::pin::pin!(signals.next());
    let mut run = std::pin::pin!(coordinator.serve_until_ended(id));
    let outcome = loop {
        tokio::select! {
            biased;
            () = &mut interrupt => break Err(CommandError::Interrupted),
            ended = &mut run => break ended.map_err(CommandError::Drive),
            worker = &mut farm.worker => break Err(match worker {
                Ok(Ok(())) => CommandError::Interrupted,
                Ok(Err(error)) => CommandError::Worker(error),
                Err(error) => CommandError::set_up(error),
            }),
            event = farm.events.recv() => match event {
                Ok(stamped) => {
                    show(&mut display, &ProgressUpdate::from(&stamped));
                    keep(stamped, farm, &mut failed_trial);
                }
                // The display catches up with the next event.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => unreachable!("the coordinator is still there"),
            },
            _ = second.tick() => {
                show(&mut display, &ProgressUpdate::tick(unix_ms()));
                if let Err(gone) = held.check() {
                    break Err(gone);
                }
            }
        }
    };
    // The store may have noticed first that the folder is gone.
    let outcome = outcome.map_err(|error| held.check().err().unwrap_or(error));
    // Nothing may change the run while its result is read.
    coordinator.give_up().await;
    if let Err(CommandError::Interrupted) = outcome {
        farm.stop_worker().await;
    }
    if let Some(display) = display {
        display.finish();
    }
    keep_rest(farm, &mut failed_trial);
    if let Some(trial) = failed_trial {
        print_status(&format!(
            "reproduce the failure: {} replay {} {trial}",
            program::name(),
            shell_quoted(folder.path())
        ));
    }
    outcome
}

/// Removes the folders that were made for a run that cannot begin, unless something is in them.
fn remove_empty(folders: &[PathBuf]) {
    let _: Option<_> = folders.iter().try_for_each(|folder| fs::remove_dir(folder).ok());
}

/// Receives the events that are left, so that the next run on the farm does not see them.
fn keep_rest(farm: &mut LocalFarm, failed_trial: &mut Option<String>) {
    loop {
        match farm.events.try_recv() {
            Ok(stamped) => keep(stamped, farm, failed_trial),
            Err(TryRecvError::Lagged(_)) => {}
            Err(TryRecvError::Empty | TryRecvError::Closed) => break,
        }
    }
}

/// Keeps what an event says of the farm's worker, or of the trial that failed the run.
fn keep(stamped: StampedEvent, farm: &mut LocalFarm, failed_trial: &mut Option<String>) {
    if let Event::RunFailed { trial, .. } = &stamped.event {
        failed_trial.clone_from(trial);
    }
    if stamped.event.is_of_worker() {
        farm.worker_event = Some(stamped);
    }
}

/// Writes the files of the run `id`, which has ended or was interrupted, with a replay of its best
/// trial, and returns its result document and whether there is such a trial.
async fn write_files(
    id: RunId,
    store: &Store,
    held: &HeldFolder,
) -> Result<(ResultDocument, bool), CommandError> {
    let folder = held.folder();
    held.check()?;
    let mut source = RunSource::in_store(store.clone(), id, folder.clone()).await?;
    let replay = BestReplay::read(&mut source).await;
    let written = report::write_stored(id, store, folder, &replay).await;
    // The folder may have gone meanwhile, which says more than the error of a file in it.
    held.check()?;
    let document = written?;
    Ok((document, replay.is_some()))
}

/// Shows `update` if there is a display.
fn show(display: &mut Option<ProgressDisplay>, update: &ProgressUpdate) {
    if let Some(display) = display {
        display.apply(update);
    }
}

/// Returns the run `id` in `folder` if it is a run of `spec`.
pub(super) async fn check_same_spec(
    store: &Store,
    id: RunId,
    spec: &LoadedSpec,
    folder: &RunFolder,
) -> Result<StoredRun, CommandError> {
    let stored = StoredRun::read(store, id).await?;
    let same = stored.record.experiment == spec.head.experiment
        && stored.record.seed == spec.head.seed
        && stored.record.params == spec.procedure.canonical_params();
    if same {
        return Ok(stored);
    }
    Err(UsageError::FolderHoldsOtherSpec { path: folder.path().to_owned() }.into())
}
