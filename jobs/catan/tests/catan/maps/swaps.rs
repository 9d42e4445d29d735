//! Swaps change two pieces of a kind, and nothing else.

use hatchery_catan::map::{Map, MapPolicy, PieceSwap, pips};
use hatchery_catan::{Hex, PortPlace};
use proptest::prelude::*;

use super::rng;

/// Returns the numbers of places where two maps have different terrain, tokens and ports.
fn differences(one: &Map, other: &Map) -> [usize; 3] {
    let hexes = |differ: &dyn Fn(Hex) -> bool| Hex::ALL.into_iter().filter(|&h| differ(h)).count();
    let ports = PortPlace::ALL.into_iter().filter(|&place| one.port(place) != other.port(place));
    [
        hexes(&|hex| one.terrain(hex) != other.terrain(hex)),
        hexes(&|hex| one.token(hex) != other.token(hex)),
        ports.count(),
    ]
}

fn parts_are_complete(map: &Map) -> bool {
    let tokens = Hex::ALL.map(|hex| map.token(hex).unwrap_or(0));
    let ports = PortPlace::ALL.map(|place| map.port(place));
    Map::new(Hex::ALL.map(|hex| map.terrain(hex)), tokens, ports) == Ok(*map)
}

proptest! {
    #[test]
    fn two_pieces_change_places(seed in any::<u64>()) {
        let mut rng = rng(seed);
        let map = MapPolicy::Free.draw(&mut rng);
        let any = PieceSwap::Any.apply(&map, &mut rng);
        prop_assert!(parts_are_complete(&any));
        prop_assert!([[2, 0, 0], [0, 2, 0], [0, 0, 2]].contains(&differences(&map, &any)));

        let ports = PieceSwap::Ports.apply(&map, &mut rng);
        prop_assert!(parts_are_complete(&ports));
        prop_assert_eq!(differences(&map, &ports), [0, 0, 2]);

        let equal = PieceSwap::EqualPips.apply(&map, &mut rng);
        prop_assert!(parts_are_complete(&equal));
        prop_assert_eq!(differences(&map, &equal), [0, 2, 0]);
        for hex in Hex::ALL {
            prop_assert_eq!(map.token(hex).map(pips), equal.token(hex).map(pips));
        }
    }
}

/// All three kinds of pieces are swapped, and as often.
#[test]
fn any_piece_may_be_swapped() {
    let mut rng = rng(1);
    let mut counts = [0_u32; 3];
    for _ in 0..3_000 {
        let swapped = PieceSwap::Any.apply(&Map::RULEBOOK, &mut rng);
        let kind = differences(&Map::RULEBOOK, &swapped).iter().position(|&n| n == 2).unwrap();
        counts[kind] += 1;
    }
    // The standard deviation is 26; the chance to miss by five is below one in a million.
    assert!(counts.into_iter().all(|n| (870..=1_130).contains(&n)), "{counts:?}");
}
