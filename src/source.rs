//! A run to look into: in a folder on this machine, or on a farm.

use std::path::Path;

use hatchery_coordinator::{EmbeddedStore, Store};
use hatchery_core::Digest;

use crate::client::{Asking, Farm, FarmArgs};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::report::StoredRun;

/// A run, and where its states are.
pub(crate) struct Source {
    pub(crate) run: StoredRun,
    states: States,
}

enum States {
    Folder(EmbeddedStore),
    Farm(Box<Farm>),
}

impl Source {
    /// The run that `selector` means: on the farm, if one is given; but a folder that holds a run,
    /// or what `fetch` wrote of one, always means that one.
    pub(crate) async fn open(selector: &str, farm: &FarmArgs) -> Result<Self, Failure> {
        if farm.is_given() && Folder::named(selector).is_none() {
            let mut farm = farm.farm()?;
            let fetched = Folder::at(Path::new(selector)).fetched_run();
            let run = farm.select(fetched.as_deref().unwrap_or(selector)).await?.run;
            let run = StoredRun::exported(&farm.export(Asking::Once, &run).await?)?;
            return Ok(Self { run, states: States::Farm(Box::new(farm)) });
        }
        let folder = Folder::find(selector)?;
        let store = EmbeddedStore::open(&folder.store())?;
        let Some(&id) = store.runs().await?.first() else {
            return Err(Failure::Usage(format!("{} holds no run yet", folder.path().display())));
        };
        let run = StoredRun::read(&store, id).await?;
        Ok(Self { run, states: States::Folder(store) })
    }

    /// The state that `generation` started from.
    pub(crate) async fn state(&mut self, generation: u32) -> Result<Vec<u8>, Failure> {
        let run = &self.run;
        if generation == run.generation && run.generations.len() as u64 == u64::from(generation) {
            return Ok(run.checkpoint.state.clone());
        }
        let record = run.generations.iter().find(|record| record.generation == generation);
        let hash = record.and_then(|record| Digest::from_bytes(&record.state));
        let state = match (hash, &mut self.states) {
            (None, _) => None,
            (Some(hash), States::Folder(store)) => store.blob(run.id, hash).await?,
            (Some(hash), States::Farm(farm)) => {
                let state = farm.state(&run.id.to_string(), generation).await?;
                (Digest::of(&state) == hash).then_some(state)
            }
        };
        state.ok_or_else(|| {
            let last = run.generation;
            Failure::Usage(format!("no generation {generation}: the run has 0 to {last} so far"))
        })
    }
}
