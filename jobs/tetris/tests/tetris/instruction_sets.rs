//! Every instruction set of this processor plays the same games.

use hatchery_core::{Draws, RunSeed, Simulation, SubjectStreams, Tally, TrialContext};
use hatchery_tetris::TetrisGames;
use hatchery_tetris::batch::{InstructionSet, PieceDealer, play_all};
use hatchery_tetris::dealing::PieceSequence;
use hatchery_tetris::features::WellRule;
use hatchery_tetris::players::{
    Controller, LinearController, Lookahead, NetworkShape, NeuralNetwork, PlacementPolicy,
};
use hatchery_tetris::rules::{BoardSize, GameRules, GameScore, OverflowRule, PieceWeights};
use hatchery_tetris::trial::setup::{GameSettings, TetrisPlayer};
use proptest::prelude::*;

/// Generates controllers that play well enough for long games, and any others.
fn controller() -> impl Strategy<Value = Controller> {
    let signs = [-1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0];
    let sensible = prop::array::uniform9(0_u32..2_000).prop_map(move |sizes| {
        let mut weights = signs;
        for (weight, size) in weights.iter_mut().zip(sizes) {
            *weight *= f64::from(size) / 100.0;
        }
        weights
    });
    // The largest weights need 64-bit integers. The nearly equal values cannot be distinguished by
    // 32-bit floats.
    let nearly_equal = prop::array::uniform9((0_i32..3, -9_i32..9))
        .prop_map(|parts| parts.map(|(many, few)| f64::from(-many) * 1e4 + f64::from(few) * 1e-8));
    let others = prop_oneof![
        prop::array::uniform9(-20.0..20.0_f64),
        prop::array::uniform9(-1e5..1e5_f64),
        nearly_equal,
    ];
    let linear = (prop_oneof![2 => sensible, 1 => others], any::<bool>(), any::<bool>()).prop_map(
        |(mut weights, fast, diversity)| {
            if !diversity {
                weights[8] = 0.0;
            }
            let wells = if fast { WellRule::Fast } else { WellRule::Cumulative };
            Controller::Linear(LinearController::new(weights, wells).expect("small weights"))
        },
    );
    let network = (1_usize..8, any::<bool>())
        .prop_flat_map(|(n_hidden, diversity)| {
            let shape = NetworkShape { n_hidden, diversity };
            (Just(shape), prop::collection::vec(-3.0..3.0_f32, shape.n_weights()))
        })
        .prop_map(|(shape, weights)| {
            Controller::Network(NeuralNetwork::new(shape, weights).expect("small weights"))
        });
    prop_oneof![2 => linear, 1 => network]
}

fn game() -> impl Strategy<Value = GameSettings> {
    let size = prop_oneof![Just((10, 10)), Just((10, 20)), (4_u32..=16, 4_u32..=32),];
    let pieces = prop::array::uniform7(0_u32..5)
        .prop_filter("some piece comes", |weights| weights.iter().any(|&weight| weight != 0));
    (size, pieces, any::<bool>(), 1_u64..400).prop_map(|((width, height), pieces, clears, cap)| {
        let overflow = if clears { OverflowRule::ClearsFirst } else { OverflowRule::EndsGame };
        GameSettings {
            rules: GameRules {
                overflow,
                ..GameRules::published(BoardSize::new(width, height).expect("a size in range"))
            },
            pieces: PieceWeights::new(pieces).expect("some piece comes"),
            cap,
        }
    })
}

fn lookahead() -> impl Strategy<Value = Lookahead> {
    let weights = prop::array::uniform7(0_u32..3)
        .prop_filter("some piece counts", |weights| weights.iter().any(|&weight| weight != 0));
    (weights, any::<bool>()).prop_map(|(weights, first_value)| Lookahead {
        weights: PieceWeights::new(weights).expect("some piece counts"),
        first_value,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_instruction_set_looks_ahead_alike(
        controller in controller(),
        lookahead in lookahead(),
        game in game(),
        seed: u64,
        n_games in 1_u32..12,
    ) {
        let policy = PlacementPolicy { controller, lookahead: Some(lookahead) };
        let game = GameSettings { cap: game.cap.min(40), ..game };
        let scores = |instructions| scores(&policy, game, seed, n_games, instructions);
        let expected = scores(InstructionSet::Scalar);
        for instructions in InstructionSet::available() {
            prop_assert_eq!(&scores(instructions), &expected, "{:?}", instructions);
        }
    }
}

fn scores(
    policy: &PlacementPolicy,
    game: GameSettings,
    seed: u64,
    n_games: u32,
    instructions: InstructionSet,
) -> Vec<GameScore> {
    let GameSettings { rules, pieces, cap } = game;
    let seed = RunSeed::new("paths", seed).generation(0);
    let mut dealers = (0..n_games).map(|trial| {
        let mut rng = seed.trial(Draws::PerSubject, 0, trial);
        Box::new(move || pieces.piece(rng.below(pieces.sum()))) as PieceDealer<'_>
    });
    play_all(policy, rules, cap, &mut dealers, instructions)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_instruction_set_plays_the_same_games(
        controller in controller(),
        game in game(),
        seed: u64,
        n_games in 1_u32..150,
    ) {
        let policy = controller.into();
        let scores = |instructions| scores(&policy, game, seed, n_games, instructions);
        let expected = scores(InstructionSet::Scalar);
        prop_assert_eq!(expected.len(), n_games as usize);
        for instructions in InstructionSet::available() {
            prop_assert_eq!(&scores(instructions), &expected, "{:?}", instructions);
        }
    }
}

/// Generates players, so that some players can share vectors: there are few boards and few kinds of
/// controllers.
fn players() -> impl Strategy<Value = Vec<(TetrisPlayer, u32)>> {
    let sizes =
        prop::collection::vec(prop_oneof![Just((10, 10)), Just((10, 20)), Just((6, 18))], 2);
    let player = (controller(), game(), any::<prop::sample::Index>(), 1_u32..40, 0_u32..12);
    (sizes, prop::collection::vec(player, 1..8)).prop_map(|(sizes, players)| {
        let player = |(controller, game, size, n_games, ahead): (_, GameSettings, _, _, _)| {
            let (width, height) = *prop::sample::Index::get(&size, &sizes);
            let size = BoardSize::new(width, height).expect("a size in range");
            let rules = GameRules::published(size);
            let lookahead = (ahead == 0)
                .then_some(Lookahead { weights: PieceWeights::UNIFORM, first_value: true });
            let (cap, pieces) = (if ahead == 0 { 20 } else { game.cap }, game.pieces);
            let policy = PlacementPolicy { controller, lookahead };
            let game = GameSettings { rules, pieces, cap };
            (TetrisPlayer { policy, game, dealing: PieceSequence::Drawn, splitting: None }, n_games)
        };
        players.into_iter().map(player).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn players_side_by_side_play_the_games_that_each_plays_alone(players in players(), seed: u64) {
        let seed = &RunSeed::new("players", seed).generation(0);
        let streams = |idx: u32, n_games: u32| {
            (0..n_games).map(move |trial| seed.trial(Draws::PerSubject, idx, trial))
        };
        let mut of_players: Vec<_> =
            players.iter().zip(0..).map(|(&(_, n_games), idx)| streams(idx, n_games)).collect();
        let batch = players.iter().zip(&mut of_players);
        let batch = batch.map(|((subject, _), streams)| SubjectStreams { subject, streams });
        let together = TetrisGames::trials(&(), batch.collect(), &TrialContext::ALONE);
        prop_assert_eq!(together.len(), players.len());
        for (((player, n_games), idx), together) in players.iter().zip(0..).zip(together) {
            let mut games = streams(idx, *n_games)
                .map(|rng| TetrisGames::trial(&(), player, rng, &TrialContext::ALONE));
            let mut alone = games.next().expect("at least one game");
            games.for_each(|later| alone.absorb(later));
            prop_assert_eq!(together, alone, "player {}", idx);
        }
    }
}
