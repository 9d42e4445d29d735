//! Policies: rules that say how random maps are drawn.

use hatchery_core::StreamRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Map, MapConstraint, Port, Terrain};
use crate::board::{Axial, Hex, PortPlace, SPIRAL};
use crate::resource::Resource;

/// A set of maps, all equally likely.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PolicyParam")]
pub enum MapPolicy {
    /// Any tiles, any tokens on them, any ports.
    // The space of Hwang & Kaneko, whose 7.7e27 maps are these up to the 12 motions of the hexagon.
    Free,
    /// Tokens in the rulebook's order, in a spiral from any corner.
    // Counter-clockwise inward (Almanac, "Number tokens"). Uniform over tiles, ports and corners.
    OfficialSpiral,
    /// No two red tokens (6 and 8) side by side.
    // `MapConstraint::RedsApart` (Almanac, random tokens).
    RandomNoRedAdjacent,
    /// No two red or equal tokens and no equal terrain side by side, and more house rules.
    // All of `MapConstraint::ALL`.
    TournamentStrict,
}

/// Tries before a policy gives up. Tries of `TournamentStrict` succeed most rarely, but more often
/// than once in 50,000: all fail with a probability below e^-20,000.
const MAX_TRIES: u32 = 1 << 30;

const CANNOT_FAIL: &str = "2^30 tries all fail with a probability below e^-20,000";

/// The tokens in the order of the letters A to R on their backs (rulebook).
const SPIRAL_TOKENS: [u8; Hex::COUNT - 1] =
    [5, 2, 6, 3, 8, 10, 9, 12, 11, 4, 8, 10, 9, 4, 5, 6, 3, 11];

const LANDS: [Resource; Hex::COUNT - 1] = {
    use Resource::{Brick, Ore, Sheep, Wheat, Wood};
    [
        Brick, Brick, Brick, Ore, Ore, Ore, Sheep, Sheep, Sheep, Sheep, Wheat, Wheat, Wheat, Wheat,
        Wood, Wood, Wood, Wood,
    ]
};

impl MapPolicy {
    /// All policies.
    pub const ALL: [Self; 4] =
        [Self::Free, Self::OfficialSpiral, Self::RandomNoRedAdjacent, Self::TournamentStrict];

    /// Returns the name of the policy in a spec.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::OfficialSpiral => "official_spiral",
            Self::RandomNoRedAdjacent => "random_no_red_adjacent",
            Self::TournamentStrict => "tournament_strict",
        }
    }

    /// Returns the constraints that the policy's maps obey.
    #[must_use]
    pub const fn constraints(self) -> &'static [MapConstraint] {
        match self {
            Self::Free | Self::OfficialSpiral => &[],
            Self::RandomNoRedAdjacent => &[MapConstraint::RedsApart],
            Self::TournamentStrict => &MapConstraint::ALL,
        }
    }

    /// Returns true if `map` belongs to the policy.
    #[must_use]
    pub fn allows(self, map: &Map) -> bool {
        let is_spiral = || {
            let tokens = |corner| spiral_from(corner).filter_map(|hex| map.token(hex));
            (0..6).any(|corner| tokens(corner).eq(SPIRAL_TOKENS))
        };
        match self {
            Self::OfficialSpiral => is_spiral(),
            _ => self.constraints().iter().all(|constraint| constraint.holds(map)),
        }
    }

    /// Draws a uniform map of the policy, by rejection: tokens, then terrain, then ports are laid
    /// out, and the map is dropped at the first piece that a constraint refuses.
    ///
    /// # Panics
    /// If 2^30 tries fail, which requires a broken `rng`.
    #[must_use]
    pub fn draw(self, rng: &mut StreamRng) -> Map {
        let mut pieces = MapPieces::ALL;
        let drawn = (0..MAX_TRIES).find_map(|_| match self {
            Self::OfficialSpiral => Some(pieces.lay_out_spiral(rng)),
            _ => pieces.lay_out(self.constraints(), rng),
        });
        drawn.expect(CANNOT_FAIL)
    }
}

/// Returns the number of arrangements of terrain with the desert on `hex` that obey
/// [`MapConstraint::EqualTerrainApart`], as counted; they are 107,384,892 in all.
#[must_use]
pub fn apart_arrangements(desert: Hex) -> u32 {
    match (desert.axial().distance(Axial::new(0, 0)), desert.neighbors().len()) {
        (0, _) => MAX_APART_ARRANGEMENTS,
        (1, _) => 8_078_988,
        (_, 4) => 4_595_988,
        _ => 3_653_376,
    }
}

const MAX_APART_ARRANGEMENTS: u32 = 9_414_780;

/// The pieces of the base game in any order: a shuffled deck needs no sorting before the next
/// shuffle.
struct MapPieces {
    lands: [Resource; Hex::COUNT - 1],
    tokens: [u8; SPIRAL_TOKENS.len()],
    ports: [Port; PortPlace::COUNT],
}

impl MapPieces {
    const ALL: Self = Self { lands: LANDS, tokens: SPIRAL_TOKENS, ports: Map::RULEBOOK.ports };

    /// Lays out a random map, and returns it if it obeys the constraints.
    ///
    /// If equal terrain must be apart, few arrangements of terrain fit, and their number depends on
    /// the desert. The desert is therefore drawn in proportion to that number, and terrain is tried
    /// around it until it fits, so that all fitting maps remain equally likely.
    fn lay_out(&mut self, constraints: &[MapConstraint], rng: &mut StreamRng) -> Option<Map> {
        let desert = Hex::ALL[rng.below(19) as usize];
        let mut map = Map::RULEBOOK;
        self.deal_tokens(&mut map, desert, constraints, rng)?;
        if constraints.contains(&MapConstraint::EqualTerrainApart) {
            if apart_arrangements(desert) <= rng.below(MAX_APART_ARRANGEMENTS) {
                return None;
            }
            let apart = |map: &Map, hex| MapConstraint::EqualTerrainApart.allows_hex(map, hex);
            let mut tries = 0..MAX_TRIES;
            let found = tries.find_map(|_| self.deal_lands(&mut map, desert, apart, rng));
            found.expect(CANNOT_FAIL);
        } else {
            self.deal_lands(&mut map, desert, |_, _| true, rng)?;
        }
        self.deal_ports(&mut map, rng);
        constraints.iter().all(|constraint| constraint.holds(&map)).then_some(map)
    }

    fn lay_out_spiral(&mut self, rng: &mut StreamRng) -> Map {
        let desert = Hex::ALL[rng.below(19) as usize];
        let mut map = Map::RULEBOOK;
        let mut tokens = SPIRAL_TOKENS.into_iter();
        for hex in spiral_from(rng.below(6) as usize) {
            let token = if hex == desert { None } else { tokens.next() };
            map.tokens[hex.index()] = token.unwrap_or(0);
        }
        let _: Option<()> = self.deal_lands(&mut map, desert, |_, _| true, rng);
        self.deal_ports(&mut map, rng);
        map
    }

    /// Deals tokens to all hexes but the desert. Fails if one of the `constraints` on tokens alone
    /// refuses one.
    fn deal_tokens(
        &mut self,
        map: &mut Map,
        desert: Hex,
        constraints: &[MapConstraint],
        rng: &mut StreamRng,
    ) -> Option<()> {
        map.tokens[desert.index()] = 0;
        for (i, hex) in Hex::ALL.into_iter().filter(|&hex| hex != desert).enumerate() {
            map.tokens[hex.index()] = deal(&mut self.tokens, i, rng);
            let mut on_tokens = constraints.iter().filter(|constraint| constraint.is_on_tokens());
            if !on_tokens.all(|constraint| constraint.allows_hex(map, hex)) {
                return None;
            }
        }
        Some(())
    }

    /// Deals terrain to all hexes but the desert. Fails if `allows` refuses one.
    fn deal_lands(
        &mut self,
        map: &mut Map,
        desert: Hex,
        allows: impl Fn(&Map, Hex) -> bool,
        rng: &mut StreamRng,
    ) -> Option<()> {
        map.terrain[desert.index()] = Terrain::Desert;
        for (i, hex) in Hex::ALL.into_iter().filter(|&hex| hex != desert).enumerate() {
            map.terrain[hex.index()] = Terrain::Land(deal(&mut self.lands, i, rng));
            if !allows(map, hex) {
                return None;
            }
        }
        Some(())
    }

    fn deal_ports(&mut self, map: &mut Map, rng: &mut StreamRng) {
        for i in 0..PortPlace::COUNT {
            map.ports[i] = deal(&mut self.ports, i, rng);
        }
    }
}

/// Returns the spiral from corner number `corner`, counter-clockwise from the east.
fn spiral_from(corner: usize) -> impl Iterator<Item = Hex> {
    let (outer, inner) = SPIRAL.split_at(12);
    let (inner, middle) = inner.split_at(6);
    let outer = (0..12).map(move |i| outer[(i + 2 * corner) % 12]);
    let inner = (0..6).map(move |i| inner[(i + corner) % 6]);
    outer.chain(inner).chain(middle.iter().copied())
}

/// Deals item `i` of a shuffle of `deck`, after the items before it.
fn deal<T: Copy>(deck: &mut [T], i: usize, rng: &mut StreamRng) -> T {
    let left = u32::try_from(deck.len() - i).expect("decks are small");
    deck.swap(i, i + rng.below(left) as usize);
    deck[i]
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    /// The desert is in each place as often as the arrangements of terrain require: chi-square over
    /// the four kinds of hexes, 3 degrees of freedom, error rate 1e-5, with a fixed seed. A mistake
    /// would show: without the weights, the frequencies of the four kinds would be as 1 to 6 to 6
    /// to 6.
    #[test]
    fn apart_terrain_is_uniform() {
        const N_MAPS: usize = 2_000;
        let mut rng = RunSeed::new("catan maps", 7).generation(0).stream("test");
        let mut pieces = MapPieces::ALL;
        let mut lay_out = || pieces.lay_out(&[MapConstraint::EqualTerrainApart], &mut rng);
        let weights = [9_414_780.0, 6.0 * 8_078_988.0, 6.0 * 4_595_988.0, 6.0 * 3_653_376.0];
        let mut counts = [0.0; 4];
        for _ in 0..N_MAPS {
            let map = std::iter::repeat_with(&mut lay_out).flatten().next().unwrap();
            let kind = match apart_arrangements(map.desert()) {
                9_414_780 => 0,
                8_078_988 => 1,
                4_595_988 => 2,
                _ => 3,
            };
            counts[kind] += 1.0;
        }
        let terms = counts.iter().zip(weights).map(|(count, weight)| {
            let expected = 2_000.0 * weight / 107_384_892.0;
            (count - expected) * (count - expected) / expected
        });
        let chi_square: f64 = terms.sum();
        assert!(chi_square < 25.90, "{chi_square}: {counts:?}");
    }
}
