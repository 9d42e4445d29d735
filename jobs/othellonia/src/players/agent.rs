//! Agents that need nothing but the game and a random stream.

use hatchery_core::{FastRng, WireValue};

use super::rule::{self, RuleAgent};
use crate::rules::{Action, Game, GameOutcome, GameWatcher};

/// An agent that needs nothing but the game and a random stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = AgentForm)]
pub enum GameAgent {
    /// Plays every legal action with the same probability.
    Random,
    /// Plays by a table of scores.
    Rule(RuleAgent),
    /// Plays the action with the best score of the table, less half the score of the enemy's best
    /// reply.
    Lookahead,
}

impl GameAgent {
    /// Chooses an action of a game that is not over. If it is over, no action is legal, and the
    /// result has no meaning.
    pub fn choose(&self, game: &Game<'_>, rng: &mut FastRng) -> Action {
        let action = match self {
            Self::Random => random_action(game, rng),
            Self::Rule(rule) => rule.choose(game, rng),
            Self::Lookahead => rule::look_ahead(game),
        };
        action.unwrap_or(FIRST_ACTION)
    }
}

/// Plays a game to its end, and returns its outcome. The first agent plays A, the second agent B.
///
/// # Panics
/// Never: agents choose legal actions as long as the game is not over.
pub fn play_out(
    game: &mut Game<'_>,
    agents: [GameAgent; 2],
    rng: &mut FastRng,
    watcher: &mut impl GameWatcher,
) -> GameOutcome {
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let action = agents[game.state().to_move.index()].choose(game, rng);
        game.play(action, watcher).expect("agents choose legal actions");
    }
}

/// A [`GameAgent`] on the wire.
#[derive(WireValue)]
struct AgentForm {
    /// 0: random, 1: by rule, 2: look-ahead.
    #[wire(tag = 1, range(max = 2))]
    kind: u32,
    /// The temperature of a rule-based agent.
    #[wire(tag = 2, range(max = RuleAgent::MAX_TEMPERATURE))]
    temperature: u32,
}

impl From<&GameAgent> for AgentForm {
    fn from(agent: &GameAgent) -> Self {
        let (kind, temperature) = match agent {
            GameAgent::Random => (0, 0),
            GameAgent::Rule(RuleAgent { temperature }) => (1, *temperature),
            GameAgent::Lookahead => (2, 0),
        };
        Self { kind, temperature }
    }
}

impl From<AgentForm> for GameAgent {
    fn from(AgentForm { kind, temperature }: AgentForm) -> Self {
        match kind {
            0 => Self::Random,
            1 => Self::Rule(RuleAgent { temperature }),
            _ => Self::Lookahead,
        }
    }
}

/// The action number 0, for games without a legal one.
const FIRST_ACTION: Action = match Action::from_byte(0) {
    Some(action) => action,
    None => panic!("byte 0 stands for an action"),
};

fn random_action(game: &Game<'_>, rng: &mut FastRng) -> Option<Action> {
    let state = game.state();
    let hand = state.player(state.to_move).hand.iter().flatten().count();
    let n_actions = state.legal.len() * u32::try_from(hand).ok()?;
    game.actions().nth(rng.below(n_actions) as usize)
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks};
    use crate::pool::PiecePool;
    use crate::rules::{GameDeck, GameStart, Player};

    const AGENTS: [GameAgent; 5] = [
        GameAgent::Random,
        GameAgent::Rule(RuleAgent::NOVICE),
        GameAgent::Rule(RuleAgent::STANDARD),
        GameAgent::Rule(RuleAgent::HARD),
        GameAgent::Lookahead,
    ];

    fn rng(label: &str) -> FastRng {
        FastRng::seeded_by(&mut RunSeed::new("agents", 1).generation(0).stream(label))
    }

    fn decks() -> [GameDeck; 3] {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).unwrap())
    }

    /// Calls `look` with every state in some games. In these games, an agent plays against itself;
    /// every agent has its turn.
    fn each_state(mut look: impl FnMut(&Game<'_>, GameAgent)) {
        let decks = decks();
        for agent in AGENTS {
            let mut rng = rng("states");
            for seed in 0..3 {
                let start = GameStart { seed, first: Player::A };
                let mut game = Game::start([&decks[0], &decks[1]], start);
                while game.outcome().is_none() {
                    look(&game, agent);
                    let action = agent.choose(&game, &mut rng);
                    game.play(action, &mut ()).unwrap();
                }
                agent.choose(&game, &mut rng);
            }
        }
    }

    #[test]
    fn agents_choose_legal_actions() {
        each_state(|game, agent| {
            let action = agent.choose(game, &mut rng("choice"));
            assert!(game.actions().any(|legal| legal == action), "{agent:?} plays {action}");
        });
    }

    #[test]
    fn random_actions_are_uniform() {
        let decks = decks();
        let start = GameStart { seed: 1, first: Player::B };
        let game = Game::start([&decks[0], &decks[1]], start);
        let mut counts = [0_u32; Action::COUNT as usize];
        let mut rng = rng("uniform");
        for _ in 0..16_000 {
            counts[usize::from(GameAgent::Random.choose(&game, &mut rng).to_byte())] += 1;
        }
        // Chi-square with 15 degrees of freedom; 37.7 is passed by chance once in 1,000 seeds.
        let off = game.actions().map(|action| {
            let off = f64::from(counts[usize::from(action.to_byte())]) - 1_000.0;
            off * off / 1_000.0
        });
        let (n_actions, chi_square) = (game.actions().count(), off.sum::<f64>());
        assert!(n_actions == 16 && chi_square < 37.7, "{chi_square} of {n_actions} actions");
    }

    /// Two games that differ only in the order of what is not drawn yet.
    #[test]
    fn the_order_of_the_deck_is_not_seen() {
        let decks = decks();
        let games =
            |seed| Game::start([&decks[0], &decks[1]], GameStart { seed, first: Player::A });
        // The first player has drawn nothing yet; the hands are the same if the first four are.
        let hands = |game: &Game<'_>| Player::ALL.map(|player| game.state().player(player).hand);
        let order = |game: &Game<'_>| game.state().player(Player::B).order;
        let mut compared = 0;
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..200_000 {
            let game = games(seed);
            let Some(earlier) = seen.insert(hands(&game), seed) else { continue };
            let earlier = games(earlier);
            assert_ne!(order(&game), order(&earlier));
            for agent in AGENTS {
                let actions = [&game, &earlier].map(|game| agent.choose(game, &mut rng("order")));
                assert_eq!(actions[0], actions[1], "{agent:?}");
            }
            compared += 1;
        }
        assert!(compared != 0, "no two games with the same hands");
    }
}
