//! Says which levels fit whom, in a sentence, a chart and a table.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, grouped, joined, leading_digits, rounded};
use hatchery_core::{DataTable, IntervalEstimate};
use hatchery_figures::{DivergingScale, MatrixCell, MatrixChart};
use hatchery_stats::deciding_chance;

use super::cells::{EvaluatedCell, EvaluatedLevels};
use super::fit::{LevelFit, further_plays};

/// The most levels of the chart: it is read from one screen to the next.
const MAX_CHARTED: usize = 60;

/// Returns the names of the levels with play-outs, each with the clear rate of a player, given by
/// its number.
fn named_rates<'a>(
    evaluated: &'a EvaluatedLevels<'_>,
    player: usize,
) -> impl Iterator<Item = (&'a str, IntervalEstimate)> {
    let cells = evaluated.cells().skip(player).step_by(evaluated.players.len());
    cells.filter_map(|cell| Some((cell.level, cell.plays.clear_rate()?)))
}

/// Returns the clear rates of a player, given by its number, for the levels with play-outs.
fn rates(evaluated: &EvaluatedLevels<'_>, player: usize) -> impl Iterator<Item = IntervalEstimate> {
    named_rates(evaluated, player).map(|(_, rate)| rate)
}

/// Returns how each level with play-outs fits a player, given by its number.
fn fits(evaluated: &EvaluatedLevels<'_>, player: usize, target: [f64; 2]) -> Vec<LevelFit> {
    rates(evaluated, player).map(|rate| LevelFit::of(&rate, target)).collect()
}

/// The most levels that are said to fit a player by name.
const MAX_NAMED: usize = 3;

/// Names the levels that fit a player, given by its number: ` (a, b)`; nothing if there are none or
/// many, or if there is no other level.
fn names_of(evaluated: &EvaluatedLevels<'_>, player: usize, target: [f64; 2]) -> String {
    let fits = named_rates(evaluated, player)
        .filter(|(_, rate)| LevelFit::of(rate, target) == LevelFit::Fits);
    let names: Vec<&str> = fits.map(|(name, _)| name).collect();
    match (1..=MAX_NAMED).contains(&names.len()) && 1 < evaluated.levels.len() {
        true => format!(" ({})", names.join(", ")),
        false => String::new(),
    }
}

/// Returns the number of judged levels, which have a pig at the first bird.
pub(super) fn n_judged(evaluated: &EvaluatedLevels<'_>) -> usize {
    rates(evaluated, 0).count()
}

/// Says how many levels fit a player, and how many are too hard, too easy or undecided.
pub(super) fn fits_of(
    evaluated: &EvaluatedLevels<'_>,
    (number, player): (usize, &str),
    target: [f64; 2],
) -> RichText {
    let fits = fits(evaluated, number, target);
    let count = |wanted: LevelFit| fits.iter().filter(|fit| **fit == wanted).count();
    let n_fit = count(LevelFit::Fits);
    let others = LevelFit::ALL.into_iter().filter(|fit| *fit != LevelFit::Fits);
    let others = others.map(|fit| (count(fit), fit)).filter(|(n, _)| *n != 0);
    let others: Vec<String> = others.map(|(n, fit)| format!("{n} {}", fit.words())).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(", {}", joined(others)),
    };
    let verb = if n_fit == 1 || fits.len() == 1 { "fits" } else { "fit" };
    RichText::default()
        .strong(format!("{n_fit} of {} {verb}", counted(fits.len(), "level")))
        .plain(format!(" the player {player}{}{others}.", names_of(evaluated, number, target)))
}

pub(super) fn percents([least, most]: [f64; 2]) -> String {
    let [least, most] = [least, most].map(|share| rounded(100.0 * share, 0));
    format!("{least} to {most} %")
}

/// Shows which levels fit whom.
pub(super) fn fit_section(evaluated: &EvaluatedLevels<'_>, target: [f64; 2]) -> FindingSection {
    let chart = fit_chart(evaluated, target).picture();
    let n = evaluated.levels.len();
    let left_out = match n <= MAX_CHARTED {
        true => String::new(),
        false => format!(" These are the first {MAX_CHARTED} of {} levels.", grouped(n)),
    };
    let caption = format!(
        "The share of play-outs that clear each level, in percent, player by player. Red: below \
         the middle of the target, {}; blue: above it.{left_out}",
        percents(target)
    );
    let players: Vec<_> = evaluated.players.iter().copied().enumerate().collect();
    let table = DataTable::on_page(&players)
        .text("player", |(_, player)| *player)
        .each(LevelFit::ALL, |table, wanted| {
            table.count(wanted.words(), |(number, _)| {
                fits(evaluated, *number, target).into_iter().filter(|fit| *fit == wanted).count()
            })
        })
        .words("more play-outs", |(number, _)| further(evaluated, *number, target));
    let about = format!(
        "A level fits a player if the whole interval of its clear rate lies within the target; it \
         is undecided if the interval reaches over an end. More play-outs: how many of each level \
         would decide the undecided ones {}, if their rates are as estimated; levels at an end of \
         the target are left out.",
        deciding_chance()
    );
    FindingSection::new(
        "Which levels fit whom",
        vec![FindingBlock::figure("fit", chart, caption), table.block(about)],
    )
}

/// Returns the number of further play-outs per undecided level that would decide whether the level
/// fits a player.
fn further(evaluated: &EvaluatedLevels<'_>, player: usize, target: [f64; 2]) -> Option<String> {
    let open =
        rates(evaluated, player).filter(|rate| LevelFit::of(rate, target) == LevelFit::Undecided);
    let further: Vec<u64> = open.filter_map(|rate| further_plays(&rate, target)).collect();
    let [least, most] =
        [further.iter().min()?, further.iter().max()?].map(|&n| grouped(leading_digits(n)));
    Some(if least == most { least } else { format!("{least} to {most}") })
}

fn fit_chart(evaluated: &EvaluatedLevels<'_>, target: [f64; 2]) -> MatrixChart {
    let n_players = evaluated.players.len();
    let drawn = |(subject, cell): (usize, EvaluatedCell<'_>)| {
        let rate = cell.plays.clear_rate()?;
        let [mean, low, high] = [rate.mean, rate.low, rate.high].map(|it| 100.0 * it);
        let fit = LevelFit::of(&rate, target).words();
        let hover = format!(
            "{}, {}: {mean:.1} % ({low:.1} to {high:.1}), {fit}; trial 0/{subject}/0",
            cell.level, cell.player
        );
        let (row, column) = (subject / n_players, subject % n_players);
        Some(MatrixCell { row, column, value: mean, text: rounded(mean, 0), hover })
    };
    let levels = evaluated.levels.iter().take(MAX_CHARTED);
    let middle = 50.0 * (target[0] + target[1]);
    MatrixChart {
        title: "Play-outs that clear the level, %".to_owned(),
        x_label: "player".to_owned(),
        y_label: "level".to_owned(),
        legend_label: "cleared, %".to_owned(),
        rows: levels.map(|named| named.name.clone()).collect(),
        columns: evaluated.players.iter().map(|&player| player.to_owned()).collect(),
        cells: evaluated.cells().enumerate().filter_map(drawn).collect(),
        scale: DivergingScale::around(middle, middle.max(100.0 - middle)),
    }
}
