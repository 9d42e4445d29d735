//! The verbs grouped by use, as the help shows them.

use clap::Command;

use crate::program;

/// The headings of the help and their verbs, in this order; hidden verbs are in none.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    (
        "Runs, here or on a farm",
        &[
            "run",
            "list",
            "show",
            "watch",
            "wait",
            "pause",
            "resume",
            "cancel",
            "fetch",
            "plot",
            "report",
            "open",
            "replay",
            "verify",
            "experiments",
            "spec",
            "game",
            "completions",
        ],
    ),
    ("Results of a match", &["elo", "sprt"]),
    ("A farm's runs", &["submit", "explain", "top", "delete", "dead"]),
    ("Workers", &["worker", "workers", "drain", "quarantine"]),
    ("Operators", &["coordinator", "token", "pki"]),
];

/// Returns `command` with help that groups its verbs by use.
pub(super) fn grouped(command: Command) -> Command {
    let width = GROUPS.iter().flat_map(|(_, verbs)| *verbs).map(|verb| verb.len()).max();
    let width = width.unwrap_or_default();
    let line = |verb: &&str| {
        let about = command.find_subcommand(verb).and_then(Command::get_about);
        format!("  {verb:width$}  {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    let group = |(heading, verbs): &(&str, &[&str])| {
        format!("{heading}:\n{}\n", verbs.iter().map(line).collect::<String>())
    };
    let groups: String = GROUPS.iter().map(group).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}\n\n\
         `{} help VERB` explains a verb.",
        program::name()
    );
    command.help_template(template)
}
