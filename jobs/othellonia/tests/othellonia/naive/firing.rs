//! Steps 7 and 8: what a placement flips, and what fires.

use hatchery_othellonia::pool::PieceDefinition;
use hatchery_othellonia::rules::{
    Attribute, CellClass, Condition, Effect, EffectKind, EffectScaling,
};

use super::{NaiveCell, NaiveFired, NaiveGame, NaiveRunning, Place, all_places};

/// What conditions and scaling see.
struct Facts {
    place: Place,
    flips: u64,
    combos: u64,
    standing: Vec<Attribute>,
}

impl NaiveGame<'_> {
    // 7. The pieces of the enemy in between, and the anchors, over all directions.
    pub(super) fn outflanked(&self, (column, row): Place) -> (Vec<Place>, Vec<Place>) {
        let (mut flipped, mut anchors) = (Vec::new(), Vec::new());
        for (right, down) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
        {
            let mut between = Vec::new();
            let mut next = (column, row);
            loop {
                let x = next.0.checked_add_signed(right).filter(|x| *x < 6);
                let y = next.1.checked_add_signed(down).filter(|y| *y < 6);
                let (Some(x), Some(y)) = (x, y) else { break };
                next = (x, y);
                let owner = self.owner(next);
                if owner == Some(self.enemy()) {
                    between.push(next);
                    continue;
                }
                if owner == Some(self.player) && !between.is_empty() {
                    flipped.append(&mut between);
                    anchors.push(next);
                }
                break;
            }
        }
        (flipped, anchors)
    }

    pub(super) fn is_legal(&self, place: Place) -> bool {
        self.owner(place).is_none() && !self.outflanked(place).0.is_empty()
    }

    /// Places and flips; returns the traps and thorns of flipped pieces, in the order of cells.
    pub(super) fn step_7(
        &mut self,
        place: Place,
        index: usize,
        flipped: &[Place],
    ) -> Vec<NaiveRunning> {
        let owner = self.player;
        let mut sprung = Vec::new();
        for (column, row) in all_places().filter(|place| flipped.contains(place)) {
            if let NaiveCell::Standing { runs, .. } = self.board[row][column] {
                let is_sprung = |it: &NaiveRunning| {
                    it.kind == EffectKind::Trap || it.kind == EffectKind::Thorns
                };
                sprung.extend(runs.into_iter().flatten().filter(is_sprung));
            }
            self.board[row][column] = NaiveCell::Plain { owner };
        }
        self.board[place.1][place.0] = NaiveCell::Standing { owner, index, runs: [None; 2] };
        self.placements += 1;
        sprung
    }

    pub(super) fn step_8(
        &self,
        place: Place,
        piece: &PieceDefinition,
        flips: u64,
        anchors: &[Place],
    ) -> Vec<NaiveFired> {
        let mut fired = Vec::new();
        if self.me().states.iter().any(|state| state.kind == EffectKind::Seal) {
            return fired;
        }
        let combos: Vec<(Place, Effect)> = all_places()
            .filter(|place| anchors.contains(place))
            .filter_map(|place| Some((place, self.standing(place)?.combo?)))
            .collect();
        let own = all_places().filter(|place| self.owner(*place) == Some(self.player));
        let standing = own.filter_map(|place| Some(self.standing(place)?.attribute)).collect();
        let facts = Facts { place, flips, combos: combos.len() as u64, standing };
        let holds = piece.skill.is_none_or(|effect| self.holds(effect.condition, &facts));
        if !holds {
            return fired;
        }
        if let Some(skill) = piece.skill {
            self.fire(skill, place, false, &facts, &mut fired);
        }
        for (anchor, combo) in combos {
            self.fire(combo, anchor, true, &facts, &mut fired);
        }
        fired
    }

    /// Fires an effect if its condition holds, and what it echoes.
    fn fire(
        &self,
        effect: Effect,
        place: Place,
        is_combo: bool,
        facts: &Facts,
        fired: &mut Vec<NaiveFired>,
    ) {
        if !self.holds(effect.condition, facts) {
            return;
        }
        let me = self.me();
        let number = match effect.scaling {
            EffectScaling::None => 1,
            EffectScaling::Flips => facts.flips,
            EffectScaling::OwnPieces => facts.standing.len() as u64,
            EffectScaling::LostTenths => 10 * (me.highest - me.latched) / me.highest,
            EffectScaling::Turns => u64::from(me.turn),
        };
        let magnitude = (u64::from(effect.magnitude) * number).min(largest(effect.kind));
        fired.push(NaiveFired { effect, magnitude, place, is_combo });
        if effect.kind == EffectKind::Echo {
            let echoed = self.pool[effect.magnitude as usize].skill.expect("checked by the pool");
            self.fire(echoed, place, is_combo, facts, fired);
        }
    }

    fn holds(&self, condition: Condition, facts: &Facts) -> bool {
        let me = self.me();
        let (column, row) = facts.place;
        match condition {
            Condition::Always => true,
            Condition::FlipsAtLeast(n) => facts.flips >= u64::from(n),
            Condition::FlipsExactly(n) => facts.flips == u64::from(n),
            Condition::OnCell(class) => class == class_of(column, row),
            Condition::HpAtMost(p) => 100 * me.latched <= u64::from(p) * me.highest,
            Condition::HpAtLeast(p) => 100 * me.latched >= u64::from(p) * me.highest,
            Condition::AttributeAtLeast(a, n) => {
                facts.standing.iter().filter(|it| **it == a).count() >= usize::from(n)
            }
            Condition::MonoDeck(a) => {
                (0..16).all(|index| self.definition(self.player, index).attribute == a)
            }
            Condition::TurnAtMost(n) => me.turn <= u32::from(n),
            Condition::TurnAtLeast(n) => me.turn >= u32::from(n),
            Condition::CombosAtLeast(n) => facts.combos >= u64::from(n),
        }
    }

    pub(super) fn owner(&self, (column, row): Place) -> Option<usize> {
        match self.board[row][column] {
            NaiveCell::Empty => None,
            NaiveCell::Plain { owner } | NaiveCell::Standing { owner, .. } => Some(owner),
        }
    }

    /// Returns the piece on a cell; `None` for a plain piece.
    fn standing(&self, (column, row): Place) -> Option<&PieceDefinition> {
        match self.board[row][column] {
            NaiveCell::Standing { owner, index, .. } => Some(self.definition(owner, index)),
            _ => None,
        }
    }

    pub(super) fn definition(&self, player: usize, index: usize) -> &PieceDefinition {
        &self.pool[self.decks[player].pieces[index] as usize]
    }
}

// "Board": the classes of cells.
fn class_of(column: usize, row: usize) -> CellClass {
    let is_border = |x| x == 0 || x == 5;
    let is_next_to_border = |x| x == 1 || x == 4;
    if is_border(column) && is_border(row) {
        CellClass::Corner
    } else if is_border(column) || is_border(row) {
        CellClass::Edge
    } else if is_next_to_border(column) && is_next_to_border(row) {
        CellClass::X
    } else {
        CellClass::Inner
    }
}

// "Effects": the column "largest".
fn largest(kind: EffectKind) -> u64 {
    match kind {
        EffectKind::Strike | EffectKind::Pierce | EffectKind::Banner | EffectKind::Charge => 40_000,
        EffectKind::Echo => 65_535,
        EffectKind::Dispel => 36,
        EffectKind::Bolt
        | EffectKind::Drain
        | EffectKind::Heal
        | EffectKind::Bloom
        | EffectKind::Regen
        | EffectKind::Poison
        | EffectKind::Thorns
        | EffectKind::Curse => 9_999,
        EffectKind::Ruin | EffectKind::Vengeance | EffectKind::Mend => 10_000,
        EffectKind::Cleanse | EffectKind::Seal => 1,
        EffectKind::Guard | EffectKind::Ward | EffectKind::Weaken => 9_000,
        EffectKind::Counter | EffectKind::Trap => 20_000,
    }
}
