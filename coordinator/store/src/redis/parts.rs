//! The operations on parts. `part_files` has the operations on parts in files.

use hatchery_core::{Digest, Part};
use redis::Value;

use super::part_files::{GivenParts, ttl_ms};
use super::part_place::PartPlace;
use super::reply::MalformedReply;
use super::request::ScriptRequest;
use super::script::{BATCH, FIND_PARTS, FINISH_PART, PART_CHUNK, WRITE_PART};
use super::{RedisStore, reply};
use crate::part_directory::PartFile;
use crate::{PartRetention, RunId, StoreError, part_codec};

impl RedisStore {
    pub(super) async fn write_chunk(
        &self,
        run: RunId,
        part: Part,
        index: u32,
        chunk: Vec<u8>,
    ) -> Result<(), StoreError> {
        if let Err(trouble) = self.room.check(&self.control).await {
            // A run that exists needs its parts to continue; a new one could not be created.
            self.position(run).await.map_err(|_| trouble.at(&self.place))?;
        }
        if let PartPlace::Directory { directory, .. } = &self.part_place {
            return self.write_to_file(directory, run, (part, index), chunk).await;
        }
        let request = self.on(run, &WRITE_PART).arg(part.hash().to_string()).arg(part.n_bytes());
        request.arg(index).arg(chunk).arg(ttl_ms()).done().await
    }

    pub(super) async fn finish(&self, run: RunId, part: Part) -> Result<bool, StoreError> {
        if let PartPlace::Directory { directory, .. } = &self.part_place {
            return self.finish_file(directory, run, part).await;
        }
        let request = self.on(run, &FINISH_PART).arg(part.hash().to_string()).arg(part.n_bytes());
        Ok(request.arg(part.n_chunks()).arg(ttl_ms()).ask(reply::number).await? == 1)
    }

    pub(super) async fn whole_parts(
        &self,
        run: RunId,
        hashes: &[Digest],
    ) -> Result<Vec<Option<Part>>, StoreError> {
        if let PartPlace::Directory { directory, .. } = &self.part_place {
            return self.whole_files(directory, run, hashes).await;
        }
        let mut found = Vec::with_capacity(hashes.len());
        for some in hashes.chunks(BATCH) {
            let names: Vec<_> = some.iter().map(Digest::to_string).collect();
            found.extend(self.on(run, &FIND_PARTS).arg(names).ask(|all| whole(some, all)).await?);
        }
        Ok(found)
    }

    pub(super) async fn chunk_of(
        &self,
        run: RunId,
        hash: Digest,
        index: u32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        if let PartPlace::Directory { directory, .. } = &self.part_place {
            return self.chunk_of_file(directory, run, hash, index).await;
        }
        let request = self.on(run, &PART_CHUNK).arg(hash.to_string()).arg(index);
        request.ask(reply::maybe_bytes).await
    }
}

impl ScriptRequest<'_> {
    /// Adds parts, and writes each part as a whole.
    pub(super) fn parts(self, given: &GivenParts<'_>) -> Result<Self, StoreError> {
        match given {
            GivenParts::Bytes(parts) => {
                let mut request = self.arg(parts.len());
                for bytes in *parts {
                    let part = part_codec::part_of(bytes)?;
                    request = request.arg(part.hash().to_string()).arg(part.n_bytes());
                    request = request.arg(part.n_chunks());
                    request = part_codec::chunks(bytes).fold(request, ScriptRequest::arg);
                }
                Ok(request)
            }
            GivenParts::Files(files) => {
                let add = |request: Self, file: &PartFile| {
                    request.arg(file.part.hash().to_string()).arg(file.note()).arg(0)
                };
                Ok(files.iter().fold(self.arg(files.len()), add))
            }
        }
    }

    /// Sends the call, and returns the answer with the files that nothing names any more.
    pub(super) async fn ask_with_spare<T>(
        self,
        parse: impl FnOnce(Value) -> Result<T, MalformedReply>,
    ) -> Result<(T, Vec<PartFile>), StoreError> {
        self.ask(|value| {
            let [answer, spare] = reply::items(value)?;
            let mut texts = reply::list(spare)?.into_iter().map(reply::text);
            let mut files = Vec::new();
            while let (Some(hash), Some(note)) = (texts.next(), texts.next()) {
                files.extend(reply::part_file(&hash?, &note?)?);
            }
            Ok((parse(answer)?, files))
        })
        .await
    }

    /// Adds the parts that stay or go, as the last arguments.
    pub(super) fn retain(self, retention: &PartRetention) -> Self {
        let (rule, hashes) = match retention {
            PartRetention::All => ("all", &[][..]),
            PartRetention::Keep(kept) => ("keep", kept.as_slice()),
            PartRetention::Drop(dropped) => ("drop", dropped.as_slice()),
        };
        hashes.iter().map(Digest::to_string).fold(self.arg(rule), ScriptRequest::arg)
    }
}

/// Returns the names of parts as `complete.lua` takes them.
pub(super) fn names(parts: &[Part]) -> String {
    let names: Vec<_> =
        parts.iter().map(|part| format!("{}:{}", part.hash(), part.n_bytes())).collect();
    names.join(" ")
}

/// Parses the lengths of the whole parts with these hashes.
fn whole(hashes: &[Digest], lengths: Value) -> Result<Vec<Option<Part>>, MalformedReply> {
    let part = |(hash, length): (&Digest, Value)| match length {
        Value::Nil => Ok(None),
        length => match Part::new(*hash, reply::number(length)?) {
            Ok(part) => Ok(Some(part)),
            Err(_) => Err(MalformedReply { expected: "the length of a part" }),
        },
    };
    let lengths = reply::list(lengths)?;
    if lengths.len() != hashes.len() {
        return Err(MalformedReply { expected: "a length for each part" });
    }
    hashes.iter().zip(lengths).map(part).collect()
}
