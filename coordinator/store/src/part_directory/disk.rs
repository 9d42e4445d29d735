//! Blocking file operations.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use hatchery_core::part::PART_CHUNK_BYTES;

/// The most attempts to make a file in a folder that sweeps remove because it is empty.
const MAX_BEGINS: usize = 4;

/// Returns the place of a chunk in its file.
pub(super) fn offset_of(index: u32) -> u64 {
    u64::from(index) * PART_CHUNK_BYTES as u64
}

/// Makes a new file, and its folder if there is none.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let folder = path.parent().unwrap_or(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    for _ in 1..MAX_BEGINS {
        match options.open(path) {
            // Another process may remove a folder that is empty.
            Err(error) if error.kind() == ErrorKind::NotFound => match fs::create_dir(folder) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            },
            created => return created,
        }
    }
    options.open(path)
}

/// Files that are removed again unless a caller takes them: the caller may have stopped waiting.
pub(super) struct DraftFiles(Vec<PathBuf>);

impl DraftFiles {
    /// Leaves the files where they are.
    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for DraftFiles {
    fn drop(&mut self) {
        // What cannot be removed is left to a sweep.
        self.0.iter().for_each(|path| remove_file(path).unwrap_or_default());
    }
}

/// Writes files and takes them to the disk.
pub(super) fn write_all(root: &Path, contents: &[(PathBuf, Vec<u8>)]) -> io::Result<DraftFiles> {
    let mut drafts = DraftFiles(Vec::with_capacity(contents.len()));
    for (path, bytes) in contents {
        let mut file = create(path)?;
        drafts.0.push(path.clone());
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    if let Some((path, _)) = contents.first() {
        sync_folders(root, path)?;
    }
    Ok(drafts)
}

/// Takes the names of a file and of its folder to the disk.
pub(super) fn sync_folders(root: &Path, path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(root);
    sync_folder(folder).and_then(|()| sync_folder(root))
}

/// Takes the names in a folder to the disk, if the file system has a way to.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Returns the length of a file; `None` if the file does not exist.
pub(super) fn length(path: &Path) -> io::Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.len())),
        Err(error) if is_loss(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes a file; a missing file counts as removed.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns true if a file is gone or too short: no other attempt to read it would help.
pub(super) fn is_loss(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof)
}
