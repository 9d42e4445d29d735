//! The reader.

use super::error::{LevelXmlError, XmlFault};
use super::scanner::{OpenTag, TagForm, XmlScanner, XmlTag};
use crate::level::element::check_pose;
use crate::level::{
    BirdKind, BlockMaterial, BlockShape, Level, LevelBlock, LevelCamera, LevelElements, LevelError,
    LevelPig, LevelPlatform, LevelSurroundings, LevelTnt, PigKind, Pose,
};
use hatchery_core::text::excerpt;

const NUMBER: &str = "a finite number";
const BIRDS: &str = "BirdRed, BirdBlue, BirdYellow, BirdBlack or BirdWhite";
const MATERIALS: &str = "wood, stone or ice";
const PIGS: &str = "BasicSmall, BasicMedium or BasicBig";
const PLATFORM: &str = "Platform";
const SHAPES: &str = "Circle, CircleSmall, RectBig, RectFat, RectMedium, RectSmall, RectTiny, \
                      SquareHole, SquareSmall, SquareTiny, Triangle or TriangleHole";

/// A place in the text, and the elements before it that are still to be closed.
struct LevelReader<'a> {
    scanner: XmlScanner<'a>,
    /// Those of Camera and Slingshot that nothing has closed yet, which is allowed.
    unclosed: Vec<&'static str>,
}

/// A tag that opens an element with a known name.
struct KnownTag<'a> {
    name: &'static str,
    tag: OpenTag<'a>,
}

pub(super) fn read(text: &str) -> Result<Level, LevelXmlError> {
    if Level::MAX_TEXT_BYTES < text.len() {
        return Err(XmlFault::TooLong { n_bytes: text.len() }.at(1));
    }
    let scanner = XmlScanner::new(text)?;
    LevelReader { scanner, unclosed: Vec::new() }.level()
}

impl<'a> LevelReader<'a> {
    /// Reads the whole text.
    fn level(mut self) -> Result<Level, LevelXmlError> {
        let level = self.open("Level")?;
        let width = level.number_or("width", 1.0)?;
        if level.tag.form == TagForm::Closed {
            return Err(XmlFault::Ended { expected: "`<Camera`".to_owned() }.at(level.tag.line));
        }
        let camera = self.single("Camera")?;
        let [x, y, least, most] = camera.numbers(["x", "y", "minWidth", "maxWidth"])?;
        let list = self.open("Birds")?;
        let birds = self.birds(&list)?;
        let sling = self.single("Slingshot")?;
        let slingshot = sling.numbers(["x", "y"])?;
        let camera_view = LevelCamera { center: [x, y], widths: [least, most] };
        let surroundings = LevelSurroundings { width, camera: camera_view, slingshot, birds };
        surroundings.check().map_err(|error| {
            let line = match &error {
                LevelError::Birds { .. } => list.tag.line,
                LevelError::OutOfRange { element: "camera", .. } => camera.tag.line,
                LevelError::OutOfRange { element: "slingshot", .. } => sling.tag.line,
                _ => level.tag.line,
            };
            XmlFault::Level(error).at(line)
        })?;
        let list = self.open("GameObjects")?;
        let elements = self.elements(&list)?;
        self.end()?;
        Level::new(surroundings, elements).map_err(|error| XmlFault::Level(error).at(list.tag.line))
    }

    /// Reads up to `</Birds>`.
    fn birds(&mut self, list: &KnownTag<'a>) -> Result<Vec<BirdKind>, LevelXmlError> {
        let mut birds = Vec::new();
        while let Some(tag) = self.item(list, &["Bird"])? {
            birds.push(tag.named("type", BirdKind::from_name, BIRDS)?);
            // More are an error, and need no place.
            if LevelSurroundings::MAX_BIRDS < birds.len() {
                return Err(tag.level_error(LevelError::Birds { found: birds.len() }));
            }
        }
        Ok(birds)
    }

    /// Reads up to `</GameObjects>`.
    fn elements(&mut self, list: &KnownTag<'a>) -> Result<LevelElements, LevelXmlError> {
        let mut elements = LevelElements::default();
        let mut found = 0;
        while let Some(tag) = self.item(list, &["Block", "Pig", "TNT", "Platform"])? {
            found += 1;
            if Level::MAX_ELEMENTS < found {
                return Err(tag.level_error(LevelError::TooManyElements { found }));
            }
            tag.read_into(&mut elements)?;
        }
        Ok(elements)
    }

    /// Reads what may follow `</GameObjects>`.
    fn end(&mut self) -> Result<(), LevelXmlError> {
        match self.next("`</Level>`")? {
            XmlTag::Close { name: "Level", .. } => {}
            other => return Err(unexpected(&other, "`</Level>`")),
        }
        match self.scanner.next()? {
            XmlTag::End { .. } => Ok(()),
            other => Err(unexpected(&other, "the end of the text")),
        }
    }

    /// Returns the next element of a list; none at its end.
    fn item(
        &mut self,
        list: &KnownTag<'a>,
        names: &[&'static str],
    ) -> Result<Option<KnownTag<'a>>, LevelXmlError> {
        if list.tag.form == TagForm::Closed {
            return Ok(None);
        }
        let expected = || format!("{} or `</{}>`", names.join(", "), list.name);
        let tag = match self.scanner.next()? {
            XmlTag::Close { name, .. } if name == list.name => return Ok(None),
            XmlTag::Open(tag) => tag,
            other => return Err(unexpected(&other, &expected())),
        };
        let Some(&name) = names.iter().find(|name| **name == tag.name) else {
            return Err(unexpected(&XmlTag::Open(tag), &expected()));
        };
        if tag.form == TagForm::Open {
            match self.scanner.next()? {
                XmlTag::Close { name: closed, .. } if closed == name => {}
                other => {
                    let found = excerpt(&shown(&other));
                    return Err(XmlFault::Unclosed { element: name, found }.at(tag.line));
                }
            }
        }
        Ok(Some(KnownTag { name, tag }))
    }

    /// Returns the tag of an element without content, which may be unclosed.
    fn single(&mut self, name: &'static str) -> Result<KnownTag<'a>, LevelXmlError> {
        let tag = self.open(name)?;
        if tag.tag.form == TagForm::Open {
            self.unclosed.push(name);
        }
        Ok(tag)
    }

    /// Returns the next tag, which opens the element `name`.
    fn open(&mut self, name: &'static str) -> Result<KnownTag<'a>, LevelXmlError> {
        let expected = format!("`<{name}`");
        match self.next(&expected)? {
            XmlTag::Open(tag) if tag.name == name => Ok(KnownTag { name, tag }),
            other => Err(unexpected(&other, &expected)),
        }
    }

    /// Returns the next tag other than one that closes Camera or Slingshot.
    fn next(&mut self, expected: &str) -> Result<XmlTag<'a>, LevelXmlError> {
        loop {
            let tag = self.scanner.next()?;
            let XmlTag::Close { name, .. } = tag else { return Ok(tag) };
            let Some(idx) = self.unclosed.iter().position(|unclosed| *unclosed == name) else {
                return if name == "Level" { Ok(tag) } else { Err(unexpected(&tag, expected)) };
            };
            self.unclosed.swap_remove(idx);
        }
    }
}

impl KnownTag<'_> {
    /// Reads the element and adds it.
    fn read_into(&self, elements: &mut LevelElements) -> Result<(), LevelXmlError> {
        let place = [self.number("x")?, self.number("y")?, self.number_or("rotation", 0.0)?];
        let [x, y, degrees] = place;
        let pose = Pose { x, y, degrees };
        let checked = match self.name {
            "Block" => {
                let shape = self.named("type", BlockShape::from_name, SHAPES)?;
                let material = self.named("material", BlockMaterial::from_name, MATERIALS)?;
                elements.blocks.push(LevelBlock { shape, material, pose });
                check_pose("block", elements.blocks.len(), &pose)
            }
            "Pig" => {
                let kind = self.named("type", PigKind::from_name, PIGS)?;
                elements.pigs.push(LevelPig { kind, pose });
                check_pose("pig", elements.pigs.len(), &pose)
            }
            "TNT" => {
                elements.tnts.push(LevelTnt { pose });
                check_pose("TNT", elements.tnts.len(), &pose)
            }
            _ => {
                let kind = self.value("type").unwrap_or(PLATFORM);
                if ![PLATFORM, ""].contains(&kind) {
                    return Err(self.wrong("type", kind, PLATFORM));
                }
                let scale = [self.number_or("scaleX", 1.0)?, self.number_or("scaleY", 1.0)?];
                let platform = LevelPlatform { pose, scale };
                elements.platforms.push(platform);
                let number = elements.platforms.len();
                check_pose("platform", number, &pose).and_then(|()| platform.check_scale(number))
            }
        };
        checked.map_err(|error| self.level_error(error))
    }

    /// Returns the value of an attribute.
    fn value(&self, attribute: &str) -> Option<&str> {
        let mut attributes = self.tag.attributes.iter();
        attributes.find(|(name, _)| *name == attribute).map(|(_, value)| *value)
    }

    /// Returns the value of an attribute that is one of several words.
    fn named<T>(
        &self,
        attribute: &'static str,
        from_name: impl Fn(&str) -> Option<T>,
        expected: &'static str,
    ) -> Result<T, LevelXmlError> {
        let Some(value) = self.value(attribute) else {
            return Err(self.missing(attribute, expected));
        };
        from_name(value).ok_or_else(|| self.wrong(attribute, value, expected))
    }

    /// Returns the values of attributes that are numbers.
    fn numbers<const N: usize>(
        &self,
        attributes: [&'static str; N],
    ) -> Result<[f32; N], LevelXmlError> {
        let mut numbers = [0.0; N];
        for (number, attribute) in numbers.iter_mut().zip(attributes) {
            *number = self.number(attribute)?;
        }
        Ok(numbers)
    }

    /// Returns the value of an attribute that is a number.
    fn number(&self, attribute: &'static str) -> Result<f32, LevelXmlError> {
        let Some(value) = self.value(attribute) else {
            return Err(self.missing(attribute, NUMBER));
        };
        let number = value.trim().parse().ok().filter(|number: &f32| number.is_finite());
        number.ok_or_else(|| self.wrong(attribute, value, NUMBER))
    }

    /// Returns the value of an attribute that is a number; `default` without the attribute.
    fn number_or(&self, attribute: &'static str, default: f32) -> Result<f32, LevelXmlError> {
        if self.value(attribute).is_some() { self.number(attribute) } else { Ok(default) }
    }

    fn missing(&self, attribute: &'static str, expected: &'static str) -> LevelXmlError {
        XmlFault::Missing { element: self.name, attribute, expected }.at(self.tag.line)
    }

    fn wrong(&self, attribute: &'static str, found: &str, expected: &'static str) -> LevelXmlError {
        let found = excerpt(found);
        XmlFault::Value { element: self.name, attribute, found, expected }.at(self.tag.line)
    }

    fn level_error(&self, error: LevelError) -> LevelXmlError {
        XmlFault::Level(error).at(self.tag.line)
    }
}

/// Returns the error for a tag where another should be.
fn unexpected(tag: &XmlTag<'_>, expected: &str) -> LevelXmlError {
    let (XmlTag::Open(OpenTag { line, .. }) | XmlTag::Close { line, .. } | XmlTag::End { line }) =
        *tag;
    let expected = expected.to_owned();
    match tag {
        XmlTag::End { .. } => XmlFault::Ended { expected }.at(line),
        tag => XmlFault::Misplaced { found: excerpt(&shown(tag)), expected }.at(line),
    }
}

/// Returns the beginning of a tag.
fn shown(tag: &XmlTag<'_>) -> String {
    match tag {
        XmlTag::Open(OpenTag { name, .. }) => format!("<{name}"),
        XmlTag::Close { name, .. } => format!("</{name}>"),
        XmlTag::End { .. } => "the end of the text".to_owned(),
    }
}
