//! Waiting times by table: what each resource lacks, or leaves for the bank, after each throw.
//!
//! Planners spend most of their time on the question after how many throws a player can pay. What
//! one resource adds to the answer depends on three small numbers only, so it is looked up, for 32
//! throws at once.

use std::sync::LazyLock;

use crate::resource::{Resource, ResourceCards};

use super::estimate::{Economy, cards_after, quotient};

/// Throws in a row of the table.
const ROW: usize = 32;
const ROW_THROWS: u16 = 32;

/// Rows for the same resource: they tell of the first 128 throws.
const N_ROWS: usize = 4;

/// Cards beyond the need that the table knows: from -8, eight lacking, to 15.
const MOST_LACKING: u8 = 8;
const N_SURPLUSES: usize = 24;

/// Incomes, in cards of 36 throws, that the table knows.
const N_INCOMES: usize = 32;

/// Rates of the bank: 2, 3 and 4.
const LEAST_RATE: usize = 2;
const N_RATES: usize = 3;

/// For each throw, the cards that the bank gives for what is beyond the need, or the negative
/// number of those that lack.
type Row = [i8; ROW];

/// Rows by rate, then income, then surplus.
const N_PLACES: usize = N_RATES * N_INCOMES * N_SURPLUSES;

/// By the first throw of a row: nearly all answers are in the first table, which stays near the
/// processor.
static ROWS: LazyLock<[Box<[Row]>; N_ROWS]> = LazyLock::new(|| {
    let rows = |first_throw: u16| {
        let mut rows = vec![[0; ROW]; N_PLACES].into_boxed_slice();
        let rates = (2..).zip(rows.chunks_exact_mut(N_INCOMES * N_SURPLUSES));
        for (rate, of_rate) in rates {
            for (income, of_income) in (0..).zip(of_rate.chunks_exact_mut(N_SURPLUSES)) {
                for (surplus, row) in (0..).zip(of_income) {
                    for (throw, net) in (first_throw..).zip(row) {
                        *net = net_cards(surplus, rate, income, throw);
                    }
                }
            }
        }
        rows
    };
    [0, 32, 64, 96].map(rows)
});

/// What a resource comes to; `surplus` is counted from [`MOST_LACKING`].
fn net_cards(surplus: u8, rate: u8, income: u8, throws: u16) -> i8 {
    let has = cards_after(surplus, income, throws);
    let needs = u32::from(MOST_LACKING);
    let beyond = quotient(has.saturating_sub(needs), rate);
    let lacking = i8::try_from(needs.saturating_sub(has)).unwrap_or(i8::MAX);
    // So many for the bank outweigh all that five resources can lack.
    i8::try_from(beyond).unwrap_or(i8::MAX) - lacking
}

/// After how many throws `hand` pays for `cost`; none if that is not within the table.
pub(super) fn throws(
    economy: &Economy,
    hand: ResourceCards,
    cost: ResourceCards,
    limit: u16,
) -> Option<u16> {
    let (mut places, mut is_known) = ([0; Resource::COUNT], true);
    for (place, resource) in places.iter_mut().zip(Resource::ALL) {
        let surplus = hand.count(resource).saturating_add(MOST_LACKING);
        let surplus = usize::from(surplus.wrapping_sub(cost.count(resource)));
        let income = usize::from(economy.income(resource));
        let rate = usize::from(economy.rate(resource)) - LEAST_RATE;
        is_known &= surplus < N_SURPLUSES && income < N_INCOMES;
        *place = (rate * N_INCOMES + income) * N_SURPLUSES + surplus;
    }
    if !is_known {
        return None;
    }
    let [first, later @ ..] = &*ROWS;
    let n_unpaid = unpaid(first, places);
    if n_unpaid < ROW_THROWS { Some(limit.min(n_unpaid)) } else { long_wait(later, places, limit) }
}

/// The same for what is not paid after 32 throws.
#[cold]
fn long_wait(later: &[Box<[Row]>], places: [usize; Resource::COUNT], limit: u16) -> Option<u16> {
    let mut throws = ROW_THROWS;
    for rows in later {
        let n_unpaid = unpaid(rows, places);
        throws += n_unpaid;
        if n_unpaid < ROW_THROWS {
            return Some(limit.min(throws));
        }
    }
    (limit <= throws).then_some(limit)
}

/// For how many throws of its rows the five resources together do not pay. What is paid at a time
/// stays paid, so the first such throw is their number.
fn unpaid(rows: &[Row], places: [usize; Resource::COUNT]) -> u16 {
    let [brick, ore, sheep, wheat, wood] = places.map(|place| &rows[place]);
    // Where a sum saturates at the top, what lacks cannot turn it negative.
    let net = |throw: usize| {
        let three = brick[throw].saturating_add(ore[throw]).saturating_add(sheep[throw]);
        three.saturating_add(wheat[throw]).saturating_add(wood[throw])
    };
    u16::from((0..ROW).map(|throw| u8::from(net(throw) < 0)).sum::<u8>())
}
