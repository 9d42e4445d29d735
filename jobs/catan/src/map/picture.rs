//! Maps drawn as SVG.
//!
//! All lengths are integers: a hex is 104 wide and 120 high, so that neighbors are 104 apart in a
//! row and rows 90 apart.

use super::coast::facing;
use super::{Map, Port, is_red, pips};
use crate::board::{Axial, Hex, PortPlace};
use crate::resource::Resource;

/// The corners of a hex, clockwise from the north; side `i` is between corners `i` and `i + 1`.
const CORNERS: [(i32, i32); 6] = [(0, -60), (52, -30), (52, 30), (0, 60), (-52, 30), (-52, -30)];
const HEX: &str = "M0-60 52-30V30L0 60-52 30V-30Z";

const SAND: &str = "#e5d3a1";
const SEA: &str = "#9fcbe3";
const INK: &str = "#33302b";
const RED: &str = "#c0281c";
const PAPER: &str = "#fbf3dc";
const PIER: &str = "#8a5a32";

impl Map {
    /// The map as an SVG document: tiles by color, tokens with a dot for each of 36 throws of the
    /// dice, 6 and 8 in red, ports with piers to their two nodes, the title above and the notation
    /// below. `title` may hold any characters.
    #[must_use]
    pub fn picture(&self, title: &str) -> String {
        let title = escaped(title);
        let mut lines = vec![
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-376 -384 752 758\" \
                 font-family=\"Helvetica, Arial, sans-serif\" text-anchor=\"middle\" \
                 fill=\"{INK}\" role=\"img\">"
            ),
            format!("<title>{title}</title>"),
            "<rect x=\"-376\" y=\"-384\" width=\"752\" height=\"758\" fill=\"#ffffff\"/>"
                .to_owned(),
            format!("<text y=\"-350\" font-size=\"20\" font-weight=\"bold\">{title}</text>"),
        ];
        lines.extend(sea_ring().map(|sea| placed(sea, &outline(SEA, SEA))));
        lines.extend(PortPlace::ALL.map(|place| placed(place.sea(), &self.drawn_port(place))));
        lines.extend(Hex::ALL.map(|hex| placed(hex.axial(), &self.drawn_hex(hex))));
        lines.push(format!(
            "<text y=\"360\" font-size=\"14\" font-family=\"monospace\">{self}</text>\n</svg>\n"
        ));
        lines.join("\n")
    }

    fn drawn_port(&self, place: PortPlace) -> String {
        let side = facing(place) as usize;
        let piers = [CORNERS[side], CORNERS[(side + 1) % 6]].map(|(x, y)| {
            format!(
                "<path d=\"M0 0 {x} {y}\" stroke=\"{PIER}\" stroke-width=\"7\" \
                 stroke-linecap=\"round\"/>"
            )
        });
        let (fill, rate, what) = match self.port(place) {
            Port::Generic => (PAPER, "3:1", "any"),
            Port::Special(resource) => (resource_color(resource), "2:1", resource.name()),
        };
        format!(
            "{}<circle r=\"27\" fill=\"{fill}\" stroke=\"{PIER}\" stroke-width=\"3\"/>\
             <text y=\"1\" font-size=\"18\" font-weight=\"bold\">{rate}</text>\
             <text y=\"15\" font-size=\"12\">{what}</text>",
            piers.concat()
        )
    }

    fn drawn_hex(&self, hex: Hex) -> String {
        let terrain = self.terrain(hex);
        let color = terrain.resource().map_or(SAND, resource_color);
        let name = format!("<text y=\"41\" font-size=\"13\">{terrain}</text>");
        let token = self.token(hex).map(drawn_token).unwrap_or_default();
        outline(color, PAPER) + &name + &token
    }
}

fn drawn_token(token: u8) -> String {
    let ink = if is_red(token) { RED } else { INK };
    let n_dots = i32::from(pips(token));
    let dots = (0..n_dots).map(|dot| {
        let x = 7 * dot - 7 * (n_dots - 1) / 2;
        format!("<circle cx=\"{x}\" cy=\"13\" r=\"2\" fill=\"{ink}\"/>")
    });
    format!(
        "<circle cy=\"-4\" r=\"27\" fill=\"{PAPER}\" stroke=\"{INK}\"/>\
         <text y=\"3\" font-size=\"25\" font-weight=\"bold\" fill=\"{ink}\">{token}</text>{}",
        dots.collect::<String>()
    )
}

/// What is drawn around (0, 0), moved to the middle of `hex`.
fn placed(hex: Axial, drawn: &str) -> String {
    let (q, r) = (i32::from(hex.q), i32::from(hex.r));
    format!("<g transform=\"translate({} {})\">{drawn}</g>", 104 * q + 52 * r, 90 * r)
}

fn outline(fill: &str, stroke: &str) -> String {
    format!("<path d=\"{HEX}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"5\"/>")
}

fn sea_ring() -> impl Iterator<Item = Axial> {
    let square = (-3..=3).flat_map(|r| (-3..=3).map(move |q| Axial::new(q, r)));
    square.filter(|hex| hex.distance(Axial::new(0, 0)) == 3)
}

const fn resource_color(resource: Resource) -> &'static str {
    match resource {
        Resource::Brick => "#cf7350",
        Resource::Ore => "#a3a9b3",
        Resource::Sheep => "#a9d271",
        Resource::Wheat => "#f1c550",
        Resource::Wood => "#5fa05a",
    }
}

/// A text in XML: markup is escaped, and what XML 1.0 has no place for becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
