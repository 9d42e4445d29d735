//! Maps as figures.

use hatchery_figures::{
    BoardMark, Color, FigurePicture, HexBoard, HexCell, LabelColor, LabelWeight,
};

use super::{Map, Port, is_red, pips};
use crate::board::{Axial, Hex, PortPlace};
use crate::resource::Resource;

const SAND: Color = Color::rgb(0xe5, 0xd3, 0xa1);
const SEA: Color = Color::rgb(0x9f, 0xcb, 0xe3);
const RED: Color = Color::rgb(0xc0, 0x28, 0x1c);
const PAPER: Color = Color::rgb(0xfb, 0xf3, 0xdc);
const PIER: Color = Color::rgb(0x8a, 0x5a, 0x32);

/// The detail of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PictureDetail {
    /// All: a file of its own.
    Full,
    /// Large tokens without dots: a card is a third as wide as a file.
    Card,
}

impl Map {
    /// Returns the map as an SVG document: tiles by color, tokens with a dot for each of 36 throws
    /// of the dice, 6 and 8 in red, ports with piers to their two nodes, the title above and the
    /// notation below. `title` may hold any characters.
    #[must_use]
    pub fn picture(&self, title: &str) -> String {
        self.board(title, PictureDetail::Full).to_svg()
    }

    /// Returns the map as a figure for a card, with `marks` on it, such as settlements.
    pub(crate) fn card_picture(
        &self,
        title: &str,
        marks: impl Iterator<Item = HexCell>,
    ) -> FigurePicture {
        let mut board = self.board(title, PictureDetail::Card);
        board.cells.extend(marks);
        board.picture()
    }

    fn board(&self, title: &str, detail: PictureDetail) -> HexBoard {
        let sea = sea_ring().map(|at| cell(at, vec![BoardMark::Tile { fill: SEA, outline: SEA }]));
        let ports = PortPlace::ALL.map(|place| cell(place.sea(), self.port_marks(place)));
        let hexes = Hex::ALL.map(|hex| cell(hex.axial(), self.hex_marks(hex, detail)));
        let cells = sea.chain(ports).chain(hexes).collect();
        HexBoard { title: title.to_owned(), caption: self.to_string(), cells }
    }

    /// Returns the piers, the rate and the resource of a port.
    fn port_marks(&self, place: PortPlace) -> Vec<BoardMark> {
        let side = place.land_direction() as usize;
        let (fill, rate, resource) = match self.port(place) {
            Port::Generic => (PAPER, "3:1", "any"),
            Port::Special(resource) => (resource_color(resource), "2:1", resource.name()),
        };
        let [first, second] =
            [side, side + 1].map(|corner| BoardMark::Spoke { corner, color: PIER });
        let disk = BoardMark::Disk { y: 0, fill, outline: PIER, outline_width: 3 };
        let rate = label(1, 18, LabelWeight::Bold, rate.to_owned());
        vec![first, second, disk, rate, label(15, 12, LabelWeight::Regular, resource.to_owned())]
    }

    /// Returns the tile, the terrain's name and the token of a hex.
    fn hex_marks(&self, hex: Hex, detail: PictureDetail) -> Vec<BoardMark> {
        let terrain = self.terrain(hex);
        let fill = terrain.resource().map_or(SAND, resource_color);
        let tile = BoardMark::Tile { fill, outline: PAPER };
        let token = self.token(hex);
        let (y, size, token): (_, _, Vec<_>) = match detail {
            PictureDetail::Full => (41, 13, token.into_iter().flat_map(token_marks).collect()),
            PictureDetail::Card => (39, 17, token.into_iter().flat_map(large_token).collect()),
        };
        let name = label(y, size, LabelWeight::Regular, terrain.to_string());
        [tile, name].into_iter().chain(token).collect()
    }
}

fn token_marks(token: u8) -> [BoardMark; 3] {
    let dots = BoardMark::Dots { y: 13, n: pips(token), color: token_ink(token) };
    [token_disk(), token_number(token, 3, 25), dots]
}

fn large_token(token: u8) -> [BoardMark; 2] {
    [token_disk(), token_number(token, 8, 36)]
}

const fn token_disk() -> BoardMark {
    BoardMark::Disk { y: -4, fill: PAPER, outline: HexBoard::INK, outline_width: 1 }
}

/// Returns the number of a token, with the height of its baseline and its font size.
fn token_number(token: u8, y: i32, size: u32) -> BoardMark {
    BoardMark::Label {
        y,
        size,
        weight: LabelWeight::Bold,
        color: LabelColor::Custom(token_ink(token)),
        text: token.to_string(),
    }
}

const fn token_ink(token: u8) -> Color {
    if is_red(token) { RED } else { HexBoard::INK }
}

fn label(y: i32, size: u32, weight: LabelWeight, text: String) -> BoardMark {
    BoardMark::Label { y, size, weight, color: LabelColor::Ink, text }
}

fn cell(at: Axial, marks: Vec<BoardMark>) -> HexCell {
    HexCell { q: at.q.into(), r: at.r.into(), marks }
}

fn sea_ring() -> impl Iterator<Item = Axial> {
    let square = (-3..=3).flat_map(|r| (-3..=3).map(move |q| Axial::new(q, r)));
    square.filter(|hex| hex.distance(Axial::new(0, 0)) == 3)
}

const fn resource_color(resource: Resource) -> Color {
    match resource {
        Resource::Brick => Color::rgb(0xcf, 0x73, 0x50),
        Resource::Ore => Color::rgb(0xa3, 0xa9, 0xb3),
        Resource::Sheep => Color::rgb(0xa9, 0xd2, 0x71),
        Resource::Wheat => Color::rgb(0xf1, 0xc5, 0x50),
        Resource::Wood => Color::rgb(0x5f, 0xa0, 0x5a),
    }
}
