//! Bags, known next pieces and hold: the rules, the search through them, and what is refused.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use hatchery_core::spec::SpecDocument;
use hatchery_core::{Draws, RunSeed, StreamRng, conformance, erased, reference};
use hatchery_stats::{ScoreSummary, mean_estimate, replicates_estimate};
use hatchery_tetris::batch::{
    ANY_HEIGHT, Episode, EpisodeEnd, EpisodeSource, InstructionSet, PieceDealer, play_all,
    play_episodes,
};
use hatchery_tetris::features::{BoardFeatures, WellRule};
use hatchery_tetris::players::{Controller, LinearController, Lookahead, PlacementPolicy};
use hatchery_tetris::rules::{
    Board, BoardSize, GameRules, GameScore, OverflowRule, Piece, PieceSupply, PieceWeights,
    Placement, QueueRules, Randomizer, Turn, placements,
};
use hatchery_tetris::splitting::{LevelClimbs, SplittingConfig, SplittingReplicate};
use hatchery_tetris::{TetrisEvaluate, TetrisEvolve};
use proptest::prelude::*;

const SPEC: &str = "experiment = 'tetris-evaluate'\n\
                    seed = 1\n\
                    [params]\n\
                    games = 6\n\
                    max_pieces = 60\n\
                    boards = [{ width = 5, height = 8 }]\n\
                    draws = [{ name = 'drawn' }]\n\
                    [[params.controllers]]\n\
                    name = 'mine'\n\
                    weights = { holes = -4, landing_height = -1, row_transitions = -1 }\n";

/// The weights of `holes`, `landing_height` and `row_transitions` in [`SPEC`].
const WEIGHTS: [f64; 9] = [-1.0, 0.0, -1.0, 0.0, -4.0, 0.0, 0.0, 0.0, 0.0];

fn bag() -> QueueRules {
    QueueRules { randomizer: Randomizer::Bag, ..QueueRules::default() }
}

fn rng(seed: u64) -> StreamRng {
    RunSeed::new("queue", seed).generation(0).trial(Draws::PerSubject, 0, 0)
}

fn uniform(mut rng: StreamRng) -> PieceDealer<'static> {
    Box::new(move || PieceWeights::UNIFORM.piece(rng.below(7)))
}

fn rules(size: (u32, u32), queue: QueueRules) -> GameRules {
    GameRules { queue, ..GameRules::published(BoardSize::new(size.0, size.1).unwrap()) }
}

fn policy(first_value: Option<bool>) -> PlacementPolicy {
    let linear = LinearController::new(WEIGHTS, WellRule::Cumulative).unwrap();
    let lookahead =
        first_value.map(|first_value| Lookahead { weights: PieceWeights::UNIFORM, first_value });
    PlacementPolicy { controller: Controller::Linear(linear), lookahead }
}

/// Checks that pieces come in bags: the first seven are all of them, and so are the next seven.
#[track_caller]
fn check_bags(preview: u32, seed: u64) {
    let mut supply = PieceSupply::new(QueueRules { preview, ..bag() });
    let mut dealer = uniform(rng(seed));
    let mut rest = PieceWeights::UNIFORM.weights();
    for n in 1..70_usize {
        let piece = supply.take(&mut dealer);
        assert_eq!(rest[piece as usize], 1, "piece {n} is {piece:?}");
        rest[piece as usize] = 0;
        assert_eq!(supply.known().len(), preview as usize);
        if n.is_multiple_of(7) {
            rest = PieceWeights::UNIFORM.weights();
        }
        if preview == 0 {
            assert_eq!(supply.rest_of_bag().unwrap().weights(), rest);
        }
    }
}

#[test]
fn every_seven_pieces_of_bags_are_all_pieces() {
    (0..=5).zip(1..).for_each(|(preview, seed)| check_bags(preview, seed));
}

/// The known pieces are those that come, and holding changes nothing but their order.
#[test]
fn held_pieces_come_back() {
    let mut dealt = [Piece::I, Piece::O, Piece::T, Piece::Z, Piece::S].into_iter();
    let mut dealer = || dealt.next().unwrap();
    let mut supply =
        PieceSupply::new(QueueRules { preview: 2, hold: true, ..QueueRules::default() });
    assert_eq!(supply.take(&mut dealer), Piece::I);
    assert_eq!(supply.known(), [Piece::O, Piece::T]);
    assert_eq!(supply.hold(Piece::I, &mut dealer), Piece::O);
    assert_eq!((supply.known(), supply.held()), (&[Piece::T, Piece::Z][..], Some(Piece::I)));
    assert_eq!(supply.take(&mut dealer), Piece::T);
    assert_eq!(supply.hold(Piece::T, &mut dealer), Piece::I);
    assert_eq!((supply.known(), supply.held()), (&[Piece::Z, Piece::S][..], Some(Piece::T)));
}

/// The value of a board in the sum of [`WEIGHTS`], doubled, by the definitions.
fn value(outcome: &hatchery_tetris::rules::DropOutcome) -> i64 {
    let features = BoardFeatures::of(outcome, WellRule::Cumulative);
    let rest = 4 * features.holes + features.row_transitions;
    i64::from(-features.landing_height_2 - 2 * rest)
}

/// Returns all ways to place the current piece `next[0]`, written down from the rules of hold.
fn choices(
    next: &[Piece],
    held: Option<Piece>,
    hold: bool,
) -> Vec<(bool, Piece, usize, Option<Piece>)> {
    let mut all = Vec::new();
    if let Some(&current) = next.first() {
        all.push((false, current, 1, held));
    }
    if hold && let Some(held) = held {
        all.push((true, held, 1, next.first().copied()));
    } else if hold && let [current, second, ..] = *next {
        all.push((true, second, 2, Some(current)));
    }
    all
}

/// Returns the best plan of `n` placements by trying all: its number of placements before the game
/// ends, its value, and its first turn.
fn exact(
    board: &Board,
    next: &[Piece],
    held: Option<Piece>,
    (hold, all_values): (bool, bool),
    n: usize,
) -> (usize, i64, Turn) {
    let first = Turn::from(Placement { orientation: 0, column: 0 });
    let mut best = (0, 0, first);
    for (holds, piece, used, held) in choices(next, held, hold) {
        for placement in placements(piece, board.size()) {
            let outcome = board.drop(piece, placement, OverflowRule::EndsGame);
            if outcome.game_over {
                continue;
            }
            let rest = next.get(used..).unwrap_or(&[]);
            let (placed, mut sum) = match n {
                1 => (0, value(&outcome)),
                _ => {
                    let later = exact(&outcome.board, rest, held, (hold, all_values), n - 1);
                    (later.0, later.1)
                }
            };
            if 1 < n && all_values {
                sum += value(&outcome);
            }
            if best.0 == 0 || (best.0, best.1) < (placed + 1, sum) {
                best = (placed + 1, sum, Turn { holds, placement });
            }
        }
    }
    best
}

/// A board on which a few pieces lie, with the pieces to come.
fn position(size: (u32, u32), queue: QueueRules, seed: u64, n: u64) -> (Board, Piece, PieceSupply) {
    let mut dealer = uniform(rng(seed));
    let mut rng = rng(seed + 1);
    let mut supply = PieceSupply::new(queue);
    let mut board = Board::new(BoardSize::new(size.0, size.1).unwrap());
    let mut piece = supply.take(&mut dealer);
    for _ in 0..n {
        if queue.hold && rng.below(3) == 0 {
            piece = supply.hold(piece, &mut dealer);
        }
        let all: Vec<_> = placements(piece, board.size()).collect();
        let idx = rng.below(u32::try_from(all.len()).unwrap());
        let outcome = board.drop(piece, all[idx as usize], OverflowRule::EndsGame);
        if !outcome.game_over {
            board = outcome.board;
        }
        piece = supply.take(&mut dealer);
    }
    (board, piece, supply)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_search_finds_what_trying_all_plans_finds(
        size in (4_u32..=6, 4_u32..=8),
        preview in 1_u32..=2,
        hold: bool,
        first_value in proptest::option::of(any::<bool>()),
        seed in 0_u64..1_000_000,
        n in 0_u64..12,
    ) {
        let queue = QueueRules { preview, hold, ..bag() };
        let (board, piece, supply) = position(size, queue, seed, n);
        let turn = policy(first_value).turn(&board, piece, &supply, OverflowRule::EndsGame);
        let next: Vec<_> = std::iter::once(piece).chain(supply.known().iter().copied()).collect();
        let options = (hold, first_value == Some(true));
        let (.., expected) = exact(&board, &next, supply.held(), options, next.len());
        prop_assert_eq!(turn, expected);
    }

    /// A single known piece is an average over one piece.
    #[test]
    fn one_known_piece_is_the_two_level_search_for_that_piece(
        first_value: bool,
        seed in 0_u64..1_000_000,
        n in 0_u64..30,
    ) {
        let queue = QueueRules { preview: 1, ..QueueRules::default() };
        let (board, piece, supply) = position((10, 10), queue, seed, n);
        let overflow = OverflowRule::EndsGame;
        let turn = policy(Some(first_value)).turn(&board, piece, &supply, overflow);
        let mut weights = [0; 7];
        weights[supply.known()[0] as usize] = 1;
        let weights = PieceWeights::new(weights).unwrap();
        let lookahead = Some(Lookahead { weights, first_value });
        let average = PlacementPolicy { lookahead, ..policy(None) };
        prop_assert_eq!(turn, average.choose(&board, piece, overflow).into());
    }

    /// With a bag, the average is over the pieces that it still has.
    #[test]
    fn averages_are_over_the_rest_of_the_bag(seed in 0_u64..1_000_000, n in 0_u64..30) {
        let (board, piece, supply) = position((10, 10), bag(), seed, n);
        let mut dealer = uniform(rng(seed));
        let mut drawn = PieceSupply::new(bag());
        let dealt: Vec<_> = (0..=n).map(|_| drawn.take(&mut dealer)).collect();
        let since = dealt.len() / 7 * 7;
        let mut weights = [1; 7];
        dealt[since..].iter().for_each(|&piece| weights[piece as usize] = 0);
        let weights = PieceWeights::new(weights).unwrap();
        let lookahead = Some(Lookahead { weights, first_value: true });
        let rest = PlacementPolicy { lookahead, ..policy(None) };
        let turn = policy(Some(true)).turn(&board, piece, &supply, OverflowRule::EndsGame);
        prop_assert_eq!(turn, rest.choose(&board, piece, OverflowRule::EndsGame).into());
    }

    /// Stretches of a game have the bag, the known pieces and the held one of the game.
    #[test]
    fn a_game_in_stretches_is_the_same_game(
        preview in 0_u32..=1,
        hold: bool,
        first_value in proptest::option::of(any::<bool>()),
        cap in 1_u64..10,
        seed in 0_u64..1_000_000,
    ) {
        let queue = QueueRules { preview, hold: hold && preview == 1, ..bag() };
        let (rules, policy) = (rules((6, 8), queue), policy(first_value));
        let expected = policy.play(rules, 200, uniform(rng(seed)), |_| {});
        for instructions in InstructionSet::available() {
            let mut dealers = std::iter::once(uniform(rng(seed)));
            let whole = play_all(&policy, rules, 200, &mut dealers, instructions);
            prop_assert_eq!(whole, vec![expected]);
            let score = GameScore { lines: 0, pieces: 0, capped: false };
            let mut stretches = Stretches { rules, cap, dealer: Some(uniform(rng(seed))), score };
            play_episodes(&[&policy], rules, &mut stretches, instructions);
            prop_assert_eq!(stretches.score, expected);
        }
    }
}

/// A game of 200 pieces, in stretches of `cap` pieces.
struct Stretches<'d> {
    rules: GameRules,
    cap: u64,
    dealer: Option<PieceDealer<'d>>,
    score: GameScore,
}

impl<'d> EpisodeSource<'d> for Stretches<'d> {
    fn next(&mut self) -> Option<Episode<'d>> {
        let dealer = self.dealer.take()?;
        let (board, supply) = (Board::new(self.rules.size), PieceSupply::new(self.rules.queue));
        Some(Episode {
            tag: 0,
            player: 0,
            board,
            supply,
            dealer,
            cap: self.cap,
            heights: ANY_HEIGHT,
        })
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: GameScore, end: EpisodeEnd) -> bool {
        self.score.pieces += score.pieces;
        self.score.lines += score.lines;
        self.score.capped = self.score.pieces == 200 && end == EpisodeEnd::Capped;
        episode.cap = self.cap.min(200 - self.score.pieces);
        end == EpisodeEnd::Capped && !self.score.capped
    }
}

/// Mean game lengths of the same games, played whole and by splitting. The controller only keeps
/// low, so that games are short.
#[test]
fn splitting_agrees_with_games() {
    let queue = QueueRules { preview: 1, hold: true, ..bag() };
    let low = [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let low = LinearController::new(low, WellRule::Cumulative).unwrap();
    let (rules, policy) = (rules((6, 9), queue), Controller::Linear(low).into());
    let seed = RunSeed::new("splitting", 1).generation(0);
    let stream = |subject, trial| seed.trial(Draws::PerSubject, subject, trial);
    let mut dealers = (0..400).map(|trial| uniform(stream(0, trial)));
    let games = play_all(&policy, rules, 10_000, &mut dealers, InstructionSet::fastest());
    let games = mean_estimate(&ScoreSummary::of(games.iter().map(|game| game.pieces)));
    let splitting = SplittingConfig {
        down: 3,
        first_level: 5,
        step: 2,
        climbs: LevelClimbs::Same(200),
        streams: 8,
        burn_in: 20,
        pieces: 100,
    };
    let hazards: Vec<_> = (0..24)
        .map(|trial| {
            let rng = stream(1, trial);
            let dealer = |part| uniform(rng.part(part));
            splitting.replicate(&policy, rules, &dealer, InstructionSet::fastest())
        })
        .map(|split| SplittingReplicate::hazard(&split))
        .collect();
    let hazard = replicates_estimate(&hazards);
    let (low, high) = (1.0 / hazard.high, 1.0 / hazard.low);
    assert!(low < games.high && games.low < high, "{games:?}, {low} to {high}");
}

/// Runs a spec and returns the lines of its first combination.
fn lines(spec: &str) -> f64 {
    let experiment = erased::<TetrisEvaluate>();
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let configured = experiment.configure(&document).unwrap();
    let run = reference::run(experiment, configured.as_ref(), 1).unwrap();
    let measures = &run.history.last().unwrap().measures;
    measures.iter().find(|it| it.name.ends_with("/mean")).unwrap().value.point()
}

fn with_queue(queue: &str) -> String {
    SPEC.replace("name = 'drawn'", &format!("name = 'drawn', queue = {{ {queue} }}"))
}

#[test]
fn every_option_changes_the_games() {
    let queues = [
        "",
        "randomizer = 'bag'",
        "preview = 1",
        "preview = 2",
        "preview = 1, hold = true",
        "preview = 1, randomizer = 'bag'",
    ];
    let long = |spec: String| spec.replace("games = 6", "games = 40").replace("= 60", "= 200");
    let all: Vec<_> = queues.iter().map(|queue| lines(&long(with_queue(queue)))).collect();
    for (idx, lines) in all.iter().enumerate() {
        let same = all.iter().position(|other| (other - lines).abs() < 1e-9);
        assert_eq!(same, Some(idx), "{all:?}");
    }
    assert!(all[0] < all[2], "a known piece is worth something: {all:?}");
    // The first value counts with known pieces too, and the rest of the bag in averages.
    let ahead = |first_value: bool, queue: &str| {
        let ahead = format!("name = 'mine'\nlookahead = {{ first_value = {first_value} }}\n");
        lines(&long(with_queue(queue)).replace("name = 'mine'\n", &ahead))
    };
    assert!((ahead(true, "preview = 1") - all[2]).abs() > 1e-9);
    assert!((ahead(false, "randomizer = 'bag'") - ahead(false, "")).abs() > 1e-9);
}

#[test]
fn queues_conform() {
    conformance::check::<TetrisEvaluate>(&with_queue("randomizer = 'bag'")).unwrap();
    let all = "randomizer = 'bag', preview = 1, hold = true";
    conformance::check::<TetrisEvaluate>(&with_queue(all)).unwrap();
    let list = "preview = 1, hold = true }, list = 'SZTOIJLSZTOIJL', pieces = { S = 3";
    conformance::check::<TetrisEvaluate>(&with_queue(list)).unwrap();
}

#[test]
fn queues_with_splitting_conform() {
    let split = with_queue("randomizer = 'bag', preview = 1, hold = true").replace(
        "games = 6\n",
        "games = 6\nestimator = 'splitting'\n\
         splitting = { climbs = 20, streams = 4, burn_in = 10, pieces = 60 }\n",
    );
    // This controller looks for holes, so that some games end.
    conformance::check::<TetrisEvaluate>(&split.replace("holes = -4", "holes = 4")).unwrap();
}

/// The champion's spec has the queue of the judge, and no search that changes nothing there.
#[test]
fn evolution_with_queues_conforms() {
    let smoke = include_str!("../../specs/evolve-smoke.toml").replace("games = 4", "games = 2");
    let spec = smoke.replace(
        "hidden = 2\n",
        "hidden = 2\nlookahead = { weights = 'frequency', first_value = true }\n",
    );
    let spec =
        spec.replace("game = { height = 8,", "game = { height = 8, queue = { preview = 1 },");
    assert!(spec.contains("preview"), "{spec}");
    conformance::check::<TetrisEvolve>(&spec).unwrap();
}

fn refused(spec: &str) -> String {
    let document = SpecDocument::parse("queue", spec.as_bytes()).unwrap();
    let refused = erased::<TetrisEvaluate>().configure(&document).err();
    refused.map_or_else(String::new, |error| error.to_string())
}

#[test]
fn queues_that_cannot_be_played_are_refused() {
    for (queue, expected) in [
        ("preview = 6", "draws.0.queue.preview is 6, but must be an integer from 0 to 5"),
        ("hold = true", "draws.0.queue.hold is true, but must be false without a preview"),
        (
            "randomizer = 'bag' }, pieces = { S = 3",
            "draws.0.queue.randomizer is bag, but must be independent with pieces of different",
        ),
        (
            "randomizer = 'bag' }, pieces = { I = 0",
            "draws.0.queue.randomizer is bag, but must be independent with pieces of different",
        ),
        (
            "randomizer = 'bag' }, list = 'SZ', pieces = { S = 1",
            "draws.0.queue.randomizer is bag, but must be independent with a list",
        ),
        (
            "preview = 1, hold = true }, list = 'SZ', pieces = { S = 1",
            "draws.0.list is 2 pieces, but must be at least 3",
        ),
        ("randomizer = 'nes'", "randomizer"),
    ] {
        let message = refused(&with_queue(queue));
        assert!(message.contains(expected), "{queue}: {message}");
    }
    assert_eq!(refused(&with_queue("preview = 5")), "");
    let wide = with_queue("preview = 5").replace("width = 5", "width = 10");
    let expected = "draws.0.queue.preview is 5, but must be at most 4 on 10 columns: the search \
                    would value 153,639,132 boards per move";
    assert!(refused(&wide).contains(expected), "{}", refused(&wide));
    let hold = wide.replace("preview = 5", "preview = 4, hold = true");
    assert!(refused(&hold).contains("at most 3 on 10 columns with hold"), "{}", refused(&hold));
}

#[test]
fn searches_that_change_nothing_are_refused() {
    let ahead = |search: &str, queue: &str| {
        let named = format!("name = 'mine'\nlookahead = {{ {search} }}\n");
        refused(&with_queue(queue).replace("name = 'mine'\n", &named))
    };
    let expected = "controllers.0.lookahead is given, but must be absent where all games have a \
                    preview";
    assert!(ahead("", "preview = 1").contains(expected), "{}", ahead("", "preview = 1"));
    let weighs = ahead("weights = 'frequency', first_value = true", "preview = 1");
    assert!(weighs.contains("controllers.0.lookahead.weights is frequency"), "{weighs}");
    assert_eq!(ahead("first_value = true", "preview = 1"), "");
    assert_eq!(ahead("", ""), "");
    // It counts for one of the ways to draw.
    assert_eq!(ahead("", "preview = 1 } }, { name = 'other', pieces = { S = 1"), "");
}
