//! A map and the variant of the rules, prepared for play.

use crate::board::{Hex, Node, NodeSet};
use crate::map::{Map, Port, pips};
use crate::resource::{Resource, ResourceCards};

use super::variant::GameVariant;

/// A map with lookup tables for play, shared by all games of a variant on the map.
#[derive(Clone, Debug)]
pub struct Island {
    map: Map,
    variant: GameVariant,
    desert: Hex,
    producing_hexes: [[Option<ProducingHex>; 2]; 13],
    nodes: [NodeYield; Node::COUNT],
}

/// A hex that produces on a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducingHex {
    /// The hex.
    pub hex: Hex,
    /// Its corners.
    pub nodes: NodeSet,
    /// The resource that it produces.
    pub resource: Resource,
}

/// The production around a node.
#[derive(Clone, Copy, Debug)]
struct NodeYield {
    pips: [u8; Resource::COUNT],
    starting_cards: ResourceCards,
    port: Option<Port>,
}

impl Island {
    /// Prepares `map` for the base game with four players.
    #[must_use]
    pub fn new(map: Map) -> Self {
        Self::of_variant(map, GameVariant::BASE)
    }

    /// Prepares `map` for games of `variant`.
    #[must_use]
    pub fn of_variant(map: Map, variant: GameVariant) -> Self {
        let mut producing_hexes = [[None; 2]; 13];
        for hex in Hex::ALL {
            if let (Some(token), Some(resource)) = (map.token(hex), map.terrain(hex).resource()) {
                let field = ProducingHex { hex, nodes: hex.node_set(), resource };
                // A map has at most two tokens of a number.
                let slots = &mut producing_hexes[usize::from(token)];
                slots[usize::from(slots[0].is_some())] = Some(field);
            }
        }
        Self {
            map,
            variant,
            desert: map.desert(),
            producing_hexes,
            nodes: Node::ALL.map(|node| site(&map, node)),
        }
    }

    /// Returns the map.
    #[must_use]
    pub const fn map(&self) -> &Map {
        &self.map
    }

    /// Returns the variant of the rules.
    #[must_use]
    pub const fn variant(&self) -> GameVariant {
        self.variant
    }

    /// Returns the desert, where the robber starts.
    #[must_use]
    pub const fn desert(&self) -> Hex {
        self.desert
    }

    /// Returns the one or two hexes that produce on this sum of the dice; none on a 7.
    pub fn producing_hexes(&self, dice: u8) -> impl Iterator<Item = ProducingHex> + '_ {
        self.producing_hexes.get(usize::from(dice)).into_iter().flatten().map_while(|field| *field)
    }

    /// Returns the resources that this sum of the dice produces, each once.
    pub fn resources(&self, dice: u8) -> impl Iterator<Item = Resource> + '_ {
        let mut seen = None;
        self.producing_hexes(dice).map(|field| field.resource).filter(move |resource| {
            let is_new = seen != Some(*resource);
            seen = Some(*resource);
            is_new
        })
    }

    /// Returns the pips of `node`: the number of 36 throws that produce something there, counted
    /// per hex, 0 to 15.
    #[must_use]
    pub fn pips(&self, node: Node) -> u8 {
        self.nodes[node.index()].pips.iter().sum()
    }

    /// Returns the pips of `node` for each resource, in the order of [`Resource::ALL`].
    #[must_use]
    pub const fn pips_by_resource(&self, node: Node) -> [u8; Resource::COUNT] {
        self.nodes[node.index()].pips
    }

    /// Returns one card per producing hex at `node`: the starting cards of a second settlement
    /// there.
    #[must_use]
    pub const fn starting_cards(&self, node: Node) -> ResourceCards {
        self.nodes[node.index()].starting_cards
    }

    /// Returns the port at `node`.
    #[must_use]
    pub const fn port(&self, node: Node) -> Option<Port> {
        self.nodes[node.index()].port
    }
}

fn site(map: &Map, node: Node) -> NodeYield {
    let port = node.port_place().map(|place| map.port(place));
    let mut site =
        NodeYield { pips: [0; Resource::COUNT], starting_cards: ResourceCards::NONE, port };
    for &hex in node.hexes() {
        if let (Some(token), Some(resource)) = (map.token(hex), map.terrain(hex).resource()) {
            site.pips[resource.index()] += pips(token);
            site.starting_cards = site.starting_cards.plus(ResourceCards::of(resource, 1));
        }
    }
    site
}
