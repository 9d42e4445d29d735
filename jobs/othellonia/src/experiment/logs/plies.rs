//! `plies.csv`: a row for each placement of the recorded games.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use crate::game_file::GameFile;
use crate::record::{GameRecord, RecordError};
use crate::rules::{Action, Game, GameEvent, Player};

/// The columns: numbers but for player, deck, agent, cell and fired, where the kinds of effects are
/// separated by spaces. Damage is that of the attack and of special damage to the enemy; HP are
/// those after the placement and before the next turn.
const COLUMNS: &str = "series,game,ply,player,deck,agent,turn,piece,cell,flips,damage,own_loss,\
                       healed,fired,hp,enemy_hp,legal_actions,half_points\n";

/// Returns the table with every series' first games, at most `most_games` games in the whole table.
pub(super) fn ply_table(file: &GameFile, most_games: u32) -> String {
    let mut text = COLUMNS.to_owned();
    let each = most_games as usize / file.series.len().max(1);
    for (number, series) in file.series.iter().enumerate() {
        for (game, record) in series.records.iter().take(each).enumerate() {
            let decks = record.decks.map(|deck| file.decks[usize::from(deck)].0.as_str());
            let names = PlyNames { decks, agents: series.agents.each_ref().map(String::as_str) };
            // A record that does not replay is a bug; the rows of the others are right.
            if let Ok(rows) = game_rows(file, record, names, [number, game]) {
                text.push_str(&rows);
            }
        }
    }
    text
}

/// The names of decks and agents of the players.
#[derive(Clone, Copy)]
struct PlyNames<'a> {
    decks: [&'a str; 2],
    agents: [&'a str; 2],
}

fn game_rows(
    file: &GameFile,
    record: &GameRecord,
    names: PlyNames<'_>,
    [series, number]: [usize; 2],
) -> Result<String, RecordError> {
    let decks = file.decks_of(record);
    let winner = record.replay(decks, &mut ())?.outcome().and_then(|outcome| outcome.winner);
    let mut game = Game::start(decks, record.start);
    let mut text = String::new();
    for (&action, ply) in record.actions.iter().zip(1..) {
        let player = game.state().to_move;
        let row = PlyRow::of(&game, action);
        let at = player.index();
        let half_points = match winner {
            Some(winner) if winner == player => 2,
            Some(_) => 0,
            None => 1,
        };
        writeln!(
            text,
            "{series},{number},{ply},{player},{},{},{},{half_points}",
            names.decks[at],
            names.agents[at],
            row.text(&game, action)
        )
        .expect(TAKES_ALL);
        game.play(action, &mut ()).expect("the record was replayed");
    }
    Ok(text)
}

/// The numbers of a placement's row.
#[derive(Default)]
struct PlyRow {
    flips: u32,
    damage: u32,
    own_loss: u32,
    healed: u32,
    fired: Vec<&'static str>,
    hp: u32,
    enemy_hp: u32,
}

impl PlyRow {
    fn of(game: &Game<'_>, action: Action) -> Self {
        let player = game.state().to_move;
        let mut events: Vec<GameEvent> = Vec::new();
        let after = game.preview(action, &mut events).expect("the record was replayed");
        let mut row = Self {
            hp: after.state().player(player).hp,
            enemy_hp: after.state().player(player.enemy()).hp,
            ..Self::default()
        };
        events.iter().for_each(|event| row.note(player, event));
        row
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

    fn text(&self, game: &Game<'_>, action: Action) -> String {
        let Self { flips, damage, own_loss, healed, fired, hp, enemy_hp } = self;
        let player = game.state().to_move;
        let own = game.state().player(player);
        let piece = own.hand[usize::from(action.slot)].expect("the record was replayed");
        let piece = game.decks()[player.index()].pieces()[usize::from(piece)].id.0;
        let fired = if fired.is_empty() { "-".to_owned() } else { fired.join(" ") };
        let n_actions = game.actions().count();
        format!(
            "{},{piece},{},{flips},{damage},{own_loss},{healed},{fired},{hp},{enemy_hp},\
             {n_actions}",
            own.turn, action.cell
        )
    }
}
