//! OBF: positions with the values of their moves, as Edax writes test suites.
//!
//! A line has 64 cells, the player to move, and for each move that is judged `;square:score`:
//! `--XXXXX--OOOXX-O... X;g8:+18;h1:+12`. Scores are from the view of the player to move. Spaces
//! may stand around each part, and a semicolon at the end. A line that begins with `%` is a
//! comment.

use super::RecordError;
use crate::rules::{MoveError, Position, Square, SquareError, shortened};

/// A position of a test suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObfPosition {
    position: Position,
    values: Vec<ObfValue>,
}

/// The value of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObfValue {
    /// The square of the move.
    pub square: Square,
    /// The score of the player that makes the move, in -64 ..= 64.
    pub score: i8,
}

impl ObfPosition {
    /// Returns a position with the values of some of its moves.
    ///
    /// # Errors
    /// If a move is illegal or comes twice, or a score is not within 64. The ply of such errors is
    /// the number of the move in the list.
    pub fn new(position: Position, values: Vec<ObfValue>) -> Result<Self, RecordError> {
        let mut seen = 0_u64;
        for (place, &ObfValue { square, score }) in values.iter().enumerate() {
            let ply = place + 1;
            let illegal = |source: MoveError| RecordError::Move { ply, source };
            position.apply(square).map_err(illegal)?;
            if seen & square.bit() != 0 {
                return Err(RecordError::field(&square.to_string(), &score, "judged once"));
            }
            seen |= square.bit();
            if !(-64..=64).contains(&score) {
                return Err(RecordError::field(&square.to_string(), &score, SCORES));
            }
        }
        Ok(Self { position, values })
    }

    /// Returns the position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the judged moves, in the order of the file.
    #[must_use]
    pub fn values(&self) -> &[ObfValue] {
        &self.values
    }
}

const SCORES: &str = "a score from -64 to +64";

/// Reads all lines with a position.
///
/// # Errors
/// If a line is neither a position nor a comment nor empty.
pub fn read(bytes: &[u8]) -> Result<Vec<ObfPosition>, RecordError> {
    let mut positions = Vec::new();
    let mut offset = 0;
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = line.trim_ascii();
        if !text.is_empty() && !text.starts_with(b"%") {
            let at = offset + (line.len() - line.trim_ascii_start().len());
            positions.push(read_line(text, at).map_err(|error| error.of("line", number))?);
        }
        offset += line.len() + 1;
    }
    Ok(positions)
}

fn read_line(line: &[u8], offset: usize) -> Result<ObfPosition, RecordError> {
    let mut parts = line.split(|&byte| byte == b';');
    let board = parts.next().unwrap_or_default();
    let position = String::from_utf8_lossy(board)
        .parse::<Position>()
        .map_err(|source| RecordError::Board { offset, source })?;
    let mut at = offset + board.len() + 1;
    let mut parts = parts.peekable();
    let mut values = Vec::new();
    while let Some(part) = parts.next() {
        if !part.trim_ascii().is_empty() || parts.peek().is_some() {
            let ply = values.len() + 1;
            values.push(read_value(part.trim_ascii(), ply, at)?);
        }
        at += part.len() + 1;
    }
    ObfPosition::new(position, values)
}

fn read_value(part: &[u8], ply: usize, offset: usize) -> Result<ObfValue, RecordError> {
    let colon = part.iter().position(|&byte| byte == b':').unwrap_or(part.len());
    let not_a_square = |source: SquareError| RecordError::Square { ply, offset, source };
    let square = Square::from_bytes(part[..colon].trim_ascii()).map_err(not_a_square)?;
    let score = part.get(colon + 1..).unwrap_or_default().trim_ascii();
    let number = str::from_utf8(score).ok().and_then(|score| score.parse().ok());
    match number {
        Some(score) => Ok(ObfValue { square, score }),
        None => Err(RecordError::field(&square.to_string(), &shortened(score), SCORES)),
    }
}

/// Writes a line for each position.
#[must_use]
pub fn write(positions: &[ObfPosition]) -> String {
    let line = |ObfPosition { position, values }: &ObfPosition| {
        let value = |ObfValue { square, score }: &ObfValue| format!(";{square}:{score:+}");
        format!("{position}{}\n", values.iter().map(value).collect::<String>())
    };
    positions.iter().map(line).collect()
}
