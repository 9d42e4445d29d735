//! Colors.

use std::fmt;

/// An opaque color in sRGB, written as in CSS, such as `#0072b2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    /// Makes a color of its red, green and blue parts.
    #[must_use]
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Makes a color of a number such as `0x0000_72b2`, whose lowest three bytes are its red, green
    /// and blue parts.
    pub(crate) const fn of_number(number: u32) -> Self {
        let [_, red, green, blue] = number.to_be_bytes();
        Self([red, green, blue])
    }

    /// Mixes two colors given as parts: `share` of the second, from 0 to 1, and the first.
    pub(crate) fn mixed(first: [f64; 3], second: [f64; 3], share: f64) -> Self {
        let part = |idx: usize| {
            let part = first[idx] + share * (second[idx] - first[idx]);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between parts of colors"
            )]
            let part = libm::round(part) as u8;
            part
        };
        Self([part(0), part(1), part(2)])
    }

    /// Returns the red, green and blue parts.
    #[cfg(test)]
    pub(crate) const fn parts(self) -> [u8; 3] {
        self.0
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}
