//! Levels as JSON.

use hatchery_core::text::excerpt;
use serde::{Deserialize, Deserializer};

use super::decimal::Decimal;
use super::error::MAX_TEXT_BYTES;
use super::{
    BirdKind, BlockMaterial, BlockShape, Level, LevelBlock, LevelCamera, LevelElements, LevelError,
    LevelPig, LevelPlatform, LevelSurroundings, LevelTnt, PigKind, Pose,
};

/// The value of the key `format`.
const FORMAT: &str = "hatchery-birds-level";

/// The value of the key `version`.
const VERSION: u64 = 1;

/// The reason why a text is no level in JSON.
#[derive(Debug, thiserror::Error)]
pub enum LevelJsonError {
    /// The text is longer than any level.
    #[error("{n_bytes} bytes, but a level has at most {MAX_TEXT_BYTES}")]
    TooLong {
        /// The number of bytes.
        n_bytes: usize,
    },
    /// The text is no JSON, or JSON of another shape; the source has line and column.
    #[error("it cannot be read")]
    Json(#[from] serde_json::Error),
    /// The text has another format.
    #[error("`format` is `{found}` instead of `{FORMAT}`")]
    Format {
        /// The format that it names, shortened.
        found: String,
    },
    /// The text has an unsupported version.
    #[error("`version` is {found}; this program reads version {VERSION}")]
    Version {
        /// The version that it names.
        found: u64,
    },
    /// The text says something that is no level, such as a place far from the ground.
    #[error(transparent)]
    Level(#[from] LevelError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelDocument {
    format: String,
    version: u64,
    width: f32,
    camera: CameraDocument,
    slingshot: PlaceDocument,
    #[serde(deserialize_with = "birds")]
    birds: Vec<BirdKind>,
    blocks: Vec<BlockDocument>,
    pigs: Vec<PigDocument>,
    tnts: Vec<PoseDocument>,
    platforms: Vec<PlatformDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraDocument {
    x: f32,
    y: f32,
    min_width: f32,
    max_width: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceDocument {
    x: f32,
    y: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseDocument {
    x: f32,
    y: f32,
    degrees: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockDocument {
    #[serde(deserialize_with = "shape")]
    shape: BlockShape,
    #[serde(deserialize_with = "material")]
    material: BlockMaterial,
    x: f32,
    y: f32,
    degrees: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PigDocument {
    #[serde(deserialize_with = "pig")]
    kind: PigKind,
    x: f32,
    y: f32,
    degrees: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlatformDocument {
    x: f32,
    y: f32,
    degrees: f32,
    scale_x: f32,
    scale_y: f32,
}

/// Returns the thing with this name among all of its kind, which is called `what`.
fn named<T: Copy, E: serde::de::Error>(
    found: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    what: &str,
) -> Result<T, E> {
    all.iter().copied().find(|item| name(*item) == found).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|item| name(*item)).collect();
        let (found, names) = (excerpt(found), names.join(", "));
        E::custom(format_args!("unknown {what} `{found}`; use one of {names}"))
    })
}

fn shape<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BlockShape, D::Error> {
    let found = String::deserialize(deserializer)?;
    named(&found, &BlockShape::ALL, BlockShape::name, "shape")
}

fn material<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BlockMaterial, D::Error> {
    let found = String::deserialize(deserializer)?;
    named(&found, &BlockMaterial::ALL, BlockMaterial::name, "material")
}

fn pig<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PigKind, D::Error> {
    let found = String::deserialize(deserializer)?;
    named(&found, &PigKind::ALL, PigKind::name, "pig")
}

fn birds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<BirdKind>, D::Error> {
    let found = Vec::<String>::deserialize(deserializer)?;
    found.iter().map(|bird| named(bird, &BirdKind::ALL, BirdKind::name, "bird")).collect()
}

impl Level {
    /// Returns the level as JSON, with a line for each element and numbers that come back to the
    /// last bit:
    ///
    /// ```json
    /// {
    ///   "format": "hatchery-birds-level",
    ///   "version": 1,
    ///   "width": 2.0,
    ///   "camera": {"x": 0.0, "y": 2.0, "min_width": 20.0, "max_width": 30.0},
    ///   "slingshot": {"x": -8.0, "y": -2.5},
    ///   "birds": ["BirdRed"],
    ///   "blocks": [
    ///     {"shape": "RectBig", "material": "wood", "x": 4.5, "y": -3.39, "degrees": 0.0}
    ///   ],
    ///   "pigs": [
    ///     {"kind": "BasicSmall", "x": 4.5, "y": -3.045, "degrees": 0.0}
    ///   ],
    ///   "tnts": [],
    ///   "platforms": [
    ///     {"x": 0.0, "y": 1.0, "degrees": 0.0, "scale_x": 2.0, "scale_y": 1.0}
    ///   ]
    /// }
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let LevelSurroundings { width, camera, slingshot, birds } = &self.surroundings;
        let [width, x, y] = [*width, camera.center[0], camera.center[1]].map(Decimal);
        let ([least, most], [sling_x, sling_y]) =
            (camera.widths.map(Decimal), slingshot.map(Decimal));
        let birds: Vec<_> = birds.iter().map(|bird| format!("\"{}\"", bird.name())).collect();
        let blocks = self.blocks().iter().map(|LevelBlock { shape, material, pose }| {
            let (shape, material, pose) = (shape.name(), material.name(), pose_keys(pose));
            format!("\"shape\": \"{shape}\", \"material\": \"{material}\", {pose}")
        });
        let pigs = self.pigs().iter().map(|LevelPig { kind, pose }| {
            format!("\"kind\": \"{}\", {}", kind.name(), pose_keys(pose))
        });
        let platforms = self.platforms().iter().map(|LevelPlatform { pose, scale }| {
            let (pose, [x, y]) = (pose_keys(pose), scale.map(Decimal));
            format!("{pose}, \"scale_x\": {x}, \"scale_y\": {y}")
        });
        let lines = [
            format!("\"format\": \"{FORMAT}\""),
            format!("\"version\": {VERSION}"),
            format!("\"width\": {width}"),
            format!(
                "\"camera\": {{\"x\": {x}, \"y\": {y}, \"min_width\": {least}, \
                 \"max_width\": {most}}}"
            ),
            format!("\"slingshot\": {{\"x\": {sling_x}, \"y\": {sling_y}}}"),
            format!("\"birds\": [{}]", birds.join(", ")),
            list("blocks", blocks),
            list("pigs", pigs),
            list("tnts", self.tnts().iter().map(|tnt| pose_keys(&tnt.pose))),
            list("platforms", platforms),
        ];
        format!("{{\n  {}\n}}\n", lines.join(",\n  "))
    }

    /// Reads the JSON that [`to_json`](Self::to_json) writes, with any white space.
    ///
    /// # Errors
    /// If the text is no such JSON: keys that are unknown, missing or there twice, unknown words,
    /// or numbers out of their range.
    pub fn from_json(text: &str) -> Result<Self, LevelJsonError> {
        if MAX_TEXT_BYTES < text.len() {
            return Err(LevelJsonError::TooLong { n_bytes: text.len() });
        }
        let document: LevelDocument = serde_json::from_str(text)?;
        if document.format != FORMAT {
            return Err(LevelJsonError::Format { found: excerpt(&document.format) });
        }
        if document.version != VERSION {
            return Err(LevelJsonError::Version { found: document.version });
        }
        let (surroundings, elements) = document.into_parts();
        Ok(Self::new(surroundings, elements)?)
    }
}

impl LevelDocument {
    fn into_parts(self) -> (LevelSurroundings, LevelElements) {
        let CameraDocument { x, y, min_width, max_width } = self.camera;
        let surroundings = LevelSurroundings {
            width: self.width,
            camera: LevelCamera { center: [x, y], widths: [min_width, max_width] },
            slingshot: [self.slingshot.x, self.slingshot.y],
            birds: self.birds,
        };
        let blocks = self.blocks.into_iter().map(|block| {
            let BlockDocument { shape, material, x, y, degrees } = block;
            LevelBlock { shape, material, pose: Pose { x, y, degrees } }
        });
        let pigs = self.pigs.into_iter().map(|PigDocument { kind, x, y, degrees }| LevelPig {
            kind,
            pose: Pose { x, y, degrees },
        });
        let tnts = self
            .tnts
            .into_iter()
            .map(|PoseDocument { x, y, degrees }| LevelTnt { pose: Pose { x, y, degrees } });
        let platforms = self.platforms.into_iter().map(|platform| {
            let PlatformDocument { x, y, degrees, scale_x, scale_y } = platform;
            LevelPlatform { pose: Pose { x, y, degrees }, scale: [scale_x, scale_y] }
        });
        let elements = LevelElements {
            blocks: blocks.collect(),
            pigs: pigs.collect(),
            tnts: tnts.collect(),
            platforms: platforms.collect(),
        };
        (surroundings, elements)
    }
}

/// Returns the key `name` with a list of objects, each on a line.
fn list(name: &str, objects: impl Iterator<Item = String>) -> String {
    let objects: Vec<_> = objects.map(|keys| format!("    {{{keys}}}")).collect();
    match objects.as_slice() {
        [] => format!("\"{name}\": []"),
        objects => format!("\"{name}\": [\n{}\n  ]", objects.join(",\n")),
    }
}

fn pose_keys(pose: &Pose) -> String {
    let [x, y, degrees] = [pose.x, pose.y, pose.degrees].map(Decimal);
    format!("\"x\": {x}, \"y\": {y}, \"degrees\": {degrees}")
}
