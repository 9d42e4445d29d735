//! Transitions: a decision, and what its player gets from it or decides next.

use hatchery_nets::InputBatch;

use super::items::Item;
use super::settings::{ReinforcementSettings, Returns};
use crate::features::{FeatureError, FeatureLayout, Information, SparseRow};
use crate::learning::samples::{TrainingGame, TrainingGames};
use crate::rules::{Action, Game};

/// The successor of a decision: the value of its action is learned towards that of this one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Successor {
    /// A later decision of the player, whose value counts with a factor.
    Decision {
        /// The ply, counted from 0.
        ply: usize,
        /// The factor: the discount to the power of the number of own decisions until it.
        discount: f64,
    },
    /// The end of the game.
    End {
        /// The value: 1 for a win, 0.5 for a draw and 0 for a loss, times the discount to the power
        /// of the number of own decisions after this one. So the last one has the plain result.
        value: f64,
    },
}

impl Successor {
    /// Returns what follows the decision at a ply of a game. Passes and the enemy's decisions do
    /// not count: a value is discounted once for each own decision.
    pub(super) fn of(game: &TrainingGame, ply: usize, settings: &ReinforcementSettings) -> Self {
        let ReinforcementSettings { discount, returns, .. } = *settings;
        let player = game.player(ply);
        let own = (ply + 1..game.actions().len()).filter(|ply| game.player(*ply) == player);
        let most = match returns {
            Returns::Steps(steps) => usize::from(steps),
            Returns::End => usize::MAX,
        };
        let (mut n, mut factor) = (0, 1.0);
        for ply in own {
            (n, factor) = (n + 1, factor * discount);
            if n == most {
                return Self::Decision { ply, discount: factor };
            }
        }
        let result = match game.outcome().winner {
            Some(winner) if winner == player => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        };
        Self::End { value: factor * result }
    }
}

/// The rows of some transitions.
#[derive(Debug)]
pub(super) struct TransitionBatch {
    /// The states of the decisions, each with the action that was chosen.
    pub(super) decisions: InputBatch,
    /// The states of the decisions that follow, each with all legal actions.
    pub(super) next: InputBatch,
    /// The successor of each decision. Successors that are a [`Successor::Decision`] have a state
    /// in `next`, in the same order.
    pub(super) successors: Vec<Successor>,
    row: SparseRow,
}

impl TransitionBatch {
    /// Returns an empty batch of rows of this layout.
    pub(super) fn new(layout: &FeatureLayout<'_>) -> Self {
        let empty = || InputBatch::new(layout.state_len(), layout.action_len());
        Self {
            decisions: empty(),
            next: empty(),
            successors: Vec::new(),
            row: SparseRow::default(),
        }
    }

    /// Removes all transitions; keeps the memory.
    pub(super) fn clear(&mut self) {
        self.decisions.clear();
        self.next.clear();
        self.successors.clear();
    }

    /// Adds the transition from an item. Its game is played once, as far as the decision that
    /// follows.
    pub(super) fn push(
        &mut self,
        games: &TrainingGames<'_>,
        item: Item,
        settings: &ReinforcementSettings,
        (layout, information): (&FeatureLayout<'_>, Information),
    ) -> Result<(), FeatureError> {
        let (record, ply) = games.locate(item);
        let mut game = games.start(record);
        play(&mut game, &record.actions()[..ply]);
        push_state(&mut self.decisions, &mut self.row, &game, (layout, information))?;
        layout.sparse_action(&game, record.actions()[ply], &mut self.row)?;
        self.decisions.push_action(self.row.entries());
        let successor = Successor::of(record, ply, settings);
        self.successors.push(successor);
        let Successor::Decision { ply: next_ply, .. } = successor else { return Ok(()) };
        play(&mut game, &record.actions()[ply..next_ply]);
        push_state(&mut self.next, &mut self.row, &game, (layout, information))?;
        for action in game.actions() {
            layout.sparse_action(&game, action, &mut self.row)?;
            self.next.push_action(self.row.entries());
        }
        Ok(())
    }
}

fn push_state(
    batch: &mut InputBatch,
    row: &mut SparseRow,
    game: &Game<'_>,
    (layout, information): (&FeatureLayout<'_>, Information),
) -> Result<(), FeatureError> {
    layout.sparse_state(game, information, row)?;
    batch.push_state(row.entries());
    Ok(())
}

fn play(game: &mut Game<'_>, actions: &[Action]) {
    for &action in actions {
        game.play(action, &mut ()).expect("the record was replayed");
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{FastRng, RunSeed};

    use super::*;
    use crate::features::PieceEncoding;
    use crate::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks};
    use crate::players::GameAgent;
    use crate::pool::PiecePool;
    use crate::record::GameRecord;
    use crate::rules::{GameDeck, GameStart, Player};

    /// Decks of so many HP that the board gets full, with passes before.
    fn decks() -> [GameDeck; 3] {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        shipped_decks().map(|deck| {
            let mut pieces = deck.build(&pool, DEFAULT_COST_CAP).unwrap().pieces().clone();
            pieces.iter_mut().for_each(|piece| piece.hp = 9_999);
            GameDeck::new(pieces, 0).unwrap()
        })
    }

    /// Returns 40 random games, with the player at every ply.
    fn random_games(decks: &[GameDeck; 3]) -> (TrainingGames<'_>, Vec<Vec<Player>>) {
        let stream = RunSeed::new("transitions", 1).generation(0).stream("games");
        let mut rng = FastRng::seeded_by(&mut stream.part(0));
        let (mut games, mut players) = (TrainingGames::new(decks, []).unwrap(), Vec::new());
        for seed in 0..40 {
            let start =
                GameStart { seed, first: if seed % 2 == 0 { Player::A } else { Player::B } };
            let mut game = Game::start([&decks[0], &decks[2]], start);
            let (mut actions, mut of_game) = (Vec::new(), Vec::new());
            while game.outcome().is_none() {
                of_game.push(game.state().to_move);
                actions.push(GameAgent::Random.choose(&game, &mut rng));
                game.play(*actions.last().unwrap(), &mut ()).unwrap();
            }
            games.push(GameRecord { decks: [0, 2], start, actions }).unwrap();
            players.push(of_game);
        }
        (games, players)
    }

    fn settings(returns: Returns) -> ReinforcementSettings {
        ReinforcementSettings { returns, discount: 0.9, ..ReinforcementSettings::default() }
    }

    /// Returns the value of the result of a game for `player`.
    fn result(game: &TrainingGame, player: Player) -> f64 {
        game.outcome().winner.map_or(0.5, |winner| if winner == player { 1.0 } else { 0.0 })
    }

    #[test]
    fn the_players_next_decision_follows_whatever_lies_between() {
        let decks = decks();
        let (games, players) = random_games(&decks);
        let mut n_after_pass = 0;
        for (game, players) in games.games().iter().zip(players) {
            for (ply, &player) in players.iter().enumerate() {
                assert_eq!(game.player(ply), player);
                let next = (ply + 1..players.len()).find(|&later| players[later] == player);
                let expected = match next {
                    Some(ply) => Successor::Decision { ply, discount: 0.9 },
                    None => Successor::End { value: result(game, player) },
                };
                assert_eq!(Successor::of(game, ply, &settings(Returns::Steps(1))), expected);
                n_after_pass += usize::from(next.is_some_and(|next| next != ply + 2));
            }
        }
        assert!(10 < n_after_pass, "{n_after_pass} decisions before a pass");
    }

    #[test]
    fn a_value_is_discounted_once_for_each_own_decision() {
        let decks = decks();
        let (games, _) = random_games(&decks);
        for game in games.games() {
            for ply in 0..game.actions().len() {
                let player = game.player(ply);
                let own = (ply + 1..game.actions().len()).filter(|at| game.player(*at) == player);
                let own: Vec<_> = own.collect();
                let end = |n: usize| (0..n).fold(result(game, player), |value, _| 0.9 * value);
                let found = [Returns::Steps(3), Returns::End]
                    .map(|returns| Successor::of(game, ply, &settings(returns)));
                for successor in found {
                    match successor {
                        Successor::Decision { ply, discount } => {
                            assert!(ply == own[2] && (discount - 0.729).abs() < 1e-12);
                            assert_eq!(successor, found[0], "only steps end early");
                        }
                        Successor::End { value } => {
                            assert!((value - end(own.len())).abs() < 1e-12, "{value}");
                            assert!(successor == found[1] || own.len() < 3);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_those_of_the_player_who_decides() {
        let decks = decks();
        let (games, _) = random_games(&decks);
        let layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
        let settings = settings(Returns::Steps(1));
        let mut batch = TransitionBatch::new(&layout);
        let seen = (&layout, Information::Own);
        for item in (0..games.n_decisions()).step_by(7) {
            batch.push(&games, item, &settings, seen).unwrap();
        }
        let (mut row, mut state, mut first) = (SparseRow::default(), 0, 0);
        for (at, item) in (0..games.n_decisions()).step_by(7).enumerate() {
            let decision = games.decision(item);
            let player = decision.game.state().to_move;
            layout.sparse_state(&decision.game, Information::Own, &mut row).unwrap();
            assert_eq!(batch.decisions.states.row(at), row.entries());
            layout.sparse_action(&decision.game, decision.chosen, &mut row).unwrap();
            assert_eq!(batch.decisions.actions.row(at), row.entries());
            let (game, _) = games.locate(item);
            let Successor::Decision { ply, .. } = batch.successors[at] else { continue };
            let next = games.decision(game.first() + u32::try_from(ply).unwrap());
            assert_eq!(next.game.state().to_move, player);
            layout.sparse_state(&next.game, Information::Own, &mut row).unwrap();
            assert_eq!(batch.next.states.row(state), row.entries());
            for action in next.game.actions() {
                layout.sparse_action(&next.game, action, &mut row).unwrap();
                assert_eq!(batch.next.actions.row(first), row.entries());
                assert_eq!(batch.next.state_of[first] as usize, state);
                first += 1;
            }
            state += 1;
        }
        assert_eq!([state, first], [batch.next.states.n_rows(), batch.next.n_rows()]);
    }
}
