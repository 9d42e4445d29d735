//! `plies.csv`: a row for each placement of the recorded games.

use hatchery_core::{DataTable, Exhibit};

use crate::record::{GameFile, GameRecord, GameSeries, RecordError};
use crate::rules::{Action, Cell, Game, GameEvent, Player};

/// A placement of a game.
struct PlyRow<'a> {
    series: usize,
    game: usize,
    ply: u32,
    player: Player,
    deck: &'a str,
    agent: &'a str,
    turn: u8,
    piece: u16,
    cell: Cell,
    effects: PlyEffects,
    /// The HP after the placement and before the next turn.
    hp: u32,
    enemy_hp: u32,
    legal_actions: usize,
    /// The half points of the player in the whole game.
    half_points: u8,
}

/// The effects of a placement.
#[derive(Default)]
struct PlyEffects {
    flips: u32,
    /// The damage of the attack, and special damage to the enemy.
    damage: u32,
    own_loss: u32,
    healed: u32,
    /// The kinds of the effects that fired.
    fired: Vec<&'static str>,
}

/// Returns the table with every series' first games, at most `most_games` games in the whole table.
/// The table separates the kinds of effects by spaces.
pub(super) fn ply_table(file: &GameFile, most_games: u32) -> Exhibit {
    let mut rows = Vec::new();
    let each = most_games as usize / file.series.len().max(1);
    for (number, series) in file.series.iter().enumerate() {
        for (game, record) in series.records.iter().take(each).enumerate() {
            // A record that does not replay is a bug; the rows of the others are right.
            if let Ok(plies) = game_rows(file, (number, series), (game, record)) {
                rows.extend(plies);
            }
        }
    }
    let fired = |row: &PlyRow<'_>| match row.effects.fired.as_slice() {
        [] => "-".to_owned(),
        kinds => kinds.join(" "),
    };
    DataTable::of(&rows)
        .count("series", |row| row.series)
        .count("game", |row| row.game)
        .count("ply", |row| row.ply)
        .text("player", |row| row.player.to_string())
        .text("deck", |row| row.deck)
        .text("agent", |row| row.agent)
        .count("turn", |row| row.turn)
        .count("piece", |row| row.piece)
        .text("cell", |row| row.cell.to_string())
        .count("flips", |row| row.effects.flips)
        .count("damage", |row| row.effects.damage)
        .count("own_loss", |row| row.effects.own_loss)
        .count("healed", |row| row.effects.healed)
        .text("fired", fired)
        .count("hp", |row| row.hp)
        .count("enemy_hp", |row| row.enemy_hp)
        .count("legal_actions", |row| row.legal_actions)
        .count("half_points", |row| row.half_points)
        .exhibit("plies.csv")
}

fn game_rows<'a>(
    file: &'a GameFile,
    (number, series): (usize, &'a GameSeries),
    (game_number, record): (usize, &GameRecord),
) -> Result<Vec<PlyRow<'a>>, RecordError> {
    let decks = file.decks_of(record);
    let winner = record.replay(decks, &mut ())?.outcome().and_then(|outcome| outcome.winner);
    let mut game = Game::start(decks, record.start);
    let mut rows = Vec::new();
    for (&action, ply) in record.actions.iter().zip(1..) {
        let player = game.state().to_move;
        let own = game.state().player(player);
        let piece = own.hand[usize::from(action.slot)].expect("the record was replayed");
        let (effects, after) = PlyEffects::of(&game, action);
        rows.push(PlyRow {
            series: number,
            game: game_number,
            ply,
            player,
            deck: &file.decks[usize::from(record.decks[player.index()])].0,
            agent: &series.agents[player.index()],
            turn: own.turn,
            piece: decks[player.index()].pieces()[usize::from(piece)].id.0,
            cell: action.cell,
            effects,
            hp: after.state().player(player).hp,
            enemy_hp: after.state().player(player.enemy()).hp,
            legal_actions: game.actions().count(),
            half_points: match winner {
                Some(winner) if winner == player => 2,
                Some(_) => 0,
                None => 1,
            },
        });
        game.play(action, &mut ()).expect("the record was replayed");
    }
    Ok(rows)
}

impl PlyEffects {
    /// Returns the effects of a placement, and the game after the placement.
    fn of<'a>(game: &Game<'a>, action: Action) -> (Self, Game<'a>) {
        let player = game.state().to_move;
        let mut events: Vec<GameEvent> = Vec::new();
        let after = game.preview(action, &mut events).expect("the record was replayed");
        let mut effects = Self::default();
        events.iter().for_each(|event| effects.note(player, event));
        (effects, after)
    }

    fn note(&mut self, player: Player, event: &GameEvent) {
        match *event {
            GameEvent::Placed { flipped, .. } => self.flips = flipped.len(),
            GameEvent::Lost { player: who, amount, .. } => {
                let sum = if who == player { &mut self.own_loss } else { &mut self.damage };
                *sum += amount;
            }
            GameEvent::Healed { player: who, amount, .. } if who == player => self.healed += amount,
            GameEvent::Fired { kind, .. } => self.fired.push(kind.name()),
            _ => {}
        }
    }
}
