//! New games: the dice game Pig under another name, as a crate of its own or in a checkout of
//! hatchery.

mod checkout;
mod error;
mod name;
mod pig;
mod renaming;
mod template;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use checkout::{Checkout, HatcherySource};
pub(crate) use error::GameError;
pub(crate) use name::GameName;

/// A file to write: its path and its text.
type NewFile = (PathBuf, String);

/// Writes the crate of the game `name` into `folder`.
///
/// # Errors
///
/// Fails if the folder has files already, or cannot be written.
pub(crate) fn write_own_crate(
    name: &GameName,
    folder: &Path,
    source: &HatcherySource,
) -> Result<(), GameError> {
    check_empty(folder)?;
    let files = template::own_crate(name, source)?;
    write(files.into_iter().map(|(path, text)| (folder.join(path), text)))
}

/// Adds the game `name` to a checkout of hatchery. Returns its folder, and the files that list it.
///
/// # Errors
///
/// Fails if the folder has files already, or a file cannot be changed or written.
pub(crate) fn add_to_checkout(
    name: &GameName,
    checkout: &Checkout,
) -> Result<(PathBuf, Vec<&'static str>), GameError> {
    let folder = checkout.folder_of(name);
    check_empty(&folder)?;
    let lists = checkout.lists_with(name)?;
    let names = lists.iter().map(|(path, _)| *path).collect();
    let files = template::crate_of_checkout(name);
    write(files.into_iter().map(|(path, text)| (folder.join(path), text)))?;
    write(lists.into_iter().map(|(path, text)| (checkout.path().join(path), text)))?;
    Ok((folder, names))
}

/// Checks that `folder` is not there or has nothing in it.
fn check_empty(folder: &Path) -> Result<(), GameError> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) if source.kind() != io::ErrorKind::NotADirectory => {
            Err(GameError::File { action: "read", path: folder.to_owned(), source })
        }
        Ok(false) | Err(_) => Err(GameError::FolderTaken { folder: folder.to_owned() }),
    }
}

fn write(files: impl IntoIterator<Item = NewFile>) -> Result<(), GameError> {
    for (path, text) in files {
        let folder = path.parent().expect("a file is in a folder");
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        written.map_err(|source| GameError::File { action: "write", path, source })?;
    }
    Ok(())
}
