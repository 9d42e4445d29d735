//! Files of records without their decks: games to learn from, which belong to a run's table of
//! decks.

use prost::Message;

use crate::record::{GameRecord, RecordError};

/// The most records of a file: those of the longest trial that records games.
pub const MAX_RECORDS: u32 = 20_000;

/// The most bytes of a file: those of so many records of the greatest length, each after its tag
/// and its length, a byte each.
const MAX_FILE_BYTES: usize = MAX_RECORDS as usize * (2 + GameRecord::MAX_BYTES);

/// Records as a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
struct RecordFileMessage {
    #[prost(bytes = "vec", repeated, tag = "1")]
    records: Vec<Vec<u8>>,
}

/// A file that holds no records of these rules.
#[derive(Debug, thiserror::Error)]
pub enum RecordFileError {
    /// There are more bytes than those of as many records as are allowed.
    #[error("{found} bytes, but a file of records has at most {MAX_FILE_BYTES}")]
    TooLong {
        /// The number of bytes.
        found: usize,
    },
    /// There are more records than are allowed.
    #[error("{found} records, but a file has at most {MAX_RECORDS}")]
    TooMany {
        /// The number of records.
        found: usize,
    },
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

/// Returns the bytes of a file of records, which is read back if they are at most [`MAX_RECORDS`].
#[must_use]
pub fn encode_records(records: &[GameRecord]) -> Vec<u8> {
    let records = records.iter().map(GameRecord::encode).collect();
    RecordFileMessage { records }.encode_to_vec()
}

/// Returns the records of a file. Allocates a small multiple of 960 kB at most.
///
/// # Errors
/// If the bytes are no file of records of these rules, or one of more than [`MAX_RECORDS`].
pub fn decode_records(bytes: &[u8]) -> Result<Vec<GameRecord>, RecordFileError> {
    if MAX_FILE_BYTES < bytes.len() {
        return Err(RecordFileError::TooLong { found: bytes.len() });
    }
    let RecordFileMessage { records } =
        RecordFileMessage::decode(bytes).map_err(RecordFileError::Malformed)?;
    if (MAX_RECORDS as usize) < records.len() {
        return Err(RecordFileError::TooMany { found: records.len() });
    }
    let record = |(record, bytes): (usize, Vec<u8>)| {
        GameRecord::decode(&bytes).map_err(|source| RecordFileError::Record { record, source })
    };
    records.into_iter().enumerate().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MAX_PLACEMENTS;
    use crate::rules::{Action, GameStart, Player};

    /// Returns records of the greatest length.
    fn records(n: u32) -> Vec<GameRecord> {
        let action = Action::from_byte(143).unwrap();
        let start = GameStart { seed: u64::MAX, first: Player::B };
        let record = GameRecord { decks: [7; 2], start, actions: vec![action; MAX_PLACEMENTS] };
        vec![record; n as usize]
    }

    #[test]
    fn as_many_records_as_a_trial_has_are_read_back() {
        let records = records(MAX_RECORDS);
        let bytes = encode_records(&records);
        assert_eq!(bytes.len(), MAX_FILE_BYTES);
        assert!(decode_records(&bytes).unwrap() == records);
    }

    #[test]
    fn more_records_are_refused_before_they_are_read() {
        let refused = |bytes: &[u8]| decode_records(bytes).unwrap_err().to_string();
        let expected = "960048 bytes, but a file of records has at most 960000";
        assert_eq!(refused(&encode_records(&records(MAX_RECORDS + 1))), expected);
        // A tag and the length 0.
        let empty = [10, 0].repeat(MAX_RECORDS as usize + 1);
        assert_eq!(refused(&empty), "20001 records, but a file has at most 20000");
        assert_eq!(refused(&empty[2..]), "record 0 is malformed");
    }
}
