//! How networks learned: losses, and the use of the replay memory.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::grouped;

use crate::experiment::finding_parts::cell;
use crate::experiment::selfplay::report::charts::loss_chart;
use crate::experiment::selfplay::report::run_view::RunView;
use crate::experiment::selfplay::report::scalars::{lag, period_scalars};

/// Returns the losses, and every network's last period.
pub(super) fn learners(run: &RunView<'_>) -> FindingSection {
    let RunView { checked, state, .. } = *run;
    let mut rows = Vec::new();
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        let Some(last) = period_scalars(checked, it).pop() else { continue };
        let number = |it: Option<f64>, digits: usize| -> RichText {
            cell(it.map(|it| format!("{it:.digits$}").into()))
        };
        let won = last.win_rate_in_training.map(|rate| format!("{:.1} %", 100.0 * rate).into());
        rows.push(vec![
            network.words(checked.spec.seeds).into(),
            grouped(last.games).into(),
            grouped(last.steps).into(),
            number(last.loss, 3),
            cell(won),
            number(last.replay_ratio, 1),
            number(last.sample_age, 0),
            grouped(it.snapshots.len()).into(),
        ]);
    }
    let lag = match lag(&checked.schedule) {
        0 => "Networks learn from games at once.".to_owned(),
        1 => "Games lag behind learning by one generation.".to_owned(),
        lag => format!("Games lag behind learning by {lag} generations."),
    };
    let caption = format!(
        "The last period of each network. A use is a draw of a decision from the replay memory; \
         ages are in games. {lag}"
    );
    let columns = vec![
        TableHead::text("Network"),
        TableHead::number("Games"),
        TableHead::number("Steps"),
        TableHead::number("Loss"),
        TableHead::number("Won in training"),
        TableHead::number("Uses of a decision"),
        TableHead::number("Age of a decision"),
        TableHead::number("Snapshots"),
    ];
    let about = "Loss of learning by games, mean of the rows of each period: the cross entropy of \
                 a network's distribution of values and the one that it learns towards. As that \
                 one changes with the network, a loss need not fall while the network gets better. \
                 Rows are those that are learned from, so that a loss has no interval.";
    let losses = loss_chart(checked, state).picture();
    FindingSection::new(
        "Learning",
        vec![
            FindingBlock::figure("losses", losses, about),
            FindingBlock::table(caption, columns, rows),
        ],
    )
}
