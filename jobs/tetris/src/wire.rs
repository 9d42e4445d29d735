//! Players and tallies on the wire; decoded values are checked.

mod controller;
mod splitting;

use hatchery_core::{DecodeError, MessageValue, Tally};

use crate::dealing::PieceSequence;
use crate::players::{Lookahead, PlacementPolicy};
use crate::rules::{BoardSize, GameRules, OverflowRule, PieceCap, PieceWeights};
use crate::splitting::{SplittingConfig, SplittingReplicate};

/// The most pieces of a trial, on average: ten hours of a core. Those of 10^8 trials, the most of a
/// series, fit into 64 bits.
const MAX_PIECES: u64 = u64::MAX / 100_000_000;

pub use controller::{ControllerMessage, LinearMessage, NetworkMessage, SurfaceMessage};
pub use splitting::{SplitMessage, SplittingMessage};

/// The rules, piece weights and length limit of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameSettings {
    /// The size of the board and the rule at its top.
    pub rules: GameRules,
    /// The relative frequency of each piece.
    pub pieces: PieceWeights,
    /// The number of pieces after which the game is stopped.
    pub cap: PieceCap,
}

/// A policy and the game that it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct TetrisPlayer {
    /// The policy that plays.
    pub policy: PlacementPolicy,
    /// The game that is played.
    pub game: GameSettings,
    /// The sequence of its pieces: drawn, with splitting.
    pub dealing: PieceSequence,
    /// The parameters of the splitting estimate; a trial is a replicate of it, or without it a
    /// game.
    pub splitting: Option<SplittingConfig>,
}

/// The results of games, or of replicates of the splitting estimate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTally {
    /// The score of each game in removed rows, in the order of their trials.
    pub lines: Vec<u64>,
    /// The number of pieces of all trials.
    pub pieces: u64,
    /// The number of games that were stopped by their cap.
    pub capped: u64,
    /// The replicates, in the order of their trials.
    pub splits: Vec<SplittingReplicate>,
}

/// A [`TetrisPlayer`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PlayerMessage {
    #[prost(oneof = "ControllerMessage", tags = "1, 2, 12")]
    controller: Option<ControllerMessage>,
    #[prost(uint32, tag = "3")]
    width: u32,
    #[prost(uint32, tag = "4")]
    height: u32,
    #[prost(bool, tag = "5")]
    clears_first: bool,
    #[prost(uint32, repeated, tag = "6")]
    pieces: Vec<u32>,
    #[prost(uint64, tag = "7")]
    cap: u64,
    #[prost(message, optional, tag = "8")]
    splitting: Option<SplittingMessage>,
    #[prost(message, optional, tag = "9")]
    lookahead: Option<LookaheadMessage>,
    #[prost(oneof = "PieceSequenceMessage", tags = "10, 11")]
    dealing: Option<PieceSequenceMessage>,
}

/// A [`PieceSequence`] on the wire, unless pieces are drawn from the stream of each game.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum PieceSequenceMessage {
    /// The letters of the pieces.
    #[prost(string, tag = "10")]
    Letters(String),
    /// The seed of a generator.
    #[prost(uint64, tag = "11")]
    Seed(u64),
}

/// A [`Lookahead`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct LookaheadMessage {
    #[prost(uint32, repeated, tag = "1")]
    weights: Vec<u32>,
    #[prost(bool, tag = "2")]
    first_value: bool,
}

/// A [`GameTally`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GamesMessage {
    #[prost(uint64, repeated, tag = "1")]
    lines: Vec<u64>,
    #[prost(uint64, tag = "2")]
    pieces: u64,
    #[prost(uint64, tag = "3")]
    capped: u64,
    #[prost(message, repeated, tag = "4")]
    splits: Vec<SplitMessage>,
}

impl MessageValue for TetrisPlayer {
    type Message = PlayerMessage;

    fn to_message(&self) -> PlayerMessage {
        let Self { policy, game: GameSettings { rules, pieces, cap }, dealing, splitting } = self;
        let PlacementPolicy { controller, lookahead } = policy;
        PlayerMessage {
            controller: Some(controller.into()),
            width: rules.size.width(),
            height: rules.size.height(),
            clears_first: rules.overflow == OverflowRule::ClearsFirst,
            pieces: pieces.weights().to_vec(),
            cap: *cap,
            splitting: splitting.map(SplittingMessage::from),
            lookahead: lookahead.map(|Lookahead { weights, first_value }| LookaheadMessage {
                weights: weights.weights().to_vec(),
                first_value,
            }),
            dealing: match dealing {
                PieceSequence::Drawn => None,
                PieceSequence::Listed(pieces) => Some(PieceSequenceMessage::Letters(
                    pieces.iter().map(|piece| piece.letter()).collect(),
                )),
                PieceSequence::Seeded(seed) => Some(PieceSequenceMessage::Seed(*seed)),
            },
        }
    }

    fn from_message(message: PlayerMessage) -> Result<Self, DecodeError> {
        let PlayerMessage {
            controller,
            width,
            height,
            clears_first,
            pieces,
            cap,
            splitting,
            lookahead,
            dealing,
        } = message;
        let size = BoardSize::new(width, height);
        let size = size.map_err(|error| DecodeError::field("board", &error, "4x4 to 16x32"))?;
        let pieces = weights_from("pieces", pieces)?;
        if cap == 0 {
            return Err(DecodeError::field("cap", &cap, "at least 1"));
        }
        let overflow =
            if clears_first { OverflowRule::ClearsFirst } else { OverflowRule::EndsGame };
        let game = GameSettings { rules: GameRules { size, overflow }, pieces, cap };
        let splitting = splitting.map(|splitting| splitting.checked(size)).transpose()?;
        let lookahead = lookahead.map(|LookaheadMessage { weights, first_value }| {
            Ok::<_, DecodeError>(Lookahead {
                weights: weights_from("lookahead", weights)?,
                first_value,
            })
        });
        let lookahead = lookahead.transpose()?;
        let controller = controller::checked(controller, size)?;
        let policy = PlacementPolicy { controller, lookahead };
        let dealing = dealing_from(dealing, cap, splitting.is_some())?;
        Ok(Self { policy, game, dealing, splitting })
    }
}

hatchery_core::message_value!(TetrisPlayer);

fn weights_from(field: &'static str, weights: Vec<u32>) -> Result<PieceWeights, DecodeError> {
    let wrong = |what: &dyn std::fmt::Display| DecodeError::field(field, what, "seven weights");
    let weights: [u32; 7] = weights.try_into().map_err(|_| wrong(&"another number of them"))?;
    PieceWeights::new(weights).map_err(|error| wrong(&error))
}

fn dealing_from(
    message: Option<PieceSequenceMessage>,
    cap: PieceCap,
    is_split: bool,
) -> Result<PieceSequence, DecodeError> {
    let dealing = match message {
        None => return Ok(PieceSequence::Drawn),
        Some(_) if is_split => {
            return Err(DecodeError::field("dealing", &"fixed", "drawn, with splitting"));
        }
        Some(PieceSequenceMessage::Seed(seed)) => return Ok(PieceSequence::Seeded(seed)),
        Some(PieceSequenceMessage::Letters(letters)) => PieceSequence::listed(&letters),
    };
    let dealing = dealing
        .map_err(|error| DecodeError::field("dealing", &error, "letters of pieces, IOTZSJL"))?;
    match &dealing {
        PieceSequence::Listed(pieces) if (pieces.len() as u64) < cap => {
            Err(DecodeError::field("cap", &cap, format!("at most {}, the list", pieces.len())))
        }
        _ => Ok(dealing),
    }
}

impl MessageValue for GameTally {
    type Message = GamesMessage;

    fn to_message(&self) -> GamesMessage {
        let Self { lines, pieces, capped, splits } = self.clone();
        let splits = splits.into_iter().map(SplitMessage::from).collect();
        GamesMessage { lines, pieces, capped, splits }
    }

    fn from_message(
        GamesMessage { lines, pieces, capped, splits }: GamesMessage,
    ) -> Result<Self, DecodeError> {
        let n = (lines.len() + splits.len()) as u64;
        if n == 0 || pieces < n {
            return Err(DecodeError::field("pieces", &pieces, "one per trial or more"));
        }
        if n.saturating_mul(MAX_PIECES) < pieces {
            let expected = format!("at most {MAX_PIECES} per trial");
            return Err(DecodeError::field("pieces", &pieces, expected));
        }
        // A row has at least as many cells as a piece, on the narrowest board.
        let all_lines: u128 = lines.iter().map(|&lines| u128::from(lines)).sum();
        let most = lines.iter().copied().max().unwrap_or(0);
        if u128::from(pieces) < all_lines || MAX_PIECES < most {
            let expected = format!("at most one per piece, and at most {MAX_PIECES} per game");
            return Err(DecodeError::field("lines", &all_lines, expected));
        }
        if (lines.len() as u64) < capped {
            return Err(DecodeError::field("capped", &capped, "at most the number of games"));
        }
        let splits: Vec<_> =
            splits.into_iter().map(SplitMessage::checked).collect::<Result<_, _>>()?;
        Ok(Self { lines, pieces, capped, splits })
    }
}

hatchery_core::message_value!(GameTally);

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
