//! Archives of games in specs.

use std::borrow::Cow;

use hatchery_core::spec::{FileFault, FileList, FromFile, RawFile, SpecFile};
use hatchery_core::{InvalidValue, error_chain};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::record::archive::{ArchivedGame, GameArchive};

/// The games of files, or of a text: GGF, or the transcript of a game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct ArchiveParam {
    text: String,
    /// The games, or what would be right.
    archive: Result<GameArchive, String>,
}

impl From<String> for ArchiveParam {
    fn from(text: String) -> Self {
        let archive = GameArchive::of_text(text.as_bytes());
        let archive = archive
            .map_err(|error| format!("a game as a transcript or GGF: {}", error_chain(&error)));
        Self { text, archive }
    }
}

impl JsonSchema for ArchiveParam {
    fn schema_name() -> Cow<'static, str> {
        "ArchiveParam".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "The transcript of a game, or games in GGF."
        })
    }
}

/// A value of a file is never written: a reference to the file stands for it.
impl Serialize for ArchiveParam {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// The files of a reference are one archive: WTHOR with its names, GGF, or a transcript on each
/// line.
impl FromFile for ArchiveParam {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        let (name, bytes) = (file.name.clone(), file.text.clone().into());
        Self::from_files(&[RawFile { name, bytes }])
    }

    fn from_files(files: &[RawFile]) -> Result<Vec<Self>, FileFault> {
        let archive = GameArchive::of_files(files)?;
        Ok(vec![Self { text: String::new(), archive: Ok(archive) }])
    }
}

impl ArchiveParam {
    /// Returns the games; `None` if there are none that can be read.
    pub(crate) fn archive(&self) -> Option<&GameArchive> {
        self.archive.as_ref().ok()
    }
}

/// Returns the archives of the parameter `key`.
///
/// # Errors
/// If a text has no game that can be read.
pub(crate) fn archives<'a>(
    key: &str,
    params: &'a FileList<ArchiveParam>,
) -> Result<Vec<&'a GameArchive>, InvalidValue> {
    let read = |(number, param): (usize, &'a ArchiveParam)| {
        param.archive.as_ref().map_err(|expected| {
            InvalidValue::new(format!("{key}.{number}"), &shown(&param.text), expected.as_str())
        })
    };
    params.iter().enumerate().map(read).collect()
}

/// Returns the games of all archives that can be read.
pub(crate) fn games(params: &FileList<ArchiveParam>) -> impl Iterator<Item = &ArchivedGame> {
    params.iter().filter_map(ArchiveParam::archive).flat_map(GameArchive::games)
}

/// Says which games were skipped in each archive.
pub(crate) fn warnings(params: &FileList<ArchiveParam>) -> Vec<String> {
    params.iter().filter_map(|param| param.archive()?.skipped()).collect()
}

/// Returns the number of games that were skipped.
pub(crate) fn n_skipped(params: &FileList<ArchiveParam>) -> usize {
    params.iter().filter_map(|param| Some(param.archive()?.n_skipped())).sum()
}

/// Returns a text in quotes, shortened if it is longer than a position.
pub(super) fn shown(text: &str) -> String {
    const SHOWN_CHARS: usize = 66;
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
