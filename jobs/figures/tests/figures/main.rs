//! Each figure: its golden drawing, and documents that stay well-formed whatever is drawn.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod samples;

use hatchery_figures::{
    CurvePoint, DivergingScale, MeasuredPoint, PointAxis, QuantileColumn, Quantity, STYLE_SHEET,
};
use proptest::prelude::*;

use samples::{
    board, curves, forest, four_curves, heat_map, heat_strip, histograms, matrix, plane,
    point_chart, sheet, sparkline, stacked_area,
};

/// Names, short ones with any letters and long ones.
const NAME: &str = "[ -~ä€𝄞]{0,20}|[a-z ä€]{200}";
const SVG: &str = "http://www.w3.org/2000/svg";

/// Both forms of a figure: standalone and inline.
macro_rules! forms {
    ($figure:expr) => {{
        let figure = $figure;
        [figure.to_svg(), figure.to_inline_svg()]
    }};
}

/// Compares both forms of a figure with `tests/golden/NAME.svg` and `NAME-inline.svg`.
macro_rules! check_golden {
    ($name:literal, $figure:expr) => {
        let golden = [
            include_str!(concat!("../golden/", $name, ".svg")),
            include_str!(concat!("../golden/", $name, "-inline.svg")),
        ];
        check_forms($name, golden, &forms!($figure));
    };
}

/// Compares the forms of a figure with the golden ones; `UPDATE_GOLDEN=1 cargo test -p
/// hatchery-figures` renews the files.
#[expect(clippy::disallowed_methods, reason = "a test may renew its golden file")]
fn check_forms(name: &str, golden: [&str; 2], svg: &[String; 2]) {
    for ((end, golden), svg) in [".svg", "-inline.svg"].into_iter().zip(golden).zip(svg) {
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
            std::fs::write(format!("{folder}/{name}{end}"), svg).unwrap();
        } else {
            let renew = "renew it with UPDATE_GOLDEN=1 cargo test -p hatchery-figures";
            assert_eq!(svg, golden, "{name}{end}: {renew}");
        }
    }
}

#[test]
fn drawings_of_quantities_are_as_they_were() {
    let estimate = |value: f64| Quantity::Estimate { value, interval: [0.9 * value, 1.2 * value] };
    let quantities = [6.5, 9.5, 20.7, f64::NAN].map(estimate);
    check_golden!("forest", forest("a<b", &quantities, 1.0));
    check_golden!("sparkline", sparkline("a<b", &quantities));
    let column = |x: f64| QuantileColumn { x, quantiles: [1.0, 2.0, 3.0, 4.0, 6.0].map(|q| q * x) };
    check_golden!("heat-strip", heat_strip("a<b", [1.0, 2.0, 3.0, 4.0].map(column).to_vec()));
    let layers: [&[f64]; 3] = [&[5.0, 3.0, 1.0], &[1.0, 2.0, 4.0], &[0.0, 1.0, 1.0]];
    check_golden!("stacked-area", stacked_area("a<b", &[1.0, 2.0, 3.0], &layers));
}

#[test]
fn drawings_are_as_they_were() {
    let point = |x: f64, y: f64| CurvePoint { x, y, low: 0.8 * y, high: 1.3 * y };
    let points = vec![point(1e3, 12.0), point(1e4, 350.0), point(5e4, 400.0)];
    check_golden!("four-curves", four_curves("a<b", &points));
    check_golden!("curves", curves("a<b", points));
    let measured = [(5.0, 61.5), (10.0, 52.0), (25.0, 47.25)]
        .map(|(x, y)| MeasuredPoint { x, y: Quantity::estimate(y, [y - 4.0, y + 3.0]) });
    check_golden!("points", point_chart("a<b", PointAxis::Numbers, &measured, 50.0));
    let values = [23.0, 24.6, 25.0, 25.4, 31.2];
    check_golden!("histograms", histograms("a<b", &values, 25.0));
    check_golden!("hex-board", board("a<b", 1, -2));
    let points = vec![[0.1, 2.0], [0.2, 2.1], [3.7, 4.4], [0.3, 2.2]];
    check_golden!("heat-map", heat_map("a<b", points));
    let win_rates = [f64::NAN, 61.5, 38.25, 38.5, f64::NAN, 55.0, 61.75, 45.0];
    check_golden!("matrix", matrix("a<b", &win_rates, DivergingScale::around(50.0, 20.0)));
    let drawing = plane("a<b", [-1.0, -0.5, 3.0, 2.0], &[[0.0, 0.0], [1.5, 0.0], [0.25, 1.125]]);
    check_golden!("plane", &drawing);
    check_golden!("sheet", sheet("a<b", 2, &drawing));
}

/// Any number, and often a number that drawings must survive.
fn number() -> impl Strategy<Value = f64> {
    let special = [f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 0.0];
    prop_oneof![any::<f64>(), -100.0..100.0_f64, prop::sample::select(special.to_vec())]
}

/// Checks that the page's sheet has all classes of an inline figure, and that no text is stretched.
fn check_inline(root: roxmltree::Node<'_, '_>) -> Result<(), TestCaseError> {
    for node in root.descendants() {
        for class in node.attribute("class").unwrap_or_default().split(' ') {
            prop_assert!(STYLE_SHEET.contains(&format!(".{class}")), "{class}");
        }
        let mut inside = node.ancestors().skip(1);
        let is_stretched = inside.any(|it| it.attribute("preserveAspectRatio").is_some());
        prop_assert!(!node.has_tag_name((SVG, "text")) || !is_stretched);
    }
    let classes = root.attribute("class").unwrap_or_default();
    prop_assert!(classes.starts_with("hatchery-figure "));
    Ok(())
}

fn check_well_formed(forms: &[String; 2], text: &str) -> Result<(), TestCaseError> {
    for svg in forms {
        let document = roxmltree::Document::parse(svg).unwrap();
        let root = document.root_element();
        prop_assert!(root.has_tag_name((SVG, "svg")));
        prop_assert_eq!(root.attribute("role"), Some("img"));
        for (name, n) in [("title", 1), ("desc", 1)] {
            let names = root.children().filter(|node| node.has_tag_name((SVG, name)));
            prop_assert_eq!(names.count(), n);
        }
        let has_text = document.descendants().any(|node| node.text() == Some(text));
        prop_assert!(text.is_empty() || has_text);
        for attribute in document.descendants().flat_map(|node| node.attributes()) {
            let value = attribute.value();
            prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{svg}");
        }
    }
    check_inline(roxmltree::Document::parse(&forms[1]).unwrap().root_element())
}

proptest! {
    #[test]
    fn curves_are_well_formed(
        name in NAME,
        points in prop::collection::vec((number(), number(), number(), number()), 0..8),
    ) {
        let point = |(x, y, low, high)| CurvePoint { x, y, low, high };
        let points: Vec<_> = points.into_iter().map(point).collect();
        check_well_formed(&forms!(four_curves(&name, &points)), &name)?;
        check_well_formed(&forms!(curves(&name, points)), &name)?;
    }

    #[test]
    fn points_are_well_formed(
        name in NAME,
        values in prop::collection::vec((number(), number(), number(), number()), 0..8),
        n_categories in prop::option::of(0..4_usize),
        even in number(),
    ) {
        let point =
            |(x, y, low, high)| MeasuredPoint { x, y: Quantity::estimate(y, [low, high]) };
        let values: Vec<_> = values.into_iter().map(point).collect();
        let x_axis = n_categories.map_or(PointAxis::Numbers, |n| {
            PointAxis::Categories(vec![name.clone(); n])
        });
        check_well_formed(&forms!(point_chart(&name, x_axis, &values, even)), &name)?;
    }

    #[test]
    fn histograms_are_well_formed(
        name in NAME,
        values in prop::collection::vec(number(), 0..8),
        marker in number(),
    ) {
        check_well_formed(&forms!(histograms(&name, &values, marker)), &name)?;
    }

    #[test]
    fn boards_are_well_formed(name in NAME, q in any::<i16>(), r in any::<i16>()) {
        check_well_formed(&forms!(board(&name, q, r)), &name)?;
    }

    #[test]
    fn heat_maps_are_well_formed(
        name in NAME,
        points in prop::collection::vec([number(), number()], 0..8),
    ) {
        check_well_formed(&forms!(heat_map(&name, points)), &name)?;
    }

    #[test]
    fn matrices_are_well_formed(
        name in NAME,
        values in prop::collection::vec(number(), 0..12),
        (center, reach) in (-1e100..1e100_f64, 1e-100..1e6_f64),
    ) {
        let scale = DivergingScale::around(center, reach.max(1e-6 * center.abs()));
        check_well_formed(&forms!(matrix(&name, &values, scale)), &name)?;
        let scale = DivergingScale::around(0.0, reach);
        check_well_formed(&forms!(matrix(&name, &values, scale)), &name)?;
    }

    #[test]
    fn planes_are_well_formed(
        name in NAME,
        view in [number(), number(), number(), number()],
        points in prop::collection::vec([number(), number()], 0..8),
        columns in any::<usize>(),
    ) {
        let drawing = plane(&name, view, &points);
        check_well_formed(&forms!(&drawing), &name)?;
        check_well_formed(&forms!(sheet(&name, columns, &drawing)), &name)?;
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
        check_well_formed(&forms!(forest(&name, &quantities, reference)), &name)?;
        check_well_formed(&forms!(sparkline(&name, &quantities)), &name)?;
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
        check_well_formed(&forms!(stacked_area(&name, &x, &layers)), &name)?;
        check_well_formed(&forms!(heat_strip(&name, columns)), &name)?;
    }

    #[test]
    fn any_text_is_escaped(name in any::<String>()) {
        check_well_formed(&forms!(board(&name, 0, 0)), "")?;
        check_well_formed(&forms!(plane(&name, [0.0; 4], &[])), "")?;
    }
}

#[test]
fn no_point_and_ten_thousand_are_well_formed() {
    for n in [0, 1, 10_000] {
        let values: Vec<_> = (1..=n).map(f64::from).collect();
        let check = |forms: &[String; 2]| check_well_formed(forms, "a").unwrap();
        let points = values.iter().map(|&x| CurvePoint { x, y: x, low: 0.5 * x, high: 2.0 * x });
        check(&forms!(curves("a", points.collect())));
        let points = values.iter().map(|&x| MeasuredPoint { x, y: Quantity::Exact(x) });
        let points: Vec<_> = points.collect();
        check(&forms!(point_chart("a", PointAxis::Numbers, &points, 1.0)));
        check(&forms!(histograms("a", &values, 1.0)));
        let points: Vec<_> = values.iter().map(|&x| [x, x]).collect();
        check(&forms!(plane("a", [0.0, 0.0, 9.0, 9.0], &points)));
        check(&forms!(heat_map("a", points)));
        let exact: Vec<_> = values.iter().copied().map(Quantity::Exact).collect();
        check(&forms!(forest("a", &exact, 1.0)));
        check(&forms!(sparkline("a", &exact)));
        check(&forms!(stacked_area("a", &values, &[&values, &values])));
        let columns = values.iter().map(|&x| QuantileColumn { x, quantiles: [x; 5] });
        check(&forms!(heat_strip("a", columns.collect())));
    }
}
