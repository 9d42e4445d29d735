//! A map prepared for play.

use crate::board::{Hex, Node, NodeSet};
use crate::map::{Map, Port, pips};
use crate::resource::{Cards, Resource};

/// A map with its lookup tables; games on it share one.
#[derive(Clone, Debug)]
pub struct Island {
    map: Map,
    desert: Hex,
    fields: [[Option<Field>; 2]; 13],
    nodes: [Site; Node::COUNT],
}

/// A hex that yields on a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The hex.
    pub hex: Hex,
    /// Its corners.
    pub nodes: NodeSet,
    /// What it yields.
    pub resource: Resource,
}

/// What a map makes of a node.
#[derive(Clone, Copy, Debug)]
struct Site {
    pips: [u8; Resource::COUNT],
    harvest: Cards,
    port: Option<Port>,
}

impl Island {
    /// The map with its tables.
    #[must_use]
    pub fn new(map: Map) -> Self {
        let mut fields = [[None; 2]; 13];
        for hex in Hex::ALL {
            if let (Some(token), Some(resource)) = (map.token(hex), map.terrain(hex).resource()) {
                let field = Field { hex, nodes: hex.node_set(), resource };
                // A map has each token at most twice.
                let slots = &mut fields[usize::from(token)];
                slots[usize::from(slots[0].is_some())] = Some(field);
            }
        }
        Self { map, desert: map.desert(), fields, nodes: Node::ALL.map(|node| site(&map, node)) }
    }

    /// The map.
    #[must_use]
    pub const fn map(&self) -> &Map {
        &self.map
    }

    /// Where the robber begins.
    #[must_use]
    pub const fn desert(&self) -> Hex {
        self.desert
    }

    /// The one or two hexes that yield on this sum of the dice; none on a 7.
    pub fn fields(&self, dice: u8) -> impl Iterator<Item = Field> + '_ {
        self.fields.get(usize::from(dice)).into_iter().flatten().map_while(|field| *field)
    }

    /// The resources that this sum of the dice yields, each once.
    pub fn resources(&self, dice: u8) -> impl Iterator<Item = Resource> + '_ {
        let mut seen = None;
        self.fields(dice).map(|field| field.resource).filter(move |resource| {
            let is_new = seen != Some(*resource);
            seen = Some(*resource);
            is_new
        })
    }

    /// Of 36 throws, how many yield something at `node`, counted per hex: 0 to 15.
    #[must_use]
    pub fn pips(&self, node: Node) -> u8 {
        self.nodes[node.index()].pips.iter().sum()
    }

    /// The pips of `node` for each resource, in the order of [`Resource::ALL`].
    #[must_use]
    pub const fn pips_by_resource(&self, node: Node) -> [u8; Resource::COUNT] {
        self.nodes[node.index()].pips
    }

    /// One card per hex at `node` that yields: what a second settlement there brings.
    #[must_use]
    pub const fn harvest(&self, node: Node) -> Cards {
        self.nodes[node.index()].harvest
    }

    /// The port at `node`.
    #[must_use]
    pub const fn port(&self, node: Node) -> Option<Port> {
        self.nodes[node.index()].port
    }
}

fn site(map: &Map, node: Node) -> Site {
    let port = node.port_place().map(|place| map.port(place));
    let mut site = Site { pips: [0; Resource::COUNT], harvest: Cards::NONE, port };
    for &hex in node.hexes() {
        if let (Some(token), Some(resource)) = (map.token(hex), map.terrain(hex).resource()) {
            site.pips[resource.index()] += pips(token);
            site.harvest = site.harvest.plus(Cards::of(resource, 1));
        }
    }
    site
}
