//! Numbers as texts of levels have them.

use std::fmt;

/// A number with a decimal point and without an exponent, in as few digits as read back as the same
/// number: `-3.5`, `2.0`, `0.0000001`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal(pub(super) f32);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        if self.0 % 1.0 == 0.0 { f.write_str(".0") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(number: f32, expected: &str) {
        assert_eq!(Decimal(number).to_string(), expected);
    }

    #[test]
    fn numbers_have_a_point_and_no_exponent() {
        check(0.0, "0.0");
        check(-3.5, "-3.5");
        check(200.0, "200.0");
        check(0.1, "0.1");
        check(1e-7, "0.0000001");
        check(16_777_216.0, "16777216.0");
    }

    proptest! {
        #[test]
        fn numbers_come_back_to_the_last_bit(bits in any::<u32>()) {
            let number = f32::from_bits(bits);
            prop_assume!(number.is_finite());
            let text = Decimal(number).to_string();
            prop_assert_eq!(text.matches('.').count(), 1);
            prop_assert!(!text.contains('e'));
            prop_assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits);
        }
    }
}
