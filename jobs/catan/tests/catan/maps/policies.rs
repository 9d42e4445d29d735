//! Policies keep their promises, and draw uniformly.

use std::collections::BTreeMap;

use hatchery_catan::map::{
    Map, MapConstraint, MapPolicy, PieceSwap, Port, Terrain, apart_arrangements, pips, token_supply,
};
use hatchery_catan::{Hex, Node, PortPlace, Resource};

use super::rng;

/// Implements the constraints again, over all pairs of hexes and all nodes.
fn breaks(map: &Map, constraint: MapConstraint) -> bool {
    let token = |hex: Hex| map.token(hex).unwrap_or(0);
    let red = |hex: Hex| token(hex) == 6 || token(hex) == 8;
    let pairs = |bad: &dyn Fn(Hex, Hex) -> bool| {
        Hex::ALL.into_iter().any(|a| Hex::ALL.into_iter().any(|b| a != b && bad(a, b)))
    };
    let near = |a: Hex, b: Hex| a.axial().distance(b.axial()) == 1;
    match constraint {
        MapConstraint::RedsApart => pairs(&|a, b| near(a, b) && red(a) && red(b)),
        MapConstraint::EqualTokensApart => pairs(&|a, b| near(a, b) && token(a) == token(b)),
        MapConstraint::TwoAndTwelveApart => {
            pairs(&|a, b| near(a, b) && (token(a), token(b)) == (2, 12))
        }
        MapConstraint::EqualTerrainApart => {
            pairs(&|a, b| near(a, b) && map.terrain(a) == map.terrain(b))
        }
        MapConstraint::OneRedPerResource => {
            pairs(&|a, b| red(a) && red(b) && map.terrain(a) == map.terrain(b))
        }
        MapConstraint::NodePips => Node::ALL.into_iter().any(|node| {
            node.hexes().iter().map(|&hex| u32::from(pips(token(hex)))).sum::<u32>() > 11
        }),
        MapConstraint::RedsAwayFromTheirPort => PortPlace::ALL.into_iter().any(|place| {
            let touches = |hex: Hex| place.nodes().iter().any(|node| hex.nodes().contains(node));
            let rich = |hex: Hex| match (map.port(place), map.terrain(hex)) {
                (Port::Special(a), Terrain::Land(b)) => a == b && red(hex),
                _ => false,
            };
            Hex::ALL.into_iter().any(|hex| touches(hex) && rich(hex))
        }),
    }
}

#[test]
fn policies_keep_their_promises() {
    let mut rng = rng(2);
    for policy in MapPolicy::ALL {
        let n_draws = if policy == MapPolicy::TournamentStrict { 30 } else { 3_000 };
        for _ in 0..n_draws {
            let map = policy.draw(&mut rng);
            let terrain = Hex::ALL.map(|hex| map.terrain(hex));
            let tokens = Hex::ALL.map(|hex| map.token(hex).unwrap_or(0));
            let ports = PortPlace::ALL.map(|place| map.port(place));
            assert_eq!(Map::new(terrain, tokens, ports), Ok(map));
            assert!(policy.allows(&map), "{} refuses its own {map}", policy.name());
            for constraint in policy.constraints() {
                assert!(!breaks(&map, *constraint), "{} breaks {constraint:?}", policy.name());
            }
        }
    }
}

/// Every constraint is met by some free maps and broken by others, as counted over all pairs.
#[test]
fn constraints_say_what_they_mean() {
    let mut rng = rng(3);
    let mut n_held = [0; MapConstraint::ALL.len()];
    for _ in 0..20_000 {
        let map = MapPolicy::Free.draw(&mut rng);
        for (n_held, constraint) in n_held.iter_mut().zip(MapConstraint::ALL) {
            assert_eq!(constraint.holds(&map), !breaks(&map, constraint), "{constraint:?}: {map}");
            *n_held += usize::from(constraint.holds(&map));
        }
    }
    assert!(n_held.iter().all(|&n| 0 < n && n < 20_000), "{n_held:?}");
}

/// The official order never puts two red tokens side by side, wherever the desert is.
#[test]
fn spirals_keep_reds_apart() {
    let mut rng = rng(4);
    for _ in 0..5_000 {
        let map = MapPolicy::OfficialSpiral.draw(&mut rng);
        assert!(MapConstraint::RedsApart.holds(&map), "{map}");
    }
}

/// Chi-square of counts against equal expectations times `weights`.
fn chi_square(counts: &[f64], weights: &[f64]) -> f64 {
    let (n, total) = (counts.iter().sum::<f64>(), weights.iter().sum::<f64>());
    let terms = counts.iter().zip(weights).map(|(count, weight)| {
        let expected = n * weight / total;
        (count - expected) * (count - expected) / expected
    });
    terms.sum()
}

/// Tests the terrain on every hex, the token on every hex, and the port at every place. Each of the
/// 47 tests has an error rate of 1e-5 (5e-4 in all); the seed is fixed.
#[test]
fn free_maps_are_uniform() {
    const N_MAPS: usize = 20_000;
    let mut rng = rng(5);
    let mut terrain = [[0.0; 6]; Hex::COUNT];
    let mut tokens = [[0.0; 13]; Hex::COUNT];
    let mut ports = [[0.0; 6]; PortPlace::COUNT];
    for _ in 0..N_MAPS {
        let map = MapPolicy::Free.draw(&mut rng);
        for hex in Hex::ALL {
            let kind = Terrain::ALL.iter().position(|&kind| kind == map.terrain(hex)).unwrap();
            terrain[hex.index()][kind] += 1.0;
            tokens[hex.index()][usize::from(map.token(hex).unwrap_or(0))] += 1.0;
        }
        for place in PortPlace::ALL {
            let kind = Port::ALL.iter().position(|&kind| kind == map.port(place)).unwrap();
            ports[place.index()][kind] += 1.0;
        }
    }
    // Quantiles at 1 - 1e-5 of chi-square with 5 and 10 degrees of freedom: 30.86 and 41.30.
    for counts in &terrain {
        let chi_square = chi_square(counts, &[3.0, 3.0, 4.0, 4.0, 4.0, 1.0]);
        assert!(chi_square < 30.86, "{chi_square}");
    }
    for counts in &tokens {
        let supply = |token: u8| if token == 0 { 1 } else { token_supply(token) };
        let kinds: Vec<u8> = (0..13).filter(|&token| supply(token) != 0).collect();
        let counts: Vec<f64> = kinds.iter().map(|&token| counts[usize::from(token)]).collect();
        let weights: Vec<f64> = kinds.iter().map(|&token| [0.0, 1.0, 2.0][supply(token)]).collect();
        assert_eq!(kinds.len(), 11);
        let chi_square = chi_square(&counts, &weights);
        assert!(chi_square < 41.30, "{chi_square}");
    }
    for counts in &ports {
        let chi_square = chi_square(counts, &[1.0, 1.0, 1.0, 1.0, 1.0, 4.0]);
        assert!(chi_square < 30.86, "{chi_square}");
    }
}

/// Counts arrangements hex by hex. The terrain of the last five hexes, which include all earlier
/// neighbors of the next, and the remaining pieces determine the rest.
fn count_apart(desert: Hex) -> u64 {
    type Left = [u8; Resource::COUNT];
    let supply: Left = [3, 3, 4, 4, 4];
    let mut states = BTreeMap::from([(([9_u8; 5], supply), 1_u64)]);
    for hex in Hex::ALL {
        let mut next = BTreeMap::new();
        for ((last, left), n) in states {
            let taken = |kind: u8| {
                let before = hex.neighbors().iter().filter(|&&other| other < hex);
                before.into_iter().any(|other| last[5 - (hex.index() - other.index())] == kind)
            };
            for kind in 0..6_u8 {
                let (is_desert, mut left) = (kind == 5, left);
                if is_desert != (hex == desert) || taken(kind) {
                    continue;
                }
                if !is_desert {
                    let Some(less) = left[usize::from(kind)].checked_sub(1) else { continue };
                    left[usize::from(kind)] = less;
                }
                let [_, a, b, c, d] = last;
                *next.entry(([a, b, c, d, kind], left)).or_insert(0) += n;
            }
        }
        states = next;
    }
    states.values().sum()
}

#[test]
fn arrangements_of_terrain_are_counted() {
    for desert in [9, 5, 1, 0].map(|index| Hex::new(index).unwrap()) {
        assert_eq!(u64::from(apart_arrangements(desert)), count_apart(desert));
    }
    let total: u32 = Hex::ALL.map(apart_arrangements).iter().sum();
    assert_eq!(total, 107_384_892);
}

/// Policies refuse a map that breaks a constraint, and a spiral with two tokens exchanged.
#[test]
fn policies_refuse_what_is_not_theirs() {
    let mut rng = rng(7);
    for _ in 0..2_000 {
        let map = MapPolicy::Free.draw(&mut rng);
        assert!(MapPolicy::Free.allows(&map));
        for policy in [MapPolicy::RandomNoRedAdjacent, MapPolicy::TournamentStrict] {
            let is_clean = policy.constraints().iter().all(|constraint| !breaks(&map, *constraint));
            assert_eq!(policy.allows(&map), is_clean, "{} and {map}", policy.name());
        }
        let spiral = MapPolicy::OfficialSpiral.draw(&mut rng);
        assert!(!MapPolicy::OfficialSpiral.allows(&PieceSwap::EqualPips.apply(&spiral, &mut rng)));
        assert!(MapPolicy::OfficialSpiral.allows(&PieceSwap::Ports.apply(&spiral, &mut rng)));
    }
}
