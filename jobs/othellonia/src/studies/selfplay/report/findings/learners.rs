//! How networks learned: losses, and the use of the replay memory.

use hatchery_core::findings::{FindingBlock, FindingSection};

use crate::studies::selfplay::report::charts::loss_chart;
use crate::studies::selfplay::report::run_view::RunView;
use crate::studies::selfplay::report::scalars::lag;
use crate::studies::selfplay::report::tables::{self, PeriodRow};

/// Returns the losses, and every network's last period.
pub(super) fn learners(run: &RunView<'_>) -> FindingSection {
    let RunView { checked, state, .. } = *run;
    let mut rows = tables::period_rows(checked, state);
    rows.retain(PeriodRow::is_last);
    let lag = match lag(&checked.schedule) {
        0 => "Networks learn from games at once.".to_owned(),
        1 => "Games lag behind learning by one generation.".to_owned(),
        lag => format!("Games lag behind learning by {lag} generations."),
    };
    let caption = format!(
        "The last period of each network. A use is a draw of a decision from the replay memory; \
         ages are in games. {lag}"
    );
    let about = "Loss of learning by games, mean of the rows of each period: the cross entropy of \
                 a network's distribution of values and the one that it learns towards. As that \
                 one changes with the network, a loss need not fall while the network gets better. \
                 Rows are those that are learned from, so that a loss has no interval.";
    let losses = loss_chart(checked, state).picture();
    FindingSection::new(
        "Learning",
        vec![
            FindingBlock::figure("losses", losses, about),
            tables::periods(&rows, checked.spec.seeds).block(caption),
        ],
    )
}
