//! Agents at play.

use hatchery_core::{RunSeed, Simulation, StreamRng, TrialContext};
use hatchery_othello::OthelloGames;
use hatchery_othello::players::{
    AdjustingAgent, AgentChoices, AgentPlayer, AgentSearch, DepthReading, DynamicSettings,
    MatchingRules, MctsAgent, OthelloAgent, OthelloGame, SearchSettings, SoftmaxSettings,
};
use hatchery_othello::record::transcript;
use hatchery_othello::rules::{
    BoardBackend, BoardJob, BoardOps, EndgameSolver, Position, ScoreRule, SolverOptions, dispatch,
};
use hatchery_othello::trial::opening::OpeningRule;
use hatchery_othello::trial::results::MatchResults;
use hatchery_othello::trial::setup::{MatchSetup, OpponentChange};
use hatchery_search::conformance::check_game;

pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("othello-tests", 1).generation(0).stream(label)
}

fn settings(playouts: u32, reading: DepthReading) -> SearchSettings {
    let exploration = std::f64::consts::FRAC_1_SQRT_2;
    SearchSettings { playouts, reading, plies_per_doubling: 4.0, exploration }
}

pub(crate) fn mcts(depth: u32, playouts: u32, reading: DepthReading) -> MctsAgent {
    MctsAgent::new(depth, settings(playouts, reading)).expect("it is in range")
}

pub(crate) fn choices(depths: &[u32]) -> AgentChoices {
    let agents = depths.iter().map(|&depth| mcts(depth, 30, DepthReading::TreeCap));
    AgentChoices::new(agents.collect()).expect("depths ascend")
}

pub(crate) fn all_kinds() -> Vec<OthelloAgent> {
    let search = mcts(6, 50, DepthReading::Horizon);
    let rules = MatchingRules { carry: true, ..MatchingRules::default() };
    vec![
        OthelloAgent::Random,
        OthelloAgent::Mcts(mcts(5, 40, DepthReading::DepthReached)),
        OthelloAgent::Mcts(mcts(9, 20, DepthReading::GrowingBudget)),
        OthelloAgent::Adjusting(AdjustingAgent { choices: choices(&[2, 5, 9]), rules }),
        OthelloAgent::Dynamic { search, settings: DynamicSettings::default() },
        OthelloAgent::Softmax { search, settings: SoftmaxSettings::default() },
        OthelloAgent::RandomAgent(choices(&[2, 5])),
        OthelloAgent::Solver { search, empties: 8 },
    ]
}

pub(crate) fn trial(agents: [OthelloAgent; 2], pairs: u32, label: &str) -> MatchResults {
    let opening = OpeningRule::random(6, 8).expect("it is in range");
    let setup = MatchSetup::new(agents, opening, pairs);
    OthelloGames::trial(&(), &setup, stream(label), &TrialContext::ALONE)
}

/// Openings and choices are the same as in a single pair, and neither agent remembers anything.
#[test]
fn an_opponent_changes_between_two_pairs() {
    let [before, after] =
        [(3, 10), (20, 200)].map(|(depth, playouts)| mcts(depth, playouts, DepthReading::TreeCap));
    let played = |opponent, change| {
        let opening = OpeningRule::random(6, 8).expect("it is in range");
        let agents = [OthelloAgent::Random, OthelloAgent::Mcts(opponent)];
        let setup = MatchSetup { change, ..MatchSetup::new(agents, opening, 7) };
        OthelloGames::trial(&(), &setup, stream("change"), &TrialContext::ALONE)
    };
    let [first, second] = [before, after].map(|agent| played(agent, None));
    let changed = played(before, Some(OpponentChange { after: 3, agent: after }));
    assert_eq!(changed.records[..3], first.records[..3]);
    assert_eq!(changed.records[3..], second.records[3..]);
    assert_ne!(first.records[3..], second.records[3..]);
    let [few, many, both] = [&first, &second, &changed].map(|it| it.efforts[1].playouts);
    assert!(few < both && both < many, "{few} {both} {many}");
    // A random agent learns nothing.
    assert!(changed.levels.is_empty() && changed.around_change.is_empty());
}

struct CheckGame(Position);

impl BoardJob for CheckGame {
    type Output = ();

    #[inline(always)]
    fn run<B: BoardOps>(self) {
        let game = OthelloGame::<B>::new(&self.0);
        assert_eq!(game.position(), self.0);
        check_game(&game, &stream("game"), 200).expect("it is a game");
    }
}

#[test]
fn othello_is_a_turn_game_on_every_code_path() {
    let blocked = "OOOOOOOO".to_owned() + &"X".repeat(8) + &"-".repeat(48) + " X";
    for backend in BoardBackend::available() {
        dispatch(backend, CheckGame(Position::START));
        dispatch(backend, CheckGame(blocked.parse().unwrap()));
    }
}

#[test]
fn searches_choose_the_same_on_every_code_path() {
    let game = transcript::read(b"f5d6c3d3c4f4f6f3e6e7", Position::START).unwrap();
    for agent in [
        mcts(5, 300, DepthReading::DepthReached),
        mcts(8, 300, DepthReading::Horizon),
        mcts(60, 300, DepthReading::TreeCap),
    ] {
        let found = BoardBackend::available().into_iter().map(|backend| {
            AgentSearch::new(backend).rank(game.last_position(), &agent, &stream("paths"))
        });
        let found: Vec<_> = found.collect();
        assert!(found.windows(2).all(|two| two[0] == two[1]), "{found:?}");
        assert_eq!(found[0].moves().len(), game.last_position().legal_moves().len() as usize);
    }
}

/// Seven agents that look at a move in any order say the same, since each has numbers of its own.
#[test]
fn agents_say_the_same_in_any_order() {
    let depths = [5, 9, 12, 15, 18, 21, 25];
    let position = *transcript::read(b"f5d6c3", Position::START).unwrap().last_position();
    let together = {
        let rules = MatchingRules::default();
        let agent = OthelloAgent::Adjusting(AdjustingAgent { choices: choices(&depths), rules });
        let mut player = AgentPlayer::new(agent, BoardBackend::fastest());
        let square = position.legal_moves().iter().next().unwrap();
        player.observe(&position, square, &stream("order")).unwrap().rankings
    };
    let alone = |at: usize| {
        let agent = mcts(depths[at], 30, DepthReading::TreeCap);
        let part = stream("order").part(at as u64);
        AgentSearch::new(BoardBackend::fastest()).rank(&position, &agent, &part)
    };
    for at in [6, 2, 0, 5, 3, 1, 4] {
        assert_eq!(alone(at), together[at], "agent {at}");
    }
    // Side by side, as a page with several threads would do.
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..7).map(|at| scope.spawn(move || alone(at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(found, together);
}

/// Reading A: no playout of 1,000 reaches depth 10, so that deeper agents are one program.
#[test]
fn deep_tree_caps_are_one_program() {
    let moves = |depth: u32| {
        let agents =
            [OthelloAgent::Mcts(mcts(depth, 1_000, DepthReading::TreeCap)), OthelloAgent::Random];
        let opening = OpeningRule::start();
        let results = OthelloGames::trial(
            &(),
            &MatchSetup::new(agents, opening, 1),
            stream("cap"),
            &TrialContext::ALONE,
        );
        results.records[0].games.each_ref().map(transcript::write)
    };
    let expected = moves(25);
    // Ten plies are reached only where few moves are left; the choices are the same even so.
    for depth in [15, 20, 30] {
        assert_eq!(moves(depth), expected, "depth {depth}");
    }
    assert_ne!(moves(1), expected);
}

#[test]
fn all_kinds_play_each_other() {
    let kinds = all_kinds();
    for (number, first) in kinds.iter().enumerate() {
        for second in &kinds {
            let agents = [first.clone(), second.clone()];
            let results = trial(agents.clone(), 2, &format!("kinds {number}"));
            assert_eq!((results.pairs.len(), results.records.len()), (2, 2));
            assert_eq!(results, trial(agents, 2, &format!("kinds {number}")));
        }
    }
}

#[test]
fn what_is_carried_reaches_the_next_game() {
    let kinds = all_kinds();
    let carried = trial([kinds[3].clone(), OthelloAgent::Random], 3, "carry");
    let observed: Vec<u64> = carried.levels.iter().map(|level| level.observed).collect();
    assert_eq!(observed.len(), 6);
    assert!(observed.is_sorted_by(|a, b| a < b), "{observed:?}");
    let OthelloAgent::Adjusting(AdjustingAgent { choices, .. }) = kinds[3].clone() else {
        panic!("the fourth kind adjusts");
    };
    let rules = MatchingRules::default();
    let fresh = trial(
        [OthelloAgent::Adjusting(AdjustingAgent { choices, rules }), OthelloAgent::Random],
        3,
        "carry",
    );
    assert!(fresh.levels.iter().all(|level| level.observed <= 30), "{:?}", fresh.levels);
    assert!(kinds[3].carries() && kinds[5].carries() && !kinds[4].carries());
}

/// A search with many playouts finds the winner of an endgame: of 60 random positions with ten
/// empty squares, its first choice keeps the exact result in at least 54.
#[test]
fn searches_find_exact_results() {
    let search = mcts(60, 20_000, DepthReading::TreeCap);
    let mut searches = AgentSearch::new(BoardBackend::fastest());
    let mut solver = EndgameSolver::new();
    let (rule, backend) = (ScoreRule::WinnerTakesEmpties, BoardBackend::fastest());
    let options = SolverOptions { rule, max_nodes: u64::MAX, backend };
    let mut kept = 0;
    let mut n = 0;
    for part in 0.. {
        if n == 60 {
            break;
        }
        let position = random_position(10, &mut stream("exact").part(part));
        let Some(position) = position.filter(choices_of) else { continue };
        n += 1;
        let solved = solver.solve(&position, options).unwrap();
        let ranking = searches.rank(&position, &search, &stream("choice").part(part));
        let chosen = ranking.best().mv;
        let value = solved.moves.iter().find(|it| it.square == chosen).unwrap().value;
        kept += u32::from(value.signum() == solved.value.signum());
    }
    assert!(54 <= kept, "{kept} of 60");
}

fn choices_of(position: &Position) -> bool {
    hatchery_othello::players::choices(position).is_some()
}

/// Plays at random until `empties` squares are left; `None` if the game ends before.
fn random_position(empties: u32, rng: &mut StreamRng) -> Option<Position> {
    let mut position = Position::START;
    while empties < position.count().empties() {
        let legal = position.legal_moves();
        let square = legal.iter().nth(rng.below(legal.len().max(1)) as usize)?;
        position = position.apply(square).expect("it is legal").settled();
    }
    Some(position)
}
