//! Options from environment variables. An empty variable counts as unset, and an error names the
//! variable that a value came from instead of the option.

use std::env;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Error};

use crate::environment::{VariableOption, VariableOptions};

/// Parses the arguments of a process, of which the first is its name. Also returns the options that
/// came from variables.
///
/// # Errors
///
/// Fails if the arguments or the variables are wrong, or ask for help.
pub(super) fn parse(
    command: Command,
    arguments: &[OsString],
) -> Result<(ArgMatches, VariableOptions), Error> {
    let given = without_empty(command.clone());
    match given.clone().try_get_matches_from(arguments) {
        Ok(matches) => {
            let options = VariableOptions(options_of(&given, &matches));
            Ok((matches, options))
        }
        // The help has all variables.
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            Err(command.try_get_matches_from(arguments).err().unwrap_or(error))
        }
        Err(error) => Err(name_variables(error, &options_set(&given, arguments))),
    }
}

/// Returns the command without the variables that are empty.
fn without_empty(command: Command) -> Command {
    let without = |arg: Arg| match arg.get_env() {
        Some(name) if env::var_os(name).is_some_and(|value| value.is_empty()) => {
            arg.env(None::<&'static str>)
        }
        _ => arg,
    };
    command.mut_args(without).mut_subcommands(without_empty)
}

/// Returns the options of a command and of its subcommand that came from variables.
fn options_of(command: &Command, matches: &ArgMatches) -> Vec<VariableOption> {
    let from_variable = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::EnvVariable)
    };
    let mut options: Vec<_> =
        command.get_arguments().filter(from_variable).filter_map(variable_option).collect();
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        options.extend(options_of(command, matches));
    }
    options
}

fn variable_option(arg: &Arg) -> Option<VariableOption> {
    Some(VariableOption {
        flag: format!("--{}", arg.get_long()?),
        variable: arg.get_env()?.to_string_lossy().into_owned(),
    })
}

/// Returns the options of the command on the command line that get their values from variables.
fn options_set(command: &Command, arguments: &[OsString]) -> VariableOptions {
    let is_given = |flag: &str| {
        arguments.iter().filter_map(|it| it.to_str()).any(|it| {
            it.strip_prefix(flag).is_some_and(|value| value.is_empty() || value.starts_with('='))
        })
    };
    let mut set = Vec::new();
    let (mut innermost, mut names) = (Some(command), arguments.iter().skip(1));
    while let Some(command) = innermost {
        let is_set = |arg: &&Arg| arg.get_env().is_some_and(|name| env::var_os(name).is_some());
        set.extend(command.get_arguments().filter(is_set).filter_map(variable_option));
        innermost = names.by_ref().find_map(|name| command.find_subcommand(name));
    }
    set.retain(|option| !is_given(&option.flag));
    VariableOptions(set)
}

/// Has an error of clap name the variables that values came from.
fn name_variables(mut error: Error, options: &VariableOptions) -> Error {
    if options.0.is_empty() {
        return error;
    }
    if error.kind() == ErrorKind::MissingRequiredArgument {
        // The missing option has no value, but the option that requires it may have a variable.
        let set: Vec<_> = options.0.iter().map(|option| &*option.variable).collect();
        let tip = format!("these variables are set: {}", set.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let renamed = |text: &String| match options.name_in(text) {
        named if named == *text => named,
        // The variable takes the place of the option and its value: `--slots <N>`.
        named => named.split(" <").next().unwrap_or_default().to_owned(),
    };
    for kind in [ContextKind::InvalidArg, ContextKind::PriorArg] {
        let value = match error.get(kind) {
            Some(ContextValue::String(text)) => ContextValue::String(renamed(text)),
            Some(ContextValue::Strings(texts)) => {
                ContextValue::Strings(texts.iter().map(renamed).collect())
            }
            _ => continue,
        };
        error.insert(kind, value);
    }
    error
}
