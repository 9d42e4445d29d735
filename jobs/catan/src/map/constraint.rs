//! House rules for maps.

use super::{Map, Port, Terrain, is_red, pips};
use crate::board::{Hex, PortPlace};

/// A house rule that keeps any spot of the map from being too good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapConstraint {
    /// No two of the red tokens, 6 and 8, on neighboring hexes (Almanac, "Number tokens").
    RedsApart,
    /// No two equal tokens on neighboring hexes.
    EqualTokensApart,
    /// Tokens 2 and 12 not on neighboring hexes.
    TwoAndTwelveApart,
    /// No two hexes of the same terrain side by side.
    EqualTerrainApart,
    /// No two red tokens on the same resource.
    OneRedPerResource,
    /// At most [`MAX_NODE_PIPS`] pips around a node.
    NodePips,
    /// No special port on a node of a hex of its resource with a red token.
    RedsAwayFromTheirPort,
}

/// The most pips around a node that [`MapConstraint::NodePips`] allows.
pub const MAX_NODE_PIPS: u8 = 11;

impl MapConstraint {
    /// All constraints.
    pub const ALL: [Self; 7] = [
        Self::EqualTerrainApart,
        Self::RedsApart,
        Self::EqualTokensApart,
        Self::TwoAndTwelveApart,
        Self::OneRedPerResource,
        Self::NodePips,
        Self::RedsAwayFromTheirPort,
    ];

    /// Returns true if `map` obeys the constraint.
    #[must_use]
    pub fn holds(self, map: &Map) -> bool {
        Hex::ALL.into_iter().all(|hex| self.allows_hex(map, hex))
            && PortPlace::ALL.into_iter().all(|place| self.allows_port(map, place))
    }

    /// Returns true if the constraint depends on tokens only.
    pub(super) const fn is_on_tokens(self) -> bool {
        match self {
            Self::RedsApart | Self::EqualTokensApart | Self::TwoAndTwelveApart | Self::NodePips => {
                true
            }
            Self::EqualTerrainApart | Self::OneRedPerResource | Self::RedsAwayFromTheirPort => {
                false
            }
        }
    }

    /// Returns true if the piece on `hex` is compatible with those on earlier hexes. Later hexes
    /// are not considered, so a map can be checked while it is laid out.
    pub(super) fn allows_hex(self, map: &Map, hex: Hex) -> bool {
        let token = |hex: Hex| map.tokens[hex.index()];
        let mut before = hex.neighbors().iter().copied().filter(|&other| other < hex);
        match self {
            Self::RedsApart => !is_red(token(hex)) || !before.any(|other| is_red(token(other))),
            Self::EqualTokensApart => !before.any(|other| token(other) == token(hex)),
            Self::TwoAndTwelveApart => match token(hex) {
                2 => !before.any(|other| token(other) == 12),
                12 => !before.any(|other| token(other) == 2),
                _ => true,
            },
            Self::EqualTerrainApart => !before.any(|other| map.terrain(other) == map.terrain(hex)),
            Self::OneRedPerResource => {
                let rival =
                    |other: &Hex| is_red(token(*other)) && map.terrain(*other) == map.terrain(hex);
                !is_red(token(hex)) || !Hex::ALL[..hex.index()].iter().any(rival)
            }
            Self::NodePips => hex.nodes().iter().all(|node| {
                let known = node.hexes().iter().filter(|&&other| other <= hex);
                known.map(|&other| pips(token(other))).sum::<u8>() <= MAX_NODE_PIPS
            }),
            Self::RedsAwayFromTheirPort => true,
        }
    }

    /// Returns true if the port at `place` is compatible with the hexes.
    fn allows_port(self, map: &Map, place: PortPlace) -> bool {
        let (Self::RedsAwayFromTheirPort, Port::Special(resource)) = (self, map.port(place)) else {
            return true;
        };
        let is_rich = |hex: &Hex| {
            map.terrain(*hex) == Terrain::Land(resource) && is_red(map.tokens[hex.index()])
        };
        !place.nodes().iter().any(|node| node.hexes().iter().any(is_rich))
    }
}
