//! Shapes in a plane, and sheets of such drawings.
//!
//! A drawing has a hundred units of the document for each unit of the plane, and numbers with one
//! digit after the point: places are exact to a thousandth of a unit.

use crate::color::Color;
use crate::document::{DocumentPaper, FigureDocument};
use crate::markup::{escape_text, to_f64};

/// The units of the document for each unit of the plane.
const SCALE: f64 = 100.0;
/// The largest magnitude of a coordinate that is drawn.
const MAX_COORDINATE: f64 = 1e6;
/// The width of outlines, in units of the document.
const OUTLINE_WIDTH: f64 = 2.0;
/// A drawing on a sheet: its width, its height at most, and the spaces around and above it.
const CELL_WIDTH: f64 = 360.0;
const MAX_CELL_HEIGHT: f64 = 360.0;
const CELL_GAP: f64 = 16.0;
const CELL_HEADER: f64 = 20.0;
const SHEET_HEADER: f64 = 40.0;
const FONT: &str = "font-family=\"Helvetica, Arial, sans-serif\"";
const INK: Color = Color::rgb(0x33, 0x30, 0x2b);

/// A drawing of shapes in a plane: x grows to the right and y upward.
///
/// Shapes with a number that is not finite, or of a magnitude above a million, are left out.
#[derive(Clone, Debug)]
pub struct PlaneDrawing {
    /// The title, for screen readers and tooltips, and above the drawing on a sheet.
    pub title: String,
    /// The description, for screen readers.
    pub description: String,
    /// The part of the plane that is shown: the left, lower, right and upper end. An empty one is
    /// replaced by the unit square.
    pub view: [f64; 4],
    /// The shapes in the order in which they are drawn: later ones cover earlier ones.
    pub shapes: Vec<PlaneShape>,
}

/// A shape of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaneShape {
    /// An area with straight sides.
    Polygon {
        /// The corners, in either direction.
        corners: Vec<[f64; 2]>,
        /// The color of the area.
        fill: Color,
        /// The color of the border.
        outline: Color,
    },
    /// A disk.
    Disk {
        /// The center.
        center: [f64; 2],
        /// The radius.
        radius: f64,
        /// The color of the area.
        fill: Color,
        /// The color of the border.
        outline: Color,
    },
    /// A line through points.
    Line {
        /// The points.
        points: Vec<[f64; 2]>,
        /// The width.
        width: f64,
        /// The color.
        color: Color,
        /// The pattern.
        pattern: LinePattern,
    },
    /// A line of text.
    Label {
        /// The middle of its baseline.
        at: [f64; 2],
        /// The font size.
        size: f64,
        /// The color.
        color: Color,
        /// The text.
        text: String,
    },
}

/// The pattern of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePattern {
    /// Without gaps.
    Solid,
    /// Round dots, as wide as the line and twice as far apart.
    Dotted,
}

/// A sheet of drawings in rows, each with its title above it.
#[derive(Clone, Debug)]
pub struct DrawingSheet {
    /// The text above the drawings, which is also the document's title.
    pub title: String,
    /// The description, for screen readers.
    pub description: String,
    /// The number of drawings in a row; at least one.
    pub columns: usize,
    /// The drawings, row by row.
    pub drawings: Vec<PlaneDrawing>,
}

impl PlaneDrawing {
    /// Returns the drawing as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let inherited = format!("{FONT} text-anchor=\"middle\" stroke-width=\"{OUTLINE_WIDTH}\"");
        let document = FigureDocument {
            title: &self.title,
            description: &self.description,
            view_box: self.view_box(),
            inherited: &inherited,
            paper: DocumentPaper::Absent,
        };
        document.standalone(&self.elements().collect::<Vec<_>>())
    }

    fn elements(&self) -> impl Iterator<Item = String> {
        self.shapes.iter().filter_map(PlaneShape::element)
    }

    /// Returns the shapes, each on a line.
    fn content(&self) -> String {
        self.elements().map(|element| element + "\n").collect()
    }

    /// Returns the view, or the unit square in place of an empty one.
    fn checked_view(&self) -> [f64; 4] {
        let [left, low, right, high] = self.view;
        let is_drawn = self.view.iter().copied().all(is_drawn);
        if is_drawn && left < right && low < high { self.view } else { [0.0, 0.0, 1.0, 1.0] }
    }

    /// Returns the view in units of the document, exact to a tenth.
    fn view_box(&self) -> [f64; 4] {
        let [left, low, right, high] = self.checked_view();
        let sides = [left, -high, right - left, high - low];
        // Adding 0 makes a negative 0 positive.
        sides.map(|side| libm::round(10.0 * SCALE * side) / 10.0 + 0.0)
    }

    /// Returns the height on a sheet.
    fn cell_height(&self) -> f64 {
        let [left, low, right, high] = self.checked_view();
        (CELL_WIDTH * (high - low) / (right - left)).min(MAX_CELL_HEIGHT)
    }
}

impl DrawingSheet {
    /// Returns the sheet as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let columns = self.columns.clamp(1, self.drawings.len().max(1));
        let heights = self.drawings.iter().map(PlaneDrawing::cell_height);
        let cell_height = libm::ceil(heights.fold(1.0, f64::max));
        let row_height = CELL_HEADER + cell_height + CELL_GAP;
        let width = CELL_GAP + (CELL_WIDTH + CELL_GAP) * to_f64(columns);
        let height = SHEET_HEADER + row_height * to_f64(self.drawings.len().div_ceil(columns));
        let title = escape_text(&self.title);
        let mut lines = vec![format!(
            "<text x=\"{CELL_GAP}\" y=\"26\" font-size=\"18\" font-weight=\"bold\">{title}</text>"
        )];
        for (idx, drawing) in self.drawings.iter().enumerate() {
            let x = CELL_GAP + (CELL_WIDTH + CELL_GAP) * to_f64(idx % columns);
            let y = SHEET_HEADER + row_height * to_f64(idx / columns);
            let title = escape_text(&drawing.title);
            let view = drawing.view_box().map(|number| number.to_string()).join(" ");
            lines.push(format!(
                "<text x=\"{x}\" y=\"{}\" font-size=\"13\">{title}</text>\n\
                 <svg x=\"{x}\" y=\"{}\" width=\"{CELL_WIDTH}\" height=\"{cell_height}\" \
                 viewBox=\"{view}\" text-anchor=\"middle\" stroke-width=\"{OUTLINE_WIDTH}\">\n\
                 <title>{title}</title>\n{}</svg>",
                y + 14.0,
                y + CELL_HEADER,
                drawing.content()
            ));
        }
        let document = FigureDocument {
            title: &self.title,
            description: &self.description,
            view_box: [0.0, 0.0, width, height],
            inherited: &format!("{FONT} fill=\"{INK}\""),
            paper: DocumentPaper::White,
        };
        document.standalone(&lines)
    }
}

impl PlaneShape {
    /// Returns the shape as markup; none if it cannot be drawn.
    fn element(&self) -> Option<String> {
        match self {
            Self::Polygon { corners, fill, outline } => {
                let points = points(corners)?;
                Some(format!("<polygon points=\"{points}\" fill=\"{fill}\" stroke=\"{outline}\"/>"))
            }
            Self::Disk { center, radius, fill, outline } => {
                let [x, y] = place(*center)?;
                let radius = size(*radius)?;
                Some(format!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" \
                     stroke=\"{outline}\"/>"
                ))
            }
            Self::Line { points: along, width, color, pattern } => {
                let (points, width_shown) = (points(along)?, size(*width)?);
                let dots = match pattern {
                    LinePattern::Solid => String::new(),
                    LinePattern::Dotted => {
                        format!(" stroke-dasharray=\"0 {}\"", number(2.0 * width))
                    }
                };
                Some(format!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" \
                     stroke-width=\"{width_shown}\" stroke-linecap=\"round\" \
                     stroke-linejoin=\"round\"{dots}/>"
                ))
            }
            Self::Label { at, size: height, color, text } => {
                let ([x, y], size, text) = (place(*at)?, size(*height)?, escape_text(text));
                Some(format!(
                    "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{color}\">{text}</text>"
                ))
            }
        }
    }
}

fn is_drawn(value: f64) -> bool {
    value.abs() <= MAX_COORDINATE
}

/// Returns a place as numbers of the document, in which y grows downward.
fn place([x, y]: [f64; 2]) -> Option<[String; 2]> {
    (is_drawn(x) && is_drawn(y)).then(|| [number(x), number(-y)])
}

/// Returns a length that is not negative as a number of the document.
fn size(length: f64) -> Option<String> {
    (is_drawn(length) && 0.0 <= length).then(|| number(length))
}

fn points(points: &[[f64; 2]]) -> Option<String> {
    let places: Option<Vec<_>> =
        points.iter().map(|point| Some(place(*point)?.join(","))).collect();
    places.map(|places| places.join(" "))
}

/// Returns a number of the plane as one of the document, such as `250` or `-12.5`.
fn number(value: f64) -> String {
    let text = format!("{:.1}", SCALE * value);
    match text.strip_suffix(".0").unwrap_or(&text) {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Color = Color::rgb(0xff, 0, 0);

    #[test]
    fn places_are_exact_to_a_thousandth_and_y_grows_upward() {
        assert_eq!(place([1.2346, 2.0]), Some(["123.5".to_owned(), "-200".to_owned()]));
        assert_eq!(place([-0.0001, 0.0]), Some(["0".to_owned(), "0".to_owned()]));
        assert_eq!(place([f64::NAN, 0.0]), None);
        assert_eq!(place([0.0, 1e7]), None);
        assert_eq!(size(-1.0), None);
    }

    #[test]
    fn an_empty_view_is_replaced() {
        for view in [[0.0; 4], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, f64::INFINITY, 1.0]] {
            let drawing = PlaneDrawing {
                title: String::new(),
                description: String::new(),
                view,
                shapes: Vec::new(),
            };
            assert!(drawing.to_svg().contains("viewBox=\"0 -100 100 100\""));
        }
    }

    #[test]
    fn a_sheet_has_rows_as_high_as_its_highest_drawing() {
        let drawing = |width: f64| PlaneDrawing {
            title: "one".to_owned(),
            description: String::new(),
            view: [0.0, 0.0, width, 2.0],
            shapes: vec![PlaneShape::Disk {
                center: [1.0, 1.0],
                radius: 1.0,
                fill: RED,
                outline: RED,
            }],
        };
        let drawings = vec![drawing(4.0), drawing(8.0), drawing(4.0)];
        let sheet = DrawingSheet {
            title: "all".to_owned(),
            description: String::new(),
            columns: 2,
            drawings,
        };
        let svg = sheet.to_svg();
        // Two columns of 360 and three gaps of 16; two rows of 20 + 180 + 16 below 40.
        assert!(svg.contains("viewBox=\"0 0 768 472\""), "{svg}");
        assert_eq!(svg.matches("height=\"180\"").count(), 3);
        assert_eq!(svg.matches("<circle").count(), 3);
    }
}
