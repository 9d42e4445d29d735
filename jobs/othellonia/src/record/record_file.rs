//! Files of records without their decks: games to learn from, which belong to a run's table of
//! decks.

use hatchery_core::{DecodeError, WireValue};

use super::game_record::GameRecord;

/// The most records in a file: as many as the longest trial that records games has.
pub const MAX_RECORDS: u32 = 20_000;

/// The most bytes in a file: the file has the most records, and every record has the greatest
/// length. A tag and a length, a byte each, precede every record.
const MAX_FILE_BYTES: usize = MAX_RECORDS as usize * (2 + GameRecord::MAX_BYTES);

/// Records as a message.
#[derive(WireValue)]
struct RecordFile {
    #[wire(tag = 1)]
    records: Vec<GameRecord>,
}

/// Returns the bytes of a file of records, which is read back if they are at most [`MAX_RECORDS`].
#[must_use]
pub fn encode_records(records: Vec<GameRecord>) -> Vec<u8> {
    RecordFile { records }.encode_message()
}

/// Returns the records of a file. Allocates a small multiple of 960 kB at most.
///
/// # Errors
/// If the bytes are no file of records of these rules, or have more than [`MAX_RECORDS`] records.
pub fn decode_records(bytes: &[u8]) -> Result<Vec<GameRecord>, DecodeError> {
    if MAX_FILE_BYTES < bytes.len() {
        let expected = format!("at most {MAX_FILE_BYTES}");
        return Err(DecodeError::field("the number of bytes", &bytes.len(), expected));
    }
    Ok(RecordFile::decode_message(bytes)?.records)
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
        let bytes = encode_records(records.clone());
        assert_eq!(bytes.len(), MAX_FILE_BYTES);
        assert!(decode_records(&bytes).unwrap() == records);
    }

    #[test]
    fn more_records_are_refused_before_they_are_read() {
        let refused = |bytes: &[u8]| decode_records(bytes).unwrap_err().to_string();
        let expected = "the number of bytes is 960048, but must be at most 960000";
        assert_eq!(refused(&encode_records(records(MAX_RECORDS + 1))), expected);
        // A tag and the length 0.
        let expected = "records.0 is malformed, but must be the record of a game: 0 bytes, but a \
                        record has from 14 to 46";
        assert_eq!(refused(&[10, 0]), expected);
    }
}
