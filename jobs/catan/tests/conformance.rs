//! The farm's checks of the experiments.

use hatchery_catan::CatanBalance;
use hatchery_core::conformance;

#[test]
fn catan_balance_conforms() {
    conformance::check::<CatanBalance>(include_str!("../specs/balance-smoke.toml")).unwrap();
    conformance::presets::<CatanBalance>().unwrap();
}
