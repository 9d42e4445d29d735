//! Checks which games each generation plays.

use super::run;

#[test]
fn judged_maps_are_not_played_on() {
    // The margin is so wide that even maps are fair at the first or second look, and nothing is
    // unfair.
    let output =
        run("maps = ['rulebook', 'tournament']\nrandom = [{ policy = 'free', count = 4 }]\n\
                   games = 40\nmargin = 12\n\
                   method = { kind = 'group-sequential', most_games = 320 }");
    let last = output.last();
    for map in &last.candidates {
        // Looks after 40, 80, 160 and 320 games.
        assert_eq!(map.judged.games, 40 << (map.looks - 1), "{map:?}");
    }
    assert!(last.candidates.iter().any(|map| map.looks < 4), "no map was judged early");
    let decided = output.measure("fair") + output.measure("unfair") + output.measure("undecided");
    assert!((decided - 6.0).abs() < 1e-9);
    // A map that is no longer played does not change.
    for (before, after) in output.states.iter().zip(&output.states[1..]) {
        for (before, after) in before.candidates.iter().zip(&after.candidates) {
            assert!(before.looks != after.looks || before == after);
        }
    }
}

#[test]
fn candidates_are_halved_and_the_best_judged_afresh() {
    let output = run("random = [{ policy = 'free', count = 9 }]\ngames = 50\n\
                   halving = { budget = 1000, one_of = 3, keep = 2 }");
    // Sequential halving has the rounds 9 and 3, 500 games each: 55 and 166 games of each map.
    let games: Vec<[u64; 4]> = output
        .states
        .iter()
        .map(|state| {
            let played = |games| {
                let count = state.candidates.iter().filter(|map| map.screened.games == games);
                count.count() as u64
            };
            let judged = state.candidates.iter().map(|map| map.judged.games).sum();
            [played(0), played(55), played(55 + 166), judged]
        })
        .collect();
    assert_eq!(games, [[9, 0, 0, 0], [0, 9, 0, 0], [0, 6, 3, 0], [0, 6, 3, 100]]);
    // The maps that stayed are the most even.
    let evenness = |wins: [u64; 4]| {
        let n: u64 = wins.iter().sum();
        wins.iter().map(|&wins| (4 * wins).abs_diff(n).pow(2)).sum::<u64>()
    };
    let after_first = &output.states[1].candidates;
    let worst_kept = after_first.iter().filter(|map| map.survived == 1);
    let worst_kept = worst_kept.map(|map| evenness(map.screened.wins)).max().unwrap();
    let best_dropped = after_first.iter().filter(|map| map.survived == 0);
    assert!(worst_kept <= best_dropped.map(|map| evenness(map.screened.wins)).min().unwrap());
}

#[test]
fn games_that_are_stopped_are_counted_apart() {
    let output = run("maps = ['rulebook']\ngames = 100\nturn_cap = 250");
    let results = &output.last().candidates[0].judged;
    assert!(0 < results.undecided() && 0 < results.decided(), "{results:?}");
    assert_eq!(results.turns.longest, 250);
    let rates: f64 = (1..=4).map(|seat| output.measure(&format!("seat_{seat}_wins"))).sum();
    assert!((rates - 100.0).abs() < 1e-9, "{rates}");
    // Nobody wins within 20 turns: no rates, no verdict, no panic.
    let output = run("maps = ['rulebook']\ngames = 10\nturn_cap = 20");
    assert!((output.measure("undecided_games") - 10.0).abs() < 1e-9);
    assert!(output.exhibit("report.md").contains("| rulebook |"));
}

/// Different agents sit in all orders equally often, wherever looks cut.
#[test]
fn seats_have_each_agent_equally_often() {
    let output = run("maps = ['rulebook']\ngames = 100\n\
                   method = { kind = 'anytime', most_games = 240 }\nmargin = 0.01\n\
                   pool = { agents = [{ kind = 'value' }, { kind = 'random' }, \
                       { kind = 'random' }, { kind = 'random' }] }");
    let last = output.last();
    assert_eq!(last.candidates[0].judged.games, 240);
    // Places with equal agents are one agent.
    assert!(90.0 < output.measure("agent_1_wins") && output.measure("agent_2_wins") < 10.0);
    // The value player wins nearly always: 60 games on each seat.
    assert!(230 <= last.wins_of_agents[0], "{:?}", last.wins_of_agents);
    let wins = last.candidates[0].judged.wins;
    assert!(wins.iter().all(|wins| (55..=65).contains(wins)), "{wins:?}");
    let report = output.exhibit("report.md");
    assert!(report.contains("| value | 1 |") && report.contains("| random | 3 |"), "{report}");
}
