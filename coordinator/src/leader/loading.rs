//! Reads the data that a checkpoint names: the state, and large tallies.

use hatchery_core::{Part, PartMessage};
use hatchery_store::RunPosition;
use hatchery_store::operation::FindParts;
use hatchery_store::parts::write_whole;
use prost::Message;
use prost::bytes::Bytes;

use super::RunLeader;
use super::outcome::LeadError;
use crate::run::large_value::{self, lost};
use crate::run::record::{Checkpoint, GenerationRecord, TallyMap, hashes};
use crate::run::state_thinning::KeptState;

impl RunLeader<'_> {
    /// Returns `checkpoint` with its tallies, and the state that it names.
    pub(super) async fn load(
        &self,
        mut checkpoint: Checkpoint,
    ) -> Result<(Checkpoint, Bytes), LeadError> {
        let (run, store) = (self.led.lead.run, self.context.store.leader());
        if !checkpoint.tally_parts.is_empty() {
            // They stay named, so that the next checkpoint drops them.
            let tally_parts = hashes(&checkpoint.tally_parts);
            let bytes = large_value::read(store, run, &tally_parts).await?;
            let tallies = TallyMap::decode(bytes.ok_or_else(|| lost(run, "a tally"))?)
                .map_err(|source| LeadError::Decode { what: "tallies", source })?;
            checkpoint.tallies = tallies.tallies;
        }
        if self.led.position == RunPosition::FIRST
            && let Some(first) = &*self.first
        {
            return Ok((checkpoint, first.state.clone()));
        }
        let state = large_value::read(store, run, &hashes(&checkpoint.state_parts)).await?;
        Ok((checkpoint, state.ok_or_else(|| lost(run, "the state"))?))
    }

    /// Turns the state of a checkpoint of an earlier version into a part, and keeps all earlier
    /// states. Leaves other checkpoints unchanged.
    pub(super) async fn upgrade(
        &self,
        mut checkpoint: Checkpoint,
    ) -> Result<Checkpoint, LeadError> {
        if !checkpoint.state_parts.is_empty() {
            return Ok(checkpoint);
        }
        let (run, store) = (self.led.lead.run, self.context.store.leader());
        let (state_parts, pieces) = large_value::cut(std::mem::take(&mut checkpoint.state));
        for piece in &pieces {
            write_whole(store, run, piece).await?;
        }
        let mut kept = Vec::new();
        for record in self.records().await? {
            let parts = self.state_parts(&record).await?;
            kept.push(KeptState::new(record.generation, &parts, &[]));
        }
        kept.push(KeptState::new(self.led.position.generation, &state_parts, &[]));
        Ok(Checkpoint { state_parts, kept, ..checkpoint })
    }

    /// Returns the parts of the state that a folded generation started from.
    pub(super) async fn state_parts(
        &self,
        record: &GenerationRecord,
    ) -> Result<Vec<PartMessage>, LeadError> {
        if !record.state_parts.is_empty() {
            return Ok(record.state_parts.clone());
        }
        let (run, parts) = (self.led.lead.run, record.state_hashes());
        let found = self.context.store.leader().execute(FindParts { run, parts }).await?;
        Ok(found.iter().flatten().map(Part::to_message).collect())
    }
}
