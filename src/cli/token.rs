//! `hatchery token`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use comfy_table::{Table, presets::NOTHING};
use hatchery_coordinator::UserName;

use super::output::print_result;
use crate::access::token_file::{IfMissing, change, parse, read};
use crate::access::token_list::{TokenEntry, add_token, revoke_token};
use crate::access::{TokenRole, TokenSecret};
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
    role: TokenRole,
    /// Comment in the file
    #[arg(long, default_value = "")]
    comment: String,
    #[command(flatten)]
    file: FileArgs,
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
        let (name, role) = (self.name.clone(), Some(self.role));
        let token = TokenEntry { name, role, id: secret.id(), comment };
        change(&self.file.tokens, IfMissing::Create, |text| add_token(text, &token))?;
        print_result(&format!("{}\n", secret.reveal()))?;
        print_status("the token is shown only once: the file holds its hash");
        Ok(())
    }
}

impl ListTokensCommand {
    fn run(&self) -> Result<(), CommandError> {
        let path = &self.file.tokens;
        let tokens = parse(path, &read(path)?)?;
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
        Ok(change(&self.file.tokens, IfMissing::Fail, |text| revoke_token(text, &self.name))?)
    }
}
