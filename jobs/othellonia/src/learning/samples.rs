//! Training samples: the decisions of recorded games.

use crate::record::{GameRecord, RecordError};
use crate::rules::{
    Action, Game, GameDeck, GameEvent, GameOutcome, GamePiece, GameWatcher, PieceId,
};

/// The most decisions of training games.
pub const MAX_DECISIONS: u32 = 1 << 30;

/// Recorded games, each of which was replayed once and is legal.
///
/// Nothing but records is kept, some 100 bytes a game: a decision is replayed when it is asked for,
/// which takes a few microseconds. A row of its features would be 22 kB.
#[derive(Clone, Debug)]
pub struct TrainingGames<'a> {
    decks: Vec<&'a GameDeck>,
    games: Vec<TrainingGame>,
    n_decisions: u32,
}

#[derive(Clone, Debug)]
struct TrainingGame {
    record: GameRecord,
    outcome: GameOutcome,
    /// The number of the first decision.
    first: u32,
}

/// A decision of a game: the game before it, and what was chosen.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The game before the placement.
    pub game: Game<'a>,
    /// The action that its player chose.
    pub chosen: Action,
    /// The outcome of the game, which the player did not know.
    pub outcome: GameOutcome,
}

impl<'a> TrainingGames<'a> {
    /// Replays the records, and returns them as training games. Records name decks by their index
    /// in `decks`.
    ///
    /// # Errors
    /// If a record is illegal, ends too early or names no deck, or there are too many decisions.
    pub fn new(
        decks: impl IntoIterator<Item = &'a GameDeck>,
        records: impl IntoIterator<Item = GameRecord>,
    ) -> Result<Self, SampleError> {
        let decks: Vec<_> = decks.into_iter().collect();
        let mut games = Self { decks, games: Vec::new(), n_decisions: 0 };
        for (number, record) in records.into_iter().enumerate() {
            games.push(number, record)?;
        }
        Ok(games)
    }

    fn push(&mut self, number: usize, record: GameRecord) -> Result<(), SampleError> {
        let decks = self.decks.len();
        if let Some(&deck) = record.decks.iter().find(|deck| decks <= usize::from(**deck)) {
            return Err(SampleError::NoDeck { record: number, deck, decks });
        }
        let replayed = record.replay(self.decks_of(&record), &mut ());
        let replayed = replayed.map_err(|source| SampleError::Record { record: number, source })?;
        let outcome = replayed.outcome().expect("a replay reaches the end of the game");
        let first = self.n_decisions;
        let n_plies = u32::try_from(record.actions.len()).unwrap_or(MAX_DECISIONS);
        self.n_decisions = first.saturating_add(n_plies);
        if MAX_DECISIONS < self.n_decisions {
            return Err(SampleError::TooMany { record: number });
        }
        self.games.push(TrainingGame { record, outcome, first });
        Ok(())
    }

    /// Returns the number of games.
    #[must_use]
    pub const fn n_games(&self) -> usize {
        self.games.len()
    }

    /// Returns the number of decisions: of placements in all games.
    #[must_use]
    pub const fn n_decisions(&self) -> u32 {
        self.n_decisions
    }

    /// Returns the decks that records name.
    #[must_use]
    pub fn decks(&self) -> &[&'a GameDeck] {
        &self.decks
    }

    /// Returns decision number `number`, in the order of records and their plies.
    ///
    /// # Panics
    /// If there are not so many decisions.
    #[must_use]
    pub fn decision(&self, number: u32) -> Decision<'a> {
        assert!(number < self.n_decisions, "decision {number} of {}", self.n_decisions);
        let after = self.games.partition_point(|game| game.first <= number);
        let TrainingGame { record, outcome, first } = &self.games[after - 1];
        let mut game = Game::start(self.decks_of(record), record.start);
        let (before, rest) = record.actions.split_at((number - first) as usize);
        for &action in before {
            game.play(action, &mut ()).expect("the record was replayed");
        }
        Decision { game, chosen: rest[0], outcome: *outcome }
    }

    /// Returns for each of `kinds` kinds how often its pieces were placed; pieces beyond are left
    /// out.
    ///
    /// # Panics
    /// Never: the records were replayed.
    #[must_use]
    pub fn placements(&self, kinds: usize) -> Vec<u64> {
        let mut counts = PlacementCounts { kinds: vec![0; kinds], decks: [&[]; 2] };
        for TrainingGame { record, .. } in &self.games {
            let decks = self.decks_of(record);
            counts.decks = decks.map(|deck| deck.pieces().as_slice());
            record.replay(decks, &mut counts).expect("the record was replayed");
        }
        counts.kinds
    }

    fn decks_of(&self, record: &GameRecord) -> [&'a GameDeck; 2] {
        record.decks.map(|deck| self.decks[usize::from(deck)])
    }
}

/// Counts placements by kind.
struct PlacementCounts<'a> {
    kinds: Vec<u64>,
    decks: [&'a [GamePiece]; 2],
}

impl GameWatcher for PlacementCounts<'_> {
    fn event(&mut self, event: GameEvent) {
        let GameEvent::Placed { player, piece, .. } = event else { return };
        let PieceId(kind) = self.decks[player.index()][usize::from(piece)].id;
        if let Some(count) = self.kinds.get_mut(usize::from(kind)) {
            *count += 1;
        }
    }
}

/// Records that are no games to learn from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// A record is no game of its decks.
    #[error("record {record} is no game")]
    Record {
        /// The number of the record, counted from 0.
        record: usize,
        /// The reason.
        source: RecordError,
    },
    /// A record names a deck that is not there.
    #[error("record {record} has deck {deck}, but there are {decks} decks")]
    NoDeck {
        /// The number of the record, counted from 0.
        record: usize,
        /// The deck that it names.
        deck: u16,
        /// The number of decks.
        decks: usize,
    },
    /// The records have too many decisions.
    #[error("record {record} goes beyond {MAX_DECISIONS} decisions")]
    TooMany {
        /// The number of the record, counted from 0.
        record: usize,
    },
}
