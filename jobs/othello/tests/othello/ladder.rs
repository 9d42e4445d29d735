//! Compares the ladder's numbers with other programs' numbers, and checks what its report says.

use hatchery_core::{
    Experiment, InitialParts, MeasureValue, RunHistory, RunSeed, Simulation, TrialContext,
};
use hatchery_othello::params::opening_param::OpeningParam;
use hatchery_othello::players::{DepthReading, SearchEffort, SearchSettings};
use hatchery_othello::studies::specs::{CheckedLadder, LadderSpec, LadderState};
use hatchery_othello::trial::results::MatchResults;
use hatchery_othello::{OthelloGames, OthelloLadder};
use hatchery_stats::{ErrorRate, PairCounts, PairResult};

fn spec(depths: &[u32], reading: DepthReading, playouts: u32) -> LadderSpec {
    let exploration = std::f64::consts::FRAC_1_SQRT_2;
    LadderSpec {
        depths: depths.to_vec(),
        search: SearchSettings { playouts, reading, plies_per_doubling: 4.0, exploration },
        openings: OpeningParam::default(),
        pairs: 25,
        self_play_pairs: 2,
        error_rate: ErrorRate::FIVE_PERCENT,
    }
}

fn checked(spec: &LadderSpec) -> CheckedLadder {
    OthelloLadder::check(spec.clone()).expect("the spec is valid")
}

/// Pairs of games with these wins, draws and losses of the first agent, in that order.
fn counts([wins, draws, losses]: [usize; 3]) -> PairCounts {
    let games = [(2, wins), (1, draws), (0, losses)];
    let games: Vec<u8> = games.iter().flat_map(|&(points, n)| vec![points; n]).collect();
    let pair = |game: &[u8]| PairResult::new(game[0], game[1]).expect("at most 2 half points");
    let mut counts = PairCounts::default();
    counts.add(&games.chunks_exact(2).map(pair).collect::<Vec<_>>());
    counts
}

/// The effort of two pairs of games with these numbers of playouts per search.
fn effort(playouts: [u64; 2]) -> Vec<SearchEffort> {
    let pair = |playouts: u64| SearchEffort {
        searches: 100,
        playouts: 100 * playouts,
        squared_playouts: 100 * playouts * playouts,
        nodes: 50 * playouts,
        deepest_leaves: 400,
        deepest_leaf: 7,
    };
    playouts.map(pair).to_vec()
}

fn value(spec: &LadderSpec, state: &LadderState, name: &str) -> Option<MeasureValue> {
    let measures = OthelloLadder::measures(&checked(spec), state);
    measures.into_iter().find(|measure| measure.name == name).map(|measure| measure.value)
}

fn exhibit(spec: &LadderSpec, state: &LadderState, name: &str) -> String {
    let exhibits = OthelloLadder::exhibits(&checked(spec), state);
    let found = exhibits.into_iter().find(|exhibit| exhibit.name == name).expect("it is there");
    let bytes = found.content.bytes().expect("it is no part").to_vec();
    String::from_utf8(bytes).expect("it is a text")
}

fn check_text(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

/// Five agents with 50 games between each two. The ratings come from choix 0.4.1 (PyPI), and agree
/// with Ordo within its rounding.
fn rated_elsewhere() -> (LadderSpec, LadderState) {
    let results = [
        [15, 2, 33],
        [11, 1, 38],
        [8, 2, 40],
        [7, 1, 42],
        [20, 2, 28],
        [16, 3, 31],
        [14, 2, 34],
        [21, 3, 26],
        [19, 2, 29],
        [23, 3, 24],
    ];
    let state = LadderState {
        matches: results.map(counts).to_vec(),
        self_play: [[420, 440], [590, 600], [600, 600], [598, 602], [601, 600]]
            .map(effort)
            .to_vec(),
    };
    (spec(&[5, 10, 15, 20, 25], DepthReading::DepthReached, 1_000), state)
}

#[test]
fn ratings_are_those_of_other_programs() {
    let (spec, state) = rated_elsewhere();
    for (depth, expected) in
        [(5, -179.489), (10, -35.568), (15, 32.281), (20, 79.597), (25, 103.179)]
    {
        let elo = value(&spec, &state, &format!("depth-{depth}/elo")).unwrap();
        assert!((elo.point() - expected).abs() < 6e-4, "depth {depth}: {elo:?}");
    }
    let span = value(&spec, &state, "span").unwrap();
    assert!((span.point() - 282.668).abs() < 1.1e-3, "{span:?}");
    // 7 wins and a draw in 50 games, and so on.
    for (depth, expected) in [(5, 0.15), (10, 0.3), (15, 0.4), (20, 0.49)] {
        let score = value(&spec, &state, &format!("depth-{depth}/score_against_deepest")).unwrap();
        assert!((score.point() - expected).abs() < 1e-4, "depth {depth}: {score:?}");
    }
    assert_eq!(value(&spec, &state, "depth-25/score_against_deepest"), None);
}

#[test]
fn the_report_says_what_the_numbers_show() {
    let (spec, state) = rated_elsewhere();
    let report = exhibit(&spec, &state, "report.md");
    check_text(
        &report,
        &[
            "The scores against depth 25 rise strictly over depths 5, 10, 15 and 20.",
            "**Depth 25 is stronger than depth 5**: it is expected to score 83.6 % (",
            "The ladder spans 283 (",
            "from depth 5, the lowest, to depth 25, the highest",
            "Span of the ladder: **283 Elo** (",
            "| 5 | 10 | +144 (",
            "10 with 15",
            "15 with 20",
            " for depth d (R² = 0.",
            "Playouts rise up to depth 10, to 1.38 times those of depth 5, and are level from \
             there: the intervals of depths 10 to 25 overlap.",
        ],
    );
    assert!(!report.contains("5 with 10") && !report.contains("No finite rating"), "{report}");
    check_text(&exhibit(&spec, &state, "ladder.svg"), &[">line, R", ">parabola, R"]);
    check_text(&exhibit(&spec, &state, "effort.svg"), &[">playouts at most</text>", ">nodes<"]);
    check_text(
        &exhibit(&spec, &state, "ladder.csv"),
        &["\n5,200,rated,-179.5,", "\n25,200,rated,103.2,", ",,,\n"],
    );
    check_text(&exhibit(&spec, &state, "effort.csv"), &["\n15,2,200,600.00,600.00,600.00,300.00,"]);
    check_text(
        &exhibit(&spec, &state, "crosstable.csv"),
        &["\ndepth-5,depth-10,25,33,2,15,", "\ndepth-20,depth-25,25,24,3,23,"],
    );
}

#[test]
fn a_ladder_before_its_games_says_so() {
    let spec = checked(&rated_elsewhere().0);
    let seed = RunSeed::new("ladder", 1);
    let state = OthelloLadder::begin(&spec, &seed.generation(0), &mut InitialParts::default());
    let history = RunHistory { seed: &seed, generations: &[] };
    let findings = OthelloLadder::findings(&spec, &state.unwrap(), &history).unwrap();
    assert_eq!(findings.summary.to_string(), "No games have been played yet.");
    assert!(findings.sections.is_empty() && findings.key_facts.is_empty(), "{findings:?}");
}

#[test]
fn depths_without_a_finite_rating_are_named() {
    let (mut spec, mut state) = rated_elsewhere();
    for counts_of_depth_5 in &mut state.matches[..4] {
        *counts_of_depth_5 = counts([0, 0, 50]);
    }
    // Depth 20 does no better against depth 25 than depth 15 does.
    state.matches[9] = counts([19, 2, 29]);
    let report = exhibit(&spec, &state, "report.md");
    check_text(
        &report,
        &[
            "| 5 | 200 | lost all 200 games: at most -",
            "Depth 5 scores 0.0 % (",
            "**No finite rating: depth 5 (lost all 200 games: at most -",
            "| 5 | 10 | - | - |",
            "do not rise strictly over depths 5, 10, 15 and 20: depth 20 scores 40.0 %, and \
             depth 15 40.0 %.",
        ],
    );
    assert_eq!(value(&spec, &state, "depth-5/elo"), None);
    assert!(value(&spec, &state, "depth-5/elo_at_most").is_some());
    assert_eq!(value(&spec, &state, "span"), None);
    assert!(value(&spec, &state, "depth-10/elo").is_some());
    check_text(&exhibit(&spec, &state, "ladder.csv"), &["\n5,200,unbounded below,,,,0.000"]);
    check_text(&exhibit(&spec, &state, "ladder.svg"), &["; depth 5: unbounded below</text>"]);

    // Two agents, of which one wins all games, have no ladder at all.
    spec.depths.truncate(2);
    state.matches.truncate(1);
    state.self_play.truncate(2);
    let report = exhibit(&spec, &state, "report.md");
    check_text(
        &report,
        &[
            "depth 5 (lost all 50 games) and depth 10 (won all 50 games)",
            "The span of the ladder is unknown, as fewer than two depths have a finite rating.",
            "too few depths have a finite rating for a line",
        ],
    );
}

#[test]
fn specs_that_contradict_themselves_are_refused() {
    let check = |depths: &[u32], expected: &str| {
        let error = OthelloLadder::check(spec(depths, DepthReading::TreeCap, 100)).unwrap_err();
        assert_eq!(error.to_string(), expected, "{depths:?}");
    };
    check(&[5, 10, 10], "depths.2 is 10, but must be more than the depth before, 10");
    check(&[5, 4], "depths.1 is 4, but must be more than the depth before, 5");
    let found =
        "depths.0 is 0, but must be possible with `search`: the depth is 0, expected 1 to 60";
    check(&[0, 4], found);
}

/// Returns the results of self-play: each agent in the plan plays one pair of games against itself,
/// always with the same random numbers.
fn self_play(spec: &LadderSpec) -> Vec<MatchResults> {
    let seed = RunSeed::new("ladder", 1).generation(0);
    let checked = checked(spec);
    let state = OthelloLadder::begin(&checked, &seed, &mut InitialParts::default());
    let plan = OthelloLadder::plan(&checked, &state.expect("a state"));
    let n = spec.depths.len();
    assert_eq!(plan.series.len(), n * (n - 1) / 2 + 2 * n);
    let first_pairs = plan.series.iter().skip(n * (n - 1) / 2).step_by(2);
    first_pairs
        .map(|series| {
            OthelloGames::trial(&(), &series.subject, seed.stream("own"), &TrialContext::ALONE)
        })
        .collect()
}

/// Reading A: depths 10 to 30 are one program, with the same moves and the same trees. No tree of
/// 150 playouts has more than ten plies, but where few moves are left, and there the game ends
/// first.
#[test]
fn deep_tree_caps_play_the_same_games_with_the_same_effort() {
    let results = self_play(&spec(&[2, 10, 15, 20, 25, 30], DepthReading::TreeCap, 150));
    let (shallow, deep) = results.split_first().unwrap();
    assert!(deep.windows(2).all(|two| two[0] == two[1]));
    assert_ne!(shallow.records, deep[0].records);
    assert!(deep[0].efforts[0].searches > 20);
}

/// Reading B: the search of a shallow agent ends early.
#[test]
fn depths_that_are_reached_save_playouts() {
    let results = self_play(&spec(&[2, 4, 8], DepthReading::DepthReached, 300));
    let playouts: Vec<f64> =
        results.iter().map(|it| it.efforts[0].mean().unwrap().playouts).collect();
    assert!(playouts.is_sorted_by(|a, b| a < b), "{playouts:?}");
}
