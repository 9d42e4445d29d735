//! The operations on a run as a whole.

use futures_util::future::try_join_all;
use hatchery_core::{Digest, error_chain};
use redis::{Value, cmd};
use tracing::warn;

use super::error::RedisFailure;
use super::membership::parse_claim;
use super::part_files::GivenParts;
use super::reply::{self, MalformedReply};
use super::script::{
    BATCH, CREATE, DELETE, ENQUEUE, FAIL, FOLD, FORGET, GET, LEAD, LIST, OVERVIEW, REWIND, RUN_FOR,
    STEER,
};
use super::{RedisStore, keys};
use crate::{
    AfterFold, CoordinatorId, EnqueueBatch, FencingNonce, FencingToken, FoldCommit, LeaderState,
    LeaderToken, LeasedJob, PartRetention, RunId, RunOverview, RunState, SteerAction, StoreError,
};

/// The number of overviews that are asked for at the same time: they take the server some
/// milliseconds.
const OVERVIEWS: usize = 256;

/// The number of generations or events in one answer, and the number of bytes, not counting the
/// last one.
const PAGE: usize = 1024;
const MAX_BYTES: usize = 4 << 20;

impl RedisStore {
    pub(super) async fn create_run(
        &self,
        run: RunId,
        [record, checkpoint, summary]: [&[u8]; 3],
        parts: &[Vec<u8>],
    ) -> Result<bool, StoreError> {
        if let Err(trouble) = self.room.check(&self.control).await {
            // A run that exists is left as it is; a new one could not have its first jobs.
            self.position(run).await.map_err(|_| trouble.at(&self.place))?;
        }
        let given = self.given(run, parts).await?;
        let request = self.on_listed(run, &CREATE).arg(record).arg(checkpoint).arg(summary);
        let created = request.parts(&given)?.ask_with_spare(reply::number).await;
        Ok(self.settle(run, &given, created)? == 1)
    }

    pub(super) async fn delete_run(&self, run: RunId) -> Result<(), StoreError> {
        // First: nobody deletes a run again that is gone, so its keys would stay.
        let mut forget = cmd("EVALSHA");
        forget.arg(FORGET.code.get_hash()).arg(2);
        forget.arg(keys::SUBMISSIONS).arg(keys::submissions_of(run));
        let forgotten = self.control.run(&FORGET, &forget).await;
        forgotten.map_err(|trouble| trouble.at(&self.place))?;
        self.tell(cmd("ZREM").arg(keys::RUNS).arg(run.to_string())).await?;
        self.on(run, &DELETE).done().await?;
        if let Err(error) = self.remove_files(run).await {
            warn!(%run, error = error_chain(&error), "files of a deleted run are left to a sweep");
        }
        Ok(())
    }

    /// Returns the runs from this place in the order of all runs on; -1 is the last place.
    pub(super) async fn runs_from(&self, first: i64) -> Result<Vec<RunId>, StoreError> {
        // All have the same score, so they are in the order of their names.
        let names = self.tell(cmd("ZRANGE").arg(keys::RUNS).arg(first).arg(-1)).await?;
        let parse = || reply::list(names)?.into_iter().map(run_id).collect();
        self.parsed(parse())
    }

    /// Returns the overviews of `runs`; the calls of a chunk travel together.
    pub(super) async fn overviews_of(
        &self,
        runs: &[RunId],
    ) -> Result<Vec<Option<RunOverview>>, StoreError> {
        let mut found = Vec::with_capacity(runs.len());
        for chunk in runs.chunks(OVERVIEWS) {
            let asked =
                chunk.iter().map(async |&run| match self.on(run, &OVERVIEW).ask(overview).await {
                    Ok(overview) => Ok(Some(overview)),
                    Err(StoreError::NoRun { .. }) => Ok(None),
                    Err(error) if error.is_of_run() => Ok(Some(RunOverview::damaged(&error))),
                    Err(error) => Err(error),
                });
            found.extend(try_join_all(asked).await?);
        }
        Ok(found)
    }

    pub(super) async fn run_for(&self, key: &[u8], run: RunId) -> Result<RunId, StoreError> {
        let mut call = cmd("EVALSHA");
        call.arg(RUN_FOR.code.get_hash()).arg(2);
        call.arg(keys::SUBMISSIONS).arg(keys::submissions_of(run)).arg(key).arg(run.to_string());
        let kept = self.control.run(&RUN_FOR, &call).await;
        let kept = kept.map_err(|trouble| trouble.at(&self.place))?;
        self.parsed(run_id(kept))
    }

    pub(super) async fn run_of(&self, key: &[u8]) -> Result<Option<RunId>, StoreError> {
        match self.tell(cmd("HGET").arg(keys::SUBMISSIONS).arg(key)).await? {
            Value::Nil => Ok(None),
            kept => self.parsed(run_id(kept)).map(Some),
        }
    }

    /// Returns the record or the checkpoint.
    pub(super) async fn get(&self, run: RunId, which: &str) -> Result<Vec<u8>, StoreError> {
        self.on(run, &GET).arg(which).ask(reply::bytes).await
    }

    pub(super) async fn take_lead(&self, run: RunId) -> Result<LeaderState, StoreError> {
        let nonce = FencingNonce::generate();
        let led = |value| {
            let [count, position, checkpoint, table] = reply::items(value)?;
            Ok(LeaderState {
                lead: LeaderToken {
                    run,
                    token: FencingToken { count: reply::number(count)?, nonce },
                },
                position: reply::position(position)?,
                checkpoint: reply::bytes(checkpoint)?,
                table: reply::bytes(table)?,
            })
        };
        self.on(run, &LEAD).arg(nonce.to_string()).ask(led).await
    }

    /// Enqueues all jobs in one call: without the table of their cuts they would be of no use.
    pub(super) async fn enqueue_jobs(
        &self,
        lead: &LeaderToken,
        enqueue: &EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        self.room.check(&self.control).await.map_err(|trouble| trouble.at(&self.place))?;
        let given = self.given(lead.run, &enqueue.parts).await?;
        let request = self.on(lead.run, &ENQUEUE).arg(keys::token(lead)).arg(enqueue.generation);
        let request = request.arg(enqueue.first_index).arg(consumer.to_string());
        let request = request.arg(&enqueue.table).arg(most.min(BATCH)).parts(&given)?;
        let request = enqueue.jobs.iter().fold(request, |request, job| request.arg(job));
        let leased = request.ask_with_spare(reply::jobs).await;
        let mut leased = self.settle(lead.run, &given, leased)?;
        if leased.len() == BATCH && BATCH < most {
            // One call leases no more. If this one fails, the caller still has to know its jobs.
            let rest = self.lease_jobs(lead.run, consumer, most - BATCH).await;
            leased.extend(rest.unwrap_or_default());
        }
        Ok(leased)
    }

    pub(super) async fn fold_results(
        &self,
        lead: &LeaderToken,
        fold: &FoldCommit,
    ) -> Result<(), StoreError> {
        let (then, record) = match &fold.then {
            AfterFold::SameGeneration => ("same", &[][..]),
            AfterFold::NextGeneration { record } => ("next", record.as_slice()),
            AfterFold::Done { record } => ("done", record.as_slice()),
        };
        let given = self.given(lead.run, &fold.parts).await?;
        let request = self.on(lead.run, &FOLD).arg(keys::token(lead)).arg(fold.generation);
        let request = request.arg(fold.folded).arg(then).arg(&fold.checkpoint).arg(record);
        let request = request.arg(&fold.summary).parts(&given)?;
        let retention = fold.full_retention();
        let folded = request.retain(&retention).ask_with_spare(reply::number).await;
        self.retained(lead.run, &retention, self.settle(lead.run, &given, folded))
    }

    pub(super) async fn rewind_to(
        &self,
        lead: &LeaderToken,
        generation: u32,
        checkpoint: &[u8],
        keep: Option<Vec<Digest>>,
    ) -> Result<(), StoreError> {
        let retention = keep.map_or(PartRetention::All, PartRetention::Keep);
        let request = self.on(lead.run, &REWIND).arg(keys::token(lead)).arg(generation);
        let request = request.arg(checkpoint).retain(&retention);
        let rewound = request.ask_with_spare(reply::number).await;
        let outcome = self.settle(lead.run, &GivenParts::Bytes(&[]), rewound);
        self.retained(lead.run, &retention, outcome)
    }

    /// Gives up the uploads for a run that do not stay, if the operation had an effect.
    fn retained(
        &self,
        run: RunId,
        retention: &PartRetention,
        outcome: Result<u64, StoreError>,
    ) -> Result<(), StoreError> {
        if outcome? == 1 {
            self.forget_uploads(run, retention);
        }
        Ok(())
    }

    pub(super) async fn fail_run(
        &self,
        lead: &LeaderToken,
        reason: &str,
    ) -> Result<(), StoreError> {
        self.on(lead.run, &FAIL).arg(keys::token(lead)).arg(reason).done().await
    }

    pub(super) async fn steer_run(
        &self,
        run: RunId,
        steer: SteerAction,
    ) -> Result<RunState, StoreError> {
        let steer = match steer {
            SteerAction::Pause => "pause",
            SteerAction::Resume => "resume",
            SteerAction::Cancel => "cancel",
        };
        let state = |value| {
            let [state, reason] = reply::items(value)?;
            reply::state(state, reason)
        };
        self.on(run, &STEER).arg(steer).ask(state).await
    }

    /// Returns the items of a list of the run, `"generations"` or `"events"`, from number `from`
    /// on.
    pub(super) async fn list(
        &self,
        run: RunId,
        which: &str,
        from: u64,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        // No list is as long as that, and Redis counts from the end below 0.
        let mut next = from.min(1 << 53);
        let mut found = Vec::new();
        loop {
            let request = self.on(run, &LIST).arg(which).arg(next).arg(PAGE).arg(MAX_BYTES);
            let items = |value| reply::list(value)?.into_iter().map(reply::bytes).collect();
            let more: Vec<_> = request.ask(items).await?;
            if more.is_empty() {
                return Ok(found);
            }
            next += more.len() as u64;
            found.extend(more);
        }
    }

    /// Sends a command that is no script and returns its answer.
    pub(super) async fn tell(&self, command: &redis::Cmd) -> Result<Value, StoreError> {
        self.control.ask(command).await.map_err(|trouble| trouble.at(&self.place))
    }

    /// Returns the parsed value, or the error of a damaged store.
    pub(super) fn parsed<T>(&self, parsed: Result<T, MalformedReply>) -> Result<T, StoreError> {
        parsed.map_err(|malformed| RedisFailure::Malformed(malformed).at(&self.place))
    }
}

fn overview(value: Value) -> Result<RunOverview, MalformedReply> {
    let [position, summary, n_unresolved, n_parked, claim, first, last] = reply::items(value)?;
    let claim = reply::maybe_bytes(claim)?;
    Ok(RunOverview {
        position: reply::position(position)?,
        summary: reply::maybe_bytes(summary)?.unwrap_or_default(),
        n_unresolved: reply::number(n_unresolved)?,
        n_parked: reply::number(n_parked)?,
        claim: claim.map(|kept| parse_claim(&kept)).transpose()?,
        first_event: reply::maybe_bytes(first)?,
        last_event: reply::maybe_bytes(last)?,
    })
}

fn run_id(value: Value) -> Result<RunId, MalformedReply> {
    let name = reply::text(value)?;
    name.parse().map(RunId).map_err(|_| MalformedReply { expected: "the id of a run" })
}
