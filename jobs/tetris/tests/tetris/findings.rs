//! Findings of whole runs: what they say before, during and after the games.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{
    AnyExperiment, Findings, Measure, MeasureValue, RunHistory, RunSeed, erased, reference,
};
use hatchery_tetris::{TetrisCompare, TetrisEvaluate, TetrisEvolve};

const EVALUATE: &str = include_str!("../../specs/evaluate-smoke.toml");
const SPLITTING: &str = "games = 6\nestimator = 'splitting'\n\
                         splitting = { climbs = 20, streams = 4, burn_in = 10, pieces = 60 }\n";

/// Runs a spec, and returns the findings about every state.
fn findings(experiment: &'static dyn AnyExperiment, spec: &str) -> Vec<Findings> {
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = experiment.configure(&document).expect("it is valid");
    let run = reference::run(experiment, configured.as_ref(), 1).expect("it runs");
    let seed = RunSeed::new("tetris", 1);
    let of_state = |(n_folded, state): (usize, &Vec<u8>)| {
        let history = RunHistory { seed: &seed, generations: &run.history[..n_folded] };
        configured.findings(state, &history).expect("it is a state").expect("there are findings")
    };
    run.states.iter().enumerate().map(of_state).collect()
}

#[track_caller]
fn check(findings: &Findings, parts: &[&str]) {
    let text = findings.to_markdown();
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf ") && !text.contains("inf)"), "{text}");
}

#[test]
fn evaluation_ranks_controllers_in_each_condition() {
    let all = findings(erased::<TetrisEvaluate>(), EVALUATE);
    let [before, after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["2 Tetris controllers clear on 2 boards", "No games have been played yet."]);
    assert!(before.sections.is_empty(), "{before:?}");
    check(
        after,
        &[
            "On 6x8, **",
            "## On 10x8",
            "](lines-2.svg)",
            "times dellacherie",
            "Stopped games: 0.",
            "| `games` | `20` | - | ",
            "`scores.csv`",
        ],
    );
}

#[test]
fn enough_games_show_their_spread() {
    let spec = EVALUATE.replace("games = 20", "games = 200");
    let all = findings(erased::<TetrisEvaluate>(), &spec);
    check(&all[1], &["## How scores spread on 6x8", "](score-spread.svg)"]);
}

#[test]
fn stopped_games_are_told() {
    let spec = EVALUATE.replace("games = 20", "games = 20\nmax_pieces = 3");
    let all = findings(erased::<TetrisEvaluate>(), &spec);
    check(&all[1], &["stopped games", "are too low.", "Stopped games: 80."]);
    let [stopped, complete] = [&spec, EVALUATE].map(table);
    let head =
        "| lines | mean | standard deviation | median | stopped games |\n|---|---|---|---|---|\n";
    assert!(stopped.starts_with(head) && stopped.contains(" | 20 |\n"), "{stopped}");
    assert!(stopped.contains("intervals too, are too low.\n"), "{stopped}");
    assert!(!complete.contains("stopped"), "{complete}");
}

/// Returns `table.md` of the last state.
fn table(spec: &str) -> String {
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = erased::<TetrisEvaluate>().configure(&document).expect("it is valid");
    let run = reference::run(erased::<TetrisEvaluate>(), configured.as_ref(), 1).expect("it runs");
    let state = run.states.last().expect("a run has a state");
    let exhibits = configured.exhibits(state).expect("it is a state").into_iter();
    let table = exhibits.filter(|exhibit| exhibit.name == "table.md");
    let bytes = table.filter_map(|exhibit| exhibit.content.bytes().map(<[u8]>::to_vec));
    String::from_utf8(bytes.collect::<Vec<_>>().concat()).expect("it is text")
}

#[test]
fn lists_of_one_length_are_told_apart_and_complete() {
    let draws = "games = 20\ncorrelate = true\n\
                 draws = [{ name = 'first', list = 'OOOO' }, { name = 'second', list = 'SSSS' }]";
    let controllers = (0..4).map(|idx| {
        format!("[[params.controllers]]\nname = 'c{idx}'\nweights = {{ holes = -{idx} }}\n")
    });
    let head = "experiment = 'tetris-evaluate'\nseed = 1\n[params]\n\
                boards = [{ width = 8, height = 8 }]\n";
    let spec = format!("{head}{draws}\n{}", controllers.collect::<String>());
    let all = findings(erased::<TetrisEvaluate>(), &spec);
    check(
        &all[1],
        &[
            "On 8x8, a list of 4 pieces, first, ",
            "## On 8x8, a list of 4 pieces, second",
            "all have the same pieces.",
            "none: all means of a condition are equal",
        ],
    );
    let text = all[1].to_markdown();
    assert!(!text.contains("too low") && !text.contains("partly lucky"), "{text}");
}

#[test]
fn splitting_tells_means_without_medians() {
    let all = findings(erased::<TetrisEvaluate>(), &EVALUATE.replace("games = 20\n", SPLITTING));
    check(&all[1], &["| `estimator` | `\"splitting\"` | `\"games\"` | ", "ends seen"]);
    assert!(!all[1].to_markdown().contains("median |"), "{:?}", all[1]);
}

#[test]
fn comparison_grows_with_its_curves() {
    let spec = include_str!("../../specs/compare-smoke.toml");
    let all = findings(erased::<TetrisCompare>(), spec);
    let [before, .., after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["5 optimizers of Tetris controllers with 4,000 pieces each", "yet."]);
    assert_eq!(before.figures().count(), 0);
    let so_far = |it: &&Findings| it.to_markdown().contains("So far, after ");
    let during = all.iter().find(so_far).expect("points are reached before the end");
    check(during, &["](learning-curves.svg)", "has found the best controllers"]);
    check(after, &["After ", "](common-point.svg)", "times genetic", "| `searches.1` | "]);
}

#[test]
fn evolution_tells_its_population_and_then_its_champion() {
    let all = findings(erased::<TetrisEvolve>(), include_str!("../../specs/evolve-smoke.toml"));
    let [before, .., after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["No generation has been scored yet."]);
    check(&all[2], &["**The population clears ", " lines** (", "](learning-curve.svg)"]);
    check(&all[2], &["](population-strip.svg)"]);
    check(after, &["**The champion clears ", "](learning-curve.svg)"]);
}

/// Runs `evolve-smoke` with other lines in place of some of its own, and returns the measures of
/// the first generation that has scored a population.
fn population(replacements: &[(&str, &str)]) -> Vec<Measure> {
    let spec = include_str!("../../specs/evolve-smoke.toml").to_owned();
    let spec = replacements.iter().fold(spec, |spec, (line, other)| {
        assert!(spec.contains(line), "{line:?} is not in {spec}");
        spec.replace(line, other)
    });
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = erased::<TetrisEvolve>().configure(&document).expect("it is valid");
    let run = reference::run(erased::<TetrisEvolve>(), configured.as_ref(), 1).expect("it runs");
    let has_strip =
        |measures: &&Vec<Measure>| measures.iter().any(|measure| measure.name == "fitness_median");
    run.history.into_iter().map(|it| it.measures).find(|it| has_strip(&it)).expect("it is scored")
}

#[track_caller]
fn value(measures: &[Measure], name: &str) -> MeasureValue {
    measures.iter().find(|measure| measure.name == name).expect(name).value
}

#[test]
fn fitness_has_intervals_and_a_distribution() {
    let measures = population(&[]);
    let (MeasureValue::Estimate(best), MeasureValue::Estimate(mean)) =
        (value(&measures, "best_fitness"), value(&measures, "mean_fitness"))
    else {
        panic!("{measures:?}");
    };
    // 4 games of each of 12 individuals in 2 replicates.
    assert_eq!((best.n, mean.n), (4, 96));
    assert!(mean.low < mean.mean && mean.mean < mean.high && mean.mean < best.mean, "{mean:?}");
    let quantiles = ["lowest", "lower_quartile", "median", "upper_quartile", "highest"];
    let quantiles = quantiles.map(|name| value(&measures, &format!("fitness_{name}")).point());
    assert!(quantiles.is_sorted(), "{quantiles:?}");
    assert!((quantiles[4] - best.mean).abs() < 1e-9, "{quantiles:?} {best:?}");
    let selected = measures.iter().find(|measure| measure.name == "best_fitness").unwrap();
    assert_eq!(selected.selected_from, Some(24));
}

/// Elites keep the scores from earlier generations, which count with the scores from their new
/// games.
#[test]
fn pooled_scores_have_intervals_too() {
    let spec = include_str!("../../specs/evolve-smoke.toml");
    let spec = spec.replace("copies = 2", "copies = 6, pool_scores = true");
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = erased::<TetrisEvolve>().configure(&document).expect("it is valid");
    let run = reference::run(erased::<TetrisEvolve>(), configured.as_ref(), 1).expect("it runs");
    let best = run.history[..3].iter().map(|it| value(&it.measures, "best_fitness"));
    let n_games: Vec<_> = best
        .map(|best| match best {
            MeasureValue::Estimate(best) if best.low < best.mean && best.mean < best.high => best.n,
            _ => panic!("{best:?}"),
        })
        .collect();
    assert!(n_games[0] == 4 && n_games.iter().any(|n| 4 < *n), "{n_games:?}");
}

#[test]
fn stopped_games_tell_no_interval() {
    let games = "games = 4\ngame = { height = 10";
    let allocated = "games = 4\n\
                     allocation = { exposure = 60, further = [{ share = 0.5, games = 2 }] }\n\
                     game = { height = 10";
    let measures = population(&[(games, allocated)]);
    for name in ["best_fitness", "mean_fitness"] {
        assert!(matches!(value(&measures, name), MeasureValue::Number(_)), "{measures:?}");
    }
    assert!(value(&measures, "fitness_lowest").point().is_finite());
}
