//! Values as cells of tables. Any value may be missing.

use hatchery_figures::Quantity;

use crate::measure::IntervalEstimate;
use crate::rich_text::RichText;

/// A cell of a column of whole numbers.
pub trait CountCell {
    /// Returns the number. A number above the largest number of a file counts as the largest.
    fn count(self) -> Option<u64>;
}

/// A cell of a column of numbers.
pub trait NumberCell {
    /// Returns the number.
    fn number(self) -> Option<f64>;
}

/// A cell of a column of estimates.
pub trait EstimateCell {
    /// Returns the estimate. An estimate without an interval is exact.
    fn estimate(self) -> Option<Quantity>;
}

/// A cell of a column of texts.
pub trait TextCell {
    /// Returns the text.
    fn text(self) -> Option<RichText>;
}

macro_rules! counts {
    ($($count:ty),*) => {$(
        impl CountCell for $count {
            fn count(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        }
    )*};
}

counts!(u8, u16, u32, u64, usize);

impl<C: CountCell> CountCell for Option<C> {
    fn count(self) -> Option<u64> {
        self.and_then(C::count)
    }
}

impl NumberCell for f64 {
    fn number(self) -> Option<f64> {
        Some(self)
    }
}

impl NumberCell for f32 {
    fn number(self) -> Option<f64> {
        Some(self.into())
    }
}

impl<N: NumberCell> NumberCell for Option<N> {
    fn number(self) -> Option<f64> {
        self.and_then(N::number)
    }
}

impl EstimateCell for Quantity {
    fn estimate(self) -> Option<Quantity> {
        Some(self)
    }
}

impl EstimateCell for IntervalEstimate {
    fn estimate(self) -> Option<Quantity> {
        Some(self.into())
    }
}

impl<E: EstimateCell> EstimateCell for Option<E> {
    fn estimate(self) -> Option<Quantity> {
        self.and_then(E::estimate)
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl TextCell for $text {
            fn text(self) -> Option<RichText> {
                Some(self.into())
            }
        }
    )*};
}

texts!(&str, String, RichText);

impl TextCell for &String {
    fn text(self) -> Option<RichText> {
        Some(self.as_str().into())
    }
}

impl<T: TextCell> TextCell for Option<T> {
    fn text(self) -> Option<RichText> {
        self.and_then(T::text)
    }
}
