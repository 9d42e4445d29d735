//! Training samples: the decisions of recorded games.

use crate::record::{GameRecord, MAX_PLACEMENTS, RecordError};
use crate::rules::{
    Action, Game, GameDeck, GameEvent, GameOutcome, GamePiece, GameWatcher, PieceId, Player,
};

/// The most decisions of training games.
pub const MAX_DECISIONS: u32 = 1 << 30;

/// Recorded games. Each game was replayed once and is legal.
///
/// Nothing but records is kept, some 100 bytes a game: a decision is replayed when it is asked for,
/// which takes a few microseconds. A row of its features would be 22 kB.
#[derive(Clone, Debug)]
pub struct TrainingGames<'a> {
    decks: Vec<&'a GameDeck>,
    games: Vec<TrainingGame>,
    n_decisions: u32,
}

/// A game with its outcome and the players of its plies.
#[derive(Clone, Debug)]
pub(super) struct TrainingGame {
    record: GameRecord,
    outcome: GameOutcome,
    /// The number of the first decision.
    first: u32,
    /// The plies of player B: bit number `i` is that of ply `i`, counted from 0.
    plies_of_b: u32,
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
        for record in records {
            games.push(record)?;
        }
        Ok(games)
    }

    /// Replays a record, and adds it to the games.
    ///
    /// # Errors
    /// If the record is illegal, ends too early or names no deck, or there are too many decisions:
    /// then the games are as they were.
    ///
    /// # Panics
    /// Never: a replay reaches the end of a game.
    pub fn push(&mut self, record: GameRecord) -> Result<(), SampleError> {
        let (number, decks) = (self.games.len(), self.decks.len());
        if let Some(&deck) = record.decks.iter().find(|deck| decks <= usize::from(**deck)) {
            return Err(SampleError::NoDeck { record: number, deck, decks });
        }
        let mut plies = PliesOfB::default();
        let replayed = record.replay(self.decks_of(&record), &mut plies);
        let replayed = replayed.map_err(|source| SampleError::Record { record: number, source })?;
        let outcome = replayed.outcome().expect("a replay reaches the end of the game");
        let first = self.n_decisions;
        let n_plies = u32::try_from(record.actions.len()).unwrap_or(MAX_DECISIONS);
        let n_decisions = first.saturating_add(n_plies);
        if MAX_DECISIONS < n_decisions {
            return Err(SampleError::TooMany { record: number });
        }
        self.n_decisions = n_decisions;
        self.games.push(TrainingGame { record, outcome, first, plies_of_b: plies.of_b });
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
        let (TrainingGame { record, outcome, .. }, ply) = self.locate(number);
        let mut game = Game::start(self.decks_of(record), record.start);
        let (before, rest) = record.actions.split_at(ply);
        for &action in before {
            game.play(action, &mut ()).expect("the record was replayed");
        }
        Decision { game, chosen: rest[0], outcome: *outcome }
    }

    /// Returns the games.
    pub(super) fn games(&self) -> &[TrainingGame] {
        &self.games
    }

    /// Returns the game of decision number `number`, and the ply in it, counted from 0.
    ///
    /// # Panics
    /// If there are not so many decisions.
    pub(super) fn locate(&self, number: u32) -> (&TrainingGame, usize) {
        assert!(number < self.n_decisions, "decision {number} of {}", self.n_decisions);
        let after = self.games.partition_point(|game| game.first <= number);
        let game = &self.games[after - 1];
        (game, (number - game.first) as usize)
    }

    /// Returns the start of a game.
    pub(super) fn start(&self, game: &TrainingGame) -> Game<'a> {
        Game::start(self.decks_of(&game.record), game.record.start)
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

impl TrainingGame {
    /// Returns the actions, ply by ply.
    pub(super) fn actions(&self) -> &[Action] {
        &self.record.actions
    }

    /// Returns the outcome.
    pub(super) const fn outcome(&self) -> GameOutcome {
        self.outcome
    }

    /// Returns the number of the first decision.
    pub(super) const fn first(&self) -> u32 {
        self.first
    }

    /// Returns the player of a ply, counted from 0.
    pub(super) const fn player(&self, ply: usize) -> Player {
        if self.plies_of_b >> ply & 1 == 0 { Player::A } else { Player::B }
    }
}

/// Notes the plies of player B.
#[derive(Default)]
struct PliesOfB {
    n_plies: u32,
    of_b: u32,
}

/// A game has a bit for each ply.
const _: () = assert!(MAX_PLACEMENTS <= 32);

impl GameWatcher for PliesOfB {
    fn event(&mut self, event: GameEvent) {
        let GameEvent::Placed { player, .. } = event else { return };
        self.of_b |= u32::from(player == Player::B) << self.n_plies;
        self.n_plies += 1;
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
