//! The loop that performs what the machine decides: one for each run that this process leads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hatchery_core::erased::{FarmError, Procedure};
use hatchery_core::{AnyExperiment, Digest, RunSeed, Step, Work};
use prost::Message;
use tokio::sync::mpsc;

use crate::coordinator::Coordinator;
use crate::dispatch;
use crate::machine::{Computed, Effect, Failure, Input, Machine, Planned, RESULTS_PER_READ};
use crate::record::{Checkpoint, RunRecord};
use crate::store::{Led, RunId, RunState, StoreError};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has its result.
    Done,
    /// It can't go on.
    Failed {
        /// Why.
        reason: String,
    },
}

/// Why a run can't be led here.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The store failed.
    #[error("the run stopped, but can be resumed")]
    Store(#[from] StoreError),
    /// The run's record or checkpoint is not readable.
    #[error("the stored {what} is not readable")]
    Decode {
        /// What it is.
        what: &'static str,
        /// What the decoder says.
        source: prost::DecodeError,
    },
    /// The experiment is not in this build.
    #[error("this build has no experiment {experiment:?}")]
    UnknownExperiment {
        /// Its name.
        experiment: String,
    },
    /// The experiment has another version in this build.
    #[error(
        "the run was begun with version {found} of {experiment}, but this build has version \
         {expected}: resume it with the build that began it, or start it anew"
    )]
    OtherVersion {
        /// The experiment's name.
        experiment: String,
        /// The run's version.
        found: u32,
        /// This build's version.
        expected: u32,
    },
    /// The parameters are not readable.
    #[error("the stored parameters are not readable")]
    Params(#[source] FarmError),
}

/// What dispatch tells the driver.
#[derive(Debug)]
pub(crate) enum Notice {
    /// Something for the machine.
    Input(Input),
    /// The store failed while results were written.
    StoreFailed(StoreError),
}

pub(crate) async fn drive(coordinator: &Coordinator, run: RunId) -> Result<Ended, DriveError> {
    let led = coordinator.store.lead(run).await?;
    match &led.position.state {
        RunState::Done => return Ok(Ended::Done),
        RunState::Active => {}
        RunState::Failed { .. } | RunState::Cancelled => {
            coordinator.store.reopen(&led.lead).await?;
        }
    }
    let record = coordinator.store.record(run).await?;
    let record = RunRecord::decode(record.as_slice())
        .map_err(|source| DriveError::Decode { what: "record", source })?;
    let checkpoint = Checkpoint::decode(led.checkpoint.as_slice())
        .map_err(|source| DriveError::Decode { what: "checkpoint", source })?;
    let (experiment, procedure) = reopen(coordinator, &record)?;

    // Unbounded in name only: notices come from leased jobs, whose number the machine bounds.
    let (notify, mut notices) = mpsc::unbounded_channel();
    let driver = Driver {
        coordinator,
        seed: RunSeed::new(&record.experiment, record.seed),
        led: &led,
        experiment,
        procedure: &procedure,
    };
    driver
        .tell_dispatch(dispatch::Message::Open(dispatch::Open {
            run,
            experiment: record.experiment.clone(),
            version: record.version,
            procedure: Arc::clone(&procedure),
            notify,
        }))
        .await;
    let ended = driver.run(record, checkpoint, &mut notices).await;
    driver.tell_dispatch(dispatch::Message::Close(run)).await;
    ended
}

fn reopen(
    coordinator: &Coordinator,
    record: &RunRecord,
) -> Result<(&'static dyn AnyExperiment, Arc<dyn Procedure>), DriveError> {
    let experiment = record.experiment.clone();
    let Some(known) = coordinator.catalog.find(&experiment) else {
        return Err(DriveError::UnknownExperiment { experiment });
    };
    let (found, expected) = (record.version, known.version());
    if found != expected {
        return Err(DriveError::OtherVersion { experiment, found, expected });
    }
    let procedure = known.reopen(&record.params).map_err(DriveError::Params)?;
    Ok((known, Arc::from(procedure)))
}

struct Driver<'a> {
    coordinator: &'a Coordinator,
    seed: RunSeed,
    led: &'a Led,
    experiment: &'static dyn AnyExperiment,
    procedure: &'a Arc<dyn Procedure>,
}

impl Driver<'_> {
    async fn run(
        &self,
        record: RunRecord,
        checkpoint: Checkpoint,
        notices: &mut mpsc::UnboundedReceiver<Notice>,
    ) -> Result<Ended, DriveError> {
        let started = Instant::now();
        let generations = self.procedure.generations();
        let (mut machine, mut effects) =
            Machine::start(record, generations, self.led, checkpoint, Duration::ZERO);
        let mut ended = Ended::Done;
        while !(machine.has_ended() && effects.is_empty()) {
            let input = match effects.pop_front() {
                Some(effect) => {
                    if let Effect::End(RunState::Failed { reason }) = &effect {
                        ended = Ended::Failed { reason: reason.clone() };
                    }
                    self.perform(machine.generation(), effect).await?
                }
                None => match notices.recv().await {
                    Some(Notice::Input(input)) => Some(input),
                    Some(Notice::StoreFailed(error)) => return Err(error.into()),
                    None => unreachable!("dispatch lives as long as its coordinator"),
                },
            };
            if let Some(input) = input {
                machine.handle(started.elapsed(), self.led, input, &mut effects);
            }
        }
        Ok(ended)
    }

    /// Performs `effect`, and returns what it gives.
    async fn perform(&self, generation: u32, effect: Effect) -> Result<Option<Input>, DriveError> {
        let Led { lead, .. } = self.led;
        let store = self.coordinator.store.as_ref();
        match effect {
            Effect::Plan { state } => return self.plan(generation, state).await.map(Some),
            Effect::Compute { generation, state, digest, tallies } => {
                return Ok(Some(self.compute(generation, state, digest, tallies).await));
            }
            Effect::Enqueue(enqueue) => {
                store.enqueue(lead, enqueue).await?;
                self.tell_dispatch(dispatch::Message::Ready(lead.run)).await;
            }
            Effect::ReadResults { from } => {
                let results = store.results(lead.run, from, RESULTS_PER_READ).await?;
                return Ok(Some(Input::Results(results)));
            }
            Effect::Commit(fold) => store.fold(lead, fold).await?,
            Effect::End(state) => store.end(lead, state).await?,
            Effect::Keep(event) => {
                let stamped = self.coordinator.publish(event);
                let json = serde_json::to_vec(&stamped).expect("events are plain data");
                store.append_event(lead.run, &json).await?;
            }
            Effect::Publish(event) => {
                self.coordinator.publish(event);
            }
        }
        Ok(None)
    }

    async fn plan(&self, generation: u32, state: Vec<u8>) -> Result<Input, DriveError> {
        let state_hash = self.coordinator.store.put_blob(&state).await?;
        let procedure = Arc::clone(self.procedure);
        let plan = off_runtime(move || procedure.plan(&state)).await;
        let plan = match plan {
            Ok(plan) => plan,
            Err(failure) => return Ok(Input::Failed(failure.during("plan", generation))),
        };
        let shared = self.coordinator.store.put_blob(&plan.shared).await?;
        let gathering = self.experiment.gather(plan.series.len());
        Ok(Input::Planned(Planned { plan, gathering, shared, state: state_hash }))
    }

    async fn compute(
        &self,
        generation: u32,
        state: Vec<u8>,
        digest: Digest,
        tallies: Vec<Vec<u8>>,
    ) -> Input {
        let procedure = Arc::clone(self.procedure);
        let seed = self.seed.generation(generation);
        let computed = off_runtime(move || {
            let mut work = Vec::new();
            for tally in &tallies {
                Work::add(&mut work, &procedure.work(tally)?);
            }
            let step = procedure.fold(&state, &tallies, &seed)?;
            let (Step::Continue(next) | Step::Done(next)) = &step;
            let digest = digest.fold(&tallies, next);
            let measures = procedure.measures(next)?;
            Ok(Computed { step, digest, measures, work })
        })
        .await;
        match computed {
            Ok(computed) => Input::Computed(computed),
            Err(failure) => Input::Failed(failure.during("fold", generation)),
        }
    }

    async fn tell_dispatch(&self, message: dispatch::Message) {
        if self.coordinator.dispatch.send(message).await.is_err() {
            unreachable!("dispatch lives as long as its coordinator");
        }
    }
}

impl Failure {
    fn during(self, act: &str, generation: u32) -> Self {
        let message = format!("{act} of generation {generation}: {}", self.message);
        Self { message, ..self }
    }
}

/// Runs an experiment's own code, which may take long and may panic, beside the runtime.
async fn off_runtime<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, FarmError> + Send + 'static,
) -> Result<T, Failure> {
    let outcome = tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(act))).await;
    match outcome {
        Ok(Ok(result)) => result.map_err(|error| Failure::of(&error)),
        Ok(Err(panic)) => Err(Failure { message: panic_message(panic.as_ref()), trial: None }),
        Err(error) => Err(Failure::of(&error)),
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}
