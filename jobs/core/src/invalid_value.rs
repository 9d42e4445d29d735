//! The error for a value that is not allowed: in a spec, on the wire, or in a file.

use std::fmt::Display;

/// A value that is not allowed, with its key and a description of the allowed values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {value}, but must be {expected}")]
pub struct InvalidValue {
    /// The path of the value, with dots: `fitness.games` or `boards.0.width`. It starts below
    /// `params` for a parameter, and below the message for a value on the wire.
    pub key: String,
    /// The value.
    pub value: String,
    /// A description of the allowed values.
    pub expected: String,
}

impl InvalidValue {
    /// Returns the error for `key` holding `value` where `expected` would be right.
    pub fn new(
        key: impl Into<String>,
        value: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), value: value.to_string(), expected: expected.into() }
    }

    /// Returns the error for `key` holding `value`, a number that is not from `least` to `most`.
    pub fn out_of_range(
        key: impl Into<String>,
        value: &impl Display,
        least: &impl Display,
        most: &impl Display,
    ) -> Self {
        Self::new(key, value, format!("from {least} to {most}"))
    }

    /// Returns the same error for a value in `group`: the new key is `group`, a dot, and the old
    /// key. An empty old key gives `group` alone.
    #[must_use]
    pub fn under(self, group: &str) -> Self {
        let key = match (group, self.key.as_str()) {
            ("", _) => self.key,
            (group, "") => group.to_owned(),
            (group, key) => format!("{group}.{key}"),
        };
        Self { key, ..self }
    }

    /// Checks that the product of `factors`, each a number of things, is at most `most` of `what`.
    ///
    /// # Errors
    /// If the product is larger: an error with the arithmetic, for `key`, which holds the first
    /// factor.
    pub fn check_product(
        key: &str,
        factors: &[(u64, &str)],
        what: &str,
        most: u64,
    ) -> Result<(), Self> {
        let product = factors.iter().fold(1_u128, |all, (n, _)| all.saturating_mul((*n).into()));
        if product <= u128::from(most) {
            return Ok(());
        }
        let first = factors.first().map_or(0, |(n, _)| *n);
        let factors: Vec<_> = factors.iter().map(|(n, things)| format!("{n} {things}")).collect();
        let expected = format!(
            "less, or other factors: {} = {product} {what}, and at most {most} are allowed",
            factors.join(" x ")
        );
        Err(Self::new(key, &first, expected))
    }

    /// Checks that `value` is from `least` to `most`.
    ///
    /// # Errors
    /// If `value` is outside of that range, or is no number.
    pub fn check_range<T: PartialOrd + Display>(
        key: &str,
        value: &T,
        least: &T,
        most: &T,
    ) -> Result<(), Self> {
        match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(Self::out_of_range(key, value, least, most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InvalidValue;

    #[test]
    fn products_are_refused_with_the_arithmetic() {
        let check =
            |n| InvalidValue::check_product("maps", &[(n, "maps"), (7, "games")], "scores", 21);
        assert_eq!(check(3), Ok(()));
        let expected = "maps is 4, but must be less, or other factors: 4 maps x 7 games = 28 \
                        scores, and at most 21 are allowed";
        assert_eq!(check(4).unwrap_err().to_string(), expected);
        let huge = [(u64::MAX, "a"), (u64::MAX, "b"), (u64::MAX, "c")];
        assert!(InvalidValue::check_product("a", &huge, "d", u64::MAX).is_err());
    }

    #[test]
    fn keys_are_paths() {
        let check = |group: &str, key: &str, expected: &str| {
            assert_eq!(InvalidValue::new(key, &3, "even").under(group).key, expected);
        };
        check("seats.2", "playouts", "seats.2.playouts");
        check("", "playouts", "playouts");
        check("seats.2", "", "seats.2");
    }

    #[test]
    fn what_is_no_number_is_in_no_range() {
        assert_eq!(InvalidValue::check_range("rate", &0.5, &0.0, &1.0), Ok(()));
        let error = InvalidValue::check_range("rate", &f64::NAN, &0.0, &1.0).unwrap_err();
        assert_eq!(error.to_string(), "rate is NaN, but must be from 0 to 1");
    }
}
