//! The file that says whose directory it is: without it, an empty mount point would look like a
//! directory whose parts are all lost.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use hatchery_core::Digest;
use ulid::Ulid;

use super::disk::sync_folder;
use super::error::DirectoryFailure;

/// The name of the file.
const MARKER: &str = "hatchery-parts";

/// The most bytes that are read: another file may have the name.
const MAX_BYTES: u64 = 256;

/// The marker of a farm's directory.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryMarker {
    root: PathBuf,
    farm: Digest,
}

impl DirectoryMarker {
    /// Returns the marker of the farm with this id, in the directory `root`.
    pub(super) fn new(root: &Path, farm: Digest) -> Self {
        Self { root: root.to_owned(), farm }
    }

    /// Returns the farm's id, as it is written.
    pub(super) fn id(&self) -> String {
        self.farm.to_string()
    }

    /// Returns the id in the marker; `None` without a marker.
    pub(super) fn read(&self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let opened = File::open(self.root.join(MARKER));
        match opened.and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)) {
            Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
            // A path that is no directory is reported as such.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::read_dir(&self.root).map(|_| None)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes the marker. All coordinators of a farm write the same marker, so a race does no harm,
    /// and a crash leaves a whole marker or none.
    pub(super) fn write(&self) -> io::Result<()> {
        let draft = self.root.join(format!("{MARKER}.{}", Ulid::generate()));
        let mut file = File::create_new(&draft)?;
        let written = file.write_all(format!("{}\n", self.id()).as_bytes());
        let written = written.and_then(|()| file.sync_all());
        let moved = written.and_then(|()| fs::rename(&draft, self.root.join(MARKER)));
        if moved.is_err() {
            fs::remove_file(&draft).unwrap_or_default();
        }
        moved.and_then(|()| sync_folder(&self.root))
    }

    /// Checks that this is still the farm's directory.
    pub(super) fn check(&self) -> Result<(), DirectoryFailure> {
        let what = match self.read() {
            Ok(Some(id)) if id == self.id() => return Ok(()),
            Ok(Some(id)) => format!("the file {MARKER} has the id {id:?}"),
            Ok(None) => format!("there is no file {MARKER}"),
            Err(error) if error.kind() == ErrorKind::NotFound => error.to_string(),
            Err(error) => return Err(error.into()),
        };
        Err(DirectoryFailure::NotMounted { what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_another_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let marker = DirectoryMarker::new(folder.path(), Digest::of(b"farm"));
        assert_eq!(marker.read().unwrap(), None);
        fs::write(folder.path().join(MARKER), vec![b'x'; 1 << 20]).unwrap();
        assert_eq!(marker.read().unwrap(), Some("x".repeat(256)));
        marker.write().unwrap();
        assert_eq!(marker.read().unwrap(), Some(marker.id()));
    }
}
