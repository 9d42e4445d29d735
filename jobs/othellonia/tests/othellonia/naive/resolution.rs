//! Steps 9 to 15: what follows from that which fired, to the check of colors.

use hatchery_othellonia::pool::PieceDefinition;
use hatchery_othellonia::rules::{Attribute, Effect, EffectKind, EffectTarget, EndCause};

use super::{
    GameOver, NaiveCell, NaiveFired, NaiveGame, NaiveRunning, Place, Step, all_places, lowered,
    raised, share,
};

impl NaiveGame<'_> {
    pub(super) fn steps_7_to_15(&mut self, place: Place, slot: usize) -> Step {
        let player = self.player;
        let index = self.players[player].hand[slot].take().expect("a legal action");
        let piece = self.definition(player, index).clone();
        let (flipped, anchors) = self.outflanked(place);
        let sprung = self.step_7(place, index, &flipped);
        let fired = self.step_8(place, &piece, flipped.len() as u64, &anchors);
        self.fired.clone_from(&fired);
        self.step_9(&fired);
        let damage = self.step_10(&piece, flipped.len(), &fired)?;
        self.step_11(&sprung, damage, piece.attribute)?;
        self.step_12(&fired)?;
        self.step_13(&fired);
        self.step_14(&fired);
        // 15. One color.
        if all_places().all(|place| self.owner(place) != Some(self.enemy())) {
            return self.end(Some(player), EndCause::OneColor);
        }
        Ok(())
    }

    fn step_9(&mut self, fired: &[NaiveFired]) {
        let enemy = self.enemy();
        for dispel in fired.iter().filter(|it| it.effect.kind == EffectKind::Dispel) {
            let mut left = dispel.magnitude;
            for (column, row) in all_places() {
                if let NaiveCell::Standing { owner, runs, .. } = &mut self.board[row][column]
                    && *owner == enemy
                    && runs.iter().any(Option::is_some)
                    && 0 < left
                {
                    *runs = [None; 2];
                    left -= 1;
                }
            }
        }
    }

    /// Attacks; returns the damage.
    fn step_10(
        &mut self,
        piece: &PieceDefinition,
        flips: usize,
        fired: &[NaiveFired],
    ) -> Result<u64, GameOver> {
        let mut attack = u64::from(piece.attack);
        for _ in 1..flips {
            attack = raised(attack, 2_000);
        }
        let is_of = |it: &&NaiveFired, kind| it.effect.kind == kind;
        for it in fired {
            if is_of(&it, EffectKind::Strike) || is_of(&it, EffectKind::Pierce) {
                attack = raised(attack, it.magnitude);
            }
        }
        for banner in self.running(self.player, EffectKind::Banner) {
            if counts(banner.target, piece.attribute) {
                attack = raised(attack, banner.magnitude);
            }
        }
        for kind in [EffectKind::Charge, EffectKind::Weaken] {
            for state in &self.me().states {
                if state.kind == kind && counts(state.target, piece.attribute) {
                    attack = match kind {
                        EffectKind::Charge => raised(attack, state.magnitude),
                        _ => lowered(attack, state.magnitude),
                    };
                }
            }
        }
        if !fired.iter().any(|it| is_of(&it, EffectKind::Pierce)) {
            for guard in self.running(self.enemy(), EffectKind::Guard) {
                if counts(guard.target, piece.attribute) {
                    attack = lowered(attack, guard.magnitude);
                }
            }
        }
        self.lose(self.enemy(), attack)?;
        Ok(attack)
    }

    fn step_11(&mut self, sprung: &[NaiveRunning], damage: u64, attribute: Attribute) -> Step {
        for it in sprung {
            let special = match it.kind {
                EffectKind::Trap => share(damage, it.magnitude),
                _ => it.magnitude,
            };
            self.lose_special(self.player, special)?;
        }
        for counter in self.running(self.enemy(), EffectKind::Counter) {
            if counts(counter.target, attribute) {
                self.lose_special(self.player, share(damage, counter.magnitude))?;
            }
        }
        Ok(())
    }

    fn step_12(&mut self, fired: &[NaiveFired]) -> Step {
        let enemy = self.enemy();
        for it in fired {
            let hp_before = self.players[enemy].hp;
            match it.effect.kind {
                EffectKind::Bolt => self.lose_special(enemy, it.magnitude)?,
                EffectKind::Ruin => self.lose_special(enemy, share(hp_before, it.magnitude))?,
                EffectKind::Vengeance => {
                    let lacking = self.me().highest - self.me().hp;
                    self.lose_special(enemy, share(lacking, it.magnitude))?;
                }
                EffectKind::Drain => {
                    self.lose_special(enemy, it.magnitude)?;
                    self.heal(hp_before - self.players[enemy].hp);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn step_13(&mut self, fired: &[NaiveFired]) {
        for it in fired {
            match it.effect.kind {
                EffectKind::Heal => self.heal(it.magnitude),
                EffectKind::Mend => {
                    self.heal(share(self.me().highest - self.me().hp, it.magnitude));
                }
                EffectKind::Bloom => {
                    let me = &mut self.players[self.player];
                    me.highest = (me.highest + it.magnitude).min(999_999);
                    self.heal(it.magnitude);
                }
                EffectKind::Cleanse => self.players[self.player].states.retain(|state| {
                    let kinds = [EffectKind::Weaken, EffectKind::Curse, EffectKind::Seal];
                    !kinds.contains(&state.kind)
                }),
                _ => {}
            }
        }
    }

    fn step_14(&mut self, fired: &[NaiveFired]) {
        for it in fired {
            let Effect { kind, target, turns, .. } = it.effect;
            let new =
                NaiveRunning { kind, magnitude: it.magnitude, target, turns, fired_in: self.turns };
            match kind {
                EffectKind::Regen
                | EffectKind::Guard
                | EffectKind::Ward
                | EffectKind::Banner
                | EffectKind::Poison
                | EffectKind::Counter
                | EffectKind::Trap
                | EffectKind::Thorns => {
                    let (column, row) = it.place;
                    let NaiveCell::Standing { runs, .. } = &mut self.board[row][column] else {
                        panic!("a piece with a skill stands at {:?}", it.place);
                    };
                    runs[usize::from(it.is_combo)] = Some(new);
                }
                EffectKind::Weaken | EffectKind::Curse | EffectKind::Seal => {
                    self.add_state(self.enemy(), new);
                }
                EffectKind::Charge => self.add_state(self.player, new),
                _ => {}
            }
        }
    }

    fn add_state(&mut self, player: usize, new: NaiveRunning) {
        let states = &mut self.players[player].states;
        states.push(new);
        if 8 < states.len() {
            states.remove(0);
        }
    }

    fn lose_special(&mut self, player: usize, mut damage: u64) -> Step {
        for ward in self.running(player, EffectKind::Ward) {
            damage = lowered(damage, ward.magnitude);
        }
        self.lose(player, damage)
    }
}

fn counts(target: EffectTarget, attribute: Attribute) -> bool {
    match target {
        EffectTarget::All => true,
        EffectTarget::God => attribute == Attribute::God,
        EffectTarget::Demon => attribute == Attribute::Demon,
        EffectTarget::Dragon => attribute == Attribute::Dragon,
    }
}
