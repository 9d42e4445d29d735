//! Places of points, and input that cannot be drawn.

use super::*;

fn point(x: f64, y: f64) -> MeasuredPoint {
    MeasuredPoint { x, y: Quantity::estimate(y, [y - 1.0, y + 1.0]) }
}

fn exact(point: MeasuredPoint) -> MeasuredPoint {
    match point.y {
        Quantity::Exact(y) | Quantity::Estimate { value: y, .. } => {
            MeasuredPoint { y: Quantity::Exact(y), ..point }
        }
    }
}

fn chart(x_axis: PointAxis, series: &[(SeriesForm, &[MeasuredPoint])]) -> PointChart {
    let [title, x_label, y_label] = ["title", "depth", "score"].map(str::to_owned);
    let series = series.iter().map(|(form, points)| PointSeries {
        name: "a<b".to_owned(),
        form: *form,
        points: points.to_vec(),
    });
    let (y_shown, series) = (vec![0.0], series.collect());
    PointChart { title, x_label, y_label, x_axis, y_shown, reference: None, series }
}

/// Returns the drawing's numbers between `start` and `end`, from lines that begin with `start`.
fn numbers(svg: &str, start: &str, end: &str) -> Vec<f64> {
    let lines = svg.lines().filter_map(|line| line.strip_prefix(start));
    lines.map(|line| line.split_once(end).unwrap().0.parse().unwrap()).collect()
}

/// The horizontal places of the points, legend aside.
fn markers(svg: &str) -> Vec<f64> {
    let lines: Vec<_> = svg.lines().filter(|line| line.contains("stroke-paper")).collect();
    let mut places = numbers(&lines.join("\n"), "<path d=\"M", " ");
    places.retain(|place| *place < PLOT[2]);
    places
}

#[test]
fn axes_are_linear() {
    let points = [(0.0, 0.0), (4.0, 50.0), (8.0, 100.0)].map(|(x, y)| point(x, y));
    let points = points.map(exact);
    let svg = chart(PointAxis::Numbers, &[(SeriesForm::JoinedPoints, &points)]).to_svg();
    // A margin of 7 % of the range each, 8 / 1.14 of 570 between the outermost points.
    let inside = 570.0 / 1.14;
    let [left, center] = [355.0 - inside / 2.0, 355.0];
    let line = format!("{left:.1},424.0 {center:.1},235.0 {:.1},46.0", left + inside);
    assert!(svg.contains(&format!("<polyline points=\"{line}\"")), "{line}: {svg}");
    assert!(svg.contains(">100</text>") && svg.contains(">a&lt;b</text>"), "{svg}");
}

#[test]
fn shared_places_are_divided() {
    let points = [point(0.0, 50.0), point(1.0, 50.0)];
    let categories = || PointAxis::Categories(vec!["first".to_owned(), "second".to_owned()]);
    let series = (SeriesForm::Points, &points[..]);
    let exact = points.map(exact);
    let line = (SeriesForm::Line, &points[..]);
    let alone = chart(categories(), &[series, line, (SeriesForm::Points, &exact)]).to_svg();
    assert_eq!(markers(&alone), [212.5, 497.5, 212.5, 497.5]);
    let three = chart(categories(), &[series, line, series, series]).to_svg();
    assert_eq!(markers(&three), [199.5, 484.5, 212.5, 497.5, 225.5, 510.5]);
    // The line stays, and so do points that share no place.
    assert!(three.contains("<polyline points=\"212.5,"), "{three}");
    let apart = chart(
        categories(),
        &[(SeriesForm::Points, &points[..1]), (SeriesForm::Points, &points[1..])],
    );
    assert_eq!(markers(&apart.to_svg()), [212.5, 497.5]);
}

#[test]
fn many_series_stay_within_their_place() {
    let points: Vec<_> = (0..30).map(|x| point(f64::from(x), 50.0)).collect();
    let series = [(SeriesForm::Points, &points[..]); 8];
    let places = markers(&chart(PointAxis::Numbers, &series).to_svg());
    let distance = 570.0 / 1.14 / 29.0;
    // Of 30 points each, in the order of the series.
    let [first, last] = [places[0], places[7 * 30]];
    assert!(first < last && last - first < 0.7 * distance, "{first} to {last}");
    assert!(PLOT[0] < first);
}

#[test]
fn colors_and_shapes_differ() {
    let points = [point(0.0, 50.0)];
    let series = [(SeriesForm::Points, &points[..]); 5];
    let svg = chart(PointAxis::Numbers, &series).to_svg();
    let is_marker = |line: &&str| line.contains("stroke-paper\"") && !line.contains("m14 0");
    let markers = svg.lines().filter(is_marker);
    let shapes: std::collections::BTreeSet<_> =
        markers.map(|line| line.split_once('m').unwrap().1).collect();
    assert_eq!(shapes.len(), 5, "{svg}");
}

#[test]
fn values_that_cannot_be_drawn_are_left_out() {
    let check = |x_axis: PointAxis, points: &[MeasuredPoint], n_points: usize, n_bars: usize| {
        let mut chart = chart(x_axis, &[(SeriesForm::JoinedPoints, points)]);
        chart.y_shown = vec![f64::NAN, 1e308];
        chart.reference = Some(ReferenceLine { name: "even".to_owned(), y: f64::INFINITY });
        let svg = chart.to_svg();
        assert_eq!(markers(&svg).len(), n_points, "{svg}");
        assert_eq!(svg.matches("stroke-width=\"1.5\"").count(), n_bars, "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("even"), "{svg}");
    };
    // An estimate whose interval cannot be drawn does not pass for an exact number.
    let y = Quantity::estimate(5.0, [3.0, f64::INFINITY]);
    let unbounded = MeasuredPoint { x: 2.0, y };
    let hostile = [
        point(f64::NAN, 1.0),
        point(1.0, f64::NEG_INFINITY),
        point(1e308, 1.0),
        point(-1e100, 2.0),
        unbounded,
    ];
    check(PointAxis::Numbers, &hostile, 1, 1);
    check(PointAxis::Numbers, &[point(7.0, 7.0); 3], 3, 3);
    check(PointAxis::Numbers, &[], 0, 0);
    check(PointAxis::Categories(Vec::new()), &[point(0.0, 1.0)], 0, 0);
    let one = PointAxis::Categories(vec!["only".to_owned()]);
    check(one, &[point(0.0, 1.0), point(1.0, 1.0), point(-1.0, 1.0)], 1, 1);
}

#[test]
fn lines_have_bands_and_say_what_was_selected() {
    let points = [point(0.0, 50.0), exact(point(1.0, 60.0))];
    let svg = chart(PointAxis::Numbers, &[(SeriesForm::Line, &points)]).to_svg();
    assert!(svg.contains("<polygon") && !svg.contains("selected"), "{svg}");
    let exact = points.map(exact);
    let svg = chart(PointAxis::Numbers, &[(SeriesForm::SelectedLine, &exact)]).to_svg();
    assert!(!svg.contains("<polygon"), "{svg}");
    assert!(svg.contains(">a&lt;b (selected: biased upward)</text>"), "{svg}");
    assert!(svg.contains("stroke-dasharray=\"7 4\""), "{svg}");
}
