//! Invalidates results: the results of quarantined workers, and the results of a generation that is
//! cut into smaller jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use hatchery_core::Digest;
use hatchery_store::operation::{
    DisownResults, FindQuarantined, ListQuarantined, ReadGenerations, ReadPosition, RewindRun,
};
use hatchery_store::{RunState, WorkerId};
use prost::Message;

use super::outcome::LeadError;
use super::worker_history::{WorkerHistory, workers_of};
use super::{LeadStep, POLL, RunLeader};
use crate::base::event::Event;
use crate::dispatch::DispatchMessage;
use crate::run::large_value::{self, lost};
use crate::run::record::{self, Checkpoint, CostTotals, GenerationRecord, WorkCount};
use crate::run::state_thinning::{self, KeptState};

impl RunLeader<'_> {
    /// Has the results of all quarantined workers computed again: the unfolded jobs of this
    /// generation, or everything from the first generation that such a worker contributed to.
    /// `folded` are the workers of this generation's results in the checkpoint. `taken_in` are the
    /// workers of the results that the machine has absorbed.
    ///
    /// Returns whether the machine has to start again from the checkpoint.
    pub(super) async fn invalidate_quarantined(
        &mut self,
        generation: u32,
        folded: &BTreeSet<WorkerId>,
        taken_in: &BTreeSet<WorkerId>,
    ) -> Result<bool, LeadError> {
        let out = self.context.store.leader().execute(ListQuarantined).await?;
        self.invalidate(generation, out, folded, taken_in).await
    }

    /// Has the results computed again that a quarantined worker contributed to `generation`, which
    /// is about to end, or to a generation before. `workers` are the workers of all results of the
    /// generation. The cost depends on the number of workers that contributed to the run, and not
    /// on the number of quarantined workers.
    ///
    /// Returns whether the machine has to start again from the checkpoint.
    pub(super) async fn invalidate_contributors(
        &mut self,
        generation: u32,
        workers: &BTreeSet<WorkerId>,
    ) -> Result<bool, LeadError> {
        let contributors = self.past().await?.workers().chain(workers.iter().copied()).collect();
        let find = FindQuarantined { workers: contributors };
        let out = self.context.store.leader().execute(find).await?;
        self.invalidate(generation, out, &BTreeSet::new(), workers).await
    }

    /// Returns the workers that contributed to the folded generations.
    async fn past(&mut self) -> Result<&WorkerHistory, LeadError> {
        let past = match self.past.take() {
            Some(past) => past,
            None => {
                let mut past = WorkerHistory::default();
                for record in self.records().await? {
                    past.add(record.generation, &workers_of(&record.origin));
                }
                past
            }
        };
        Ok(self.past.insert(past))
    }

    /// Has the results of the quarantined workers `out` computed again.
    async fn invalidate(
        &mut self,
        generation: u32,
        out: Vec<(WorkerId, String)>,
        folded: &BTreeSet<WorkerId>,
        taken_in: &BTreeSet<WorkerId>,
    ) -> Result<bool, LeadError> {
        if out.is_empty() {
            return Ok(false);
        }
        let past = self.past().await?;
        let first = |worker: &WorkerId| {
            let before = past.first(worker);
            before.or_else(|| folded.contains(worker).then_some(generation))
        };
        let tainted =
            out.iter().filter_map(|(worker, reason)| Some((first(worker)?, *worker, reason)));
        if let Some((tainted, worker, reason)) = tainted.min() {
            return self.go_back(tainted, worker, reason).await.map(|()| true);
        }
        let (store, lead) = (self.context.store.leader(), self.led.lead);
        let mut again = out.iter().any(|(worker, _)| taken_in.contains(worker));
        let workers = out.iter().map(|(worker, _)| *worker).collect();
        let reasons: BTreeMap<_, _> = out.into_iter().collect();
        for (worker, n_jobs) in store.execute(DisownResults { lead, workers }).await? {
            tracing::warn!(run = %lead.run, n_jobs, "recomputing jobs of a quarantined worker");
            let reason = reasons.get(&worker).map(String::as_str).unwrap_or_default();
            let event = Event::results_invalidated(worker, reason, generation);
            self.event_writer.keep(event).await?;
            again = true;
        }
        Ok(again)
    }

    /// Rewinds to the beginning of a generation that `worker` contributed to, once the run is not
    /// paused. Does nothing if the run has ended.
    async fn go_back(
        &mut self,
        generation: u32,
        worker: WorkerId,
        reason: &str,
    ) -> Result<(), LeadError> {
        if !self.is_active().await? {
            return Ok(());
        }
        let tainted = generation;
        let generation = self.rewind(tainted).await?;
        tracing::warn!(
            run = %self.led.lead.run, generation, tainted,
            "rewound: a quarantined worker contributed"
        );
        let event = Event::results_invalidated(worker, reason, generation);
        Ok(self.event_writer.keep(event).await?)
    }

    /// Rewinds to the beginning of the current `generation`, to cut it into jobs of at most
    /// `most_trials`, once the run is not paused. Does nothing if the run has ended.
    pub(super) async fn begin_again(
        &mut self,
        generation: u32,
        most_trials: NonZeroU64,
        reason: String,
    ) -> Result<(), LeadError> {
        if !self.is_active().await? {
            return Ok(());
        }
        let (generation, most_trials) = (self.rewind(generation).await?, most_trials.get());
        let run = self.led.lead.run;
        tracing::warn!(%run, generation, most_trials, reason, "rewound, to cut smaller jobs");
        let event = Event::JobsTooLarge { generation, most_trials, reason };
        Ok(self.event_writer.keep(event).await?)
    }

    /// Rewinds to the beginning of the current generation, with an empty queue, once the run is not
    /// paused. Does nothing if the run has ended.
    pub(super) async fn renew_queue(self) -> Result<LeadStep, LeadError> {
        if self.is_active().await? {
            let generation = self.rewind(self.led.position.generation).await?;
            tracing::warn!(run = %self.led.lead.run, generation, "rewound: its queue is renewed");
        }
        Ok(LeadStep::Again)
    }

    /// Waits while the run is paused. Returns true if the run is active then, and false if it has
    /// ended.
    async fn is_active(&self) -> Result<bool, LeadError> {
        let (store, run) = (self.context.store.leader(), self.led.lead.run);
        loop {
            match store.execute(ReadPosition { run }).await?.state {
                RunState::Active => return Ok(true),
                RunState::Paused => tokio::time::sleep(POLL).await,
                RunState::Done | RunState::Failed { .. } | RunState::Cancelled => {
                    return Ok(false);
                }
            }
        }
    }

    /// Rewinds to the beginning of a generation, or of the nearest earlier generation whose state
    /// is kept; returns the generation.
    async fn rewind(&self, generation: u32) -> Result<u32, LeadError> {
        let (store, lead) = (self.context.store.leader(), self.led.lead);
        let kept = self.checkpoint()?.kept;
        let generation = state_thinning::nearest(&kept, generation).unwrap_or(0);
        let checkpoint = self.beginning(generation, kept, &self.records().await?).await?;
        let keep = Some(state_thinning::hashes(&checkpoint.kept).into_iter().collect());
        let checkpoint = checkpoint.encode_to_vec();
        store.execute(RewindRun { lead, generation, checkpoint, keep }).await?;
        self.dispatch.tell(DispatchMessage::Rewound(lead.run)).await;
        Ok(generation)
    }

    pub(super) async fn records(&self) -> Result<Vec<GenerationRecord>, LeadError> {
        let records = self
            .context
            .store
            .leader()
            .execute(ReadGenerations { run: self.led.lead.run, from: 0 })
            .await?;
        let records = records.iter().map(|record| GenerationRecord::decode(record.as_slice()));
        let decode = |source| LeadError::Decode { what: "generation", source };
        records.collect::<Result<_, _>>().map_err(decode)
    }

    /// Returns the checkpoint at the beginning of a generation, rebuilt from the records.
    async fn beginning(
        &self,
        generation: u32,
        mut kept: Vec<KeptState>,
        records: &[GenerationRecord],
    ) -> Result<Checkpoint, LeadError> {
        let run = self.led.lead.run;
        kept.retain(|state| state.generation <= generation);
        let before = records.iter().filter(|record| record.generation < generation);
        let state_parts = match records.iter().find(|record| record.generation == generation) {
            Some(record) => self.state_parts(record).await?,
            None => self.checkpoint()?.state_parts,
        };
        let record = &self.opened.record;
        let digest = match before.clone().next_back() {
            Some(last) => last.digest.clone(),
            None => {
                let name = &record.experiment;
                let (store, parts) = (self.context.store.leader(), record::hashes(&state_parts));
                let state = large_value::read(store, run, &parts).await?;
                let state = state.ok_or_else(|| lost(run, "the first state"))?;
                Digest::begin(name, record.version, record.seed, &record.params, &state)
                    .as_bytes()
                    .to_vec()
            }
        };
        let (mut total, mut work) = (CostTotals::default(), Vec::new());
        for record in before {
            total = total.plus(record.spent);
            let more = record.work.iter().cloned();
            let more: Vec<_> = more.map(|work| work.or_cpu(record.spent.cpu_ns)).collect();
            WorkCount::add(&mut work, &more);
        }
        tracing::debug!(%run, generation, "checkpoint rebuilt");
        Ok(Checkpoint { state_parts, digest, total, work, kept, ..Checkpoint::default() })
    }

    /// Returns the checkpoint that this leader started from.
    fn checkpoint(&self) -> Result<Checkpoint, LeadError> {
        Checkpoint::decode(self.led.checkpoint.as_slice())
            .map_err(|source| LeadError::Decode { what: "checkpoint", source })
    }
}
