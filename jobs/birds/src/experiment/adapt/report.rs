//! The report of `birds-adapt`.

use std::fmt::Write;

use hatchery_core::text::TAKES_ALL;

use super::summary::{AdaptSummary, ConditionRates, SubjectPigs};
use crate::experiment::mean_estimate::MeanEstimate;
use crate::results::from_millionths;

pub(super) fn report(summary: &AdaptSummary<'_>) -> String {
    let spec = summary.spec;
    let mut text = format!(
        "# Levels of Angry Birds that adapt to their player\n\n{} simulated players, {} rounds \
         with each alpha{}. After each round, the ideal number of pigs P moves toward the number \
         that the player is expected to kill. Intervals are over subjects and hold with 95 %.\n\n",
        spec.n_subjects(),
        summary.n_rounds(),
        match spec.levels {
            1 => ", and one level of each condition at the end".to_owned(),
            n => format!(", and {n} levels of each condition at the end"),
        }
    );
    text.push_str(&clear_rates(summary));
    text.push_str(&adaptation(summary));
    text.push_str(&by_skill(summary));
    text.push_str(&evolutions(summary));
    text
}

fn clear_rates(summary: &AdaptSummary<'_>) -> String {
    let all = summary.clear_rates();
    if all.is_empty() {
        return String::new();
    }
    let alphas = &summary.spec.adaptation.alphas;
    let mut text = "## Clear rates\n\nA level is cleared if no pig is left. p is that of \
                    Wilcoxon's signed-rank test of the subjects' clear rates against those at \
                    conventional levels, two-sided: exact, and by the normal approximation with \
                    corrections for ties and continuity. Subjects with equal rates are left \
                    out.\n\n| condition | \
                    cleared | clear rate | against conventional | p, exact | p, normal \
                    |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for rates in &all {
        let ConditionRates { condition, plays, cleared, .. } = rates;
        let mean = rates.mean().map_or_else(|| "-".to_owned(), |mean| mean.text(3));
        let name = condition.name(alphas);
        write!(text, "| {name} | {cleared} of {plays} | {mean} |").expect(TAKES_ALL);
        match AdaptSummary::test(rates, &all) {
            Some(test) => {
                let gain = all.last().and_then(|conventional| rates.mean_gain(conventional));
                let gain = gain.map_or_else(String::new, |gain| gain.text(3));
                let exact = test.exact.map_or_else(|| "-".to_owned(), |it| p_text(it.two_sided));
                let normal = p_text(test.normal.two_sided);
                writeln!(text, " {gain} | {exact} | {normal} |").expect(TAKES_ALL);
            }
            None => text.push_str(" - | - | - |\n"),
        }
    }
    text.push('\n');
    text
}

fn p_text(p: f64) -> String {
    if p < 1e-4 { "below .0001".to_owned() } else { format!("{p:.4}") }
}

fn adaptation(summary: &AdaptSummary<'_>) -> String {
    let mut text = "## Adaptation\n\nThe swing is the standard deviation of P over the second \
                    half of a subject's rounds. A mean has arrived when it has come 80 % of its \
                    way.\n\n| alpha | P at the end | swing | rounds until the mean arrives \
                    |\n|---|---|---|---|\n"
        .to_owned();
    for (number, alpha) in summary.alphas() {
        let pigs = summary.mean_pigs(number).last().map_or_else(String::new, |it| it.text(2));
        let swing = summary.swing(number).map_or_else(|| "-".to_owned(), |it| it.text(2));
        let rounds = summary.rounds_to_arrive(number);
        let rounds = rounds.map_or_else(|| "-".to_owned(), |rounds| rounds.to_string());
        writeln!(text, "| {alpha} | {pigs} | {swing} | {rounds} |").expect(TAKES_ALL);
    }
    text.push('\n');
    text
}

fn by_skill(summary: &AdaptSummary<'_>) -> String {
    let spec = summary.spec;
    let mut text =
        "## By skill\n\nThe ideal number of pigs that stands for a player at the end of \
                    the rounds, mean over the subjects of a skill.\n\n| player | subjects |"
            .to_owned();
    let columns: Vec<(SubjectPigs, String)> = summary
        .alphas()
        .map(|(number, alpha)| (SubjectPigs::AtEnd(number), format!("alpha {alpha}")))
        .chain([
            (SubjectPigs::MeanAtEnd, "all alphas".to_owned()),
            (SubjectPigs::MeanOfLate, "all alphas, second half of the rounds".to_owned()),
        ])
        .collect();
    for (_, name) in &columns {
        write!(text, " {name} |").expect(TAKES_ALL);
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---|".repeat(columns.len()));
    text.push('\n');
    for (group, subjects) in spec.subjects.iter().enumerate() {
        let n = subjects.count * spec.replicates;
        write!(text, "| {} | {n} |", subjects.player.name()).expect(TAKES_ALL);
        for (pigs, _) in &columns {
            let pigs = MeanEstimate::new(&summary.player_pigs(*pigs, group));
            let pigs = pigs.map_or_else(|| "-".to_owned(), |it| it.text(2));
            write!(text, " {pigs} |").expect(TAKES_ALL);
        }
        text.push('\n');
    }
    text.push('\n');
    for (pigs, name) in columns {
        if let Some(it) = summary.skill_correlation(pigs) {
            let (mean, low, high) = (it.mean, it.low, it.high);
            writeln!(
                text,
                "- Spearman's correlation of skill, which is the order of the rows, and P, {name}: \
                 {mean:.2} ({low:.2} to {high:.2})"
            )
            .expect(TAKES_ALL);
        }
    }
    text.push('\n');
    text
}

fn evolutions(summary: &AdaptSummary<'_>) -> String {
    let rounds = || summary.state.tracks.iter().flat_map(|track| &track.rounds);
    let lengths: Vec<f64> = rounds().map(|round| f64::from(round.generations)).collect();
    let fitness: Vec<f64> = rounds()
        .filter_map(|round| round.fitness)
        .map(|terms| from_millionths(terms.iter().sum()))
        .collect();
    let near = rounds().filter(|it| (f64::from(it.pigs) - it.ideal_pigs).abs() <= 0.5).count();
    let mean = |values: &[f64], digits: usize| {
        MeanEstimate::new(values).map_or_else(|| "-".to_owned(), |mean| mean.text(digits))
    };
    let infinite = match rounds().filter(|round| round.fitness.is_none()).count() {
        0 => String::new(),
        n => format!(" {n} levels are empty, and their fitness infinite."),
    };
    format!(
        "## Levels\n\n{} levels were made for the rounds, after {} generations each. Their \
         fitness is {}; {near} of them have a number of pigs within 1/2 of the ideal \
         one.{infinite}\n",
        rounds().count(),
        mean(&lengths, 1),
        mean(&fitness, 3),
    )
}
