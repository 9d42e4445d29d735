//! Swaps: small steps from map to map.

use hatchery_core::StreamRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Map, Terrain, pips};
use crate::board::{Hex, PortPlace};

/// The kind of swap between parent and child: two pieces change places.
// The pieces are different, so that the child is. The desert stays where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SwapParam")]
pub enum PieceSwap {
    /// Two tiles, two tokens, or two ports: a large step.
    // Each of the three with probability 1/3.
    #[default]
    Any,
    /// Two ports: a medium step.
    Ports,
    /// Two tokens of equal pips, such as 6 and 8: a small step.
    EqualPips,
}

impl PieceSwap {
    /// Returns `map` after a random swap; all swaps of the kind are equally likely.
    #[must_use]
    pub fn apply(self, map: &Map, rng: &mut StreamRng) -> Map {
        let mut swapped = *map;
        match self {
            Self::Any => match rng.below(3) {
                0 => {
                    let is_land = |&hex: &usize| map.terrain[hex] != Terrain::Desert;
                    let lands = (0..Hex::COUNT).filter(is_land);
                    let (one, other) =
                        any_pair(&lands, |a, b| map.terrain[a] != map.terrain[b], rng);
                    swapped.terrain.swap(one, other);
                }
                1 => swapped.swap_tokens(|one, other| one != other, rng),
                _ => swapped.swap_ports(rng),
            },
            Self::Ports => swapped.swap_ports(rng),
            Self::EqualPips => {
                swapped.swap_tokens(|one, other| one != other && pips(one) == pips(other), rng);
            }
        }
        swapped
    }
}

impl Map {
    fn swap_tokens(&mut self, may_swap: impl Fn(u8, u8) -> bool, rng: &mut StreamRng) {
        let tokens = self.tokens;
        let has_token = (0..Hex::COUNT).filter(|&hex| tokens[hex] != 0);
        let (one, other) = any_pair(&has_token, |a, b| may_swap(tokens[a], tokens[b]), rng);
        self.tokens.swap(one, other);
    }

    fn swap_ports(&mut self, rng: &mut StreamRng) {
        let ports = self.ports;
        let (one, other) = any_pair(&(0..PortPlace::COUNT), |a, b| ports[a] != ports[b], rng);
        self.ports.swap(one, other);
    }
}

/// Draws two of `places` that may be swapped.
fn any_pair(
    places: &(impl Iterator<Item = usize> + Clone),
    may_swap: impl Fn(usize, usize) -> bool,
    rng: &mut StreamRng,
) -> (usize, usize) {
    let others = |one: usize| places.clone().filter(move |&other| one < other);
    let pairs = places.clone().flat_map(|one| others(one).map(move |other| (one, other)));
    let pairs: Vec<_> = pairs.filter(|&(one, other)| may_swap(one, other)).collect();
    let n_pairs = u32::try_from(pairs.len()).expect("19 places have 171 pairs");
    pairs[rng.below(n_pairs) as usize]
}
