//! The rules of a run on the wire.

use hatchery_core::{DecodeError, MessageValue};
use serde::de::DeserializeOwned;

use crate::setup::StudyRules;

/// [`StudyRules`] on the wire: each group of settings as JSON, as in a spec.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StudyRulesMessage {
    #[prost(string, tag = "1")]
    physics: String,
    #[prost(string, tag = "2")]
    evolution: String,
    #[prost(string, tag = "3")]
    fitness: String,
}

impl MessageValue for StudyRules {
    type Message = StudyRulesMessage;

    fn to_message(&self) -> StudyRulesMessage {
        const PLAIN: &str = "settings are structs of numbers and names";
        StudyRulesMessage {
            physics: serde_json::to_string(&self.physics).expect(PLAIN),
            evolution: serde_json::to_string(&self.evolution).expect(PLAIN),
            fitness: serde_json::to_string(&self.fitness).expect(PLAIN),
        }
    }

    fn from_message(message: StudyRulesMessage) -> Result<Self, DecodeError> {
        let StudyRulesMessage { physics, evolution, fitness } = message;
        let rules = Self {
            physics: settings("physics", &physics)?,
            evolution: settings("evolution", &evolution)?,
            fitness: settings("fitness", &fitness)?,
        };
        rules.check().map_err(|error| {
            DecodeError::field(
                "settings",
                &format!("{} = {}", error.key, error.value),
                error.expected,
            )
        })?;
        Ok(rules)
    }
}

hatchery_core::message_value!(StudyRules);

/// Reads a group of settings.
fn settings<T: DeserializeOwned>(field: &'static str, text: &str) -> Result<T, DecodeError> {
    serde_json::from_str(text).map_err(|error| {
        DecodeError::field(field, &format!("JSON with an error: {error}"), "settings as in a spec")
    })
}
