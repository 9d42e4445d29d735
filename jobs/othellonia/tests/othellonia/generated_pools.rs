//! Dominant pieces in games of generated pieces, and of a planted one.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{MeasureValue, erased, reference};
use hatchery_othellonia::OthelloniaMatrix;

/// Returns the number of dominant pieces that 30 decks from the first 20 pieces of a pool show.
/// `own` may replace the last piece.
fn n_dominant(pool_seed: u64, own: &str) -> u64 {
    let (last, pieces) =
        if own.is_empty() { (19, String::new()) } else { (924, format!("pieces = [{own}]")) };
    let first: String = (0..19).map(|piece| format!("{piece}, ")).collect();
    let spec = format!(
        "experiment = \"othellonia-matrix\"\nseed = {pool_seed}\n[params]\npairs = 4\n\
         mirrors = \"left_out\"\nagent = {{ kind = \"rule\" }}\npool = {{ seed = {pool_seed} }}\n\
         random_decks = {{ count = 30, seed = 1, pieces = [{first}{last}] }}\n{pieces}\n"
    );
    let document = SpecDocument::parse("spec", spec.as_bytes()).expect("a spec");
    let experiment = erased::<OthelloniaMatrix>();
    let configured = experiment.configure(&document).expect("valid parameters");
    let run = reference::run(experiment, configured.as_ref(), pool_seed).expect("a run");
    let found = run.measures().iter().find(|measure| measure.name == "dominant_pieces");
    match found.expect("the decks allow a regression").value {
        MeasureValue::Count(count) => count,
        _ => panic!("a count"),
    }
}

/// The pieces of a generated pool are fair: what a piece may do is bought with its cost. The test
/// says that a piece is worth 5 points more than an average one of its cost with a false discovery
/// rate of 5 %; with several pools none is named. Seeds are fixed.
#[test]
fn fair_pools_raise_no_alarm() {
    let named: Vec<u64> = (1..=6).map(|seed| n_dominant(seed, "")).collect();
    assert_eq!(named, [0; 6]);
}

/// A piece with three times the attack of its cost is named, and it alone.
#[test]
fn a_planted_piece_is_named() {
    let planted = "{ name = \"planted\", attribute = \"dragon\", cost = 10, hp = 2000, \
                   attack = 3000, skill = { kind = \"bolt\", magnitude = 1500 } }";
    assert_eq!(n_dominant(2, planted), 1);
}
