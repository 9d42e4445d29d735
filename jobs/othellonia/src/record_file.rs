//! Files of records without their decks: games to learn from, which belong to a run's table of
//! decks.

use prost::Message;

use crate::record::{GameRecord, RecordError};

/// Records as a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
struct RecordFileMessage {
    #[prost(bytes = "vec", repeated, tag = "1")]
    records: Vec<Vec<u8>>,
}

/// A file that holds no records of these rules.
#[derive(Debug, thiserror::Error)]
pub enum RecordFileError {
    /// The bytes are no such message.
    #[error("not a file of records")]
    Malformed(#[source] prost::DecodeError),
    /// A record is malformed.
    #[error("record {record} is malformed")]
    Record {
        /// Its index.
        record: usize,
        /// The reason.
        source: RecordError,
    },
}

/// Returns the bytes of a file of records.
#[must_use]
pub fn encode_records(records: &[GameRecord]) -> Vec<u8> {
    let records = records.iter().map(GameRecord::encode).collect();
    RecordFileMessage { records }.encode_to_vec()
}

/// Returns the records of a file.
///
/// # Errors
/// If the bytes are no file of records of these rules.
pub fn decode_records(bytes: &[u8]) -> Result<Vec<GameRecord>, RecordFileError> {
    let message = RecordFileMessage::decode(bytes).map_err(RecordFileError::Malformed)?;
    let record = |(record, bytes): (usize, Vec<u8>)| {
        GameRecord::decode(&bytes).map_err(|source| RecordFileError::Record { record, source })
    };
    message.records.into_iter().enumerate().map(record).collect()
}
