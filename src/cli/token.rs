//! `hatchery token`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use comfy_table::{Table, presets::NOTHING};
use hatchery_coordinator::User;

use super::output::print_result;
use crate::access::guard::{MayBeNew, change, parse, read};
use crate::access::tokens::{Token, with, without};
use crate::access::{Role, Secret};
use crate::failure::Failure;
use crate::terminal::{escape_controls, print_status};

/// Say who may come to a farm: its coordinators read the same file, and notice what changes
#[derive(Debug, Subcommand)]
pub(crate) enum TokenVerb {
    /// Make a token, and print it: it can't be seen again
    Add(Add),
    /// List the tokens, without what is secret
    List(List),
    /// Take a token back: whoever uses it is cut off within seconds
    Revoke(Revoke),
}

/// The file of tokens.
#[derive(Debug, Args)]
struct FileArgs {
    /// The file that coordinators are given
    #[arg(long, value_name = "FILE", env = "HATCHERY_TOKENS")]
    tokens: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Whom or what it is for, such as a user: runs that are submitted with it are theirs
    name: User,
    /// What it is for
    #[arg(long, value_enum)]
    role: Role,
    /// What else to write beside it
    #[arg(long, default_value = "")]
    comment: String,
    #[command(flatten)]
    file: FileArgs,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    file: FileArgs,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// The token's name
    name: User,
    #[command(flatten)]
    file: FileArgs,
}

impl TokenVerb {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Add(add) => add.run(),
            Self::List(list) => list.run(),
            Self::Revoke(revoke) => revoke.run(),
        }
    }
}

impl Add {
    fn run(&self) -> Result<(), Failure> {
        let secret = Secret::generate()?;
        // It stays on its line.
        let comment = self.comment.split_whitespace().collect::<Vec<_>>().join(" ");
        let (name, role) = (self.name.clone(), Some(self.role));
        let token = Token { name, role, id: secret.id(), comment };
        change(&self.file.tokens, MayBeNew::Yes, |text| with(text, &token))?;
        print_result(&format!("{}\n", secret.reveal()))?;
        print_status("this is the only time it is shown: the file has its hash");
        Ok(())
    }
}

impl List {
    fn run(&self) -> Result<(), Failure> {
        let path = &self.file.tokens;
        let tokens = parse(path, &read(path)?)?;
        let mut table = Table::new();
        table.load_style(NOTHING);
        table.set_header(["NAME", "ROLE", "COMMENT"]);
        for token in tokens.iter() {
            table.add_row([
                token.name.to_string(),
                token.standing(),
                escape_controls(&token.comment),
            ]);
        }
        print_result(&format!("{}\n", table.trim_fmt()))
    }
}

impl Revoke {
    fn run(&self) -> Result<(), Failure> {
        change(&self.file.tokens, MayBeNew::No, |text| without(text, &self.name))
    }
}
