//! Charts of win rates and losses by games, and of match-ups of decks.

use hatchery_core::findings::words;
use hatchery_core::text::counted;
use hatchery_figures::{DivergingScale, MatrixCell, MatrixChart, PointChart, PointSeries};

use super::arms::ArmCurve;
use super::scalars::period_scalars;
use crate::studies::loss_curve::{loss_curves, loss_series};
use crate::studies::selfplay::check::CheckedSelfplay;
use crate::studies::selfplay::state::SelfplayState;
use crate::studies::win_rates::{rate_chart, rate_series, win_rate};

/// The most curves of a chart: more cannot be told apart.
const MAX_CURVES: usize = 6;

/// The label of the axis of games.
const GAMES: &str = "games to learn from";

/// The difference from 50 % at which the colors of match-ups end.
const REACH: f64 = 50.0;

/// Returns the charts with the names of their figures: a single chart with all arms and opponents,
/// or a chart for each opponent if a single chart would have too many curves.
pub(super) fn win_rate_charts(
    checked: &CheckedSelfplay,
    curves: &[ArmCurve<'_>],
) -> Vec<(String, PointChart)> {
    let opponents: Vec<_> = checked.opponents.iter().map(|it| it.name.as_str()).collect();
    if curves.len() * opponents.len() <= MAX_CURVES {
        let series = opponents.iter().enumerate().flat_map(|(at, opponent)| {
            let name = move |arm: &str| match curves.len() {
                1 => format!("against {opponent}"),
                _ => format!("{arm}, against {opponent}"),
            };
            curves.iter().map(move |curve| series(name(curve.arm.words()), curve, at))
        });
        let title = match curves {
            [curve] => format!("Win rates with {}", curve.arm.words()),
            _ => "Win rates".to_owned(),
        };
        return vec![("learning-curves".to_owned(), chart(title, series.collect()))];
    }
    let of_opponent = |(at, opponent): (usize, &&str)| {
        let series = curves.iter().map(|curve| series(curve.arm.words().to_owned(), curve, at));
        let title = format!("Win rate against the agent {opponent}");
        (format!("learning-curves-{opponent}"), chart(title, series.collect()))
    };
    opponents.iter().enumerate().map(of_opponent).collect()
}

fn series(name: String, curve: &ArmCurve<'_>, opponent: usize) -> PointSeries {
    let looks = curve.looks.iter();
    rate_series(name, looks.filter_map(|look| Some((look.games, look.rate(opponent)?))))
}

fn chart(title: String, series: Vec<PointSeries>) -> PointChart {
    rate_chart(title, GAMES, series)
}

/// Returns the chart of the losses in learning. It shows every network or, if these would be too
/// many curves, the first network in every arm.
pub(super) fn loss_chart(checked: &CheckedSelfplay, state: &SelfplayState) -> PointChart {
    let is_shown = |seed: u32| checked.networks.len() <= MAX_CURVES || seed == 0;
    let networks = checked.networks.iter().zip(&state.networks);
    let curves = networks.filter(|(network, _)| is_shown(network.seed)).map(|(network, it)| {
        let scalars = period_scalars(checked, it).into_iter();
        let points = scalars.filter_map(|scalars| Some((scalars.games, scalars.loss?)));
        loss_series(&network.words(checked.spec.seeds), points)
    });
    loss_curves("Loss of learning", GAMES, curves.collect())
}

/// Returns the chart of the games of an arm with each of its decks against each of an opponent's.
pub(super) fn matchup_chart(
    checked: &CheckedSelfplay,
    title: String,
    matchups: &[[u64; 3]],
) -> MatrixChart {
    let n_decks = checked.decks.len();
    let cell = |(at, &games): (usize, &[u64; 3])| {
        let rate = win_rate(games);
        let (row, column) = (at / n_decks, at % n_decks);
        let [own, enemy] = [row, column].map(|deck| checked.decks.get(deck));
        let hover = own.zip(enemy).map(|(own, enemy)| {
            let (own, enemy) = (&own.name, &enemy.name);
            let (mean, interval) = (words::percent(rate.mean, 1), words::percent_interval(&rate));
            format!("{own} against {enemy}: {mean} ({interval}), {}", counted(rate.n, "game"))
        });
        let value = 100.0 * rate.mean;
        let hover = hover.unwrap_or_default();
        MatrixCell { row, column, value, text: format!("{value:.1}"), hover }
    };
    let names: Vec<String> = checked.decks.iter().map(|deck| deck.name.clone()).collect();
    MatrixChart {
        title,
        x_label: "deck of the opponent".to_owned(),
        y_label: "deck of the network".to_owned(),
        legend_label: "games won, %".to_owned(),
        rows: names.clone(),
        columns: names,
        cells: matchups.iter().enumerate().map(cell).collect(),
        scale: DivergingScale::around(50.0, REACH),
    }
}
