//! The players that can be compared.

use super::table::ResultTable;
use crate::error::StatsError;

/// The place of a player relative to the rated group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// In the rated group, with this index in it.
    Rated(usize),
    /// Chains of points lead from the player to the group, but none back.
    Above,
    /// Chains of points lead from the group to the player, but none back.
    Below,
    /// No chain of points connects the player and the group.
    Undetermined,
}

/// Checks that a chain of games connects every player to player 0.
pub(super) fn check_connected(table: &ResultTable) -> Result<(), StatsError> {
    let met = |a, b| 0 < table.half_points(a, b) + table.half_points(b, a);
    let connected = reached_from(0, table.players(), met);
    match connected.iter().position(|&reached| !reached) {
        Some(player) => Err(StatsError::DisconnectedPlayer { player }),
        None => Ok(()),
    }
}

/// Returns the standings of the players. In the rated group, chains of points lead from every
/// player to every other; it is the largest such group or, if several are as large, the group with
/// the lowest player.
///
/// If there is no such group of two players, a player that only won points is above, and a player
/// that only lost points below.
pub(super) fn standings(table: &ResultTable) -> Vec<Standing> {
    let players = table.players();
    let mut rated: Vec<usize> = Vec::new();
    let mut grouped = vec![false; players];
    for player in 0..players {
        if grouped[player] {
            continue;
        }
        let (below, above) = reached_both_ways(table, player);
        let group: Vec<usize> = (0..players).filter(|&it| below[it] && above[it]).collect();
        for &member in &group {
            grouped[member] = true;
        }
        if rated.len() < group.len() {
            rated = group;
        }
    }
    let (mut below, mut above) = reached_both_ways(table, rated[0]);
    if rated.len() == 1 {
        rated.clear();
        let won = |a, b| 0 < table.half_points(a, b);
        let any = |holds: &dyn Fn(usize) -> bool| (0..players).any(holds);
        below = (0..players).map(|player| any(&|other| won(other, player))).collect();
        above = (0..players).map(|player| any(&|other| won(player, other))).collect();
    }
    let standing = |player| match rated.binary_search(&player) {
        Ok(idx) => Standing::Rated(idx),
        Err(_) => match (above[player], below[player]) {
            (true, false) => Standing::Above,
            (false, true) => Standing::Below,
            _ => Standing::Undetermined,
        },
    };
    (0..players).map(standing).collect()
}

/// Returns the players that chains of points from `player` lead to, and the players whose chains
/// lead to `player`.
fn reached_both_ways(table: &ResultTable, player: usize) -> (Vec<bool>, Vec<bool>) {
    let won = |a, b| 0 < table.half_points(a, b);
    let forth = reached_from(player, table.players(), won);
    let back = reached_from(player, table.players(), |a, b| won(b, a));
    (forth, back)
}

/// Returns for each of `players` if a chain of `linked` players leads to it from `start`.
fn reached_from(start: usize, players: usize, linked: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; players];
    reached[start] = true;
    let mut open = vec![start];
    while let Some(player) = open.pop() {
        for (other, reached) in reached.iter_mut().enumerate() {
            if !*reached && linked(player, other) {
                *reached = true;
                open.push(other);
            }
        }
    }
    reached
}
