//! Scores of finished games.

/// The largest score of a player; the other then has its negative.
pub(super) const MAX_SCORE: i32 = 64;

/// The convention for counting empty squares at the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScoreRule {
    /// The winner gets the empty squares; a draw is 0. Tournaments and endgame solvers count so.
    WinnerTakesEmpties,
    /// Empty squares count for nobody.
    DiscDifference,
}

impl ScoreRule {
    /// Returns the score, in -64 ..= 64, of the player with `own` discs when a game ends and the
    /// opponent has `other`. The sum of both is at most 64.
    #[must_use]
    #[inline(always)]
    pub const fn score(self, own: u32, other: u32) -> i32 {
        let difference = own.cast_signed() - other.cast_signed();
        match self {
            Self::DiscDifference => difference,
            Self::WinnerTakesEmpties => {
                let empties = 64 - own.cast_signed() - other.cast_signed();
                difference + difference.signum() * empties
            }
        }
    }
}

/// The discs of both players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiscCount {
    /// Black discs.
    pub black: u32,
    /// White discs.
    pub white: u32,
}

impl DiscCount {
    /// Returns the number of empty squares.
    #[must_use]
    pub const fn empties(self) -> u32 {
        64 - self.black - self.white
    }

    /// Returns black's score, in -64 ..= 64; white's is its negative.
    #[must_use]
    pub const fn black_score(self, rule: ScoreRule) -> i32 {
        rule.score(self.black, self.white)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empties_go_to_the_winner_or_to_nobody() {
        let check = |black, white, taken, difference| {
            let count = DiscCount { black, white };
            assert_eq!(count.black_score(ScoreRule::WinnerTakesEmpties), taken, "{count:?}");
            assert_eq!(count.black_score(ScoreRule::DiscDifference), difference, "{count:?}");
        };
        check(40, 24, 16, 16);
        check(13, 0, 64, 13);
        check(20, 30, -24, -10);
        check(31, 31, 0, 0);
    }
}
