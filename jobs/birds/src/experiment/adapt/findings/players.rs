//! What levels say of their players: ideal pigs by skill, and the pigs of levels at the end.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::grouped;

use super::super::pictures;
use super::super::summary::{AdaptSummary, SubjectPigs};
use crate::experiment::mean_estimate::{MeanEstimate, cell};

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
    let heads = [TableHead::text("player"), TableHead::number("subjects")].into_iter();
    let heads = heads.chain(columns.iter().map(|(_, name)| TableHead::number(name)));
    let rows = spec.subjects.iter().enumerate().map(|(group, subjects)| {
        let n = u64::from(subjects.count) * u64::from(spec.replicates);
        let mut row = vec![subjects.player.name().into(), grouped(n).into()];
        row.extend(columns.iter().map(|(pigs, _)| {
            cell(MeanEstimate::of_sizes(&summary.player_pigs(*pigs, group)).map(|it| it.text(2)))
        }));
        row
    });
    let rows = rows.collect();
    let correlations = columns.iter().filter_map(|(pigs, name)| {
        let it = summary.skill_correlation(*pigs)?;
        Some(RichText::new(format!("{name}: ")).join(RichText::estimate(it, 2)))
    });
    let correlations: Vec<_> = correlations.collect();
    let caption = "The ideal number of pigs that stands for a player: mean over the subjects of a \
                   skill, the least skilled first.";
    let mut blocks = vec![FindingBlock::table(caption, heads.collect(), rows)];
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
