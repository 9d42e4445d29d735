//! Moves of the robber.

use std::cmp::Reverse;

use crate::board::Hex;
use crate::rules::{Action, LegalActions, Seat};
use crate::streams::FastRng;

use super::estimates::building_speed::{Economy, LIMIT};
use super::estimates::view::PlayerView;
use super::estimates::win_eta::WinEta;

/// Returns the move of the robber. The robber goes where it most slows the opponent nearest to
/// victory, or else the next opponent; never to the player's own hexes while there are others. Of
/// the players there, it robs the one nearest to victory that has cards. Ties go to the seat that
/// comes next and to the lower hex. If nobody can be slowed, the move is random; none if every move
/// would be to the player's own hexes.
pub(super) fn robber(
    view: PlayerView<'_>,
    me: Seat,
    legal: &LegalActions,
    stream: &mut FastRng,
) -> Option<Action> {
    let mut victims = me.others().map(|seat| (throws_to_win(view, seat), seat));
    victims.sort_by_key(|(throws, _)| *throws);
    let victims = victims.map(|(_, seat)| seat);
    for victim in victims {
        if let Some(hex) = worst_hex(view, me, victim, legal) {
            let robbed = victims
                .into_iter()
                .filter(|&seat| legal.contains(Action::Robber(hex, Some(seat))))
                .min_by_key(|&seat| view.state.hand(seat).is_empty());
            let action = Action::Robber(hex, robbed);
            if legal.contains(action) {
                return Some(action);
            }
        }
    }
    let is_harmless =
        |action: &Action| matches!(action, Action::Robber(hex, _) if !touches(view, me, *hex));
    let count = u32::try_from(legal.iter().filter(is_harmless).count()).unwrap_or(0);
    if count == 0 {
        return None;
    }
    legal.iter().filter(is_harmless).nth(stream.below(count) as usize)
}

pub(super) fn throws_to_win(view: PlayerView<'_>, seat: Seat) -> u16 {
    WinEta::of(view, seat).throws_to_win(view.island)
}

/// Returns the hex where the robber slows `victim` most; none if it cannot slow it.
fn worst_hex(view: PlayerView<'_>, me: Seat, victim: Seat, legal: &LegalActions) -> Option<Hex> {
    let economy: Economy = view.economy(victim);
    let buildings = [view.state.settlements(victim), view.state.cities(victim)];
    let usual = economy.building_time(LIMIT);
    let slowed = |hex: Hex| economy.with_robber(view.island, hex, buildings).building_time(LIMIT);
    Hex::ALL
        .into_iter()
        .filter(|&hex| legal.contains(Action::Robber(hex, Some(victim))))
        .filter(|&hex| !touches(view, me, hex))
        .map(|hex| (slowed(hex), hex))
        .filter(|(throws, _)| usual < *throws)
        .min_by_key(|(throws, _)| Reverse(*throws))
        .map(|(_, hex)| hex)
}

/// Returns true if `seat` has a building at `hex`.
pub(super) fn touches(view: PlayerView<'_>, seat: Seat, hex: Hex) -> bool {
    !view.buildings(seat).and(hex.node_set()).is_empty()
}
