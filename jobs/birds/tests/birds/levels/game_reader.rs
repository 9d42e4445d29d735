//! An emulation of how Science Birds reads level files, down to its quirks: it looks for elements
//! in a stream of nodes, and in lists it skips a node, takes the next for an element, and so on.

use std::collections::BTreeMap;

use hatchery_birds::level::{
    BirdKind, BlockMaterial, BlockShape, Level, LevelBlock, LevelCamera, LevelElements, LevelPig,
    LevelPlatform, LevelSurroundings, LevelTnt, PigKind, Pose,
};

/// A node of the stream.
#[derive(Clone, Debug, PartialEq)]
enum Node<'a> {
    Declaration,
    Comment,
    Text(&'a str),
    Start { name: &'a str, attributes: BTreeMap<&'a str, &'a str> },
    End { name: &'a str },
}

/// The nodes behind a place of the text.
struct NodeStream<'a>(&'a str);

/// Returns the level as the game reads it.
pub(crate) fn load(text: &str) -> Result<Level, String> {
    let mut nodes = NodeStream(text);
    let level = nodes.following("Level")?;
    let width = level.get("width").map_or(Ok(1), |width| width.parse::<i32>());
    let camera = nodes.following("Camera")?;
    let [x, y] = [number(&camera, "x")?, number(&camera, "y")?];
    let widths = [number(&camera, "minWidth")?, number(&camera, "maxWidth")?];
    nodes.following("Birds")?;
    let mut birds = Vec::new();
    nodes.list("Birds", |name, attributes| {
        assert_eq!(name, "Bird");
        birds.push(known(attributes, "type", BirdKind::from_name)?);
        Ok(())
    })?;
    let sling = nodes.following("Slingshot")?;
    let slingshot = [number(&sling, "x")?, number(&sling, "y")?];
    nodes.following("GameObjects")?;
    let mut elements = LevelElements::default();
    nodes.list("GameObjects", |name, attributes| add(&mut elements, name, attributes))?;
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let width = width.map_err(|error| format!("width: {error}"))? as f32;
    let camera = LevelCamera { center: [x, y], widths };
    let surroundings = LevelSurroundings { width, camera, slingshot, birds };
    Level::new(surroundings, elements).map_err(|error| error.to_string())
}

fn add(
    elements: &mut LevelElements,
    name: &str,
    attributes: &BTreeMap<&str, &str>,
) -> Result<(), String> {
    let optional = |name, default| {
        if attributes.contains_key(name) { number(attributes, name) } else { Ok(default) }
    };
    let degrees = optional("rotation", 0.0)?;
    let pose = Pose { x: number(attributes, "x")?, y: number(attributes, "y")?, degrees };
    match name {
        "Block" => {
            let shape = known(attributes, "type", BlockShape::from_name)?;
            let material = known(attributes, "material", BlockMaterial::from_name)?;
            elements.blocks.push(LevelBlock { shape, material, pose });
        }
        "Pig" => {
            let kind = known(attributes, "type", PigKind::from_name)?;
            elements.pigs.push(LevelPig { kind, pose });
        }
        "TNT" => elements.tnts.push(LevelTnt { pose }),
        "Platform" => {
            let scale = [optional("scaleX", 1.0)?, optional("scaleY", 1.0)?];
            elements.platforms.push(LevelPlatform { pose, scale });
        }
        other => return Err(format!("no object: {other:?}")),
    }
    Ok(())
}

fn known<T>(
    attributes: &BTreeMap<&str, &str>,
    name: &str,
    from_name: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    let value = attributes.get(name).ok_or_else(|| format!("no {name}"))?;
    from_name(value).ok_or_else(|| format!("no {name}: {value}"))
}

/// Reads a number as every culture that has a decimal point does: without an exponent.
fn number(attributes: &BTreeMap<&str, &str>, name: &str) -> Result<f32, String> {
    let value = attributes.get(name).ok_or_else(|| format!("no {name}"))?;
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let unsigned = value.strip_prefix('-').unwrap_or(value);
    match unsigned.split_once('.').unwrap_or((unsigned, "0")) {
        (whole, fraction) if is_digits(whole) && is_digits(fraction) => {
            value.parse().map_err(|_| format!("{name}: {value}"))
        }
        _ => Err(format!("{name}: {value}")),
    }
}

impl<'a> NodeStream<'a> {
    /// Moves to the next element `name` and returns its attributes.
    fn following(&mut self, name: &str) -> Result<BTreeMap<&'a str, &'a str>, String> {
        loop {
            match self.read()? {
                Node::Start { name: found, attributes } if found == name => return Ok(attributes),
                _ => {}
            }
        }
    }

    /// Skips a node and reads the next as an element, up to one with the name of the list.
    fn list(
        &mut self,
        list: &str,
        mut element: impl FnMut(&str, &BTreeMap<&str, &str>) -> Result<(), String>,
    ) -> Result<(), String> {
        loop {
            self.read()?;
            match self.read()? {
                Node::End { name } | Node::Start { name, .. } if name == list => return Ok(()),
                Node::Start { name, attributes } => element(name, &attributes)?,
                other => return Err(format!("no element: {other:?}")),
            }
        }
    }

    /// Returns the next node.
    fn read(&mut self) -> Result<Node<'a>, String> {
        let rest = self.0;
        let end_of = |end: &str| {
            let at = rest.find(end).ok_or_else(|| format!("no {end}"))?;
            Ok::<_, String>(at + end.len())
        };
        let (node, n_bytes) = if rest.is_empty() {
            return Err("the text has ended".to_owned());
        } else if rest.starts_with("<?") {
            (Node::Declaration, end_of("?>")?)
        } else if rest.starts_with("<!--") {
            (Node::Comment, end_of("-->")?)
        } else if let Some(tag) = rest.strip_prefix("</") {
            let n_bytes = end_of(">")?;
            (Node::End { name: tag[..n_bytes - 3].trim_end() }, n_bytes)
        } else if let Some(tag) = rest.strip_prefix('<') {
            let n_bytes = end_of(">")?;
            (start(tag[..n_bytes - 2].trim_end_matches('/'))?, n_bytes)
        } else {
            let n_bytes = rest.find('<').unwrap_or(rest.len());
            (Node::Text(&rest[..n_bytes]), n_bytes)
        };
        self.0 = &rest[n_bytes..];
        Ok(node)
    }
}

/// Returns the element of a tag without its brackets.
fn start(tag: &str) -> Result<Node<'_>, String> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = BTreeMap::new();
    while !rest.trim().is_empty() {
        let (key, behind) = rest.split_once("=\"").ok_or_else(|| format!("no value: {rest}"))?;
        let (value, behind) = behind.split_once('"').ok_or_else(|| format!("no end: {rest}"))?;
        attributes.insert(key.trim(), value);
        rest = behind;
    }
    Ok(Node::Start { name, attributes })
}
