//! Parts of tables whose last columns are opponents.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use crate::experiment::selfplay::report::arms::ArmLook;
use crate::experiment::selfplay::spec::CheckedSelfplay;
use crate::experiment::win_rates::percent;

/// Adds the head of a table whose last columns are opponents.
pub(super) fn table_head(text: &mut String, first: &str, checked: &CheckedSelfplay) {
    text.push_str(first);
    for opponent in &checked.opponents {
        write!(text, " {} |", opponent.name).expect(TAKES_ALL);
    }
    let n_columns = first.matches('|').count() - 1 + checked.opponents.len();
    writeln!(text, "\n|{}", "---|".repeat(n_columns)).expect(TAKES_ALL);
}

/// Adds the cells of a look: the rates against all opponents.
pub(super) fn push_rates(text: &mut String, checked: &CheckedSelfplay, look: &ArmLook) {
    for opponent in 0..checked.opponents.len() {
        let rate = look.rate(opponent).map_or_else(|| "-".to_owned(), |it| percent(&it));
        write!(text, " {rate} |").expect(TAKES_ALL);
    }
    text.push('\n');
}
