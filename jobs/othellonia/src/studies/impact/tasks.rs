//! The tasks of a generation: one for each series, in their order.

use hatchery_core::Series;
use hatchery_stats::PairResult;

use super::change::ChangeCounts;
use super::check::{CheckedImpact, CheckedTune, CheckedVector};
use super::replacement;
use super::state::{ImpactLook, ImpactState, TuningState};
use crate::features::Information;
use crate::params::deck_param::NamedDeck;
use crate::trial::results::TrialResults;
use crate::trial::series::{match_series, network_agent, training_series};
use crate::trial::setup::{
    MatchAgent, ReinforcementTask, SelfPlayOpponents, SelfPlayRounds, TrainingEncoding,
    TrainingSetup, TrainingTask, TrialSetup,
};

/// A task of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Games with the new piece are played, to learn its vector from.
    Games,
    /// The vector is learned for a period.
    Vector,
    /// The agent is tuned for a period.
    Tune,
    /// A host meets a deck of the field.
    Match {
        /// The index of the host.
        host: usize,
        /// The index of the deck that it meets.
        enemy: usize,
        /// The host without the new piece, or with it.
        side: HostSide,
    },
}

/// A host without the new piece, or with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostSide {
    /// Without it.
    Before,
    /// With it.
    After,
}

/// Returns the tasks of the next generation; none after the last one. The first period of tuning is
/// beside the games of the agent as it is.
pub(super) fn tasks(checked: &CheckedImpact, state: &ImpactState) -> Vec<Task> {
    if state.failure.is_some() {
        return Vec::new();
    }
    if let Some(vector) = &checked.vector {
        if state.games.is_empty() {
            return vec![Task::Games];
        }
        if state.learning.periods < vector.periods {
            return vec![Task::Vector];
        }
    }
    let tunes = state.is_tuned_on(checked);
    let has_look = match &state.zero_shot {
        None => true,
        Some(_) => !tunes && state.tuning.learner.is_some() && state.tuned.is_none(),
    };
    let mut tasks = if has_look { matches(checked) } else { Vec::new() };
    if tunes {
        tasks.push(Task::Tune);
    }
    tasks
}

/// Returns the matches of a look: each host against each deck of the field, without and with the
/// new piece.
fn matches(checked: &CheckedImpact) -> Vec<Task> {
    let hosts = 0..checked.hosts.len();
    let enemies = || 0..checked.field.len();
    let matches = hosts.flat_map(|host| enemies().map(move |enemy| (host, enemy)));
    let both = matches.flat_map(|(host, enemy)| {
        [HostSide::Before, HostSide::After].map(|side| Task::Match { host, enemy, side })
    });
    both.collect()
}

impl ImpactState {
    /// Returns true if the next generation has a period of tuning.
    fn is_tuned_on(&self, checked: &CheckedImpact) -> bool {
        let TuningState { periods, failure, .. } = &self.tuning;
        let all = checked.tune.as_ref().map_or(0, |tune| tune.periods);
        failure.is_none() && *periods < all
    }
}

/// Returns the decks of the next generation, each at its number. If the vector is learned: the
/// decks of its games, and then the hosts, whose pieces are compared with the new piece. Later: the
/// hosts with the new piece, the hosts as they are, and the field.
pub(super) fn decks(checked: &CheckedImpact, state: &ImpactState) -> Vec<NamedDeck> {
    let CheckedImpact { pool, cap, piece, hosts, field, vector, .. } = checked;
    if let (Some(vector), true) = (vector, state.replaced.is_empty()) {
        return [&vector.games.decks[..], hosts].concat();
    }
    let changed = hosts.iter().zip(&state.replaced).map(|(host, &old)| {
        let changed = replacement::replaced(host, pool, [old, *piece], *cap);
        changed.expect("begin has checked that the piece can enter the host")
    });
    let mut decks: Vec<_> = changed.collect();
    decks.extend_from_slice(hosts);
    decks.extend_from_slice(field);
    decks
}

/// Returns the series of a task.
pub(super) fn series(
    checked: &CheckedImpact,
    state: &ImpactState,
    task: Task,
) -> Series<TrialSetup> {
    match task {
        Task::Games => vector(checked).games.series(),
        Task::Vector => {
            let mut setup = vector(checked).setup.clone();
            setup.games = state.games.iter().map(|games| games.file).collect();
            setup.before.clone_from(&state.learning.learner);
            if let TrainingTask::Representation(task) = &mut setup.task {
                task.fixed = state.weights.first().copied();
            }
            training_series(setup)
        }
        Task::Tune => training_series(tuning(checked, state)),
        Task::Match { host, enemy, side } => {
            let n_hosts = checked.hosts.len();
            let host = match side {
                HostSide::After => host,
                HostSide::Before => n_hosts + host,
            };
            let agent = match (&state.zero_shot, &state.tuning.learner) {
                (Some(_), Some(tuned)) => network_agent(tuned.model),
                _ => agent(checked, state),
            };
            let decks = [host, 2 * n_hosts + enemy];
            match_series(decks, [agent.clone(), agent], checked.spec.pairs)
        }
    }
}

fn vector(checked: &CheckedImpact) -> &CheckedVector {
    checked.vector.as_ref().expect("the task is one of a spec with a vector to learn")
}

/// Returns the setup of a period of tuning.
fn tuning(checked: &CheckedImpact, state: &ImpactState) -> TrainingSetup {
    let tune = checked.tune.as_ref().expect("the task is one of a spec with tuning");
    let CheckedTune { steps, steps_per_pair, settings, epsilon, .. } = tune;
    let TuningState { learner, files, first_item, .. } = &state.tuning;
    let mut agents = vec![agent(checked, state)];
    agents.extend(learner.iter().map(|learner| network_agent(learner.model)));
    let n_decks = u16::try_from(2 * checked.hosts.len() + checked.field.len());
    let rounds = SelfPlayRounds {
        n_decks: n_decks.expect("at most 64 decks"),
        opponents: SelfPlayOpponents { agents, epsilon: *epsilon },
        steps: *steps_per_pair,
    };
    let task = ReinforcementTask {
        // Those of the agent count.
        encoding: TrainingEncoding::DeckOneHot,
        information: Information::Perfect,
        settings: settings.clone(),
        initial: state.extended.or_else(|| state.weights.first().copied()),
        first_item: *first_item,
        rounds: Some(rounds),
    };
    TrainingSetup {
        task: TrainingTask::Reinforcement(Box::new(task)),
        // As those of the agent count, too.
        hidden: vec![1],
        games: files.clone(),
        before: learner.clone(),
        steps: *steps,
    }
}

/// Returns the agent before tuning: with the new vector, if one is learned.
fn agent(checked: &CheckedImpact, state: &ImpactState) -> MatchAgent {
    match state.extended {
        Some(extended) => network_agent(extended),
        None => checked.agent.of_match(&state.weights),
    }
}

/// Adds the results from all tasks in a generation.
pub(super) fn add(
    checked: &CheckedImpact,
    state: &mut ImpactState,
    tasks: &[Task],
    tallies: &[TrialResults],
) {
    let mut matches = Vec::new();
    for (task, results) in tasks.iter().zip(tallies) {
        let TrialResults { games, recorded, trained } = results;
        let result = trained.first().cloned();
        match task {
            Task::Match { .. } => matches.push(&games.pairs[..]),
            Task::Tune => state.tuning.add(result),
            Task::Games => {
                state.games.clone_from(recorded);
                if state.games.is_empty() {
                    state.failure = Some("no games were recorded".to_owned());
                }
            }
            Task::Vector => {
                state.add_vector(result, vector(checked).periods);
                if state.extended.is_some() {
                    choose_replaced(checked, state);
                }
            }
        }
    }
    if !matches.is_empty() {
        let look = Some(look(checked, &matches));
        match state.zero_shot {
            None => state.zero_shot = look,
            Some(_) => state.tuned = look,
        }
    }
}

/// Chooses for each host the piece that gives way.
fn choose_replaced(checked: &CheckedImpact, state: &mut ImpactState) {
    let CheckedImpact { pool, cap, piece, hosts, replaced, .. } = checked;
    let chosen = hosts.iter().zip(replaced).map(|(host, replaced)| {
        let similar = || replacement::most_similar(host, pool, *piece, *cap, &state.neighbors);
        replaced.or_else(similar).expect("begin has checked that a piece can give way")
    });
    state.replaced = chosen.collect();
}

/// Returns the changes that the results from all matches show.
fn look(checked: &CheckedImpact, matches: &[&[PairResult]]) -> ImpactLook {
    let sides = matches.chunks_exact(2);
    let sides: Vec<_> = sides.map(|sides| [sides[0], sides[1]]).collect();
    ImpactLook {
        matchups: sides.iter().map(|sides| ChangeCounts::of(&[*sides])).collect(),
        hosts: sides.chunks(checked.field.len()).map(ChangeCounts::of).collect(),
        all: ChangeCounts::of(&sides),
    }
}
