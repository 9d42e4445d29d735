//! The reader.

use super::error::{LevelXmlError, XmlFault};
use super::tags::{OpenTag, TagForm, XmlTag, XmlTags};
use super::warning::{SkippedParts, XmlWarning, meant};
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

/// The attributes that are read, or that files of the game have without a use.
const ITEM: &[&str] = &["type", "x", "y", "rotation", "material"];
const PLATFORM_ITEM: &[&str] = &["type", "x", "y", "rotation", "material", "scaleX", "scaleY"];
const CAMERA: &[&str] = &["x", "y", "minWidth", "maxWidth"];
const SLINGSHOT: &[&str] = &["x", "y"];

/// A place in the text.
struct LevelReader<'a> {
    tags: XmlTags<'a>,
    /// The next tag, if it was seen already.
    held: Option<XmlTag>,
    skipped: SkippedParts,
}

/// A tag that opens an element with a known name.
struct KnownTag {
    name: &'static str,
    tag: OpenTag,
}

/// Reads a level. Also returns warnings about the parts that the reader skips.
pub(super) fn read(text: &str) -> Result<(Level, Vec<XmlWarning>), LevelXmlError> {
    if Level::MAX_TEXT_BYTES < text.len() {
        return Err(XmlFault::TooLong { n_bytes: text.len() }.at(1));
    }
    let (tags, skipped) = (XmlTags::new(text), SkippedParts::default());
    let mut reader = LevelReader { tags, held: None, skipped };
    let level = reader.level()?;
    Ok((level, reader.skipped.warnings()))
}

impl LevelReader<'_> {
    /// Reads the whole text.
    fn level(&mut self) -> Result<Level, LevelXmlError> {
        let level = self.find("Level", &["width"])?;
        let width = level.number_or("width", 1.0)?;
        let camera = self.find("Camera", CAMERA)?;
        let [x, y, least, most] = camera.numbers(["x", "y", "minWidth", "maxWidth"])?;
        let list = self.find("Birds", &[])?;
        let birds = self.birds(&list)?;
        let sling = self.find("Slingshot", SLINGSHOT)?;
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
        let list = self.find("GameObjects", &[])?;
        let elements = self.elements(&list)?;
        self.end()?;
        Level::new(surroundings, elements).map_err(|error| XmlFault::Level(error).at(list.tag.line))
    }

    /// Reads up to `</Birds>`, or to the slingshot: the game's own editor puts it, and all that
    /// follows, into the list.
    fn birds(&mut self, list: &KnownTag) -> Result<Vec<BirdKind>, LevelXmlError> {
        let mut birds = Vec::new();
        while let Some(tag) = self.item(list, &["Bird"], "Slingshot")? {
            self.count_attributes(&tag, &["type"]);
            birds.push(tag.named("type", BirdKind::from_name, BIRDS)?);
            // More are an error, and need no place.
            if LevelSurroundings::MAX_BIRDS < birds.len() {
                return Err(tag.level_error(LevelError::Birds { found: birds.len() }));
            }
        }
        Ok(birds)
    }

    /// Reads up to `</GameObjects>`.
    fn elements(&mut self, list: &KnownTag) -> Result<LevelElements, LevelXmlError> {
        let mut elements = LevelElements::default();
        let mut found = 0;
        while let Some(tag) = self.item(list, &["Block", "Pig", "TNT", "Platform"], "")? {
            found += 1;
            if Level::MAX_ELEMENTS < found {
                return Err(tag.level_error(LevelError::TooManyElements { found }));
            }
            let known = if tag.name == "Platform" { PLATFORM_ITEM } else { ITEM };
            self.count_attributes(&tag, known);
            tag.read_into(&mut elements)?;
        }
        Ok(elements)
    }

    /// Reads the text after `</GameObjects>`. The reader only looks for the end of the level there,
    /// because a file that was cut off has no end.
    fn end(&mut self) -> Result<(), LevelXmlError> {
        let mut is_closed = false;
        loop {
            match self.next()? {
                XmlTag::Open(tag) => self.skipped.element(&tag.name, &[], tag.line),
                XmlTag::Close { name, .. } => is_closed |= name == "Level",
                XmlTag::End { .. } if is_closed => return Ok(()),
                end @ XmlTag::End { .. } => return Err(unexpected(&end, "`</Level>`")),
            }
        }
    }

    /// Returns the next element of a list; none at its end, or before the element `last`.
    fn item(
        &mut self,
        list: &KnownTag,
        names: &[&'static str],
        last: &str,
    ) -> Result<Option<KnownTag>, LevelXmlError> {
        if list.tag.form == TagForm::Closed {
            return Ok(None);
        }
        loop {
            let tag = match self.next()? {
                XmlTag::Close { name, .. } if name == list.name => return Ok(None),
                XmlTag::Open(tag) => tag,
                other => {
                    let expected = format!("{} or `</{}>`", names.join(", "), list.name);
                    return Err(unexpected(&other, &expected));
                }
            };
            if tag.name == last {
                self.held = Some(XmlTag::Open(tag));
                return Ok(None);
            }
            let Some(&name) = names.iter().find(|name| **name == tag.name) else {
                self.skip(&tag, names)?;
                continue;
            };
            if tag.form == TagForm::Open {
                match self.next()? {
                    XmlTag::Close { name: closed, .. } if closed == name => {}
                    other => {
                        let found = excerpt(&shown(&other));
                        return Err(XmlFault::Unclosed { element: name, found }.at(tag.line));
                    }
                }
            }
            return Ok(Some(KnownTag { name, tag }));
        }
    }

    /// Skips an element of a list that is none of `known`, with all that is in it.
    fn skip(&mut self, skipped: &OpenTag, known: &[&'static str]) -> Result<(), LevelXmlError> {
        self.skipped.element(&skipped.name, known, skipped.line);
        let mut depth = u32::from(skipped.form == TagForm::Open);
        while depth != 0 {
            match self.next()? {
                XmlTag::Open(tag) if tag.name == skipped.name && tag.form == TagForm::Open => {
                    depth += 1;
                }
                XmlTag::Close { name, .. } if name == skipped.name => depth -= 1,
                end @ XmlTag::End { .. } => {
                    return Err(unexpected(&end, &format!("`</{}>`", excerpt(&skipped.name))));
                }
                XmlTag::Open(_) | XmlTag::Close { .. } => {}
            }
        }
        Ok(())
    }

    /// Returns the next element called `name`. The attributes `known` are read. As the game does,
    /// the reader skips all elements before the element.
    fn find(
        &mut self,
        name: &'static str,
        known: &[&'static str],
    ) -> Result<KnownTag, LevelXmlError> {
        loop {
            match self.next()? {
                XmlTag::Open(tag) if tag.name == name => {
                    let tag = KnownTag { name, tag };
                    self.count_attributes(&tag, known);
                    return Ok(tag);
                }
                XmlTag::Open(tag) => self.skipped.element(&tag.name, &[name], tag.line),
                XmlTag::Close { .. } => {}
                end @ XmlTag::End { .. } => return Err(unexpected(&end, &format!("`<{name}`"))),
            }
        }
    }

    fn next(&mut self) -> Result<XmlTag, LevelXmlError> {
        match self.held.take() {
            Some(tag) => Ok(tag),
            None => self.tags.next(),
        }
    }

    /// Counts the attributes of an element that are none of `known`.
    fn count_attributes(&mut self, KnownTag { name, tag }: &KnownTag, known: &[&'static str]) {
        for (attribute, _) in &tag.attributes {
            if !known.contains(&attribute.as_str()) {
                self.skipped.attribute((name, attribute), known, tag.line);
            }
        }
    }
}

impl KnownTag {
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
                // A box is its own mirror image.
                let scale = [self.number_or("scaleX", 1.0)?, self.number_or("scaleY", 1.0)?];
                let scale = scale.map(f32::abs);
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
        attributes.find(|(name, _)| *name == attribute).map(|(_, value)| value.as_str())
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
        let mut others = self.tag.attributes.iter().map(|(name, _)| name);
        let likely = others.find(|name| meant(name, &[attribute]).is_some());
        let likely = likely.map(|name| format!(" (but `{}`)", excerpt(name)));
        let likely = likely.unwrap_or_default();
        XmlFault::Missing { element: self.name, attribute, likely, expected }.at(self.tag.line)
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
fn unexpected(tag: &XmlTag, expected: &str) -> LevelXmlError {
    let (XmlTag::Open(OpenTag { line, .. }) | XmlTag::Close { line, .. } | XmlTag::End { line }) =
        *tag;
    let expected = expected.to_owned();
    match tag {
        XmlTag::End { .. } => XmlFault::Ended { expected }.at(line),
        tag => XmlFault::Misplaced { found: excerpt(&shown(tag)), expected }.at(line),
    }
}

/// Returns the beginning of a tag.
fn shown(tag: &XmlTag) -> String {
    match tag {
        XmlTag::Open(OpenTag { name, .. }) => format!("<{name}"),
        XmlTag::Close { name, .. } => format!("</{name}>"),
        XmlTag::End { .. } => "the end of the text".to_owned(),
    }
}
