//! What levels say of their players: ideal pigs by skill, and the pigs of levels at the end.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};

use super::super::pictures;
use super::super::summary::{AdaptSummary, SubjectPigs};
use crate::studies::mean_estimate::MeanEstimate;

/// Returns the section of the ideal numbers of pigs by skill.
pub(super) fn by_skill(summary: &AdaptSummary<'_>) -> FindingSection {
    let spec = summary.spec;
    let columns: Vec<(SubjectPigs, String)> = summary
        .alphas()
        .map(|(number, alpha)| (SubjectPigs::AtEnd(number), format!("alpha {alpha}")))
        .chain([
            (SubjectPigs::MeanAtEnd, "all alphas".to_owned()),
            (SubjectPigs::MeanOfLate, "all alphas, second half of the rounds".to_owned()),
        ])
        .collect();
    let correlations = columns.iter().filter_map(|(pigs, name)| {
        let it = summary.skill_correlation(*pigs)?;
        Some(RichText::new(format!("{name}: ")).join(RichText::estimate(it, 2)))
    });
    let correlations: Vec<_> = correlations.collect();
    let caption = "The ideal number of pigs that stands for a player: mean over the subjects of a \
                   skill, the least skilled first.";
    let groups: Vec<_> = spec.subjects.iter().enumerate().collect();
    let table = DataTable::on_page(&groups)
        .text("player", |(_, subjects)| subjects.player.name())
        .count("subjects", |(_, it)| u64::from(it.count) * u64::from(spec.replicates))
        .each(&columns, |table, (pigs, name)| {
            let pigs = |group| MeanEstimate::of_sizes(&summary.player_pigs(*pigs, group));
            table.estimate(name.as_str(), 2, |(group, _)| pigs(*group))
        });
    let mut blocks = vec![table.block(caption)];
    if !correlations.is_empty() {
        let about = "Spearman's rank correlation of skill, which is the order of the rows, and the \
                     ideal number of pigs:";
        blocks.extend([FindingBlock::text(about), FindingBlock::List(correlations)]);
    }
    FindingSection::new("Ideal pigs by skill", blocks)
}

/// Returns the section of the pigs of levels: Fig. 4 of the paper.
pub(super) fn pigs(summary: &AdaptSummary<'_>) -> FindingSection {
    let caption = format!(
        "The number of pigs of each level, at the ideal number P = {} and for one subject. Adapted \
         levels should lie on the line of P; conventional ones have as many pigs as fit (Kaidan et \
         al., Fig. 4).",
        summary.spec.shown_pigs
    );
    let figure = FindingBlock::figure("pigs", pictures::pigs(summary).picture(), caption);
    FindingSection::new("Pigs of levels", vec![figure])
}
