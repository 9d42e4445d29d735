//! Decks that logs make from the played decks.

use std::collections::BTreeMap;

use hatchery_core::spec::FileList;
use hatchery_core::{Experiment, WireValue, conformance};
use hatchery_othellonia::generate::PoolSettings;
use hatchery_othellonia::params::agent_param::{AgentParam, AgentPreset, RandomParam, RuleParam};
use hatchery_othellonia::params::learning_games_param::GeneratedDecksParam;
use hatchery_othellonia::record::GameFile;
use hatchery_othellonia::rules::Player;
use hatchery_othellonia::studies::specs::{LogsSpec, LogsState};
use hatchery_othellonia::{OthelloniaLogs, OthelloniaMatrix};

use super::logs::run;
use crate::CheckedSpec as _;

/// Returns a spec of generated decks and two agents, with a pair of games for each match-up.
fn spec(n_decks: u32) -> LogsSpec {
    let rule = RuleParam { preset: AgentPreset::Hard, temperature: None };
    LogsSpec {
        decks: FileList::default(),
        random_decks: None,
        generated_decks: Some(GeneratedDecksParam { count: n_decks, seed: 1 }),
        pool: PoolSettings { kinds: 200, ..PoolSettings::default() },
        pieces: FileList::default(),
        cost_cap: 250,
        agents: vec![AgentParam::Random(RandomParam {}), AgentParam::Rule(rule)],
        pairs: 1,
        table_games: 0,
    }
}

/// Returns the exhibits by name.
fn exhibits(spec: &LogsSpec, state: &LogsState) -> BTreeMap<String, Vec<u8>> {
    let exhibits = OthelloniaLogs::exhibits(&spec.checked(), state).into_iter();
    exhibits
        .map(|it| {
            let bytes = it.content.bytes().expect("it is no part").to_vec();
            (it.name, bytes)
        })
        .collect()
}

fn text(exhibits: &BTreeMap<String, Vec<u8>>, name: &str) -> String {
    String::from_utf8(exhibits[name].clone()).expect("it is a text")
}

#[test]
fn mined_decks_can_be_pasted_into_a_spec() {
    let spec = spec(16);
    let state = run(&spec);
    let shown = exhibits(&spec, &state);
    let fragment = text(&shown, "mined-decks.toml");
    assert_eq!(fragment, text(&exhibits(&spec, &run(&spec)), "mined-decks.toml"));
    assert!(
        fragment.starts_with(
            "# Decks for a spec with pool.seed = 1, pool.kinds = 200 and cost_cap = 250.\n"
        ),
        "{fragment}"
    );
    let names: Vec<_> = fragment.lines().filter_map(|line| line.split("name = ").nth(1)).collect();
    let names: Vec<_> = names.iter().filter_map(|it| it.split('"').nth(1)).collect();
    assert_eq!(names[..5], ["god", "demon", "dragon", "mixed", "mined-1"]);
    assert_eq!(names.len(), 20);
    // Decks of other pieces, or too expensive ones, would be refused.
    let with = |kinds: u32, cost_cap: u32| {
        format!(
            "experiment = 'othellonia-matrix'\nseed = 1\n{fragment}pairs = 1\nlooks = 1\n\
             agent = {{ kind = 'random' }}\npool = {{ kinds = {kinds} }}\ncost_cap = {cost_cap}\n"
        )
    };
    let accepted = |text: &str| conformance::Recording::<OthelloniaMatrix>::new(text).map(drop);
    accepted(&with(200, 250)).expect("the decks are legal");
    assert!(accepted(&with(30, 250)).is_err());
    assert!(accepted(&with(200, 150)).is_err());
}

/// The wins in the report equal the wins that replays of the recorded games find.
#[test]
fn best_decks_are_those_with_most_wins() {
    let spec = spec(16);
    let shown = exhibits(&spec, &run(&spec));
    let file = GameFile::decode_message(&shown["games.bin"]).expect("it is a file of games");
    let mut results: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for record in file.series.iter().flat_map(|series| &series.records) {
        if record.decks[0] == record.decks[1] {
            continue;
        }
        let end = record.replay(file.decks_of(record), &mut ()).expect("it is a game");
        let winner = end.outcome().expect("it has ended").winner;
        for player in Player::ALL {
            let deck = usize::from(record.decks[player.index()]);
            let result = results.entry(&file.decks[deck].0).or_default();
            result[0] += u32::from(winner == Some(player));
            result[1] += 1;
        }
    }
    let share = |name: &str| {
        let [wins, games] = results[name].map(f64::from);
        100.0 * wins / games
    };
    let report = text(&shown, "report.md");
    let (_, clusters) = report.split_once("| Best deck |").expect("a table of clusters");
    let (clusters, _) = clusters.split_once("\n\n").expect("the table ends");
    let best = clusters.lines().filter_map(|row| row.trim_end_matches(" |").rsplit_once("| "));
    let best: Vec<_> = best.filter_map(|(_, cell)| cell.split_once(": ")).collect();
    assert!(2 <= best.len(), "{report}");
    for (name, found) in &best {
        assert_eq!(*found, format!("{:.1} %", share(name)), "{name}");
    }
    // The best of all decks is the best of its cluster.
    let most = results.keys().copied().max_by(|a, b| share(a).total_cmp(&share(b)));
    let most = format!("{:.1} %", share(most.expect("there are decks")));
    assert!(best.iter().any(|(_, found)| **found == most), "{most} in {best:?}");
}

#[test]
fn too_few_decks_are_said() {
    let reason = |spec: &LogsSpec, state: &LogsState| {
        let shown = exhibits(spec, state);
        assert!(!shown.contains_key("mined-decks.toml"));
        let report = text(&shown, "report.md");
        let (_, reason) = report.split_once("No decks are made of those of this run: ").unwrap();
        reason.lines().next().unwrap().to_owned()
    };
    let few = spec(11);
    let expected = "11 decks with different pieces, but 12 or more are needed.";
    assert_eq!(reason(&few, &run(&few)), expected);
    let expected = "no games of deck burst-1 against other decks.";
    assert_eq!(reason(&spec(12), &LogsState::default()), expected);
}
