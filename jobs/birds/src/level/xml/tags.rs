//! The tags of a text.

use hatchery_core::text::excerpt;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::error::{LevelXmlError, XmlFault};

/// The most attributes of an element: more than twice as many as any has a use for.
const MAX_ATTRIBUTES: usize = 16;

/// The most characters of the reason why a text is no XML.
const MAX_REASON_CHARS: usize = 200;

/// A tag of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum XmlTag {
    /// `<Name attribute="value">` or `<Name attribute="value" />`.
    Open(OpenTag),
    /// `</Name>`.
    Close {
        /// The line of its beginning.
        line: usize,
        /// The name.
        name: String,
    },
    /// There is no further tag.
    End {
        /// The last line.
        line: usize,
    },
}

/// A tag that opens an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpenTag {
    /// The line of its beginning.
    pub(super) line: usize,
    pub(super) name: String,
    /// The attributes with their values, each name once.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) form: TagForm,
}

/// The end of a tag that opens an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagForm {
    /// `/>`: the element is empty.
    Closed,
    /// `>`: another tag should close the element.
    Open,
}

/// The tags of a text that are not read yet.
pub(super) struct XmlTags<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The empty lines before the text.
    n_before: usize,
    /// A place that was reached, and its line.
    reached: (usize, usize),
}

impl<'a> XmlTags<'a> {
    /// Returns the tags of `text`. The encoding that its header names does not matter, as the text
    /// has been decoded. A closing tag need not match an open element.
    pub(super) fn new(text: &'a str) -> Self {
        let begun = text.trim_start_matches('\u{feff}').trim_start();
        let n_before = text[..text.len() - begun.len()].matches('\n').count();
        let mut reader = Reader::from_str(begun);
        let config = reader.config_mut();
        (config.check_end_names, config.allow_unmatched_ends) = (false, true);
        Self { text: begun, reader, n_before, reached: (0, 1) }
    }

    /// Returns the next tag. Comments are skipped.
    pub(super) fn next(&mut self) -> Result<XmlTag, LevelXmlError> {
        loop {
            let start = self.position();
            let line = self.line_of(start);
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    let at = usize::try_from(self.reader.error_position()).unwrap_or(start);
                    return Err(syntax(&error).at(self.line_of(at)));
                }
            };
            return match event {
                Event::Start(tag) => open_tag(&tag, line, TagForm::Open).map(XmlTag::Open),
                Event::Empty(tag) => open_tag(&tag, line, TagForm::Closed).map(XmlTag::Open),
                Event::End(tag) => Ok(XmlTag::Close { line, name: tag.name().as_ref().to_owned() }),
                Event::Eof => Ok(XmlTag::End { line }),
                Event::Text(text) if text.trim().is_empty() => continue,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                    let found = self.text[start..].trim_start();
                    let line = self.line_of(self.text.len() - found.len());
                    let (found, expected) = (excerpt(found), "an element".to_owned());
                    Err(XmlFault::Misplaced { found, expected }.at(line))
                }
            };
        }
    }

    fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX).min(self.text.len())
    }

    /// Returns the line of a place, from 1.
    fn line_of(&mut self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let (place, line) = if at < self.reached.0 { (0, 1) } else { self.reached };
        let newlines = self.text.as_bytes()[place..at].iter().filter(|byte| **byte == b'\n');
        self.reached = (at, line + newlines.count());
        self.n_before + self.reached.1
    }
}

/// Returns the fault of a text that is no XML. An error may repeat any part of the text.
fn syntax(error: &dyn std::fmt::Display) -> XmlFault {
    XmlFault::Syntax { reason: error.to_string().chars().take(MAX_REASON_CHARS).collect() }
}

fn open_tag(tag: &BytesStart<'_>, line: usize, form: TagForm) -> Result<OpenTag, LevelXmlError> {
    let name = tag.name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| syntax(&error).at(line))?;
        if attributes.len() == MAX_ATTRIBUTES {
            let (element, most) = (excerpt(&name), MAX_ATTRIBUTES);
            return Err(XmlFault::Attributes { element, most }.at(line));
        }
        let value = attribute
            .normalized_value(XmlVersion::Explicit1_0)
            .map_err(|error| syntax(&error).at(line))?;
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(OpenTag { line, name, attributes, form })
}
