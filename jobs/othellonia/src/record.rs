//! Records of games, and their files.

mod game_file;
mod game_record;
mod record_file;

pub use game_file::{GameFile, GameSeries};
pub use game_record::{GameRecord, MAX_PLACEMENTS, RULES_VERSION, RecordError};
pub use record_file::{MAX_RECORDS, decode_records, encode_records};
