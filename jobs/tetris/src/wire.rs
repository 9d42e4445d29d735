//! What is played and what came of it on the wire: what is decoded is checked.

mod splitting;

use hatchery_core::{Malformed, Tally, Wire};

use crate::features::Wells;
use crate::players::{Controller, Linear, Lookahead, Network, Policy};
use crate::rules::{BoardSize, Cap, Overflow, PieceWeights, Rules};
use crate::splitting::{Split, Splitting};

pub use splitting::{SplitMessage, SplittingMessage};

/// What a game is played by, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// The board and the rule at its top.
    pub rules: Rules,
    /// How often each piece comes.
    pub pieces: PieceWeights,
    /// The number of pieces after which the game is stopped.
    pub cap: Cap,
}

/// A policy and the game that it plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Who plays.
    pub policy: Policy,
    /// What is played.
    pub game: Game,
    /// What a trial is: a replicate of the splitting estimate, or without one a game.
    pub splitting: Option<Splitting>,
}

/// What games, or replicates of the splitting estimate, came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Games {
    /// The score of each game in removed rows, in the order of their trials.
    pub lines: Vec<u64>,
    /// The number of pieces of all trials.
    pub pieces: u64,
    /// How many of the games were stopped by their cap.
    pub capped: u64,
    /// The replicates, in the order of their trials.
    pub splits: Vec<Split>,
}

/// A [`Player`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PlayerMessage {
    #[prost(oneof = "ControllerMessage", tags = "1, 2")]
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
}

/// A [`Lookahead`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct LookaheadMessage {
    #[prost(uint32, repeated, tag = "1")]
    weights: Vec<u32>,
    #[prost(bool, tag = "2")]
    first_value: bool,
}

/// A [`Controller`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum ControllerMessage {
    /// A weighted sum.
    #[prost(message, tag = "1")]
    Linear(LinearMessage),
    /// A neural network.
    #[prost(message, tag = "2")]
    Network(NetworkMessage),
}

/// A [`Linear`] controller on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct LinearMessage {
    #[prost(sint64, repeated, tag = "1")]
    weights: Vec<i64>,
    #[prost(bool, tag = "2")]
    fast_wells: bool,
}

/// A [`Network`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NetworkMessage {
    #[prost(uint32, tag = "1")]
    n_hidden: u32,
    #[prost(float, repeated, tag = "2")]
    weights: Vec<f32>,
}

/// [`Games`] on the wire.
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

impl Wire for Player {
    type Message = PlayerMessage;

    fn to_message(&self) -> PlayerMessage {
        let Self { policy, game: Game { rules, pieces, cap }, splitting } = self;
        let Policy { controller, lookahead } = policy;
        PlayerMessage {
            controller: Some(match controller {
                Controller::Linear(linear) => ControllerMessage::Linear(LinearMessage {
                    weights: linear.scaled().to_vec(),
                    fast_wells: linear.wells() == Wells::Fast,
                }),
                Controller::Network(network) => ControllerMessage::Network(NetworkMessage {
                    n_hidden: u32::try_from(network.n_hidden()).expect("at most 64"),
                    weights: network.weights().to_vec(),
                }),
            }),
            width: rules.size.width(),
            height: rules.size.height(),
            clears_first: rules.overflow == Overflow::ClearsFirst,
            pieces: pieces.weights().to_vec(),
            cap: *cap,
            splitting: splitting.map(SplittingMessage::from),
            lookahead: lookahead.map(|Lookahead { weights, first_value }| LookaheadMessage {
                weights: weights.weights().to_vec(),
                first_value,
            }),
        }
    }

    fn from_message(message: PlayerMessage) -> Result<Self, Malformed> {
        let PlayerMessage {
            controller,
            width,
            height,
            clears_first,
            pieces,
            cap,
            splitting,
            lookahead,
        } = message;
        let size = BoardSize::new(width, height);
        let size = size.map_err(|error| Malformed::field("board", &error, "4x4 to 16x32"))?;
        let pieces = weights_from("pieces", pieces)?;
        if cap == 0 {
            return Err(Malformed::field("cap", &cap, "at least 1"));
        }
        let overflow = if clears_first { Overflow::ClearsFirst } else { Overflow::EndsGame };
        let game = Game { rules: Rules { size, overflow }, pieces, cap };
        let splitting = splitting.map(|splitting| splitting.checked(size)).transpose()?;
        let lookahead = lookahead.map(|LookaheadMessage { weights, first_value }| {
            Ok(Lookahead { weights: weights_from("lookahead", weights)?, first_value })
        });
        let lookahead = lookahead.transpose()?;
        let policy = Policy { controller: controller_from(controller)?, lookahead };
        Ok(Self { policy, game, splitting })
    }
}

fn weights_from(field: &'static str, weights: Vec<u32>) -> Result<PieceWeights, Malformed> {
    let wrong = |what: &dyn std::fmt::Display| Malformed::field(field, what, "seven weights");
    let weights: [u32; 7] = weights.try_into().map_err(|_| wrong(&"another number of them"))?;
    PieceWeights::new(weights).map_err(|error| wrong(&error))
}

fn controller_from(message: Option<ControllerMessage>) -> Result<Controller, Malformed> {
    let wrong = |what: &dyn std::fmt::Display| {
        Malformed::field("controller", what, "a linear controller or a network")
    };
    match message {
        Some(ControllerMessage::Linear(LinearMessage { weights, fast_wells })) => {
            let weights = weights.try_into().map_err(|_| wrong(&"not nine weights"))?;
            let wells = if fast_wells { Wells::Fast } else { Wells::Cumulative };
            let linear = Linear::from_scaled(weights, wells).map_err(|error| wrong(&error))?;
            Ok(Controller::Linear(linear))
        }
        Some(ControllerMessage::Network(NetworkMessage { n_hidden, weights })) => {
            let n_hidden = usize::try_from(n_hidden).map_err(|error| wrong(&error))?;
            let network = Network::new(n_hidden, weights).map_err(|error| wrong(&error))?;
            Ok(Controller::Network(network))
        }
        None => Err(wrong(&"missing")),
    }
}

impl Wire for Games {
    type Message = GamesMessage;

    fn to_message(&self) -> GamesMessage {
        let Self { lines, pieces, capped, splits } = self.clone();
        let splits = splits.into_iter().map(SplitMessage::from).collect();
        GamesMessage { lines, pieces, capped, splits }
    }

    fn from_message(
        GamesMessage { lines, pieces, capped, splits }: GamesMessage,
    ) -> Result<Self, Malformed> {
        let n = (lines.len() + splits.len()) as u64;
        if n == 0 || pieces < n {
            return Err(Malformed::field("pieces", &pieces, "one per trial or more"));
        }
        if (lines.len() as u64) < capped {
            return Err(Malformed::field("capped", &capped, "at most the number of games"));
        }
        let splits = splits.into_iter().map(SplitMessage::checked).collect::<Result<_, _>>()?;
        Ok(Self { lines, pieces, capped, splits })
    }
}

impl Tally for Games {
    fn absorb(&mut self, later: Self) {
        self.lines.extend(later.lines);
        self.pieces += later.pieces;
        self.capped += later.capped;
        self.splits.extend(later.splits);
    }
}
