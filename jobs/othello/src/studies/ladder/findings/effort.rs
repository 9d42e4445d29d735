//! The effort of a move by depth.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{grouped, joined};

use super::super::charts;
use super::super::effort_shape::EffortShape;
use super::super::summary::{LadderSummary, intervals_overlap};
use super::super::tables;

/// All that the text of the paper says of its times.
const TIMES_OF_THE_PAPER: &str = "A move of the paper took 4.3 s at depth 5, 6.0 s at depth 15 \
    (1.40 times as much), and as long above (Takagi et al., §4.2, Fig. 5).";

/// Returns the section on effort.
pub(super) fn section(summary: &LadderSummary<'_>) -> FindingSection {
    let caption = format!(
        "Playouts and nodes per searched move by depth, in {} pairs of games of each agent against \
         itself, with {} % intervals.",
        grouped(summary.spec.self_play_pairs),
        summary.percent()
    );
    let shape = shape(summary).unwrap_or_else(|| "No games of self-play yet.".to_owned());
    let about = "A move without a choice is not searched for. A search does as much on every \
                 machine: its seconds are its playouts divided by the playouts per second of the \
                 machine.";
    FindingSection::new(
        "Effort",
        vec![
            FindingBlock::List(vec![shape.into(), TIMES_OF_THE_PAPER.into(), about.into()]),
            FindingBlock::figure("effort", charts::effort(summary).picture(), caption),
            tables::effort(&summary.depths.iter().collect::<Vec<_>>()).block(RichText::default()),
        ],
    )
}

/// Returns the playouts of a move at the deepest depth as a multiple of those at the shallowest,
/// and the two depths.
pub(super) fn growth(summary: &LadderSummary<'_>) -> Option<(f64, [u32; 2])> {
    let (first, last) = (summary.depths.first()?, summary.depths.last()?);
    let [before, after] = [first, last].map(|one| Some(one.effort.as_ref()?.playouts.mean));
    let factor = after? / before?;
    factor.is_finite().then_some((factor, [first.depth, last.depth]))
}

/// Describes how playouts depend on the depth; `None` before the games.
pub(super) fn shape(summary: &LadderSummary<'_>) -> Option<String> {
    let efforts = summary.depths.iter().map(|one| Some((one.depth, one.effort.as_ref()?.playouts)));
    let efforts = efforts.collect::<Option<Vec<_>>>()?;
    let playouts: Vec<IntervalEstimate> = efforts.iter().map(|(_, playouts)| *playouts).collect();
    let factor = |at: usize| playouts[at].mean / playouts[0].mean;
    let last = efforts.len().checked_sub(1)?;
    let depth = |at: usize| efforts[at].0;
    let (first, deepest) = (depth(0), depth(last));
    Some(match EffortShape::of(&playouts) {
        EffortShape::Level => "Playouts are level: all intervals overlap.".to_owned(),
        EffortShape::Rising => format!(
            "Playouts rise with every depth, to {:.2} times those of depth {first} at depth \
             {deepest}.",
            factor(last)
        ),
        EffortShape::RisingThenLevel(from) => format!(
            "Playouts rise up to depth {}, to {:.2} times those of depth {first}, and are level \
             from there: the intervals of depths {} to {deepest} overlap.",
            depth(from),
            factor(from),
            depth(from)
        ),
        EffortShape::Uneven => {
            let falls = (1..=last).filter(|&at| {
                playouts[at].mean < playouts[at - 1].mean
                    && !intervals_overlap(playouts[at], playouts[at - 1])
            });
            let falls: Vec<String> =
                falls.map(|at| format!("from depth {} to {}", depth(at - 1), depth(at))).collect();
            match falls.is_empty() {
                true => "Playouts neither rise with every depth nor level off.".to_owned(),
                false => format!("Playouts fall {}.", joined(&falls)),
            }
        }
    })
}
