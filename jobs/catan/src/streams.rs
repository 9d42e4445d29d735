//! Random number streams of a game.

use hatchery_core::StreamRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::rules::{Action, ChanceOutcome, GameState, Seat};

/// The random number streams of a game, one for each use: decisions of players do not move the
/// dice, and the draws of one player do not move those of another.
#[derive(Clone, Debug)]
pub struct GameStreams {
    /// For a map that is drawn for the game.
    pub board: FastRng,
    /// For rolls.
    pub dice: FastRng,
    /// For the order of the development cards.
    pub deck: FastRng,
    /// For stolen cards.
    pub steal: FastRng,
    /// For the decisions of each seat.
    pub policy: [FastRng; Seat::COUNT],
}

impl GameStreams {
    /// Creates the streams of a game, seeded by the first numbers of `game`: a trial's stream, or
    /// the part of it for this game.
    #[must_use]
    pub fn new(mut game: StreamRng) -> Self {
        let mut stream = || FastRng::seeded_by(&mut game);
        Self {
            board: stream(),
            dice: stream(),
            deck: stream(),
            steal: stream(),
            policy: [stream(), stream(), stream(), stream()],
        }
    }

    /// Draws the outcome of `action`.
    pub fn outcome(&mut self, state: &GameState, action: Action) -> ChanceOutcome {
        match action {
            Action::Roll => self.dice.outcome(state, action),
            Action::BuyCard => self.deck.outcome(state, action),
            Action::Robber(..) => self.steal.outcome(state, action),
            _ => ChanceOutcome::Certain,
        }
    }
}

/// A fast generator (xoshiro256++, Blackman & Vigna 2021), which gives the same numbers on every
/// machine.
#[derive(Clone, Debug)]
pub struct FastRng(Xoshiro256PlusPlus);

impl FastRng {
    /// Creates a generator whose state is the next 256 bits of `seed`.
    #[must_use]
    pub fn seeded_by(seed: &mut StreamRng) -> Self {
        let mut state = [0; 32];
        for bytes in state.chunks_exact_mut(8) {
            bytes.copy_from_slice(&seed.next_u64().to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Returns the next 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform integer in `0..n`; 0 if `n` is 0. The probabilities of values differ by at
    /// most one part in 2^32.
    pub fn below(&mut self, n: u32) -> u32 {
        let product = u128::from(self.next_u64()) * u128::from(n);
        #[expect(clippy::cast_possible_truncation, reason = "below n")]
        let number = (product >> 64) as u32;
        number
    }

    /// Draws the outcome of `action`: for playouts, which need no separate streams.
    pub fn outcome(&mut self, state: &GameState, action: Action) -> ChanceOutcome {
        match action {
            // Faster than looking up a ticket.
            Action::Roll => ChanceOutcome::Dice(self.two_dice()),
            Action::BuyCard | Action::Robber(_, Some(_)) => {
                let outcomes = state.outcomes(action);
                outcomes.at(self.below(outcomes.total_weight()))
            }
            _ => ChanceOutcome::Certain,
        }
    }

    /// Throws two dice and returns their sum.
    fn two_dice(&mut self) -> u8 {
        const FACES: u32 = 6;
        let throw = self.below(FACES * FACES);
        u8::try_from(2 + throw / FACES + throw % FACES).expect("at most 12")
    }

    /// Draws a uniform number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit_f64(&mut self) -> f64 {
        const STEP: f64 = 1.0 / 9_007_199_254_740_992.0; // 2^-53
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit in the mantissa")]
        let numerator = (self.next_u64() >> 11) as f64;
        numerator * STEP
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::GameStreams;

    #[test]
    fn two_dice_fall_as_often_as_they_should() {
        // Chi-square with 10 degrees of freedom: chance exceeds 29.59 for one seed in 1,000.
        let mut streams = GameStreams::new(RunSeed::new("dice", 1).generation(0).stream("dice"));
        let mut counts = [0.0; 13];
        for _ in 0..36_000 {
            counts[usize::from(streams.dice.two_dice())] += 1.0;
        }
        let chi_square: f64 = (2..=12_u8)
            .map(|sum| {
                let expected = 1_000.0 * f64::from(6 - sum.abs_diff(7));
                let off: f64 = counts[usize::from(sum)] - expected;
                off * off / expected
            })
            .sum();
        assert!(chi_square < 29.59, "{counts:?} gives {chi_square}");
    }

    #[test]
    fn every_stream_has_its_own_numbers() {
        let game = || RunSeed::new("streams", 1).generation(0).stream("game");
        let GameStreams { board, dice, deck, steal, policy } = GameStreams::new(game());
        let [a, b, c, d] = policy;
        let mut firsts = [board, dice, deck, steal, a, b, c, d].map(|mut own| own.next_u64());
        firsts.sort_unstable();
        assert!(firsts.windows(2).all(|pair| pair[0] != pair[1]));
        let other = GameStreams::new(game().part(1)).dice.next_u64();
        assert!(!firsts.contains(&other));
    }
}
