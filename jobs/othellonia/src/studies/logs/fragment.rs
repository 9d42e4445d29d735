//! `mined-decks.toml`: decks that can be pasted into a spec.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::spec::{CheckedLogs, LogsSpec};
use crate::mining::{MinedDeck, MinedDecks};

/// Returns the decks as the parameter `decks` of a spec.
pub(super) fn fragment(checked: &CheckedLogs, mined: &MinedDecks) -> String {
    let LogsSpec { pool, pieces, cost_cap, .. } = &checked.spec;
    let mut text = format!(
        "# Decks for a spec with pool.seed = {}, pool.kinds = {} and cost_cap = {cost_cap}.\n",
        pool.seed, pool.kinds,
    );
    if !pieces.is_empty() {
        let n_pieces = pieces.len();
        writeln!(text, "# It needs the own pieces (params.pieces) of this run: {n_pieces}.")
            .expect(TAKES_ALL);
    }
    text.push_str("\n[params]\ndecks = [\n    # For evaluation.\n");
    add_decks(&mut text, &mined.evaluation);
    if !mined.training.is_empty() {
        text.push_str("    # For training.\n");
        add_decks(&mut text, &mined.training);
    }
    text.push_str("]\n");
    text
}

fn add_decks(text: &mut String, decks: &[MinedDeck]) {
    for MinedDeck { name, definition, .. } in decks {
        let leader = definition.leader;
        let pieces: Vec<_> = definition.pieces.iter().map(u32::to_string).collect();
        let pieces = pieces.join(", ");
        writeln!(
            text,
            "    {{ kind = \"listed\", name = \"{name}\", leader = {leader}, \
             pieces = [{pieces}] }},"
        )
        .expect(TAKES_ALL);
    }
}
