//! The tables of `birds-adapt`.

use hatchery_core::findings::words;
use hatchery_core::table::{NumberForm, TableColumns};
use hatchery_core::{DataTable, Exhibit};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::proportion::wilson_interval;
use hatchery_stats::signed_rank::SignedRankTest;

use super::pictures::shown_subject;
use super::spec::LevelCondition;
use super::state::{AdaptTrack, FinalPlay, RoundRecord};
use super::summary::{AdaptSummary, ConditionRates};
use crate::studies::mean_estimate::MeanEstimate;
use crate::trial::results::{FITNESS_TERMS, from_millionths};

/// The decimal places of numbers.
const DIGITS: usize = 6;

pub(super) fn pigs_by_round(summary: &AdaptSummary<'_>) -> Exhibit {
    let of_alpha = |(number, alpha)| {
        let rounds = summary.mean_pigs(number).into_iter().zip(1_u32..);
        rounds.map(move |(mean, round)| (alpha, round, mean))
    };
    DataTable::of(&summary.alphas().flat_map(of_alpha).collect::<Vec<_>>())
        .number("alpha", NumberForm::Shortest, |(alpha, ..)| *alpha)
        .count("round", |(_, round, _)| *round)
        .estimate(["mean_p", "low", "high"], DIGITS, |(.., mean)| *mean)
        .count("subjects", |_| summary.spec.n_subjects())
        .csv("p-by-round.csv")
}

pub(super) fn fitness(summary: &AdaptSummary<'_>) -> Exhibit {
    let generations = summary.state.history.generations.iter().zip(1_u32..);
    DataTable::of(&generations.collect::<Vec<_>>())
        .count("generation", |(_, generation)| *generation)
        .count("evolutions", |(sums, _)| sums.n)
        .count("running", |(sums, _)| sums.n_running)
        .number("mean_fitness", DIGITS, |(sums, _)| sums.mean_fitness())
        .number("standard_error", DIGITS, |(sums, _)| sums.standard_error())
        .number("best_fitness", DIGITS, |(sums, _)| sums.mean_best())
        .csv("fitness.csv")
}

/// A round of a track.
struct TrackRound<'a> {
    subject: usize,
    alpha: f64,
    /// The place of the alpha in the subject's order of the alphas.
    alpha_order: Option<usize>,
    track: &'a AdaptTrack,
    /// The round, counted from 0.
    place: usize,
    round: &'a RoundRecord,
}

pub(super) fn rounds(summary: &AdaptSummary<'_>) -> Exhibit {
    let mut rows = Vec::new();
    for subject in 0..summary.spec.n_subjects() {
        for (number, alpha) in summary.alphas() {
            let Some(track) = summary.tracks(number).nth(subject) else { continue };
            let orders = summary.state.alpha_orders.get(subject);
            let alpha_order = orders.and_then(|it| it.iter().position(|it| *it == number));
            let rounds = track.rounds.iter().enumerate();
            rows.extend(rounds.map(|(place, round)| TrackRound {
                subject,
                alpha,
                alpha_order,
                track,
                place,
                round,
            }));
        }
    }
    DataTable::of(&rows)
        .count("subject", |row| row.subject + 1)
        .text("player", |row| player(summary, row.subject))
        .number("alpha", NumberForm::Shortest, |row| row.alpha)
        .count("alpha_order", |row| row.alpha_order.map(|order| order + 1))
        .count("round", |row| row.place + 1)
        .number("ideal_pigs", DIGITS, |row| row.round.ideal_pigs)
        .number("ideal_blocks", DIGITS, |row| row.round.ideal_blocks)
        .count("pigs", |row| row.round.pigs)
        .count("blocks", |row| row.round.blocks)
        .count("birds_used", |row| row.round.birds_used)
        .count("pigs_at_first", |row| row.round.pigs_at_first)
        .count("pigs_killed", |row| row.round.pigs_at_first - row.round.pigs_left)
        .number("expected_kills", DIGITS, |row| row.round.expected_kills)
        .number("next_ideal_pigs", DIGITS, |row| AdaptSummary::pigs_after(row.track, row.place))
        .each(FITNESS_TERMS.into_iter().enumerate(), |table, (term, name)| {
            table.number(name, DIGITS, |row| Some(from_millionths(row.round.fitness?[term])))
        })
        .count("generations", |row| row.round.generations)
        .count("evaluations", |row| row.round.evaluations)
        .csv("rounds.csv")
}

/// The clear rates under a condition, beside the clear rates of the conventional condition.
pub(super) struct ComparedRates {
    rates: ConditionRates,
    gain: Option<MeanEstimate>,
    test: Option<SignedRankTest>,
}

/// Returns the clear rates under every condition as columns, for the file and for the page.
pub(super) fn clear_rates<'a>(
    summary: &AdaptSummary<'a>,
    rows: &'a [ComparedRates],
) -> TableColumns<'a, ComparedRates> {
    let alphas = &summary.spec.adaptation.alphas;
    let plays = |ComparedRates { rates, .. }: &ComparedRates| {
        wilson_interval(rates.cleared, rates.plays, ErrorRate::FIVE_PERCENT).ok()
    };
    let p_exact = |it: &ComparedRates| Some(it.test.as_ref()?.exact.as_ref()?.two_sided);
    let p_normal = |it: &ComparedRates| Some(it.test.as_ref()?.normal.two_sided);
    let p_words = |p: Option<f64>| p.map(|p| words::p_value(p, 4));
    DataTable::of(rows)
        .text(("condition", ""), |it| it.rates.condition.name(alphas))
        .text(("", "condition"), |it| it.rates.condition.words(alphas))
        .count("subjects", |it| it.rates.rates().len())
        .count("plays", |it| it.rates.plays)
        .count("cleared", |it| it.rates.cleared)
        .words(("", "cleared"), |it| words::of_all(it.rates.cleared, it.rates.plays))
        .share((["clear_rate", "low", "high"], "clear rate"), DIGITS, |it| it.rates.mean())
        .number("plays_low", DIGITS, |it| plays(it).map(|it| it.low))
        .number("plays_high", DIGITS, |it| plays(it).map(|it| it.high))
        .number("w_plus", DIGITS, |it| Some(it.test.as_ref()?.positive_ranks))
        .number("w_minus", DIGITS, |it| Some(it.test.as_ref()?.negative_ranks))
        .words(("", "against conventional"), |it| it.gain.map(MeanEstimate::points))
        .number("p_exact", DIGITS, p_exact)
        .words(("", "p, exact"), |it| p_words(p_exact(it)))
        .number("p_normal", DIGITS, p_normal)
        .words(("", "p, normal"), |it| p_words(p_normal(it)))
}

/// Returns the clear rates under every condition, beside the clear rates of the conventional
/// condition.
pub(super) fn compared_rates(summary: &AdaptSummary<'_>) -> Vec<ComparedRates> {
    let all = summary.clear_rates();
    let conventional = all.last().cloned();
    let compared = all.iter().map(|rates| {
        let other = conventional.as_ref().filter(|it| it.condition != rates.condition);
        let gain = other.and_then(|it| rates.mean_gain(it));
        ComparedRates { rates: rates.clone(), gain, test: AdaptSummary::test(rates, &all) }
    });
    compared.collect()
}

pub(super) fn plays(summary: &AdaptSummary<'_>) -> Exhibit {
    let of_subject = |subject| (0..).zip(summary.plays_of(subject));
    let plays = (0..summary.spec.n_subjects()).flat_map(of_subject);
    DataTable::of(&plays.collect::<Vec<(usize, &FinalPlay)>>())
        .count("subject", |(_, play)| play.subject + 1)
        .text("player", |(_, play)| player(summary, play.subject))
        .count("order", |(order, _)| order + 1)
        .text("condition", |(_, play)| play.condition.name(&summary.spec.adaptation.alphas))
        .count("pigs", |(_, play)| play.pigs)
        .count("blocks", |(_, play)| play.blocks)
        .flag("cleared", |(_, play)| play.is_cleared)
        .count("birds_used", |(_, play)| play.birds_used)
        .csv("plays.csv")
}

/// Levels made for the same ideal number of pigs under the same condition.
struct LevelRow<'a> {
    levels: &'a str,
    ideal: f64,
    condition: String,
    level: u32,
    pigs: u32,
}

pub(super) fn pigs(summary: &AdaptSummary<'_>) -> Exhibit {
    let (spec, mut rows) = (summary.spec, Vec::new());
    let shown = &summary.state.shown;
    let subject = shown_subject(summary);
    let name = subject.map(|(subject, ..)| format!("subject-{}", subject + 1)).unwrap_or_default();
    let mut add = |levels, ideal, condition: &str, pigs: &[u32]| {
        rows.extend((1..).zip(pigs).map(|(level, &pigs)| LevelRow {
            levels,
            ideal,
            condition: condition.to_owned(),
            level,
            pigs,
        }));
    };
    add("not-played", spec.shown_pigs, "adapted", &shown.adapted);
    add("not-played", spec.shown_pigs, "conventional", &shown.conventional);
    if let Some((subject, alpha, ideal)) = subject {
        for condition in [LevelCondition::Adapted(alpha), LevelCondition::Conventional] {
            let plays = summary.plays_of(subject).filter(|play| play.condition == condition);
            let pigs: Vec<u32> = plays.map(|play| play.pigs).collect();
            add(&name, ideal, &condition.name(&spec.adaptation.alphas), &pigs);
        }
    }
    DataTable::of(&rows)
        .text("levels", |row| row.levels)
        .number("ideal_pigs", DIGITS, |row| row.ideal)
        .text("condition", |row| &row.condition)
        .count("level", |row| row.level)
        .count("pigs", |row| row.pigs)
        .csv("pigs.csv")
}

fn player<'a>(summary: &AdaptSummary<'a>, subject: usize) -> &'a str {
    summary.spec.subjects[summary.spec.group_of(subject)].player.name()
}
