//! Burn against another implementation, and against the farm's checks.

use hatchery_burn::{Burn, burn};
use hatchery_core::conformance;

#[test]
fn burn_conforms() {
    conformance::check::<Burn>(include_str!("../specs/smoke.toml")).unwrap();
    conformance::presets::<Burn>().unwrap();
}

/// Marsaglia's formula with the shifts 13, 7 and 17, worked out by Python's integers.
#[test]
fn rounds_are_those_of_xorshift64() {
    let expected = [1, 0x4082_2041, 0x1000_4106_0c01_1441, 0x9b1e_842f_6e86_2629];
    for (rounds, expected) in (0..).zip(expected) {
        assert_eq!(burn(rounds, 1), expected, "{rounds}");
    }
    assert_eq!(burn(1000, 0), burn(1000, 1), "it can't get stuck at 0");
}
