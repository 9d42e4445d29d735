//! The five-number summary of a sample.

/// Returns the lowest value, the lower quartile, the median, the upper quartile and the highest
/// value of `values`; `None` if there are none or one is not a number.
///
/// Quartiles between two values are interpolated linearly (Hyndman & Fan, "Sample Quantiles in
/// Statistical Packages", The American Statistician 50, 1996: definition 7).
#[must_use]
pub fn five_number_summary(mut values: Vec<f64>) -> Option<[f64; 5]> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    Some([0, 1, 2, 3, 4].map(|quarters| {
        let place = (values.len() - 1) * quarters;
        let (below, rest) = (values[place / 4], place % 4);
        let above = values[place.div_ceil(4)];
        #[expect(clippy::cast_precision_loss, reason = "0 to 3")]
        let weight = rest as f64 / 4.0;
        if rest == 0 { below } else { below * (1.0 - weight) + above * weight }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers come from R's `quantile`, whose default is definition 7.
    #[test]
    fn quartiles_are_interpolated() {
        let check = |values: &[f64], expected| {
            assert_eq!(five_number_summary(values.to_vec()), expected);
        };
        check(&[3.0, 1.0, 2.0, 5.0, 4.0], Some([1.0, 2.0, 3.0, 4.0, 5.0]));
        check(&[1.0, 2.0, 3.0, 4.0], Some([1.0, 1.75, 2.5, 3.25, 4.0]));
        check(&[7.0], Some([7.0; 5]));
        check(&[10.0, 20.0], Some([10.0, 12.5, 15.0, 17.5, 20.0]));
        check(&[], None);
        check(&[1.0, f64::NAN], None);
    }

    #[test]
    fn infinite_values_have_their_places() {
        let numbers = five_number_summary(vec![f64::INFINITY, 1.0, 2.0]);
        assert_eq!(numbers, Some([1.0, 1.5, 2.0, f64::INFINITY, f64::INFINITY]));
    }
}
