//! Transcripts: all moves as squares in a row, `f5d6c3d3`.
//!
//! The reader takes what people paste: numbers (`1. f5 d6 2. c3`), spaces and commas between moves,
//! either case, passes written as `pass`, `PA`, `PS` or `--` or left out, and the discs of both
//! players at the end (`34-30`). The writer leaves passes out.

use super::cursor::Cursor;
use super::notation;
use super::{RecordError, RecordedGame};
use crate::rules::{Position, ScoreRule, Square, TurnState, shortened};

/// The words for a pass. A word that begins with another one comes first.
const PASSES: [&[u8]; 4] = [b"pass", b"pa", b"ps", b"--"];

/// Reads the transcript of a game from `start`.
///
/// # Errors
/// If something is neither a move, a pass nor a number, a move or a pass is illegal, or the discs
/// at the end are not those of the moves. A text in another known notation is named.
pub fn read(bytes: &[u8], start: Position) -> Result<RecordedGame, RecordError> {
    read_moves(bytes, start).map_err(|error| notation::named(bytes).unwrap_or(error))
}

fn read_moves(bytes: &[u8], start: Position) -> Result<RecordedGame, RecordError> {
    let mut cursor = Cursor::new(bytes);
    let mut game = RecordedGame::begin(start);
    let mut may_pass = game.last_position().turn() != start.turn();
    loop {
        cursor.take_while(|byte| byte.is_ascii_whitespace() || b",;.".contains(&byte));
        let rest = cursor.rest();
        let ply = game.moves().len() + 1;
        if rest.is_empty() {
            return Ok(game);
        }
        if rest[0].is_ascii_digit() {
            if let Some(discs) = read_number(&mut cursor, ply)? {
                check_discs(&game, discs)?;
            }
        } else if let Some(pass) = PASSES.iter().find(|pass| starts_with(rest, pass)) {
            if !may_pass && game.state() != TurnState::Over {
                let last = game.last_position();
                last.pass().map_err(|source| RecordError::Move { ply, source })?;
            }
            may_pass = false;
            cursor.skip(pass.len());
        } else {
            let mover = game.last_position().turn();
            game.push(read_square(rest, ply, cursor.offset())?)?;
            may_pass = game.last_position().turn() == mover;
            cursor.skip(2);
        }
    }
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
}

fn read_square(rest: &[u8], ply: usize, offset: usize) -> Result<Square, RecordError> {
    match rest {
        [] | [_] => Err(RecordError::HalfMove { offset, found: shortened(rest) }),
        [column, row, ..] => Square::from_bytes(&[*column, *row])
            .map_err(|source| RecordError::Square { ply, offset, source }),
    }
}

/// Reads the number of a move, such as `12`, or the discs of both players, such as `34-30`.
fn read_number(cursor: &mut Cursor<'_>, ply: usize) -> Result<Option<[i32; 2]>, RecordError> {
    const RIGHT: &str = "the discs of both players, such as 34-30";
    let offset = cursor.offset();
    let first = cursor.take_while(|byte| byte.is_ascii_digit());
    if cursor.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        // As in `1d3`, where the digit may belong to a square before it.
        let source = Square::from_bytes(first).expect_err("digits name no square");
        return Err(RecordError::Square { ply, offset, source });
    }
    if !cursor.accept(b'-') {
        return Ok(None);
    }
    let second = cursor.take_while(|byte| byte.is_ascii_digit());
    let discs = |text: &[u8]| str::from_utf8(text).ok()?.parse::<i32>().ok().filter(|it| *it <= 64);
    match (discs(first), discs(second)) {
        (Some(black), Some(white)) if black + white <= 64 => Ok(Some([black, white])),
        _ => {
            let text = [first, b"-", second].concat();
            Err(RecordError::field("result", &shortened(&text), RIGHT))
        }
    }
}

/// Checks the discs of both players at the end of a game, by one of the conventions for empty
/// squares.
pub(super) fn check_discs(
    game: &RecordedGame,
    [black, white]: [i32; 2],
) -> Result<(), RecordError> {
    let last = game.last_position();
    if game.state() != TurnState::Over {
        let plies = game.moves().len();
        return Err(RecordError::Unfinished { plies, turn: last.turn() });
    }
    let score = |rule| last.count().black_score(rule);
    let (found, right) = (black - white, score(ScoreRule::WinnerTakesEmpties));
    match found == right || found == score(ScoreRule::DiscDifference) {
        true => Ok(()),
        false => Err(RecordError::Result { found, right }),
    }
}

/// Returns the transcript of a game, in lower case.
#[must_use]
pub fn write(game: &RecordedGame) -> String {
    game.moves().iter().map(Square::to_string).collect()
}
