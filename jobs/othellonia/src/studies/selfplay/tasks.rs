//! The tasks of a generation: one for each series, in their order.

use hatchery_core::{LargeValue, Series};

use super::check::CheckedSelfplay;
use super::schedule::Schedule;
use super::state::{LearnerState, SelfplayState};
use crate::players::GameAgent;
use crate::trial::series::{
    PAIR_BY_NETWORK, STEP, TrialCosts, match_series, network_agent, training_series,
};
use crate::trial::setup::{
    MatchAgent, RecordPlayers, RecordSetup, SelfPlayOpponents, SelfPlayRounds, SelfPlayers,
    TrainingEncoding, TrainingTask, TrialSetup,
};

/// A task of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Games of a network are recorded.
    Record {
        /// Its index.
        network: usize,
    },
    /// A network is made.
    Make {
        /// Its index.
        network: usize,
    },
    /// A network learns for a period.
    Learn {
        /// Its index.
        network: usize,
        /// The period, from 0 on.
        period: u32,
    },
    /// A network shows how well it plays.
    Evaluate {
        /// Its index.
        network: usize,
        /// The index of the opponent.
        opponent: usize,
        /// The indices of the own deck and of that of the enemy.
        decks: [usize; 2],
    },
}

/// Returns the tasks of the next generation; none after the last one.
pub(super) fn tasks(checked: &CheckedSelfplay, state: &SelfplayState) -> Vec<Task> {
    let (schedule, generation) = (&checked.schedule, state.generation);
    let networks = || state.networks.iter().enumerate();
    let going = || networks().filter(|(_, it)| it.failure.is_none()).map(|(network, _)| network);
    let mut tasks = Vec::new();
    if schedule.record_trials(generation) != 0 {
        tasks.extend(going().map(|network| Task::Record { network }));
    }
    if schedule.makes(generation) {
        tasks.extend(going().map(|network| Task::Make { network }));
    }
    if let Some(period) = schedule.period(generation) {
        tasks.extend(going().map(|network| Task::Learn { network, period }));
    }
    if checked.spec.evaluation.pairs == 0 {
        return tasks;
    }
    let n_decks = checked.decks.len();
    for (network, learner) in networks() {
        if !learner.is_looked_at(schedule, checked.spec.evaluation.every) {
            continue;
        }
        for opponent in 0..checked.opponents.len() {
            let pairs = (0..n_decks).flat_map(|own| (0..n_decks).map(move |enemy| [own, enemy]));
            tasks.extend(pairs.map(|decks| Task::Evaluate { network, opponent, decks }));
        }
    }
    tasks
}

/// Returns the generation and the subjects of the last look at a network, by the index of the
/// opponent: the first deck against the last one. None before the first look, and if a network has
/// ended early, as later looks are then of fewer networks.
pub(super) fn last_look_subjects(
    checked: &CheckedSelfplay,
    state: &SelfplayState,
    at: usize,
) -> Option<(u32, Vec<usize>)> {
    if state.networks.iter().any(|it| it.failure.is_some()) {
        return None;
    }
    let look = state.networks.get(at)?.looks.last()?;
    let period = state.networks[at].periods.iter().rposition(|it| it.steps == look.steps)?;
    let generation = checked.schedule.n_before() + u32::try_from(period).ok()? + 1;
    // The state before that generation, as far as its tasks depend on it.
    let mut before = SelfplayState { generation, ..state.clone() };
    for network in &mut before.networks {
        network.periods.truncate(period + 1);
        network.looks.retain(|other| other.steps < look.steps);
    }
    let tasks = tasks(checked, &before);
    let decks = [0, checked.decks.len().checked_sub(1)?];
    let subject = |opponent| {
        tasks.iter().position(|task| *task == Task::Evaluate { network: at, opponent, decks })
    };
    Some((generation, (0..checked.opponents.len()).map_while(subject).collect()))
}

/// Returns the trials of a generation, if no network has ended early.
pub(super) fn trial_costs(checked: &CheckedSelfplay, generation: u32) -> [TrialCosts; 3] {
    let schedule = &checked.schedule;
    let n_networks = checked.networks.len() as u64;
    let file_games = schedule.file_games() as f64 / 2.0 * PAIR_BY_NETWORK;
    let steps = schedule.period(generation).map(|period| f64::from(schedule.steps(period)) * STEP);
    let own_games = if matches!(schedule, Schedule::Paper { .. }) { file_games } else { 0.0 };
    let trains = schedule.makes(generation) || steps.is_some();
    let n_recorded = n_networks * u64::from(schedule.record_trials(generation));
    let is_looked_at = schedule.has_look(generation, checked.spec.evaluation.every);
    let n_pairs = n_networks * checked.look_series() * u64::from(checked.spec.evaluation.pairs);
    [
        TrialCosts::new(u64::from(trains) * n_networks, steps.unwrap_or(STEP) + own_games),
        TrialCosts::new(n_recorded, file_games),
        TrialCosts::new(u64::from(is_looked_at) * n_pairs, PAIR_BY_NETWORK),
    ]
}

impl LearnerState {
    /// Returns true if the next generation looks at it: at each network after some periods, and at
    /// one that ended early after its last.
    fn is_looked_at(&self, schedule: &Schedule, every: u32) -> bool {
        let n_periods = u32::try_from(self.periods.len()).unwrap_or(u32::MAX);
        let is_due =
            schedule.looks_after(n_periods, every) || (self.failure.is_some() && n_periods != 0);
        let is_seen = self.looks.last().is_some_and(|look| look.steps == self.steps());
        is_due && !is_seen && self.learner.is_some()
    }

    /// Returns its model.
    ///
    /// # Panics
    /// If it has none: a task with a model is one of a learner.
    fn model(&self) -> LargeValue {
        let learner = self.learner.as_ref().expect("the task has a learner");
        LargeValue::new(vec![learner.model])
    }

    /// Returns the opponents of the next games.
    fn game_opponents(&self, epsilon: u32) -> SelfPlayOpponents {
        let model = |&at: &u32| self.snapshots[at as usize].model;
        let mut agents: Vec<_> = self.opponents.iter().map(model).map(network_agent).collect();
        if agents.is_empty() {
            agents.push(GameAgent::Random.into());
        }
        SelfPlayOpponents { agents, epsilon }
    }
}

/// Returns the series of a task.
pub(super) fn series(
    checked: &CheckedSelfplay,
    state: &SelfplayState,
    task: Task,
) -> Series<TrialSetup> {
    let schedule = &checked.schedule;
    match task {
        Task::Record { network } => {
            let learner = &state.networks[network];
            let players = RecordPlayers::SelfPlay(SelfPlayers {
                learner: learner.model(),
                opponents: learner.game_opponents(checked.epsilon),
            });
            let pairs = u32::try_from(schedule.file_games() / 2).expect("at most 10,000");
            let setup = RecordSetup { pairs, n_decks: checked.n_decks(), players };
            let n_trials = schedule.record_trials(state.generation);
            Series::new(TrialSetup::Record(setup), n_trials)
        }
        Task::Make { network } => training(checked, state, (network, 0)),
        Task::Learn { network, period } => {
            training(checked, state, (network, schedule.steps(period)))
        }
        Task::Evaluate { network, opponent, decks } => {
            let network = MatchAgent::Network(state.networks[network].model());
            let opponent = checked.opponents[opponent].agent.of_match(&state.weights);
            match_series(decks, [network, opponent], checked.spec.evaluation.pairs)
        }
    }
}

/// Returns the series of training of a network with so many steps.
fn training(
    checked: &CheckedSelfplay,
    state: &SelfplayState,
    (network, steps): (usize, u32),
) -> Series<TrialSetup> {
    let learner = &state.networks[network];
    let encoding = checked.networks[network].arm.of_pool(checked.kinds()).unwrap_or_else(|| {
        let vectors = state.vectors.expect("a run of an arm with vectors has them");
        TrainingEncoding::Vectors(vectors)
    });
    let mut setup = checked.setup(encoding, steps);
    setup.games.clone_from(&learner.files);
    setup.before.clone_from(&learner.learner);
    if let TrainingTask::Reinforcement(task) = &mut setup.task {
        task.first_item = learner.first_item;
        if let Schedule::Paper { steps_per_pair, .. } = checked.schedule {
            task.rounds = Some(SelfPlayRounds {
                n_decks: checked.n_decks(),
                opponents: learner.game_opponents(checked.epsilon),
                steps: steps_per_pair,
            });
        }
    }
    training_series(setup)
}
