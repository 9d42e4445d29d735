//! The estimate of an opponent's strength from the moves that agents would have made.

use super::matching::{FirstReply, MatchingRules, NearestTie, SeveralMatch, Unmatched};
use crate::rules::Square;

/// The number of steps per ply, for depths that are means over several agents. It is also the
/// number of steps per unit of a strength index.
pub const LEVEL_STEPS: u32 = 1_000;

/// A move of the opponent that agents would have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrengthMatch {
    /// The choice that matched: 1 for the first; 0 if none did.
    pub choice: u32,
    /// The depth that counts, T of the paper, in 1/1000 plies.
    pub depth: u32,
}

/// The estimate T_s of the opponent's strength: the mean of the depths that were observed.
///
/// The paper prints the sum of S + 1 depths divided by S (formula 2). Its example, where 5, 5, 5, 1
/// give 4, is the mean of S depths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrengthEstimate {
    sum: u64,
    n: u32,
}

impl StrengthEstimate {
    /// Adds the depth of an observed move, in 1/1000 plies.
    pub fn observe(&mut self, depth: u32) {
        self.sum += u64::from(depth);
        self.n += 1;
    }

    /// Returns the number of observed moves, S.
    #[must_use]
    pub const fn n(&self) -> u32 {
        self.n
    }

    /// Returns the sum of their depths, in 1/1000 plies.
    #[must_use]
    pub const fn sum(&self) -> u64 {
        self.sum
    }

    /// Returns the mean T_s, in plies; `None` before the first observation.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "moves of a run are far below 2^53")]
        let sum = self.sum as f64 / f64::from(LEVEL_STEPS);
        (self.n != 0).then(|| sum / f64::from(self.n))
    }

    /// Returns the index of the agent that replies. `depths` has the agents' depths, in ascending
    /// order, at least one.
    #[must_use]
    pub fn reply(&self, depths: &[u32], rules: &MatchingRules) -> usize {
        let last = depths.len().saturating_sub(1);
        if self.n == 0 {
            return match rules.first {
                FirstReply::Lowest => 0,
                FirstReply::Middle => last / 2,
                FirstReply::Highest => last,
            };
        }
        // S |T - T_s| in whole numbers: ties are exact.
        let distance = |at: usize| self.distance(depths[at] * LEVEL_STEPS);
        let agents = 0..depths.len();
        match rules.tie {
            NearestTie::Lower => agents.min_by_key(|&at| distance(at)),
            NearestTie::Higher => agents.rev().min_by_key(|&at| distance(at)),
        }
        .unwrap_or(0)
    }

    /// Returns S times the distance of a depth from the mean, both in 1/1000 plies.
    fn distance(&self, depth: u32) -> u64 {
        (u64::from(depth) * u64::from(self.n)).abs_diff(self.sum)
    }

    /// Returns which agents would have made the move `square`, and the depth that counts; `None` if
    /// the move is not observed.
    ///
    /// `depths` has the agents' depths, in ascending order. `choice` returns the square of an
    /// agent's choice, by the indices of agent and choice, or `None` if there are fewer moves.
    #[must_use]
    pub fn matched(
        &self,
        depths: &[u32],
        rules: &MatchingRules,
        square: Square,
        choice: impl Fn(usize, usize) -> Option<Square>,
    ) -> Option<StrengthMatch> {
        for number in 1..=rules.choices {
            let place = number as usize - 1;
            let matches = |&at: &usize| choice(at, place) == Some(square);
            let matching: Vec<u32> =
                (0..depths.len()).filter(matches).map(|at| depths[at] * LEVEL_STEPS).collect();
            if let Some(depth) = self.depth_of(&matching, rules.several) {
                return Some(StrengthMatch { choice: number, depth });
            }
        }
        match rules.unmatched {
            Unmatched::Skip => None,
            Unmatched::Lowest => {
                let depth = depths.first()? * LEVEL_STEPS;
                Some(StrengthMatch { choice: 0, depth })
            }
        }
    }

    /// Returns the depth that counts for agents of these depths, in ascending order.
    fn depth_of(&self, matching: &[u32], several: SeveralMatch) -> Option<u32> {
        match several {
            SeveralMatch::Lowest => matching.first().copied(),
            SeveralMatch::Highest => matching.last().copied(),
            SeveralMatch::Mean => {
                let n = u32::try_from(matching.len()).ok().filter(|&n| n != 0)?;
                // Rounded to the nearest unit.
                Some((matching.iter().sum::<u32>() + n / 2) / n)
            }
            SeveralMatch::Nearest if self.n == 0 => matching.first().copied(),
            SeveralMatch::Nearest => {
                matching.iter().copied().min_by_key(|&depth| self.distance(depth))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTHS: [u32; 7] = [5, 9, 12, 15, 18, 21, 25];

    fn estimate(depths: &[u32]) -> StrengthEstimate {
        let mut estimate = StrengthEstimate::default();
        depths.iter().for_each(|depth| estimate.observe(depth * LEVEL_STEPS));
        estimate
    }

    fn square(index: u8) -> Square {
        Square::new(index).unwrap()
    }

    /// Matches the move a1 where `ranks` has the number of every agent's choice that is a1, counted
    /// from 1, or 0 if no choice is a1.
    fn matched(
        estimate: StrengthEstimate,
        depths: &[u32],
        ranks: &[usize],
        rules: &MatchingRules,
    ) -> Option<(u32, u32)> {
        let choice = |agent: usize, place: usize| {
            let is_move = ranks[agent] == place + 1;
            Some(square(if is_move { 0 } else { 1 + u8::try_from(place).unwrap() }))
        };
        let found = estimate.matched(depths, rules, square(0), choice);
        found.map(|found| (found.choice, found.depth))
    }

    #[test]
    fn the_example_of_the_paper_gives_four() {
        // Takagi et al., section 3.1.1: 5, 5, 5, 1 -> 4.
        let estimate = estimate(&[5, 5, 5, 1]);
        assert_eq!((estimate.n(), estimate.mean()), (4, Some(4.0)));
        assert_eq!(estimate.reply(&[1, 2, 3, 4, 5, 6], &MatchingRules::default()), 3);
        assert_eq!(StrengthEstimate::default().mean(), None);
    }

    #[test]
    fn the_example_of_figure_3_chooses_agent_2() {
        // Agents 1 to 6; only agent 2 has the player's move as its first choice.
        let rules = MatchingRules::default();
        let found = matched(estimate(&[]), &[1, 2, 3, 4, 5, 6], &[2, 1, 2, 3, 0, 0], &rules);
        assert_eq!(found, Some((1, 2_000)));
        assert_eq!(estimate(&[2]).reply(&[1, 2, 3, 4, 5, 6], &rules), 1);
    }

    #[test]
    fn second_and_third_choices_count_if_no_earlier_one_matches() {
        let rules = MatchingRules::default();
        let check = |ranks: [usize; 7], expected| {
            assert_eq!(matched(estimate(&[]), &DEPTHS, &ranks, &rules), expected, "{ranks:?}");
        };
        check([2, 2, 3, 0, 3, 3, 1], Some((1, 25_000)));
        check([3, 3, 3, 2, 3, 3, 3], Some((2, 15_000)));
        check([4, 4, 3, 4, 4, 4, 4], Some((3, 12_000)));
        check([4, 5, 6, 7, 0, 0, 0], None);
        let two = MatchingRules { choices: 2, ..rules };
        assert_eq!(matched(estimate(&[]), &DEPTHS, &[3; 7], &two), None);
        let lowest = MatchingRules { unmatched: Unmatched::Lowest, ..rules };
        assert_eq!(matched(estimate(&[]), &DEPTHS, &[0; 7], &lowest), Some((0, 5_000)));
    }

    #[test]
    fn several_agents_count_as_the_rule_says() {
        let check = |several, seen: &[u32], ranks: [usize; 7], expected| {
            let rules = MatchingRules { several, ..MatchingRules::default() };
            let found = matched(estimate(seen), &DEPTHS, &ranks, &rules);
            assert_eq!(found, Some((1, expected)), "{several:?} {seen:?}");
        };
        let ranks = [1, 2, 1, 2, 1, 2, 1];
        check(SeveralMatch::Lowest, &[], ranks, 5_000);
        check(SeveralMatch::Highest, &[], ranks, 25_000);
        check(SeveralMatch::Mean, &[], ranks, 15_000);
        check(SeveralMatch::Nearest, &[], ranks, 5_000);
        check(SeveralMatch::Nearest, &[20, 21], ranks, 18_000);
        // 15 is as far from 12 as from 18.
        check(SeveralMatch::Nearest, &[15], ranks, 12_000);
        // (5 + 9 + 12) / 3 = 8.667.
        check(SeveralMatch::Mean, &[], [1, 1, 1, 2, 2, 2, 2], 8_667);
    }

    #[test]
    fn the_nearest_agent_replies() {
        let check = |seen: &[u32], tie, expected: u32| {
            let rules = MatchingRules { tie, ..MatchingRules::default() };
            assert_eq!(DEPTHS[estimate(seen).reply(&DEPTHS, &rules)], expected, "{seen:?}");
        };
        check(&[1], NearestTie::Lower, 5);
        check(&[60, 60], NearestTie::Lower, 25);
        check(&[5, 9], NearestTie::Lower, 5);
        check(&[5, 9], NearestTie::Higher, 9);
        check(&[15, 16], NearestTie::Lower, 15);
        check(&[16, 17], NearestTie::Lower, 15);
        check(&[16, 17], NearestTie::Higher, 18);
    }

    #[test]
    fn before_an_observation_the_first_reply_is_set() {
        let reply = |first, depths: &[u32]| {
            let rules = MatchingRules { first, ..MatchingRules::default() };
            StrengthEstimate::default().reply(depths, &rules)
        };
        assert_eq!(reply(FirstReply::Middle, &DEPTHS), 3);
        assert_eq!(reply(FirstReply::Middle, &[5, 10]), 0);
        assert_eq!(reply(FirstReply::Lowest, &DEPTHS), 0);
        assert_eq!(reply(FirstReply::Highest, &DEPTHS), 6);
        assert_eq!(reply(FirstReply::Highest, &[5]), 0);
    }
}
