//! Shapes in a plane.
//!
//! A drawing has a hundred units of the document for each unit of the plane, and numbers with one
//! digit after the point: places are exact to a thousandth of a unit.

use crate::color::Color;
use crate::document::{DocumentPaper, FigureDocument};
use crate::markup::escape_text;
use crate::shape::DocumentForm;

/// The units of the document for each unit of the plane.
const SCALE: f64 = 100.0;
/// The largest magnitude of a coordinate that is drawn.
const MAX_COORDINATE: f64 = 1e6;
/// The width of outlines, in units of the document.
pub(crate) const OUTLINE_WIDTH: f64 = 2.0;
pub(crate) const FONT: &str = "font-family=\"Helvetica, Arial, sans-serif\"";

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
    /// The shapes in the order of drawing: later shapes cover earlier shapes.
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

impl PlaneDrawing {
    /// Returns the drawing as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the drawing as a part of a page, in its own size in pixels: a page that is narrower
    /// scrolls it, so that text keeps its size. The page's sheet must have [`STYLE_SHEET`].
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(DocumentForm::Fixed)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let inherited = format!("{FONT} text-anchor=\"middle\" stroke-width=\"{OUTLINE_WIDTH}\"");
        let document = FigureDocument {
            title: &self.title,
            description: &self.description,
            view_box: self.view_box(),
            inherited: &inherited,
            paper: DocumentPaper::Absent,
        };
        document.with_lines(&self.elements().collect::<Vec<_>>(), form)
    }

    fn elements(&self) -> impl Iterator<Item = String> {
        self.shapes.iter().filter_map(PlaneShape::element)
    }

    /// Returns the shapes, each on a line.
    pub(crate) fn content(&self) -> String {
        self.elements().map(|element| element + "\n").collect()
    }

    /// Returns the view, or the unit square in place of an empty one.
    pub(crate) fn checked_view(&self) -> [f64; 4] {
        let [left, low, right, high] = self.view;
        let is_drawn = self.view.iter().copied().all(is_drawn);
        if is_drawn && left < right && low < high { self.view } else { [0.0, 0.0, 1.0, 1.0] }
    }

    /// Returns the view in units of the document, exact to a tenth.
    pub(crate) fn view_box(&self) -> [f64; 4] {
        let [left, low, right, high] = self.checked_view();
        let sides = [left, -high, right - left, high - low];
        // Adding 0 makes a negative 0 positive.
        sides.map(|side| libm::round(10.0 * SCALE * side) / 10.0 + 0.0)
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

/// Returns a place as numbers of the document, whose y grows downward.
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

/// Returns a number of the plane as a number of the document, such as `250` or `-12.5`.
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
}
