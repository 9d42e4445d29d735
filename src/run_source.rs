//! The run that `replay`, `report` and `verify` read: in a folder on this machine, or on a farm. A
//! run in progress on this machine is read through the process that runs it.

use std::path::Path;

use hatchery_coordinator::run::record::hashes;
use hatchery_coordinator::run::state_thinning::nearest;
use hatchery_core::{Digest, Part, PartSet};
use hatchery_proto::v1::RunExport;
use hatchery_store::operation::{ControlView, ReadEvents};
use hatchery_store::parts::read_whole;
use hatchery_store::{RunId, Store};
use prost::bytes::Bytes;

use crate::client::{FailoverPolicy, FarmArgs, FarmClient};
use crate::error::{CommandError, UsageError};
use crate::local_run::{in_progress, open_store};
use crate::report::StoredRun;
use crate::run_folder::RunFolder;

/// A run, and the place of its parts.
pub(crate) struct RunSource {
    pub(crate) run: StoredRun,
    /// The run's folder; `None` if it is on a farm.
    pub(crate) folder: Option<RunFolder>,
    parts: PartSource,
}

/// The place of a run's parts.
pub(crate) enum PartSource {
    Folder(Store),
    Farm {
        client: Box<FarmClient>,
        /// The events that the farm exported with the run.
        events: Vec<String>,
    },
}

impl RunSource {
    /// Opens the run that `selector` names: on the farm if one is given. A folder that holds a run,
    /// or the files that `fetch` wrote, always names that run.
    pub(crate) async fn open(selector: &str, farm: &FarmArgs) -> Result<Self, CommandError> {
        if farm.is_given() && RunFolder::named(selector).is_none() {
            let mut farm = farm.farm()?;
            let fetched = RunFolder::at(Path::new(selector)).fetched_run();
            let run = farm.select(fetched.as_deref().unwrap_or(selector)).await?.run;
            let export = farm.export(FailoverPolicy::RetryUnavailable, &run).await?;
            return Self::exported(&export, farm).await;
        }
        Self::in_folder(RunFolder::find(selector)?).await
    }

    /// Decodes the run that the farm of `client` exported.
    pub(crate) async fn exported(
        export: &RunExport,
        mut client: FarmClient,
    ) -> Result<Self, CommandError> {
        let run =
            StoredRun::exported(export, async |run, hash| client.part(run, hash).await).await?;
        let (client, events) = (Box::new(client), export.events.clone());
        Ok(Self { run, folder: None, parts: PartSource::Farm { client, events } })
    }

    /// Opens the run in `folder`.
    pub(crate) async fn in_folder(folder: RunFolder) -> Result<Self, CommandError> {
        if let Some((mut client, status)) = in_progress(&folder).await {
            let export = client.export(FailoverPolicy::RetryUnavailable, &status.run).await?;
            let run = StoredRun::exported(&export, async |run, hash| client.part(run, hash).await)
                .await?;
            let events = export.events;
            let parts = PartSource::Farm { client, events };
            return Ok(Self { run, folder: Some(folder), parts });
        }
        let (store, id) = open_store(&folder).await?;
        Self::in_store(store, id, folder).await
    }

    /// Reads the run `id` from `store`, the store of `folder`.
    pub(crate) async fn in_store(
        store: Store,
        id: RunId,
        folder: RunFolder,
    ) -> Result<Self, CommandError> {
        let run = StoredRun::read(&store, id).await?;
        Ok(Self { run, folder: Some(folder), parts: PartSource::Folder(store) })
    }

    /// Returns the state that `generation` started from.
    pub(crate) async fn state(&mut self, generation: u32) -> Result<Bytes, CommandError> {
        let run = &self.run;
        let is_current =
            generation == run.generation && run.generations.len() as u64 == u64::from(generation);
        let hashes = match run.generations.iter().find(|record| record.generation == generation) {
            _ if is_current && run.checkpoint.state_parts.is_empty() => {
                return Ok(run.checkpoint.state.clone().into());
            }
            _ if is_current => hashes(&run.checkpoint.state_parts),
            Some(record) => record.state_hashes(),
            None => {
                let last = run.generation;
                return Err(UsageError::NoSuchGeneration { generation, last }.into());
            }
        };
        let mut state = Vec::new();
        for hash in hashes {
            match self.part(hash).await? {
                Some(bytes) => state.extend_from_slice(&bytes),
                None => return Err(self.state_gone(generation).into()),
            }
        }
        Ok(state.into())
    }

    /// Returns the run's events so far, each as JSON.
    pub(crate) async fn events(&self) -> Result<Vec<Vec<u8>>, CommandError> {
        match &self.parts {
            PartSource::Folder(store) => {
                Ok(store.execute(ReadEvents { run: self.run.id, from: 0 }).await?)
            }
            PartSource::Farm { events, .. } => {
                Ok(events.iter().map(|event| event.clone().into_bytes()).collect())
            }
        }
    }

    /// Returns the parts that some trials may read.
    pub(crate) async fn inputs(&mut self, parts: &[Part]) -> Result<PartSet, CommandError> {
        let mut inputs = PartSet::default();
        self.replace_inputs(&mut inputs, parts).await?;
        Ok(inputs)
    }

    /// Replaces `inputs` by the parts that other trials may read: drops parts that they may not
    /// read, and reads only missing parts.
    pub(crate) async fn replace_inputs(
        &mut self,
        inputs: &mut PartSet,
        parts: &[Part],
    ) -> Result<(), CommandError> {
        inputs.retain(parts);
        for part in parts {
            if inputs.get(part).is_none() {
                let bytes = self.part(part.hash()).await?;
                let bytes = bytes.ok_or(UsageError::PartGone { part: *part })?;
                inputs.insert(*part, bytes);
            }
        }
        Ok(())
    }

    /// Returns the part with this hash; `None` if the run does not have it any more.
    async fn part(&mut self, hash: Digest) -> Result<Option<Bytes>, CommandError> {
        self.parts.part(self.run.id, hash).await
    }

    /// Returns the run and the place of its parts, each on its own.
    pub(crate) fn split(self) -> (StoredRun, PartSource) {
        (self.run, self.parts)
    }

    fn state_gone(&self, generation: u32) -> UsageError {
        let nearest = nearest(&self.run.checkpoint.kept, generation);
        UsageError::StateGone { generation, nearest: nearest.unwrap_or(0) }
    }
}

impl PartSource {
    /// Returns the part of `run` with this hash; `None` if the run does not have it any more.
    pub(crate) async fn part(
        &mut self,
        run: RunId,
        hash: Digest,
    ) -> Result<Option<Bytes>, CommandError> {
        match self {
            Self::Folder(store) => Ok(read_whole(store.view::<ControlView>(), run, hash).await?),
            Self::Farm { client, .. } => client.part(run, hash).await,
        }
    }
}
