//! The operations on parts whose bytes are in files.
//!
//! A part exists if the server has noted its file, which is whole by then. A noted file that is
//! lost can be written again: then the new file's note replaces its note.

use std::path::Path;
use std::time::Duration;

use hatchery_core::{Digest, Part};
use redis::Value;
use tracing::warn;

use super::part_keeper::{PartNotes, sweep_run};
use super::part_place::PartPlace;
use super::reply::MalformedReply;
use super::script::{BATCH, FIND_PARTS, NOTE_PART, OPEN_PART};
use super::{RedisStore, reply};
use crate::part_directory::{FileAge, PartDirectory, PartFile};
use crate::{PartRetention, RunId, StoreError, part_codec};

/// The time after which the parts of a run that is not created are gone: far longer than an upload
/// takes.
const UNCREATED_TTL: Duration = Duration::from_secs(3600);

/// The most attempts to read a file that other callers replace meanwhile.
const MAX_READS: usize = 3;

/// Parts that travel with an operation.
#[derive(Debug)]
pub(super) enum GivenParts<'a> {
    /// Their bytes.
    Bytes(&'a [Vec<u8>]),
    /// The files that have them.
    Files(Vec<PartFile>),
}

impl RedisStore {
    /// Writes a chunk to the file of an upload, unless the part exists.
    pub(super) async fn write_to_file(
        &self,
        directory: &PartDirectory,
        run: RunId,
        (part, index): (Part, u32),
        chunk: Vec<u8>,
    ) -> Result<(), StoreError> {
        match self.file_of(directory, run, part.hash(), None).await? {
            FoundFile::Whole(file) => {
                directory.forget(run, part.hash(), Some(&file));
                Ok(())
            }
            FoundFile::None | FoundFile::Lost(_) => {
                directory.write_chunk(run, part, index, chunk).await
            }
        }
    }

    /// Notes the file of an upload if all its chunks have come, and returns whether the part
    /// exists.
    pub(super) async fn finish_file(
        &self,
        directory: &PartDirectory,
        run: RunId,
        part: Part,
    ) -> Result<bool, StoreError> {
        let hash = part.hash();
        let lost = match self.file_of(directory, run, hash, Some(part)).await? {
            FoundFile::Whole(file) => {
                directory.forget(run, hash, Some(&file));
                return Ok(file.part == part);
            }
            FoundFile::Lost(file) => file.note(),
            FoundFile::None => String::new(),
        };
        let Some(file) = directory.seal(run, part).await? else { return Ok(false) };
        let request = self.on(run, &NOTE_PART).arg(hash.to_string()).arg(file.note());
        let request = request.arg(lost).arg(ttl_ms());
        let noted = request.ask(|note| named_file(hash, note)).await?;
        directory.forget(run, hash, Some(&file));
        if noted.is_some_and(|noted| noted != file) {
            // Somebody else was faster.
            self.remove_later(run, &[file]);
        }
        Ok(noted.is_some_and(|noted| noted.part == part))
    }

    /// Returns the whole parts among these parts, if their files exist.
    pub(super) async fn whole_files(
        &self,
        directory: &PartDirectory,
        run: RunId,
        hashes: &[Digest],
    ) -> Result<Vec<Option<Part>>, StoreError> {
        let mut found = Vec::with_capacity(hashes.len());
        for some in hashes.chunks(BATCH) {
            let noted = self.noted_files(run, some).await?;
            let files: Vec<_> = noted.iter().flatten().copied().collect();
            let mut whole = match files.is_empty() {
                true => Vec::new(),
                false => directory.are_whole(run, &files).await?,
            }
            .into_iter();
            found.extend(noted.into_iter().map(|file| {
                let file = file?;
                if whole.next().unwrap_or(false) {
                    return Some(file.part);
                }
                warn_of_loss(run, &file, &directory.path(run, &file));
                None
            }));
        }
        Ok(found)
    }

    /// Returns the path of the file of a part, if it has one.
    pub(super) async fn path_of(
        &self,
        run: RunId,
        hash: Digest,
    ) -> Result<Option<String>, StoreError> {
        let PartPlace::Directory { directory, .. } = &self.part_place else { return Ok(None) };
        let noted = self.noted_files(run, &[hash]).await?.into_iter().next().flatten();
        Ok(noted.map(|file| directory.path(run, &file).display().to_string()))
    }

    /// Returns a chunk of a whole part.
    pub(super) async fn chunk_of_file(
        &self,
        directory: &PartDirectory,
        run: RunId,
        hash: Digest,
        index: u32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let mut lost = None;
        for _ in 0..MAX_READS {
            let noted = self.noted_files(run, &[hash]).await?.into_iter().next().flatten();
            let Some(file) = noted else { return Ok(None) };
            if file.part.chunk_bytes(index).is_none() {
                return Ok(None);
            }
            if lost == Some(file) {
                break;
            }
            if let Some(chunk) = directory.read(run, &file, index).await? {
                return Ok(Some(chunk));
            }
            // It may have been given up, or replaced, since the server was asked.
            lost = Some(file);
        }
        let Some(file) = lost else { return Ok(None) };
        let path = directory.path(run, &file);
        Err(StoreError::PartLost { run, part: file.part, file: path.display().to_string() })
    }

    /// Writes the parts that travel with an operation to files, if parts are in files.
    pub(super) async fn given<'a>(
        &self,
        run: RunId,
        parts: &'a [Vec<u8>],
    ) -> Result<GivenParts<'a>, StoreError> {
        let PartPlace::Directory { directory, .. } = &self.part_place else {
            return Ok(GivenParts::Bytes(parts));
        };
        let named = |bytes: &Vec<u8>| Ok((part_codec::part_of(bytes)?, bytes.clone()));
        let named: Vec<_> = parts.iter().map(named).collect::<Result<_, StoreError>>()?;
        Ok(GivenParts::Files(directory.write(run, &named).await?))
    }

    /// Returns the answer of an operation that parts traveled with, and removes the files that
    /// nothing names after it.
    pub(super) fn settle<T>(
        &self,
        run: RunId,
        given: &GivenParts<'_>,
        outcome: Result<(T, Vec<PartFile>), StoreError>,
    ) -> Result<T, StoreError> {
        let files = match given {
            GivenParts::Files(files) => files.as_slice(),
            GivenParts::Bytes(_) => &[],
        };
        match outcome {
            Ok((answer, spare)) => {
                if let PartPlace::Directory { directory, .. } = &self.part_place {
                    files.iter().for_each(|file| directory.forget(run, file.part.hash(), None));
                }
                self.remove_later(run, &spare);
                Ok(answer)
            }
            Err(error) => {
                use StoreError::{Fenced, NoRun, OutOfStep};
                if let NoRun { .. } | Fenced { .. } | OutOfStep { .. } = &error {
                    self.remove_later(run, files);
                }
                Err(error)
            }
        }
    }

    /// Gives up the uploads of this process for a run, except the uploads of the parts that stay.
    pub(super) fn forget_uploads(&self, run: RunId, retention: &PartRetention) {
        let PartPlace::Directory { directory, .. } = &self.part_place else { return };
        match retention {
            PartRetention::All => {}
            PartRetention::Keep(kept) => directory.forget_all_but(run, kept),
            PartRetention::Drop(dropped) => {
                dropped.iter().for_each(|hash| directory.forget(run, *hash, None));
            }
        }
    }

    /// Removes all files of a run that was deleted.
    pub(super) async fn remove_files(&self, run: RunId) -> Result<(), StoreError> {
        let PartPlace::Directory { directory, .. } = &self.part_place else { return Ok(()) };
        directory.forget_all_but(run, &[]);
        let notes = PartNotes { link: self.parts.clone(), place: self.place.clone() };
        sweep_run(&notes, directory, run, FileAge::default()).await.map(drop)
    }

    fn remove_later(&self, run: RunId, files: &[PartFile]) {
        if let PartPlace::Directory { keeper, .. } = &self.part_place {
            keeper.remove_later(run, files);
        }
    }

    /// Returns the file of a part, for an upload. Fails if the run has ended and the part does not
    /// exist, or has another length than requested.
    async fn file_of(
        &self,
        directory: &PartDirectory,
        run: RunId,
        hash: Digest,
        asked: Option<Part>,
    ) -> Result<FoundFile, StoreError> {
        let length = asked.map(|part| part.n_bytes().to_string()).unwrap_or_default();
        let open = async |lost: String| {
            let request = self.on(run, &OPEN_PART).arg(hash.to_string()).arg(lost).arg(&length);
            request.ask(|note| named_file(hash, note)).await
        };
        let Some(file) = open(String::new()).await? else { return Ok(FoundFile::None) };
        if directory.are_whole(run, &[file]).await? == [true] {
            return Ok(FoundFile::Whole(file));
        }
        warn_of_loss(run, &file, &directory.path(run, &file));
        match open(file.note()).await? {
            // It was replaced meanwhile.
            Some(file) => Ok(FoundFile::Whole(file)),
            None => Ok(FoundFile::Lost(file)),
        }
    }

    async fn noted_files(
        &self,
        run: RunId,
        hashes: &[Digest],
    ) -> Result<Vec<Option<PartFile>>, StoreError> {
        let names: Vec<_> = hashes.iter().map(Digest::to_string).collect();
        let parse = |notes| {
            let notes = reply::list(notes)?;
            if notes.len() != hashes.len() {
                return Err(MalformedReply { expected: "a note for each part" });
            }
            let pairs = hashes.iter().zip(notes);
            pairs.map(|(hash, note)| named_file(*hash, note)).collect()
        };
        self.on(run, &FIND_PARTS).arg(names).ask(parse).await
    }
}

/// The file of a part, as an upload finds it.
enum FoundFile {
    /// No file is noted.
    None,
    /// The part is noted, and exists.
    Whole(PartFile),
    /// The part is noted, but its file is gone.
    Lost(PartFile),
}

/// Parses the note of a part, which must name a file if there is one.
fn named_file(hash: Digest, note: Value) -> Result<Option<PartFile>, MalformedReply> {
    let Some(note) = reply::maybe_bytes(note)? else { return Ok(None) };
    let note = str::from_utf8(&note).ok();
    let file = note.and_then(|note| PartFile::from_note(hash, note));
    file.map(Some).ok_or(MalformedReply { expected: "the file of a part" })
}

fn warn_of_loss(run: RunId, file: &PartFile, path: &Path) {
    warn!(%run, part = %file.part, file = %path.display(), "the file of a part is lost");
}

/// Returns the time after which parts of a run that is not created are gone, for scripts.
pub(super) fn ttl_ms() -> u64 {
    u64::try_from(UNCREATED_TTL.as_millis()).unwrap_or(u64::MAX)
}
