//! The run that `replay` and `verify` read: in a folder on this machine, or on a farm.

use std::path::Path;

use hatchery_core::Digest;
use hatchery_store::operation::{ListRuns, ReadBlob};
use hatchery_store::{EmbeddedStore, Store};

use crate::client::{FailoverPolicy, FarmArgs, FarmClient};
use crate::error::{CommandError, UsageError};
use crate::report::StoredRun;
use crate::run_folder::RunFolder;

/// A run, and the place of its states.
pub(crate) struct RunSource {
    pub(crate) run: StoredRun,
    states: StateSource,
}

enum StateSource {
    Folder(Store),
    Farm(Box<FarmClient>),
}

impl RunSource {
    /// Opens the run that `selector` names: on the farm if one is given. A folder that holds a run,
    /// or the files that `fetch` wrote of one, always names that run.
    pub(crate) async fn open(selector: &str, farm: &FarmArgs) -> Result<Self, CommandError> {
        if farm.is_given() && RunFolder::named(selector).is_none() {
            let mut farm = farm.farm()?;
            let fetched = RunFolder::at(Path::new(selector)).fetched_run();
            let run = farm.select(fetched.as_deref().unwrap_or(selector)).await?.run;
            let run = StoredRun::exported(&farm.export(FailoverPolicy::OneRound, &run).await?)?;
            return Ok(Self { run, states: StateSource::Farm(Box::new(farm)) });
        }
        let folder = RunFolder::find(selector)?;
        let store = EmbeddedStore::open(&folder.store()).map_err(CommandError::StoreNotOpened)?;
        let store = Store::new(store);
        let Some(&id) = store.execute(ListRuns).await?.first() else {
            return Err(UsageError::FolderHoldsNoRun { path: folder.path().to_owned() }.into());
        };
        let run = StoredRun::read(&store, id).await?;
        Ok(Self { run, states: StateSource::Folder(store) })
    }

    /// Returns the state that `generation` started from.
    pub(crate) async fn state(&mut self, generation: u32) -> Result<Vec<u8>, CommandError> {
        let run = &self.run;
        if generation == run.generation && run.generations.len() as u64 == u64::from(generation) {
            return Ok(run.checkpoint.state.clone());
        }
        let record = run.generations.iter().find(|record| record.generation == generation);
        let hash = record.and_then(|record| Digest::from_bytes(&record.state));
        let state = match (hash, &mut self.states) {
            (None, _) => None,
            (Some(hash), StateSource::Folder(store)) => {
                store.execute(ReadBlob { run: run.id, hash }).await?
            }
            (Some(hash), StateSource::Farm(farm)) => {
                let state = farm.state(&run.id.to_string(), generation).await?;
                (Digest::of(&state) == hash).then_some(state)
            }
        };
        state
            .ok_or_else(|| UsageError::NoSuchGeneration { generation, last: run.generation }.into())
    }
}
