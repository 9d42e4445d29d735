//! Colors of values on either side of a center.

use crate::color::Color;
use crate::linear_scale::is_drawn;
use crate::markup::to_f64;

/// The colors of a scale from its low to its high end: RdBu of ColorBrewer with 5 classes (Brewer,
/// colorbrewer2.org), which can be told apart with any color vision.
const COLORS: [[f64; 3]; 5] = [
    [202.0, 0.0, 32.0],
    [244.0, 165.0, 130.0],
    [247.0, 247.0, 247.0],
    [146.0, 197.0, 222.0],
    [5.0, 113.0, 176.0],
];
/// Text is white on colors this far from the center, as a share of the scale's reach.
const DARK_SHARE: f64 = 0.8;

/// Colors that tell how far a value is from a center: the more, the darker, from red below to blue
/// above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DivergingScale {
    center: f64,
    reach: f64,
}

impl DivergingScale {
    /// Returns the scale from `center - reach` to `center + reach`; values beyond have the colors
    /// of its ends.
    ///
    /// # Panics
    /// If a number is not finite (more exactly, of a magnitude above 1e100), or `reach` is not
    /// positive or below a millionth of the center's magnitude.
    #[must_use]
    pub fn around(center: f64, reach: f64) -> Self {
        assert!(is_drawn(center) && is_drawn(reach), "a scale has finite ends");
        assert!(0.0 < reach && 1e-6 * center.abs() <= reach, "a scale has a width");
        Self { center, reach }
    }

    /// Returns the value in the middle, and the distance of the ends from it.
    pub(crate) const fn center_and_reach(self) -> [f64; 2] {
        [self.center, self.reach]
    }

    /// Returns the distance of a value from the center, from -1 to 1 at the ends.
    fn share(self, value: f64) -> f64 {
        ((value - self.center) / self.reach).clamp(-1.0, 1.0)
    }

    /// Returns the color of a value.
    pub(crate) fn color(self, value: f64) -> Color {
        let at = 2.0 + 2.0 * self.share(value);
        let below = (0..COLORS.len() - 1).rev().find(|&idx| to_f64(idx) <= at).unwrap_or(0);
        Color::mixed(COLORS[below], COLORS[below + 1], at - to_f64(below))
    }

    /// Returns the attribute for text on the color of a value.
    pub(crate) fn text_fill(self, value: f64) -> &'static str {
        if DARK_SHARE < self.share(value).abs() { " fill=\"white\"" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_tell_how_far_values_are_from_the_center() {
        let scale = DivergingScale::around(50.0, 20.0);
        let check = |value: f64, color: &str, fill: &str| {
            assert_eq!(scale.color(value).to_string(), color, "{value}");
            assert_eq!(scale.text_fill(value), fill, "{value}");
        };
        // The five colors of RdBu, one between two of them, and what is beyond.
        check(30.0, "#ca0020", " fill=\"white\"");
        check(40.0, "#f4a582", "");
        check(50.0, "#f7f7f7", "");
        check(60.0, "#92c5de", "");
        check(70.0, "#0571b0", " fill=\"white\"");
        check(55.0, "#c5deeb", "");
        check(-1e100, "#ca0020", " fill=\"white\"");
        check(1e100, "#0571b0", " fill=\"white\"");
    }
}
