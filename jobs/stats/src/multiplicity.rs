//! Many tests at once.

use crate::error::StatsError;

/// Returns the adjusted p-values of `p_values`, in their order: rejecting values of at most q gives
/// a share of false rejections of at most q on average, if tests are independent or positively
/// dependent (Benjamini & Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995;
/// Benjamini & Yekutieli 2001).
///
/// # Errors
/// If a p-value is not between 0 and 1.
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>, StatsError> {
    for &value in p_values {
        if !(0.0..=1.0).contains(&value) {
            return Err(StatsError::OutOfRange { name: "p-value", value, range: "from 0 to 1" });
        }
    }
    let mut descending: Vec<usize> = (0..p_values.len()).collect();
    descending.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 1.0_f64;
    for (above, &idx) in descending.iter().enumerate() {
        least = least.min(p_values[idx] * to_f64(p_values.len()) / to_f64(p_values.len() - above));
        adjusted[idx] = least;
    }
    Ok(adjusted)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of tests are far below 2^53")]
fn to_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 15 p-values of Benjamini & Hochberg, §3.2: four are rejected at q = 0.05, where
    /// Bonferroni rejects three.
    #[test]
    fn the_example_of_the_paper() {
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0000,
        ];
        let adjusted = benjamini_hochberg(&p_values).unwrap();
        assert_eq!(adjusted.iter().filter(|&&p| p <= 0.05).count(), 4);
        assert!((adjusted[3] - 0.0095 * 15.0 / 4.0).abs() < 1e-12);
        assert!(adjusted.is_sorted());
        let reversed: Vec<f64> = p_values.iter().rev().copied().collect();
        let mut adjusted_reversed = benjamini_hochberg(&reversed).unwrap();
        adjusted_reversed.reverse();
        assert_eq!(adjusted_reversed, adjusted);
    }

    #[test]
    fn invalid_p_values_are_refused() {
        assert_eq!(benjamini_hochberg(&[]).unwrap(), [0.0; 0]);
        for value in [f64::NAN, -0.1, 1.1] {
            assert!(benjamini_hochberg(&[0.5, value]).is_err());
        }
    }
}
