//! Lists a directory.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

use super::PartDirectory;
use super::file::{FileAge, ListedFile};
use crate::{RunId, StoreError};

/// The file whose time says what time it is: the clock of a file server may differ from ours.
const CLOCK: &str = "hatchery-clock";

impl PartDirectory {
    /// Returns the time of the directory's clock.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], also if this is not the farm's directory any more.
    pub(crate) async fn now(&self) -> Result<SystemTime, StoreError> {
        let (clock, marker) = (self.root.join(CLOCK), self.marker.clone());
        let read = move || {
            marker.check()?;
            // Truncating an empty file needs no room, and renews its time.
            Ok(File::create(&clock)?.metadata()?.modified()?)
        };
        self.calls.run(0, read).await
    }

    /// Returns the runs that have a folder.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(crate) async fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        let root = self.root.clone();
        let list = move || {
            let mut runs = Vec::new();
            for entry in fs::read_dir(&root)? {
                let name = entry?.file_name();
                runs.extend(name.to_str().and_then(|name| name.parse().ok()).map(RunId));
            }
            Ok(runs)
        };
        self.calls.run(0, list).await
    }

    /// Returns the files of a run at the time `now`, or nothing if it has no folder. Hidden files
    /// are the file system's.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(crate) async fn files(
        &self,
        run: RunId,
        now: SystemTime,
    ) -> Result<Vec<ListedFile>, StoreError> {
        let folder = self.folder(run);
        self.calls.run(0, move || Ok(list_files(&folder, now)?)).await
    }

    /// Removes the folder of a run if it is empty.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]
    pub(crate) async fn remove_folder(&self, run: RunId) -> Result<(), StoreError> {
        const STAYS: [ErrorKind; 2] = [ErrorKind::NotFound, ErrorKind::DirectoryNotEmpty];
        let folder = self.folder(run);
        let remove = move || match fs::remove_dir(&folder) {
            Err(error) if STAYS.contains(&error.kind()) => Ok(()),
            removed => Ok(removed?),
        };
        self.calls.run(0, remove).await
    }
}

fn list_files(folder: &Path, now: SystemTime) -> io::Result<Vec<ListedFile>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let modified = match entry.metadata().and_then(|metadata| metadata.modified()) {
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            modified => modified?,
        };
        let age = FileAge(now.duration_since(modified).unwrap_or_default());
        files.push(ListedFile { name, age });
    }
    Ok(files)
}
