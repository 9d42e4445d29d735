//! The pieces of maps: tiles, tokens and ports of the base game.

use std::fmt;

use crate::resource::Resource;

/// The terrain of a hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Terrain {
    /// Produces this resource when its token is rolled.
    Land(Resource),
    /// Produces nothing and has no token; the robber starts here.
    Desert,
}

/// A port, by the trade that it offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// Three equal cards for one other.
    Generic,
    /// Two cards of this resource for one other.
    Special(Resource),
}

impl Terrain {
    /// All kinds.
    pub const ALL: [Self; Resource::COUNT + 1] = [
        Self::Land(Resource::Brick),
        Self::Land(Resource::Ore),
        Self::Land(Resource::Sheep),
        Self::Land(Resource::Wheat),
        Self::Land(Resource::Wood),
        Self::Desert,
    ];

    /// Returns the name of the resource, or `desert`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Land(resource) => resource.name(),
            Self::Desert => "desert",
        }
    }

    /// Returns the number of hexes of this kind in the base game.
    #[must_use]
    pub const fn supply(self) -> usize {
        match self {
            Self::Land(Resource::Sheep | Resource::Wheat | Resource::Wood) => 4,
            Self::Land(Resource::Brick | Resource::Ore) => 3,
            Self::Desert => 1,
        }
    }

    /// Returns the resource that the terrain produces.
    #[must_use]
    pub const fn resource(self) -> Option<Resource> {
        match self {
            Self::Land(resource) => Some(resource),
            Self::Desert => None,
        }
    }
}

impl Port {
    /// All kinds.
    pub const ALL: [Self; Resource::COUNT + 1] = [
        Self::Special(Resource::Brick),
        Self::Special(Resource::Ore),
        Self::Special(Resource::Sheep),
        Self::Special(Resource::Wheat),
        Self::Special(Resource::Wood),
        Self::Generic,
    ];

    /// Returns the name of the resource, or `generic`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Special(resource) => resource.name(),
            Self::Generic => "generic",
        }
    }

    /// Returns the number of ports of this kind in the base game.
    #[must_use]
    pub const fn supply(self) -> usize {
        match self {
            Self::Generic => 4,
            Self::Special(_) => 1,
        }
    }
}

impl fmt::Display for Terrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Returns the number of tokens with this number in the base game.
#[must_use]
pub const fn token_supply(token: u8) -> usize {
    match token {
        2 | 12 => 1,
        3..=6 | 8..=11 => 2,
        _ => 0,
    }
}

/// Returns the pips of `token`: the number of the 36 throws of two dice that show it (rulebook: the
/// dots under the number).
#[must_use]
pub const fn pips(token: u8) -> u8 {
    match token {
        2..=12 => 6 - token.abs_diff(7),
        _ => 0,
    }
}

/// Returns true if a token is printed in red: the two most frequent numbers.
#[must_use]
pub const fn is_red(token: u8) -> bool {
    matches!(token, 6 | 8)
}
