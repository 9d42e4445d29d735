//! Sums over the moves of a game.

use hatchery_core::{DecodeError, WireValue};
use hatchery_search::DepthCap;

use super::event::MoveEvent;
use super::judgement::{MAX_SURPRISE, MoveJudgement};
use super::loss::{CORNER_BINS, LossTotals, LossZone, N_SUMS};

/// The naturalness of one player's moves in a game, or in several games that were put together. All
/// sums are exact sums of whole numbers.
///
/// For the wire, a record is a list of [`N_COUNTS`](Self::N_COUNTS) numbers.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = NaturalnessCounts)]
pub struct GameNaturalness {
    games: u64,
    forced: u64,
    events: [u64; MoveEvent::ALL.len()],
    surprise: u64,
    depth_changes: u64,
    depth_change_sum: u64,
    pub(super) exact: LossTotals,
    pub(super) estimated: LossTotals,
}

/// A [`GameNaturalness`] on the wire.
#[derive(WireValue)]
struct NaturalnessCounts {
    #[wire(tag = 1)]
    counts: Vec<u64>,
}

impl From<&GameNaturalness> for NaturalnessCounts {
    fn from(record: &GameNaturalness) -> Self {
        Self { counts: record.counts().to_vec() }
    }
}

impl TryFrom<NaturalnessCounts> for GameNaturalness {
    type Error = DecodeError;

    fn try_from(NaturalnessCounts { counts }: NaturalnessCounts) -> Result<Self, DecodeError> {
        Self::from_counts(&counts)
    }
}

impl GameNaturalness {
    /// The number of numbers of a record.
    pub const N_COUNTS: usize = 5
        + MoveEvent::ALL.len()
        + 2 * N_SUMS
        + LossZone::Exact.n_bins()
        + LossZone::Estimated.n_bins();

    /// Returns the record of a game before its first move.
    #[must_use]
    pub fn begin() -> Self {
        Self { games: 1, ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            games: 0,
            forced: 0,
            events: [0; MoveEvent::ALL.len()],
            surprise: 0,
            depth_changes: 0,
            depth_change_sum: 0,
            exact: LossTotals::new(LossZone::Exact),
            estimated: LossTotals::new(LossZone::Estimated),
        }
    }

    /// Adds a move that was not forced.
    pub fn add(&mut self, judgement: &MoveJudgement) {
        for event in judgement.events() {
            self.events[event.index()] += 1;
        }
        self.surprise += judgement.surprise;
        match judgement.zone {
            LossZone::Exact => self.exact.add(judgement.advantage, judgement.loss),
            LossZone::Estimated => self.estimated.add(judgement.advantage, judgement.loss),
        }
    }

    /// Adds a move that was the only legal one: it is counted, and not judged.
    pub fn add_forced(&mut self) {
        self.forced += 1;
    }

    /// Adds the changes in depth between consecutive replies in one game. A tree without a cap
    /// counts as one with the largest.
    pub fn add_depths(&mut self, depths: &[DepthCap]) {
        let plies = |depth: DepthCap| depth.get().unwrap_or(DepthCap::MAX);
        for pair in depths.windows(2) {
            self.depth_changes += 1;
            self.depth_change_sum += u64::from(plies(pair[0]).abs_diff(plies(pair[1])));
        }
    }

    /// Adds the games of another record. The order and grouping do not matter.
    pub fn absorb(&mut self, other: &Self) {
        for ((_, count), more) in self.fields_mut().into_iter().zip(other.counts()) {
            *count = count.saturating_add(more);
        }
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the number of judged moves; forced moves are not judged.
    #[must_use]
    pub fn moves(&self) -> u64 {
        self.exact.moves() + self.estimated.moves()
    }

    /// Returns the number of forced moves.
    #[must_use]
    pub fn forced(&self) -> u64 {
        self.forced
    }

    /// Returns the number of judged moves with this event.
    #[must_use]
    pub fn count(&self, event: MoveEvent) -> u64 {
        self.events[event.index()]
    }

    /// Returns the judged moves that lose at least `bins` bin widths.
    pub(super) fn n_from(&self, bins: usize) -> u64 {
        self.exact.n_from(bins) + self.estimated.n_from(bins)
    }

    /// Returns the sum of cross-entropies, in 1/10,000 nat.
    pub(super) fn surprise(&self) -> u64 {
        self.surprise
    }

    /// Returns the sum of changes of depth in plies, and their number.
    pub(super) fn depth_changes(&self) -> (u64, u64) {
        (self.depth_change_sum, self.depth_changes)
    }

    /// Returns the numbers of the record, in an order that does not change.
    #[must_use]
    pub fn counts(&self) -> [u64; Self::N_COUNTS] {
        let mut counts = [0; Self::N_COUNTS];
        let mut copy = self.clone();
        for (count, (_, field)) in counts.iter_mut().zip(copy.fields_mut()) {
            *count = *field;
        }
        counts
    }

    /// Returns the record with these numbers, which another record's [`counts`](Self::counts)
    /// returned.
    ///
    /// # Errors
    /// If no games have these numbers. The error names the number; a few sums that no games have,
    /// but that contradict no other one, pass.
    pub fn from_counts(counts: &[u64]) -> Result<Self, DecodeError> {
        let n = counts.len();
        let expected = format!("{}", Self::N_COUNTS);
        let counts = counts
            .try_into()
            .map_err(|_| DecodeError::field("number of naturalness counts", &n, expected))?;
        let record = Self::of_sums(counts);
        record.check()?;
        Ok(record)
    }

    /// Returns the record with these numbers, unchecked.
    pub(super) fn of_sums(counts: &[u64; Self::N_COUNTS]) -> Self {
        let mut record = Self::empty();
        for ((_, field), &count) in record.fields_mut().into_iter().zip(counts) {
            *field = count;
        }
        record
    }

    /// All numbers with their names: the one place that lists them.
    fn fields_mut(&mut self) -> Vec<(&'static str, &mut u64)> {
        let Self { games, forced, events, surprise, depth_changes, depth_change_sum, .. } = self;
        let mut fields = vec![("games", games), ("forced", forced)];
        fields.extend(MoveEvent::ALL.map(MoveEvent::name).into_iter().zip(events));
        fields.push(("surprise", surprise));
        fields.push(("depth_changes", depth_changes));
        fields.push(("depth_change_sum", depth_change_sum));
        fields.extend(self.exact.fields_mut());
        fields.extend(self.estimated.fields_mut());
        fields
    }
}

/// The most moves that one player makes in a game: no more than there are empty squares at the
/// start.
const MAX_MOVES: u64 = 60;

/// The games of a record that is read: far below what could overflow a sum.
const MAX_GAMES: u64 = 1_000_000;

/// Events that happen only with another one.
const IMPLIED: [(MoveEvent, MoveEvent); 7] = [
    (MoveEvent::CornerLeft, MoveEvent::CornerChance),
    (MoveEvent::CornerDeclined, MoveEvent::CornerLeft),
    (MoveEvent::CornerGiven, MoveEvent::CornerOpened),
    (MoveEvent::OutsideFirst, MoveEvent::Ranked),
    (MoveEvent::OutsideThird, MoveEvent::OutsideFirst),
    (MoveEvent::Agreed, MoveEvent::Compared),
    (MoveEvent::TooAdvanced, MoveEvent::Leveled),
];

impl GameNaturalness {
    /// Checks that games may have these numbers.
    fn check(&self) -> Result<(), DecodeError> {
        if self.games == 0 || MAX_GAMES < self.games {
            let expected = format!("from 1 to {MAX_GAMES}");
            return Err(DecodeError::field("games", &self.games, expected));
        }
        let most = self.games * MAX_MOVES;
        at_most("forced", self.forced, most, "60 per game")?;
        let judged = self.exact.moves().saturating_add(self.estimated.moves());
        let moves = judged.saturating_add(self.forced);
        at_most("moves", moves, most, "60 per game")?;
        self.exact.check()?;
        self.estimated.check()?;
        self.check_events(judged)?;
        let compared = self.count(MoveEvent::Compared);
        at_most("surprise", self.surprise, compared * MAX_SURPRISE, "27 nats per compared move")?;
        at_most("depth_changes", self.depth_changes, moves, "one per move")?;
        let deepest = self.depth_changes * u64::from(DepthCap::MAX);
        at_most("depth_change_sum", self.depth_change_sum, deepest, "60 plies per change")
    }

    fn check_events(&self, judged: u64) -> Result<(), DecodeError> {
        for event in MoveEvent::ALL {
            at_most(event.name(), self.count(event), judged, "one per judged move")?;
        }
        for (event, other) in IMPLIED {
            at_most(event.name(), self.count(event), self.count(other), other.name())?;
        }
        let [x_squares, c_squares] =
            [MoveEvent::XSquare, MoveEvent::CSquare].map(|it| self.count(it));
        at_most("c_square", c_squares, judged - x_squares, "the moves without x_square")?;
        for event in [MoveEvent::CornerDeclined, MoveEvent::CornerGiven] {
            let losing = self.n_from(CORNER_BINS);
            at_most(event.name(), self.count(event), losing, "the moves with such a loss")?;
        }
        let flips = self.count(MoveEvent::ResultFlip);
        at_most("result_flip", flips, self.exact.moves(), "the exact moves")?;
        at_most("result_flip", flips, self.exact.loss(), "one per lost disc")
    }
}

fn at_most(
    field: &'static str,
    value: u64,
    limit: u64,
    what: &'static str,
) -> Result<(), DecodeError> {
    if value <= limit {
        return Ok(());
    }
    Err(DecodeError::field(field, &value, format!("at most {limit}: {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_a_place() {
        assert_eq!(GameNaturalness::begin().fields_mut().len(), GameNaturalness::N_COUNTS);
    }

    #[test]
    fn depths_count_by_their_changes() {
        let depths = [5, 25, 9, 9].map(|plies| DepthCap::new(plies).unwrap());
        let mut game = GameNaturalness::begin();
        game.add_depths(&depths);
        game.add_depths(&depths[..1]);
        game.add_depths(&[]);
        assert_eq!(game.depth_changes(), (20 + 16, 3));
        game.add_depths(&[depths[0], DepthCap::UNCAPPED]);
        assert_eq!(game.depth_changes(), (36 + 55, 4));
    }

    /// Returns the error for a game with two moves after one number was changed. One move in this
    /// game loses 4 discs when the player is 70 ahead.
    fn refusal(field: &str, value: u64) -> String {
        let mut game = GameNaturalness::begin();
        game.exact.add(70, 4);
        game.exact.add(64, 0);
        assert!(GameNaturalness::from_counts(&game.counts()).is_ok());
        for (name, count) in game.fields_mut() {
            if name == field {
                *count = value;
                break;
            }
        }
        GameNaturalness::from_counts(&game.counts()).unwrap_err().to_string()
    }

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        for (field, value) in [
            ("games", 0),
            ("games", 1_000_001),
            ("forced", 61),
            ("forced", u64::MAX),
            ("surprise", 1),
            ("depth_changes", 3),
            ("depth_change_sum", 1),
            ("exact.moves", 3),
            ("exact.advantage", 257),
            ("exact.bins", u64::MAX),
            ("estimated.moves", 1),
        ] {
            let error = refusal(field, value);
            let named = field.trim_end_matches("bins").trim_end_matches('.');
            assert!(error.contains(named) && error.contains(" is "), "{field}: {error}");
        }
        assert!(refusal("forced", 59).starts_with("moves is 61, but must be at most 60"));
        for event in MoveEvent::ALL {
            let error = refusal(event.name(), 3);
            assert!(error.starts_with(event.name()), "{error}");
        }
        for (event, _) in IMPLIED {
            let error = refusal(event.name(), 1);
            assert!(error.starts_with(event.name()), "{error}");
        }
    }

    #[test]
    fn lists_of_another_length_are_refused() {
        let counts = GameNaturalness::begin().counts();
        for wrong in [&counts[1..], &[], &[&counts[..], &[0]].concat()] {
            let error = GameNaturalness::from_counts(wrong).unwrap_err().to_string();
            assert!(error.starts_with("number of naturalness counts is "), "{error}");
        }
    }
}
