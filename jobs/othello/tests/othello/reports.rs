//! Reports of whole runs: they say what was played, and nothing about what was not.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{
    AnyExperiment, ExhibitContent, Experiment, GenerationMeasures, InitialParts, Measure,
    MeasureValue, RunHistory, RunSeed, erased, reference,
};
use hatchery_othello::studies::specs::{CheckedMatch, MatchSpec, MatchState};
use hatchery_othello::{OthelloAdjust, OthelloLadder, OthelloMatch};
use hatchery_stats::PairResult;
use serde_json::json;

/// Runs a spec, and returns its exhibits: names with contents.
pub(crate) fn exhibits(
    experiment: &'static dyn AnyExperiment,
    spec: &str,
) -> Vec<(String, String)> {
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = experiment.configure(&document).expect("it is valid");
    let run = reference::run(experiment, configured.as_ref(), 1).expect("it runs");
    let state = run.states.last().expect("a run has a state");
    let exhibits = configured.exhibits(state).expect("it is a state");
    let text = |content: &ExhibitContent| {
        let bytes = content.bytes().expect("it is no part").to_vec();
        String::from_utf8(bytes).expect("it is a text")
    };
    exhibits.into_iter().map(|exhibit| (exhibit.name, text(&exhibit.content))).collect()
}

fn report(experiment: &'static dyn AnyExperiment, spec: &str) -> String {
    let report = exhibits(experiment, spec).into_iter().find(|(name, _)| name == "report.md");
    report.expect("there is a report").1
}

#[track_caller]
fn check(report: &str, parts: &[&str], absent: &[&str]) {
    for part in parts {
        assert!(report.contains(part), "{part:?} is not in {report}");
    }
    for part in absent {
        assert!(!report.contains(part), "{part:?} is in {report}");
    }
}

#[test]
fn matches_say_what_was_played() {
    let report = report(erased::<OthelloMatch>(), include_str!("../../specs/match-smoke.toml"));
    check(
        &report,
        &[
            "those of the ratings take games",
            "| `agents.4` | `{ kind = \"softmax\", name = \"softmax\", agent = \"d6\" }` | - | ",
            "Learning from game to game: softmax. A pair of games is a trial of its own",
            "`games.ggf` has the first pair of each match",
            " is rated highest**: against an average agent, it is expected to score ",
            "![The score of each agent (row)",
            // Two pairs are too few for a likelihood.
            " | - |\n",
        ],
        &["sequential"],
    );
}

#[test]
fn sequential_matches_name_their_model_and_bounds() {
    let spec = "\
experiment = \"othello-match\"
seed = 3
[params]
pairs = 4
search = { playouts = 20 }
agents = [{ name = \"d8\", kind = \"mcts\", depth = 8 }, { name = \"random\", kind = \"random\" }]
method = { kind = \"sprt\", elo0 = -10, elo1 = 150, most_pairs = 8 }
";
    let report = report(erased::<OthelloMatch>(), spec);
    check(
        &report,
        &[
            "| `method.kind` | `\"sprt\"` | `\"fixed\"` | ",
            "a log-likelihood ratio of -2.944 or 2.944.",
            "Scores and Elo after a sequential stop overstate the true difference",
        ],
        &["learning from game to game"],
    );
}

/// Measures of the looks before become a curve, and what a state cannot say is left out.
#[test]
fn the_course_of_a_test_comes_from_measures() {
    let spec: MatchSpec = serde_json::from_value(json!({
        "pairs": 4,
        "search": { "playouts": 20 },
        "agents": [{ "name": "a", "kind": "mcts", "depth": 8 }, { "name": "b", "kind": "random" }],
        "method": { "kind": "sprt", "elo1": 150, "most_pairs": 8 },
    }))
    .expect("it is a spec");
    let spec = OthelloMatch::check(spec).expect("the spec is valid");
    let seed = RunSeed::new("match", 1);
    let begun = OthelloMatch::begin(&spec, &seed.generation(0), &mut InitialParts::default());
    let state = begun.expect("a state");
    let before = RunHistory { seed: &seed, generations: &[] };
    let findings = OthelloMatch::findings(&spec, &state, &before).expect("there are findings");
    assert_eq!(findings.summary.to_string(), "No games have been played yet.");
    assert_eq!(findings.figures().count(), 0);

    let pair = PairResult::new(2, 1).expect("at most 2 half points");
    let mut played = state;
    played.pairings[0].counts.add(&[pair; 8]);
    let look = |(generation, ratio): (u32, f64)| GenerationMeasures {
        generation,
        measures: vec![Measure::new("log_likelihood_ratio", "", ratio)],
    };
    let looks: Vec<_> = [(0, 0.75), (1, 1.5)].map(look).to_vec();
    let after = RunHistory { seed: &seed, generations: &looks };
    let findings = OthelloMatch::findings(&spec, &played, &after).expect("there are findings");
    let course = findings.figures().find(|figure| figure.name == "course").expect("two looks");
    let svg = course.picture.standalone();
    assert!(svg.contains("log-likelihood ratio: 2 points, 0.75 to 1.5"), "{svg}");
    assert!(svg.contains(">upper bound</text>"), "{svg}");
}

/// Returns a match between agents with these names. Each pairing has results for its pairs, in half
/// points.
fn played(names: &[&str], results: &[(u8, u8)]) -> (CheckedMatch, MatchState) {
    let agents: Vec<_> =
        names.iter().map(|name| json!({ "name": name, "kind": "random" })).collect();
    let spec = json!({ "pairs": 20, "search": { "playouts": 20 }, "agents": agents });
    let spec: MatchSpec = serde_json::from_value(spec).expect("it is a spec");
    let spec = OthelloMatch::check(spec).expect("the spec is valid");
    let seed = RunSeed::new("match", 1).generation(0);
    let mut state = OthelloMatch::begin(&spec, &seed, &mut InitialParts::default()).expect("valid");
    for (pairing, &(first, second)) in state.pairings.iter_mut().zip(results) {
        let [pair, turned] = [[first, second], [second, first]]
            .map(|[first, second]| PairResult::new(first, second).expect("at most 2 half points"));
        pairing.counts.add(&[pair; 10]);
        pairing.counts.add(&[turned; 10]);
        pairing.looks = 1;
    }
    (spec, state)
}

fn summary_of(spec: &CheckedMatch, state: &MatchState) -> String {
    let seed = RunSeed::new("match", 1);
    let history = RunHistory { seed: &seed, generations: &[] };
    let findings = OthelloMatch::findings(spec, state, &history).expect("there are findings");
    findings.to_markdown()
}

fn measured(spec: &CheckedMatch, state: &MatchState) -> Vec<(String, f64)> {
    let measures = OthelloMatch::measures(spec, state).into_iter();
    measures.map(|it| (it.name, it.value.point())).filter(|(name, _)| name != "pairs").collect()
}

/// Winning 20 pairs of 20 shows a score of 0.8609 (0.05^(1/20)), or 316.6 Elo, and 40 of 40 443.7.
#[test]
fn an_agent_that_wins_all_games_stands_first() {
    // Pairings: a-b, a-c, b-c. `c` wins everything, the others are even.
    let (spec, state) = played(&["a", "b", "c"], &[(2, 0), (0, 0), (0, 0)]);
    let text = summary_of(&spec, &state);
    check(
        &text,
        &[
            "\n**c won all 80 games**: at least +444 Elo (95 %). Of the others, **a is rated \
             highest**: against an average agent, it is expected to score 50.0 % (",
            "- Highest rating: **at least +444 Elo (95 %)** (c won all 80 games)",
            "- c has no finite rating: won all 80 games: at least +444 Elo (95 %).",
        ],
        &[],
    );
    let measures = measured(&spec, &state);
    let names: Vec<_> = measures.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a/elo", "b/elo", "c/elo_at_least"]);
    assert!((measures[2].1 - 443.7).abs() < 0.1, "{measures:?}");

    // `b` loses everything.
    let (spec, state) = played(&["a", "b", "c"], &[(2, 2), (2, 0), (0, 0)]);
    let text = summary_of(&spec, &state);
    check(
        &text,
        &[
            "\n**a is rated highest**: ",
            "- b has no finite rating: lost all 80 games: at most -444 Elo",
        ],
        &[],
    );
}

/// Nobody has a finite rating: each wins all games against the next.
#[test]
fn the_first_of_a_strict_order_won_all_its_games() {
    let (spec, state) = played(&["a", "b", "c"], &[(2, 2), (2, 2), (2, 2)]);
    check(&summary_of(&spec, &state), &["**a won all 80 games**"], &["Fewer than two agents"]);
}

#[test]
fn a_match_without_a_loss_has_a_least_difference() {
    let (spec, state) = played(&["a", "b"], &[(2, 2)]);
    check(&summary_of(&spec, &state), &[" Elo.", "unbounded above ("], &["1,199", "1200"]);
    let measures = measured(&spec, &state);
    let [(score, _), (least, elo)] = &measures[..] else { panic!("{measures:?}") };
    assert_eq!([score.as_str(), least.as_str()], ["a/score", "a/elo_at_least"]);
    assert!((100.0..600.0).contains(elo), "{elo}");
    let csv = OthelloMatch::exhibits(&spec, &state).into_iter();
    let csv = csv.filter(|exhibit| exhibit.name == "crosstable.csv");
    let csv: Vec<_> = csv.filter_map(|it| it.content.bytes().map(<[u8]>::to_vec)).collect();
    check(&String::from_utf8_lossy(&csv.concat()), &[",inf,"], &["1199"]);
}

#[test]
fn adjustment_says_what_was_played() {
    let report = report(erased::<OthelloAdjust>(), include_str!("../../specs/adjust-smoke.toml"));
    check(
        &report,
        &[
            "| `bots` | `[2, 6]` | `[5, 10, 15, 20, 25]` |",
            "at least 6 of them",
            "| `search.playouts` | `20` | - |",
            "| fixed | mcts of depth 4, a control |",
            "## Simulated people",
            "| 0 | adjusting | bot-2 | 2 | 2 | yes |",
            "| softmax | bot-2 | 6 | 4 | yes |",
            "The judge of moves, with 100 playouts a move, scores ",
            "The adjusting arm **",
        ],
        &["| 0.0 % (0.0 to 0.0), first half", "NaN", "-inf"],
    );
}

/// Six sequences of four games: games of a sequence depend on each other.
#[test]
fn sequences_are_the_samples_of_a_score() {
    let spec = include_str!("../../specs/adjust-smoke.toml");
    let document = SpecDocument::parse("smoke", spec.as_bytes()).expect("it is TOML");
    let configured = erased::<OthelloAdjust>().configure(&document).expect("it is valid");
    let run = reference::run(erased::<OthelloAdjust>(), configured.as_ref(), 1).expect("it runs");
    let n = |name: &str| {
        let found = run.measures().iter().find(|measure| measure.name == name);
        match found.expect("it is measured").value {
            MeasureValue::Estimate(estimate) => estimate.n,
            _ => panic!("an estimate"),
        }
    };
    assert_eq!((n("softmax/bot-2/score"), n("fixed/bot-2/score")), (6, 4));
}

/// A softmax agent at first meets a BOT that plays at random, nearly, and then one that does not.
#[test]
fn the_lag_behind_a_bot_that_changes_is_measured() {
    let spec = "\
experiment = \"othello-adjust\"
seed = 1
[params]
bots = [{ from = 1, to = 30, at = 20 }]
choices = [1, 30]
fixed = 1
games = 160
sequence = 60
search = { playouts = 20, reading = \"growing-budget\", plies_per_doubling = 8 }
softmax = { lowest_z = -4, highest_z = 12, step = 2, min_step = 1 }
people = { depths = [] }
";
    let shown = exhibits(erased::<OthelloAdjust>(), spec);
    let text = |name: &str| {
        let found = shown.iter().find(|(exhibit, _)| exhibit == name);
        found.expect("it is there").1.as_str()
    };
    check(
        text("report.md"),
        &[
            "Against bot-1-to-30, the softmax arm **follows ",
            "## Changes of strength",
            "| fixed | bot-1-to-30 | 20 | ",
            "| `bots.0.to` | `30` | - |",
        ],
        &["## Verdicts", "## Scores", "## Ladder", "## Naturalness", "NaN", "inf)"],
    );
    let rows: Vec<Vec<&str>> =
        text("changes.csv").lines().map(|line| line.split(',').collect()).collect();
    let at = |name: &str| rows[0].iter().position(|it| *it == name).expect("a column");
    let row = rows.iter().find(|row| row[0] == "softmax").expect("a row");
    let number = |name: &str| row[at(name)].parse::<f64>().expect("a number");
    assert_eq!([row[1], row[2], row[3], row[4]], ["1", "30", "20", "6"]);
    assert!(number("level_before") + 1.0 < number("level_at_end"), "{row:?}");
    let lag = ["lag_low", "lag", "lag_high"].map(number);
    assert!(lag.is_sorted() && 0.0 < lag[0] && lag[2] <= 40.0, "{row:?}");
    let fixed = rows.iter().find(|row| row[0] == "fixed").expect("a row");
    assert_eq!(fixed[at("lag")], "");
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
}

#[test]
fn parts_that_were_not_played_are_left_out() {
    let spec = "\
experiment = \"othello-adjust\"
seed = 1
[params]
bots = [2]
choices = [2, 3]
fixed = 2
arms = []
games = 2
search = { playouts = 10 }
people = { depths = [] }
judge = { games = 0 }
";
    check(
        &report(erased::<OthelloAdjust>(), spec),
        &[
            "There are no verdicts: `arms` lists no arm that adjusts.",
            "No moves were judged: `judge.games` is 0.",
        ],
        &["## Simulated people", "## Learned levels", "sequences of 40"],
    );
}

#[test]
fn strict_and_unchanging_arms_say_what_they_lack() {
    let spec = "\
experiment = \"othello-adjust\"
seed = 1
[params]
bots = [2, 6]
choices = [2, 6]
fixed = 2
arms = [\"adjusting\", \"softmax\"]
games = 12
error_rate = 1e-4
search = { playouts = 10, reading = \"growing-budget\" }
openings = { kind = \"start\" }
rules = { choices = 1 }
softmax = { control = \"none\" }
people = { depths = [] }
judge = { playouts = 100, empties = 4, games = 4 }
";
    let report = report(erased::<OthelloAdjust>(), spec);
    check(
        &report,
        &[
            "There are no intervals: `error_rate` is below 0.0002, the lowest that they can have.",
            "| `openings.kind` | `\"start\"` | `\"random\"` | ",
            "| `rules.choices` | `1` | ",
            "| corner left | bad shape | per 100 moves |",
            "| result flip | clearly losing | per 100 exact moves |",
            "| adjusting | bot-2 | ",
            "## Learned levels",
            "Nearer against one kind only is no adapting",
        ],
        &["bad_shape", "p 0.0000"],
    );
    let levels = report.split("## Learned levels").nth(1).and_then(|it| it.split("## ").next());
    check(levels.unwrap_or_default(), &["| adjusting | bot-6 | "], &["| softmax |"]);
}

#[test]
fn ladders_say_where_replays_are() {
    let report = report(erased::<OthelloLadder>(), include_str!("../../specs/ladder-smoke.toml"));
    check(&report, &["0: 1 against 2, 1: 1 against 4, 2: 2 against 4"], &["R² = 1.000"]);
}
