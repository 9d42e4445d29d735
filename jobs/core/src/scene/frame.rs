//! Frames: a caption, and the changes.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::base::SymbolId;
use super::place::{ScenePlace, SceneTurn};

/// A moment of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SceneFrame {
    /// The number of the frame in its trial, counted from 1.
    pub number: u64,
    /// A description for people, in one line or a few.
    pub caption: String,
    /// The changes since the previous frame of the same scene, by thing. The first frame is
    /// compared with a base without things.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<SceneChange>,
}

/// The name of a thing, until the end of the scene. Things with higher numbers are drawn above
/// things with lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThingId(pub u32);

/// A thing's symbol, place and turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThingPose {
    /// The symbol.
    pub symbol: SymbolId,
    /// The place.
    pub place: ScenePlace,
    /// The turn.
    pub turn: SceneTurn,
}

impl ThingPose {
    /// Returns the pose of `symbol` at `place`, not turned.
    #[must_use]
    pub const fn at(symbol: SymbolId, place: ScenePlace) -> Self {
        Self { symbol, place, turn: SceneTurn::NONE }
    }

    /// Returns the pose with another turn.
    #[must_use]
    pub const fn turned(self, turn: SceneTurn) -> Self {
        Self { turn, ..self }
    }
}

/// A thing that is now different. In JSON: `[thing]` if it is gone, else `[thing, symbol, x, y]`,
/// with the turn at the end unless it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneChange {
    /// The thing.
    pub thing: ThingId,
    /// Its pose; none if it is gone.
    pub pose: Option<ThingPose>,
}

impl Serialize for SceneChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_seq(None)?;
        parts.serialize_element(&self.thing.0)?;
        if let Some(ThingPose { symbol, place, turn }) = self.pose {
            parts.serialize_element(&symbol.0)?;
            parts.serialize_element(&place.x)?;
            parts.serialize_element(&place.y)?;
            if turn != SceneTurn::NONE {
                parts.serialize_element(&turn.tenths())?;
            }
        }
        parts.end()
    }
}

impl JsonSchema for SceneChange {
    fn schema_name() -> Cow<'static, str> {
        "SceneChange".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A thing that is now different: [thing] if it is gone, else \
                            [thing, symbol, x, y] or [thing, symbol, x, y, turn]. A thing is a \
                            number for as long as the scene goes on; later numbers are drawn above \
                            earlier ones. The symbol is an index of the base's symbols. The turn \
                            is counterclockwise as one sees it, in tenths of a degree below 3600.",
            "type": "array",
            "items": { "type": "integer" },
            "minItems": 1,
            "maxItems": 5,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_short_lists() {
        let check = |pose, expected: &str| {
            let change = SceneChange { thing: ThingId(7), pose };
            assert_eq!(serde_json::to_string(&change).unwrap(), expected);
        };
        let pose = ThingPose::at(SymbolId(2), ScenePlace::new(-3, 4));
        check(None, "[7]");
        check(Some(pose), "[7,2,-3,4]");
        check(Some(pose.turned(SceneTurn::from_degrees(90))), "[7,2,-3,4,900]");
    }
}
