//! The judgement about one move.

use hatchery_search::RootMove;

use super::corners::{CornerView, corners};
use super::event::MoveEvent;
use super::evidence::{EvidenceError, MoveEvidence, MoveValues, check_moves};
use super::loss::LossZone;
use crate::players::FIRST_CHOICES;
use crate::rules::{Square, SquareSet};

/// A judged move in whole numbers: its loss and its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveJudgement {
    pub(super) zone: LossZone,
    /// The value of the best move in steps, counted from the lowest value there is.
    pub(super) advantage: u64,
    pub(super) loss: u64,
    /// The cross-entropy with the reference agent, in 1/10,000 nat; 0 without one.
    pub(super) surprise: u64,
    pub(super) events: Vec<MoveEvent>,
}

/// The steps of a nat of cross-entropy.
pub(super) const STEPS_PER_NAT: u64 = 10_000;

/// No move surprises more: -ln of 1 in 60 x 2^32 visits is 26.3.
pub(super) const MAX_SURPRISE: u64 = 27 * STEPS_PER_NAT;

impl MoveJudgement {
    /// Returns the judgement of a move that nothing was compared with: `advantage` is the value of
    /// the best move in steps, counted from the lowest value there is. `None` if no move has such
    /// numbers.
    #[must_use]
    pub fn new(zone: LossZone, advantage: u64, loss: u64, events: Vec<MoveEvent>) -> Option<Self> {
        let is_possible = loss <= advantage && advantage <= zone.largest_loss();
        is_possible.then_some(Self { zone, advantage, loss, surprise: 0, events })
    }

    /// Returns the value of the best move, in steps of its zone, counted from the lowest value
    /// there is: 0 is a loss by 64 discs, or a lost game.
    #[must_use]
    pub fn advantage(&self) -> u64 {
        self.advantage
    }

    /// Returns the unit of the loss.
    #[must_use]
    pub fn zone(&self) -> LossZone {
        self.zone
    }

    /// Returns what the move is worth less than the best one, in steps of its zone, at least 0.
    #[must_use]
    pub fn loss(&self) -> u64 {
        self.loss
    }

    /// Returns what is counted of the move, in the order of [`MoveEvent::ALL`].
    #[must_use]
    pub fn events(&self) -> &[MoveEvent] {
        &self.events
    }
}

impl MoveEvidence<'_> {
    /// Judges the move.
    ///
    /// A loss is the value of the judge's best move minus that of the played one, and at least 0.
    /// The best move in a search is the move with the most visits. Moves without visits are
    /// unknown, and count as no alternative.
    ///
    /// The cross-entropy of the move is -ln((visits + 1) / (all visits + legal moves)) with the
    /// visits by the reference agent. The visit added to every move (Laplace's rule) keeps the
    /// cross-entropy finite.
    ///
    /// # Errors
    /// If the move is illegal or forced, a list of moves has not each legal move once, the judge
    /// has no opinion about the move, or a number is impossible.
    pub fn judge(&self) -> Result<MoveJudgement, EvidenceError> {
        self.position.apply(self.played)?;
        let legal = self.position.legal_moves();
        if legal.len() < 2 {
            return Err(EvidenceError::Forced { square: self.played });
        }
        let values = MoveValues::new(self.opinion, legal)?;
        let loss =
            values.loss(self.played).ok_or(EvidenceError::Unvisited { square: self.played })?;
        let mut events = self.corner_events(&values, loss);
        events.extend(values.flips(loss).then_some(MoveEvent::ResultFlip));
        self.add_rank(legal, &mut events)?;
        let surprise = self.add_comparison(legal, &mut events)?;
        self.add_levels(legal, &mut events)?;
        events.sort_unstable();
        Ok(MoveJudgement { zone: values.zone, advantage: values.best, loss, surprise, events })
    }

    fn corner_events(&self, values: &MoveValues, loss: u64) -> Vec<MoveEvent> {
        let legal = self.position.legal_moves();
        let view = CornerView::new(&self.position);
        let threshold = values.zone.corner_loss();
        let mut events: Vec<_> = view.neighbor(self.played).into_iter().collect();
        if !corners(legal).is_empty() {
            events.push(MoveEvent::CornerChance);
            if !corners(legal).contains(self.played) {
                events.push(MoveEvent::CornerLeft);
                events.extend((threshold <= loss).then_some(MoveEvent::CornerDeclined));
            }
        }
        if view.opens(self.played) {
            events.push(MoveEvent::CornerOpened);
            let is_better = |square| values.loss(square).is_some_and(|it| it + threshold <= loss);
            let mut others = legal.iter();
            let given = others.any(|square| is_better(square) && !view.opens(square));
            events.extend(given.then_some(MoveEvent::CornerGiven));
        }
        events
    }

    fn add_rank(&self, legal: SquareSet, events: &mut Vec<MoveEvent>) -> Result<(), EvidenceError> {
        let Some(rank) = self.own_rank else { return Ok(()) };
        let moves = legal.len();
        if rank == 0 || moves < rank {
            return Err(EvidenceError::Rank { rank, moves });
        }
        events.push(MoveEvent::Ranked);
        events.extend((1 < rank).then_some(MoveEvent::OutsideFirst));
        events.extend((3 < rank).then_some(MoveEvent::OutsideThird));
        Ok(())
    }

    /// Compares the move with the reference agent, and returns its cross-entropy.
    fn add_comparison(
        &self,
        legal: SquareSet,
        events: &mut Vec<MoveEvent>,
    ) -> Result<u64, EvidenceError> {
        let Some(reference) = self.reference else { return Ok(0) };
        check_moves("the reference agent", reference.iter().map(|one| one.mv), legal)?;
        events.push(MoveEvent::Compared);
        let agrees = reference.first().is_some_and(|one| one.mv == self.played);
        events.extend(agrees.then_some(MoveEvent::Agreed));
        Ok(surprise(reference, self.played))
    }

    fn add_levels(
        &self,
        legal: SquareSet,
        events: &mut Vec<MoveEvent>,
    ) -> Result<(), EvidenceError> {
        let Some(levels) = self.levels else { return Ok(()) };
        levels.check(legal)?;
        events.push(MoveEvent::Leveled);
        let is_first = |choices: &Vec<Square>| {
            choices.iter().take(FIRST_CHOICES).any(|&choice| choice == self.played)
        };
        let advanced = levels.strongest == self.played && !levels.near.iter().any(is_first);
        events.extend(advanced.then_some(MoveEvent::TooAdvanced));
        Ok(())
    }
}

fn surprise(reference: &[RootMove<Square>], played: Square) -> u64 {
    let visits_of = |one: &RootMove<Square>| u64::from(one.visits) + 1;
    let all: u64 = reference.iter().map(visits_of).sum();
    let own: u64 = reference.iter().filter(|one| one.mv == played).map(visits_of).sum();
    #[expect(clippy::cast_precision_loss, reason = "both are below 2^53")]
    let nats = libm::log(all as f64 / own.max(1) as f64);
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    let steps = libm::round(nats * STEPS_PER_NAT as f64);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to MAX_SURPRISE"
    )]
    let steps = steps as u64;
    steps.min(MAX_SURPRISE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surprise_is_that_of_smoothed_visits() {
        let check = |visits: &[u32], expected| {
            let squares = (0_u8..).filter_map(Square::new);
            let one = |(mv, &visits)| RootMove { mv, visits, half_points: 0 };
            let reference: Vec<_> = squares.zip(visits).map(one).collect();
            assert_eq!(surprise(&reference, reference[0].mv), expected, "{visits:?}");
        };
        // ln 2, ln 4, ln (12 / 9), ln 1002 and ln (59 x 2^32 + 1).
        check(&[0, 0], 6_931);
        check(&[0, 0, 0, 0], 13_863);
        check(&[8, 2], 2_877);
        check(&[0, 1_000], 69_098);
        let mut many = [u32::MAX; 60];
        many[0] = 0;
        check(&many, 262_582);
    }
}
