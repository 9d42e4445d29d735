//! Games with fixed pieces, as specs name them.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, Measure, MeasureValue, RunSeed, conformance, erased, reference};
use hatchery_tetris::TetrisEvaluate;
use hatchery_tetris::dealing::{MAX_LISTED_PIECES, PieceSequence};

/// BCTS (Thiery & Scherrer 2009) on 10x10; `games` has no effect on fixed pieces.
const BCTS: &str = "experiment = 'tetris-evaluate'\n\
                    seed = 1\n\
                    [params]\n\
                    games = 20\n\
                    boards = [{ width = 10, height = 10 }]\n\
                    draws = [DRAWS]\n\
                    [[params.controllers]]\n\
                    name = 'bcts'\n\
                    weights = { landing_height = -12.629, eroded_piece_cells = 6.601974, \
                        row_transitions = -9.215815, column_transitions = -19.77356, \
                        holes = -13.08335, cumulative_wells = -10.48747, \
                        hole_depth = -1.611863, rows_with_holes = -24.04087 }\n";

fn measures(draws: &str) -> Vec<Measure> {
    measures_of(&BCTS.replace("DRAWS", draws))
}

fn measures_of(spec: &str) -> Vec<Measure> {
    let experiment = erased::<TetrisEvaluate>();
    let document = SpecDocument::parse("test", spec.as_bytes()).expect("it is TOML");
    let configured = experiment.configure(&document).expect("it is valid");
    let run = reference::run(experiment, configured.as_ref(), 1).expect("it runs");
    run.history.last().expect("it has one generation").measures.clone()
}

fn value(measures: &[Measure], name: &str) -> f64 {
    let measure = measures.iter().find(|it| it.name == name);
    measure.unwrap_or_else(|| panic!("no {name} in {measures:?}")).value.point()
}

/// The first three games of the reference simulator with BCTS on 10x10, as in `traces`.
#[test]
fn seeds_deal_the_golden_games() {
    let draws =
        "{ name = 'one', seed = 1 }, { name = 'two', seed = 2 }, { name = 'three', seed = 3 }";
    let measures = measures(draws);
    for (name, pieces, lines) in
        [("one", 1514.0, 597.0), ("two", 4126.0, 1641.0), ("three", 11_484.0, 4585.0)]
    {
        let of = |what: &str| value(&measures, &format!("bcts/10x10/{name}/{what}"));
        assert_eq!(
            [of("pieces"), of("lines")].map(f64::to_bits),
            [pieces, lines].map(f64::to_bits)
        );
    }
}

/// Five O on ten columns fill two rows, and the game ends with the list.
#[test]
fn a_list_is_dealt_from_its_first_piece_to_its_last() {
    let measures = measures("{ name = 'squares', list = 'OOOOO' }");
    assert!((value(&measures, "bcts/10x10/squares/lines") - 2.0).abs() < 1e-9, "{measures:?}");
    assert!((value(&measures, "bcts/10x10/squares/pieces") - 5.0).abs() < 1e-9, "{measures:?}");
}

/// Five games have no interval of their median, and one has no spread.
#[test]
fn few_games_claim_no_more_than_they_show() {
    let of = |games: &str| {
        let spec = BCTS.replace("games = 20", games).replace("DRAWS", "{ name = 'drawn' }");
        let measures = measures_of(&spec);
        let has = |end: &str| measures.iter().find(|it| it.name.ends_with(end)).map(|it| it.value);
        (has("/median"), has("/sd"), has("/cv"))
    };
    assert!(matches!(of("games = 1"), (Some(MeasureValue::Number(_)), None, None)));
    assert!(matches!(of("games = 5"), (Some(MeasureValue::Number(_)), Some(_), Some(_))));
    assert!(matches!(of("games = 6"), (Some(MeasureValue::Estimate(_)), Some(_), Some(_))));
}

#[test]
fn fixed_pieces_conform() {
    let draws = "{ name = 'list', list = 'SZTOIJLSZTOIJL' }, \
                 { name = 'seeded', seed = 18, pieces = { S = 3, Z = 3 } }, { name = 'drawn' }";
    let short = BCTS.replace("games = 20\n", "games = 4\nmax_pieces = 60\n");
    conformance::check::<TetrisEvaluate>(&short.replace("DRAWS", draws)).unwrap();
}

#[test]
fn lists_that_cannot_be_dealt_are_refused() {
    let found = |letters: &str| PieceSequence::listed(letters).unwrap_err().value;
    assert_eq!(found(""), "\"\"");
    assert_eq!(found("SZX"), "'X' at place 3");
    let long = "I".repeat(MAX_LISTED_PIECES + 1);
    assert_eq!(found(&long), "100,001 letters");
    assert!(PieceSequence::listed(&long[1..]).is_ok());
}

#[test]
fn specs_with_wrong_pieces_are_refused() {
    for (draws, expected) in [
        (
            "{ name = 'a', list = 'SZt' }",
            "draws.0.list is 't' at place 3, but must be 1 to 100,000 letters",
        ),
        (
            "{ name = 'a', list = 'SZ', seed = 1 }",
            "draws.0.seed is 1, but must be absent beside a list",
        ),
        (
            "{ name = 'a', list = 'S' }, { name = 'a', seed = 1 }",
            "draws.1.name is a, but must be another name than draws.0 has",
        ),
        ("{ name = 'a', seed = 1 }], estimator = 'splitting', splitting = {}#", "estimator"),
    ] {
        let spec = BCTS.replace("draws = [DRAWS]", &format!("draws = [{draws}]"));
        let spec = spec.replace(
            "], estimator = 'splitting', splitting = {}#",
            "]\nestimator = 'splitting'\n#",
        );
        let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
        let refused = match erased::<TetrisEvaluate>().configure(&document) {
            Err(error) => error.to_string(),
            Ok(run) => {
                let seed = RunSeed::new(TetrisEvaluate::NAME, 1).generation(0);
                run.begin(&seed, &[]).unwrap_err().to_string()
            }
        };
        assert!(refused.contains(expected), "{refused}");
    }
}

/// Each combination has a copy of its list.
#[test]
fn long_lists_in_many_combinations_are_refused() {
    let sizes = (4..14).flat_map(|width| (10..20).map(move |height| (width, height)));
    let boards: Vec<String> =
        sizes.map(|(width, height)| format!("{{ width = {width}, height = {height} }}")).collect();
    let spec = BCTS.replace("{ width = 10, height = 10 }", &boards.join(", "));
    let refused = |n_pieces: usize| {
        let list = "O".repeat(n_pieces);
        let spec = spec.replace(
            "DRAWS",
            &format!("{{ name = 'a', list = '{list}' }}, {{ name = 'b', list = 'S' }}"),
        );
        let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
        let configured = erased::<TetrisEvaluate>().configure(&document);
        configured.err().map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(refused(MAX_LISTED_PIECES - 1), "");
    let expected =
        "1 controllers x 100 boards x 100001 pieces of lists = 10000100 copies of pieces";
    let refused = refused(MAX_LISTED_PIECES);
    assert!(refused.contains(expected), "{refused}");
}
