//! Games as scenes: the map, the buildings and roads of the seats, and the robber.

use hatchery_core::SceneBase;
use hatchery_core::scene::{
    SceneColor, SceneLabel, ScenePlace, SceneSpace, SceneSymbol, SceneThings, SceneTile, SceneTurn,
    SymbolId, SymbolShape, ThingId, ThingPose,
};

use crate::board::{Axial, Edge, Hex, Node, PortPlace};
use crate::map::{Map, Port, Terrain};
use crate::resource::Resource;
use crate::rules::{GameState, Seat};

/// The order of the symbols: terrains and ports as in their lists, then these.
const FIRST_PORT: usize = Terrain::ALL.len();
const PIER: usize = FIRST_PORT + Port::ALL.len();
const ROBBER: usize = PIER + 1;
/// The first symbol of seat 1.
const FIRST_SEAT: usize = ROBBER + 1;

/// The symbols that each seat has, in their order.
#[derive(Clone, Copy)]
enum SeatSymbol {
    Road,
    Settlement,
    City,
}

const SEAT_SYMBOLS: [SeatSymbol; 3] = [SeatSymbol::Road, SeatSymbol::Settlement, SeatSymbol::City];

const SEAT_COLORS: [SceneColor; Seat::COUNT] =
    [SceneColor::Red, SceneColor::Blue, SceneColor::Orange, SceneColor::White];

/// A house, and a house beside a tower, as the corners of polygons.
const SETTLEMENT: [[i32; 2]; 5] = [[-100, -100], [100, -100], [100, 40], [0, 130], [-100, 40]];
const CITY: [[i32; 2]; 7] =
    [[-170, -120], [170, -120], [170, 30], [10, 30], [10, 110], [-80, 190], [-170, 110]];

/// The order of the things: roads by edge, below buildings by node, below the robber.
const FIRST_NODE: usize = Edge::COUNT;
const ROBBER_THING: usize = FIRST_NODE + Node::COUNT;

/// An explanation of the seats' symbols.
pub(crate) const LEGEND: &str =
    "on the board, s1 is a settlement, C1 a city and 1 a road of seat 1";

/// Returns the picture of `map` and the symbols.
pub(crate) fn base(map: &Map) -> SceneBase {
    let mut base = SceneBase::new(SceneSpace::Hexes, symbols());
    for place in PortPlace::ALL {
        let port = map.port(place);
        let Axial { q, r } = place.sea();
        let (q, r, side) = (i32::from(q), i32::from(r), place.land_direction() as usize);
        let sea = ScenePlace::hex(q, r);
        for corner in [side, side + 1] {
            let pier = sea.midpoint(ScenePlace::hex_corner(q, r, corner));
            base.tiles.push(SceneTile { symbol: symbol_id(PIER), place: pier });
        }
        let idx = Port::ALL.into_iter().position(|other| other == port).unwrap_or(0);
        base.tiles.push(SceneTile { symbol: symbol_id(FIRST_PORT + idx), place: sea });
        let rate = if port == Port::Generic { "3:1" } else { "2:1" };
        base.labels.push(SceneLabel { text: rate.to_owned(), place: sea });
    }
    for hex in Hex::ALL {
        let (terrain, place) = (map.terrain(hex), center(hex));
        let idx = Terrain::ALL.into_iter().position(|other| other == terrain).unwrap_or(0);
        base.tiles.push(SceneTile { symbol: symbol_id(idx), place });
        let token = map.token(hex).map(|token| SceneLabel { text: token.to_string(), place });
        base.labels.extend(token);
    }
    base
}

/// Returns the roads, the buildings and the robber.
pub(crate) fn things(state: &GameState) -> SceneThings {
    let mut things = SceneThings::new();
    for seat in Seat::ALL {
        let id = |symbol: SeatSymbol| {
            symbol_id(FIRST_SEAT + SEAT_SYMBOLS.len() * seat.index() + symbol as usize)
        };
        for edge in Edge::ALL.into_iter().filter(|&edge| state.roads(seat).contains(edge)) {
            let (place, turn) = side(edge);
            let pose = ThingPose::at(id(SeatSymbol::Road), place).turned(turn);
            things.insert(thing_id(edge.index()), pose);
        }
        for node in Node::ALL {
            let symbol = match node {
                _ if state.settlements(seat).contains(node) => SeatSymbol::Settlement,
                _ if state.cities(seat).contains(node) => SeatSymbol::City,
                _ => continue,
            };
            let pose = ThingPose::at(id(symbol), corner(node));
            things.insert(thing_id(FIRST_NODE + node.index()), pose);
        }
    }
    let robber = ThingPose::at(symbol_id(ROBBER), center(state.robber()));
    things.insert(thing_id(ROBBER_THING), robber);
    things
}

fn symbols() -> Vec<SceneSymbol> {
    let terrains = Terrain::ALL.map(|terrain| {
        let color = terrain.resource().map_or(SceneColor::Sand, resource_color);
        SceneSymbol::new(terrain.name(), terrain.name(), color, SymbolShape::Cell)
    });
    let ports = Port::ALL.map(|port| {
        let (glyph, color) = match port {
            Port::Generic => ("any", SceneColor::White),
            Port::Special(resource) => (resource.name(), resource_color(resource)),
        };
        let disk = SymbolShape::Disk { radius: 260 };
        SceneSymbol::new(format!("{port} port"), glyph, color, disk)
    });
    let (pier, robber) = (SymbolShape::Disk { radius: 50 }, SymbolShape::Disk { radius: 180 });
    let others = [
        SceneSymbol::new("pier", "·", SceneColor::Brown, pier),
        SceneSymbol::new("robber", "robber", SceneColor::Black, robber),
    ];
    let seats = (1..).zip(SEAT_COLORS).flat_map(|(seat, color)| {
        SEAT_SYMBOLS.map(|symbol| {
            let (kind, glyph, corners) = match symbol {
                SeatSymbol::Road => ("road", format!("{seat}"), block(220, 40)),
                SeatSymbol::Settlement => ("settlement", format!("s{seat}"), SETTLEMENT.to_vec()),
                SeatSymbol::City => ("city", format!("C{seat}"), CITY.to_vec()),
            };
            let name = format!("{kind} of seat {seat}");
            SceneSymbol::new(name, glyph, color, SymbolShape::Polygon { corners })
        })
    });
    terrains.into_iter().chain(ports).chain(others).chain(seats).collect()
}

/// Returns the corners of a rectangle that reaches that far to the right and upward.
fn block(right: i32, up: i32) -> Vec<[i32; 2]> {
    vec![[-right, -up], [right, -up], [right, up], [-right, up]]
}

fn resource_color(resource: Resource) -> SceneColor {
    match resource {
        Resource::Brick => SceneColor::Brown,
        Resource::Ore => SceneColor::Gray,
        Resource::Sheep => SceneColor::LightGreen,
        Resource::Wheat => SceneColor::Yellow,
        Resource::Wood => SceneColor::Green,
    }
}

fn symbol_id(idx: usize) -> SymbolId {
    SymbolId(u16::try_from(idx).expect("there are 26 symbols"))
}

fn thing_id(idx: usize) -> ThingId {
    ThingId(u32::try_from(idx).expect("there are 127 things"))
}

fn center(hex: Hex) -> ScenePlace {
    let Axial { q, r } = hex.axial();
    ScenePlace::hex(q.into(), r.into())
}

/// Returns the place of a node: a corner of any hex that it touches.
fn corner(node: Node) -> ScenePlace {
    let hex = node.hexes()[0];
    let corner = hex.nodes().iter().position(|&other| other == node).unwrap_or(0);
    let Axial { q, r } = hex.axial();
    ScenePlace::hex_corner(q.into(), r.into(), corner)
}

/// Returns the place of an edge, and the turn of a road on it.
fn side(edge: Edge) -> (ScenePlace, SceneTurn) {
    let [a, b] = edge.nodes().map(corner);
    // The lower number is the upper end, so a side goes straight down, to the right or to the left.
    let degrees = match (b.x - a.x, b.y - a.y) {
        (-2, 4) => 90,
        (2, 2) => -30,
        _ => 30,
    };
    (a.midpoint(b), SceneTurn::from_degrees(degrees))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use hatchery_core::SceneWriter;
    use hatchery_core::scene::SceneText;

    use super::*;
    use crate::rules::Island;

    #[test]
    fn edges_are_sides_of_their_hexes() {
        for hex in Hex::ALL {
            let Axial { q, r } = hex.axial();
            for (&edge, idx) in hex.edges().iter().zip(0..) {
                // Sides are counted from the north-east, which falls to the right.
                let degrees = [-30, 90, 30][idx % 3];
                let expected = ScenePlace::hex_side(q.into(), r.into(), idx);
                assert_eq!(side(edge), (expected, SceneTurn::from_degrees(degrees)));
            }
            for (&node, idx) in hex.nodes().iter().zip(0..) {
                assert_eq!(corner(node), ScenePlace::hex_corner(q.into(), r.into(), idx));
            }
        }
    }

    #[test]
    fn the_board_is_drawn() {
        let island = Island::new(Map::RULEBOOK);
        let mut state = GameState::new(&island);
        for (seat, node) in [(Seat::First, 10), (Seat::Second, 29), (Seat::Fourth, 44)] {
            let node = Node::ALL[node];
            state.place_settlement(&island, seat, node);
            node.edges().iter().for_each(|&edge| state.place_road(seat, edge));
        }
        state.upgrade_to_city(Seat::Second, Node::ALL[29]);
        let mut drawn = String::new();
        let mut text = SceneText::new(|frame: &str| {
            frame.clone_into(&mut drawn);
            ControlFlow::Continue(())
        });
        let ControlFlow::Continue(mut scene) = SceneWriter::begin(&mut text, &base(&Map::RULEBOOK))
        else {
            panic!("the text takes everything");
        };
        assert!(scene.show("the board", things(&state)).is_continue());
        assert_eq!(drawn, include_str!("scene/board.txt"));
    }
}
