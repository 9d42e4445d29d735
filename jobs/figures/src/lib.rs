#![doc = include_str!("../README.md")]

mod color;
mod curves;
mod hex_board;
mod histograms;
mod log_scale;
mod markup;

pub use color::Color;
pub use curves::{CurveChart, CurvePoint, NamedCurve};
pub use hex_board::{BoardMark, HexBoard, HexCell, LabelColor, LabelWeight};
pub use histograms::{HistogramBins, HistogramPanel, Histograms};
