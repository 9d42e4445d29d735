//! Games as scenes: the board, HP and hands, and what a placement did.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use hatchery_core::scene::{
    SceneColor, SceneLabel, ScenePlace, SceneSpace, SceneSymbol, SceneThings, SymbolId,
    SymbolShape, ThingId, ThingPose,
};
use hatchery_core::text::TAKES_ALL;
use hatchery_core::{SceneBase, SceneWriter};

use super::play::{TrialWatcher, ValuedActions};
use crate::players::model::ModelValue;
use crate::pool::PieceText;
use crate::rules::{
    Action, Attribute, Cell, CellSet, EffectKind, EffectSource, Game, GameEvent, HpChange, Player,
    WIDTH,
};

/// Returns the empty board.
pub(super) fn base() -> SceneBase {
    let disk = |radius| SymbolShape::Disk { radius };
    let mut symbols = Vec::new();
    for (name, glyphs, color) in [
        ("black", ["x", "G", "M", "D"], SceneColor::Black),
        ("white", ["o", "g", "m", "d"], SceneColor::White),
    ] {
        let [plain, attributes @ ..] = glyphs;
        symbols.push(SceneSymbol::new(format!("{name} plain piece"), plain, color, disk(300)));
        for (attribute, glyph) in Attribute::ALL.into_iter().zip(attributes) {
            for look in PIECE_LOOKS {
                let (before, after, what) = look.marks();
                let symbol = format!("{name} {attribute}{what}");
                let glyph = format!("{before}{glyph}{after}");
                let inscription = glyph.trim().replace('>', "•").to_uppercase();
                let symbol = SceneSymbol::new(symbol, glyph, color, disk(420));
                symbols.push(symbol.inscribed(inscription));
            }
        }
    }
    let mut base = SceneBase::new(
        SceneSpace::Grid { columns: WIDTH.into(), rows: WIDTH.into(), margin: 1 },
        symbols,
    );
    for (name, at) in ('a'..='f').zip(0..) {
        base.labels.push(SceneLabel { text: name.to_string(), place: ScenePlace::new(at, -1) });
    }
    for row in 0..i32::from(WIDTH) {
        let text = (row + 1).to_string();
        base.labels.push(SceneLabel { text, place: ScenePlace::new(-1, row) });
    }
    base
}

/// The look of a piece that is not plain.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PieceLook {
    /// True if something runs on it.
    runs: bool,
    /// True for the piece that was placed last.
    is_last: bool,
}

/// All looks, in the order of their symbols.
const PIECE_LOOKS: [PieceLook; 4] = [
    PieceLook { runs: false, is_last: false },
    PieceLook { runs: true, is_last: false },
    PieceLook { runs: false, is_last: true },
    PieceLook { runs: true, is_last: true },
];

impl PieceLook {
    /// Returns the marks before and after the glyph, and the words about it.
    const fn marks(self) -> (&'static str, &'static str, &'static str) {
        match (self.is_last, self.runs) {
            (false, false) => ("", "", ""),
            (false, true) => ("", "*", ", on which something runs"),
            (true, false) => (">", "", ", just placed"),
            (true, true) => (">", "*", ", just placed, on which something runs"),
        }
    }
}

/// Returns the symbol of a piece: of black or white, plain or of an attribute with a look.
fn symbol(is_black: bool, piece: Option<(Attribute, PieceLook)>) -> SymbolId {
    let looks = PIECE_LOOKS.len();
    let within = piece.map_or(0, |(attribute, look)| {
        let look = PIECE_LOOKS.iter().position(|known| *known == look).unwrap_or(0);
        1 + looks * attribute as usize + look
    });
    let before = if is_black { 0 } else { 1 + looks * Attribute::ALL.len() };
    SymbolId(u16::try_from(before + within).expect("few symbols"))
}

/// Returns the pieces on the board.
fn things(game: &Game<'_>, last: Option<Cell>) -> SceneThings {
    let state = game.state();
    let mut things = SceneThings::new();
    for (number, cell) in (0..).zip(CellSet::ALL) {
        let Some(owner) = state.owner(cell) else { continue };
        let on_cell = state.at(cell);
        let piece = on_cell.piece.map(|index| {
            let piece = &game.decks()[owner.index()].pieces()[usize::from(index)];
            let runs = on_cell.running.iter().any(Option::is_some);
            (piece.attribute, PieceLook { runs, is_last: last == Some(cell) })
        });
        let symbol = symbol(owner == state.first, piece);
        things.insert(ThingId(number), ThingPose::at(symbol, place(cell)));
    }
    things
}

fn place(cell: Cell) -> ScenePlace {
    ScenePlace::new(cell.column().into(), cell.row().into())
}

/// Shows the games of a trial: a frame for each start and each placement.
pub(super) struct SceneWatcher<'a> {
    scene: SceneWriter<'a>,
    flow: ControlFlow<()>,
    n_games: u32,
    /// What the player who places next has thought of its actions: a line, or nothing.
    thoughts: String,
}

impl<'a> SceneWatcher<'a> {
    pub(super) fn new(scene: SceneWriter<'a>) -> Self {
        Self { scene, flow: ControlFlow::Continue(()), n_games: 0, thoughts: String::new() }
    }

    /// Returns whether more frames are wanted.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        self.flow
    }
}

impl TrialWatcher for SceneWatcher<'_> {
    fn begins(&mut self, game: &Game<'_>) {
        self.n_games += 1;
        let first = game.state().first;
        let mut caption = format!("game {}: {first} places first, and is black\n", self.n_games);
        write_players(&mut caption, game);
        if self.flow.is_continue() {
            self.flow = self.scene.show(caption, things(game, None));
        }
    }

    fn valued(&mut self, game: &Game<'_>, actions: &ValuedActions<'_>) {
        self.thoughts = best_actions(game, actions);
    }

    fn played(&mut self, action: Action, game: &Game<'_>, events: &[GameEvent]) {
        let mut caption = format!("ply {}: ", game.state().placements);
        for event in events {
            write_event(&mut caption, event, game);
            if let GameEvent::Placed { .. } = event {
                caption.push_str(&std::mem::take(&mut self.thoughts));
            }
        }
        write_players(&mut caption, game);
        if self.flow.is_continue() {
            self.flow = self.scene.show(caption, things(game, Some(action.cell)));
        }
    }

    fn wants_more(&self) -> bool {
        self.flow.is_continue()
    }
}

/// Writes a line for each player: HP and hand.
fn write_players(caption: &mut String, game: &Game<'_>) {
    let state = game.state();
    for player in [state.first, state.first.enemy()] {
        let own = state.player(player);
        let hand: Vec<_> =
            own.hand.iter().flatten().map(|&piece| piece_text(game, player, piece)).collect();
        let states: Vec<_> = own.states.iter().map(|it| it.kind.name()).collect();
        let states = match states.as_slice() {
            [] => String::new(),
            states => format!("; {}", states.join(", ")),
        };
        let color = if player == state.first { "black" } else { "white" };
        writeln!(
            caption,
            "  {player} ({color}): HP {} of {}; hand {}{states}",
            own.hp,
            own.highest_hp,
            hand.join(" ")
        )
        .expect(TAKES_ALL);
    }
    caption.truncate(caption.trim_end().len());
}

/// The actions whose values a frame shows.
const SHOWN_ACTIONS: usize = 3;

/// Returns the line of the actions that a learned agent values most, the best first: each with the
/// probability that the agent gives it to be the right one, or with the score that it expects.
fn best_actions(game: &Game<'_>, valued: &ValuedActions<'_>) -> String {
    let player = game.state().to_move;
    let hand = &game.state().player(player).hand;
    let mut best: Vec<_> = valued.actions.iter().collect();
    // Equal values stay in the order of actions, in which the first one is played.
    best.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let shown = best.iter().take(SHOWN_ACTIONS).map(|(action, value)| {
        let piece = hand[usize::from(action.slot)].map(|piece| piece_text(game, player, piece));
        let (piece, share) = (piece.unwrap_or_default(), valued.kind.share(*value));
        match valued.kind {
            ModelValue::LogOdds => format!("{piece} on {} {:.1} %", action.cell, 100.0 * share),
            ModelValue::Score => format!("{piece} on {} {share:.3}", action.cell),
        }
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let verb = match valued.kind {
        ModelValue::LogOdds => "would play",
        ModelValue::Score => "expects",
    };
    format!("  {player}'s network {verb}, of {} actions: {shown}\n", best.len())
}

/// Writes an event as a part of a caption.
fn write_event(caption: &mut String, event: &GameEvent, game: &Game<'_>) {
    match *event {
        GameEvent::TurnBegan { .. } => Ok(()),
        GameEvent::Placed { player, cell, piece, flipped } => {
            let cells: Vec<_> = flipped.iter().map(|cell| cell.to_string()).collect();
            let piece = piece_text(game, player, piece);
            writeln!(caption, "{player} places {piece} on {cell}, flips {}", cells.join(" "))
        }
        GameEvent::Fired { player, source: EffectSource { cell, is_combo }, kind, magnitude } => {
            let skill = if is_combo { "combo" } else { "skill" };
            let amount = PieceText::magnitude(kind, magnitude);
            writeln!(caption, "  {player}'s {skill} of {cell} fires: {}{amount}", kind.name())
        }
        GameEvent::Applied { player, kind, magnitude } => {
            let verb = match kind {
                EffectKind::Banner | EffectKind::Charge => "raises",
                _ => "lowers",
            };
            let damage = if kind == EffectKind::Ward { "special damage" } else { "the attack" };
            let amount = PieceText::magnitude(kind, magnitude);
            let holder = if kind == EffectKind::Weaken { "on" } else { "of" };
            writeln!(caption, "  a {}{amount} {holder} {player} {verb} {damage}", kind.name())
        }
        GameEvent::Dispelled { player, cell, kind } => {
            writeln!(caption, "  {player}'s {} on {cell} is dispelled", kind.name())
        }
        GameEvent::Sealed { player } => {
            writeln!(caption, "  {player} is under a seal: nothing fires")
        }
        GameEvent::Lost { player, amount, cause } => {
            let cause = match cause {
                HpChange::Attack => "the attack",
                HpChange::Effect(kind) => kind.name(),
            };
            writeln!(caption, "  {player} loses {amount} HP by {cause}")
        }
        GameEvent::Healed { player, amount, kind } => {
            writeln!(caption, "  {player} heals {amount} HP by {}", kind.name())
        }
        GameEvent::Passed { player } => writeln!(caption, "  {player} passes: no legal cell"),
        GameEvent::Drew { player, piece, .. } => {
            writeln!(caption, "  {player} draws {}", piece_text(game, player, piece))
        }
        GameEvent::Ended { outcome } => {
            let cause = outcome.cause.name();
            match outcome.winner {
                Some(winner) => writeln!(caption, "  {winner} wins: {cause}"),
                None => writeln!(caption, "  a draw: {cause}"),
            }
        }
    }
    .expect(TAKES_ALL);
}

/// Names a piece of a deck: its attribute and its number in the pool.
fn piece_text(game: &Game<'_>, player: Player, index: u8) -> String {
    let piece = &game.decks()[player.index()].pieces()[usize::from(index)];
    format!("{}-{}", piece.attribute, piece.id.0)
}
