//! Each figure with given names and numbers.

use hatchery_figures::{
    AreaLayer, BoardMark, Color, CurveChart, CurvePoint, DivergingScale, DrawingSheet, ForestChart,
    ForestRow, HeatMap, HeatStrip, HexBoard, HexCell, HistogramBins, HistogramPanel, Histograms,
    LabelColor, LabelWeight, LinePattern, MatrixCell, MatrixChart, MeasuredPoint, NamedCurve,
    PlaneDrawing, PlaneShape, PointAxis, PointChart, PointSeries, QuantileColumn, Quantity,
    ReferenceLine, ReferenceValue, SeriesForm, Sparkline, StackedArea,
};

const RED: Color = Color::rgb(0xb5, 0x45, 0x2c);
const BLUE: Color = Color::rgb(0x2f, 0x6f, 0x9f);

pub(crate) fn curves(name: &str, points: Vec<CurvePoint>) -> CurveChart<'_> {
    let points_of_second = points.iter().map(|point| CurvePoint { x: 2.0 * point.x, ..*point });
    let second = points_of_second.collect();
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    let curves =
        vec![NamedCurve { name, points }, NamedCurve { name: "the second", points: second }];
    CurveChart { title, x_label, y_label, curves }
}

/// Curves above one another, each with as many points.
pub(crate) fn four_curves<'a>(name: &'a str, points: &[CurvePoint]) -> CurveChart<'a> {
    let curve = |factor: f64| {
        let raised = points.iter().map(|&CurvePoint { x, y, low, high }| {
            let [y, low, high] = [y, low, high].map(|value| factor * value);
            CurvePoint { x, y, low, high }
        });
        NamedCurve { name, points: raised.collect() }
    };
    let curves = [1.0, 1.05, 2.0, 3.0].map(curve).to_vec();
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    CurveChart { title, x_label, y_label, curves }
}

/// A series in each form, and a second series of points.
pub(crate) fn point_chart(
    name: &str,
    x_axis: PointAxis,
    points: &[MeasuredPoint],
    even: f64,
) -> PointChart {
    let forms =
        [SeriesForm::Points, SeriesForm::JoinedPoints, SeriesForm::Line, SeriesForm::SelectedLine];
    let [title, x_label, y_label, of_line] = [name; 4].map(str::to_owned);
    let series =
        forms.map(|form| PointSeries { name: name.to_owned(), form, points: points.to_vec() });
    let reference = Some(ReferenceLine { name: of_line, y: even });
    let (y_shown, series) = (vec![even], series.to_vec());
    PointChart { title, x_label, y_label, x_axis, y_shown, reference, series }
}

pub(crate) fn histograms(name: &str, values: &[f64], marker: f64) -> Histograms {
    let bins = HistogramBins::around(values.iter().copied(), 0.5);
    let [title, heading, caption, first] = [name; 4].map(str::to_owned);
    let expected = bins.edges().map(|[low, high]| high - low).chain(values.to_vec()).collect();
    let panels = vec![
        HistogramPanel { name: first, color: RED, values: values.to_vec() },
        HistogramPanel { name: "the second".to_owned(), color: BLUE, values: vec![marker] },
    ];
    Histograms { title, heading, caption, bins, expected, marker, panels }
}

pub(crate) fn board(title: &str, q: i16, r: i16) -> HexBoard {
    let label =
        |y, weight, color| BoardMark::Label { y, size: 18, weight, color, text: title.to_owned() };
    let marks = vec![
        BoardMark::Tile { fill: BLUE, outline: RED },
        BoardMark::Spoke { corner: 2, color: RED },
        BoardMark::CornerDisk { corner: 7, fill: BLUE, ink: RED, text: title.to_owned() },
        BoardMark::Disk { y: -4, fill: BLUE, outline: HexBoard::INK, outline_width: 1 },
        BoardMark::Disk { y: 0, fill: BLUE, outline: RED, outline_width: 3 },
        label(3, LabelWeight::Bold, LabelColor::Custom(RED)),
        label(15, LabelWeight::Regular, LabelColor::Ink),
        BoardMark::Dots { y: 20, n: 4, color: HexBoard::INK },
    ];
    let cells = vec![HexCell { q: 0, r: 0, marks: marks.clone() }, HexCell { q, r, marks }];
    HexBoard { title: title.to_owned(), caption: title.to_owned(), cells }
}

pub(crate) fn heat_map(name: &str, points: Vec<[f64; 2]>) -> HeatMap {
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    let bins = |axis: usize| HistogramBins::around(points.iter().map(|point| point[axis]), 0.5);
    HeatMap { title, x_label, y_label, x_bins: bins(0), y_bins: bins(1), points }
}

pub(crate) fn matrix(name: &str, values: &[f64], scale: DivergingScale) -> MatrixChart {
    let [title, x_label, y_label, legend_label] = [name; 4].map(str::to_owned);
    let names = ["Burst", "Tricky", name].map(str::to_owned).to_vec();
    let cell = |(idx, value): (usize, &f64)| MatrixCell {
        row: idx / 3,
        column: idx % 3,
        value: *value,
        text: format!("{value:.1}"),
        hover: format!("{name}: {value}"),
    };
    let cells = values.iter().enumerate().map(cell).collect();
    let (rows, columns) = (names.clone(), names);
    MatrixChart { title, x_label, y_label, legend_label, rows, columns, cells, scale }
}

/// A drawing with all kinds of shapes.
pub(crate) fn plane(name: &str, view: [f64; 4], points: &[[f64; 2]]) -> PlaneDrawing {
    let [first, last] = [points.first(), points.last()].map(|it| it.copied().unwrap_or_default());
    let line = |pattern| PlaneShape::Line {
        points: points.to_vec(),
        width: last[0],
        color: BLUE,
        pattern,
    };
    let shapes = vec![
        PlaneShape::Polygon { corners: points.to_vec(), fill: RED, outline: BLUE },
        PlaneShape::Disk { center: first, radius: last[1], fill: BLUE, outline: RED },
        line(LinePattern::Solid),
        line(LinePattern::Dotted),
        PlaneShape::Label { at: first, size: last[0], color: RED, text: name.to_owned() },
    ];
    PlaneDrawing { title: name.to_owned(), description: name.to_owned(), view, shapes }
}

pub(crate) fn sheet(name: &str, columns: usize, drawing: &PlaneDrawing) -> DrawingSheet {
    let [title, description] = [name; 2].map(str::to_owned);
    DrawingSheet { title, description, columns, drawings: vec![drawing.clone(); 3] }
}

/// A chart of estimates, with an exact number below them.
pub(crate) fn forest(name: &str, quantities: &[Quantity], reference: f64) -> ForestChart {
    let [title, x_label, of_line] = [name; 3].map(str::to_owned);
    let exact = Quantity::Exact(reference);
    let rows = quantities.iter().chain([&exact]);
    let rows = rows.map(|quantity| ForestRow { name: name.to_owned(), quantity: *quantity });
    let reference = Some(ReferenceValue { name: of_line, value: reference });
    ForestChart { title, x_label, x_shown: vec![0.0], reference, rows: rows.collect() }
}

pub(crate) fn sparkline(name: &str, quantities: &[Quantity]) -> Sparkline {
    Sparkline { title: name.to_owned(), values: quantities.to_vec() }
}

pub(crate) fn heat_strip(name: &str, columns: Vec<QuantileColumn>) -> HeatStrip {
    let [title, x_label, value_label] = [name; 3].map(str::to_owned);
    HeatStrip { title, x_label, value_label, columns }
}

pub(crate) fn stacked_area(name: &str, x: &[f64], layers: &[&[f64]]) -> StackedArea {
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    let layer = |amounts: &&[f64]| AreaLayer { name: name.to_owned(), amounts: amounts.to_vec() };
    let layers = layers.iter().map(layer).collect();
    StackedArea { title, x_label, y_label, x: x.to_vec(), layers }
}
