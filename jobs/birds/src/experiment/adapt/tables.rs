//! The tables of `birds-adapt`.

use hatchery_stats::error::ErrorRate;
use hatchery_stats::proportion::wilson_interval;

use super::conditions::LevelCondition;
use super::pictures::shown_subject;
use super::summary::AdaptSummary;
use crate::experiment::csv_text::{self, CsvText};
use crate::results::from_millionths;

/// The decimal places of numbers.
const DIGITS: usize = 6;

pub(super) fn pigs_by_round(summary: &AdaptSummary<'_>) -> String {
    let mut table = CsvText::new("alpha,round,mean_p,low,high,subjects");
    for (alpha_number, alpha) in summary.alphas() {
        for (mean, round) in summary.mean_pigs(alpha_number).into_iter().zip(1..) {
            let round: u32 = round;
            let mut row = vec![alpha.to_string(), round.to_string()];
            row.extend(csv_text::mean_fields(Some(mean), DIGITS));
            row.push(summary.spec.n_subjects().to_string());
            table.row(&row);
        }
    }
    table.finish()
}

pub(super) fn fitness(summary: &AdaptSummary<'_>) -> String {
    let header = "generation,evolutions,running,mean_fitness,standard_error,best_fitness";
    let mut table = CsvText::new(header);
    for (sums, generation) in summary.state.history.generations.iter().zip(1..) {
        let generation: u32 = generation;
        table.row(&[
            generation.to_string(),
            sums.n.to_string(),
            sums.n_running.to_string(),
            csv_text::number(Some(sums.mean_fitness())),
            csv_text::number(Some(sums.standard_error())),
            csv_text::number(Some(sums.mean_best())),
        ]);
    }
    table.finish()
}

pub(super) fn rounds(summary: &AdaptSummary<'_>) -> String {
    let mut table = CsvText::new(
        "subject,player,alpha,alpha_order,round,ideal_pigs,ideal_blocks,pigs,blocks,birds_used,\
         pigs_at_first,pigs_killed,expected_kills,next_ideal_pigs,stability_term,block_term,\
         pig_term,other_terms,generations,evaluations",
    );
    let spec = summary.spec;
    for subject in 0..spec.n_subjects() {
        let player = spec.subjects[spec.group_of(subject)].player.name();
        for (alpha_number, alpha) in summary.alphas() {
            let Some(track) = summary.tracks(alpha_number).nth(subject) else { continue };
            let orders = summary.state.alpha_orders.get(subject);
            let order = orders.and_then(|it| it.iter().position(|it| *it == alpha_number));
            for (place, round) in track.rounds.iter().enumerate() {
                let mut row = vec![(subject + 1).to_string(), player.to_owned(), alpha.to_string()];
                row.push(order.map_or_else(String::new, |order| (order + 1).to_string()));
                row.push((place + 1).to_string());
                row.extend(
                    [round.ideal_pigs, round.ideal_blocks].map(|it| csv_text::number(Some(it))),
                );
                let killed = round.pigs_at_first - round.pigs_left;
                let counts =
                    [round.pigs, round.blocks, round.birds_used, round.pigs_at_first, killed];
                row.extend(counts.map(|count| count.to_string()));
                row.push(csv_text::number(round.expected_kills));
                row.push(csv_text::number(Some(AdaptSummary::pigs_after(track, place))));
                let terms = round.fitness;
                row.extend(
                    (0..4)
                        .map(|it| csv_text::number(terms.map(|terms| from_millionths(terms[it])))),
                );
                row.extend([round.generations, round.evaluations].map(|count| count.to_string()));
                table.row(&row);
            }
        }
    }
    table.finish()
}

pub(super) fn clear_rates(summary: &AdaptSummary<'_>) -> String {
    let mut table = CsvText::new(
        "condition,subjects,plays,cleared,clear_rate,low,high,plays_low,plays_high,w_plus,w_minus,\
         p_exact,p_normal",
    );
    let all = summary.clear_rates();
    for rates in &all {
        let mut row = vec![rates.condition.name(&summary.spec.adaptation.alphas)];
        row.push(rates.rates().len().to_string());
        row.extend([rates.plays, rates.cleared].map(|count| count.to_string()));
        row.extend(csv_text::mean_fields(rates.mean(), DIGITS));
        let plays = wilson_interval(rates.cleared, rates.plays, ErrorRate::FIVE_PERCENT).ok();
        row.extend([plays.map(|it| it.low), plays.map(|it| it.high)].map(csv_text::number));
        let test = AdaptSummary::test(rates, &all);
        row.extend([
            csv_text::number(test.map(|test| test.positive_ranks)),
            csv_text::number(test.map(|test| test.negative_ranks)),
            csv_text::number(test.and_then(|test| test.exact).map(|exact| exact.two_sided)),
            csv_text::number(test.map(|test| test.normal.two_sided)),
        ]);
        table.row(&row);
    }
    table.finish()
}

pub(super) fn plays(summary: &AdaptSummary<'_>) -> String {
    let mut table = CsvText::new("subject,player,order,condition,pigs,blocks,cleared,birds_used");
    let spec = summary.spec;
    for subject in 0..spec.n_subjects() {
        let player = spec.subjects[spec.group_of(subject)].player.name();
        for (play, order) in summary.plays_of(subject).zip(1..) {
            let order: u32 = order;
            table.row(&[
                (subject + 1).to_string(),
                player.to_owned(),
                order.to_string(),
                play.condition.name(&spec.adaptation.alphas),
                play.pigs.to_string(),
                play.blocks.to_string(),
                play.is_cleared.to_string(),
                play.birds_used.to_string(),
            ]);
        }
    }
    table.finish()
}

pub(super) fn pigs(summary: &AdaptSummary<'_>) -> String {
    let mut table = CsvText::new("levels,ideal_pigs,condition,level,pigs");
    let spec = summary.spec;
    let mut add = |levels: &str, ideal: f64, condition: &str, pigs: &[u32]| {
        for (pigs, level) in pigs.iter().zip(1..) {
            let level: u32 = level;
            table.row(&[
                levels.to_owned(),
                csv_text::number(Some(ideal)),
                condition.to_owned(),
                level.to_string(),
                pigs.to_string(),
            ]);
        }
    };
    let shown = &summary.state.shown;
    add("not-played", spec.shown_pigs, "adapted", &shown.adapted);
    add("not-played", spec.shown_pigs, "conventional", &shown.conventional);
    if let Some((subject, alpha, ideal)) = shown_subject(summary) {
        let name = format!("subject-{}", subject + 1);
        for condition in [LevelCondition::Adapted(alpha), LevelCondition::Conventional] {
            let plays = summary.plays_of(subject).filter(|play| play.condition == condition);
            let pigs: Vec<u32> = plays.map(|play| play.pigs).collect();
            add(&name, ideal, &condition.name(&spec.adaptation.alphas), &pigs);
        }
    }
    table.finish()
}
