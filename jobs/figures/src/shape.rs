//! The shapes that charts are made of, and their markup in both forms of a document.

use crate::color::Color;
use crate::description;
use crate::markup::{corners, escape_text};
use crate::palette::ThemeColor;

/// The form of a document. All have colors as attributes, which hold where a page's style sheet is
/// blocked, and as classes, which the theme goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DocumentForm {
    /// A file of its own: positions in units of the view box.
    Standalone,
    /// A part of a page: horizontal positions as shares of the width that the page gives.
    Stretched(StretchedPart),
    /// A part of a page in its own size: positions in units of the view box, which are pixels.
    Fixed,
}

/// The part of a document that an inline figure stretches to the width it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StretchedPart {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) margins: StretchMargins,
}

/// The space beside the stretched part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StretchMargins {
    /// Room for the labels of a vertical axis.
    Axes,
    /// Room for half a label of a horizontal axis.
    Rows,
}

/// The color of an area, a line or text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    /// A color of the theme, light or dark as the paper is.
    Theme(ThemeColor),
    /// The same color on any paper, such as a game's color.
    Fixed(Color),
}

/// The colors of a shape, and its line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShapeStyle {
    /// The area, with its opacity.
    fill: Option<(Paint, f64)>,
    /// The line, with its width and dashes.
    stroke: Option<(Paint, f64, &'static str)>,
}

/// A shape of a chart, in positions of its standalone document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A straight line from (x, y) to (x, y).
    Line { ends: [f64; 4], style: ShapeStyle },
    /// A rectangle with its left upper corner, width and height, and the text that is shown while
    /// the pointer is on it.
    Cell { corner: [f64; 2], size: [f64; 2], style: ShapeStyle, hover: String },
    /// A line through points.
    Curve { points: Vec<[f64; 2]>, style: ShapeStyle },
    /// An area with corners.
    Area { corners: Vec<[f64; 2]>, style: ShapeStyle },
    /// A path relative to a point, which keeps its size at any width.
    Mark { at: [f64; 2], path: String, style: ShapeStyle },
    /// A line of text.
    Text(TextShape),
}

/// A line of text, which keeps its size at any width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextShape {
    /// The point that the text belongs to.
    pub(crate) at: [f64; 2],
    /// The distance of the text from the point.
    pub(crate) offset: [f64; 2],
    /// The part of the text at the place: `start`, `middle` or `end`.
    pub(crate) anchor: &'static str,
    /// The rise of the text, in degrees.
    pub(crate) turn: f64,
    /// The color, if it is not the ink.
    pub(crate) fill: Option<Paint>,
    /// More attributes, such as ` font-weight="bold"`.
    pub(crate) more: &'static str,
    pub(crate) content: String,
}

impl ShapeStyle {
    pub(crate) const fn filled(paint: Paint) -> Self {
        Self { fill: Some((paint, 1.0)), stroke: None }
    }

    pub(crate) const fn faintly_filled(paint: Paint, opacity: f64) -> Self {
        Self { fill: Some((paint, opacity)), stroke: None }
    }

    pub(crate) const fn stroked(paint: Paint, width: f64, dashes: &'static str) -> Self {
        Self { fill: None, stroke: Some((paint, width, dashes)) }
    }

    /// Returns the style of an area with a line around it.
    pub(crate) const fn outlined(self, paint: Paint, width: f64) -> Self {
        Self { stroke: Some((paint, width, "")), ..self }
    }

    /// Returns the attributes, each with a space before it.
    fn attributes(&self) -> String {
        let fill = self.fill.map(|(paint, _)| paint.markup("fill"));
        let stroke = self.stroke.map(|(paint, ..)| paint.markup("stroke"));
        let (mut classes, mut attributes) = (Vec::new(), Vec::new());
        for (class, attribute) in fill.into_iter().chain(stroke) {
            classes.extend(class);
            attributes.push(attribute);
        }
        if let Some((_, opacity)) = self.fill.filter(|(_, opacity)| *opacity < 1.0) {
            attributes.push(format!(" fill-opacity=\"{opacity}\""));
        }
        if let Some((_, width, dashes)) = self.stroke {
            // One and none are the defaults of these attributes.
            if width < 1.0 || 1.0 < width {
                attributes.push(format!(" stroke-width=\"{width}\""));
            }
            if !dashes.is_empty() {
                attributes.push(format!(" stroke-dasharray=\"{dashes}\""));
            }
        }
        class_attribute(&classes) + &attributes.concat()
    }

    /// Returns the attributes of a shape that would be filled without them.
    fn area_attributes(&self) -> String {
        let unfilled = if self.fill.is_none() { " fill=\"none\"" } else { "" };
        self.attributes() + unfilled
    }
}

impl Paint {
    /// Returns the class and the attribute that give `property` the color.
    fn markup(self, property: &str) -> (Option<String>, String) {
        match self {
            Self::Fixed(color) => (None, format!(" {property}=\"{color}\"")),
            Self::Theme(ThemeColor { name, light, .. }) => {
                (Some(format!("{property}-{name}")), format!(" {property}=\"{light}\""))
            }
        }
    }
}

fn class_attribute(classes: &[String]) -> String {
    if classes.is_empty() {
        return String::new();
    }
    format!(" class=\"{}\"", classes.join(" "))
}

impl TextShape {
    /// Makes a level text in the color of ink.
    pub(crate) fn new(at: [f64; 2], offset: [f64; 2], anchor: &'static str, content: &str) -> Self {
        let content = content.to_owned();
        Self { at, offset, anchor, turn: 0.0, fill: None, more: "", content }
    }

    fn markup(&self, form: DocumentForm) -> String {
        let Self { at: [x, y], offset: [dx, dy], anchor, turn, fill, more, content } = self;
        let (class, color) = fill.map_or((None, String::new()), |paint| paint.markup("fill"));
        let class = class_attribute(class.as_slice());
        let look = format!(" text-anchor=\"{anchor}\"{class}{color}{more}");
        let content = escape_text(content);
        let is_level = turn.abs() <= 0.0;
        match form {
            DocumentForm::Standalone | DocumentForm::Fixed if is_level => {
                format!("<text x=\"{:.1}\" y=\"{:.1}\"{look}>{content}</text>", x + dx, y + dy)
            }
            DocumentForm::Standalone | DocumentForm::Fixed => format!(
                "<text transform=\"translate({:.1} {:.1}) rotate({:.0})\"{look}>{content}</text>",
                x + dx,
                y + dy,
                -turn
            ),
            DocumentForm::Stretched(stretch) if is_level => format!(
                "<text x=\"{}\" y=\"{:.1}\" dx=\"{dx:.1}\"{look}>{content}</text>",
                stretch.share(*x),
                y + dy
            ),
            DocumentForm::Stretched(stretch) => {
                let turned = format!("translate({dx:.1} {dy:.1}) rotate({:.0})", -turn);
                let text = format!("<text transform=\"{turned}\"{look}>{content}</text>");
                stretch.fixed([*x, *y], &text)
            }
        }
    }
}

impl Shape {
    /// Makes a level text in the color of ink.
    pub(crate) fn text(
        at: [f64; 2],
        offset: [f64; 2],
        anchor: &'static str,
        content: &str,
    ) -> Self {
        Self::Text(TextShape::new(at, offset, anchor, content))
    }

    /// Returns the shape as markup.
    pub(crate) fn markup(&self, form: DocumentForm) -> String {
        match self {
            Self::Text(text) => text.markup(form),
            Self::Line { ends: [x1, y1, x2, y2], style } => {
                let [x1, x2] = [*x1, *x2].map(|x| form.x(x));
                let look = style.attributes();
                format!("<line x1=\"{x1}\" y1=\"{y1:.1}\" x2=\"{x2}\" y2=\"{y2:.1}\"{look}/>")
            }
            Self::Cell { corner: [x, y], size: [width, height], style, hover } => {
                let (x, width, look) = (form.x(*x), form.width(*width), style.attributes());
                let start = format!(
                    "<rect x=\"{x}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\"{look}"
                );
                if hover.is_empty() {
                    return start + "/>";
                }
                format!("{start}><title>{}</title></rect>", escape_text(hover))
            }
            Self::Curve { points, style } => form.stretched("polyline", points, style),
            Self::Area { corners, style } => form.stretched("polygon", corners, style),
            Self::Mark { at: [x, y], path, style } => {
                let look = style.area_attributes();
                match form {
                    DocumentForm::Standalone | DocumentForm::Fixed => {
                        format!("<path d=\"M{x:.1} {y:.1}{path}\"{look}/>")
                    }
                    DocumentForm::Stretched(stretch) => {
                        stretch.fixed([*x, *y], &format!("<path d=\"M0 0{path}\"{look}/>"))
                    }
                }
            }
        }
    }
}

impl DocumentForm {
    /// Returns `text`, cut to `max_letters` where the width is not known.
    pub(crate) fn short(self, text: &str, max_letters: usize) -> String {
        match self {
            Self::Standalone | Self::Fixed => text.to_owned(),
            Self::Stretched(_) => description::shortened(text, max_letters),
        }
    }

    /// Returns a horizontal position.
    fn x(self, x: f64) -> String {
        match self {
            Self::Standalone | Self::Fixed => format!("{x:.1}"),
            Self::Stretched(stretch) => stretch.share(x),
        }
    }

    /// Returns a horizontal length.
    fn width(self, width: f64) -> String {
        match self {
            Self::Standalone | Self::Fixed => format!("{width:.1}"),
            Self::Stretched(stretch) => stretch.share(stretch.left + width),
        }
    }

    /// Returns a shape through `points`.
    fn stretched(self, element: &str, points: &[[f64; 2]], style: &ShapeStyle) -> String {
        let (points, look) = (corners(points.iter().copied()), style.area_attributes());
        match self {
            Self::Standalone | Self::Fixed => format!("<{element} points=\"{points}\"{look}/>"),
            Self::Stretched(StretchedPart { left, right, .. }) => format!(
                "<svg width=\"100%\" height=\"100\" viewBox=\"{left} 0 {} 100\" \
                 preserveAspectRatio=\"none\" overflow=\"visible\"><{element} \
                 points=\"{points}\"{look} vector-effect=\"non-scaling-stroke\"/></svg>",
                right - left
            ),
        }
    }
}

impl StretchedPart {
    /// Returns a horizontal position as a share of the stretched part.
    fn share(self, x: f64) -> String {
        format!("{:.2}%", 100.0 * (x - self.left) / (self.right - self.left))
    }

    /// Returns `content` in its own size around a point.
    fn fixed(self, [x, y]: [f64; 2], content: &str) -> String {
        let x = self.share(x);
        format!("<svg x=\"{x}\" y=\"{y:.1}\" overflow=\"visible\">{content}</svg>")
    }
}
