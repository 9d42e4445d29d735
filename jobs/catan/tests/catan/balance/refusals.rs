//! Bad specs are refused with an error that names the place.

use std::error::Error;

use hatchery_catan::{CatanBalance, Map, map::MapFile};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, erased};

use super::spec;

/// Returns the error that refuses a spec with these parameters.
fn refusal(params: &str) -> Option<String> {
    let begin = || -> Result<(), Box<dyn Error>> {
        let document = SpecDocument::parse("test", spec(params).as_bytes())?;
        let procedure = erased::<CatanBalance>().configure(&document)?;
        procedure.begin(&RunSeed::new("catan-balance", 1).generation(0), &[])?;
        Ok(())
    };
    begin().err().map(|error| error.to_string())
}

#[track_caller]
fn check(params: &str, expected: &str) {
    let refusal = refusal(params).expect("the spec is bad");
    assert!(refusal.contains(expected), "{refusal}");
}

#[test]
fn bad_maps_name_the_place() {
    check("maps = ['rulebook', 'atlantis']", "maps.1 is \"atlantis\", but must be `rulebook`");
    let line = Map::RULEBOOK.to_string();
    check(
        &format!("maps = ['{}']", line.replacen('B', "X", 1)),
        "tile 5 (q 0, r -1): unknown terrain `X`",
    );
    check(
        &format!("maps = [{{ name = 'mine', map = '{}' }}]", &line[1..]),
        "maps.0.map is \"SWGBSB",
    );
    let json = MapFile::RULEBOOK.replacen("\"brick\"", "\"gold\"", 1);
    check(&format!("maps = ['''{json}''']"), "tile 5 (q 0, r -1): unknown terrain `gold`");
    let json = MapFile::RULEBOOK.replacen("\"wood\"]", "\"brick\"]", 1);
    check(&format!("maps = ['''{json}''']"), "2 ports are brick instead of 1");
    let json = MapFile::RULEBOOK.replacen("},", "}", 1);
    check(&format!("maps = ['''{json}''']"), "at line 6 column 37");
    check("maps = ['{\"tiles\": []}']", "tile 1 (q 0, r -2) is missing");
    check("maps = []", "maps is 0 maps, but must be from 1 to 20000 maps");
    check(
        "random = [{ policy = 'free', count = 1 }, { policy = 'free', count = 2 }]",
        "random.1.policy is free, but must be another policy",
    );
}

#[test]
fn maps_in_full_are_read() {
    let catanatron = include_str!("../../data/tournament.catanatron.json");
    let (file, line) = (MapFile::RULEBOOK, Map::RULEBOOK);
    let params = format!(
        "maps = ['tournament', '{line}', '''{file}''', '''{catanatron}''', \
         {{ name = 'mine', map = '''{file}''' }}]"
    );
    assert_eq!(refusal(&params), None);
}

#[test]
fn names_are_unique_and_plain() {
    let named = |name| format!("{{ name = '{name}', map = 'rulebook' }}");
    check(&format!("maps = [{}]", named("a b")), "maps.0.name is \"a b\", but must be 1 to 80");
    check(&format!("maps = [{}, {}]", named("a"), named("a")), "maps.1.name is \"a\"");
    check(&format!("maps = [{}]", named("free-1")), "the names of policies");
    check(&format!("maps = [{}]", named("map-2")), "the names of policies");
    check("maps = ['rulebook', 'rulebook']", "maps.1.name is \"rulebook\"");
}

/// The name in a file is a proposal: files of drawn maps may come back, and come twice.
#[test]
fn names_of_files_give_way() {
    let file = |name: &str| {
        let map = MapFile { name: Some(name.to_owned()), certificate: None, map: Map::RULEBOOK };
        format!("'''\u{feff}{}'''", map.to_json())
    };
    for names in [["free-1", "free-1"], ["Free for all", "mine"], ["map-2", "map-2"]] {
        let [first, second] = names.map(file);
        let random = "random = [{ policy = 'free', count = 2 }]";
        assert_eq!(refusal(&format!("maps = [{first}, {second}]\n{random}")), None, "{names:?}");
    }
}

#[test]
fn parameters_that_do_not_fit_together_are_refused() {
    let check =
        |more: &str, expected: &str| check(&format!("maps = ['rulebook']\n{more}"), expected);
    check("game = 3", "there is no game; did you mean games? known are");
    check("pool = {}", "pool has no agents: it must have agents, a list, or agent, one for all");
    let four = "{ kind = 'random' }, ".repeat(4);
    check(
        &format!("pool = {{ agent = {{ kind = 'value' }}, agents = [{four}] }}"),
        "pool has both agents and agent, but must have one of them",
    );
    check(
        "method = { kind = 'fixed', most_games = 9 }",
        "there is no method.most_games; known are kind",
    );
    check(
        "method = { kind = 'anytime', most_games = 100 }",
        "method.most_games is 100, but must be at least `games`, 2000",
    );
    check(
        "games = 1\nmethod = { kind = 'anytime', most_games = 1001 }",
        "at most 1000 times `games`, 1",
    );
    check(
        "halving = { budget = 10 }",
        "halving.keep is 1, but must be below the number of maps, 1",
    );
    check(
        "random = [{ policy = 'free', count = 15 }]\nhalving = { budget = 10 }",
        "the budget of 10 trials is too small, at least 32 are needed",
    );
}

#[test]
fn games_have_two_to_four_players_and_three_to_twenty_points() {
    let check =
        |more: &str, expected: &str| check(&format!("maps = ['rulebook']\n{more}"), expected);
    let agents =
        |n: usize| format!("pool = {{ agents = [{}] }}", "{ kind = 'random' }, ".repeat(n));
    for n in [1, 5] {
        check(&agents(n), "pool.agents is [{ kind = \"random\" },");
        check(&agents(n), "but must be a list of 2 to 4 entries");
        let pool = format!("pool = {{ agent = {{ kind = 'random' }}, players = {n} }}");
        check(&pool, &format!("pool.players is {n}, but must be an integer from 2 to 4"));
    }
    for n in [2, 21] {
        let expected = format!("points_to_win is {n}, but must be an integer from 3 to 20");
        check(&format!("points_to_win = {n}"), &expected);
    }
    check("robber = 'kind'", "robber is \"kind\", but must be one of \"usual\", \"friendly\"");
    let (four, players) = (agents(4), "seating = 'fixed', players = 4 }");
    let both = format!("{}, {players}", four.trim_end_matches(" }"));
    check(&both, "pool has both agents and players, but as many play as agents has entries");
    for n in 2..=4 {
        assert_eq!(refusal(&format!("maps = ['rulebook']\n{}", agents(n))), None);
    }
}

/// The number of games does not depend on verdicts: what counts is the most that there may be.
#[test]
fn more_trials_than_a_run_keeps_are_refused() {
    let keep = |games: &str| {
        format!("random = [{{ policy = 'free', count = 500 }}]\nkeep_trials = true\n{games}")
    };
    assert_eq!(refusal(&keep("games = 2000")), None);
    let expected = |n_trials: u32| {
        format!(
            "keep_trials is true, but must be false, or fewer games or maps: the run has up to \
             {n_trials} games, and at most 1000000 are kept"
        )
    };
    check(&keep("games = 2001"), &expected(1_000_500));
    let looks = "games = 10\nmethod = { kind = 'anytime', most_games = 2040 }";
    check(&keep(looks), &expected(1_020_000));
    let rounds = "games = 100_000\nhalving = { budget = 600_000, one_of = 500, keep = 6 }";
    check(&keep(rounds), &expected(1_200_000));
}
