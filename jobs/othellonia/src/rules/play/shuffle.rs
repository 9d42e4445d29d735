//! The order of the draws from a deck.

use super::outcome::Player;
use crate::rules::{DECK_PIECES, GameDeck};

/// Returns the order of the draws from both decks in the game with `seed`: the leader, then the
/// others, shuffled by SplitMix64 (Steele, Lea and Flood 2014) and Fisher and Yates, first for A,
/// then for B.
#[must_use]
pub fn deck_order(seed: u64, decks: [&GameDeck; 2]) -> [[u8; DECK_PIECES]; 2] {
    let mut state = seed;
    Player::ALL.map(|player| {
        let leader = decks[player.index()].leader();
        let others = (0..DECK_PIECES).filter(|&piece| piece != leader);
        let mut order: [usize; DECK_PIECES] = [leader; DECK_PIECES];
        order[1..].iter_mut().zip(others).for_each(|(place, piece)| *place = piece);
        for last in (1..DECK_PIECES - 1).rev() {
            order.swap(1 + last, 1 + next_below(&mut state, last + 1));
        }
        order.map(index)
    })
}

/// Returns an index of a piece as a byte.
fn index(piece: usize) -> u8 {
    u8::try_from(piece).expect("16 pieces")
}

/// Returns the next number of SplitMix64, times `range`, over 2^64.
fn next_below(state: &mut u64, range: usize) -> usize {
    usize::try_from((u128::from(next(state)) * range as u128) >> 64).expect("below the range")
}

/// Returns the next number of SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the generator for the seed 1234567, as published with it in Java and C.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut state = 1_234_567;
        let found = [(); 5].map(|()| next(&mut state));
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(found, expected);
    }
}
