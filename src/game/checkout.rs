//! A checkout of hatchery, and the lines outside of a game's folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::GameError;
use super::name::GameName;
use super::renaming::renamed_lines;

/// Files of a checkout, each with the text that lists Pig: the new game is listed after it.
const LISTS: &[(&str, &str)] = &[
    ("Cargo.toml", "hatchery-pig = { path = \"jobs/pig\" }\n"),
    ("jobs/catalog/Cargo.toml", "hatchery-pig.workspace = true\n"),
    ("jobs/catalog/src/lib.rs", "    &hatchery_pig::EXPERIMENTS,\n"),
    ("docs/ARCHITECTURE.md", "`jobs/pig`, "),
    ("tests/architecture/layers.rs", "    (\"jobs/pig/src\", \"self experiment wire rules\"),\n"),
];

/// The folder of a checkout of hatchery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checkout(PathBuf);

impl Checkout {
    /// Returns the checkout in `folder`.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub(super) fn at(folder: &Path) -> Result<Self, GameError> {
        let not_hatchery = || GameError::NotHatchery { folder: folder.to_owned() };
        let folder = fs::canonicalize(folder).map_err(|_| not_hatchery())?;
        if is_checkout(&folder) { Ok(Self(folder)) } else { Err(not_hatchery()) }
    }

    /// Returns the checkout around `path`, which need not exist.
    pub(crate) fn around(path: &Path) -> Option<Self> {
        let path = std::path::absolute(path).ok()?;
        let folder = path.ancestors().find(|folder| is_checkout(folder))?;
        Some(Self(folder.to_owned()))
    }

    /// Returns the folder of the checkout.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the folder that the game `name` has in this checkout.
    pub(crate) fn folder_of(&self, name: &GameName) -> PathBuf {
        self.0.join("jobs").join(name.as_str())
    }

    /// Returns the text of `Cargo.lock`; `None` if it cannot be read.
    pub(super) fn lock_file(&self) -> Option<String> {
        fs::read_to_string(self.0.join("Cargo.lock")).ok()
    }

    /// Returns the files that list the games, with a line for the game `name`.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or does not list Pig as it should.
    pub(super) fn lists_with(
        &self,
        name: &GameName,
    ) -> Result<Vec<(&'static str, String)>, GameError> {
        let with_game = |&(file, listed): &(&'static str, &'static str)| {
            let path = self.0.join(file);
            let text = match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(source) => return Err(GameError::File { action: "read", path, source }),
            };
            let (before, after) = match text.split_once(listed) {
                Some((before, after)) if !after.contains(listed) => (before, after),
                _ => return Err(GameError::NoPlace { file: path, line: listed.trim_ascii() }),
            };
            Ok((file, [before, listed, &renamed_lines(listed, name), after].concat()))
        };
        LISTS.iter().map(with_game).collect()
    }
}

/// Where a crate of its own gets hatchery from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HatcherySource {
    /// The sources on this machine.
    Checkout(Checkout),
    /// The URL of a Git repository.
    Git(String),
}

impl HatcherySource {
    /// Reads the folder of a checkout, or a URL.
    ///
    /// # Errors
    ///
    /// Fails if the folder is no checkout.
    pub(crate) fn given(text: &str) -> Result<Self, GameError> {
        match text.contains("://") || text.starts_with("git@") {
            true => Ok(Self::Git(text.to_owned())),
            false => Checkout::at(Path::new(text)).map(Self::Checkout),
        }
    }

    /// Returns the checkout that this program was built in.
    ///
    /// # Errors
    ///
    /// Fails if the program is somewhere else.
    pub(crate) fn of_this_program() -> Result<Self, GameError> {
        let program = std::env::current_exe().ok();
        let checkout = program.and_then(|program| Checkout::around(&program));
        checkout.map(Self::Checkout).ok_or(GameError::NoCheckout)
    }
}

/// Returns whether `folder` has the root package of hatchery.
fn is_checkout(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line == "name = \"hatchery\"")
}
