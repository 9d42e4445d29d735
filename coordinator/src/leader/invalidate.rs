//! Invalidates the results of quarantined workers.

use std::collections::BTreeSet;

use hatchery_core::Digest;
use hatchery_store::operation::{
    DisownResults, ListQuarantined, ReadGenerations, ReadPosition, RewindRun,
};
use hatchery_store::{RunState, WorkerId};
use prost::Message;

use super::outcome::LeadError;
use super::worker_history::{WorkerHistory, workers_of};
use super::{POLL, RunLeader};
use crate::event::Event;
use crate::large_value::{self, lost};
use crate::record::{self, Checkpoint, CostTotals, GenerationRecord, WorkCount};
use crate::state_thinning::{self, KeptState};

impl RunLeader<'_> {
    /// Has the results of quarantined workers computed again: the jobs of this generation that are
    /// not folded, or everything from the first generation on that such a worker contributed to.
    /// `folded` are the workers of the part of this generation that is in the checkpoint;
    /// `taken_in` those of the results that the machine has absorbed.
    ///
    /// Returns whether the machine has to start again from the checkpoint.
    pub(super) async fn invalidate_quarantined(
        &mut self,
        generation: u32,
        folded: &BTreeSet<WorkerId>,
        taken_in: &BTreeSet<WorkerId>,
    ) -> Result<bool, LeadError> {
        let (store, lead) = (self.context.store.leader(), self.led.lead);
        let out = store.execute(ListQuarantined).await?;
        if out.is_empty() {
            return Ok(false);
        }
        if self.past.is_none() {
            let mut past = WorkerHistory::default();
            for record in self.records().await? {
                past.add(record.generation, &workers_of(&record.origin));
            }
            self.past = Some(past);
        }
        let past = self.past.as_ref();
        let first = |worker: &WorkerId| {
            let before = past.and_then(|past| past.first(worker));
            before.or_else(|| folded.contains(worker).then_some(generation))
        };
        let tainted =
            out.iter().filter_map(|(worker, reason)| Some((first(worker)?, *worker, reason)));
        if let Some((tainted, worker, reason)) = tainted.min() {
            return self.go_back(tainted, worker, reason).await.map(|()| true);
        }
        let mut again = false;
        for (worker, reason) in out {
            let n_jobs = store.execute(DisownResults { lead, worker }).await?;
            if 0 < n_jobs {
                tracing::warn!(run = %lead.run, n_jobs, "recomputing jobs of a quarantined worker");
                let event = Event::results_invalidated(worker, &reason, generation);
                self.event_writer.keep(event).await?;
            }
            again |= 0 < n_jobs || taken_in.contains(&worker);
        }
        Ok(again)
    }

    /// Rewinds to the beginning of a generation that `worker` contributed to, once the run is not
    /// paused; does nothing if the run has ended.
    async fn go_back(
        &mut self,
        generation: u32,
        worker: WorkerId,
        reason: &str,
    ) -> Result<(), LeadError> {
        let (store, lead) = (self.context.store.leader(), self.led.lead);
        loop {
            match store.execute(ReadPosition { run: lead.run }).await?.state {
                RunState::Active => break,
                RunState::Paused => tokio::time::sleep(POLL).await,
                RunState::Done | RunState::Failed { .. } | RunState::Cancelled => return Ok(()),
            }
        }
        let kept = self.checkpoint()?.kept;
        let tainted = generation;
        let generation = state_thinning::nearest(&kept, generation).unwrap_or(0);
        tracing::warn!(
            run = %lead.run, generation, tainted, "rewinding: a quarantined worker contributed"
        );
        let checkpoint = self.beginning(generation, kept, &self.records().await?).await?;
        let keep = Some(state_thinning::hashes(&checkpoint.kept).into_iter().collect());
        let checkpoint = checkpoint.encode_to_vec();
        store.execute(RewindRun { lead, generation, checkpoint, keep }).await?;
        let event = Event::results_invalidated(worker, reason, generation);
        Ok(self.event_writer.keep(event).await?)
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
