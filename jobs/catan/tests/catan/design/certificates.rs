//! Checks certificates of maps with known true rates.

use hatchery_catan::Map;
use hatchery_catan::features::draft_features;

use super::world::{RunOutput, run, sigma};

/// Returns rates that are uneven by what the draft gives the first and the last seat, equally often
/// in either direction.
fn by_draft(map: &Map) -> [f64; 4] {
    let seats = &draft_features(map)[8..12];
    let more = 0.01 * (seats[0] - seats[3]);
    [0.25 + more, 0.25, 0.25, 0.25 - more]
}

/// Returns rates with a standard deviation of 0.6 percentage points: too close to the margin to be
/// refuted soon.
fn beyond_the_margin(_: &Map) -> [f64; 4] {
    [0.256, 0.244, 0.256, 0.244]
}

/// Returns rates with a standard deviation of 0.5 percentage points: the margin itself.
fn at_the_margin(_: &Map) -> [f64; 4] {
    [0.255, 0.245, 0.255, 0.245]
}

const LEARNING: &str = "learning = { unlabelled = 300, candidates = 300 }\n";

const CERTIFY: &str = "\
    [params.certify]\n\
    wanted = 5\n\
    candidates = 500\n\
    rounds = [{ maps = 40, games = 1000 }, { maps = 16, games = 4000 }]\n\
    finalists = 10\n\
    games = 20_000\n\
    most_games = 160_000\n";

#[test]
fn certified_maps_are_even() {
    let output = run(
        &format!(
            "labels = {{ method = 'posterior' }}\nfeatures = {{ set = 'draft' }}\n\
             {LEARNING}{CERTIFY}"
        ),
        by_draft,
    );
    assert!(5.0 <= output.measure("certified_maps"), "{}", output.exhibit("report.md"));
    let certified = output.column("finalists.csv", "standing").into_iter();
    let maps = certified.zip(output.column("finalists.csv", "line"));
    for (_, line) in maps.filter(|(standing, _)| *standing == "certified") {
        let truth = sigma(by_draft(&line.parse().unwrap()));
        assert!(truth < 0.5, "{line} is certified, but {truth} points uneven");
    }
    let json = output.exhibit("certified-1.json");
    assert!(hatchery_catan::map::MapFile::from_json(json).is_ok(), "{json}");
}

/// The run stops as soon as enough maps are certified, and plays only maps without a verdict.
#[test]
fn games_are_spent_where_they_decide() {
    let RunOutput { plans, .. } = run(&format!("{LEARNING}{CERTIFY}"), by_draft);
    let n: Vec<usize> = plans.iter().map(Vec::len).collect();
    assert_eq!(&n[..6], [15, 10, 10, 10, 40, 16]);
    assert_eq!(n[6], 10);
    assert!(n[6..].is_sorted_by(|a, b| b <= a), "{n:?}");
    let games: Vec<u32> = plans[6..].iter().map(|plan| plan[0].1).collect();
    assert_eq!(games, [20_000, 20_000, 40_000, 80_000][..games.len()]);
}

/// Giving up saves more than half of the games of maps just beyond the margin.
#[test]
fn maps_without_prospect_are_given_up() {
    let with = |futility: &str| run(&format!("{LEARNING}{CERTIFY}{futility}\n"), beyond_the_margin);
    let games = |output: &RunOutput| {
        let fresh = output.plans[6..].iter().flatten();
        fresh.map(|&(_, games)| u64::from(games)).sum::<u64>()
    };
    let (patient, brisk) = (with(""), with("futility = 0.1"));
    let (all, fewer) = (games(&patient), games(&brisk));
    assert!(2 * fewer < all, "{fewer} games instead of {all}");
    let standings = brisk.column("finalists.csv", "standing");
    assert!(standings.contains(&"given up"), "{standings:?}");
    assert!(!patient.exhibit("report.md").contains("given up"));
}

/// Maps are chosen by as many games as confirm them, from the most even quarter of 400 maps at the
/// margin. If the choosing games counted, half the maps would be certified. Of 100 maps, 5 are
/// certified on average, and more than 12 in one of 700 cases.
#[test]
fn only_fresh_games_certify() {
    let output = run(
        "games = 100\nsteps = 1\n\
         learning = { unlabelled = 400, candidates = 400, lambdas = [1.0] }\n\
         [params.certify]\nwanted = 100\ncandidates = 400\n\
         rounds = [{ maps = 400, games = 10_000 }]\n\
         finalists = 100\ngames = 10_000\nmost_games = 10_000\n",
        at_the_margin,
    );
    let certified = output.measure("certified_maps");
    assert!(certified <= 12.0, "{certified} of 100");
}

/// Of maps at the margin, at most the error rate is certified: of 200, 10 on average. More than 20
/// would have a probability of 0.1 % if looks shared the rate exactly, and they share it
/// conservatively.
#[test]
fn uneven_maps_are_rarely_certified() {
    for futility in ["", "futility = 0.05\n"] {
        let params = format!(
            "games = 100\nsteps = 1\n\
             learning = {{ unlabelled = 50, candidates = 50, lambdas = [1.0] }}\n\
             [params.certify]\nwanted = 100\ncandidates = 200\n\
             rounds = [{{ maps = 200, games = 100 }}]\n\
             finalists = 200\ngames = 10_000\nmost_games = 40_000\n{futility}"
        );
        let certified = run(&params, at_the_margin).measure("certified_maps");
        assert!((1.0..=20.0).contains(&certified), "{certified} of 200 with {futility:?}");
    }
}
