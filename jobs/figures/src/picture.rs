//! Figures as pages and files have them.

use crate::curves::CurveChart;
use crate::document;
use crate::drawing_sheet::DrawingSheet;
use crate::forest_chart::ForestChart;
use crate::heat_map::HeatMap;
use crate::heat_strip::HeatStrip;
use crate::hex_board::HexBoard;
use crate::histograms::Histograms;
use crate::matrix_chart::MatrixChart;
use crate::plane_drawing::PlaneDrawing;
use crate::point_chart::PointChart;
use crate::sparkline::Sparkline;
use crate::stacked_area::StackedArea;

/// A figure in both of its forms. Only the figures of this crate make one, so that the texts in it
/// are escaped: a page may have it as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigurePicture {
    standalone: String,
    inline: String,
}

impl FigurePicture {
    /// Returns the figure as an SVG document of its own.
    #[must_use]
    pub fn standalone(&self) -> &str {
        &self.standalone
    }

    /// Returns true if a file that begins with `bytes` is such a document: its first lines are
    /// enough.
    #[must_use]
    pub fn is_standalone(bytes: &[u8]) -> bool {
        document::is_standalone(bytes)
    }

    /// Returns the figure as a part of a page, whose sheet must have
    /// [`STYLE_SHEET`](crate::STYLE_SHEET).
    #[must_use]
    pub fn inline(&self) -> &str {
        &self.inline
    }
}

macro_rules! impl_picture {
    ($($figure:ty),+ $(,)?) => {$(
        impl $figure {
            /// Returns the figure in both forms.
            #[must_use]
            pub fn picture(&self) -> FigurePicture {
                FigurePicture { standalone: self.to_svg(), inline: self.to_inline_svg() }
            }
        }
    )+};
}

impl_picture! {
    CurveChart<'_>,
    DrawingSheet,
    ForestChart,
    HeatMap,
    HeatStrip,
    HexBoard,
    Histograms,
    MatrixChart,
    PlaneDrawing,
    PointChart,
    Sparkline,
    StackedArea,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Quantity;

    #[test]
    fn files_of_figures_are_told_from_others() {
        let title = "a\"b\n<c>".to_owned();
        let picture = Sparkline { title, values: vec![Quantity::Exact(1.0); 3] }.picture();
        assert!(FigurePicture::is_standalone(picture.standalone().as_bytes()));
        for other in [
            picture.inline(),
            "",
            "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\">\n<title>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\" role=\"img\">",
        ] {
            assert!(!FigurePicture::is_standalone(other.as_bytes()), "{other}");
        }
    }
}
