//! The method, as the findings tell it: the searches and their settings.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingSection, RichText};
use hatchery_core::text::{counted, grouped, rounded};

use super::spec::{CompareSpec, SearchParams};
use crate::studies::genotype::ControllerKind;
use crate::studies::wording;

/// Returns the settings of the searches.
pub(super) fn searches(spec: &CompareSpec) -> FindingSection {
    let table = DataTable::on_page(&spec.searches)
        .text("search", |search| &search.name)
        .text("optimizer", |search| wording::optimizer(search.optimizer))
        .count("individuals", |search| search.population)
        .text("games of each in a generation", games);
    let about = "A share of the individuals that may be the best plays more games where a search \
                 says so; their games are stopped early, and count by their lines.";
    FindingSection::new("The searches", vec![table.block(about)])
}

fn games(search: &SearchParams) -> String {
    let first = grouped(search.games);
    let Some(allocation) = &search.allocation else { return first };
    let later = allocation.later_stages.iter().map(|stage| {
        let share = rounded(100.0 * stage.share, 0);
        let trials = grouped(stage.trials);
        format!(", then {trials} more of the best {share} %")
    });
    let later: String = later.collect();
    let pieces = counted(allocation.exposure_cap, "piece");
    format!("{first}{later}; each of {pieces} at most")
}

/// Returns the method: pieces, points and intervals.
pub(super) fn method(spec: &CompareSpec) -> Vec<RichText> {
    let controllers = match spec.controller {
        ControllerKind::Network => {
            format!("networks with {}", counted(spec.hidden as usize, "hidden neuron"))
        }
        ControllerKind::NetworkWithDiversity => {
            let hidden = counted(spec.hidden as usize, "hidden neuron");
            format!("networks of nine features with {hidden}")
        }
        ControllerKind::Linear => "linear controllers of eight features".to_owned(),
        ControllerKind::LinearWithDiversity => "linear controllers of nine features".to_owned(),
    };
    let repetitions = format!(
        "Each search ran {} times to find {controllers} for {}, with {} to spend in each \
         repetition, and for {} at most.",
        grouped(spec.replicates),
        wording::game(&spec.game),
        counted(spec.pieces, "piece"),
        counted(spec.generations, "generation"),
    );
    let points = format!(
        "Each time a repetition had spent a set number of pieces ({} in all, each 1.41 times as \
         many as the one before), its best controller so far played {}, from which the search \
         learned nothing and whose pieces do not count. Each game had a sequence of pieces of its \
         own.",
        counted(spec.points as usize, "point"),
        counted(spec.point_games, "fresh game"),
    );
    let intervals = "A point is the mean over all repetitions, if all of them have reached it, \
                     with an interval at 95 % on the logarithmic scale with Student's quantile. A \
                     repetition without a line counts as one line in all its games. Ratios combine \
                     the intervals of both means (MOVER, Zou & Donner 2008); they are not \
                     corrected for the number of comparisons.";
    let file = RichText::default().code("learning-curves.csv").plain(" has all points.");
    vec![
        repetitions.into(),
        points.into(),
        wording::rules(spec.game.overflow, spec.game.max_pieces).into(),
        intervals.into(),
        file,
    ]
}
