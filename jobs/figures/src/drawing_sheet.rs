//! Sheets of drawings in a plane.

use crate::color::Color;
use crate::document::{DocumentPaper, FigureDocument};
use crate::markup::{escape_text, to_f64};
use crate::plane_drawing::{FONT, OUTLINE_WIDTH, PlaneDrawing};
use crate::shape::DocumentForm;

/// A drawing on a sheet: its width, its height at most, and the spaces around and above it.
const CELL_WIDTH: f64 = 360.0;
const MAX_CELL_HEIGHT: f64 = 360.0;
const CELL_GAP: f64 = 16.0;
const CELL_HEADER: f64 = 20.0;
const SHEET_HEADER: f64 = 40.0;
const INK: Color = Color::rgb(0x33, 0x30, 0x2b);

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

impl DrawingSheet {
    /// Returns the sheet as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the sheet as a part of a page, in its own size in pixels: a page that is narrower
    /// scrolls it, so that text keeps its size. The page's sheet must have [`STYLE_SHEET`].
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(DocumentForm::Fixed)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let columns = self.columns.clamp(1, self.drawings.len().max(1));
        let heights = self.drawings.iter().map(cell_height);
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
        document.with_lines(&lines, form)
    }
}

/// Returns the height of a drawing on a sheet.
fn cell_height(drawing: &PlaneDrawing) -> f64 {
    let [left, low, right, high] = drawing.checked_view();
    (CELL_WIDTH * (high - low) / (right - left)).min(MAX_CELL_HEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane_drawing::PlaneShape;

    const RED: Color = Color::rgb(0xff, 0, 0);

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
