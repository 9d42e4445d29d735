//! What is left of a run: read from its store, written into its folder.

mod generations;
mod result;

pub(crate) use result::ResultDocument;

use hatchery_catalog::CATALOG;
use hatchery_coordinator::record::{Checkpoint, GenerationRecord, RunRecord};
use hatchery_coordinator::store::Position;
use hatchery_coordinator::{RunId, Store};
use hatchery_core::erased::Procedure;
use prost::Message;

use crate::failure::Failure;
use crate::folder::Folder;

/// All that a store says of a run.
pub(crate) struct StoredRun {
    pub(crate) id: RunId,
    pub(crate) record: RunRecord,
    pub(crate) position: Position,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) generations: Vec<GenerationRecord>,
    pub(crate) procedure: Box<dyn Procedure>,
}

impl StoredRun {
    /// Reads run `id` from `store`.
    pub(crate) async fn read(store: &dyn Store, id: RunId) -> Result<Self, Failure> {
        let record = decode::<RunRecord>(&store.record(id).await?, "record")?;
        let checkpoint = decode::<Checkpoint>(&store.checkpoint(id).await?, "checkpoint")?;
        let generations = store.generations(id, 0).await?;
        let generations = generations.iter().map(|bytes| decode(bytes, "generation"));
        let generations = generations.collect::<Result<Vec<_>, _>>()?;
        let procedure = open(&record)?;
        let position = store.position(id).await?;
        Ok(Self { id, record, position, checkpoint, generations, procedure })
    }

    /// Writes the run's files into `folder`, and returns its result document.
    pub(crate) async fn write(
        &self,
        store: &dyn Store,
        folder: &Folder,
    ) -> Result<ResultDocument, Failure> {
        let exhibits = self.procedure.exhibits(&self.checkpoint.state)?;
        for exhibit in &exhibits {
            folder.write(&format!("exhibits/{}", exhibit.name), &exhibit.content)?;
        }
        let table = generations::table(&self.generations);
        folder.write("generations.csv", &table.csv()?)?;
        folder.write("generations.parquet", &table.parquet()?)?;
        let mut events = store.events(self.id, 0).await?.join(&b'\n');
        events.push(b'\n');
        folder.write("events.jsonl", &events)?;
        let document = ResultDocument::new(self, &exhibits)?;
        folder.write("result.json", format!("{}\n", document.json()).as_bytes())?;
        Ok(document)
    }
}

/// The experiment and parameters of a stored run; refused if this build has another version.
fn open(record: &RunRecord) -> Result<Box<dyn Procedure>, Failure> {
    let RunRecord { experiment, version, .. } = record;
    let known = CATALOG.find(experiment).filter(|known| known.version() == *version);
    let Some(known) = known else {
        return Err(Failure::OtherVersion(format!(
            "the run is of {experiment} version {version}, which this build does not have: use the \
             build that began it"
        )));
    };
    Ok(known.reopen(&record.params)?)
}

fn decode<M: Message + Default>(bytes: &[u8], what: &'static str) -> Result<M, Failure> {
    M::decode(bytes)
        .map_err(|source| Failure::Drive(hatchery_coordinator::DriveError::Decode { what, source }))
}
