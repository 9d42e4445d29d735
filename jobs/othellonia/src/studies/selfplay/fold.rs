//! The results of a generation become part of the state.

use hatchery_core::{GenerationSeed, StreamRng};
use hatchery_stats::PairCounts;

use super::check::CheckedSelfplay;
use super::state::{
    LearnerState, LearningPeriod, OpponentLook, SelfplayState, Snapshot, StrengthLook,
};
use super::tasks::Task;
use crate::trial::results::{RecordedGames, ReplayUse, TrainingResult, TrialResults};
use crate::trial::setup::TrainingSetup;

/// The reasons why a network learns no more.
const NO_RESULT: &str = "training has no result";
const NO_LEARNER: &str = "training has no learner";
const NO_REPLAY: &str = "training has no replay memory";
const NO_GAMES: &str = "no games were recorded";
const DROPPED_TOO_MANY: &str = "the replay memory dropped more files of games than it had";
const TOO_MANY_FILES: &str = "the replay memory needs more files of games than a trial may have";

/// Adds the results from all tasks in a generation.
pub(super) fn add(
    checked: &CheckedSelfplay,
    state: &mut SelfplayState,
    (tasks, tallies): (&[Task], &[TrialResults]),
) {
    // Training has had the files, and looks were at the networks, before this generation.
    let before = state.networks.clone();
    for (&task, results) in tasks.iter().zip(tallies) {
        let TrialResults { games, recorded, trained } = results;
        let result = trained.first().cloned();
        match task {
            Task::Record { network } => {
                let n_trials = checked.schedule.record_trials(state.generation);
                state.networks[network].add_games(recorded, n_trials);
            }
            Task::Make { network } => state.networks[network].make(result),
            Task::Learn { network, .. } => {
                state.networks[network].learn(result, before[network].files.len());
            }
            Task::Evaluate { network, opponent, decks } => {
                let mut counts = PairCounts::default();
                counts.add(&games.pairs);
                let from = &before[network];
                state.networks[network].look(from, opponent, decks == [0, 0], counts);
            }
        }
    }
    for (network, before) in state.networks.iter_mut().zip(&before) {
        network.keep_snapshot(before.games, checked.spec.snapshot_games.into());
        if TrainingSetup::MAX_FILES < network.files.len() {
            network.failure.get_or_insert_with(|| TOO_MANY_FILES.to_owned());
        }
    }
    state.generation += 1;
}

impl LearnerState {
    /// Adds the files of games that were recorded.
    fn add_games(&mut self, recorded: &[RecordedGames], n_trials: u32) {
        if recorded.is_empty() {
            self.fail(NO_GAMES);
        }
        for games in recorded.iter().take(n_trials as usize) {
            self.add_file(games);
        }
    }

    fn add_file(&mut self, games: &RecordedGames) {
        self.games = self.games.saturating_add(games.games);
        self.files.push(games.file);
    }

    /// Adds the result of making it.
    fn make(&mut self, result: Option<TrainingResult>) {
        let Some(result) = result else { return self.fail(NO_RESULT) };
        self.learner = result.learner;
        self.failure = result.failure;
        if self.learner.is_none() {
            self.fail(NO_LEARNER);
        }
    }

    /// Adds the result of a period, which had its first files of games, so many.
    fn learn(&mut self, result: Option<TrainingResult>, n_files: usize) {
        let Some(mut result) = result else { return self.fail(NO_RESULT) };
        if let Some(failure) = result.failure.take() {
            self.fail(&failure);
        }
        let Some(replay) = result.replay.take() else { return self.fail(NO_REPLAY) };
        match result.learner.take() {
            Some(learner) => self.learner = Some(learner),
            None => return self.fail(NO_LEARNER),
        }
        let n_dropped = replay.n_dropped_files as usize;
        if n_files < n_dropped {
            return self.fail(DROPPED_TOO_MANY);
        }
        self.files.drain(..n_dropped);
        self.first_item = replay.first_item;
        if let Some(played) = &replay.played {
            self.add_file(played);
        }
        self.periods.push(self.period(&result, &replay));
    }

    /// Returns the period that has ended.
    fn period(&self, result: &TrainingResult, replay: &ReplayUse) -> LearningPeriod {
        let rows: u64 = result.curve.iter().fold(0, |sum, point| sum.saturating_add(point.rows));
        let losses = result.curve.iter().fold(0.0, |sum, point| sum + point.loss_sum);
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 rows")]
        let mean_loss = losses / rows.max(1) as f64;
        LearningPeriod {
            games: self.games,
            steps: self.steps().saturating_add(result.steps),
            own_steps: result.steps,
            mean_loss: if mean_loss.is_finite() { mean_loss } else { f64::MAX },
            items: replay.items,
            drawn: replay.drawn,
            age_sum: replay.age_sum,
            results: replay.results,
        }
    }

    /// Adds the results of a match-up of the look at a network as it was: the first one against an
    /// opponent begins it.
    fn look(&mut self, from: &Self, opponent: usize, begins: bool, counts: PairCounts) {
        if begins && opponent == 0 {
            let games = from.periods.last().map_or(0, |period| period.games);
            let look = StrengthLook { games, steps: from.steps(), opponents: Vec::new() };
            self.looks.push(look);
        }
        let Some(look) = self.looks.last_mut() else { return };
        if begins {
            look.opponents.push(OpponentLook::default());
        }
        if let Some(opponent) = look.opponents.last_mut() {
            opponent.matchups.push(counts);
        }
    }

    /// Keeps the model if a multiple of `every` games was passed since there were `before`.
    fn keep_snapshot(&mut self, before: u64, every: u64) {
        if before / every < self.games / every
            && let Some(learner) = &self.learner
        {
            self.snapshots.push(Snapshot { games: self.games, model: learner.model });
        }
    }

    /// Ends learning for this reason, if it has not ended for another one.
    fn fail(&mut self, reason: &str) {
        self.failure.get_or_insert_with(|| reason.to_owned());
    }
}

/// Draws the opponents for every network's next games.
pub(super) fn draw_opponents(
    checked: &CheckedSelfplay,
    state: &mut SelfplayState,
    seed: &GenerationSeed,
) {
    let stream = seed.stream("opponents");
    for (number, network) in (0..).zip(&mut state.networks) {
        network.opponents = if network.games < checked.spec.random_games.into() {
            Vec::new()
        } else {
            let n_snapshots = u32::try_from(network.snapshots.len()).unwrap_or(u32::MAX);
            stratified(n_snapshots, checked.spec.opponents, &mut stream.part(number))
        };
    }
}

/// Draws `n_drawn` of `n` numbers, one from each of as many equal stretches; all if there are no
/// more.
fn stratified(n: u32, n_drawn: u32, rng: &mut StreamRng) -> Vec<u32> {
    if n <= n_drawn {
        return (0..n).collect();
    }
    let start = |stretch: u32| {
        let start = u64::from(stretch) * u64::from(n) / u64::from(n_drawn);
        u32::try_from(start).expect("at most `n`")
    };
    let one = |stretch: u32| start(stretch) + rng.below(start(stretch + 1) - start(stretch));
    (0..n_drawn).map(one).collect()
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::stratified;

    #[test]
    fn few_snapshots_are_all_drawn() {
        let mut rng = RunSeed::new("stratified", 1).generation(0).stream("test");
        for n in 0..5 {
            assert_eq!(stratified(n, 4, &mut rng), (0..n).collect::<Vec<_>>());
        }
    }

    /// Every stretch gives one opponent, and all opponents within a stretch are drawn equally
    /// often. In 6,000 draws, every opponent's count is within 5 standard deviations of 1/2 or 1/3;
    /// chance misses this in 1 of 200,000 runs.
    #[test]
    fn draws_are_uniform_in_each_stretch() {
        let stream = RunSeed::new("stratified", 2).generation(0).stream("test");
        let mut drawn = [0_u32; 11];
        for number in 0..6_000 {
            let all = stratified(11, 4, &mut stream.part(number));
            assert!(matches!(all[..], [0..2, 2..5, 5..8, 8..11]), "{all:?}");
            for at in all {
                drawn[at as usize] += 1;
            }
        }
        for (at, &n) in drawn.iter().enumerate() {
            let share: f64 = if at < 2 { 0.5 } else { 1.0 / 3.0 };
            let deviation = (6_000.0 * share * (1.0 - share)).sqrt();
            let away = f64::from(n) - 6_000.0 * share;
            assert!(away.abs() < 5.0 * deviation, "{at} was drawn {n} times");
        }
    }
}
