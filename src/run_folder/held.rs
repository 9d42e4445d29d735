//! A run's folder while this process has the run's store open.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use super::RunFolder;
use crate::error::CommandError;

/// The folder of a run in progress. Others may remove, move or replace it: the store then goes on
/// in a file that nobody finds.
#[derive(Clone, Debug)]
pub(crate) struct HeldFolder {
    folder: RunFolder,
    /// The device and the number of the store's file; `None` if it could not be looked at.
    store: Option<(u64, u64)>,
}

impl HeldFolder {
    /// Returns the folder, whose store this process has open.
    pub(crate) fn new(folder: RunFolder) -> Self {
        let store = fs::metadata(folder.store()).ok().map(|it| (it.dev(), it.ino()));
        Self { folder, store }
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Checks that the folder still has the open store.
    ///
    /// # Errors
    /// If it does not. A folder that cannot be looked at now may still have it.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        let is_there = match fs::metadata(self.folder.store()) {
            Ok(found) => self.store.is_none_or(|store| store == (found.dev(), found.ino())),
            Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        };
        match is_there {
            true => Ok(()),
            false => Err(CommandError::FolderGone { path: self.folder.path().to_owned() }),
        }
    }
}
