//! The maps in a spec.

use std::collections::BTreeSet;

use hatchery_core::spec::{FileFault, FileValue, FromFile, SpecFile};
use hatchery_core::text::{excerpt, is_plain, is_plain_name};
use hatchery_core::{GenerationSeed, InvalidValue, StreamRng, error_chain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::map::{Map, MapFile, MapPolicy, catanatron, catanlog};

/// The longest name, in characters.
const MAX_NAME: usize = 80;

/// A map by its name or in full, optionally with a name of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MapParam {
    /// `rulebook`, `tournament`, the line of a map, a map file or Catanatron map (JSON), or the
    /// header of a catanlog file.
    Text(String),
    /// A map with a name for reports.
    Named(NamedMapParam),
}

/// A map with a name for reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedMapParam {
    /// The name: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// `rulebook`, `tournament`, the line of a map, a map file or Catanatron map (JSON), or the
    /// header of a catanlog file.
    pub map: FileValue<String>,
}

/// A file is a map file or a Catanatron map (JSON), a catanlog file, of which only the header is
/// read, has the line of a map on each line that is not empty, or is TOML or JSON with a list of
/// maps as in a spec. Maps without a name are called as their file; where it has several, with the
/// number of the line or of the map.
impl FromFile for MapParam {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        if file.text.trim().is_empty() {
            return Err(FileFault::whole("is empty, but must have a map"));
        }
        if let Some(listed) = listed(file) {
            return Self::from_list(&file.plain_name(), listed?);
        }
        let file_name = file.plain_name();
        let named = |name: String, text: &str| {
            Self::Named(NamedMapParam { name, map: FileValue::from(text.to_owned()) })
        };
        let lines: Vec<_> = file.lines().collect();
        let whole = match lines[..] {
            _ if file.text.trim_start().starts_with('{') => Some((1, file.text.as_str())),
            _ if catanlog::is_log(&file.text) => Some((1, catanlog::header(&file.text))),
            [] => Some((1, "")),
            [only] => Some(only),
            _ => None,
        };
        if let Some((line, text)) = whole {
            read_map(text).map_err(|problem| FileFault::at(line, problem))?;
            return Ok(vec![named(file_name, text)]);
        }
        let map = |(line, text): (usize, &str)| {
            read_map(text).map_err(|problem| FileFault::at(line, problem))?;
            Ok(named(format!("{file_name}-{line}"), text))
        };
        lines.into_iter().map(map).collect()
    }
}

impl MapParam {
    /// Checks the maps of a list in the file `file_name`, and names those without a name.
    fn from_list(file_name: &str, listed: Vec<Self>) -> Result<Vec<Self>, FileFault> {
        let n_maps = listed.len();
        let map = |(number, param): (usize, Self)| {
            let (name, map) = match param {
                Self::Named(NamedMapParam { name, map }) => (name, map),
                Self::Text(text) if n_maps == 1 => (file_name.to_owned(), FileValue::from(text)),
                Self::Text(text) => (format!("{file_name}-{number}"), FileValue::from(text)),
            };
            match read_map(&map) {
                Ok(_) => Ok(Self::Named(NamedMapParam { name, map })),
                Err(problem) => Err(FileFault::whole(format!("map {number}: {problem}"))),
            }
        };
        (1..).zip(listed).map(map).collect()
    }
}

/// Returns the maps of a file that is a list of maps, or a spec with one; `None` if it is a map
/// file, or has lines of maps.
fn listed(file: &SpecFile) -> Option<Result<Vec<MapParam>, FileFault>> {
    let json: Result<Json, _> = serde_json::from_str(&file.text);
    if let Err(error) = &json
        && (file.name.ends_with(".json") || file.text.trim_start().starts_with('['))
    {
        return Some(Err(FileFault::at(error.line(), format!("no JSON: {error}"))));
    }
    let list = match json.ok() {
        Some(Json::Array(maps)) => list_of_texts(&maps),
        Some(Json::String(map)) => list_of_texts(&[map.into()]),
        Some(Json::Object(spec)) => {
            let of_params = spec.get("params").and_then(|params| params.get("maps"));
            match of_params.or_else(|| spec.get("maps")) {
                Some(Json::Array(maps)) => list_of_texts(maps),
                _ => spec.contains_key("map").then(|| file.text.clone())?,
            }
        }
        Some(_) => return None,
        None if file.name.ends_with(".toml") => file.text.clone(),
        None => return None,
    };
    Some(SpecFile { name: file.name.clone(), text: list }.values("maps"))
}

/// Returns a list that shows map files as texts, as they are in a spec.
fn list_of_texts(maps: &[Json]) -> String {
    let as_text = |map: &Json| match map.as_object() {
        Some(object) if !object.contains_key("map") => map.to_string().into(),
        _ => map.clone(),
    };
    Json::Array(maps.iter().map(as_text).collect()).to_string()
}

/// Maps drawn from the run's seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomMaps {
    /// The policy that the maps are drawn from.
    #[schemars(extend("x-source" = "Hwang & Kaneko: free"))]
    pub policy: MapPolicy,
    /// The number of maps.
    #[schemars(range(min = 1, max = 10_000))]
    pub count: u32,
}

/// A map with a name that is unique in its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedMap {
    /// The name: letters, digits, `-`, `_` and `.`.
    pub(crate) name: String,
    /// The group of maps of the same origin: the map's own name, or the policy.
    pub(crate) group: String,
    pub(crate) map: Map,
}

/// The most maps of a run: a report of more would be of no use.
const MOST_MAPS: usize = 20_000;

/// The source of a map's name.
#[derive(Clone, Debug)]
enum NameSource {
    /// The spec: the name is taken or refused.
    Spec(String),
    /// The map's file: the name is taken if possible.
    File(String),
    /// There is no name.
    Nameless,
}

impl MapParam {
    /// Reads the map at `key` of the spec.
    fn read(&self, key: &str) -> Result<(NameSource, Map), InvalidValue> {
        let (text, key) = match self {
            Self::Text(text) => (text.as_str(), key.to_owned()),
            Self::Named(NamedMapParam { map, .. }) => (map.as_str(), format!("{key}.map")),
        };
        let (naming, map) = read_map(text).map_err(|problem| {
            let shown = format!("\"{}\"", excerpt(text));
            InvalidValue::new(
                key,
                &shown,
                format!(
                    "`rulebook`, `tournament`, the line of a map, or a map file, Catanatron map \
                     or catanlog header as text: {problem}"
                ),
            )
        })?;
        Ok(match self {
            Self::Named(NamedMapParam { name, .. }) => (NameSource::Spec(name.clone()), map),
            Self::Text(_) => (naming, map),
        })
    }
}

/// Returns the `given` maps, then the maps of `random`, in their order. The maps of `random` are
/// drawn from a stream of `seed`.
pub(crate) fn read_maps(
    given: &[MapParam],
    random: &[RandomMaps],
    seed: &GenerationSeed,
) -> Result<Vec<NamedMap>, InvalidValue> {
    let drawn: usize = random.iter().map(|random| random.count as usize).sum();
    if !(1..=MOST_MAPS).contains(&(given.len() + drawn)) {
        let found = given.len() + drawn;
        let expected = format!("from 1 to {MOST_MAPS} maps together with `random`");
        return Err(InvalidValue::new("maps", &format!("{found} maps"), expected));
    }
    let keyed = given.iter().enumerate().map(|(idx, param)| param.read(&format!("maps.{idx}")));
    let mut maps = named(keyed.collect::<Result<_, _>>()?)?;
    let mut rng = seed.stream("maps");
    for (idx, RandomMaps { policy, count }) in random.iter().enumerate() {
        if random[..idx].iter().any(|other| other.policy == *policy) {
            return Err(InvalidValue::new(
                format!("random.{idx}.policy"),
                policy.name(),
                "another policy than those before",
            ));
        }
        maps.extend(draw_all(*policy, *count, &mut rng));
    }
    Ok(maps)
}

/// Draws `count` maps of `policy`.
fn draw_all(policy: MapPolicy, count: u32, rng: &mut StreamRng) -> impl Iterator<Item = NamedMap> {
    let group = policy.name().to_owned();
    (1..=count).map(move |number| NamedMap {
        name: format!("{group}-{number}"),
        group: group.clone(),
        map: policy.draw(rng),
    })
}

/// Reads a map and its name from `text`.
fn read_map(text: &str) -> Result<(NameSource, Map), String> {
    let named = |name: &str, map| Ok((NameSource::Spec(name.to_owned()), map));
    // Some editors start a file with a byte order mark.
    match text.trim_start_matches('\u{feff}').trim() {
        "rulebook" => named("rulebook", Map::RULEBOOK),
        "tournament" => named("tournament", tournament()),
        json if json.starts_with('{') => {
            let file = MapFile::from_json(json);
            // A Catanatron map has no `format`; a text with one is meant to be a map file.
            match file {
                Err(_) if !json.contains("\"format\"") => match catanatron::read(json) {
                    Ok(map) => Ok((NameSource::Nameless, map)),
                    Err(error) => Err(error_chain(&error)),
                },
                Err(error) => Err(error_chain(&error)),
                Ok(MapFile { name, map, .. }) => {
                    let name = name.as_deref().and_then(plain_name);
                    Ok((name.map_or(NameSource::Nameless, NameSource::File), map))
                }
            }
        }
        log if catanlog::is_log(log) => match catanlog::read(log) {
            Ok(map) => Ok((NameSource::Nameless, map)),
            Err(error) => Err(error_chain(&error)),
        },
        line => match line.parse() {
            Ok(map) => Ok((NameSource::Nameless, map)),
            Err(error) => Err(error_chain(&error)),
        },
    }
}

fn tournament() -> Map {
    MapFile::from_json(MapFile::TOURNAMENT).expect("the map that ships is one").map
}

/// Returns `name` in a form that measures allow: other characters become `-`; none if nothing is
/// left.
fn plain_name(name: &str) -> Option<String> {
    let words = name.split(|c| !is_plain(c)).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    (!joined.is_empty()).then_some(joined)
}

/// Gives the maps unique names. Names from the spec are taken first, then names from files if they
/// are free. Every other map is named `map-` and its position in the list.
fn named(maps: Vec<(NameSource, Map)>) -> Result<Vec<NamedMap>, InvalidValue> {
    let mut taken = BTreeSet::new();
    for (idx, (naming, _)) in maps.iter().enumerate() {
        let NameSource::Spec(name) = naming else { continue };
        let refuse = |expected: &str| {
            InvalidValue::new(
                format!("maps.{idx}.name"),
                &format!("\"{}\"", excerpt(name)),
                expected,
            )
        };
        if !is_plain_name(name, MAX_NAME) {
            return Err(refuse("1 to 80 letters, digits, `-`, `_` or `.`"));
        }
        if is_reserved(name) {
            return Err(refuse("unlike the names of policies, `free-1` or `map-1`"));
        }
        if !taken.insert(name.clone()) {
            return Err(refuse("unlike the names of the maps before"));
        }
    }
    let mut name = |(naming, place)| match naming {
        NameSource::Spec(name) => name,
        NameSource::File(name)
            if is_plain_name(&name, MAX_NAME)
                && !is_reserved(&name)
                && taken.insert(name.clone()) =>
        {
            name
        }
        NameSource::File(_) | NameSource::Nameless => format!("map-{place}"),
    };
    let numbered = maps.into_iter().zip(1_usize..);
    let named = numbered.map(|((naming, map), place)| {
        let name = name((naming, place));
        NamedMap { group: name.clone(), name, map }
    });
    Ok(named.collect())
}

/// Returns true if the name is reserved for a drawn map, the maps of a policy, or a map without a
/// name.
fn is_reserved(name: &str) -> bool {
    let groups = MapPolicy::ALL.iter().map(|policy| policy.name());
    let is_numbered = |rest: &str| {
        let number = rest.strip_prefix('-');
        number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    };
    groups.chain(["map"]).any(|group| {
        name.strip_prefix(group).is_some_and(|rest| rest.is_empty() || is_numbered(rest))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the names of the maps in a file, or what is wrong with it.
    fn names(file_name: &str, text: &str) -> Result<Vec<String>, String> {
        let file = SpecFile { name: file_name.to_owned(), text: text.to_owned() };
        let maps = MapParam::from_file(&file).map_err(|fault| fault.to_string())?;
        let name = |map: &MapParam| match map {
            MapParam::Named(NamedMapParam { name, map }) => {
                read_map(map).unwrap();
                name.clone()
            }
            MapParam::Text(text) => panic!("{text} has no name"),
        };
        Ok(maps.iter().map(name).collect())
    }

    #[test]
    fn maps_are_read_from_files_of_every_form() {
        let line = Map::RULEBOOK.to_string();
        let whole: Json = serde_json::from_str(MapFile::RULEBOOK).unwrap();
        let lines = format!("# mine\n{line} # the first\n\n{line}\n");
        assert_eq!(names("a.txt", &lines).unwrap(), ["a.txt-2", "a.txt-4"]);
        assert_eq!(names("a.txt", &format!("{line} # alone")).unwrap(), ["a.txt"]);
        assert_eq!(names("a.json", MapFile::RULEBOOK).unwrap(), ["a.json"]);
        let named = json!({ "name": "mine", "map": line });
        let list = json!([line, named, whole]);
        for json in [list.clone(), json!({ "maps": list }), json!({ "params": { "maps": list } })] {
            let found = names("a.json", &json.to_string());
            assert_eq!(found.unwrap(), ["a.json-1", "mine", "a.json-3"], "{json}");
        }
        assert_eq!(names("a.json", &json!(line).to_string()).unwrap(), ["a.json"]);
        assert_eq!(names("a.json", &named.to_string()).unwrap(), ["mine"]);
        let log = format!("catanlog v0.10.0\nplayers: 4\n{}", catanlog::write(&Map::RULEBOOK));
        for log in [format!("{log}...CATAN!\nred rolls 8\n"), log] {
            assert_eq!(names("a.catan", &log).unwrap(), ["a.catan"]);
            let maps = json!([log, { "name": "mine", "map": log }]).to_string();
            assert_eq!(names("a.json", &maps).unwrap(), ["a.json-1", "mine"]);
        }
        let toml = format!("maps = ['{line}', {{ name = 'mine', map = '{line}' }}]");
        assert_eq!(names("a.toml", &toml).unwrap(), ["a.toml-1", "mine"]);
    }

    #[test]
    fn faults_in_files_have_a_place() {
        let line = Map::RULEBOOK.to_string();
        let wrong = json!([line, "GSW"]).to_string();
        let log = catanlog::write(&Map::RULEBOOK);
        let (no_ports, _) = log.split_once("ports:").unwrap();
        let no_number = log.replacen("numbers: ", "numbers: x ", 1);
        for (file, text, part) in [
            ("a.txt", "\nGSW", "line 2: "),
            ("a.catan", no_ports, "line `ports:` is missing"),
            ("a.catan", no_number.as_str(), "20 words after `numbers:` instead of 19"),
            ("a.catan", "catanlog v0.10.0\n...CATAN!\n", "line `terrain:` is missing"),
            ("a.json", wrong.as_str(), "map 2: "),
            ("a.json", "{\"tiles\": 7}", "line 1: "),
            ("a.json", "[7]", "0 is 7, but must be a string or a table"),
            ("a.txt", "\n", "is empty"),
            ("a.json", "[1,\n2", "line 2: no JSON: EOF"),
            ("a.txt", "[1,\n2", "line 2: no JSON: EOF"),
        ] {
            let said = names(file, text).unwrap_err();
            assert!(said.contains(part), "{said}");
        }
    }
}
