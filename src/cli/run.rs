//! `hatchery run`

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hatchery_coordinator::store::Steer;
use hatchery_coordinator::{EmbeddedStore, Ended, Event, RunId, Scheduling, Store, Submission};
use hatchery_proto::v1::OnDead;
use tokio::sync::broadcast::error::RecvError;
use ulid::Ulid;

use super::opened_spec::{OpenedSpec, run_name};
use super::output::{Output, print_result};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::format::shell_quoted;
use crate::local::LocalFarm;
use crate::progress::Display;
use crate::report::{self, ResultDocument, StoredRun};
use crate::signals::interrupted;
use crate::terminal::print_status;

/// How long an interrupted worker may take to give back its jobs: everything that matters is in the
/// store already.
const GRACE: Duration = Duration::from_secs(2);

/// Run a spec or a preset on this machine
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// A preset, such as tetris-evolve/quick, or a spec file
    spec: String,
    /// Change a value of the spec, such as seed=2 or games=500; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// How many trials run at the same time [default: one per core]
    #[arg(long, value_name = "N", env = "HATCHERY_THREADS",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,
    /// The run's folder [default: runs/NAME-ID]
    #[arg(long, value_name = "DIR", env = "HATCHERY_OUT")]
    out: Option<PathBuf>,
    /// Go on with the run in the folder, or with the last one of this spec
    #[arg(long)]
    resume: bool,
    /// How to show the result
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT")]
    output: Output,
}

impl Run {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Failure::SetUp(Box::new(error)))?;
        let outcome = runtime.block_on(self.run_async());
        // A trial that does not end must not keep the process.
        runtime.shutdown_timeout(Duration::ZERO);
        outcome
    }

    async fn run_async(&self) -> Result<(), Failure> {
        let spec = OpenedSpec::open(&self.spec, &self.set)?;
        let id = RunId(Ulid::generate());
        let folder = self.folder(id, &spec).await?;
        folder.create()?;
        let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(&folder.store())?);
        let id = match store.runs().await?.first() {
            Some(&known) => {
                same_spec(store.as_ref(), known, &spec, &folder).await?;
                known
            }
            None => id,
        };
        folder.write("spec.toml", spec.document.text().as_bytes())?;
        let outcome = self.simulate(Arc::clone(&store), id, &spec, &folder).await;
        let document = match &outcome {
            Ok(_) | Err(Failure::Interrupted) => {
                let stored = StoredRun::read(store.as_ref(), id).await?;
                Some(report::write_stored(&stored, store.as_ref(), &folder).await?)
            }
            // The report of what went wrong comes first; the store may not be readable.
            Err(_) => None,
        };
        let resume = format!(
            "hatchery run {} --out {} --resume",
            shell_quoted(&folder.path().join("spec.toml")),
            shell_quoted(folder.path())
        );
        let shown = document.map_or(Ok(()), |document| self.show(&document, &folder));
        match outcome {
            Ok(Ended::Done) => shown,
            Ok(Ended::Failed { reason }) => Err(Failure::RunFailed { reason }),
            Ok(Ended::Cancelled) => Err(Failure::RunFailed { reason: "cancelled".to_owned() }),
            Err(failure) => {
                print_status(&format!("nothing that was done is lost; go on with: {resume}"));
                Err(failure)
            }
        }
    }

    /// The folder that the run is or will be in.
    async fn folder(&self, id: RunId, spec: &OpenedSpec) -> Result<Folder, Failure> {
        let name = run_name(&self.spec);
        let folder = match (&self.out, self.resume) {
            (Some(out), _) => Folder::at(out),
            (None, false) => Folder::of(&name, id),
            (None, true) => {
                let mut found = None;
                for folder in Folder::all_of(&name) {
                    let Ok(store) = EmbeddedStore::open(&folder.store()) else { continue };
                    let Some(&known) = store.runs().await?.first() else { continue };
                    if same_spec(&store, known, spec, &folder).await.is_ok() {
                        found = Some(folder);
                        break;
                    }
                }
                found.ok_or_else(|| {
                    Failure::Usage(format!("no run of {} to resume below runs/", self.spec))
                })?
            }
        };
        if folder.holds_run() && !self.resume {
            return Err(Failure::Usage(format!(
                "{} holds a run already: add --resume to go on with it, or give another --out",
                folder.path().display()
            )));
        }
        Ok(folder)
    }

    /// Runs the run `id` to its end, or until somebody interrupts it.
    async fn simulate(
        &self,
        store: Arc<dyn Store>,
        id: RunId,
        spec: &OpenedSpec,
        folder: &Folder,
    ) -> Result<Ended, Failure> {
        let n_threads = self.threads.unwrap_or_else(|| {
            let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
            u32::try_from(cores).unwrap_or(1)
        });
        let mut farm = LocalFarm::start(store, n_threads).await?;
        let submission = Submission {
            experiment: spec.head.experiment.clone(),
            version: spec.experiment.version(),
            seed: spec.head.seed,
            params: spec.procedure.canonical_params(),
            state: spec.state.clone(),
            spec: spec.document.text().to_owned(),
            name: run_name(&self.spec),
            on_dead: OnDead::Fail,
            skip_ppm: 0,
            stall_ms: 0,
            scheduling: Scheduling::default(),
        };
        let mut display = Display::new(self.output == Output::Quiet);
        let mut events = farm.coordinator.events();
        let coordinator = farm.coordinator.clone();
        coordinator.submit(id, submission).await?;
        // A run that failed before is taken up again, with what it had.
        coordinator.steer(id, Steer::Resume).await?;
        let mut failed_trial = None;
        let mut interrupt = std::pin::pin!(interrupted());
        let mut run = std::pin::pin!(coordinator.serve_until_ended(id));
        let outcome = loop {
            tokio::select! {
                biased;
                () = &mut interrupt => break Err(Failure::Interrupted),
                ended = &mut run => break ended.map_err(Failure::Drive),
                worker = &mut farm.worker => break Err(match worker {
                    Ok(Ok(())) => Failure::Interrupted,
                    Ok(Err(error)) => Failure::Worker(error),
                    Err(error) => Failure::SetUp(Box::new(error)),
                }),
                event = events.recv() => match event {
                    Ok(stamped) => {
                        if let Some(display) = &mut display {
                            display.apply(&stamped);
                        }
                    }
                    // The display catches up with the next event.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => unreachable!("the coordinator is still there"),
                },
            }
        };
        // What happened at the end may not have been seen yet.
        while let Ok(stamped) = events.try_recv() {
            if let Event::RunFailed { trial, .. } = stamped.event {
                failed_trial = trial;
            }
        }
        // Nothing is to change any more when the result is read.
        coordinator.give_up().await;
        farm.stop();
        if !farm.worker.is_finished()
            && tokio::time::timeout(GRACE, &mut farm.worker).await.is_err()
        {
            tracing::warn!("the worker did not leave in time and is cut off");
        }
        if let Some(display) = display {
            display.finish();
        }
        if let Some(trial) = failed_trial {
            print_status(&format!(
                "see it fail: hatchery replay {} {trial}",
                shell_quoted(folder.path())
            ));
        }
        outcome
    }

    fn show(&self, document: &ResultDocument, folder: &Folder) -> Result<(), Failure> {
        match self.output {
            Output::Table => print_result(&document.table(folder.path())),
            Output::Json => print_result(&format!("{}\n", document.json())),
            Output::Quiet => Ok(()),
        }
    }
}

/// Checks that the run `id` in `folder` is a run of `spec`.
async fn same_spec(
    store: &dyn Store,
    id: RunId,
    spec: &OpenedSpec,
    folder: &Folder,
) -> Result<(), Failure> {
    let stored = StoredRun::read(store, id).await?;
    let same = stored.record.experiment == spec.head.experiment
        && stored.record.seed == spec.head.seed
        && stored.record.params == spec.procedure.canonical_params();
    if same {
        return Ok(());
    }
    let folder = folder.path();
    Err(Failure::Usage(format!(
        "{} holds a run of another spec: see {}",
        folder.display(),
        folder.join("spec.toml").display()
    )))
}
