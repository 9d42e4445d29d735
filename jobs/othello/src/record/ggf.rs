//! GGF, the "generic game format" of Michael Buro's servers, for Othello on 8 by 8 squares.
//!
//! ```text
//! (;GM[Othello]PC[hatchery]PB[depth-5]PW[depth-15]RE[-12]TY[8]
//!   BO[8 ---------------------------O*------*O--------------------------- *]
//!   B[F5/-2.5/0.12]W[D6]...W[PA]B[H8];)
//! ```
//!
//! A game is a list of properties between `(;` and `;)`, each with a value in brackets. `GM` and
//! `BO` are required. A move has a square or `PA` for a pass, then, each if known, the evaluation
//! by its player and the time in seconds. Passes are written, so that players take turns. With a
//! komi (`KM`), the result is black's score less the komi. The reader skips properties that
//! [`GgfGame`] does not have. Source: M. Buro, "GGF", skatgame.net/mburo/ggsa/ggf.
//!
//! Servers write the number of games before a match: `2 (;...;)(;...;)` are two games that were
//! played at the same time, with the colors swapped.

mod read;
mod values;
mod write;

use super::{RecordError, RecordedGame};
use crate::rules::Position;
pub use read::{GgfEntry, GgfGames, read};
pub use values::{GameEnding, GgfResult, GgfText, Thousandths};
pub use write::write;

/// A game with the facts that GGF records about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgfGame {
    /// The place, such as a server (`PC`).
    pub place: Option<GgfText>,
    /// The date (`DT`).
    pub date: Option<GgfText>,
    /// The black player (`PB`).
    pub black: Option<GgfText>,
    /// The white player (`PW`).
    pub white: Option<GgfText>,
    /// The rating of the black player (`RB`).
    pub black_rating: Option<GgfText>,
    /// The rating of the white player (`RW`).
    pub white_rating: Option<GgfText>,
    /// The time limits (`TI`).
    pub time_limits: Option<GgfText>,
    /// The komi, in discs for white (`KM`).
    pub komi: Option<Thousandths>,
    result: Option<GgfResult>,
    game: RecordedGame,
    notes: Vec<MoveNotes>,
}

/// The notes of a player about a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveNotes {
    /// The value of the position in discs, as the player that moves sees it.
    pub evaluation: Option<Thousandths>,
    /// The time that it took, in seconds.
    pub seconds: Option<Thousandths>,
}

impl GgfGame {
    /// Returns a game without players and notes, and with the result of a finished game.
    #[must_use]
    pub fn new(game: RecordedGame) -> Self {
        Self {
            place: None,
            date: None,
            black: None,
            white: None,
            black_rating: None,
            white_rating: None,
            time_limits: None,
            komi: None,
            result: GgfResult::of(&game),
            notes: vec![MoveNotes::default(); game.moves().len()],
            game,
        }
    }

    /// Returns the game as one of ours, between the black and the white player. Names that GGF
    /// cannot hold are left out.
    #[must_use]
    pub fn with_players(self, [black, white]: [&str; 2]) -> Self {
        let [place, black, white] = [("PC", "hatchery"), ("PB", black), ("PW", white)]
            .map(|(field, text)| GgfText::new(field, text).ok());
        Self { place, black, white, ..self }
    }

    /// Returns the game with this result.
    ///
    /// # Errors
    /// If the result is that of a game played to its end, and the moves end elsewhere.
    pub fn with_result(mut self, result: Option<GgfResult>) -> Result<Self, RecordError> {
        if let Some(result) = result {
            result.check(&self.game)?;
        }
        self.result = result;
        Ok(self)
    }

    /// Returns the start position.
    #[must_use]
    pub fn start(&self) -> &Position {
        self.game.start()
    }

    /// Returns the moves.
    #[must_use]
    pub fn game(&self) -> &RecordedGame {
        &self.game
    }

    /// Returns the result (`RE`), if it is known.
    #[must_use]
    pub fn result(&self) -> Option<GgfResult> {
        self.result
    }

    /// Returns the notes on every move.
    #[must_use]
    pub fn notes(&self) -> &[MoveNotes] {
        &self.notes
    }

    /// Returns the notes on every move, to change them.
    #[must_use]
    pub fn notes_mut(&mut self) -> &mut [MoveNotes] {
        &mut self.notes
    }
}
