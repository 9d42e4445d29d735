//! The loop that performs what the machine decides: one for each run that this process leads.

mod expel;
mod outcome;
mod past;
mod scribe;
mod spans;
mod tail;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::{RunSeed, Step, Work};
use prost::Message as _;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use crate::context::Context;
use crate::dispatch::{DispatchHandle, Feed, LeaderNotice, Message};
use crate::event::Event;
use crate::machine::{
    Computed, Effect, Failure, FoldInput, Input, Machine, Planned, RESULTS_PER_READ, burial,
};
use crate::open::OpenedRun;
use crate::record::{Checkpoint, GenerationRecord, LiveProgress};
use crate::store::{Fold, Led, Position, RunState, Then};

use past::{Past, workers_of};
use scribe::Scribe;
use spans::Spans;
use tail::Tail;

pub use outcome::{DriveError, Ended};

/// How often a leader looks for results that nobody told it of.
const POLL: Duration = Duration::from_millis(250);

/// How many jobs that keep failing are dealt with at a time.
const PARKED_PER_READ: usize = 64;

/// Leads the run until it ends, and reports on `progress` how far it is.
pub(crate) async fn drive(
    context: &Context,
    dispatch: &DispatchHandle,
    opened: &OpenedRun,
    progress: &watch::Sender<LiveProgress>,
) -> Result<Ended, DriveError> {
    let run = opened.run;
    // Unbounded in name only: notices come from leased jobs, whose number the machine bounds.
    let (notify, mut notices) = mpsc::unbounded_channel();
    dispatch.tell(Message::Lead(run, notify)).await;
    let mut spans = Spans::lead(run, &opened.record);
    let mut scribe = Scribe::new(context, run);
    let ended = loop {
        let led = context.store.lead(run).await?;
        let checkpoint = Checkpoint::decode(led.checkpoint.as_slice())
            .map_err(|source| DriveError::Decode { what: "checkpoint", source })?;
        if let Some(ended) = already(&led.position.state) {
            break ended;
        }
        let driver = Driver {
            context,
            dispatch,
            seed: RunSeed::new(&opened.record.experiment, opened.record.seed),
            led,
            opened,
            progress,
            past: None,
            scribe: &mut scribe,
            spans: &mut spans,
        };
        match driver.run(checkpoint, &mut notices).await? {
            Next::Ended(ended) => break ended,
            // What was taken in is not to be relied on any more: from the checkpoint again.
            Next::Again => {}
        }
    };
    scribe.finish().await?;
    spans.ended(&ended);
    dispatch.tell(Message::Unlead(run)).await;
    Ok(ended)
}

/// How a run in this state has ended; `None` if it goes on.
pub(crate) fn already(state: &RunState) -> Option<Ended> {
    match state {
        RunState::Active | RunState::Paused => None,
        RunState::Done => Some(Ended::Done),
        RunState::Failed { reason } => Some(Ended::Failed { reason: reason.clone() }),
        RunState::Cancelled => Some(Ended::Cancelled),
    }
}

/// What a driver does after it has stopped.
enum Next {
    Ended(Ended),
    Again,
}

/// What came of an effect or of waiting.
enum Came {
    /// Nothing that the machine has to know.
    Nothing,
    /// Something for the machine.
    Input(Input),
    /// What the machine has taken in is not to be relied on any more.
    Again,
}

struct Driver<'a> {
    context: &'a Context,
    dispatch: &'a DispatchHandle,
    seed: RunSeed,
    led: Led,
    opened: &'a OpenedRun,
    progress: &'a watch::Sender<LiveProgress>,
    /// Who had a part in the generations that are folded, once anybody asked.
    past: Option<Past>,
    scribe: &'a mut Scribe,
    spans: &'a mut Spans,
}

impl Driver<'_> {
    async fn run(
        mut self,
        checkpoint: Checkpoint,
        notices: &mut mpsc::UnboundedReceiver<LeaderNotice>,
    ) -> Result<Next, DriveError> {
        let generation = self.led.position.generation;
        let folded = workers_of(&checkpoint.origin);
        // A run that begins has nothing from anybody.
        let begins = self.led.position == Position::FIRST;
        if !begins && self.expel(generation, &folded, &BTreeSet::new()).await? {
            return Ok(Next::Again);
        }
        tracing::info!(run = %self.led.lead.run, generation, "leading run");
        let started = Instant::now();
        let mut slots = self.context.slots.clone();
        let generations = self.opened.procedure.generations();
        let record = self.opened.record.clone();
        let (machine, mut effects) =
            Machine::start(record, generations, &self.led, checkpoint, Duration::ZERO);
        let mut machine = machine.with_job_trials(self.context.job_trials);
        let now_slots = Input::Slots(*slots.borrow_and_update());
        machine.handle(Duration::ZERO, &self.led, now_slots, &mut effects);
        let mut tail = Tail::default();
        while !(machine.has_ended() && effects.is_empty()) {
            let came = match effects.pop_front() {
                Some(effect) => self.act(machine.generation(), effect).await?,
                None => self.wait(&mut machine, notices, &mut slots).await?,
            };
            match came {
                Came::Nothing => {}
                Came::Input(input) => {
                    machine.handle(started.elapsed(), &self.led, input, &mut effects);
                    self.progress.send_replace(machine.progress());
                    if let Some(took) = tail.look(machine.rest(), Instant::now()) {
                        self.context.meters.farm.tail_took(took);
                    }
                }
                Came::Again => return Ok(Next::Again),
            }
        }
        Ok(Next::Ended(machine.ended_as().and_then(already).unwrap_or(Ended::Done)))
    }

    /// Performs `effect`, but for what an expelled worker has to do with it.
    async fn act(&mut self, generation: u32, effect: Effect) -> Result<Came, DriveError> {
        match effect {
            Effect::Disown { worker } => {
                tracing::warn!(run = %self.led.lead.run, "a result of an earlier cut");
                self.context.store.disown(&self.led.lead, worker).await?;
                Ok(Came::Again)
            }
            Effect::Commit(fold) => self.commit(fold).await,
            effect => {
                if let Effect::Plan { .. } = effect {
                    self.spans.plan(generation);
                }
                let input = self.perform(generation, effect).await?;
                Ok(input.map_or(Came::Nothing, Came::Input))
            }
        }
    }

    /// Writes a checkpoint; one that ends a generation only if nobody had a part in that who is
    /// shut out.
    async fn commit(&mut self, fold: Fold) -> Result<Came, DriveError> {
        let generation = fold.generation;
        let record = match &fold.then {
            Then::SameGeneration => None,
            Then::NextGeneration { record } | Then::Done { record } => {
                let record = GenerationRecord::decode(record.as_slice())
                    .map_err(|source| DriveError::Decode { what: "generation", source })?;
                Some(record)
            }
        };
        let workers = record.as_ref().map(|record| workers_of(&record.origin));
        if let Some(workers) = &workers
            && self.expel(generation, &BTreeSet::new(), workers).await?
        {
            return Ok(Came::Again);
        }
        self.context.store.fold(&self.led.lead, fold).await?;
        if let Some(record) = record {
            self.spans.folded(&record);
            let elapsed = Duration::from_nanos(record.spent.elapsed_ns);
            let experiment = &self.opened.record.experiment;
            self.context.meters.farm.generation_took(experiment, elapsed);
        }
        if let (Some(past), Some(workers)) = (&mut self.past, &workers) {
            past.add(generation, workers);
        }
        Ok(Came::Nothing)
    }

    /// Waits for something that the machine has to know.
    async fn wait(
        &mut self,
        machine: &mut Machine,
        notices: &mut mpsc::UnboundedReceiver<LeaderNotice>,
        slots: &mut watch::Receiver<u32>,
    ) -> Result<Came, DriveError> {
        tokio::select! {
            // In a fixed order, so that a simulation can be repeated.
            biased;
            notice = notices.recv() => match notice {
                Some(LeaderNotice::Input(input)) => Ok(Came::Input(input)),
                Some(LeaderNotice::StoreFailed(error)) => Err(error.into()),
                Some(LeaderNotice::ShutOut) => {
                    let (generation, workers) = (machine.generation(), machine.workers());
                    let again = self.expel(generation, &BTreeSet::new(), &workers).await?;
                    Ok(if again { Came::Again } else { Came::Nothing })
                }
                // Dispatch has another leader to tell: this one is about to be ended.
                None => {
                    tokio::time::sleep(POLL).await;
                    Ok(Came::Input(Input::Stirred))
                }
            },
            changed = slots.changed() => {
                changed.expect("the coordinator lives as long as its drivers");
                Ok(Came::Input(Input::Slots(*slots.borrow_and_update())))
            }
            () = tokio::time::sleep(POLL) => {
                let rolled_back = self.was_rolled_back(machine.place()).await?;
                Ok(if rolled_back { Came::Again } else { Came::Input(Input::Stirred) })
            }
        }
    }

    /// Whether the store has been taken back to an earlier time, as after a power cut. One that
    /// another leader has moved on refuses to say where it stands.
    async fn was_rolled_back(&self, place: Option<(u32, u64)>) -> Result<bool, DriveError> {
        let Some(place) = place else { return Ok(false) };
        let position = self.context.store.standing(&self.led.lead).await?;
        let rolled_back = (position.generation, position.cursor) != place;
        if rolled_back {
            tracing::warn!(run = %self.led.lead.run, ?position, ?place, "the store was rolled back");
        }
        Ok(rolled_back)
    }

    /// Performs `effect`, and returns what it gives.
    async fn perform(
        &mut self,
        generation: u32,
        effect: Effect,
    ) -> Result<Option<Input>, DriveError> {
        let lead = &self.led.lead;
        let store = self.context.store.as_ref();
        match effect {
            Effect::Plan { state } => return Ok(Some(self.plan(generation, state).await)),
            Effect::Compute(input) => {
                return Ok(Some(self.compute(input).await));
            }
            Effect::Enqueue(enqueue) => {
                let (done, stored) = oneshot::channel();
                let feed = Feed { lead: lead.clone(), enqueue, done };
                self.dispatch.tell(Message::Enqueue(feed)).await;
                stored.await.expect("dispatch answers as long as its coordinator lives")?;
            }
            Effect::Harvest { from } => {
                let harvest = store.results(lead.run, from, RESULTS_PER_READ).await?;
                return Ok(Some(Input::Harvested(harvest)));
            }
            Effect::ReadParked => {
                let parked = store.parked(lead.run, 0, PARKED_PER_READ).await?;
                return Ok(Some(Input::Parked(parked)));
            }
            Effect::Skip(parked) => {
                let results = parked.iter().map(|parked| (parked.job, burial::missing(parked)));
                store.skip(lead, results.collect()).await?;
                return Ok(Some(Input::Stirred));
            }
            Effect::Pause { reason } => {
                tracing::warn!(run = %lead.run, reason, "run paused");
                store.pause(lead).await?;
            }
            Effect::Fail { reason } => store.fail(lead, &reason).await?,
            Effect::Keep(event) => self.scribe.keep(event).await?,
            Effect::Disown { .. } | Effect::Commit(_) => unreachable!("`act` has taken them"),
            Effect::Publish(event) => {
                self.context.events.publish(event);
            }
        }
        Ok(None)
    }

    async fn plan(&self, generation: u32, state: Vec<u8>) -> Input {
        let simulation = self.opened.experiment.simulation();
        let (procedure, from) = (Arc::clone(&self.opened.procedure), state.clone());
        let plan = self.context.hands.lend(move || procedure.plan(&from)).await;
        match plan.map_err(Failure::said).and_then(|plan| plan.map_err(|e| Failure::of(&e))) {
            Ok(plan) => {
                let gathering = simulation.accumulator(plan.series.len());
                Input::Planned(Planned { plan, gathering, together: simulation.batch(), state })
            }
            Err(failure) => Input::Failed(failure.during("plan", generation)),
        }
    }

    async fn compute(&self, input: FoldInput) -> Input {
        let FoldInput { generation, state, digest, n_series, tallies } = input;
        let procedure = Arc::clone(&self.opened.procedure);
        let seed = self.seed.generation(generation);
        let compute = move || {
            let mut work = Vec::new();
            for tally in &tallies {
                Work::add(&mut work, &procedure.simulation().work(tally)?);
            }
            let step = procedure.fold(&state, n_series, &tallies, &seed)?;
            let (Step::Continue(next) | Step::Done(next)) = &step;
            let digest = digest.fold(&tallies, next);
            let measures = procedure.measures(next)?;
            Ok(Computed { step, digest, measures, work })
        };
        let computed = self.context.hands.lend(compute).await;
        let failed = |error: hatchery_core::erased::ExperimentError| Failure::of(&error);
        match computed.map_err(Failure::said).and_then(|computed| computed.map_err(failed)) {
            Ok(computed) => Input::Computed(computed),
            Err(failure) => Input::Failed(failure.during("fold", generation)),
        }
    }
}

impl Failure {
    fn during(self, act: &str, generation: u32) -> Self {
        let message = format!("{act} of generation {generation}: {}", self.message);
        Self { message, ..self }
    }

    fn said(message: String) -> Self {
        Self { message, trial: None }
    }
}

impl Event {
    /// That the results of a worker are computed again.
    fn disowned(worker: u128, reason: &str, generation: u32) -> Self {
        let worker = format!("{worker:032x}");
        Self::ResultsDisowned { worker, reason: reason.to_owned(), generation }
    }
}
