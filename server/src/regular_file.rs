//! Files that are opened to be read to their end: regular ones.
//!
//! Somebody may have put anything in the place of a file. A pipe without a writer would block
//! forever, and a device may have no end.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file to read it.
///
/// # Errors
/// If it cannot be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // What is not regular is opened, and seen afterwards: nobody can exchange it in between.
    let file = without_waiting(OpenOptions::new().read(true)).open(path)?;
    match irregular(file.metadata()?.file_type()) {
        None => Ok(file),
        Some(kind) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {kind}, but a regular file is needed"),
        )),
    }
}

/// Has a file opened at once, even a pipe whose other end is not open, and no terminal become the
/// terminal of this process.
pub fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read, is no regular file, or has more than `max_bytes` bytes.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let n_bytes = open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match u64::try_from(n_bytes).is_ok_and(|n_bytes| n_bytes <= max_bytes) {
        true => Ok(bytes),
        false => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {max_bytes} bytes"),
        )),
    }
}

/// Returns what a file is that is not a regular file, in words; `None` for a regular file.
#[must_use]
pub fn irregular(file_type: FileType) -> Option<&'static str> {
    match file_type {
        regular if regular.is_file() => None,
        folder if folder.is_dir() => Some("a folder"),
        pipe if pipe.is_fifo() => Some("a pipe"),
        socket if socket.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_regular_file_of_limited_size_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::write(path("file"), b"four").unwrap();
        assert_eq!(read(&path("file"), 4).unwrap(), b"four");
        assert_eq!(read(&path("file"), u64::MAX).unwrap(), b"four");
        let refused = read(&path("file"), 3).unwrap_err();
        assert_eq!(refused.to_string(), "it has more than 3 bytes");
        assert_eq!(read(&path("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        for (name, kind) in [("pipe", "a pipe"), ("zero", "a device"), (".", "a folder")] {
            let refused = read(&path(name), 3).unwrap_err().to_string();
            assert_eq!(refused, format!("it is {kind}, but a regular file is needed"));
        }
    }
}
