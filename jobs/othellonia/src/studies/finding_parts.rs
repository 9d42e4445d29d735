//! Parts of findings: numbers and pieces in words, and spec lines for other runs.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{grouped, joined};
use hatchery_core::{DataTable, Part};

use crate::pool::{PieceDefinition, PiecePool, PieceText};
use crate::rules::PieceId;

/// Returns the sizes of hidden layers in words, such as `256 and 64 hidden units`.
pub(super) fn hidden_words(hidden: &[u32]) -> String {
    let sizes: Vec<_> = hidden.iter().map(|&units| grouped(units)).collect();
    format!("{} hidden units", joined(sizes))
}

/// Returns the name and the number of a piece, such as `Ember Drake (12)`.
pub(super) fn piece_name(pool: &PiecePool, piece: u32) -> String {
    format!("{} ({piece})", definition(pool, piece).map_or("", |it| &it.name))
}

/// Returns a description of a piece: its numbers and its skills. The description is empty if the
/// piece is not in the pool.
pub(super) fn piece_words(pool: &PiecePool, piece: u32) -> String {
    definition(pool, piece).map(PieceText::piece).unwrap_or_default()
}

fn definition(pool: &PiecePool, piece: u32) -> Option<&PieceDefinition> {
    pool.definition(PieceId(u16::try_from(piece).ok()?))
}

/// Returns the reason why something ended early, with what became of it.
pub(super) fn early(what: &str, then: &str, reason: &str) -> RichText {
    RichText::default().strong(format!("{what} ended early")).plain(format!("{then}: {reason}"))
}

/// Returns the table of the claims of a source beside what a run shows.
pub(super) fn claim_table(source: &str, claims: &[(&str, RichText)]) -> FindingBlock {
    DataTable::on_page(claims)
        .text(source, |(claim, _)| *claim)
        .text("Here", |(_, ours)| ours.clone())
        .block("")
}

/// Returns the section of the reasons why something ended early; none without reasons.
pub(super) fn ended_early(reasons: Vec<RichText>) -> Option<FindingSection> {
    if reasons.is_empty() {
        return None;
    }
    Some(FindingSection::new("What ended early", vec![FindingBlock::List(reasons)]))
}

/// Returns the parameter value that makes another run use these vectors.
pub(super) fn vectors_line(vectors: Part) -> String {
    format!("{{ kind = \"file\", file = {{ blake3 = \"{}\" }} }}", vectors.hash())
}

/// Returns the parameter value that gives an agent in another run these weights.
pub(super) fn agent_line(weights: Part) -> String {
    format!("{{ kind = \"network\", weights = {{ blake3 = \"{}\" }} }}", weights.hash())
}

/// Returns the section that says how other runs take in files of this one; none without files. Each
/// is a parameter, its value and what it is.
pub(super) fn for_other_runs(lines: Vec<(&str, String, RichText)>) -> Option<FindingSection> {
    if lines.is_empty() {
        return None;
    }
    let about = RichText::new("A run that takes in one of these files names it by its hash: the ")
        .plain("line goes below ")
        .code("[params]")
        .plain(", or after ")
        .code("--set")
        .plain(".");
    let item = |(key, value, what): (&str, String, RichText)| {
        what.plain(": ").code(format!("{key} = {value}"))
    };
    let items = FindingBlock::List(lines.into_iter().map(item).collect());
    Some(FindingSection::new("For other runs", vec![FindingBlock::Text(about), items]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_words() {
        assert_eq!(hidden_words(&[1_024]), "1,024 hidden units");
        assert_eq!(hidden_words(&[256, 128, 64]), "256, 128 and 64 hidden units");
    }
}
