//! Tables of networks.

use std::fmt::Write as _;

use hatchery_core::text::{TAKES_ALL, counted};

use super::rows::table_head;
use crate::experiment::selfplay::report::arms::ArmCurve;
use crate::experiment::selfplay::report::scalars::{lag, period_scalars};
use crate::experiment::selfplay::spec::CheckedSelfplay;
use crate::experiment::selfplay::state::SelfplayState;
use crate::experiment::win_rates::{percent, win_rate};

/// Returns the last look at each network of the arms that have several, and their mean.
pub(super) fn by_seed(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> String {
    let several =
        |curve: &&ArmCurve<'_>| curve.looks.last().is_some_and(|look| 1 < look.by_network.len());
    let curves: Vec<_> = curves.iter().filter(several).collect();
    if curves.is_empty() {
        return String::new();
    }
    let mut text =
        "\n## Seeds\n\nEach network at the last look, and the mean of an arm's networks \
                    with Student's interval at 95 % over networks: what another seed would give.\
                    \n\n"
            .to_owned();
    table_head(&mut text, "| arm | network |", checked);
    for curve in curves {
        let (name, Some(look)) = (curve.arm.name(), curve.looks.last()) else { continue };
        for (number, games) in (1..).zip(&look.by_network) {
            let number: u32 = number;
            write!(text, "| {name} | {number} |").expect(TAKES_ALL);
            for &games in games {
                write!(text, " {} |", percent(&win_rate(games))).expect(TAKES_ALL);
            }
            text.push('\n');
        }
        write!(text, "| {name} | mean |").expect(TAKES_ALL);
        for opponent in 0..checked.opponents.len() {
            let mean = look.mean_of_networks(opponent);
            let mean = mean.map_or_else(|| "-".to_owned(), |mean| percent(&mean));
            write!(text, " {mean} |").expect(TAKES_ALL);
        }
        text.push('\n');
    }
    text
}

/// Returns the last period of each network.
pub(super) fn learners(checked: &CheckedSelfplay, state: &SelfplayState) -> String {
    let mut text = format!(
        "\n## Learners\n\nThe last period of each network. A use is a draw of a decision from the \
         replay memory; ages are in games. Games lag behind learning by {}.\n\n\
         | network | games | steps | loss | won in training | uses of a decision | age of a \
         decision | snapshots |\n|---|---|---|---|---|---|---|---|\n",
        counted(lag(&checked.schedule) as usize, "generation")
    );
    let number = |it: Option<f64>, digits: usize| {
        it.map_or_else(|| "-".to_owned(), |it| format!("{it:.digits$}"))
    };
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let Some(last) = period_scalars(checked, it).pop() else { continue };
        let name = network.name();
        let won = last.win_rate_in_training.map(|rate| format!("{:.1} %", 100.0 * rate));
        let won = won.unwrap_or_else(|| "-".to_owned());
        let [uses, age] = [number(last.replay_ratio, 1), number(last.sample_age, 0)];
        let (games, steps, loss) = (last.games, last.steps, number(last.loss, 3));
        let n_snapshots = it.snapshots.len();
        writeln!(
            text,
            "| {name} | {games} | {steps} | {loss} | {won} | {uses} | {age} | {n_snapshots} |"
        )
        .expect(TAKES_ALL);
    }
    text
}
