//! Files with credentials: opened without waiting, and read up to a limit.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;

use crate::error::{CredentialError, ServerError};
use crate::regular_file::{irregular, without_waiting};

/// Opens a file that can be read again and again: a regular file. Does not wait for the other end
/// of a named pipe.
pub(crate) fn open_regular(path: &Path) -> Result<File, ServerError> {
    let failed = |source| ServerError::File { path: path.to_owned(), action: "read", source };
    let file = without_waiting(OpenOptions::new().read(true)).open(path).map_err(failed)?;
    refuse_irregular(path, &file)?;
    Ok(file)
}

/// Reads a file of at most `max_bytes` bytes.
pub(crate) fn read_at_most(
    path: &Path,
    file: &File,
    max_bytes: u64,
) -> Result<Vec<u8>, ServerError> {
    let failed = |source| ServerError::File { path: path.to_owned(), action: "read", source };
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
    if max_bytes < bytes.len() as u64 {
        return Err(CredentialError::FileTooLarge { path: path.to_owned(), max_bytes }.into());
    }
    Ok(bytes)
}

/// The marks of UTF-8 and of both orders of UTF-16 that editors put in front of a text.
const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Returns the text of a file without the mark of its encoding, which must not be UTF-16.
pub(crate) fn without_mark<'a>(path: &Path, text: &'a [u8]) -> Result<&'a [u8], CredentialError> {
    match UTF_16_MARKS.iter().any(|mark| text.starts_with(mark)) {
        true => Err(CredentialError::Utf16 { path: path.to_owned() }),
        false => Ok(text.strip_prefix(UTF_8_MARK).unwrap_or(text)),
    }
}

/// Checks that an open file is a regular file.
pub(crate) fn refuse_irregular(path: &Path, file: &File) -> Result<(), ServerError> {
    let failed = |source| ServerError::File { path: path.to_owned(), action: "read", source };
    match irregular(file.metadata().map_err(failed)?.file_type()) {
        None => Ok(()),
        Some(kind) => Err(CredentialError::NotRegular { path: path.to_owned(), kind }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let [file, pipe] = ["file", "pipe"].map(|name| folder.path().join(name));
        std::fs::write(&file, "").unwrap();
        make_pipe(&pipe);
        open_regular(&file).unwrap();
        for (path, kind) in
            [(folder.path(), "a folder"), (&pipe, "a pipe"), (Path::new("/dev/null"), "a device")]
        {
            let said = open_regular(path).unwrap_err().to_string();
            assert!(said.ends_with(&format!("is {kind}, but must be a regular file")), "{said}");
        }
    }

    fn make_pipe(path: &Path) {
        use rustix::fs::{CWD, Mode, mknodat};
        mknodat(CWD, path, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
}
