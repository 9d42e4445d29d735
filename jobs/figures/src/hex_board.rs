//! A board of hexagonal cells.
//!
//! All lengths are integers: a cell is 104 wide and 120 high, so that neighbors in a row are 104
//! apart and rows 90.

use crate::color::Color;
use crate::description;
use crate::document::{DocumentPaper, FigureDocument};
use crate::markup::escape_text;
use crate::shape::DocumentForm;

/// The corners of a cell, clockwise from the north.
const CORNERS: [(i32, i32); 6] = [(0, -60), (52, -30), (52, 30), (0, 60), (-52, 30), (-52, -30)];
const CELL_PATH: &str = "M0-60 52-30V30L0 60-52 30V-30Z";
/// The space beside the cells, above them with the title, and below them with the caption.
const MARGIN: i32 = 12;
const HEADER: i32 = 54;
const FOOTER: i32 = 44;
/// The radius of a disk at a corner, and the size of its text.
const CORNER_RADIUS: i32 = 19;
const CORNER_FONT: i32 = 27;

/// A board of hexagonal cells with a title above and a caption below.
#[derive(Clone, Debug)]
pub struct HexBoard {
    /// The text above the board, which is also the document's title.
    pub title: String,
    /// The text below the board, in a monospaced font.
    pub caption: String,
    /// The cells in the order of drawing: later cells cover earlier cells.
    pub cells: Vec<HexCell>,
}

/// A cell of a board, in axial coordinates: rows are horizontal, `q` grows to the right and `r`
/// downward and half a cell to the right.
#[derive(Clone, Debug)]
pub struct HexCell {
    /// The first coordinate.
    pub q: i16,
    /// The second coordinate, the row.
    pub r: i16,
    /// The marks, from the lowest to the topmost.
    pub marks: Vec<BoardMark>,
}

/// Something drawn in a cell; `y` is relative to the cell's center and grows downward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardMark {
    /// The whole cell.
    Tile {
        /// The color of the area.
        fill: Color,
        /// The color of the border.
        outline: Color,
    },
    /// A thick line from the center to a corner.
    Spoke {
        /// The corner, counted clockwise from 0 at the north; from 6 on it repeats.
        corner: usize,
        /// The line's color.
        color: Color,
    },
    /// A disk of radius 27.
    Disk {
        /// The height of its center.
        y: i32,
        /// The color of the area.
        fill: Color,
        /// The color of the border.
        outline: Color,
        /// The width of the border.
        outline_width: u32,
    },
    /// A disk of radius 19 at a corner, with a letter or a digit in it.
    CornerDisk {
        /// The corner, counted as in [`Spoke`](Self::Spoke).
        corner: usize,
        /// The color of the area.
        fill: Color,
        /// The color of the text and of the border.
        ink: Color,
        /// The text.
        text: String,
    },
    /// A centered line of text.
    Label {
        /// The height of the baseline.
        y: i32,
        /// The font size.
        size: u32,
        /// The weight of the letters.
        weight: LabelWeight,
        /// The color of the letters.
        color: LabelColor,
        /// The text.
        text: String,
    },
    /// A centered row of small dots.
    Dots {
        /// The height of their centers.
        y: i32,
        /// The number of dots.
        n: u8,
        /// Their color.
        color: Color,
    },
}

/// The weight of a label's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelWeight {
    /// As in running text.
    Regular,
    /// Bold.
    Bold,
}

/// The color of a label's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelColor {
    /// The color of the board's text.
    Ink,
    /// A color of its own.
    Custom(Color),
}

impl HexBoard {
    /// The color of text that has no color of its own.
    pub const INK: Color = Color::rgb(0x33, 0x30, 0x2b);

    /// Returns the board as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the board as a part of a page, in its own size in pixels: a page that is narrower
    /// scrolls it, so that text keeps its size. The page's sheet must have [`STYLE_SHEET`]. Title
    /// and caption are left to the page, and so is the paper: cells with text need tiles.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(DocumentForm::Fixed)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let [left, top, right, bottom] = self.bounds(form);
        let (width, height) = (right - left, bottom - top);
        let inherited = format!(
            "font-family=\"Helvetica, Arial, sans-serif\" text-anchor=\"middle\" fill=\"{}\"",
            Self::INK
        );
        let mut lines: Vec<_> = self.cells.iter().map(HexCell::group).collect();
        let mut paper = DocumentPaper::Absent;
        if form == DocumentForm::Standalone {
            let [title, caption] = self.header_and_footer([left, top, right, bottom]);
            lines.insert(0, title);
            lines.push(caption);
            paper = DocumentPaper::White;
        }
        let document = FigureDocument {
            title: &self.title,
            description: &self.description(),
            view_box: [left, top, width, height].map(f64::from),
            inherited: &inherited,
            paper,
        };
        document.with_lines(&lines, form)
    }

    /// Returns the title and the caption.
    fn header_and_footer(&self, [left, top, right, bottom]: [i32; 4]) -> [String; 2] {
        let (title, caption) = (escape_text(&self.title), escape_text(&self.caption));
        let center = match i32::midpoint(left, right) {
            0 => String::new(),
            center => format!(" x=\"{center}\""),
        };
        let (above, below) = (top + 34, bottom - 14);
        [
            format!(
                "<text{center} y=\"{above}\" font-size=\"20\" font-weight=\"bold\">{title}</text>"
            ),
            format!(
                "<text{center} y=\"{below}\" font-size=\"14\" \
                 font-family=\"monospace\">{caption}</text>"
            ),
        ]
    }

    fn description(&self) -> String {
        let labels = self.cells.iter().map(|cell| {
            let labels = cell.marks.iter().filter_map(|mark| match mark {
                BoardMark::Label { text, .. } | BoardMark::CornerDisk { text, .. } => {
                    Some(description::short(text))
                }
                _ => None,
            });
            labels.collect::<Vec<_>>().join(" ")
        });
        let labels: Vec<_> = labels.filter(|label| !label.is_empty()).collect();
        let cells = description::count(self.cells.len(), "cell");
        format!(
            "Board of {cells}. {}. Labels: {}.",
            description::short(&self.caption),
            description::list(labels.into_iter())
        )
    }

    /// Returns the left, top, right and bottom of the document.
    fn bounds(&self, form: DocumentForm) -> [i32; 4] {
        let centers = || self.cells.iter().map(HexCell::center);
        let (xs, ys) = (|| centers().map(|(x, _)| x), || centers().map(|(_, y)| y));
        let (half_width, half_height) = (52 + MARGIN, 60);
        let [header, footer] = match form {
            DocumentForm::Standalone => [HEADER, FOOTER],
            DocumentForm::Fixed | DocumentForm::Stretched(_) => [MARGIN; 2],
        };
        [
            xs().min().unwrap_or(0) - half_width,
            ys().min().unwrap_or(0) - half_height - header,
            xs().max().unwrap_or(0) + half_width,
            ys().max().unwrap_or(0) + half_height + footer,
        ]
    }
}

impl HexCell {
    fn center(&self) -> (i32, i32) {
        let (q, r) = (i32::from(self.q), i32::from(self.r));
        (104 * q + 52 * r, 90 * r)
    }

    /// Returns the marks, moved to the cell's center.
    fn group(&self) -> String {
        let (x, y) = self.center();
        let marks: String = self.marks.iter().map(BoardMark::element).collect();
        format!("<g transform=\"translate({x} {y})\">{marks}</g>")
    }
}

impl BoardMark {
    fn element(&self) -> String {
        match self {
            Self::Tile { fill, outline } => format!(
                "<path d=\"{CELL_PATH}\" fill=\"{fill}\" stroke=\"{outline}\" stroke-width=\"5\"/>"
            ),
            Self::Spoke { corner, color } => {
                let (x, y) = CORNERS[corner % CORNERS.len()];
                format!(
                    "<path d=\"M0 0 {x} {y}\" stroke=\"{color}\" stroke-width=\"7\" \
                     stroke-linecap=\"round\"/>"
                )
            }
            Self::Disk { y, fill, outline, outline_width } => {
                // Zero and one are the defaults of these attributes.
                let center = if *y == 0 { String::new() } else { format!(" cy=\"{y}\"") };
                let width = match outline_width {
                    1 => String::new(),
                    width => format!(" stroke-width=\"{width}\""),
                };
                format!("<circle{center} r=\"27\" fill=\"{fill}\" stroke=\"{outline}\"{width}/>")
            }
            Self::CornerDisk { corner, fill, ink, text } => {
                let (x, y) = CORNERS[corner % CORNERS.len()];
                // A digit is about 0.7 times as high as its font.
                let (baseline, text) = (y + CORNER_FONT * 7 / 20, escape_text(text));
                format!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{CORNER_RADIUS}\" fill=\"{fill}\" \
                     stroke=\"{ink}\" stroke-width=\"3\"/><text x=\"{x}\" y=\"{baseline}\" \
                     font-size=\"{CORNER_FONT}\" font-weight=\"bold\" fill=\"{ink}\">{text}</text>"
                )
            }
            Self::Label { y, size, weight, color, text } => {
                let weight = match weight {
                    LabelWeight::Regular => "",
                    LabelWeight::Bold => " font-weight=\"bold\"",
                };
                let fill = match color {
                    LabelColor::Ink => String::new(),
                    LabelColor::Custom(color) => format!(" fill=\"{color}\""),
                };
                let text = escape_text(text);
                format!("<text y=\"{y}\" font-size=\"{size}\"{weight}{fill}>{text}</text>")
            }
            Self::Dots { y, n, color } => {
                let n = i32::from(*n);
                let dots = (0..n).map(|dot| {
                    let x = 7 * dot - 7 * (n - 1) / 2;
                    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"2\" fill=\"{color}\"/>")
                });
                dots.collect()
            }
        }
    }
}
