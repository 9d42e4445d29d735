//! Inputs of the process besides its arguments: variables, randomness, and the clock.

use std::ffi::OsString;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the value of the environment variable `name`; an empty value counts as unset.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns whether the clock cannot be used for HTTP and TLS: the dates in responses and
/// certificates begin with 1970.
pub(crate) fn is_before_1970() -> bool {
    SystemTime::now() < UNIX_EPOCH
}

/// Returns a random seed, for jitter and the like: no result depends on it.
pub(crate) fn random_seed() -> u64 {
    let random = ulid::Ulid::generate().random() & u128::from(u64::MAX);
    u64::try_from(random).expect("64 bits")
}

/// An option whose value came from a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariableOption {
    /// Such as `--listen`.
    pub(crate) flag: String,
    /// Such as `HATCHERY_LISTEN`.
    pub(crate) variable: String,
}

/// The options of a command line whose values came from variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VariableOptions(pub(crate) Vec<VariableOption>);

impl VariableOptions {
    /// Returns a message in which these options are called by their variables.
    pub(crate) fn name_in(&self, message: &str) -> String {
        let is_flag = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let mut named = String::with_capacity(message.len());
        let mut rest = message;
        while let Some(at) = rest.find("--") {
            let (before, flag_on) = rest.split_at(at);
            let end = flag_on.find(|c| !is_flag(c)).unwrap_or(flag_on.len());
            let (flag, after) = flag_on.split_at(end);
            let option = self.0.iter().find(|option| option.flag == flag);
            named.push_str(before);
            named.push_str(option.map_or(flag, |option| &option.variable));
            rest = after;
        }
        named + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_variables_instead_of_flags() {
        let option =
            VariableOption { flag: "--listen".to_owned(), variable: "HATCHERY_LISTEN".to_owned() };
        let options = VariableOptions(vec![option]);
        let named = options.name_in("--listen 1.2.3.4:5 is open: give --tokens, --listen-on or --");
        assert_eq!(named, "HATCHERY_LISTEN 1.2.3.4:5 is open: give --tokens, --listen-on or --");
    }
}
