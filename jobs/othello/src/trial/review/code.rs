//! Judged moves as numbers.
//!
//! ```text
//! bit 0      1 for a move of white
//! bits 1..   0: opening, 1: forced, otherwise 2 more than
//!            bit 0        1 for an estimated value
//!            bits 1-8     the events, in the order of `MoveEvent::ALL`
//!            bits 9-22    the value of the best move, in steps
//!            bits 23..    the loss, in steps
//! ```

use hatchery_core::InvalidValue;

use super::{MoveReview, MoveVerdict};
use crate::naturalness::{LossZone, MoveEvent, MoveJudgement};
use crate::rules::DiscColor;

/// The number of events that a move may have to which nothing was compared: the first ones.
const N_EVENTS: usize = 8;

const ADVANTAGE_BIT: u32 = 1 + 8;
const LOSS_BIT: u32 = ADVANTAGE_BIT + 14;

impl From<&MoveReview> for u64 {
    fn from(MoveReview { color, verdict }: &MoveReview) -> Self {
        let rest = match verdict {
            MoveVerdict::Opening => 0,
            MoveVerdict::Forced => 1,
            MoveVerdict::Judged(judgement) => {
                let has = |event: &MoveEvent| judgement.events().contains(event);
                let events = MoveEvent::ALL[..N_EVENTS].iter().zip(0_u32..);
                let events = events.filter(|(event, _)| has(event));
                let events = events.fold(0, |bits, (_, at)| bits | 1_u64 << at);
                let zone = Self::from(judgement.zone() == LossZone::Estimated);
                let values = judgement.loss() << LOSS_BIT | judgement.advantage() << ADVANTAGE_BIT;
                2 + (values | events << 1 | zone)
            }
        };
        rest << 1 | Self::from(*color == DiscColor::White)
    }
}

impl From<MoveReview> for u64 {
    fn from(review: MoveReview) -> Self {
        (&review).into()
    }
}

impl TryFrom<u64> for MoveReview {
    type Error = InvalidValue;

    fn try_from(code: u64) -> Result<Self, InvalidValue> {
        let color = if code & 1 == 0 { DiscColor::Black } else { DiscColor::White };
        let verdict = match code >> 1 {
            0 => MoveVerdict::Opening,
            1 => MoveVerdict::Forced,
            judged => MoveVerdict::Judged(judgement(judged - 2).ok_or_else(|| {
                InvalidValue::new("", &code, "the number of a move that loses no more than it can")
            })?),
        };
        Ok(Self { color, verdict })
    }
}

fn judgement(code: u64) -> Option<MoveJudgement> {
    let zone = if code & 1 == 0 { LossZone::Exact } else { LossZone::Estimated };
    let events = MoveEvent::ALL[..N_EVENTS].iter().zip(1_u32..);
    let events = events.filter(|(_, at)| code >> at & 1 != 0).map(|(event, _)| *event);
    let advantage = code >> ADVANTAGE_BIT & ((1 << (LOSS_BIT - ADVANTAGE_BIT)) - 1);
    MoveJudgement::new(zone, advantage, code >> LOSS_BIT, events.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_numbers_and_come_back() {
        let all = MoveEvent::ALL[..N_EVENTS].to_vec();
        let judged = |zone, advantage, loss, events| {
            MoveVerdict::Judged(MoveJudgement::new(zone, advantage, loss, events).unwrap())
        };
        let mut codes = Vec::new();
        for verdict in [
            MoveVerdict::Opening,
            MoveVerdict::Forced,
            judged(LossZone::Exact, 0, 0, Vec::new()),
            judged(LossZone::Exact, 128, 128, all.clone()),
            judged(LossZone::Estimated, 10_000, 9_999, all[3..4].to_vec()),
        ] {
            for color in [DiscColor::Black, DiscColor::White] {
                let review = MoveReview { color, verdict: verdict.clone() };
                let code = u64::from(&review);
                assert_eq!(MoveReview::try_from(code).as_ref(), Ok(&review), "{code}");
                codes.push(code);
            }
        }
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        // No move loses more than the best one is worth.
        for wrong in [1_u64 << (LOSS_BIT + 1), 129 << (ADVANTAGE_BIT + 1), u64::MAX - 4] {
            assert!(MoveReview::try_from(wrong + 4).is_err(), "{wrong}");
        }
    }
}
