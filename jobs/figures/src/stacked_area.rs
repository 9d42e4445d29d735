//! Stacked amounts over a common axis.

use crate::chart_frame::{self, ChartFrame, LegendRow, PLOT, TickLabels};
use crate::description;
use crate::linear_scale::{LinearScale, is_drawn};
use crate::markup::text_width;
use crate::series_style::SeriesStyle;
use crate::shape::{DocumentForm, Shape, ShapeStyle};

/// The numbers of steps between ticks to aim at.
const X_STEPS: f64 = 8.0;
const Y_STEPS: f64 = 7.0;
const OPACITY: f64 = 0.5;
/// The least height of a layer with its number in it, and the width of a digit.
const MIN_HEIGHT: f64 = 18.0;

/// Stacked amounts, such as shares of kinds in each generation. Amounts are exact counts or shares;
/// estimates have intervals, and belong into another figure.
///
/// Each layer has a number at its highest place, which the legend repeats before its name: layers
/// are told apart without color. Positions that are not finite (more exactly, of a magnitude above
/// 1e100) are left out; amounts that are not finite, negative or missing count as 0.
#[derive(Clone, Debug)]
pub struct StackedArea {
    /// The text above the chart.
    pub title: String,
    /// The text below the horizontal axis.
    pub x_label: String,
    /// The text beside the vertical axis.
    pub y_label: String,
    /// The positions on the horizontal axis, from left to right.
    pub x: Vec<f64>,
    /// The layers, from the lowest.
    pub layers: Vec<AreaLayer>,
}

/// A layer of a stacked area.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaLayer {
    /// The name in the legend.
    pub name: String,
    /// The amounts by position.
    pub amounts: Vec<f64>,
}

/// The lower and the upper edge of a layer at each drawn position.
type LayerEdges = Vec<[f64; 2]>;

impl StackedArea {
    /// Returns the chart as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn(DocumentForm::Standalone)
    }

    /// Returns the chart as a part of a page, whose sheet must have [`STYLE_SHEET`]. It is as wide
    /// as the page lets it be, text keeps its size, and the title is left to the page.
    ///
    /// [`STYLE_SHEET`]: crate::STYLE_SHEET
    #[must_use]
    pub fn to_inline_svg(&self) -> String {
        self.drawn(chart_frame::STRETCHED)
    }

    fn drawn(&self, form: DocumentForm) -> String {
        let [left, top, right, bottom] = PLOT;
        let (positions, edges) = self.edges();
        let x = LinearScale::around(positions.iter().copied(), [left, right], X_STEPS);
        let ends = edges.iter().flatten().flatten().copied();
        let y = LinearScale::around(ends.chain([0.0]), [bottom, top], Y_STEPS).to_ticks();
        let mut content = Vec::new();
        for (idx, layer) in edges.iter().enumerate() {
            let place = |(at, edge): (&f64, f64)| [x.position(*at), y.position(edge)];
            let lower: Vec<_> =
                positions.iter().zip(layer.iter().map(|[low, _]| *low)).map(place).collect();
            let upper: Vec<_> =
                positions.iter().zip(layer.iter().map(|[_, high]| *high)).map(place).collect();
            content.push(layer_area(idx, &lower, &upper));
            content.extend(layer_number(idx, &lower, &upper));
        }
        let names: Vec<_> = self.layers.iter().enumerate().map(legend_name).collect();
        let row = |(idx, name)| LegendRow::of_area(name, layer_style(idx));
        let rows = names.iter().map(String::as_str).enumerate().map(row);
        let frame = ChartFrame {
            title: &self.title,
            description: self.description(),
            x_label: &self.x_label,
            y_label: &self.y_label,
            ticks: [x.ticks(), y.ticks()],
            x_labels: TickLabels::Numbers,
            legend: rows.rev().collect(),
        };
        frame.document(&content, form)
    }

    /// Returns the drawn positions, and the layers' edges there.
    fn edges(&self) -> (Vec<f64>, Vec<LayerEdges>) {
        let amount = |layer: &AreaLayer, idx: usize| {
            let amount = layer.amounts.get(idx).copied().unwrap_or(0.0);
            if is_drawn(amount) { amount.max(0.0) } else { 0.0 }
        };
        let is_shown = |(idx, x): &(usize, f64)| {
            is_drawn(*x) && is_drawn(self.layers.iter().map(|layer| amount(layer, *idx)).sum())
        };
        let shown: Vec<_> = self.x.iter().copied().enumerate().filter(is_shown).collect();
        let mut floor = vec![0.0; shown.len()];
        let edges = self.layers.iter().map(|layer| {
            let places = shown.iter().zip(&mut floor);
            let edges = places.map(|((idx, _), floor)| {
                let low = *floor;
                *floor += amount(layer, *idx);
                [low, *floor]
            });
            edges.collect()
        });
        let edges = edges.collect();
        (shown.into_iter().map(|(_, x)| x).collect(), edges)
    }

    fn description(&self) -> String {
        let (positions, edges) = self.edges();
        let layers = self.layers.iter().zip(&edges).map(|(layer, edges)| {
            let amounts = [edges.first(), edges.last()].map(|edge| {
                edge.map_or_else(
                    || "none".to_owned(),
                    |[low, high]| description::number(high - low),
                )
            });
            let [first, last] = amounts;
            format!("{}: from {first} to {last}", description::short(&layer.name))
        });
        format!(
            "Stacked areas. {} by {}, {}. {} from the lowest: {}.",
            description::short(&self.y_label),
            description::short(&self.x_label),
            description::range(positions.into_iter()),
            description::count(self.layers.len(), "layer"),
            description::list(layers)
        )
    }
}

const fn layer_style(idx: usize) -> ShapeStyle {
    SeriesStyle::of(idx).area(OPACITY)
}

/// Returns the number of a layer and its name.
fn legend_name((idx, layer): (usize, &AreaLayer)) -> String {
    format!("{} {}", idx + 1, layer.name)
}

fn layer_area(idx: usize, lower: &[[f64; 2]], upper: &[[f64; 2]]) -> Shape {
    let corners = lower.iter().chain(upper.iter().rev()).copied().collect();
    Shape::Area { corners, style: layer_style(idx) }
}

/// Returns the number of a layer at its highest place, if there is room.
fn layer_number(idx: usize, lower: &[[f64; 2]], upper: &[[f64; 2]]) -> Option<Shape> {
    let number = (idx + 1).to_string();
    let [left, _, right, _] = PLOT;
    let room = text_width(&number);
    let places = lower.iter().zip(upper).map(|([x, low], [_, high])| ([*x, *low], low - high));
    let inside = places.filter(|([x, _], height)| {
        MIN_HEIGHT <= *height && left + room <= *x && *x <= right - room
    });
    let ([x, low], height) = inside.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let at = [x, low - height / 2.0];
    Some(Shape::text(at, [0.0, 4.5], "middle", &number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(x: &[f64], layers: &[&[f64]]) -> StackedArea {
        let [title, x_label, y_label] = ["t", "generation", "share"].map(str::to_owned);
        let layers = layers
            .iter()
            .map(|amounts| AreaLayer { name: "a<b".to_owned(), amounts: amounts.to_vec() });
        StackedArea { title, x_label, y_label, x: x.to_vec(), layers: layers.collect() }
    }

    #[test]
    fn layers_stand_on_one_another() {
        let (x, edges) = area(&[1.0, 2.0], &[&[3.0, 1.0], &[1.0, 4.0]]).edges();
        assert_eq!(x, [1.0, 2.0]);
        assert_eq!(edges, [[[0.0, 3.0], [0.0, 1.0]], [[3.0, 4.0], [1.0, 5.0]]]);
    }

    #[test]
    fn amounts_that_cannot_be_drawn_are_none() {
        let bad: &[f64] = &[f64::NAN, -1.0, 2.0];
        let (x, edges) = area(&[1.0, 2.0, f64::NAN, 4.0], &[bad]).edges();
        assert_eq!((x, edges), (vec![1.0, 2.0, 4.0], vec![vec![[0.0; 2]; 3]]));
        let sum: &[f64] = &[1e100];
        assert_eq!(area(&[1.0], &[sum, sum]).edges().0, [0.0; 0]);
    }

    #[test]
    fn layers_have_numbers_where_they_are_high() {
        let svg = area(&[1.0, 2.0, 3.0], &[&[3.0, 2.0, 1.0], &[0.0, 0.01, 0.0]]).to_svg();
        assert_eq!(svg.matches(">1</text>").count(), 1, "{svg}");
        assert_eq!(svg.matches(">2</text>").count(), 0, "{svg}");
        assert!(svg.contains(">2 a&lt;b</text>"), "{svg}");
    }
}
