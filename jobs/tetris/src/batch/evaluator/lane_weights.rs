//! The weights of players in the lanes of vectors.

use crate::batch::vectors::{ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, PerBoard};

/// A number that is no player's.
const NOBODY: usize = usize::MAX;

/// The weights of the player in each lane.
pub(super) struct LaneWeights {
    /// The player's index for each lane.
    players: PerBoard<usize>,
    /// For each weight its value in each lane, in the order of floats.
    weights: Vec<PerBoard<f32>>,
    /// True if there is one player, with the same weights in all lanes.
    is_single: bool,
}

impl LaneWeights {
    fn new(of_players: &[Vec<f32>]) -> Self {
        match of_players {
            [only] => {
                let weights = only.iter().map(|&weight| [weight; N_BOARDS]).collect();
                Self { players: [0; N_BOARDS], weights, is_single: true }
            }
            _ => {
                let weights = vec![[0.0; N_BOARDS]; of_players.first().map_or(0, Vec::len)];
                Self { players: [NOBODY; N_BOARDS], weights, is_single: false }
            }
        }
    }

    /// Puts the weights of a player into a lane, unless they are there.
    #[inline(always)]
    fn seat<B: ByteVector>(&mut self, lane: usize, player: usize, of_players: &[Vec<f32>]) {
        if self.is_single || self.players[lane] == player {
            return;
        }
        self.players[lane] = player;
        let place = B::place(lane);
        for (lanes, &weight) in self.weights.iter_mut().zip(&of_players[player]) {
            lanes[place] = weight;
        }
    }

    /// Returns the weight `idx` for every board: the weight that the board's player has.
    #[inline(always)]
    pub(super) fn at<B: ByteVector>(&self, idx: usize) -> FloatBlocks<B> {
        let weights = &self.weights[idx];
        if self.is_single {
            return [B::Block::splat(weights[0]); N_BLOCKS];
        }
        let (blocks, _) = weights.as_chunks();
        let mut weights = [B::Block::splat(0.0); N_BLOCKS];
        for (weight, block) in weights.iter_mut().zip(blocks) {
            *weight = B::Block::load(block);
        }
        weights
    }
}

/// All players' weights, and the weights in the lanes: each lane has the weights for the player of
/// its game.
pub(in crate::batch) struct SeatedWeights {
    of_players: Vec<Vec<f32>>,
    lanes: LaneWeights,
    /// The weights for boards with rows removed, which are in other lanes than their games.
    cleared: LaneWeights,
}

impl SeatedWeights {
    /// Takes the players' weights: there is at least one player, and all players have equally many
    /// weights.
    pub(super) fn new(of_players: Vec<Vec<f32>>) -> Self {
        let (lanes, cleared) = (LaneWeights::new(&of_players), LaneWeights::new(&of_players));
        Self { of_players, lanes, cleared }
    }

    /// Returns the index of the player in `lane`.
    #[inline(always)]
    pub(super) fn player(&self, lane: usize) -> usize {
        self.lanes.players[lane]
    }

    /// Seats a player in each lane.
    #[inline(always)]
    pub(in crate::batch) fn seat<B: ByteVector>(&mut self, players: impl Iterator<Item = usize>) {
        for (lane, player) in players.enumerate() {
            self.lanes.seat::<B>(lane, player, &self.of_players);
        }
    }

    /// Seats the players of these lanes for their boards with rows removed.
    #[inline(always)]
    pub(in crate::batch) fn seat_cleared<B: ByteVector>(
        &mut self,
        lanes: impl Iterator<Item = usize>,
    ) {
        for (at, lane) in lanes.enumerate() {
            self.cleared.seat::<B>(at, self.lanes.players[lane], &self.of_players);
        }
    }

    /// Returns the weights for boards from which rows were `REMOVED`, or for the others.
    #[inline(always)]
    pub(super) fn of<const REMOVED: bool>(&self) -> &LaneWeights {
        if REMOVED { &self.cleared } else { &self.lanes }
    }
}
