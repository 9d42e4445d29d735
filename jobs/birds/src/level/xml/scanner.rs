//! Cuts a text into tags.

use super::error::{LevelXmlError, XmlFault};
use hatchery_core::text::excerpt;

/// The most attributes of an element: more than twice as many as any has a use for.
const MAX_ATTRIBUTES: usize = 16;

/// A tag of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum XmlTag<'a> {
    /// `<Name attribute="value">` or `<Name attribute="value" />`.
    Open(OpenTag<'a>),
    /// `</Name>`.
    Close {
        /// The line of its beginning.
        line: usize,
        /// The name.
        name: &'a str,
    },
    /// There is no further tag.
    End {
        /// The last line.
        line: usize,
    },
}

/// A tag that opens an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpenTag<'a> {
    /// The line of its beginning.
    pub(super) line: usize,
    pub(super) name: &'a str,
    /// The attributes with their values, each name once.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
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

/// The rest of a text, and the line that it begins in.
#[derive(Clone, Copy, Debug)]
pub(super) struct XmlScanner<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> XmlScanner<'a> {
    /// Returns the text behind its header, if it has one. The encoding that the header names does
    /// not matter, as the text has been decoded.
    pub(super) fn new(text: &'a str) -> Result<Self, LevelXmlError> {
        let mut scanner = Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
        scanner.skip_space();
        if scanner.rest.starts_with("<?xml") {
            scanner.skip_to("?>")?;
        }
        Ok(scanner)
    }

    /// Returns the next tag. Comments are skipped.
    pub(super) fn next(&mut self) -> Result<XmlTag<'a>, LevelXmlError> {
        loop {
            self.skip_space();
            let line = self.line;
            if self.rest.starts_with("<!--") {
                self.skip_to("-->")?;
            } else if self.rest.starts_with("</") {
                self.advance(2);
                let name = self.name()?;
                self.skip_space();
                self.expect('>')?;
                return Ok(XmlTag::Close { line, name });
            } else if self.rest.starts_with('<') {
                self.advance(1);
                return Ok(XmlTag::Open(self.open_tag(line)?));
            } else if self.rest.is_empty() {
                return Ok(XmlTag::End { line });
            } else {
                return Err(self.misplaced("an element"));
            }
        }
    }

    /// Returns the tag whose `<` was the last character.
    fn open_tag(&mut self, line: usize) -> Result<OpenTag<'a>, LevelXmlError> {
        let name = self.name()?;
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        loop {
            let before = self.rest.len();
            self.skip_space();
            let form = match self.rest.chars().next() {
                Some('/') => TagForm::Closed,
                Some('>') => TagForm::Open,
                // Attributes are set apart by white space.
                Some(_) if self.rest.len() < before => {
                    let attribute = self.attribute()?;
                    if attributes.iter().any(|(known, _)| *known == attribute.0) {
                        let (element, attribute) = (excerpt(name), excerpt(attribute.0));
                        return Err(XmlFault::Repeated { element, attribute }.at(self.line));
                    }
                    if attributes.len() == MAX_ATTRIBUTES {
                        let (element, most) = (excerpt(name), MAX_ATTRIBUTES);
                        return Err(XmlFault::Attributes { element, most }.at(self.line));
                    }
                    attributes.push(attribute);
                    continue;
                }
                _ => return Err(self.misplaced("white space or `>`")),
            };
            if form == TagForm::Closed {
                self.advance(1);
            }
            self.expect('>')?;
            return Ok(OpenTag { line, name, attributes, form });
        }
    }

    fn attribute(&mut self) -> Result<(&'a str, &'a str), LevelXmlError> {
        let name = self.name()?;
        self.skip_space();
        self.expect('=')?;
        self.skip_space();
        let Some(quote @ ('"' | '\'')) = self.rest.chars().next() else {
            return Err(self.misplaced("a value in quotes"));
        };
        self.advance(1);
        let end = self.rest.find([quote, '<']).unwrap_or(self.rest.len());
        let value = &self.rest[..end];
        self.advance(end);
        self.expect(quote)?;
        Ok((name, value))
    }

    fn name(&mut self) -> Result<&'a str, LevelXmlError> {
        let is_part = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.misplaced("a name"));
        }
        let name = &self.rest[..end];
        self.advance(end);
        Ok(name)
    }

    fn expect(&mut self, expected: char) -> Result<(), LevelXmlError> {
        if !self.rest.starts_with(expected) {
            return Err(self.misplaced(&format!("`{expected}`")));
        }
        self.advance(expected.len_utf8());
        Ok(())
    }

    /// Skips all up to and including `end`.
    fn skip_to(&mut self, end: &str) -> Result<(), LevelXmlError> {
        let Some(at) = self.rest.find(end) else {
            self.advance(self.rest.len());
            return Err(self.misplaced(&format!("`{end}`")));
        };
        self.advance(at + end.len());
        Ok(())
    }

    /// Skips the white space of XML.
    fn skip_space(&mut self) {
        let behind = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.advance(self.rest.len() - behind.len());
    }

    fn advance(&mut self, n_bytes: usize) {
        let (skipped, rest) = self.rest.split_at(n_bytes);
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }

    /// Returns the error for what stands here.
    fn misplaced(&self, expected: &str) -> LevelXmlError {
        let expected = expected.to_owned();
        let fault = match self.rest {
            "" => XmlFault::Ended { expected },
            rest => XmlFault::Misplaced { found: excerpt(rest), expected },
        };
        fault.at(self.line)
    }
}
