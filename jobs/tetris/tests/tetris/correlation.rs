//! The correlation of means between conditions.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{MeasureValue, conformance, erased, reference};
use hatchery_tetris::TetrisEvaluate;

/// Four controllers of clearly different strength, on two boards.
fn spec(n_controllers: usize) -> String {
    let head = "experiment = 'tetris-evaluate'\n\
                seed = 1\n\
                [params]\n\
                games = 60\n\
                max_pieces = 300\n\
                correlate = true\n\
                boards = [{ width = 8, height = 8 }, { width = 6, height = 10 }]\n";
    let weights = [
        "holes = -4, landing_height = -1, row_transitions = -1, column_transitions = -1",
        "holes = -1, landing_height = -1",
        "landing_height = -1",
        "holes = 1, landing_height = 1",
    ];
    let controllers = weights.iter().take(n_controllers).enumerate().map(|(idx, weights)| {
        format!("[[params.controllers]]\nname = 'c-{idx}'\nweights = {{ {weights} }}\n")
    });
    controllers.fold(head.to_owned(), |spec, controller| spec + &controller)
}

#[test]
fn ranks_are_correlated_with_those_of_the_first_condition() {
    let experiment = erased::<TetrisEvaluate>();
    let document = SpecDocument::parse("test", spec(4).as_bytes()).unwrap();
    let configured = experiment.configure(&document).unwrap();
    let run = reference::run(experiment, configured.as_ref(), 1).unwrap();
    let measures = &run.history.last().unwrap().measures;
    let measure = measures.iter().find(|it| it.name.starts_with("rank_correlation")).unwrap();
    assert_eq!(measure.name, "rank_correlation/6x10/uniform");
    let MeasureValue::Estimate(estimate) = measure.value else { panic!("{measure:?}") };
    // The same order on both boards.
    assert!((estimate.mean - 1.0).abs() < 1e-9 && estimate.n == 4, "{estimate:?}");
    conformance::check::<TetrisEvaluate>(&spec(4)).unwrap();
}

#[test]
fn a_correlation_needs_four_controllers_and_two_conditions() {
    let one_board = spec(4).replace(", { width = 6, height = 10 }", "");
    for (spec, expected) in [
        (spec(3), "correlate is true, but must be false with 3 controllers in 2 conditions"),
        (one_board, "correlate is true, but must be false with 4 controllers in 1 condition:"),
    ] {
        let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
        let refused = erased::<TetrisEvaluate>().configure(&document).err().unwrap().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}
