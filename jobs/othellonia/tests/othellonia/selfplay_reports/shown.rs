//! Measures, names and reports.

use hatchery_core::{Exhibit, Experiment, MeasureValue, text::is_plain_name};
use hatchery_othellonia::OthelloniaSelfplay;
use hatchery_othellonia::studies::specs::{SelfplaySpec, SelfplayState};

use crate::CheckedSpec as _;
use crate::selfplay_reports::made_up::{PAPER, WIDE, begin, one_period, paper, spec, wide};

pub(crate) fn text(spec: &SelfplaySpec, state: &SelfplayState, name: &str) -> String {
    let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), state);
    let exhibit = exhibits.iter().find(|exhibit| exhibit.name == name).expect(name);
    String::from_utf8(exhibit.content.bytes().expect("no part").to_vec()).expect("it is valid")
}

fn names(spec: &SelfplaySpec, state: &SelfplayState) -> Vec<String> {
    let measures = OthelloniaSelfplay::measures(&spec.checked(), state);
    measures.into_iter().map(|measure| measure.name).collect()
}

fn value(spec: &SelfplaySpec, state: &SelfplayState, name: &str) -> MeasureValue {
    let measures = OthelloniaSelfplay::measures(&spec.checked(), state);
    measures.into_iter().find(|measure| measure.name == name).expect(name).value
}

/// Compares a text with the file of that name, which `UPDATE_GOLDEN=1 cargo test -p
/// hatchery-othellonia-tests` renews.
#[expect(clippy::disallowed_methods, reason = "a test that reads its golden file")]
fn check_golden(name: &str, found: &str) {
    let path = format!("{}/othellonia/selfplay_reports/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the folder can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the file is there");
    assert!(
        found == golden,
        "{name} differs: UPDATE_GOLDEN=1 shows the difference in git\n{found}"
    );
}

#[test]
fn win_rates_are_the_first_measures() {
    let spec = spec(WIDE);
    let state = wide(&spec);
    let expected = [
        "vectors/win_rate_against_random",
        "vectors/win_rate_against_standard",
        "vectors/games",
        "vectors/steps",
        "vectors/evaluated_games",
        "vectors/loss",
        "vectors/replay_ratio",
        "vectors/sample_age",
        "lag",
        "games",
    ];
    assert_eq!(names(&spec, &state), expected);
    assert_eq!(value(&spec, &state, "lag"), MeasureValue::Count(1));
    // 56 decisions are 2 games, and each was drawn 4 times.
    for (name, expected) in [("vectors/sample_age", 2.0), ("vectors/replay_ratio", 4.0)] {
        let found = value(&spec, &state, name).point();
        assert!((found - expected).abs() < 1e-12, "{name} {found}");
    }
}

/// Two networks that won 80 and 81 of 100 pairs won 322 of 400 games. The interval is that of
/// Wilson (JASA 22, 1927).
#[test]
fn seeds_are_pooled() {
    let spec = spec(PAPER);
    let state = paper(&spec);
    let name = "vectors/win_rate_against_rule_0_5";
    let MeasureValue::Estimate(rate) = value(&spec, &state, name) else { panic!("no interval") };
    let (share, z) = (161.0 / 200.0, 1.959_963_984_540_054_f64);
    let n = 400.0;
    let center = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    assert_eq!(rate.n, 400);
    for (found, expected) in
        [(rate.mean, share), (rate.low, center - half), (rate.high, center + half)]
    {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }
    assert_eq!(value(&spec, &state, "lag"), MeasureValue::Count(0));
    let rate = value(&spec, &state, "vectors/win_rate_in_training").point();
    assert!((rate - 0.5).abs() < 1e-12, "{rate}");
}

#[test]
fn reports_say_what_was_run() {
    let (wide_spec, paper_spec) = (spec(WIDE), spec(PAPER));
    check_golden("wide.md", &text(&wide_spec, &wide(&wide_spec), "report.md"));
    check_golden("paper.md", &text(&paper_spec, &paper(&paper_spec), "report.md"));
    check_golden("one-period.md", &text(&wide_spec, &one_period(&wide_spec), "report.md"));
}

/// A run that has only begun has no win rates, and says so.
#[test]
fn empty_states_are_shown() {
    let spec = spec(WIDE);
    let state = begin(&spec);
    assert!(text(&spec, &state, "report.md").contains("No network has learned yet"));
    assert_eq!(names(&spec, &state), ["vectors/games", "vectors/steps", "lag", "games"]);
    assert_eq!(text(&spec, &state, "scalars.csv").lines().count(), 1);
    let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), &state);
    assert!(exhibits.iter().all(|exhibit| !exhibit.name.ends_with(".svg")));
}

#[test]
fn exhibits_have_names_of_files() {
    for (text, state) in [(WIDE, wide as fn(&SelfplaySpec) -> SelfplayState), (PAPER, paper)] {
        let spec = spec(text);
        let state = state(&spec);
        let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), &state);
        let parts = OthelloniaSelfplay::parts(&state);
        for Exhibit { name, content, .. } in &exhibits {
            assert!(is_plain_name(name, 64), "{name}");
            if content.bytes().is_none() {
                assert!(parts.iter().any(|part| part.hash() == content.hash()), "{name}");
            }
        }
    }
}

/// Eight curves in one chart could not be told apart: each opponent has one.
#[test]
fn charts_have_few_curves() {
    let charts = |text: &str, state: fn(&SelfplaySpec) -> SelfplayState| {
        let spec = spec(text);
        let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), &state(&spec));
        let names = exhibits.into_iter().map(|exhibit| exhibit.name);
        names.filter(|name| name.ends_with(".svg")).collect::<Vec<_>>()
    };
    assert_eq!(charts(WIDE, wide), ["learning-curves.svg", "losses.svg"]);
    let expected = ["random", "rule-0.5", "hard", "lookahead"];
    let expected = expected.map(|it| format!("learning-curves-{it}.svg")).into_iter();
    let expected: Vec<_> = expected.chain(["losses.svg".to_owned()]).collect();
    assert_eq!(charts(PAPER, paper), expected);
}

/// An agent is there for each network, and that of the first one also by a name that needs no arm.
#[test]
fn agents_are_exhibits() {
    let spec = spec(PAPER);
    let state = paper(&spec);
    let exhibits = OthelloniaSelfplay::exhibits(&spec.checked(), &state);
    let agents = exhibits.iter().filter(|exhibit| exhibit.name.ends_with(".safetensors"));
    let found: Vec<_> = agents.map(|exhibit| exhibit.name.as_str()).collect();
    let expected = [
        "agent-vectors.safetensors",
        "agent.safetensors",
        "agent-vectors-2.safetensors",
        "agent-deck-one-hot.safetensors",
        "agent-deck-one-hot-2.safetensors",
        "vectors.safetensors",
    ];
    assert_eq!(found, expected);
}
