//! The errors of making a game.

use std::io;
use std::path::PathBuf;

/// The reason why a game cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GameError {
    #[error("{folder} is not empty: give a folder that does not exist yet")]
    FolderTaken { folder: PathBuf },
    #[error(
        "a game in the checkout {checkout} has the folder {expected}, not {given}: leave DIR out, \
         or give --hatchery {checkout} for a crate of its own"
    )]
    NotBelowJobs { checkout: PathBuf, given: PathBuf, expected: PathBuf },
    #[error(
        "a crate of its own depends on hatchery, and this program is in no checkout of it: give \
         --hatchery with the folder of a checkout or the URL of a Git repository"
    )]
    NoCheckout,
    #[error("{folder} is no checkout of hatchery: no Cargo.toml there has the package hatchery")]
    NotHatchery { folder: PathBuf },
    #[error("{folder} is not UTF-8 text, so no Cargo.toml can name it: move the checkout")]
    NotUtf8 { folder: PathBuf },
    #[error(
        "{file} does not have the line {line:?} once, after which the game's line belongs: use \
         --hatchery for a crate of its own, or add the game as docs/ADDING_A_GAME.md says"
    )]
    NoPlace { file: PathBuf, line: &'static str },
    #[error("cannot {action} {path}")]
    File { action: &'static str, path: PathBuf, source: io::Error },
}
