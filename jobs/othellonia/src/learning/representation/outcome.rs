//! What an action leads to by the end of the turn: the features of the next state that are
//! predicted (Kono et al., 8.2, leave the list open: this one is our own).

use crate::rules::{
    Action, ActionError, EffectKind, EffectScope, Game, GameEvent, GameWatcher, HpChange, Player,
};

/// The version of what is predicted: raised whenever an output gets another meaning, or other
/// columns of the input are masked.
pub const OUTCOME_VERSION: u32 = 1;

/// The names of the numbers that are predicted by regression, in their order.
pub const REGRESSED: [&str; 11] = [
    "damage of the attack",
    "special damage",
    "own damage",
    "healed",
    "own HP after",
    "enemy HP after",
    "combo skills that fire",
    "lasting effects started",
    "enemy effects ended",
    "magnitude of the skill",
    "turns that the skill runs",
];

/// The number of classes of the skill that fires: the kind that it comes to, or none.
pub const SKILL_CLASSES: usize = EffectKind::ALL.len() + 1;

/// The number of classes of the end: the game is not over, is won, lost or drawn.
pub const END_CLASSES: usize = 4;

/// The outcome of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnOutcome {
    /// The numbers, as [`REGRESSED`] names them: HP, counts, turns, and the magnitude of the skill
    /// in the unit of its kind.
    pub regressed: [f32; REGRESSED.len()],
    /// The kinds that fire, of the skill and of combo skills: bit number `i` is the kind number
    /// `i`.
    pub fired: u32,
    /// The class of the skill: the kind that it comes to, or the number of kinds if none fires.
    pub skill: usize,
    /// The class of the end: 0 if the game is not over, then won, lost and drawn.
    pub end: usize,
}

impl TurnOutcome {
    /// Returns what an action leads to.
    ///
    /// # Errors
    /// If the action is not legal.
    pub fn of(game: &Game<'_>, action: Action) -> Result<Self, ActionError> {
        let player = game.state().to_move;
        let enemy = player.enemy();
        let mut seen = SeenTurn::new(player);
        let after = game.preview(action, &mut seen)?;
        let n_running = |game: &Game<'_>| game.state().running(enemy).count();
        let ended = n_running(game).saturating_sub(n_running(&after));
        let [own, enemy_after] = [player, enemy].map(|it| after.state().player(it).hp);
        let runs = after.state().at(action.cell).running[0];
        let numbers = [
            seen.damage,
            seen.special_damage,
            seen.own_damage,
            seen.healed,
            own,
            enemy_after,
            seen.combos.count_ones(),
            seen.started,
            u32::try_from(ended).unwrap_or(u32::MAX),
            seen.skill.map_or(0, |(_, magnitude)| magnitude),
            runs.map_or(0, |running| running.turns.into()),
        ];
        let end = match after.outcome().map(|outcome| outcome.winner) {
            None => 0,
            Some(Some(winner)) if winner == player => 1,
            Some(Some(_)) => 2,
            Some(None) => 3,
        };
        Ok(Self {
            regressed: numbers.map(|number| number as f32),
            fired: seen.fired,
            skill: seen.skill.map_or(SKILL_CLASSES - 1, |(kind, _)| kind.index()),
            end,
        })
    }
}

/// The events of a turn.
struct SeenTurn {
    player: Player,
    damage: u32,
    special_damage: u32,
    own_damage: u32,
    healed: u32,
    started: u32,
    fired: u32,
    /// The cells of the combo skills that fire, as bits.
    combos: u64,
    /// The last effect of the skill that fires, with its magnitude.
    skill: Option<(EffectKind, u32)>,
}

impl SeenTurn {
    const fn new(player: Player) -> Self {
        Self {
            player,
            damage: 0,
            special_damage: 0,
            own_damage: 0,
            healed: 0,
            started: 0,
            fired: 0,
            combos: 0,
            skill: None,
        }
    }
}

impl GameWatcher for SeenTurn {
    fn event(&mut self, event: GameEvent) {
        match event {
            GameEvent::Fired { source, kind, magnitude, .. } => {
                self.fired |= 1 << kind.index();
                self.started += u32::from(kind.scope() != EffectScope::Placement);
                if source.is_combo {
                    self.combos |= source.cell.set().bits();
                } else {
                    self.skill = Some((kind, magnitude));
                }
            }
            GameEvent::Lost { player, amount, cause } => {
                let sum = match cause {
                    _ if player == self.player => &mut self.own_damage,
                    HpChange::Attack => &mut self.damage,
                    HpChange::Effect(_) => &mut self.special_damage,
                };
                *sum = sum.saturating_add(amount);
            }
            GameEvent::Healed { amount, .. } => self.healed = self.healed.saturating_add(amount),
            _ => {}
        }
    }
}
