//! Random number streams of a game.

use hatchery_core::StreamRng;

use crate::rules::{Action, ChanceOutcome, GameState, Seat};

pub use hatchery_core::FastRng;

/// The random number streams of a game. Each use has its own stream: decisions of players do not
/// move the dice, and the draws of a player do not move the draws of another player.
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
    /// For each seat's decisions.
    pub policy: [FastRng; Seat::COUNT],
}

impl GameStreams {
    /// Creates the streams of a game. The first numbers of `game` seed them; `game` is a trial's
    /// stream, or the part of a trial's stream for this game.
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

/// Draws of chance from a single generator: for playouts, which need no separate streams.
pub trait ChanceDraws {
    /// Draws the outcome of `action`.
    fn outcome(&mut self, state: &GameState, action: Action) -> ChanceOutcome;
}

impl ChanceDraws for FastRng {
    fn outcome(&mut self, state: &GameState, action: Action) -> ChanceOutcome {
        match action {
            // Faster than looking up a ticket.
            Action::Roll => ChanceOutcome::Dice(two_dice(self)),
            Action::BuyCard | Action::Robber(_, Some(_)) => {
                let outcomes = state.outcomes(action);
                outcomes.at(self.below(outcomes.total_weight()))
            }
            _ => ChanceOutcome::Certain,
        }
    }
}

/// Throws two dice and returns their sum.
fn two_dice(rng: &mut FastRng) -> u8 {
    const FACES: u32 = 6;
    let throw = rng.below(FACES * FACES);
    u8::try_from(2 + throw / FACES + throw % FACES).expect("at most 12")
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::{GameStreams, two_dice};

    #[test]
    fn two_dice_fall_as_often_as_they_should() {
        // Chi-square with 10 degrees of freedom: chance exceeds 29.59 for one seed in 1,000.
        let mut streams = GameStreams::new(RunSeed::new("dice", 1).generation(0).stream("dice"));
        let mut counts = [0.0; 13];
        for _ in 0..36_000 {
            counts[usize::from(two_dice(&mut streams.dice))] += 1.0;
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
