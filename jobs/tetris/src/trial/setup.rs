//! Players on the wire; decoded values are checked.

use hatchery_core::{InvalidValue, WireValue};

use crate::dealing::PieceSequence;
use crate::players::{Controller, Lookahead, PlacementPolicy};
use crate::rules::{GameRules, PieceCap, PieceWeights};
use crate::splitting::SplittingConfig;

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
        let (size, cap, queue) = (game.rules.size, game.cap, game.rules.queue);
        queue.check(size, game.pieces).map_err(|invalid| invalid.under("queue"))?;
        if let Some(splitting) = &splitting {
            splitting.check(size).map_err(|invalid| invalid.under("splitting"))?;
            if dealing.is_fixed() {
                return Err(InvalidValue::new("dealing", "fixed", "drawn, with splitting"));
            }
        }
        if let Controller::Surface(it) = &controller
            && let Some(width) = it.surface.width()
            && width != size.width() as usize
        {
            let expected = format!("weights for the {} columns of the board", size.width());
            return Err(InvalidValue::new("surface", &format!("for {width} columns"), expected));
        }
        if let PieceSequence::Listed(pieces) = &dealing {
            let most = pieces.n_placed(queue)?;
            if most < cap {
                let expected = format!("at most {most}, the list");
                return Err(InvalidValue::new("cap", &cap, expected));
            }
        }
        let policy = PlacementPolicy { controller, lookahead };
        Ok(Self { policy, game, dealing, splitting })
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::WireValue;

    use super::*;
    use crate::features::{FullRows, SkyRule, WellRule};
    use crate::players::{LinearController, StackWeights, SurfaceController, SurfaceWeights};
    use crate::rules::BoardSize;

    #[test]
    fn surfaces_that_fit_no_board_are_refused() {
        let decode = |n_columns: usize| {
            let linear = LinearController::new([0.0; 9], WellRule::Cumulative).unwrap();
            let (heights, differences) = (vec![1.0; n_columns], vec![-1.0; n_columns - 1]);
            let surface = SurfaceWeights::new(0.0, &heights, &differences).unwrap();
            let (stack, full_rows) = (StackWeights::default(), FullRows::Removed);
            let sky = SkyRule::Empty;
            let surface = SurfaceController { linear, surface, stack, full_rows, sky };
            let controller = Controller::Surface(surface);
            let rules = GameRules::published(BoardSize::STANDARD);
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
