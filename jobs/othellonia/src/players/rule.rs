//! Agents that play by a table of scores, and the one that looks a reply ahead.

use hatchery_core::FastRng;

use super::score;
use crate::rules::{Action, Game, HAND_SLOTS, N_CELLS};

/// An agent that plays each action with a probability proportional to exp(score / temperature).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleAgent {
    /// The temperature in thousandths of the unit of scores, which is 1,000 damage: so 500 is 500
    /// damage. 0: the action with the best score, the first of equals.
    pub temperature: u32,
}

impl RuleAgent {
    /// A weak player. All the players' temperatures are our own choice.
    pub const NOVICE: Self = Self { temperature: 1_500 };

    /// The player that others are measured with.
    pub const STANDARD: Self = Self { temperature: 500 };

    /// A player that always takes the best action.
    pub const HARD: Self = Self { temperature: 0 };

    /// The largest temperature that makes sense: play is nearly uniform.
    pub const MAX_TEMPERATURE: u32 = 100_000;

    pub(super) fn choose(self, game: &Game<'_>, rng: &mut FastRng) -> Option<Action> {
        let scored = game.actions().map(|action| (score::action_score(game, action), action));
        if self.temperature == 0 {
            return score::first_best(scored);
        }
        let mut actions = [None; N_CELLS * HAND_SLOTS];
        let mut n_actions = 0;
        for (place, scored) in actions.iter_mut().zip(scored) {
            *place = Some(scored);
            n_actions += 1;
        }
        let scored = || actions[..n_actions].iter().flatten();
        let best = scored().map(|&(score, _)| score).max()?;
        let weight = |score: i64| {
            #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
            let below_best = (score - best) as f64;
            libm::exp(below_best / f64::from(self.temperature))
        };
        let mut weights = [0.0; N_CELLS * HAND_SLOTS];
        let mut sum = 0.0;
        for (place, &(score, _)) in weights.iter_mut().zip(scored()) {
            *place = weight(score);
            sum += *place;
        }
        let mut left = rng.unit_f64() * sum;
        for (&weight, &(_, action)) in weights.iter().zip(scored()) {
            left -= weight;
            if left < 0.0 {
                return Some(action);
            }
        }
        // Rounding can leave a rest after the last action.
        scored().last().map(|&(_, action)| action)
    }
}

/// The share of the score of the enemy's best reply that is taken from an action's score, in
/// percent (our own choice).
const REPLY_PERCENT: i64 = 50;

/// Returns the best action by its score less half the score of the enemy's best reply; the first of
/// equals.
pub(super) fn look_ahead(game: &Game<'_>) -> Option<Action> {
    let scored = game.actions().map(|action| {
        let reply = best_reply(game, action) * REPLY_PERCENT / 100;
        (score::action_score(game, action) - reply, action)
    });
    score::first_best(scored)
}

/// Returns the score of the enemy's best reply, with the pieces that the enemy holds now: the piece
/// that it will draw is not known. 0 if there is no reply.
fn best_reply(game: &Game<'_>, action: Action) -> i64 {
    let mut after = game.clone();
    let player = game.state().to_move;
    if after.play(action, &mut ()).is_err() || after.outcome().is_some() {
        return 0;
    }
    if after.state().to_move == player {
        return 0;
    }
    let known = game.state().player(player.enemy()).hand;
    let replies = after.actions().filter(|reply| known[usize::from(reply.slot)].is_some());
    // The damage of a reply alone says too little: against hard, 62 % of 3,000 games were won with
    // it, and 72 % with the score, while the pool was tuned.
    replies.map(|reply| score::action_score(&after, reply)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::generate::{DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks};
    use crate::pool::PiecePool;
    use crate::rules::{GameStart, Player};

    #[test]
    fn actions_are_played_as_often_as_their_scores_say() {
        let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
        let decks = shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).unwrap());
        let game = Game::start([&decks[0], &decks[2]], GameStart { seed: 2, first: Player::A });
        let actions: Vec<_> = game.actions().collect();
        let scores: Vec<_> = actions.iter().map(|it| score::action_score(&game, *it)).collect();
        let agent = RuleAgent { temperature: 800 };
        let weights =
            scores.iter().map(|&it| libm::exp(f64::from(i32::try_from(it).unwrap()) / 800.0));
        let weights: Vec<_> = weights.collect();
        let sum: f64 = weights.iter().sum();
        let seed = RunSeed::new("rule", 1).generation(0);
        let mut rng = FastRng::seeded_by(&mut seed.stream("softmax"));
        let mut counts = vec![0_u32; actions.len()];
        let n_games = 50_000;
        for _ in 0..n_games {
            let action = agent.choose(&game, &mut rng).unwrap();
            counts[actions.iter().position(|it| *it == action).unwrap()] += 1;
        }
        for ((count, weight), action) in counts.iter().zip(&weights).zip(&actions) {
            let expected = f64::from(n_games) * weight / sum;
            // Four standard deviations: one in 1,000 seeds fails for one of 16 actions.
            let bound = 4.0 * expected.sqrt() + 4.0;
            let off = (f64::from(*count) - expected).abs();
            assert!(off < bound, "{action} {count} times, not {expected:.0}");
        }
        let best = RuleAgent::HARD.choose(&game, &mut rng).unwrap();
        let place = actions.iter().position(|it| *it == best).unwrap();
        assert_eq!(Some(&scores[place]), scores.iter().max());
    }
}
