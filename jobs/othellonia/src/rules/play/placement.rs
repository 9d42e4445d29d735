//! The placement of a piece: what is flipped, and which effects fire.

use super::event::{EffectSource, GameEvent, GameWatcher};
use super::game::Game;
use super::outcome::Player;
use super::running::RunningEffect;
use super::state::BoardPiece;
use crate::rules::{
    Cell, CellSet, Effect, EffectChain, EffectKind, EffectScaling, GamePiece, PlacementFacts,
    outflanked_lines,
};

/// A placement on its way through the steps of its resolution.
pub(super) struct Placement<'a> {
    pub(super) player: Player,
    pub(super) piece: &'a GamePiece,
    pub(super) flips: u32,
    /// Traps and thorns of the pieces that were flipped.
    pub(super) sprung: Vec<RunningEffect>,
    /// The effects that fired, in order.
    pub(super) fired: Vec<FiredEffect>,
}

/// An effect that fired.
#[derive(Clone, Copy)]
pub(super) struct FiredEffect {
    pub(super) effect: Effect,
    /// The magnitude, scaled.
    pub(super) magnitude: u32,
    pub(super) source: EffectSource,
}

impl<'a> Game<'a> {
    /// Puts a piece from the hand on the board, flips, and fires what fires.
    pub(super) fn put_piece(
        &mut self,
        cell: Cell,
        slot: usize,
        watcher: &mut impl GameWatcher,
    ) -> Option<Placement<'a>> {
        let player = self.state.to_move;
        let index = self.state.player_mut(player).hand.get_mut(slot)?.take()?;
        let piece: &'a GamePiece = &self.decks[player.index()].pieces()[usize::from(index)];
        let [own, enemy] = [player, player.enemy()].map(|it| self.state.player(it).cells);
        let lines = outflanked_lines(cell, own, enemy);
        self.state.board[cell.index()] = BoardPiece { piece: Some(index), running: [None; 2] };
        let sprung = self.flip(player, lines.flipped);
        let own = self.state.player_mut(player);
        own.cells = own.cells.or(lines.flipped).or(cell.set());
        watcher.event(GameEvent::Placed { player, cell, piece: index, flipped: lines.flipped });
        let flips = lines.flipped.len();
        let mut placement = Placement { player, piece, flips, sprung, fired: Vec::new() };
        self.fire_all(&mut placement, cell, lines.anchors, watcher);
        Some(placement)
    }

    /// Makes the enemy's pieces plain pieces; returns the traps and thorns that ran on them.
    fn flip(&mut self, player: Player, flipped: CellSet) -> Vec<RunningEffect> {
        let enemy = self.state.player_mut(player.enemy());
        let running = enemy.running.and(flipped);
        enemy.cells = enemy.cells.without(flipped);
        enemy.running = enemy.running.without(flipped);
        let springs =
            |running: &RunningEffect| matches!(running.kind, EffectKind::Trap | EffectKind::Thorns);
        let mut sprung = Vec::new();
        for cell in running {
            let effects = self.state.at(cell).running.into_iter().flatten();
            sprung.extend(effects.filter(springs));
        }
        for cell in flipped {
            self.state.board[cell.index()] = BoardPiece::default();
        }
        sprung
    }

    /// Fires the skill of the piece on `cell` if its condition holds, and then the combo skills of
    /// the anchors.
    fn fire_all(
        &self,
        placement: &mut Placement<'_>,
        cell: Cell,
        anchors: CellSet,
        watcher: &mut impl GameWatcher,
    ) {
        let player = placement.player;
        let own = self.state.player(player);
        if own.states.has(EffectKind::Seal) {
            watcher.event(GameEvent::Sealed { player });
            return;
        }
        let pieces = self.decks[player.index()].pieces();
        let piece_at = |at: Cell| self.state.at(at).piece.map(|index| &pieces[usize::from(index)]);
        let with_combo = |at: &Cell| piece_at(*at).is_some_and(|piece| !piece.combo.is_none());
        let facts = PlacementFacts {
            flips: placement.flips,
            class: cell.class(),
            latched_hp: own.latched_hp,
            highest_hp: own.highest_hp,
            standing: self.standing(player),
            deck_attribute: self.decks[player.index()].attribute(),
            turn: own.turn.into(),
            combos: u32::try_from(anchors.iter().filter(with_combo).count()).expect("8 anchors"),
        };
        let piece = placement.piece;
        if piece.skill.first().is_some_and(|effect| !effect.condition.holds(&facts)) {
            return;
        }
        let mut fire = |chain: &EffectChain, source: EffectSource| {
            for effect in chain.iter().take_while(|effect| effect.condition.holds(&facts)) {
                let magnitude = scaled(effect, &facts);
                placement.fired.push(FiredEffect { effect: *effect, magnitude, source });
                let kind = effect.kind;
                watcher.event(GameEvent::Fired { player, source, kind, magnitude });
            }
        };
        fire(&piece.skill, EffectSource { cell, is_combo: false });
        for anchor in anchors {
            if let Some(piece) = piece_at(anchor) {
                fire(&piece.combo, EffectSource { cell: anchor, is_combo: true });
            }
        }
    }

    /// Returns the number of the player's standing pieces by attribute.
    fn standing(&self, player: Player) -> [u32; 3] {
        let mut standing = [0; 3];
        let pieces = self.decks[player.index()].pieces();
        for cell in self.state.player(player).cells {
            if let Some(index) = self.state.at(cell).piece {
                standing[pieces[usize::from(index)].attribute as usize] += 1;
            }
        }
        standing
    }
}

/// Returns the magnitude of an effect after scaling, at most the largest of its kind.
fn scaled(effect: &Effect, facts: &PlacementFacts) -> u32 {
    let factor = match effect.scaling {
        EffectScaling::None => 1,
        EffectScaling::Flips => facts.flips,
        EffectScaling::OwnPieces => facts.standing.iter().sum(),
        EffectScaling::LostTenths => {
            10 * facts.highest_hp.saturating_sub(facts.latched_hp) / facts.highest_hp.max(1)
        }
        EffectScaling::Turns => facts.turn,
    };
    effect.magnitude.saturating_mul(factor).min(effect.kind.largest())
}
