//! Levels on the wire.

use hatchery_core::{DecodeError, MessageValue};

use crate::level::{
    BirdKind, BlockMaterial, BlockShape, Level, LevelBlock, LevelCamera, LevelElements, LevelError,
    LevelPig, LevelPlatform, LevelSurroundings, LevelTnt, PigKind, Pose,
};

/// A [`Level`] on the wire. Shapes, materials, pigs and birds are their indices among all of their
/// kind.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LevelMessage {
    #[prost(float, tag = "1")]
    width: f32,
    #[prost(float, tag = "2")]
    camera_x: f32,
    #[prost(float, tag = "3")]
    camera_y: f32,
    #[prost(float, tag = "4")]
    camera_min_width: f32,
    #[prost(float, tag = "5")]
    camera_max_width: f32,
    #[prost(float, tag = "6")]
    slingshot_x: f32,
    #[prost(float, tag = "7")]
    slingshot_y: f32,
    /// A byte for each bird.
    #[prost(bytes = "vec", tag = "8")]
    birds: Vec<u8>,
    #[prost(message, repeated, tag = "9")]
    blocks: Vec<BlockMessage>,
    #[prost(message, repeated, tag = "10")]
    pigs: Vec<PigMessage>,
    #[prost(message, repeated, tag = "11")]
    tnts: Vec<TntMessage>,
    #[prost(message, repeated, tag = "12")]
    platforms: Vec<PlatformMessage>,
}

/// A [`LevelBlock`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct BlockMessage {
    #[prost(uint32, tag = "1")]
    shape: u32,
    #[prost(uint32, tag = "2")]
    material: u32,
    #[prost(float, tag = "3")]
    x: f32,
    #[prost(float, tag = "4")]
    y: f32,
    #[prost(float, tag = "5")]
    degrees: f32,
}

/// A [`LevelPig`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct PigMessage {
    #[prost(uint32, tag = "1")]
    kind: u32,
    #[prost(float, tag = "2")]
    x: f32,
    #[prost(float, tag = "3")]
    y: f32,
    #[prost(float, tag = "4")]
    degrees: f32,
}

/// A [`LevelTnt`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct TntMessage {
    #[prost(float, tag = "1")]
    x: f32,
    #[prost(float, tag = "2")]
    y: f32,
    #[prost(float, tag = "3")]
    degrees: f32,
}

/// A [`LevelPlatform`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct PlatformMessage {
    #[prost(float, tag = "1")]
    x: f32,
    #[prost(float, tag = "2")]
    y: f32,
    #[prost(float, tag = "3")]
    degrees: f32,
    #[prost(float, tag = "4")]
    scale_x: f32,
    #[prost(float, tag = "5")]
    scale_y: f32,
}

impl MessageValue for Level {
    type Message = LevelMessage;

    fn to_message(&self) -> LevelMessage {
        let LevelSurroundings { width, camera, slingshot, birds } = self.surroundings();
        let LevelCamera { center: [camera_x, camera_y], widths } = *camera;
        let ([camera_min_width, camera_max_width], [slingshot_x, slingshot_y]) =
            (widths, *slingshot);
        let platform = |&LevelPlatform { pose: Pose { x, y, degrees }, scale }: &LevelPlatform| {
            let [scale_x, scale_y] = scale;
            PlatformMessage { x, y, degrees, scale_x, scale_y }
        };
        LevelMessage {
            width: *width,
            camera_x,
            camera_y,
            camera_min_width,
            camera_max_width,
            slingshot_x,
            slingshot_y,
            birds: birds.iter().map(|bird| *bird as u8).collect(),
            blocks: self.blocks().iter().map(BlockMessage::from).collect(),
            pigs: self.pigs().iter().map(PigMessage::from).collect(),
            tnts: self.tnts().iter().map(TntMessage::from).collect(),
            platforms: self.platforms().iter().map(platform).collect(),
        }
    }

    fn from_message(message: LevelMessage) -> Result<Self, DecodeError> {
        let LevelMessage { width, camera_x, camera_y, camera_min_width, camera_max_width, .. } =
            message;
        let camera = LevelCamera {
            center: [camera_x, camera_y],
            widths: [camera_min_width, camera_max_width],
        };
        let slingshot = [message.slingshot_x, message.slingshot_y];
        let birds = message.birds.into_iter().map(|bird| at("birds", bird.into(), &BirdKind::ALL));
        let birds = birds.collect::<Result<_, _>>()?;
        let blocks = message.blocks.into_iter().map(LevelBlock::try_from);
        let pigs = message.pigs.into_iter().map(LevelPig::try_from);
        let tnts = message
            .tnts
            .into_iter()
            .map(|TntMessage { x, y, degrees }| LevelTnt { pose: Pose { x, y, degrees } });
        let platforms = message.platforms.into_iter().map(|platform| {
            let PlatformMessage { x, y, degrees, scale_x, scale_y } = platform;
            LevelPlatform { pose: Pose { x, y, degrees }, scale: [scale_x, scale_y] }
        });
        let elements = LevelElements {
            blocks: blocks.collect::<Result<_, _>>()?,
            pigs: pigs.collect::<Result<_, _>>()?,
            tnts: tnts.collect(),
            platforms: platforms.collect(),
        };
        let surroundings = LevelSurroundings { width, camera, slingshot, birds };
        Self::new(surroundings, elements).map_err(|error| decode_error(&error))
    }
}

hatchery_core::message_value!(Level);

impl From<&LevelBlock> for BlockMessage {
    fn from(block: &LevelBlock) -> Self {
        let LevelBlock { shape, material, pose: Pose { x, y, degrees } } = *block;
        Self { shape: shape as u32, material: material as u32, x, y, degrees }
    }
}

impl TryFrom<BlockMessage> for LevelBlock {
    type Error = DecodeError;

    fn try_from(block: BlockMessage) -> Result<Self, DecodeError> {
        let BlockMessage { shape, material, x, y, degrees } = block;
        let shape = at("shape", shape, &BlockShape::ALL)?;
        let material = at("material", material, &BlockMaterial::ALL)?;
        Ok(Self { shape, material, pose: Pose { x, y, degrees } })
    }
}

impl From<&LevelPig> for PigMessage {
    fn from(pig: &LevelPig) -> Self {
        let LevelPig { kind, pose: Pose { x, y, degrees } } = *pig;
        Self { kind: kind as u32, x, y, degrees }
    }
}

impl TryFrom<PigMessage> for LevelPig {
    type Error = DecodeError;

    fn try_from(PigMessage { kind, x, y, degrees }: PigMessage) -> Result<Self, DecodeError> {
        let kind = at("kind", kind, &PigKind::ALL)?;
        Ok(Self { kind, pose: Pose { x, y, degrees } })
    }
}

impl From<&LevelTnt> for TntMessage {
    fn from(&LevelTnt { pose: Pose { x, y, degrees } }: &LevelTnt) -> Self {
        Self { x, y, degrees }
    }
}

/// Returns the item of `all` at the index in a field.
fn at<T: Copy>(field: &'static str, index: u32, all: &[T]) -> Result<T, DecodeError> {
    let item = usize::try_from(index).ok().and_then(|index| all.get(index).copied());
    item.ok_or_else(|| DecodeError::field(field, &index, format!("below {}", all.len())))
}

/// Returns the error for the field that makes a level impossible.
fn decode_error(error: &LevelError) -> DecodeError {
    match error {
        LevelError::TooManyElements { found } => {
            let expected = format!("at most {} elements together", Level::MAX_ELEMENTS);
            DecodeError::field("blocks", &format_args!("part of {found} elements"), expected)
        }
        LevelError::Birds { found } => {
            let expected = format!("from 1 to {}", LevelSurroundings::MAX_BIRDS);
            DecodeError::field("birds", &format_args!("a list of {found}"), expected)
        }
        LevelError::Width { found } => {
            let (low, high) = (LevelSurroundings::WIDTHS.start(), LevelSurroundings::WIDTHS.end());
            DecodeError::field("width", found, format!("a whole number from {low} to {high}"))
        }
        LevelError::OutOfRange { element, number, attribute, found, low, high } => {
            let found = format_args!("{found} in {element} {number}");
            DecodeError::field(attribute, &found, format!("from {low} to {high}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message of a level with one element of each kind.
    fn message() -> LevelMessage {
        let pose = Pose { x: 1.0, y: 2.0, degrees: 30.0 };
        let (shape, material) = (BlockShape::TriangleHole, BlockMaterial::Ice);
        let elements = LevelElements {
            blocks: vec![LevelBlock { shape, material, pose }],
            pigs: vec![LevelPig { kind: PigKind::Big, pose }],
            tnts: vec![LevelTnt { pose }],
            platforms: vec![LevelPlatform { pose, scale: [1.0, 2.0] }],
        };
        let level = Level::new(LevelSurroundings::with_red_birds(2), elements);
        level.expect("it is a level").to_message()
    }

    fn check(change: impl Fn(&mut LevelMessage), expected: &str) {
        let mut changed = message();
        assert!(Level::from_message(changed.clone()).is_ok());
        change(&mut changed);
        assert_eq!(Level::from_message(changed).unwrap_err().to_string(), expected);
    }

    #[test]
    fn messages_that_are_no_levels_are_refused() {
        check(|it| it.width = 2.5, "width is 2.5, but must be a whole number from 1 to 10");
        check(|it| it.width = f32::NAN, "width is NaN, but must be a whole number from 1 to 10");
        check(
            |it| it.camera_max_width = 0.0,
            "maxWidth is 0 in camera 1, but must be from 0.1 to 1000",
        );
        check(
            |it| it.slingshot_y = -300.0,
            "y is -300 in slingshot 1, but must be from -200 to 200",
        );
        check(|it| it.birds = vec![], "birds is a list of 0, but must be from 1 to 20");
        check(|it| it.birds = vec![0, 5], "birds is 5, but must be below 5");
        check(|it| it.blocks[0].shape = 12, "shape is 12, but must be below 12");
        check(|it| it.blocks[0].material = 3, "material is 3, but must be below 3");
        check(|it| it.pigs[0].kind = u32::MAX, "kind is 4294967295, but must be below 3");
        check(|it| it.tnts[0].x = f32::INFINITY, "x is inf in TNT 1, but must be from -200 to 200");
        check(
            |it| it.platforms[0].scale_x = 0.0,
            "scaleX is 0 in platform 1, but must be from 0.01 to 100",
        );
        let tnt = message().tnts[0];
        check(
            |it| it.tnts = vec![tnt; 1000],
            "blocks is part of 1003 elements, but must be at most 1000 elements together",
        );
    }

    /// Equal levels have equal bytes, whatever the signs of their zeros.
    #[test]
    fn zeros_have_no_sign() {
        let mut negative = message();
        (negative.tnts[0].x, negative.slingshot_x, negative.pigs[0].degrees) = (-0.0, -0.0, -0.0);
        let level = Level::from_message(negative).expect("it is a level");
        let numbers = [
            level.tnts()[0].pose.x,
            level.surroundings().slingshot[0],
            level.pigs()[0].pose.degrees,
        ];
        assert!(numbers.iter().all(|number| number.to_bits() == 0));
    }
}
