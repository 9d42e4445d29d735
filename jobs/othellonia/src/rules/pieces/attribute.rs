//! The attributes of pieces.

use std::fmt;

use hatchery_core::WireElement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The attribute of a piece (Kono et al., 2.1).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    WireElement,
)]
#[serde(rename_all = "snake_case")]
pub enum Attribute {
    /// Tends to high HP.
    God,
    /// Tends to tricky effects.
    Demon,
    /// Tends to a strong attack.
    Dragon,
}

impl Attribute {
    /// All attributes, in their order.
    pub const ALL: [Self; 3] = [Self::God, Self::Demon, Self::Dragon];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::God => "god",
            Self::Demon => "demon",
            Self::Dragon => "dragon",
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
