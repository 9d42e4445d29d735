//! `hatchery token`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use comfy_table::{Table, presets::NOTHING};
use hatchery_coordinator::UserName;
use hatchery_server::{TokenEntry, TokenRole, TokenSecret, token_file};

use super::output::print_result;
use crate::error::CommandError;
use crate::terminal::{escape_controls, print_status};

/// Manage access tokens
///
/// The tokens are in a file that all coordinators of a farm read, and reload when it changes.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token and print it; it cannot be shown again
    Add(AddTokenCommand),
    /// List the tokens without their secrets
    List(ListTokensCommand),
    /// Revoke a token; its connections are closed within seconds
    Revoke(RevokeTokenCommand),
}

/// The file of tokens.
#[derive(Debug, Args)]
struct FileArgs {
    /// Token file of the coordinators
    #[arg(long, value_name = "FILE", env = "HATCHERY_TOKENS")]
    tokens: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct AddTokenCommand {
    /// Name of the token, such as a user, who owns the runs that are submitted with it
    name: UserName,
    /// Role of the token
    #[arg(long, value_enum)]
    role: TokenRoleArg,
    /// Comment in the file
    #[arg(long, default_value = "")]
    comment: String,
    #[command(flatten)]
    file: FileArgs,
}

/// The role of a token, on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TokenRoleArg {
    /// Compute jobs: sessions and shared inputs only.
    Worker,
    /// Look at runs, workers and metrics.
    Viewer,
    /// Look, and make all changes: submit, pause, cancel, delete, drain, quarantine.
    Operator,
}

impl From<TokenRoleArg> for TokenRole {
    fn from(role: TokenRoleArg) -> Self {
        match role {
            TokenRoleArg::Worker => Self::Worker,
            TokenRoleArg::Viewer => Self::Viewer,
            TokenRoleArg::Operator => Self::Operator,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ListTokensCommand {
    #[command(flatten)]
    file: FileArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeTokenCommand {
    /// Name of the token
    name: UserName,
    #[command(flatten)]
    file: FileArgs,
}

impl TokenCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::Add(add) => add.run(),
            Self::List(list) => list.run(),
            Self::Revoke(revoke) => revoke.run(),
        }
    }
}

impl AddTokenCommand {
    fn run(&self) -> Result<(), CommandError> {
        let secret = TokenSecret::generate()?;
        // The comment stays on the token's line.
        let comment = self.comment.split_whitespace().collect::<Vec<_>>().join(" ");
        let (name, role) = (self.name.clone(), Some(self.role.into()));
        let token = TokenEntry { name, role, id: secret.id(), comment };
        token_file::add(&self.file.tokens, &token)?;
        print_result(&format!("{}\n", secret.reveal()))?;
        print_status("the token is shown only once: the file holds its hash");
        Ok(())
    }
}

impl ListTokensCommand {
    fn run(&self) -> Result<(), CommandError> {
        let tokens = token_file::list(&self.file.tokens)?;
        let mut table = Table::new();
        table.load_style(NOTHING);
        table.set_header(["NAME", "ROLE", "COMMENT"]);
        for token in tokens.iter() {
            table.add_row([
                token.name.to_string(),
                token.role_text(),
                escape_controls(&token.comment),
            ]);
        }
        print_result(&format!("{}\n", table.trim_fmt()))
    }
}

impl RevokeTokenCommand {
    fn run(&self) -> Result<(), CommandError> {
        Ok(token_file::revoke(&self.file.tokens, &self.name)?)
    }
}
