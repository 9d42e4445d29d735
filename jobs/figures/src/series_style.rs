//! How the series of a chart are told apart: colors, dashes and shapes of points.

/// Colors that can be told apart with any color vision: M. Okabe and K. Ito, "Color Universal
/// Design", 2008. Their yellow is missing because it is too light for lines.
const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9"];
/// The dashes that tell curves of the same color apart.
const DASHES: [&str; 3] = ["", "7 4", "2 3"];
/// Outlines of points, from their center: a disk, a square, two triangles, a diamond, and a cross
/// upright and aslant.
const SHAPES: [&str; 7] = [
    "m-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0z",
    "m-4 -4h8v8h-8z",
    "m0 -5.4l5.2 9h-10.4z",
    "m0 -5.8l5.2 5.8l-5.2 5.8l-5.2 -5.8z",
    "m0 5.4l5.2 -9h-10.4z",
    "m-1.7 -5.4h3.4v3.7h3.7v3.4h-3.7v3.7h-3.4v-3.7h-3.7v-3.4h3.7z",
    "m0 -2.4l2.6 -2.6l2.4 2.4l-2.6 2.6l2.6 2.6l-2.4 2.4l-2.6 -2.6l-2.6 2.6l-2.4 -2.4l2.6 -2.6\
     l-2.6 -2.6l2.4 -2.4z",
];

/// The color, the dashes and the shape of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeriesStyle {
    pub(crate) color: &'static str,
    dashes: &'static str,
    shape: &'static str,
}

impl SeriesStyle {
    /// Returns the style of the `idx`-th series: of the first 21, no two have the same color and
    /// dashes, and of the first 49, no two have the same color and shape.
    pub(crate) const fn of(idx: usize) -> Self {
        let round = idx / COLORS.len();
        Self {
            color: COLORS[idx % COLORS.len()],
            dashes: DASHES[round % DASHES.len()],
            shape: SHAPES[(idx + round) % SHAPES.len()],
        }
    }

    /// Returns the style with dashes that tell the first three lines apart without color.
    pub(crate) const fn dashed(self, idx: usize) -> Self {
        Self { dashes: DASHES[idx % DASHES.len()], ..self }
    }

    /// Returns the attributes of a line.
    pub(crate) fn stroke(&self) -> String {
        let Self { color, dashes, .. } = self;
        format!("stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"")
    }

    /// Returns a line along `corners`.
    pub(crate) fn polyline(&self, corners: &str) -> String {
        let stroke = self.stroke();
        format!("<polyline points=\"{corners}\" fill=\"none\" {stroke}/>")
    }

    /// Returns a point with its center at (x, y).
    pub(crate) fn marker(&self, [x, y]: [f64; 2]) -> String {
        let Self { color, shape, .. } = self;
        format!("<path d=\"M{x:.1} {y:.1}{shape}\" fill=\"{color}\" stroke=\"white\"/>")
    }

    /// Returns a bar at `x` from `low` to `high`, with caps.
    pub(crate) fn error_bar(&self, x: f64, [low, high]: [f64; 2]) -> String {
        let (color, left) = (self.color, x - 3.5);
        format!(
            "<path d=\"M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h7M{left:.1} {high:.1}h7\" \
             fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn series_differ() {
        let styles = |n| (0..n).map(SeriesStyle::of);
        let lines: BTreeSet<_> = styles(21).map(|style| (style.color, style.dashes)).collect();
        let points: BTreeSet<_> = styles(49).map(|style| (style.color, style.shape)).collect();
        let shapes: BTreeSet<_> = styles(7).map(|style| style.shape).collect();
        assert_eq!((lines.len(), points.len(), shapes.len()), (21, 49, 7));
    }
}
