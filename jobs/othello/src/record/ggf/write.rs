//! The writer.

use std::fmt::Write as _;

use super::{GgfGame, MoveNotes};
use crate::rules::DiscColor;

/// Writes each game on a line of its own.
#[must_use]
pub fn write(games: &[GgfGame]) -> String {
    let mut text = String::new();
    for game in games {
        // Writing to a string cannot fail.
        let _infallible = write_game(&mut text, game);
    }
    text
}

fn write_game(text: &mut String, ggf: &GgfGame) -> std::fmt::Result {
    text.push_str("(;GM[Othello]");
    let texts = [
        ("PC", &ggf.place),
        ("DT", &ggf.date),
        ("PB", &ggf.black),
        ("PW", &ggf.white),
        ("RB", &ggf.black_rating),
        ("RW", &ggf.white_rating),
        ("TI", &ggf.time_limits),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            write!(text, "{name}[{}]", value.as_str())?;
        }
    }
    if let Some(komi) = ggf.komi {
        write!(text, "KM[{komi}]")?;
    }
    if let Some(result) = ggf.result {
        write!(text, "RE[{}]", result.less(ggf.komi))?;
    }
    let start = ggf.start();
    let cells = start.cells().replace('X', "*");
    let komi = if ggf.komi.is_some() { "k" } else { "" };
    write!(text, "TY[8{komi}]BO[8 {cells} {}]", board_letter(start.turn()))?;
    let mut turn = start.turn();
    for (played, notes) in ggf.game.turns().zip(&ggf.notes) {
        if played.position.turn() != turn {
            write_pass(text, turn)?;
        }
        write!(text, "{}[{}", move_letter(played.position.turn()), played.square)?;
        write_notes(text, *notes)?;
        turn = played.position.turn().opponent();
    }
    // A pass at the end is not needed to understand a record: it has none.
    text.push_str(";)\n");
    Ok(())
}

fn write_pass(text: &mut String, turn: DiscColor) -> std::fmt::Result {
    write!(text, "{}[PA]", move_letter(turn))
}

/// Writes `/evaluation/seconds`, as far as there is something, and the bracket.
fn write_notes(text: &mut String, notes: MoveNotes) -> std::fmt::Result {
    match (notes.evaluation, notes.seconds) {
        (None, None) => {}
        (Some(evaluation), None) => write!(text, "/{evaluation}")?,
        (None, Some(seconds)) => write!(text, "//{seconds}")?,
        (Some(evaluation), Some(seconds)) => write!(text, "/{evaluation}/{seconds}")?,
    }
    text.push(']');
    Ok(())
}

/// Returns the name of the property of a move.
const fn move_letter(color: DiscColor) -> char {
    match color {
        DiscColor::Black => 'B',
        DiscColor::White => 'W',
    }
}

/// Returns the letter of a player in the property `BO`.
const fn board_letter(color: DiscColor) -> char {
    match color {
        DiscColor::Black => '*',
        DiscColor::White => 'O',
    }
}
