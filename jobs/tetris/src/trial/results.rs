//! Tallies on the wire; decoded values are checked.

use hatchery_core::{InvalidValue, Tally, WireValue};

use crate::splitting::{MAX_PIECES, SplittingReplicate};

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
