//! What an own game says about itself: JSON from outside, parsed and checked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::invalid_value::InvalidValue;
use crate::text::{excerpt, is_plain_name};

/// The version of the interface between game and host.
pub const GAME_ABI: u32 = 1;

/// The most bytes of the JSON.
pub const MAX_ABOUT_BYTES: usize = 64 << 10;

/// The most measures of a game.
pub const MAX_MEASURES: usize = 64;

/// The most options of a game, and the most named players.
pub const MAX_OPTIONS: usize = 64;

/// The most seats of a game.
pub const MAX_SEATS: u32 = 64;

/// The most bytes of a subject.
pub const MAX_SUBJECT_BYTES: u32 = 1 << 20;

/// The largest value of a measure, in both directions: sums of squares of 2^47 such values fit into
/// 128 bits.
pub const MAX_MEASURE_VALUE: i64 = 1 << 40;

/// The most characters of a name.
const MAX_NAME: usize = 40;

/// The most characters of a unit or a help.
const MAX_TEXT: usize = 200;

/// A game's description of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameAbout {
    /// The version of the interface, [`GAME_ABI`].
    pub abi: u32,
    /// The name of the game: plain, at most 40 characters.
    pub name: String,
    /// The version of the game, which its author raises when results change.
    pub version: u32,
    /// The measures that a trial records; at least one, at most [`MAX_MEASURES`].
    pub measures: Vec<GameMeasure>,
    /// The form of subjects; by default a subject has no bytes.
    #[serde(default)]
    pub subject: SubjectForm,
    /// The number of seats, from 1 to [`MAX_SEATS`].
    #[serde(default = "one")]
    pub seats: u32,
    /// The names of the players that the game itself has, for its seats; at most [`MAX_OPTIONS`].
    #[serde(default)]
    pub players: Vec<String>,
    /// The options of the game; at most [`MAX_OPTIONS`].
    #[serde(default)]
    pub options: Vec<GameOption>,
    /// Whether trials may share an instance: what a trial leaves in memory changes no other trial.
    #[serde(default)]
    pub stateless: bool,
}

/// A number that each trial records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameMeasure {
    /// The name: plain, at most 40 characters, different from the other measures' names.
    pub name: String,
    /// The meaning of the values.
    #[serde(default)]
    pub kind: MeasureKind,
    /// The unit in the plural; empty for a pure number.
    #[serde(default)]
    pub unit: String,
    /// The direction of improvement, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GameGoal>,
    /// Whether the measure counts work, such as moves: it then counts for the speed of a run.
    #[serde(default)]
    pub work: bool,
}

/// The meaning of a measure's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeasureKind {
    /// Any integer from -2^40 to 2^40.
    #[default]
    Mean,
    /// 1 if something has happened in the trial, else 0.
    Share,
    /// The seat that has won, counted from 0.
    Winner,
}

/// The direction in which a measure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameGoal {
    /// Smaller is better.
    Least,
    /// Larger is better.
    Most,
}

/// The form of a game's subjects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum SubjectForm {
    /// Numbers of 32 bits, each 4 bytes, least significant byte first.
    Real {
        /// How many numbers; at least 1.
        length: u32,
        /// The least number, finite.
        low: f32,
        /// The largest number, finite, above `low`.
        high: f32,
    },
    /// Any bytes.
    Bytes {
        /// The least length in bytes.
        #[serde(default)]
        least: u32,
        /// The largest length in bytes, at most [`MAX_SUBJECT_BYTES`].
        most: u32,
    },
}

impl Default for SubjectForm {
    fn default() -> Self {
        Self::Bytes { least: 0, most: 0 }
    }
}

/// An integer that a spec may set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameOption {
    /// The name: plain, at most 40 characters, different from the other options' names.
    pub name: String,
    /// The least value.
    pub low: i64,
    /// The largest value.
    pub high: i64,
    /// The value where a spec has none, from `low` to `high`.
    pub default: i64,
    /// A line for people.
    #[serde(default)]
    pub help: String,
}

/// The reason why the description of a game is refused.
#[derive(Debug, thiserror::Error)]
pub enum InvalidAbout {
    /// The description is too long.
    #[error("it has {n_bytes} bytes, and at most {MAX_ABOUT_BYTES} are allowed")]
    TooLong {
        /// Its length in bytes.
        n_bytes: usize,
    },
    /// The description is no JSON, or JSON of another shape.
    #[error("{source}; it begins with `{excerpt}`")]
    Json {
        /// The place and the reason.
        source: serde_json::Error,
        /// The beginning of the text.
        excerpt: String,
    },
    /// A value is not allowed.
    #[error(transparent)]
    Value(#[from] InvalidValue),
}

fn one() -> u32 {
    1
}

impl GameAbout {
    /// Parses and checks the JSON of a game.
    ///
    /// # Errors
    /// If it is too long, no JSON of this shape, or a value is out of its range.
    pub fn parse(json: &[u8]) -> Result<Self, InvalidAbout> {
        if MAX_ABOUT_BYTES < json.len() {
            return Err(InvalidAbout::TooLong { n_bytes: json.len() });
        }
        let about: Self = serde_json::from_slice(json).map_err(|source| InvalidAbout::Json {
            source,
            excerpt: excerpt(&String::from_utf8_lossy(json)),
        })?;
        about.check()?;
        Ok(about)
    }

    fn check(&self) -> Result<(), InvalidValue> {
        InvalidValue::check_range("abi", &self.abi, &GAME_ABI, &GAME_ABI)?;
        check_name("name", &self.name)?;
        InvalidValue::check_range("seats", &self.seats, &1, &MAX_SEATS)?;
        check_count("measures", self.measures.len(), 1, MAX_MEASURES)?;
        check_names("measures", self.measures.iter().map(|measure| measure.name.as_str()))?;
        for (i, measure) in self.measures.iter().enumerate() {
            check_text(&format!("measures.{i}.unit"), &measure.unit)?;
            if measure.kind == MeasureKind::Winner && self.seats < 2 {
                let key = format!("measures.{i}.kind");
                return Err(InvalidValue::new(key, "winner", "mean or share for a single seat"));
            }
        }
        check_count("players", self.players.len(), 0, MAX_OPTIONS)?;
        check_names("players", self.players.iter().map(String::as_str))?;
        check_count("options", self.options.len(), 0, MAX_OPTIONS)?;
        check_names("options", self.options.iter().map(|option| option.name.as_str()))?;
        for (i, option) in self.options.iter().enumerate() {
            check_text(&format!("options.{i}.help"), &option.help)?;
            let key = format!("options.{i}.default");
            InvalidValue::check_range(&key, &option.default, &option.low, &option.high)?;
        }
        self.subject.check().map_err(|error| error.under("subject"))
    }

    /// Checks a value that a trial records for measure `id`.
    ///
    /// # Errors
    /// If there is no such measure, or the measure has no such value.
    pub fn check_measure(&self, id: u32, value: i64) -> Result<(), InvalidValue> {
        let Some(measure) = usize::try_from(id).ok().and_then(|id| self.measures.get(id)) else {
            let most = self.measures.len() - 1;
            return Err(InvalidValue::out_of_range("the id of a measure", &id, &0, &most));
        };
        let (least, most) = match measure.kind {
            MeasureKind::Mean => (-MAX_MEASURE_VALUE, MAX_MEASURE_VALUE),
            MeasureKind::Share => (0, 1),
            MeasureKind::Winner => (0, i64::from(self.seats) - 1),
        };
        InvalidValue::check_range(&measure.name, &value, &least, &most)
    }

    /// Checks that `subject` has the form of this game's subjects.
    ///
    /// # Errors
    /// If its length or one of its numbers is not allowed.
    pub fn check_subject(&self, subject: &[u8]) -> Result<(), InvalidValue> {
        let n_bytes = subject.len() as u64;
        let (least, most) = match self.subject {
            SubjectForm::Real { length, .. } => (4 * u64::from(length), 4 * u64::from(length)),
            SubjectForm::Bytes { least, most } => (least.into(), most.into()),
        };
        InvalidValue::check_range("the length of the subject in bytes", &n_bytes, &least, &most)?;
        let SubjectForm::Real { low, high, .. } = self.subject else { return Ok(()) };
        let (numbers, _) = subject.as_chunks();
        numbers.iter().enumerate().try_for_each(|(i, &number)| {
            let key = format!("number {i} of the subject");
            InvalidValue::check_range(&key, &f32::from_le_bytes(number), &low, &high)
        })
    }
}

impl SubjectForm {
    fn check(&self) -> Result<(), InvalidValue> {
        match *self {
            Self::Real { length, low, high } => {
                InvalidValue::check_range("length", &length, &1, &(MAX_SUBJECT_BYTES / 4))?;
                InvalidValue::check_range("low", &low, &f32::MIN, &f32::MAX)?;
                InvalidValue::check_range("high", &high, &low, &f32::MAX)
            }
            Self::Bytes { least, most } => {
                InvalidValue::check_range("most", &most, &0, &MAX_SUBJECT_BYTES)?;
                InvalidValue::check_range("least", &least, &0, &most)
            }
        }
    }
}

fn check_count(key: &str, n: usize, least: usize, most: usize) -> Result<(), InvalidValue> {
    InvalidValue::check_range(&format!("the number of {key}"), &n, &least, &most)
}

fn check_names<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Result<(), InvalidValue> {
    let mut seen = BTreeSet::new();
    for (i, name) in names.enumerate() {
        let key = format!("{key}.{i}.name");
        check_name(&key, name)?;
        if !seen.insert(name) {
            return Err(InvalidValue::new(key, name, "a name that occurs once"));
        }
    }
    Ok(())
}

fn check_name(key: &str, name: &str) -> Result<(), InvalidValue> {
    match is_plain_name(name, MAX_NAME) {
        true => Ok(()),
        false => {
            let expected = format!("1 to {MAX_NAME} letters, digits, `-`, `_` and `.`");
            Err(InvalidValue::new(key, &excerpt(name), expected))
        }
    }
}

fn check_text(key: &str, text: &str) -> Result<(), InvalidValue> {
    match text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control) {
        true => Ok(()),
        false => {
            let expected = format!("a line of at most {MAX_TEXT} characters");
            Err(InvalidValue::new(key, &excerpt(text), expected))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIG: &str = r#"{"abi":1,"name":"pig","version":1,"seats":2,
        "measures":[{"name":"turns","unit":"turns","goal":"least"},
                    {"name":"won","kind":"share"},{"name":"winner","kind":"winner"}],
        "subject":{"kind":"real","length":1,"low":1,"high":100},
        "options":[{"name":"goal","low":1,"high":1000,"default":100,"help":"points"}]}"#;

    #[test]
    fn a_description_says_which_values_are_allowed() {
        let pig = GameAbout::parse(PIG.as_bytes()).unwrap();
        assert_eq!(pig.check_measure(0, -MAX_MEASURE_VALUE), Ok(()));
        assert!(pig.check_measure(0, MAX_MEASURE_VALUE + 1).is_err());
        assert_eq!(pig.check_measure(1, 1), Ok(()));
        assert!(pig.check_measure(1, 2).is_err());
        assert_eq!(pig.check_measure(2, 1), Ok(()));
        assert!(pig.check_measure(2, 2).is_err());
        let unknown = pig.check_measure(3, 0).unwrap_err().to_string();
        assert_eq!(unknown, "the id of a measure is 3, but must be from 0 to 2");
        assert_eq!(pig.check_subject(&20_f32.to_le_bytes()), Ok(()));
        for wrong in [f32::NAN, f32::INFINITY, 0.0, 101.0] {
            assert!(pig.check_subject(&wrong.to_le_bytes()).is_err());
        }
        assert!(pig.check_subject(&[0; 5]).is_err());
        let json = serde_json::to_vec(&pig).unwrap();
        assert_eq!(GameAbout::parse(&json).unwrap(), pig);
    }

    #[test]
    fn a_bad_description_is_refused_by_its_key() {
        let check = |from: &str, to: &str, expected: &str| {
            assert!(PIG.contains(from), "{from}");
            let error = GameAbout::parse(PIG.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        };
        check("\"abi\":1", "\"abi\":2", "abi is 2, but must be from 1 to 1");
        check("\"pig\"", "\"a pig\"", "name is a pig, but must be 1 to 40 letters");
        check("\"won\"", "\"turns\"", "measures.1.name is turns");
        check("\"seats\":2", "\"seats\":1", "measures.2.kind is winner");
        check("\"seats\":2", "\"seats\":65", "seats is 65");
        check("\"low\":1", "\"low\":1e300", "subject.low is inf");
        check("\"high\":100", "\"high\":0", "subject.high is 0");
        check("\"length\":1", "\"length\":262145", "subject.length is 262145");
        check("\"default\":100", "\"default\":0", "options.0.default is 0");
        check("\"help\"", "\"hlep\"", "unknown field `hlep`");
        check("{\"abi\"", "\u{0}{\"abi\"", "expected value at line 1 column 1");
        check("[{\"name\":\"turns\"", &"[".repeat(10_000), "invalid type: sequence");
        let long = GameAbout::parse(&vec![b' '; MAX_ABOUT_BYTES + 1]).unwrap_err().to_string();
        assert_eq!(long, "it has 65537 bytes, and at most 65536 are allowed");
    }
}
