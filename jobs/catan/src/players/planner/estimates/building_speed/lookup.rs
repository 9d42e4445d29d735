//! Waiting times by table: what each resource lacks, or leaves for the bank, after each throw.
//!
//! Planners spend most of their time computing after how many throws a player can pay. The
//! contribution of a resource depends on three small numbers only, so planners look it up, for 32
//! throws at once.

use std::sync::LazyLock;

use super::economy::{Economy, cards_after, quotient};
use crate::resource::{Resource, ResourceCards};

/// Throws per row of the table.
const ROW: usize = 32;
const ROW_THROWS: u16 = 32;

/// Rows for the same resource, which cover the first 128 throws.
const N_ROWS: usize = 4;

/// Surpluses over the need that the table covers: from -8, eight cards lacking, to 15.
const MOST_LACKING: u8 = 8;
const N_SURPLUSES: usize = 24;

/// Incomes that the table covers, in cards per 36 throws.
const N_INCOMES: usize = 32;

/// Rates of the bank: 2, 3 and 4.
const LEAST_RATE: usize = 2;
const N_RATES: usize = 3;

/// For each throw, the number of cards that the bank gives for the surplus, or the negative number
/// of cards that lack.
type NetCardsRow = [i8; ROW];

/// Rows by rate, then income, then surplus.
const N_PLACES: usize = N_RATES * N_INCOMES * N_SURPLUSES;

/// The tables, by the first throw of their rows. Nearly all answers are in the first table, which
/// stays in the processor's cache.
static ROWS: LazyLock<[Box<[NetCardsRow]>; N_ROWS]> = LazyLock::new(|| {
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

/// Returns the net cards of a resource; `surplus` is counted from [`MOST_LACKING`].
fn net_cards(surplus: u8, rate: u8, income: u8, throws: u16) -> i8 {
    let has = cards_after(surplus, income, throws);
    let needs = u32::from(MOST_LACKING);
    let beyond = quotient(has.saturating_sub(needs), rate);
    let lacking = i8::try_from(needs.saturating_sub(has)).unwrap_or(i8::MAX);
    // A saturated number of cards for the bank outweighs all that five resources can lack.
    i8::try_from(beyond).unwrap_or(i8::MAX) - lacking
}

/// Returns the number of throws until `hand` pays for `cost`, at most `limit`; none if the table
/// does not cover it.
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

/// Continues [`throws`] for a cost that is not paid after 32 throws.
#[cold]
fn long_wait(
    later: &[Box<[NetCardsRow]>],
    places: [usize; Resource::COUNT],
    limit: u16,
) -> Option<u16> {
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

/// Returns the number of throws of these rows at which the five resources together do not pay. A
/// cost that is paid at one throw stays paid, so this number is also the index of the first throw
/// that pays.
fn unpaid(rows: &[NetCardsRow], places: [usize; Resource::COUNT]) -> u16 {
    let [brick, ore, sheep, wheat, wood] = places.map(|place| &rows[place]);
    // A sum that saturates at the top cannot be turned negative by lacking cards.
    let net = |throw: usize| {
        let three = brick[throw].saturating_add(ore[throw]).saturating_add(sheep[throw]);
        three.saturating_add(wheat[throw]).saturating_add(wood[throw])
    };
    u16::from((0..ROW).map(|throw| u8::from(net(throw) < 0)).sum::<u8>())
}
