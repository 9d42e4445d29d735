//! Checks the features against maps counted by hand, and their properties over random maps.

use hatchery_catan::board::SYMMETRIES;
use hatchery_catan::features::{
    FeatureReadings, N_FEATURES, NodePips, PortDistance, TwoEqual, draft_features, features,
};
use hatchery_catan::map::{Map, MapFile, MapPolicy};
use hatchery_core::{RunSeed, StreamRng};
use proptest::prelude::*;

const DEFAULT: FeatureReadings = FeatureReadings {
    port_distance: PortDistance::Hexes,
    node_pips: NodePips::Histogram,
    two_equal: TwoEqual::AllNodes,
};

fn rng(seed: u64) -> StreamRng {
    RunSeed::new("catan features", seed).generation(0).stream("test")
}

/// The rulebook map, by hand. Coordinates are (q, r); between (dq, dr) apart are
/// max(|dq|, |dr|, |dq + dr|) steps.
///
/// ```text
/// r                                            q of the    pips
///                                              first tile
/// -2           ore 10  sheep 2  wood 9             0         3 1 4
/// -1     wheat 12  brick 6  sheep 4  brick 10     -1        1 5 3 3
///  0  wheat 9  wood 11  desert  wood 3  ore 8     -2       4 2 - 2 5
///  1      wood 8  ore 3  wheat 4  sheep 5         -2        5 2 3 4
///  2           brick 5  wheat 6  sheep 11         -2         4 5 2
/// ```
///
/// Distances:
/// - brick (0,-1) (2,-1) (-2,2): 2, 3, 4
/// - ore (0,-2) (2,0) (-1,1): 4, 3, 3
/// - sheep (1,-2) (1,-1) (1,1) (0,2): 1, 3, 4; 2, 3; 1
/// - wheat (-1,-1) (-2,0) (0,1) (-1,2): 1, 3, 3; 3, 3; 1
/// - wood (2,-2) (-1,0) (1,0) (-2,1): 3, 2, 4; 2, 1; 3
///
/// Ports, at sea hexes brick (-3,1), ore (3,-2), sheep (1,2), wheat (2,-3), wood (-2,-1), to the
/// tiles in the order above: brick 3, 5, 2; ore 3, 2, 4; sheep 4, 3, 1, 1; wheat 3, 4, 4, 5;
/// wood 4, 2, 4, 2.
///
/// Pips around the nodes, from the top: above a row stand the nodes at the tops of its tiles, then
/// those between its tiles; from the middle row on, the nodes between its tiles and then those
/// below them.
///
/// ```text
///       3   1   4
///     3   4   5   4
///     4   9   8   7
///   1   9   9   10  3
///   5   8   8   8   8
/// 4   7   7   5   10  5
/// 4   11  4   5   11  5
///   9   9   5   9   9
///   5   11  10  9   4
///     9   11  10  6
///     4   9   7   2
///       4   5   2
/// ```
///
/// 4 nodes have up to 2, 13 have 3-4, 10 have 5-6, 9 have 7-8, 14 have 9-10, 4 have 11.
///
/// Equal neighbors: two pairs of sheep, two of wheat, one of wood. Each pair shares two nodes, and
/// no third tile equals them: 10 nodes. Of these the pair sheep 5 and 11 and the pair wheat 12 and
/// 9 have one each on the coast.
#[test]
fn rulebook_map_by_hand() {
    #[rustfmt::skip]
    let expected: [u8; N_FEATURES] = [
        2, 3, 4,   3, 3, 4,   1, 1, 2, 3, 3, 4,   1, 1, 3, 3, 3, 3,   1, 2, 2, 3, 3, 4,
        2, 3, 5,   2, 3, 4,   1, 1, 3, 4,   3, 4, 4, 5,   2, 2, 4, 4,
        4, 13, 10, 9, 14, 4, 0,
        10, 0,
        0, 0, 1, 1, 1, // brick 10, 5, 6
        0, 1, 1, 0, 1, // ore 3, 10, 8
        1, 1, 1, 1, 0, // sheep 2, 11, 4, 5
        1, 0, 1, 1, 1, // wheat 12, 4, 9, 6
        0, 2, 0, 1, 1, // wood 11 and 3, 9, 8
    ];
    assert_eq!(features(&Map::RULEBOOK, DEFAULT), expected);
    assert_eq!(FeatureReadings::default(), DEFAULT);
}

/// From the picture above, and for the edges by hand: both nodes of the sheep port are corners of
/// sheep 5, one is a corner of sheep 11. From there a way up either side of wood 3 takes 4 edges to
/// sheep 4, and 2 more along sheep 4 lead to sheep 2.
#[test]
fn rulebook_map_read_otherwise() {
    let read = |readings| features(&Map::RULEBOOK, readings);
    let pips = |node_pips| read(FeatureReadings { node_pips, ..DEFAULT })[42..49].to_vec();
    assert_eq!(pips(NodePips::From9To15), [10, 4, 4, 0, 0, 0, 0]);
    assert_eq!(pips(NodePips::From7To13), [4, 5, 10, 4, 4, 0, 0]);
    assert_eq!(pips(NodePips::Largest), [11, 11, 11, 11, 10, 10, 10]);
    assert_eq!(read(FeatureReadings { two_equal: TwoEqual::Inland, ..DEFAULT })[49..51], [8, 0]);
    let edges = read(FeatureReadings { port_distance: PortDistance::Edges, ..DEFAULT });
    assert_eq!(edges[30..34], [0, 0, 4, 6]);
}

/// The other shipped map, counted by a separate program in another language.
#[test]
fn tournament_map_as_counted_elsewhere() {
    #[rustfmt::skip]
    let expected: [u8; N_FEATURES] = [
        2, 2, 3,   2, 2, 2,   1, 2, 3, 3, 4, 4,   2, 2, 2, 3, 4, 4,   2, 2, 3, 3, 3, 4,
        1, 3, 4,   2, 3, 4,   1, 1, 4, 5,   1, 2, 4, 5,   2, 4, 4, 5,
        5, 9, 12, 14, 9, 5, 0,
        2, 0,
        0, 1, 0, 1, 1,   0, 1, 1, 0, 1,   1, 1, 1, 0, 1,   1, 0, 1, 2, 0,   0, 1, 1, 1, 1,
    ];
    let map = MapFile::from_json(MapFile::TOURNAMENT).unwrap().map;
    assert_eq!(features(&map, DEFAULT), expected);
}

/// By hand. Of the four nodes with 11 pips, that at wheat 9, wood 11 and wood 8 has the smallest
/// income, and of the two at ore 3 and brick 5 only one can be taken: seats 1 and 2 take nodes of
/// 2, 4 and 5 pips, seat 3 that with wheat 4 and wood 7. Seat 4 takes the two nodes with 10 that
/// are left, at sheep 4, brick 10 and wood 9, and at wheat 4 and 6. Seat 3 prefers the node with 9
/// that completes its resources, the top of brick 6; this blocks two others with 9, and only one
/// remains.
#[test]
fn draft_of_the_rulebook_map() {
    let all = draft_features(&Map::RULEBOOK);
    assert_eq!(all[..8], [11.0, 11.0, 11.0, 10.0, 10.0, 9.0, 9.0, 8.0]);
    let third_seat: f64 = [1.0_f64, 3.0, 4.0, 5.0, 7.0].map(f64::sqrt).iter().sum();
    assert!((all[10] - third_seat).abs() < 1e-12);
    assert_eq!(format!("{:.0}", all[14]), "5");
}

fn readings() -> impl Strategy<Value = FeatureReadings> {
    let port_distance = prop_oneof![Just(PortDistance::Hexes), Just(PortDistance::Edges)];
    let node_pips = prop_oneof![
        Just(NodePips::Histogram),
        Just(NodePips::From9To15),
        Just(NodePips::From7To13),
        Just(NodePips::Largest)
    ];
    let two_equal = prop_oneof![Just(TwoEqual::AllNodes), Just(TwoEqual::Inland)];
    (port_distance, node_pips, two_equal).prop_map(|(port_distance, node_pips, two_equal)| {
        FeatureReadings { port_distance, node_pips, two_equal }
    })
}

proptest! {
    #[test]
    fn images_have_the_same_features(seed in any::<u64>(), readings in readings()) {
        let bits = |map: &Map| draft_features(map).map(f64::to_bits);
        let map = MapPolicy::Free.draw(&mut rng(seed));
        for symmetry in &SYMMETRIES {
            let image = map.moved(symmetry);
            prop_assert_eq!(features(&image, readings), features(&map, readings));
            prop_assert_eq!(bits(&image), bits(&map));
        }
    }

    #[test]
    fn sums_and_ranges_are_those_of_the_game(seed in any::<u64>()) {
        let all = features(&MapPolicy::Free.draw(&mut rng(seed)), DEFAULT);
        prop_assert!(all[..24].iter().all(|distance| (1..=4).contains(distance)));
        prop_assert!(all[24..42].iter().all(|distance| (1..=5).contains(distance)));
        prop_assert_eq!(all[42..49].iter().sum::<u8>(), 54);
        let by_resource: Vec<u8> = all[51..].chunks(5).map(|row| row.iter().sum()).collect();
        prop_assert_eq!(by_resource, [3, 3, 4, 4, 4]);
        let by_pips: Vec<u8> =
            (0..5).map(|i| all[51..].iter().skip(i).step_by(5).sum()).collect();
        prop_assert_eq!(by_pips, [2, 4, 4, 4, 4]);
    }

    #[test]
    fn drafts_leave_less_to_later_seats(seed in any::<u64>()) {
        let all = draft_features(&MapPolicy::Free.draw(&mut rng(seed)));
        prop_assert!(all[..8].is_sorted_by(|a, b| a >= b));
        prop_assert!(all[16..].is_sorted_by(|a, b| a >= b));
        for seat in 0..4 {
            prop_assert!(all[8 + seat] <= all[16 + seat]);
            prop_assert!((1.0..=5.0).contains(&all[12 + seat]));
        }
    }
}

/// The rank of the differences between rows, by elimination modulo the prime 2^31 - 1. It is never
/// above the true rank.
fn centered_rank(rows: &[[u8; N_FEATURES]]) -> usize {
    const PRIME: i64 = (1 << 31) - 1;
    let inverse = |value: i64| {
        // Fermat: the inverse is the power to PRIME - 2.
        let (mut power, mut square, mut exponent) = (1, value, PRIME - 2);
        while exponent != 0 {
            if exponent & 1 == 1 {
                power = power * square % PRIME;
            }
            square = square * square % PRIME;
            exponent >>= 1;
        }
        power
    };
    let mut basis: Vec<(usize, Vec<i64>)> = Vec::new();
    for row in &rows[1..] {
        let mut row: Vec<i64> =
            row.iter().zip(&rows[0]).map(|(&a, &b)| i64::from(a) - i64::from(b)).collect();
        for (pivot, other) in &basis {
            let factor = row[*pivot];
            for (entry, other) in row.iter_mut().zip(other) {
                *entry = (*entry - factor * other).rem_euclid(PRIME);
            }
        }
        let row: Vec<i64> = row.iter().map(|entry| entry.rem_euclid(PRIME)).collect();
        if let Some(pivot) = row.iter().position(|&entry| entry != 0) {
            let factor = inverse(row[pivot]);
            basis.push((pivot, row.iter().map(|entry| entry * factor % PRIME).collect()));
        }
    }
    basis.len()
}

/// One dimension less for the histogram, which sums to 54, and nine for the 25 of fixed margins.
/// Where the pips around nodes are read otherwise, they have no fixed sum.
#[test]
fn features_span_66_dimensions() {
    let mut rng = rng(6);
    let maps: Vec<Map> = (0..600).map(|_| MapPolicy::Free.draw(&mut rng)).collect();
    let rank = |readings| {
        let rows: Vec<_> = maps.iter().map(|map| features(map, readings)).collect();
        centered_rank(&rows)
    };
    assert_eq!(rank(DEFAULT), 66);
    assert_eq!(rank(FeatureReadings { port_distance: PortDistance::Edges, ..DEFAULT }), 66);
    assert_eq!(rank(FeatureReadings { node_pips: NodePips::From9To15, ..DEFAULT }), 67);
    assert_eq!(rank(FeatureReadings { node_pips: NodePips::Largest, ..DEFAULT }), 67);
}
