//! The table of trials of `birds-adapt`.

use hatchery_core::{Exhibit, SubjectTrial, TrialRow};

use super::spec::LevelCondition;
use super::summary::AdaptSummary;

/// A name in the table, with its trials.
struct NamedTrials {
    name: String,
    trials: Vec<ListedTrial>,
}

/// A trial with the outcome of its level.
struct ListedTrial {
    generation: u32,
    trial: SubjectTrial,
    /// `None` if nobody plays the level.
    play: Option<LevelPlay>,
}

/// The outcome of a level that somebody played.
struct LevelPlay {
    is_cleared: bool,
    birds_used: u32,
}

/// Returns the table with every level. The score is 1 if the level was cleared, and the length is
/// the number of birds. Score and length are empty where nobody plays.
///
/// A name is `rounds` or `end`, a player and the player's condition.
pub(super) fn table(summary: &AdaptSummary<'_>) -> Exhibit {
    let mut named = rounds(summary);
    if summary.state.plays.len() == n_played_at_end(summary) {
        named.extend(plays_at_end(summary));
        named.extend(not_played(summary));
    }
    let rows = named.iter().flat_map(|NamedTrials { name, trials }| {
        trials.iter().map(|ListedTrial { generation, trial, play }| TrialRow {
            generation: *generation,
            trial: *trial,
            subject: name,
            score: play.as_ref().map(|play| if play.is_cleared { 1.0 } else { 0.0 }),
            length: play.as_ref().map(|play| play.birds_used.into()),
        })
    });
    Exhibit::trials(rows)
}

/// Returns the rounds: each is a generation, whose subjects are the tracks.
fn rounds(summary: &AdaptSummary<'_>) -> Vec<NamedTrials> {
    let (alphas, mut named) = (&summary.spec.adaptation.alphas, Vec::new());
    for (group, subjects) in summary.spec.subjects.iter().enumerate() {
        let player = subjects.player.name();
        for alpha in 0..alphas.len() {
            let condition = LevelCondition::Adapted(alpha).name(alphas);
            let tracks = summary.state.tracks.iter().enumerate().filter(|(track, _)| {
                let subject = summary.state.subject_of(summary.spec, *track);
                summary.spec.group_of(subject) == group && track % alphas.len() == alpha
            });
            let trials = tracks.flat_map(|(subject, track)| {
                track.rounds.iter().zip(0..).filter_map(move |(round, generation)| {
                    let is_cleared = round.pigs_at_first != 0 && round.pigs_left == 0;
                    let play = LevelPlay { is_cleared, birds_used: round.birds_used };
                    let trial = SubjectTrial::first_of(subject)?;
                    Some(ListedTrial { generation, trial, play: Some(play) })
                })
            });
            let name = format!("rounds/{player}/{condition}");
            named.push(NamedTrials { name, trials: trials.collect() });
        }
    }
    named
}

/// Returns the levels at the end that somebody plays: the first subjects of the last generation,
/// in the order of their plays.
fn plays_at_end(summary: &AdaptSummary<'_>) -> Vec<NamedTrials> {
    let (alphas, mut named) = (&summary.spec.adaptation.alphas, Vec::new());
    for (group, subjects) in summary.spec.subjects.iter().enumerate() {
        let player = subjects.player.name();
        for condition in LevelCondition::all(alphas.len()) {
            let plays = summary.state.plays.iter().enumerate().filter(|(_, play)| {
                summary.spec.group_of(play.subject) == group && play.condition == condition
            });
            let trials = plays.filter_map(|(subject, play)| {
                let trial = SubjectTrial::first_of(subject)?;
                let play = LevelPlay { is_cleared: play.is_cleared, birds_used: play.birds_used };
                Some(ListedTrial { generation: summary.spec.rounds, trial, play: Some(play) })
            });
            let name = format!("end/{player}/{}", condition.name(alphas));
            named.push(NamedTrials { name, trials: trials.collect() });
        }
    }
    named
}

/// Returns the levels at the end that nobody plays: the last two subjects.
fn not_played(summary: &AdaptSummary<'_>) -> impl Iterator<Item = NamedTrials> {
    let (generation, n_played) = (summary.spec.rounds, n_played_at_end(summary));
    let shown = &summary.state.shown;
    let kinds = [("adapted", shown.adapted.len()), ("conventional", shown.conventional.len())];
    kinds.into_iter().zip(n_played..).filter_map(move |((name, n_trials), subject)| {
        let first = SubjectTrial::first_of(subject)?;
        let trials = (0..).take(n_trials).map(|trial| {
            let trial = SubjectTrial { trial, ..first };
            ListedTrial { generation, trial, play: None }
        });
        Some(NamedTrials { name: format!("not-played/{name}"), trials: trials.collect() })
    })
}

/// Returns the number of levels that somebody plays at the end.
fn n_played_at_end(summary: &AdaptSummary<'_>) -> usize {
    summary.state.level_orders.iter().map(Vec::len).sum()
}
