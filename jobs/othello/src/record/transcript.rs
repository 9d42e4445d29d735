//! Transcripts: all moves as squares in a row, `f5d6c3d3`, without passes.

use super::{RecordError, RecordedGame};
use crate::rules::{Position, Square};

/// Reads the transcript of a game from `start`. Letters may be of either case, and white space may
/// surround the whole.
///
/// # Errors
/// If the number of characters is odd, two characters are no square, or a move is illegal.
pub fn read(bytes: &[u8], start: Position) -> Result<RecordedGame, RecordError> {
    let moves = bytes.trim_ascii();
    let before = bytes.len() - bytes.trim_ascii_start().len();
    let mut game = RecordedGame::begin(start);
    let (pairs, rest) = moves.as_chunks::<2>();
    for (number, pair) in pairs.iter().enumerate() {
        let (ply, offset) = (number + 1, before + 2 * number);
        let square = Square::from_bytes(pair).map_err(|source| RecordError::Square {
            ply,
            offset,
            source,
        })?;
        game.push(square)?;
    }
    if !rest.is_empty() {
        return Err(RecordError::OddLength { found: moves.len() });
    }
    Ok(game)
}

/// Returns the transcript of a game, in lower case.
#[must_use]
pub fn write(game: &RecordedGame) -> String {
    game.moves().iter().map(Square::to_string).collect()
}
