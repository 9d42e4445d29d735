//! The files that a spec names, as bytes and as text.

use std::fmt;

use prost::bytes::Bytes;

use crate::text::is_plain;

/// A file that a spec names, as its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFile {
    /// The name without folders.
    pub name: String,
    /// The whole content.
    pub bytes: Bytes,
}

/// A file that a spec names, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecFile {
    /// The name without folders.
    pub name: String,
    /// The whole content, without a byte order mark.
    pub text: String,
}

/// The fault that keeps the values of a file from being read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileFault {
    /// The line, counted from 1; `None` if the fault has no place.
    pub line: Option<usize>,
    /// The value found, and a description of the right values.
    pub message: String,
}

impl FileFault {
    /// Returns a fault of the whole file.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }

    /// Returns a fault in `line`, counted from 1.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    /// Returns the fault as one of several files, whose name is `name`.
    #[must_use]
    pub fn in_file(self, name: &str) -> Self {
        Self::whole(format!("{name}: {self}"))
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => write!(f, "{}", self.message),
        }
    }
}

impl RawFile {
    /// Returns the content as text: UTF-8, or UTF-16 with either a byte order mark, as editors on
    /// Windows write it, or the beginning `<?` of XML.
    ///
    /// # Errors
    /// If the bytes are text in another encoding, or no text.
    pub fn text(&self) -> Result<SpecFile, FileFault> {
        let text = match &self.bytes[..] {
            [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest),
            [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
            [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
            bytes @ [b'<', 0, b'?', 0, ..] => utf16(bytes, u16::from_le_bytes),
            bytes @ [0, b'<', 0, b'?', ..] => utf16(bytes, u16::from_be_bytes),
            bytes => utf8(bytes),
        };
        Ok(SpecFile { name: self.name.clone(), text: text? })
    }
}

impl SpecFile {
    /// Returns the name as measures allow it: any character but letters, digits, `-`, `_` and `.`
    /// becomes `-`.
    #[must_use]
    pub fn plain_name(&self) -> String {
        self.name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
    }

    /// Returns the non-empty lines, each with its number from 1, without the spaces around it and
    /// without a comment. A comment begins with a `#` at the beginning of the line or after a
    /// space.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines().map(|line| without_comment(line).trim()));
        lines.filter(|(_, line)| !line.is_empty())
    }
}

fn without_comment(line: &str) -> &str {
    let begins = |&(at, _): &(usize, &str)| at == 0 || line[..at].ends_with(char::is_whitespace);
    line.match_indices('#').find(begins).map_or(line, |(at, _)| &line[..at])
}

fn utf8(bytes: &[u8]) -> Result<String, FileFault> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let (offset, line) = (error.valid_up_to(), line_of(&bytes[..error.valid_up_to()]));
        let message = format!(
            "byte {offset} is not UTF-8 text; UTF-16 needs a byte order mark: save as UTF-8"
        );
        FileFault::at(line, message)
    })?;
    match text.find('\0') {
        Some(offset) => {
            let line = line_of(&bytes[..offset]);
            Err(FileFault::at(line, "has a zero byte, so that it is no text: save as UTF-8"))
        }
        None => Ok(text.to_owned()),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, FileFault> {
    let (pairs, rest) = bytes.as_chunks();
    let text: Result<String, _> =
        char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    match text {
        Ok(text) if rest.is_empty() => Ok(text),
        _ => Err(FileFault::whole("begins as UTF-16 text, but is none to its end: it is damaged")),
    }
}

fn line_of(before: &[u8]) -> usize {
    before.split(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        let file = RawFile { name: "a.xml".to_owned(), bytes: bytes.to_vec().into() };
        file.text().map(|file| file.text).map_err(|fault| fault.to_string())
    }

    #[test]
    fn text_is_read_in_the_encodings_of_editors() {
        let text = "<?xml?>\n<Level höhe=\"𝄞\"/>";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            little.clone(),
            big.clone(),
            [&[0xff, 0xfe], &little[..]].concat(),
            [&[0xfe, 0xff], &big[..]].concat(),
        ] {
            assert_eq!(read(&bytes).unwrap(), text);
        }
        assert_eq!(read(b"").unwrap(), "");
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        for (bytes, expected) in [
            (&b"one\ntw\xf6\n"[..], "line 2: byte 6 is not UTF-8 text"),
            (b"one\n\0", "line 2: has a zero byte"),
            (b"\xff\xfea\0b", "begins as UTF-16 text"),
            (b"\xff\xfe\x00\xd8", "begins as UTF-16 text"),
        ] {
            let refused = read(bytes).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
    }

    #[test]
    fn lines_have_their_numbers() {
        let file = SpecFile {
            name: "games.txt".to_owned(),
            text: "# a\n f5d6 \n\nc4\t# b\r\na#1\n".to_owned(),
        };
        assert_eq!(file.lines().collect::<Vec<_>>(), [(2, "f5d6"), (4, "c4"), (5, "a#1")]);
        let spaced = SpecFile { name: "Level é 04.xml".to_owned(), text: String::new() };
        assert_eq!(spaced.plain_name(), "Level---04.xml");
    }
}
