//! Each figure: its golden drawing, and documents that stay well-formed whatever is drawn.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hatchery_figures::{
    AreaLayer, BoardMark, Color, CurveChart, CurvePoint, DivergingScale, DrawingSheet, ForestChart,
    ForestRow, HeatMap, HeatStrip, HexBoard, HexCell, HistogramBins, HistogramPanel, Histograms,
    LabelColor, LabelWeight, LinePattern, MatrixCell, MatrixChart, MeasuredPoint, NamedCurve,
    PlaneDrawing, PlaneShape, PointAxis, PointChart, PointSeries, QuantileColumn, Quantity,
    ReferenceLine, ReferenceValue, SeriesForm, Sparkline, StackedArea,
};
use proptest::prelude::*;

/// Names, short ones with any letters and long ones.
const NAME: &str = "[ -~ä€𝄞]{0,20}|[a-z ä€]{200}";
const SVG: &str = "http://www.w3.org/2000/svg";
const RED: Color = Color::rgb(0xb5, 0x45, 0x2c);
const BLUE: Color = Color::rgb(0x2f, 0x6f, 0x9f);

/// Compares `svg` with `golden`, the file `tests/golden/NAME`; `UPDATE_GOLDEN=1 cargo test -p
/// hatchery-figures` renews the file.
#[expect(clippy::disallowed_methods, reason = "a test may renew its golden file")]
fn check_golden(name: &str, golden: &str, svg: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        std::fs::write(format!("{folder}/{name}"), svg).unwrap();
        return;
    }
    assert_eq!(svg, golden, "{name}: renew it with UPDATE_GOLDEN=1 cargo test -p hatchery-figures");
}

fn curves(name: &str, points: Vec<CurvePoint>) -> CurveChart<'_> {
    let points_of_second = points.iter().map(|point| CurvePoint { x: 2.0 * point.x, ..*point });
    let second = points_of_second.collect();
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    let curves =
        vec![NamedCurve { name, points }, NamedCurve { name: "the second", points: second }];
    CurveChart { title, x_label, y_label, curves }
}

/// A series of each form, and a second one of points.
fn point_chart(name: &str, x_axis: PointAxis, points: &[MeasuredPoint], even: f64) -> PointChart {
    let forms =
        [SeriesForm::Points, SeriesForm::JoinedPoints, SeriesForm::Line, SeriesForm::Points];
    let [title, x_label, y_label, of_line] = [name; 4].map(str::to_owned);
    let series =
        forms.map(|form| PointSeries { name: name.to_owned(), form, points: points.to_vec() });
    let reference = Some(ReferenceLine { name: of_line, y: even });
    let (y_shown, series) = (vec![even], series.to_vec());
    PointChart { title, x_label, y_label, x_axis, y_shown, reference, series }
}

fn histograms(name: &str, values: &[f64], marker: f64) -> Histograms {
    let bins = HistogramBins::around(values.iter().copied(), 0.5);
    let [title, heading, caption, first] = [name; 4].map(str::to_owned);
    let expected = bins.edges().map(|[low, high]| high - low).chain(values.to_vec()).collect();
    let panels = vec![
        HistogramPanel { name: first, color: RED, values: values.to_vec() },
        HistogramPanel { name: "the second".to_owned(), color: BLUE, values: vec![marker] },
    ];
    Histograms { title, heading, caption, bins, expected, marker, panels }
}

fn board(title: &str, q: i16, r: i16) -> HexBoard {
    let label =
        |y, weight, color| BoardMark::Label { y, size: 18, weight, color, text: title.to_owned() };
    let marks = vec![
        BoardMark::Tile { fill: BLUE, outline: RED },
        BoardMark::Spoke { corner: 2, color: RED },
        BoardMark::Disk { y: -4, fill: BLUE, outline: HexBoard::INK, outline_width: 1 },
        BoardMark::Disk { y: 0, fill: BLUE, outline: RED, outline_width: 3 },
        label(3, LabelWeight::Bold, LabelColor::Custom(RED)),
        label(15, LabelWeight::Regular, LabelColor::Ink),
        BoardMark::Dots { y: 20, n: 4, color: HexBoard::INK },
    ];
    let cells = vec![HexCell { q: 0, r: 0, marks: marks.clone() }, HexCell { q, r, marks }];
    HexBoard { title: title.to_owned(), caption: title.to_owned(), cells }
}

fn heat_map(name: &str, points: Vec<[f64; 2]>) -> HeatMap {
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    let bins = |axis: usize| HistogramBins::around(points.iter().map(|point| point[axis]), 0.5);
    HeatMap { title, x_label, y_label, x_bins: bins(0), y_bins: bins(1), points }
}

fn matrix(name: &str, values: &[f64], scale: DivergingScale) -> MatrixChart {
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
    MatrixChart { title, x_label, y_label, legend_label, names, cells, scale }
}

/// A drawing with a shape of each kind.
fn plane(name: &str, view: [f64; 4], points: &[[f64; 2]]) -> PlaneDrawing {
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

fn sheet(name: &str, columns: usize, drawing: &PlaneDrawing) -> DrawingSheet {
    let [title, description] = [name; 2].map(str::to_owned);
    DrawingSheet { title, description, columns, drawings: vec![drawing.clone(); 3] }
}

/// A chart of estimates, with an exact number below them.
fn forest(name: &str, quantities: &[Quantity], reference: f64) -> ForestChart {
    let [title, x_label, of_line] = [name; 3].map(str::to_owned);
    let exact = Quantity::Exact(reference);
    let rows = quantities.iter().chain([&exact]);
    let rows = rows.map(|quantity| ForestRow { name: name.to_owned(), quantity: *quantity });
    let reference = Some(ReferenceValue { name: of_line, value: reference });
    ForestChart { title, x_label, x_shown: vec![0.0], reference, rows: rows.collect() }
}

fn sparkline(name: &str, quantities: &[Quantity]) -> Sparkline {
    Sparkline { title: name.to_owned(), values: quantities.to_vec() }
}

fn heat_strip(name: &str, columns: Vec<QuantileColumn>) -> HeatStrip {
    let [title, x_label, value_label] = [name; 3].map(str::to_owned);
    HeatStrip { title, x_label, value_label, columns }
}

fn stacked_area(name: &str, x: &[f64], layers: &[&[f64]]) -> StackedArea {
    let [title, x_label, y_label] = [name; 3].map(str::to_owned);
    let layer = |amounts: &&[f64]| AreaLayer { name: name.to_owned(), amounts: amounts.to_vec() };
    let layers = layers.iter().map(layer).collect();
    StackedArea { title, x_label, y_label, x: x.to_vec(), layers }
}

#[test]
fn drawings_of_quantities_are_as_they_were() {
    let estimate = |value: f64| Quantity::Estimate { value, interval: [0.9 * value, 1.2 * value] };
    let quantities = [6.5, 9.5, 20.7, f64::NAN].map(estimate);
    let svg = forest("a<b", &quantities, 1.0).to_svg();
    check_golden("forest.svg", include_str!("golden/forest.svg"), &svg);
    let svg = sparkline("a<b", &quantities).to_svg();
    check_golden("sparkline.svg", include_str!("golden/sparkline.svg"), &svg);
    let column = |x: f64| QuantileColumn { x, quantiles: [1.0, 2.0, 3.0, 4.0, 6.0].map(|q| q * x) };
    let svg = heat_strip("a<b", [1.0, 2.0, 3.0, 4.0].map(column).to_vec()).to_svg();
    check_golden("heat-strip.svg", include_str!("golden/heat-strip.svg"), &svg);
    let layers: [&[f64]; 3] = [&[5.0, 3.0, 1.0], &[1.0, 2.0, 4.0], &[0.0, 1.0, 1.0]];
    let svg = stacked_area("a<b", &[1.0, 2.0, 3.0], &layers).to_svg();
    check_golden("stacked-area.svg", include_str!("golden/stacked-area.svg"), &svg);
}

#[test]
fn drawings_are_as_they_were() {
    let point = |x: f64, y: f64| CurvePoint { x, y, low: 0.8 * y, high: 1.3 * y };
    let points = vec![point(1e3, 12.0), point(1e4, 350.0), point(5e4, 400.0)];
    let svg = curves("a<b", points).to_svg();
    check_golden("curves.svg", include_str!("golden/curves.svg"), &svg);
    let measured = [(5.0, 61.5), (10.0, 52.0), (25.0, 47.25)].map(|(x, y)| MeasuredPoint {
        x,
        y,
        interval: Some([y - 4.0, y + 3.0]),
    });
    let svg = point_chart("a<b", PointAxis::Numbers, &measured, 50.0).to_svg();
    check_golden("points.svg", include_str!("golden/points.svg"), &svg);
    let values = [23.0, 24.6, 25.0, 25.4, 31.2];
    let svg = histograms("a<b", &values, 25.0).to_svg();
    check_golden("histograms.svg", include_str!("golden/histograms.svg"), &svg);
    let svg = board("a<b", 1, -2).to_svg();
    check_golden("hex-board.svg", include_str!("golden/hex-board.svg"), &svg);
    let points = vec![[0.1, 2.0], [0.2, 2.1], [3.7, 4.4], [0.3, 2.2]];
    let svg = heat_map("a<b", points).to_svg();
    check_golden("heat-map.svg", include_str!("golden/heat-map.svg"), &svg);
    let win_rates = [f64::NAN, 61.5, 38.25, 38.5, f64::NAN, 55.0, 61.75, 45.0];
    let svg = matrix("a<b", &win_rates, DivergingScale::around(50.0, 20.0)).to_svg();
    check_golden("matrix.svg", include_str!("golden/matrix.svg"), &svg);
    let drawing = plane("a<b", [-1.0, -0.5, 3.0, 2.0], &[[0.0, 0.0], [1.5, 0.0], [0.25, 1.125]]);
    check_golden("plane.svg", include_str!("golden/plane.svg"), &drawing.to_svg());
    let svg = sheet("a<b", 2, &drawing).to_svg();
    check_golden("sheet.svg", include_str!("golden/sheet.svg"), &svg);
}

/// Any number, and often those that drawings must survive.
fn number() -> impl Strategy<Value = f64> {
    let special = [f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 0.0];
    prop_oneof![any::<f64>(), -100.0..100.0_f64, prop::sample::select(special.to_vec())]
}

fn check_well_formed(svg: &str, text: &str) -> Result<(), TestCaseError> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let root = document.root_element();
    prop_assert!(root.has_tag_name((SVG, "svg")));
    prop_assert_eq!(root.attribute("role"), Some("img"));
    for (name, n) in [("title", 1), ("desc", 1)] {
        prop_assert_eq!(root.children().filter(|node| node.has_tag_name((SVG, name))).count(), n);
    }
    prop_assert!(text.is_empty() || document.descendants().any(|node| node.text() == Some(text)));
    for attribute in document.descendants().flat_map(|node| node.attributes()) {
        let value = attribute.value();
        prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{svg}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn curves_are_well_formed(
        name in NAME,
        points in prop::collection::vec((number(), number(), number(), number()), 0..8),
    ) {
        let point = |(x, y, low, high)| CurvePoint { x, y, low, high };
        let points = points.into_iter().map(point).collect();
        check_well_formed(&curves(&name, points).to_svg(), &name)?;
    }

    #[test]
    fn points_are_well_formed(
        name in NAME,
        values in prop::collection::vec((number(), number(), number(), number()), 0..8),
        n_categories in prop::option::of(0..4_usize),
        even in number(),
    ) {
        let point = |(x, y, low, high)| MeasuredPoint { x, y, interval: Some([low, high]) };
        let values: Vec<_> = values.into_iter().map(point).collect();
        let x_axis = n_categories.map_or(PointAxis::Numbers, |n| {
            PointAxis::Categories(vec![name.clone(); n])
        });
        check_well_formed(&point_chart(&name, x_axis, &values, even).to_svg(), &name)?;
    }

    #[test]
    fn histograms_are_well_formed(
        name in NAME,
        values in prop::collection::vec(number(), 0..8),
        marker in number(),
    ) {
        check_well_formed(&histograms(&name, &values, marker).to_svg(), &name)?;
    }

    #[test]
    fn boards_are_well_formed(name in NAME, q in any::<i16>(), r in any::<i16>()) {
        check_well_formed(&board(&name, q, r).to_svg(), &name)?;
    }

    #[test]
    fn heat_maps_are_well_formed(
        name in NAME,
        points in prop::collection::vec([number(), number()], 0..8),
    ) {
        check_well_formed(&heat_map(&name, points).to_svg(), &name)?;
    }

    #[test]
    fn matrices_are_well_formed(
        name in NAME,
        values in prop::collection::vec(number(), 0..12),
        (center, reach) in (-1e100..1e100_f64, 1e-100..1e6_f64),
    ) {
        let scale = DivergingScale::around(center, reach.max(1e-6 * center.abs()));
        check_well_formed(&matrix(&name, &values, scale).to_svg(), &name)?;
        let scale = DivergingScale::around(0.0, reach);
        check_well_formed(&matrix(&name, &values, scale).to_svg(), &name)?;
    }

    #[test]
    fn planes_are_well_formed(
        name in NAME,
        view in [number(), number(), number(), number()],
        points in prop::collection::vec([number(), number()], 0..8),
        columns in any::<usize>(),
    ) {
        let drawing = plane(&name, view, &points);
        check_well_formed(&drawing.to_svg(), &name)?;
        check_well_formed(&sheet(&name, columns, &drawing).to_svg(), &name)?;
    }

    #[test]
    fn quantities_are_well_formed(
        name in NAME,
        values in prop::collection::vec((number(), number(), number(), any::<bool>()), 0..8),
        reference in number(),
    ) {
        let quantity = |(value, low, high, is_exact)| match is_exact {
            true => Quantity::Exact(value),
            false => Quantity::Estimate { value, interval: [low, high] },
        };
        let quantities: Vec<_> = values.into_iter().map(quantity).collect();
        check_well_formed(&forest(&name, &quantities, reference).to_svg(), &name)?;
        check_well_formed(&sparkline(&name, &quantities).to_svg(), &name)?;
    }

    #[test]
    fn strips_and_areas_are_well_formed(
        name in NAME,
        values in prop::collection::vec((number(), prop::array::uniform5(number())), 0..8),
    ) {
        let column = |(x, quantiles)| QuantileColumn { x, quantiles };
        let columns: Vec<_> = values.into_iter().map(column).collect();
        let x: Vec<_> = columns.iter().map(|column| column.x).collect();
        let layers: Vec<_> = columns.iter().map(|column| &column.quantiles[..]).collect();
        check_well_formed(&stacked_area(&name, &x, &layers).to_svg(), &name)?;
        check_well_formed(&heat_strip(&name, columns).to_svg(), &name)?;
    }

    #[test]
    fn any_text_is_escaped(name in any::<String>()) {
        check_well_formed(&board(&name, 0, 0).to_svg(), "")?;
        check_well_formed(&plane(&name, [0.0; 4], &[]).to_svg(), "")?;
    }
}

#[test]
fn no_point_and_ten_thousand_are_well_formed() {
    for n in [0, 1, 10_000] {
        let values: Vec<_> = (1..=n).map(f64::from).collect();
        let check = |svg: &str| check_well_formed(svg, "a").unwrap();
        let points = values.iter().map(|&x| CurvePoint { x, y: x, low: 0.5 * x, high: 2.0 * x });
        check(&curves("a", points.collect()).to_svg());
        let points = values.iter().map(|&x| MeasuredPoint { x, y: x, interval: None });
        let points: Vec<_> = points.collect();
        check(&point_chart("a", PointAxis::Numbers, &points, 1.0).to_svg());
        check(&histograms("a", &values, 1.0).to_svg());
        let points: Vec<_> = values.iter().map(|&x| [x, x]).collect();
        check(&plane("a", [0.0, 0.0, 9.0, 9.0], &points).to_svg());
        check(&heat_map("a", points).to_svg());
        let exact: Vec<_> = values.iter().copied().map(Quantity::Exact).collect();
        check(&forest("a", &exact, 1.0).to_svg());
        check(&sparkline("a", &exact).to_svg());
        check(&stacked_area("a", &values, &[&values, &values]).to_svg());
        let columns = values.iter().map(|&x| QuantileColumn { x, quantiles: [x; 5] });
        check(&heat_strip("a", columns.collect()).to_svg());
    }
}
