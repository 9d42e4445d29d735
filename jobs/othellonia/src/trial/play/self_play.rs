//! Games of a learner: with decks and opponents that are drawn at random, and with exploration.

use std::ops::ControlFlow;

use hatchery_core::{FastRng, StreamRng, TrialContext};

use super::agents::{HAS_ACTION, ReadyAgent, ReadyModels};
use super::{half_points, pair_of_starts, play_game};
use crate::players::model::{AgentModel, ModelBuffers};
use crate::record::GameRecord;
use crate::rules::{Game, Player};
use crate::trial::setup::{DeckTable, SelfPlayOpponents};

/// The parts of a stream of games: the choice of decks and opponents, and then each pair.
const CHOICES: u64 = 0;
const FIRST_PAIR: u64 = 1;

/// Pairs of games between a learner, which is player A, and its opponents.
pub(crate) struct SelfPlay<'a> {
    table: &'a DeckTable,
    n_decks: u16,
    opponents: Vec<ReadyAgent>,
    epsilon: u32,
    choices: FastRng,
    stream: StreamRng,
    n_pairs: u64,
}

/// A game of a learner.
pub(crate) struct SelfPlayGame {
    pub(crate) record: GameRecord,
    /// The half points of the learner: 2 for a win.
    pub(crate) half_points: u8,
}

impl<'a> SelfPlay<'a> {
    /// Returns games with the first `n_decks` decks of `table`, whose random numbers are parts of
    /// `stream`. A model that does not fit ends the trial.
    ///
    /// # Panics
    /// If the table has fewer decks: a plan names decks of its own table only.
    pub(crate) fn prepare(
        table: &'a DeckTable,
        n_decks: u16,
        opponents: &SelfPlayOpponents,
        stream: StreamRng,
        context: &TrialContext<'_>,
    ) -> Self {
        let decks: Vec<_> = table.decks()[..usize::from(n_decks)].iter().collect();
        let mut models = ReadyModels::new(&decks, context);
        let agents = opponents.agents.iter();
        Self {
            table,
            n_decks,
            opponents: agents.map(|agent| ReadyAgent::prepare(agent, &mut models)).collect(),
            epsilon: opponents.epsilon,
            choices: FastRng::seeded_by(&mut stream.part(CHOICES)),
            stream,
            n_pairs: 0,
        }
    }

    /// Plays two games with the same decks, opponent and shuffles. The learner places first in only
    /// one game. The buffers come from the learner's model. Calls `pulse` before each game, and
    /// returns `None` if it breaks.
    pub(crate) fn play(
        &mut self,
        learner: &AgentModel,
        buffers: &mut ModelBuffers,
        mut pulse: impl FnMut() -> ControlFlow<()>,
    ) -> Option<Vec<SelfPlayGame>> {
        let Self { table, n_decks, opponents, epsilon, choices, stream, n_pairs } = self;
        let mut deck = || {
            let number = choices.below(u32::from(*n_decks));
            u16::try_from(number).expect("below the number of decks")
        };
        let decks = [deck(), deck()];
        let n_opponents = u32::try_from(opponents.len()).expect("at most 32 opponents");
        let opponent = &mut opponents[choices.below(n_opponents) as usize];
        let (starts, mut rng) = pair_of_starts(&mut stream.part(FIRST_PAIR + *n_pairs));
        *n_pairs += 1;
        let mut games = Vec::new();
        for start in starts {
            if pulse().is_break() {
                return None;
            }
            let choose = |game: &Game<'_>| match game.state().to_move {
                Player::A => learner.explore(game, buffers, &mut rng, *epsilon).expect(HAS_ACTION),
                Player::B => opponent.explore(game, &mut rng, *epsilon),
            };
            let (actions, outcome) = play_game(table.pair(decks), start, choose, &mut ());
            let record = GameRecord { decks, start, actions };
            games.push(SelfPlayGame { record, half_points: half_points(outcome) });
        }
        Some(games)
    }
}
