//! Leads a run: the loop that performs the effects of its machine.

mod damage;
mod event_writer;
mod fold;
mod forecast;
mod invalidate;
mod loading;
pub(crate) mod open;
mod outcome;
mod spans;
mod tail_timer;
mod worker_history;

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::RunSeed;
use hatchery_proto::v1::GenerationPhase;
use hatchery_store::operation::{
    DisownResults, FailRun, FoldResults, PauseRun, ReadDeadJobs, ReadGenerations, ReadOverviews,
    ReadResults, ReadStanding, SkipJobs, TakeLead,
};
use hatchery_store::{AfterFold, FoldCommit, LeaderState, RunPosition, StoreError, WorkerId};
use prost::Message as _;
use prost::bytes::Bytes;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use crate::base::context::CoordinatorContext;
use crate::base::event::Event;
use crate::dispatch::{DispatchHandle, DispatchMessage, EnqueueRequest, LeaderNotice};
use crate::run::large_value;
use crate::run::machine::{
    MachineEffect, MachineInput, PlannedGeneration, RunFailure, RunMachine, dead_jobs,
};
use crate::run::record::{Checkpoint, GenerationRecord, LiveProgress};
use crate::run::summary::RunSummary;

use damage::QueueRepair;
use event_writer::EventWriter;
use forecast::RunForecast;
use open::{FirstGeneration, OpenedRun, plan_generation, summaries};
use spans::LeadSpans;
use tail_timer::TailTimer;
use worker_history::{WorkerHistory, workers_of};

pub(crate) use damage::fail_unled;
pub(crate) use outcome::outcome_of;
pub use outcome::{LeadError, RunOutcome};

use outcome::ended_meanwhile;

/// The interval at which a leader polls for results without a notification.
const POLL: Duration = Duration::from_secs(1);

/// The most folded generations of earlier leaders from which the time left is estimated.
const MAX_KNOWN_GENERATIONS: u32 = 64;

/// The number of bytes above which a page of large results is cut short: a page is in memory as a
/// whole.
const MAX_PAGE_BYTES: usize = 64 << 20;

/// The most dead jobs that are handled at a time.
const DEAD_JOBS_PER_READ: usize = 64;

/// Leads the run until it ends, and reports its progress on `progress`. `first` is the beginning of
/// a run that was just created here.
pub(crate) async fn lead(
    context: &CoordinatorContext,
    dispatch: &DispatchHandle,
    opened: &OpenedRun,
    mut first: Option<FirstGeneration>,
    progress: &watch::Sender<LiveProgress>,
) -> Result<RunOutcome, LeadError> {
    let run = opened.run;
    // Unbounded in name only: notices come from leased jobs, whose number the machine bounds.
    let (notify, mut notices) = mpsc::unbounded_channel();
    dispatch.tell(DispatchMessage::Lead(run, notify)).await;
    let mut spans = LeadSpans::lead(run, &opened.record);
    let mut event_writer = EventWriter::new(context, run);
    let mut job_trials = context.job_trials;
    let mut repair = QueueRepair::default();
    let ended = loop {
        let led = context.store.leader().execute(TakeLead { run }).await?;
        let checkpoint = Checkpoint::decode(led.checkpoint.as_slice())
            .map_err(|source| LeadError::Decode { what: "checkpoint", source })?;
        if let Some(ended) = outcome_of(&led.position.state) {
            break ended;
        }
        let (lead, generation) = (led.lead, led.position.generation);
        let driver = RunLeader {
            context,
            dispatch,
            seed: RunSeed::new(&opened.record.experiment, opened.record.seed),
            led,
            opened,
            first: &mut first,
            progress,
            past: None,
            forecast: RunForecast::new(opened.procedure.generations(), opened.procedure.phases()),
            event_writer: &mut event_writer,
            spans: &mut spans,
            job_trials: &mut job_trials,
        };
        let step = match repair.take() {
            true => driver.renew_queue().await,
            false => driver.run(checkpoint, &mut notices).await,
        };
        match step {
            Ok(LeadStep::Ended(ended)) => break ended,
            // The absorbed results are not reliable any more: start again from the checkpoint.
            Ok(LeadStep::Again) => {}
            Err(error) if repair.may_help(generation, &error) => {}
            Err(error) if let Some(remedy) = error.remedy() => {
                let error = error.cause();
                let failed = damage::fail(context, &mut event_writer, lead, (error, remedy));
                break match failed.await {
                    Ok(failed) => failed,
                    Err(error) => ended_meanwhile(&error).ok_or(error)?,
                };
            }
            Err(error) => break ended_meanwhile(&error).ok_or(error)?,
        }
    };
    event_writer.finish().await?;
    spans.ended(&ended);
    dispatch.tell(DispatchMessage::Unlead(run)).await;
    Ok(ended)
}

/// The next step after the loop has stopped.
enum LeadStep {
    Ended(RunOutcome),
    Again,
}

/// The outcome of an effect or of waiting.
enum StepOutcome {
    /// Nothing for the machine.
    Nothing,
    /// An input for the machine.
    Input(MachineInput),
    /// The absorbed results are not reliable any more.
    Again,
    /// The run has ended.
    Ended(RunOutcome),
}

struct RunLeader<'a> {
    context: &'a CoordinatorContext,
    dispatch: &'a DispatchHandle,
    seed: RunSeed,
    led: LeaderState,
    opened: &'a OpenedRun,
    /// The beginning of a new run, until generation 0 is planned.
    first: &'a mut Option<FirstGeneration>,
    progress: &'a watch::Sender<LiveProgress>,
    /// The workers of the folded generations, once they have been read.
    past: Option<WorkerHistory>,
    forecast: RunForecast,
    event_writer: &'a mut EventWriter,
    spans: &'a mut LeadSpans,
    /// The most trials of a job.
    job_trials: &'a mut Option<NonZeroU64>,
}

impl RunLeader<'_> {
    async fn run(
        mut self,
        checkpoint: Checkpoint,
        notices: &mut mpsc::UnboundedReceiver<LeaderNotice>,
    ) -> Result<LeadStep, LeadError> {
        let generation = self.led.position.generation;
        let checkpoint = self.upgrade(checkpoint).await?;
        self.led.checkpoint = checkpoint.encode_to_vec();
        let folded = workers_of(&checkpoint.origin);
        // A new run has no results.
        let begins = self.led.position == RunPosition::FIRST;
        if !begins && self.invalidate_quarantined(generation, &folded, &BTreeSet::new()).await? {
            return Ok(LeadStep::Again);
        }
        tracing::info!(run = %self.led.lead.run, generation, "leading run");
        let started = Instant::now();
        let mut slots = self.context.slots.clone();
        let generations = self.opened.procedure.generations();
        let record = self.opened.record.clone();
        let summary = self.summary(generations, &checkpoint).await?;
        let loaded = self.load(checkpoint).await?;
        if !begins {
            self.forecast.take_over();
        }
        self.read_costs(generation).await?;
        let (machine, mut effects) =
            RunMachine::start(record, generations, &self.led, loaded, summary, Duration::ZERO);
        let mut machine = machine.with_job_trials(*self.job_trials);
        let now_slots = MachineInput::Slots(*slots.borrow_and_update());
        machine.handle(Duration::ZERO, &self.led, now_slots, &mut effects);
        let mut tail = TailTimer::default();
        while !(machine.has_ended() && effects.is_empty()) {
            let outcome = match effects.pop_front() {
                Some(effect) => self.act(machine.generation(), effect).await?,
                None => self.wait(&mut machine, notices, &mut slots).await?,
            };
            match outcome {
                StepOutcome::Nothing => {}
                StepOutcome::Input(input) => {
                    machine.handle(started.elapsed(), &self.led, input, &mut effects);
                    self.report(&machine, started.elapsed());
                    if let Some(took) = tail.observe(machine.rest(), Instant::now()) {
                        self.context.meters.farm.observe_tail(took);
                    }
                }
                StepOutcome::Again => return Ok(LeadStep::Again),
                StepOutcome::Ended(ended) => return Ok(LeadStep::Ended(ended)),
            }
        }
        Ok(LeadStep::Ended(machine.ended_as().and_then(outcome_of).unwrap_or(RunOutcome::Done)))
    }

    /// Reports the progress at time `now`.
    fn report(&mut self, machine: &RunMachine, now: Duration) {
        if machine.is_planning() {
            // Until the next generation is planned, the last one is the news.
            self.progress.send_modify(|live| live.set_phase(GenerationPhase::Planning));
        } else {
            self.progress.send_replace(self.forecast.progress(machine, now));
        }
    }

    /// Returns the summary of the run up to the current generation.
    async fn summary(
        &self,
        generations: u32,
        checkpoint: &Checkpoint,
    ) -> Result<RunSummary, StoreError> {
        if self.led.position == RunPosition::FIRST {
            return Ok(RunSummary::new(&self.opened.record, generations, &checkpoint.digest));
        }
        let (run, store) = (self.led.lead.run, self.context.store.leader());
        let overviews = store.execute(ReadOverviews { runs: vec![run] }).await?;
        let overview = overviews.into_iter().next().flatten();
        let overview = overview.ok_or(StoreError::NoRun { run })?;
        summaries::find(self.context.store.summaries(), self.context.catalog, run, &overview).await
    }

    /// Reads the cost of the last generations before `generation`, which an earlier leader folded.
    async fn read_costs(&mut self, generation: u32) -> Result<(), LeadError> {
        if generation == 0 {
            return Ok(());
        }
        let from = generation.saturating_sub(MAX_KNOWN_GENERATIONS);
        let run = self.led.lead.run;
        for record in self.context.store.leader().execute(ReadGenerations { run, from }).await? {
            let record = GenerationRecord::decode(record.as_slice())
                .map_err(|source| LeadError::Decode { what: "generation", source })?;
            self.forecast.folded(&record);
        }
        Ok(())
    }

    /// Performs `effect`; results of quarantined workers are invalidated first.
    async fn act(
        &mut self,
        generation: u32,
        effect: MachineEffect,
    ) -> Result<StepOutcome, LeadError> {
        match effect {
            MachineEffect::Disown { workers } => {
                tracing::warn!(run = %self.led.lead.run, "a result of an earlier cut");
                let lead = self.led.lead;
                let workers = workers.into_iter().collect();
                self.context.store.leader().execute(DisownResults { lead, workers }).await?;
                Ok(StepOutcome::Again)
            }
            MachineEffect::CutSmaller { most_trials, reason } => {
                *self.job_trials = Some(most_trials);
                self.begin_again(generation, most_trials, reason).await?;
                Ok(StepOutcome::Again)
            }
            MachineEffect::Compute(input) => self.fold(input).await,
            MachineEffect::Commit(fold) => self.commit(fold).await,
            effect => {
                if let MachineEffect::Plan { .. } = effect {
                    self.spans.plan(generation);
                }
                let input = self.perform(generation, effect).await?;
                Ok(input.map_or(StepOutcome::Nothing, StepOutcome::Input))
            }
        }
    }

    /// Writes a checkpoint. A checkpoint that ends a generation is written only if no quarantined
    /// worker contributed to the generation.
    async fn commit(&mut self, mut fold: FoldCommit) -> Result<StepOutcome, LeadError> {
        let generation = fold.generation;
        let record = match &fold.then {
            AfterFold::SameGeneration => None,
            AfterFold::NextGeneration { record } | AfterFold::Done { record } => {
                let record = GenerationRecord::decode(record.as_slice())
                    .map_err(|source| LeadError::Decode { what: "generation", source })?;
                Some(record)
            }
        };
        let workers = record.as_ref().map(|record| workers_of(&record.origin));
        if let Some(workers) = &workers
            && self.invalidate_contributors(generation, workers).await?
        {
            return Ok(StepOutcome::Again);
        }
        let (store, lead) = (self.context.store.leader(), self.led.lead);
        let parts = fold.parts.into_iter().map(Bytes::from).collect();
        fold.parts = large_value::write_large(store, lead.run, parts).await?;
        let checkpoint = fold.checkpoint.clone();
        store.execute(FoldResults { lead, fold }).await?;
        if let Some(record) = record {
            self.led.checkpoint = checkpoint;
            self.spans.folded(&record);
            self.forecast.folded(&record);
            let elapsed = Duration::from_nanos(record.spent.elapsed_ns);
            let experiment = &self.opened.record.experiment;
            self.context.meters.farm.observe_generation(experiment, elapsed);
        }
        if let (Some(past), Some(workers)) = (&mut self.past, &workers) {
            past.add(generation, workers);
        }
        Ok(StepOutcome::Nothing)
    }

    /// Waits for the next input of the machine.
    async fn wait(
        &mut self,
        machine: &mut RunMachine,
        notices: &mut mpsc::UnboundedReceiver<LeaderNotice>,
        slots: &mut watch::Receiver<u32>,
    ) -> Result<StepOutcome, LeadError> {
        tokio::select! {
            // In a fixed order, so that a simulation can be repeated.
            biased;
            notice = notices.recv() => match notice {
                Some(LeaderNotice::Input(input)) => Ok(StepOutcome::Input(input)),
                Some(LeaderNotice::StoreFailed(error)) => Err(error.into()),
                Some(LeaderNotice::Quarantined) => {
                    let (generation, workers) = (machine.generation(), machine.workers());
                    let none = BTreeSet::new();
                    let again = self.invalidate_quarantined(generation, &none, &workers).await?;
                    Ok(if again { StepOutcome::Again } else { StepOutcome::Nothing })
                }
                // Dispatch notifies another leader: this one is about to end.
                None => {
                    tokio::time::sleep(POLL).await;
                    Ok(StepOutcome::Input(MachineInput::ResultsAvailable))
                }
            },
            changed = slots.changed() => {
                changed.expect("the coordinator lives as long as its leaders");
                Ok(StepOutcome::Input(MachineInput::Slots(*slots.borrow_and_update())))
            }
            () = tokio::time::sleep(POLL) => {
                let rolled_back = self.was_rolled_back(machine.place()).await?;
                Ok(match rolled_back {
                    true => StepOutcome::Again,
                    false => StepOutcome::Input(MachineInput::ResultsAvailable),
                })
            }
        }
    }

    /// Returns whether the store was rolled back to an earlier time, as after a power cut. If
    /// another leader has advanced the run, the store refuses the call.
    async fn was_rolled_back(&self, place: Option<(u32, u64)>) -> Result<bool, LeadError> {
        let Some(place) = place else { return Ok(false) };
        let lead = self.led.lead;
        let position = self.context.store.leader().execute(ReadStanding { lead }).await?;
        let rolled_back = (position.generation, position.cursor) != place;
        if rolled_back {
            let run = self.led.lead.run;
            tracing::warn!(%run, ?position, ?place, "the store was rolled back");
        }
        Ok(rolled_back)
    }

    /// Performs `effect` and returns the input that answers it.
    async fn perform(
        &mut self,
        generation: u32,
        effect: MachineEffect,
    ) -> Result<Option<MachineInput>, LeadError> {
        let lead = self.led.lead;
        let store = self.context.store.leader();
        match effect {
            MachineEffect::Plan { state } => return Ok(Some(self.plan(generation, state).await)),
            MachineEffect::Enqueue(mut enqueue) => {
                let parts = enqueue.parts.into_iter().map(Bytes::from).collect();
                enqueue.parts = large_value::write_large(store, lead.run, parts).await?;
                let (done, stored) = oneshot::channel();
                let request = EnqueueRequest { lead, enqueue, done };
                self.dispatch.tell(DispatchMessage::Enqueue(request)).await;
                stored.await.expect("dispatch answers as long as its coordinator lives")?;
            }
            MachineEffect::ReadResults { class, from, most } => {
                let run = lead.run;
                let mut page = store.execute(ReadResults { run, from, most }).await?;
                let (mut n_results, mut n_bytes) = (0, 0);
                for result in &mut page.results {
                    // The machine reads on after a page that is cut short.
                    if MAX_PAGE_BYTES < n_bytes {
                        break;
                    }
                    large_value::load_output(store, run, result).await?;
                    (n_results, n_bytes) = (n_results + 1, n_bytes + result.output.len());
                }
                page.results.truncate(n_results);
                return Ok(Some(MachineInput::ResultsRead(class, page)));
            }
            MachineEffect::ReadDeadJobs => {
                let (run, most) = (lead.run, DEAD_JOBS_PER_READ);
                let parked = store.execute(ReadDeadJobs { run, from: 0, most }).await?;
                return Ok(Some(MachineInput::Parked(parked)));
            }
            MachineEffect::Skip(parked) => {
                let results = parked.iter().map(|parked| (parked.job, dead_jobs::missing(parked)));
                store.execute(SkipJobs { lead, results: results.collect() }).await?;
                return Ok(Some(MachineInput::ResultsAvailable));
            }
            MachineEffect::Pause { reason } => {
                tracing::warn!(run = %lead.run, reason, "run paused");
                store.execute(PauseRun { lead }).await?;
            }
            MachineEffect::Fail { reason } => {
                store.execute(FailRun { lead, reason }).await?;
            }
            MachineEffect::Keep(event) => self.event_writer.keep(event).await?,
            MachineEffect::Disown { .. }
            | MachineEffect::CutSmaller { .. }
            | MachineEffect::Commit(_)
            | MachineEffect::Compute(_) => {
                unreachable!("`act` has taken them")
            }
            MachineEffect::Publish(event) => {
                self.context.events.publish(event);
            }
        }
        Ok(None)
    }

    async fn plan(&mut self, generation: u32, state: Bytes) -> MachineInput {
        let simulation = self.opened.experiment.simulation();
        let first = self.first.take();
        let made = first.filter(|first| generation == 0 && first.state == state);
        let plan = match made.and_then(|first| first.plan) {
            Some(plan) => Ok(plan),
            None => {
                let procedure = Arc::clone(&self.opened.procedure);
                let plan = move || plan_generation(procedure.as_ref(), &state);
                let plan = self.context.compute_pool.run(plan).await.map_err(RunFailure::said);
                plan.and_then(|plan| plan.map_err(|error| RunFailure::of(&error)))
            }
        };
        match plan {
            Ok(plan) => {
                let gathering = simulation.accumulator(plan.series.len());
                MachineInput::Planned(PlannedGeneration {
                    plan,
                    gathering,
                    together: simulation.batch(),
                })
            }
            Err(failure) => MachineInput::Failed(failure.during("plan", generation)),
        }
    }
}

impl RunFailure {
    fn during(self, act: &str, generation: u32) -> Self {
        let message = format!("{act} of generation {generation}: {}", self.message);
        Self { message, ..self }
    }

    fn said(message: String) -> Self {
        Self { message, trial: None }
    }
}

impl Event {
    /// Returns the event that a worker's results were invalidated.
    fn results_invalidated(worker: WorkerId, reason: &str, generation: u32) -> Self {
        let worker = worker.to_string();
        Self::ResultsDisowned { worker, reason: reason.to_owned(), generation }
    }
}
