//! `hatchery game`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hatchery_core::text::joined;

use super::output::print_result;
use crate::error::CommandError;
use crate::game::{self, Checkout, GameError, GameName, HatcherySource};
use crate::terminal::escape_line;

/// Make a game of your own
#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Make the crate of a new game: a copy of the dice game Pig, ready to run and to change
    ///
    /// The crate makes a program that has its experiments beside those of hatchery. In a checkout
    /// of hatchery, the game is added to the checkout instead: the folder jobs/NAME, and the lines
    /// that list it.
    New(NewGameCommand),
}

#[derive(Debug, Args)]
pub(crate) struct NewGameCommand {
    /// Name of the crate and of its experiment, such as checkers
    #[arg(long = "crate", value_name = "NAME", value_parser = GameName::parse)]
    name: GameName,
    /// Folder of the crate, which is created [default: NAME, or jobs/NAME in a checkout]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Folder of a checkout of hatchery, or URL of its Git repository, that a crate of its own
    /// depends on [default: the checkout that this program was built in]
    #[arg(long, value_name = "DIR|URL")]
    hatchery: Option<String>,
}

impl GameCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::New(new) => new.run(),
        }
    }
}

impl NewGameCommand {
    fn run(&self) -> Result<(), CommandError> {
        let default = PathBuf::from(self.name.as_str());
        let folder = self.folder.as_ref().unwrap_or(&default);
        let source = match &self.hatchery {
            Some(given) => HatcherySource::given(given)?,
            None => match Checkout::around(folder) {
                Some(checkout) => return self.add_to(&checkout),
                None => HatcherySource::of_this_program()?,
            },
        };
        game::write_own_crate(&self.name, folder, &source)?;
        print_result(&own_crate_text(&self.name, folder))
    }

    /// Adds the game to a checkout.
    fn add_to(&self, checkout: &Checkout) -> Result<(), CommandError> {
        let expected = checkout.folder_of(&self.name);
        if let Some(given) = &self.folder
            && std::path::absolute(given).ok().as_ref() != Some(&expected)
        {
            let (checkout, given) = (checkout.path().to_owned(), given.clone());
            return Err(GameError::NotBelowJobs { checkout, given, expected }.into());
        }
        let (folder, lists) = game::add_to_checkout(&self.name, checkout)?;
        print_result(&checkout_text(&self.name, &folder, &lists))
    }
}

/// Returns the words for a crate of its own.
fn own_crate_text(name: &GameName, folder: &Path) -> String {
    let (name, folder) = (name.as_str(), escape_line(&folder.display().to_string()));
    format!(
        "{folder} is a crate with the game {name}: the dice game Pig, for you to change\n\
         next: cd {folder}\n      \
         cargo run --release -- run {name}/smoke\n      \
         cargo test --release\n"
    )
}

/// Returns the words for a game in a checkout.
fn checkout_text(name: &GameName, folder: &Path, lists: &[&str]) -> String {
    let (name, folder) = (name.as_str(), escape_line(&folder.display().to_string()));
    format!(
        "{folder} is the crate of the game {name}: the dice game Pig, for you to change\n\
         listed in {}\n\
         next: cargo fmt --all\n      \
         cargo run --release -- run {name}/smoke\n      \
         UPDATE_GOLDEN=1 cargo test --test golden\n",
        joined(lists.iter().copied())
    )
}
