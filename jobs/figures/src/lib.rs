#![doc = include_str!("../README.md")]

mod curves;
mod drawing_sheet;
mod forest_chart;
mod heat_map;
mod heat_strip;
mod hex_board;
mod histograms;
mod matrix_chart;
mod picture;
mod plane_drawing;
mod point_chart;
mod sparkline;
mod stacked_area;
mod text_plot;

mod axis_tick;
mod chart_frame;
mod color;
mod description;
mod diverging_scale;
mod document;
mod histogram_bins;
mod linear_scale;
mod log_scale;
mod markup;
pub mod number;
mod palette;
mod quantity;
mod series_style;
mod shape;
mod thinning;

pub use color::Color;
pub use curves::{CurveChart, CurvePoint, NamedCurve};
pub use diverging_scale::DivergingScale;
pub use drawing_sheet::DrawingSheet;
pub use forest_chart::{ForestChart, ForestRow, ReferenceValue};
pub use heat_map::{HeatCell, HeatMap};
pub use heat_strip::{HeatStrip, QuantileColumn};
pub use hex_board::{BoardMark, HexBoard, HexCell, LabelColor, LabelWeight};
pub use histogram_bins::HistogramBins;
pub use histograms::{HistogramPanel, Histograms};
pub use markup::is_control;
pub use matrix_chart::{MatrixCell, MatrixChart};
pub use palette::STYLE_SHEET;
pub use picture::FigurePicture;
pub use plane_drawing::{LinePattern, PlaneDrawing, PlaneShape};
pub use point_chart::{
    MeasuredPoint, PointAxis, PointChart, PointSeries, ReferenceLine, SeriesForm,
};
pub use quantity::Quantity;
pub use sparkline::Sparkline;
pub use stacked_area::{AreaLayer, StackedArea};
pub use text_plot::TextPlot;
