//! Players and tallies on the wire; decoded values are checked.

use hatchery_core::{InvalidValue, Tally, WireValue};

use crate::dealing::PieceSequence;
use crate::players::{Controller, Lookahead, PlacementPolicy};
use crate::rules::{GameRules, PieceCap, PieceWeights};
use crate::splitting::{MAX_PIECES, SplittingConfig, SplittingReplicate};

/// The rules, piece weights and length limit of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
pub struct GameSettings {
    /// The size of the board and the rule at its top.
    #[wire(flatten = 3)]
    pub rules: GameRules,
    /// The pieces' relative frequencies.
    #[wire(tag = 6)]
    pub pieces: PieceWeights,
    /// The number of pieces after which the game is stopped.
    #[wire(tag = 7, range(min = 1))]
    pub cap: PieceCap,
}

/// A policy and the game that it plays.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(try_from = PlayerMessage)]
pub struct TetrisPlayer {
    /// The policy that plays.
    pub policy: PlacementPolicy,
    /// The game that is played.
    pub game: GameSettings,
    /// The sequence of its pieces: drawn, with splitting.
    pub dealing: PieceSequence,
    /// The parameters of the splitting estimate. With them, a trial is a replicate of the estimate;
    /// without them, a trial is a game.
    pub splitting: Option<SplittingConfig>,
}

/// A [`TetrisPlayer`] on the wire, which has the look-ahead of the policy behind the game.
#[derive(WireValue)]
struct PlayerMessage {
    #[wire(flatten = 1)]
    controller: Controller,
    #[wire(flatten = 3)]
    game: GameSettings,
    #[wire(tag = 8)]
    splitting: Option<SplittingConfig>,
    #[wire(tag = 9)]
    lookahead: Option<Lookahead>,
    #[wire(flatten = 10)]
    dealing: PieceSequence,
}

/// The results of games, or of replicates of the splitting estimate.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct GameTally {
    /// The games' scores in removed rows, in the order of their trials.
    #[wire(tag = 1)]
    pub lines: Vec<u64>,
    /// The number of pieces in all trials together.
    #[wire(tag = 2)]
    pub pieces: u64,
    /// The number of games that were stopped by their cap.
    #[wire(tag = 3)]
    pub capped: u64,
    /// The replicates, in the order of their trials.
    #[wire(tag = 4)]
    pub splits: Vec<SplittingReplicate>,
}

impl From<&TetrisPlayer> for PlayerMessage {
    fn from(player: &TetrisPlayer) -> Self {
        let TetrisPlayer { policy, game, dealing, splitting } = player.clone();
        let PlacementPolicy { controller, lookahead } = policy;
        Self { controller, game, splitting, lookahead, dealing }
    }
}

impl TryFrom<PlayerMessage> for TetrisPlayer {
    type Error = InvalidValue;

    fn try_from(message: PlayerMessage) -> Result<Self, InvalidValue> {
        let PlayerMessage { controller, game, splitting, lookahead, dealing } = message;
        let (size, cap) = (game.rules.size, game.cap);
        if let Some(splitting) = &splitting {
            splitting.check(size).map_err(|invalid| invalid.under("splitting"))?;
            if dealing.is_fixed() {
                return Err(InvalidValue::new("dealing", "fixed", "drawn, with splitting"));
            }
        }
        match (&controller, &dealing) {
            (Controller::Surface(it), _) if it.surface.width() != size.width() as usize => {
                let found = format!("for {} columns", it.surface.width());
                let expected = format!("weights for the {} columns of the board", size.width());
                Err(InvalidValue::new("surface", &found, expected))
            }
            (_, PieceSequence::Listed(pieces)) if pieces.n_pieces() < cap => {
                let expected = format!("at most {}, the list", pieces.n_pieces());
                Err(InvalidValue::new("cap", &cap, expected))
            }
            _ => {
                let policy = PlacementPolicy { controller, lookahead };
                Ok(Self { policy, game, dealing, splitting })
            }
        }
    }
}

impl GameTally {
    /// Checks that games and replicates may have these results.
    fn check(&self) -> Result<(), InvalidValue> {
        let Self { lines, pieces, capped, splits } = self;
        let n = (lines.len() + splits.len()) as u64;
        if n == 0 || *pieces < n {
            return Err(InvalidValue::new("pieces", pieces, "one per trial or more"));
        }
        if n.saturating_mul(MAX_PIECES) < *pieces {
            let expected = format!("at most {MAX_PIECES} per trial");
            return Err(InvalidValue::new("pieces", pieces, expected));
        }
        // A row has at least as many cells as a piece, on the narrowest board.
        let all_lines: u128 = lines.iter().map(|&lines| u128::from(lines)).sum();
        let most = lines.iter().copied().max().unwrap_or(0);
        if u128::from(*pieces) < all_lines || MAX_PIECES < most {
            let expected = format!("at most one per piece, and at most {MAX_PIECES} per game");
            return Err(InvalidValue::new("lines", &all_lines, expected));
        }
        if (lines.len() as u64) < *capped {
            return Err(InvalidValue::new("capped", capped, "at most the number of games"));
        }
        Ok(())
    }
}

impl Tally for GameTally {
    fn n_trials(&self) -> u64 {
        (self.lines.len() + self.splits.len()) as u64
    }

    fn absorb(&mut self, later: Self) {
        self.lines.extend(later.lines);
        self.pieces += later.pieces;
        self.capped += later.capped;
        self.splits.extend(later.splits);
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::WireValue;

    use super::*;
    use crate::features::WellRule;
    use crate::players::{LinearController, SurfaceController, SurfaceWeights};
    use crate::rules::{BoardSize, OverflowRule};

    #[test]
    fn surfaces_that_fit_no_board_are_refused() {
        let decode = |n_columns: usize| {
            let linear = LinearController::new([0.0; 9], WellRule::Cumulative).unwrap();
            let (heights, differences) = (vec![1.0; n_columns], vec![-1.0; n_columns - 1]);
            let surface = SurfaceWeights::new(0.0, &heights, &differences).unwrap();
            let controller = Controller::Surface(SurfaceController { linear, surface });
            let rules = GameRules { size: BoardSize::STANDARD, overflow: OverflowRule::EndsGame };
            let player = TetrisPlayer {
                policy: controller.into(),
                game: GameSettings { rules, pieces: PieceWeights::UNIFORM, cap: 1 },
                dealing: PieceSequence::Drawn,
                splitting: None,
            };
            TetrisPlayer::decode(&player.encode()).map_err(|error| error.to_string())
        };
        assert!(decode(10).is_ok());
        let expected = "surface is for 11 columns, but must be weights for the 10 columns of the \
                        board";
        assert_eq!(decode(11).unwrap_err(), expected);
    }
}
