//! Results on the wire whose forms differ from the values.

use hatchery_core::{InvalidValue, WireValue};
use hatchery_stats::PairResult;

use super::{DeckMatchResults, FirstPairs, GameSums, PieceNeighbors, check_sum};
use crate::record::{GameRecord, MAX_PLACEMENTS};
use crate::rules::{EffectKind, EndCause};

/// [`DeckMatchResults`] of at least one pair: a byte for each pair.
#[derive(WireValue)]
pub(super) struct MatchResultsForm {
    #[wire(tag = 1, length(min = 1, max = u32::MAX as usize))]
    pairs: Vec<u8>,
    #[wire(tag = 2)]
    placements: u64,
    #[wire(tag = 3)]
    causes: [u64; EndCause::ALL.len()],
    #[wire(tag = 4)]
    fired: [u64; EffectKind::ALL.len()],
    #[wire(tag = 5)]
    records: Vec<GameRecord>,
    /// The index of a pair and 1, for each cause and then for each kind; 0 for none.
    #[wire(tag = 6)]
    first_pairs: [u32; EndCause::ALL.len() + EffectKind::ALL.len()],
}

impl From<&DeckMatchResults> for MatchResultsForm {
    fn from(results: &DeckMatchResults) -> Self {
        let DeckMatchResults { pairs, sums, first_pairs, records } = results;
        let GameSums { games: _, placements, causes, fired } = sums;
        let first: Vec<_> = first_pairs.causes.iter().chain(&first_pairs.fired).collect();
        Self {
            pairs: pairs.iter().map(|pair| pair.to_byte()).collect(),
            placements: *placements,
            causes: *causes,
            fired: *fired,
            records: records.clone(),
            first_pairs: std::array::from_fn(|at| {
                first[at].map_or(0, |pair| pair.saturating_add(1))
            }),
        }
    }
}

impl TryFrom<MatchResultsForm> for DeckMatchResults {
    type Error = InvalidValue;

    fn try_from(form: MatchResultsForm) -> Result<Self, InvalidValue> {
        let MatchResultsForm { pairs, placements, causes, fired, records, first_pairs } = form;
        let n_pairs = pairs.len();
        let pair = |byte: u8| {
            PairResult::from_byte(byte)
                .ok_or_else(|| InvalidValue::new("pairs", &byte, "bytes below 9"))
        };
        let pairs = pairs.into_iter().map(pair).collect::<Result<_, _>>()?;
        let games = 2 * n_pairs as u64;
        let most = games * MAX_PLACEMENTS as u64;
        InvalidValue::check_range("placements", &placements, &games, &most)?;
        check_sum("causes", &causes, games)?;
        for count in &fired {
            InvalidValue::check_range("fired", count, &0, &games)?;
        }
        let n_records = records.len() as u64;
        if n_records != 0 && n_records != games {
            let expected = format!("none, or {games}, one for each game");
            return Err(InvalidValue::new("records", &n_records, expected));
        }
        let n_actions: u64 = records.iter().map(|record| record.actions.len() as u64).sum();
        if n_records != 0 && n_actions != placements {
            let expected = format!("{n_actions}, as many as the records have");
            return Err(InvalidValue::new("placements", &placements, expected));
        }
        let sums = GameSums { games, placements, causes, fired };
        let first_pairs = checked_first_pairs(&first_pairs, &sums, n_pairs)?;
        Ok(Self { pairs, sums, first_pairs, records })
    }
}

/// Returns the first pairs of `n_pairs` with these sums.
fn checked_first_pairs(
    numbers: &[u32],
    sums: &GameSums,
    n_pairs: usize,
) -> Result<FirstPairs, InvalidValue> {
    let mut first = FirstPairs::default();
    let places = first.causes.iter_mut().chain(&mut first.fired);
    let counts = sums.causes.iter().chain(&sums.fired);
    for ((place, &number), &count) in places.zip(numbers).zip(counts) {
        *place = number.checked_sub(1);
        if place.is_some() != (count != 0) || n_pairs < number as usize {
            let expected = match count {
                0 => "0, as nothing of the kind is counted".to_owned(),
                _ => format!("from 1 to {n_pairs}, as some are counted"),
            };
            return Err(InvalidValue::new("first_pairs", &number, expected));
        }
    }
    Ok(first)
}

/// [`PieceNeighbors`]: pieces and cosines apart.
#[derive(WireValue)]
pub(super) struct NeighborsForm {
    #[wire(tag = 1)]
    piece: u16,
    #[wire(tag = 2)]
    placed: u32,
    #[wire(tag = 3, length(max = 10))]
    nearest: Vec<u16>,
    // Rounding may go beyond 1.
    #[wire(tag = 4, inner(range(min = -1.01, max = 1.01)))]
    cosines: Vec<f32>,
}

impl From<&PieceNeighbors> for NeighborsForm {
    fn from(PieceNeighbors { piece, placed, nearest }: &PieceNeighbors) -> Self {
        let (nearest, cosines) = nearest.iter().copied().unzip();
        Self { piece: *piece, placed: *placed, nearest, cosines }
    }
}

impl TryFrom<NeighborsForm> for PieceNeighbors {
    type Error = InvalidValue;

    fn try_from(form: NeighborsForm) -> Result<Self, InvalidValue> {
        let NeighborsForm { piece, placed, nearest, cosines } = form;
        if cosines.len() != nearest.len() {
            let expected = format!("{}, one for each neighbor", nearest.len());
            return Err(InvalidValue::new("cosines", &cosines.len(), expected));
        }
        Ok(Self { piece, placed, nearest: nearest.into_iter().zip(cosines).collect() })
    }
}
