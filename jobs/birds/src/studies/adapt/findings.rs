//! The findings: fitness, adaptation, pigs and clear rates, in the order of the paper.

mod clear_rates;
mod players;

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::table::NumberForm;
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_core::{DataTable, Findings};

use super::pictures;
use super::summary::{AdaptSummary, SubjectPigs};
use crate::studies::mean_estimate::MeanEstimate;
use crate::trial::results::from_millionths;

/// Returns the findings.
pub(super) fn findings(summary: &AdaptSummary<'_>) -> Findings {
    let mut sections = Vec::new();
    if summary.n_rounds() != 0 {
        sections.extend([fitness(summary), adaptation(summary), players::by_skill(summary)]);
    }
    if !summary.state.plays.is_empty() {
        sections.extend([players::pigs(summary), clear_rates::section(summary)]);
    }
    Findings {
        title: "Do Angry Birds levels that adapt to a player get cleared more often?".into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections,
        method: vec![method()],
    }
}

fn finding(summary: &AdaptSummary<'_>) -> RichText {
    if !summary.state.plays.is_empty() {
        return clear_rates::finding(summary);
    }
    let (n, all) = (summary.n_rounds(), summary.spec.rounds);
    if n == 0 {
        return "No rounds have been played yet.".into();
    }
    let mut words = RichText::new(format!(
        "{n} of {} have been played; levels are compared after the last one.",
        counted(all, "round")
    ));
    for (number, alpha) in summary.alphas() {
        let Some(pigs) = summary.mean_pigs(number).last().copied() else { continue };
        words = words
            .plain(format!(" With alpha {alpha}, the ideal number of pigs is "))
            .join(pigs.text(2))
            .plain(" on average.");
    }
    words
}

fn key_facts(summary: &AdaptSummary<'_>) -> Vec<KeyFact> {
    if summary.n_rounds() == 0 {
        return Vec::new();
    }
    let skill = summary.skill_correlation(SubjectPigs::MeanOfLate).map(|it| KeyFact {
        name: "Skill and ideal pigs".to_owned(),
        value: format!("rho = {}", rounded(it.mean, 2)),
        note: format!(
            "{}, Spearman's rank correlation",
            words::interval(&it, |end| rounded(end, 2))
        ),
    });
    clear_rates::key_fact(summary).into_iter().chain(skill).collect()
}

/// Returns the section of the evolutions: Fig. 2 of the paper.
fn fitness(summary: &AdaptSummary<'_>) -> FindingSection {
    let rounds = || summary.state.tracks.iter().flat_map(|track| &track.rounds);
    let lengths: Vec<f64> = rounds().map(|round| f64::from(round.generations)).collect();
    let totals: Vec<f64> = rounds()
        .filter_map(|round| round.fitness)
        .map(|terms| from_millionths(terms.iter().sum()))
        .collect();
    let near = rounds().filter(|it| (f64::from(it.pigs) - it.ideal_pigs).abs() <= 0.5).count();
    let n_empty = rounds().filter(|round| round.fitness.is_none()).count();
    let mean = |values: &[f64], digits| {
        words::or_dash(MeanEstimate::of_sizes(values).map(|it| it.text(digits)))
    };
    let mut facts = vec![
        RichText::new(format!(
            "{} were made for the rounds, after ",
            counted(rounds().count(), "level")
        ))
        .join(mean(&lengths, 1))
        .plain(" generations each."),
        RichText::new("Their fitness is ").join(mean(&totals, 3)).plain(", which is minimized."),
        format!("{} of them have a number of pigs within 1/2 of the ideal one.", grouped(near))
            .into(),
    ];
    if n_empty != 0 {
        let levels = grouped(n_empty);
        facts.push(format!("Empty levels, whose fitness is infinite: {levels}.").into());
    }
    let n = summary.state.history.generations.first().map_or(0, |sums| sums.n);
    let caption = format!(
        "Fitness by generation of the genetic algorithm, which minimizes it: mean of {}, with a \
         band of 95 % for the mean of populations. The best of a population was selected by its \
         fitness, but no chance is in that: a level always settles in the same way. An evolution \
         that has ended counts with its last generation (Kaidan et al., Fig. 2).",
        counted(n, "evolution")
    );
    let figure = FindingBlock::figure("fitness", pictures::fitness(summary).picture(), caption);
    FindingSection::new("Evolution of levels", vec![figure, FindingBlock::List(facts)])
}

/// Returns the section of the ideal number of pigs: Fig. 3 of the paper.
fn adaptation(summary: &AdaptSummary<'_>) -> FindingSection {
    let caption = format!(
        "The ideal number of pigs P after each round: mean of {}, with 95 % intervals. Each round \
         is played at a level of its own, and P moves toward the number of pigs that the player is \
         expected to kill, the faster the larger alpha is (Kaidan et al., Fig. 3).",
        counted(summary.spec.n_subjects(), "subject")
    );
    let alphas: Vec<_> = summary.alphas().collect();
    let table = DataTable::on_page(&alphas)
        .number("alpha", NumberForm::Shortest, |(_, alpha)| *alpha)
        .estimate("P at the end, pigs", 2, |(number, _)| summary.mean_pigs(*number).pop())
        .estimate("swing, pigs", 2, |(number, _)| summary.swing(*number))
        .count("rounds until the mean arrives", |(number, _)| summary.rounds_to_arrive(*number));
    let about = "The swing is the standard deviation of P over the second half of a subject's \
                 rounds. A mean has arrived when it has come 80 % of its way.";
    let picture = pictures::pigs_by_round(summary).picture();
    FindingSection::new(
        "Adaptation",
        vec![FindingBlock::figure("p-by-round", picture, caption), table.block(about)],
    )
}

fn method() -> FindingBlock {
    let about = RichText::new(
        "Conventional levels ask for many pigs instead of the ideal number. Intervals are over \
         subjects and hold with 95 %; they are not corrected for the number of alphas. ",
    );
    let files = about.code("rounds.csv").plain(" has all rounds, ").code("plays.csv");
    FindingBlock::Text(files.plain(" all plays at the end."))
}
