//! Checks the players: their actions are legal and repeatable, and some players are stronger than
//! others.

use crate::arena::{SeriesResult, play_series};
use crate::haggler::Haggler;
use hatchery_catan::Map;
use hatchery_catan::map::MapPolicy;
use hatchery_catan::players::{
    Agent, AgentPool, AnyPlayer, HandVisibility, MctsParams, PlannerParams, Player, SeatingOrder,
};
use hatchery_catan::rules::{
    Action, ChanceOutcome, GameMove, GameState, GameVariant, Island, LegalActions,
};
use hatchery_catan::streams::{FastRng, GameStreams};
use hatchery_catan::trial::game::{GameRecord, play, play_watched};
use hatchery_core::{RunSeed, StreamRng};

const TURN_CAP: u16 = 2_000;

const RANDOM: Agent = Agent::Random;
const WEIGHTED: Agent = Agent::Weighted;
const VALUE: Agent = Agent::Value;
const PLANNER: Agent = Agent::Planner(PlannerParams::VALUE);

fn mcts(playouts: u32) -> Agent {
    Agent::Mcts(MctsParams { playouts, ..MctsParams::default() })
}

fn stream(purpose: &str) -> StreamRng {
    RunSeed::new(purpose, 1).generation(0).stream("games")
}

/// Plays a game on its own random map and hands every move to `watch`, with the state before it.
/// As many play as there are players.
fn play_game<P: Player>(
    purpose: &str,
    game: u64,
    players: &mut [P],
    mut watch: impl FnMut(&Island, &GameState, GameMove),
) -> GameRecord {
    let mut rng = stream(purpose).part(game);
    let n_players = u8::try_from(players.len()).expect("four players at most");
    let variant = GameVariant { n_players, ..GameVariant::BASE };
    let island = Island::of_variant(MapPolicy::Free.draw(&mut rng), variant);
    let watch = |state: &GameState, step| watch(&island, state, step);
    play_watched(&island, players, &mut GameStreams::new(rng), TURN_CAP, watch)
}

/// An agent, or a player that offers trades.
#[expect(clippy::large_enum_variant, reason = "there are four of them")]
enum TestPlayer {
    Agent(AnyPlayer),
    Haggler(Haggler),
}

impl Player for TestPlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        match self {
            Self::Agent(player) => player.act(island, state, legal, stream),
            Self::Haggler(player) => player.act(island, state, legal, stream),
        }
    }
}

fn test_players(pool: &AgentPool, game: u64) -> Vec<TestPlayer> {
    pool.players(game).into_iter().map(TestPlayer::Agent).collect()
}

fn permuted(agents: &[Agent]) -> AgentPool {
    AgentPool { agents: agents.to_vec(), seating: SeatingOrder::Permuted }
}

/// Checks that every move of these players is legal, and that only the haggler offers a trade.
fn check_moves(purpose: &str, game: u64, players: &mut [TestPlayer]) {
    let mut replayed = None;
    play_game(purpose, game, players, |island, state, step| {
        let replayed = replayed.get_or_insert_with(|| GameState::new(island));
        assert_eq!(replayed, state);
        replayed.try_apply(island, step).expect("a player does what is legal");
    });
}

#[test]
fn players_do_what_is_legal() {
    let pool = permuted(&[VALUE, WEIGHTED, VALUE, RANDOM]);
    for game in 0..96 {
        check_moves("legal", game, &mut test_players(&pool, game));
    }
    let pool = permuted(&[mcts(3), VALUE, WEIGHTED, mcts(10)]);
    for game in 0..6 {
        check_moves("legal search", game, &mut test_players(&pool, game));
    }
    let public_planner = PlannerParams { sees: HandVisibility::Public, ..PlannerParams::VALUE };
    let public_planner = Agent::Planner(public_planner);
    for pool in [permuted(&[VALUE, mcts(2)]), permuted(&[PLANNER, RANDOM, public_planner])] {
        for game in 0..12 {
            check_moves("legal of few", game, &mut test_players(&pool, game));
        }
    }
}

#[test]
fn players_answer_offers() {
    let pool = permuted(&[VALUE, WEIGHTED, mcts(2), RANDOM]);
    for game in 0..12 {
        let mut players = test_players(&pool, game);
        players[pool.order(game)[0]] = TestPlayer::Haggler(Haggler);
        check_moves("answers", game, &mut players);
    }
}

#[test]
fn games_repeat() {
    let pool = permuted(&[mcts(10), VALUE, WEIGHTED, RANDOM]);
    for game in 0..4 {
        let island = Island::new(Map::RULEBOOK);
        let streams = GameStreams::new(stream("repeat").part(game));
        let mut players = pool.players(game);
        let first = play(&island, &mut players, &mut streams.clone(), TURN_CAP);
        // Players that have played before play no differently.
        let again = play(&island, &mut players, &mut streams.clone(), TURN_CAP);
        assert_eq!(first, again);
    }
}

/// Passes to `check` each state that the seat to act can win at once by an action without chance,
/// together with a function that says whether an action wins. Stops after `n_chances` such states.
fn check_chances(
    n_chances: u32,
    mut check: impl FnMut(&Island, &GameState, &dyn Fn(Action) -> bool),
) {
    let mut n_left = n_chances;
    for game in 0..4 * u64::from(n_chances) {
        let mut players = AgentPool::of(VALUE, 4).players(game);
        play_game("chances", game, &mut players, |island, state, _| {
            let wins = |action| {
                let mut state = *state;
                let step = GameMove { action, outcome: ChanceOutcome::Certain };
                state.try_apply(island, step).is_ok()
                    && state.winner() == Some(state.current_seat())
            };
            if n_left != 0 && state.legal_actions().iter().any(wins) {
                check(island, state, &wins);
                n_left -= 1;
            }
        });
    }
    assert_eq!(n_left, 0, "too few chances");
}

#[test]
fn players_that_think_win_when_they_can() {
    // The virtual wins of buildings would hide the findings of the search.
    let search =
        MctsParams { playouts: 200, settlement_wins: 0, city_wins: 0, ..MctsParams::default() };
    // The search may take an equally certain win that is one action further.
    let planner = Agent::Planner(PlannerParams::VALUE);
    for (agent, n_chances, bound) in
        [(VALUE, 100, 100), (planner, 100, 100), (Agent::Mcts(search), 20, 16)]
    {
        let mut streams = GameStreams::new(stream("decisions"));
        let mut n_taken = 0;
        check_chances(n_chances, |island, state, wins| {
            let mut player = agent.player();
            let action = player.act(island, state, &state.legal_actions(), &mut streams.policy[0]);
            n_taken += u32::from(wins(action));
        });
        assert!(bound <= n_taken, "{agent:?} takes {n_taken} of {n_chances} chances");
    }
}

#[test]
fn weighted_player_builds_when_he_can() {
    let (mut n_chances, mut n_built) = (0, 0);
    for game in 0..100 {
        let mut players = AgentPool::of(WEIGHTED, 4).players(game);
        play_game("builder", game, &mut players, |_, state, step| {
            let legal = state.legal_actions();
            if legal.settlements().is_empty() && legal.cities().is_empty() {
                return;
            }
            n_chances += 1;
            if matches!(step.action, Action::Settlement(_) | Action::City(_)) {
                n_built += 1;
            }
        });
    }
    // Other actions, about 10 of weight 1 each, come once in 1,000 chances.
    assert!(1_000 <= n_chances && n_chances - n_built <= n_chances / 100, "{n_built}/{n_chances}");
}

/// One agent against three others.
fn duel(agent: Agent, others: Agent, games: u64) -> SeriesResult {
    play_series(&AgentPool::one_against(agent, others), &stream("duel"), 0..games, TURN_CAP)
}

/// Players that are no stronger than the others win at most a quarter of the games. Such a player
/// exceeds each bound below for at most one seed in 1,000 (binomial).
#[test]
fn stronger_players_win_more() {
    for (agent, others, games, bound) in
        [(WEIGHTED, RANDOM, 960, 283), (VALUE, WEIGHTED, 48, 23), (mcts(10), RANDOM, 24, 14)]
    {
        let results = duel(agent, others, games);
        let wins: u64 = results.wins[0].iter().sum();
        assert!(bound <= wins, "{agent:?} against three {others:?}: {results:?}");
    }
}

#[test]
fn results_add_up() {
    let results = duel(WEIGHTED, RANDOM, 24);
    let pool = AgentPool::one_against(WEIGHTED, RANDOM);
    let halves = [0..12, 12..24].map(|games| play_series(&pool, &stream("duel"), games, TURN_CAP));
    assert_eq!(results.games, 24);
    assert_eq!(results.turns, halves[0].turns + halves[1].turns);
    let wins = halves.map(|half| half.wins.as_flattened().iter().sum::<u64>());
    assert_eq!(results.games - results.undecided(), wins.iter().sum::<u64>());
}
