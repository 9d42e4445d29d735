//! The levels in a spec.

use std::collections::BTreeSet;

use hatchery_core::spec::{FileFault, FileValue, FromFile, SpecFile};
use hatchery_core::text::excerpt;
use hatchery_core::{InvalidValue, error_chain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plain_name::{self, MAX_NAME};
use crate::level::{Level, XmlWarning};

/// A level in a spec: its text, as one of two forms, and a name for reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelParam {
    /// The name: 1 to 80 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The level as a level file of Science Birds (XML).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xml: Option<FileValue<String>>,
    /// The level as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<FileValue<String>>,
}

/// A file is a level file of Science Birds (XML), a level as JSON, or TOML with `levels`, such as
/// a spec. A level is called as its file.
impl FromFile for LevelParam {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        let name = file.plain_name();
        let (mut xml, mut json) = (None, None);
        match file.text.trim_start().chars().next() {
            Some('<') => xml = Some(FileValue::from(file.text.clone())),
            Some('{') => json = Some(FileValue::from(file.text.clone())),
            _ => {
                let levels: Vec<Self> = file.values("levels")?;
                for level in &levels {
                    let level = level.read(&level.name);
                    level.map_err(|invalid| FileFault::whole(invalid.to_string()))?;
                }
                return Ok(levels);
            }
        }
        let level = Self { name, xml, json };
        level.read("level").map_err(|invalid| FileFault::whole(invalid.expected))?;
        Ok(vec![level])
    }
}

impl LevelParam {
    /// The most levels of a spec: reports of more would be of no use, and a spec of so many has
    /// half of the tokens that a spec may have.
    pub const MAX_LEVELS: usize = 1000;

    /// Reads the level at `key` of the spec. Also returns warnings about the parts that the reader
    /// skips.
    fn read(&self, key: &str) -> Result<(Level, Vec<XmlWarning>), InvalidValue> {
        let refuse = |form: &str, text: &str, expected: String| {
            let shown = format!("\"{}\"", excerpt(text.trim_start()));
            InvalidValue::new(format!("{key}.{form}"), &shown, expected)
        };
        let (form, text, read) = match (&self.xml, &self.json) {
            (Some(xml), None) => {
                let read = Level::read_xml(xml);
                let read = read.map_err(|error| format!("a level of Science Birds: {error}"));
                ("xml", xml, read)
            }
            (None, Some(json)) => {
                let read = Level::from_json(json).map(|level| (level, Vec::new()));
                let expected = |error| format!("the JSON of a level: {}", error_chain(&error));
                ("json", json, read.map_err(expected))
            }
            (xml, _) => {
                let found = if xml.is_some() { "both `xml` and `json`" } else { "a name only" };
                return Err(InvalidValue::new(key, found, "a name with either `xml` or `json`"));
            }
        };
        let (level, warnings) = read.map_err(|expected| refuse(form, text, expected))?;
        level.check_overlaps().map_err(|error| {
            refuse(form, text, format!("a level with fewer elements inside of each other: {error}"))
        })?;
        Ok((level, warnings))
    }
}

/// A level with a name that is unique in its run.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLevel {
    /// The name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The level.
    pub level: Level,
    /// The parts of the level file that are skipped.
    pub warnings: Vec<XmlWarning>,
}

/// Returns the levels of the parameter `levels`, in their order.
///
/// # Errors
/// If there are none or too many, a text is no level, or a name is not plain or there twice. The
/// key of the error is the place, such as `levels.0.xml`.
pub fn read_levels(params: &[LevelParam]) -> Result<Vec<NamedLevel>, InvalidValue> {
    if !(1..=LevelParam::MAX_LEVELS).contains(&params.len()) {
        let (found, most) = (format!("{} levels", params.len()), LevelParam::MAX_LEVELS);
        return Err(InvalidValue::new("levels", &found, format!("from 1 to {most} levels")));
    }
    let mut names = BTreeSet::new();
    let levels = params.iter().enumerate().map(|(idx, param)| {
        let name = &param.name;
        plain_name::take(&mut names, format!("levels.{idx}.name"), name, MAX_NAME, "levels")?;
        let key = format!("levels.{idx}");
        let (level, warnings) = param.read(&key)?;
        Ok(NamedLevel { name: name.clone(), level, warnings })
    });
    levels.collect()
}

/// Levels as the parameter `levels` of a spec, in TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelEntries {
    /// The text: the line `levels = [`, an entry for each level that fits, and `]`. If levels are
    /// left out, a comment before it says how many.
    pub toml: String,
    /// The number of levels that are left out.
    pub n_left_out: usize,
}

/// Returns the first of `levels` as a parameter of a spec of at most `max_bytes`: as many as fit,
/// and at most [`LevelParam::MAX_LEVELS`]. Names must be as in a spec. Less than 200 bytes may be
/// exceeded.
#[must_use]
pub fn level_entries<'a>(
    levels: impl IntoIterator<Item = (&'a str, &'a Level)>,
    max_bytes: usize,
) -> LevelEntries {
    /// The longest comment with the brackets.
    const FRAME_BYTES: usize = 200;
    let (mut entries, mut n, mut n_left_out) = (String::new(), 0, 0);
    for (name, level) in levels {
        // Nothing that a level's file has ends this kind of string.
        let entry = format!("  {{ name = \"{name}\", xml = '''\n{}''' }},\n", level.to_xml());
        let fits = FRAME_BYTES + entries.len() + entry.len() <= max_bytes;
        if n_left_out == 0 && fits && n < LevelParam::MAX_LEVELS {
            entries.push_str(&entry);
            n += 1;
        } else {
            n_left_out += 1;
        }
    }
    let comment = match n_left_out {
        0 => String::new(),
        _ => format!(
            "# The first {n} of {} levels: {n_left_out} are left out, as a spec holds no more.\n",
            n + n_left_out
        ),
    };
    LevelEntries { toml: format!("{comment}levels = [\n{entries}]\n"), n_left_out }
}
