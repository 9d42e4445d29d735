//! Checks the steps: the maps that are simulated, and what is learned.

use hatchery_catan::Map;
use hatchery_catan::features::{FeatureReadings, features};

use super::world::{RunOutput, run};

/// Returns rates that are even on all maps.
fn even(_: &Map) -> [f64; 4] {
    [0.25; 4]
}

/// Returns rates that are uneven by the 76 features: the more nodes have two equal tiles, the
/// better for the first seat. Random maps have from about 5 to 30 such nodes.
fn by_equal_tiles(map: &Map) -> [f64; 4] {
    let n = f64::from(features(map, FeatureReadings::default())[49]);
    let more = 0.01 * n;
    [0.25 + more, 0.25 - more / 3.0, 0.25 - more / 3.0, 0.25 - more / 3.0]
}

#[test]
fn the_defaults_are_the_numbers_of_the_paper() {
    let RunOutput { plans, .. } = run("", by_equal_tiles);
    let maps: Vec<usize> = plans.iter().map(Vec::len).collect();
    assert_eq!(maps, [15, 10, 10, 10]);
    assert!(plans.iter().flatten().all(|(_, games)| *games == 2000));
    // Candidates are drawn again at each step; the same maps would teach nothing new.
    let mut all: Vec<Map> = plans.iter().flatten().map(|(map, _)| *map).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 45);
}

/// With a truth that is linear in the features, and clear at 2,000 games, predictions come true for
/// any choice of labels and features. A coin would be right for 15 of 30 maps, and for 24 or more
/// with a probability of 0.07 %.
#[test]
fn a_linear_truth_is_learned() {
    for params in [
        "learning = { unlabelled = 500 }",
        "learning = { unlabelled = 500 }\n\
         labels = { method = 'clusters', of = 'win-rates', made = 'from-start' }",
        "learning = { unlabelled = 500 }\n\
         labels = { method = 'posterior', margin = 5.5, certainty = 0.8 }\n\
         features = { set = 'both' }",
        "learning = { basis = { kind = 'gaussian', centers = 40, about = 'labelled-first', \
         widths = [1.0, 3.0] }, unlabelled = 300, lambdas = [0.01, 0.1], etas = [0.0, 0.5], \
         prior = { pairs = 'different' } }",
    ] {
        let output = run(params, by_equal_tiles);
        let right = output.measure("called_good_right") + output.measure("called_bad_right");
        assert!(24.0 <= right, "{right} right with {params}:\n{}", output.exhibit("report.md"));
        assert!(
            output.measure("step_3/called_good_sigma") < output.measure("step_3/called_bad_sigma"),
            "{params}"
        );
    }
}

/// The report shows the numbers expected by chance: of 30 even maps, 19 are within a point, and
/// none is predicted well.
#[test]
fn even_maps_show_what_chance_shows() {
    let output = run("", even);
    // Binomial, 30 maps with probabilities 0.151 and 0.636: outside once in 1,000 seeds.
    assert!((0.0..=12.0).contains(&output.measure("maps_within_half_a_point")));
    assert!((10.0..=27.0).contains(&output.measure("maps_within_one_point")));
    let report = output.exhibit("report.md");
    assert!(report.contains("| maps with a spread of at most 0.5 |"), "{report}");
    assert!(report.contains("| 4.5 |") && report.contains("| 19.1 |"), "{report}");
    assert_eq!(output.column("maps.csv", "step").len(), 45);
    assert_eq!(output.column("steps.csv", "class_prior").len(), 3);
}

/// Maps that cannot be told apart leave nothing to learn. The run continues, and the report says
/// so.
#[test]
fn runs_without_labels_go_on_and_say_so() {
    for (games, rates) in [(1, [1.0, 0.0, 0.0, 0.0]), (4, [0.0; 4])] {
        // One decided game has the same spread for any winner.
        let rates: fn(&Map) -> [f64; 4] =
            if rates[0] == 0.0 { |_| [0.0; 4] } else { |_| [1.0, 0.0, 0.0, 0.0] };
        let output = run(&format!("games = {games}"), rates);
        assert_eq!(output.plans.len(), 4);
        let report = output.exhibit("report.md");
        assert!(report.contains("Step 1 was done in a simpler way:"), "{report}");
        assert!(report.contains("can't be split into 2 clusters"), "{report}");
        assert!(output.column("maps.csv", "score").iter().all(|score| score.is_empty()));
    }
}
