//! The report of `birds-evaluate`.

use std::fmt::Write;

use hatchery_core::text::TAKES_ALL;

use super::LevelEvaluationSpec;
use super::cells::EvaluatedLevels;
use crate::experiment::mean_estimate::MeanEstimate;
use crate::results::{LevelResult, PlayRecord};

/// Returns true if a play-out has cleared the level.
pub(super) fn is_solved(evaluated: &EvaluatedLevels<'_>, level: usize) -> bool {
    let mut results = evaluated.of_level(level).iter().flat_map(|results| results.iter());
    results.any(|result| result.play.as_ref().is_some_and(PlayRecord::is_cleared))
}

/// Returns the leniency of a level: the mean number of birds that the last player uses minus that
/// of the first, which is negative where a weaker player needs more. `None` with one player only.
pub(super) fn leniency(evaluated: &EvaluatedLevels<'_>, level: usize) -> Option<f64> {
    let [weakest, .., strongest] = evaluated.of_level(level) else { return None };
    Some(mean_birds(strongest)? - mean_birds(weakest)?)
}

fn mean_birds(results: &[LevelResult]) -> Option<f64> {
    let used: Vec<f64> = results
        .iter()
        .filter_map(|result| result.play.as_ref())
        .filter(|play| play.pigs != 0)
        .map(|play| f64::from(play.birds_used()))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "at most a million")]
    let n = used.len() as f64;
    (!used.is_empty()).then(|| used.iter().sum::<f64>() / n)
}

pub(super) fn report(spec: &LevelEvaluationSpec, evaluated: &EvaluatedLevels<'_>) -> String {
    let mut text = format!(
        "# Levels of Angry Birds, and how difficult they are\n\nEach player plays each level {} \
         times. A level is cleared if no pig is left. Rates have Wilson's interval of 95 %.\n\n## \
         Players\n\n| player | play-outs | cleared | birds used | pigs killed \
         |\n|---|---|---|---|---|\n",
        spec.trials
    );
    for (player, plays) in evaluated.by_player() {
        let mean =
            |mean: Option<MeanEstimate>| mean.map_or_else(|| "-".to_owned(), |mean| mean.text(2));
        writeln!(
            text,
            "| {player} | {} | {} | {} | {} |",
            plays.trials,
            plays.clear_rate_text(3),
            mean(plays.birds_used()),
            mean(plays.pigs_killed())
        )
        .expect(TAKES_ALL);
    }
    text.push_str(
        "\nPlay-outs of one player at several levels are counted together here: the intervals are \
         those of these levels, not of others like them. Play-outs of levels whose pigs are all \
         gone before the first bird are not counted.\n\n## Levels\n\nA level is solved if any \
         play-out has cleared it. Pigs at first are those that are left when the level has \
         settled. Mean speed is that of blocks and pigs before the first bird, of which one that \
         is gone counts as 1; a level that stands has some 0.02 as it settles. Moved is the share \
         that is gone then, or more than 0.25 away; a stack may sink by a tenth of its \
         height.\n\n\
         | level | blocks | pigs | pigs at first | mean speed | moved | solved |",
    );
    for player in &spec.players {
        write!(text, " {} |", player.name()).expect(TAKES_ALL);
    }
    text.push_str("\n|---|---|---|---|---|---|---|");
    text.push_str(&"---|".repeat(spec.players.len()));
    text.push('\n');
    let mut cells = evaluated.cells();
    for (number, named) in evaluated.levels.iter().enumerate() {
        let Some(result) = evaluated.settled(number) else { continue };
        let solved = match (is_solved(evaluated, number), &result.play) {
            (true, _) => "yes",
            (false, Some(PlayRecord { pigs: 0, .. })) => "no pig left to hit",
            (false, _) => "no",
        };
        let moved = result.share(result.settled.moved).unwrap_or(0.0);
        write!(
            text,
            "| {} | {} | {} | {} | {:.4} | {moved:.2} | {solved} |",
            named.name,
            result.blocks,
            result.pigs,
            result.settled.pigs_left,
            result.settled.mean_speed()
        )
        .expect(TAKES_ALL);
        for cell in cells.by_ref().take(spec.players.len()) {
            write!(text, " {} |", cell.plays.clear_rate_text(2)).expect(TAKES_ALL);
        }
        text.push('\n');
    }
    text
}
