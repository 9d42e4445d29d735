//! Writes rows: every column once, in ascending order, to any receiver.

use super::blocks::action::ActionPreview;
use super::blocks::cell::{CellOwner, CellStatus};
use super::blocks::{action, cell, deck, game, hand, status};
use super::encoding::PieceEncoding;
use super::field;
use super::sight::{GameView, Information, N_SLOTS, PlayerSight, SlotContent};
use super::sink::{Block, FeatureSink};
use crate::rules::{Action, Cell, CellSet, DECK_PIECES, Game, HAND_SLOTS, Player};

/// Writes the row of a state, whose decks were checked.
pub(super) fn state<S: FeatureSink>(
    encoding: PieceEncoding<'_>,
    view: GameView<'_>,
    information: Information,
    sink: &mut S,
) {
    let mover = view.state.to_move;
    let [own, enemy] =
        [mover, mover.enemy()].map(|player| PlayerSight::new(view, player, information));
    let mut slots = [SlotContent::Empty; N_SLOTS];
    fill_slots(&mut slots, view, [&own, &enemy]);
    let width = encoding.width();
    for (slot, &content) in slots.iter().enumerate() {
        encoding.write(content, Block::new(sink, slot * width));
    }
    let mut start = N_SLOTS * width;
    let mut block = |fields: &[field::Field]| {
        let block_start = start;
        start += field::block_len(fields);
        block_start
    };
    for (at, &content) in CellSet::ALL.iter().zip(&slots) {
        let status = cell_status(view, at, content);
        cell::write(&status, Block::new(sink, block(cell::FIELDS)));
    }
    for &content in slots.iter().skip(crate::rules::N_CELLS).take(2 * HAND_SLOTS) {
        hand::write(content, Block::new(sink, block(hand::FIELDS)));
    }
    for player in [&own, &enemy] {
        for index in 0..DECK_PIECES {
            deck::write(player, index, Block::new(sink, block(deck::FIELDS)));
        }
    }
    game::write(view, [&own, &enemy], Block::new(sink, block(game::FIELDS)));
    for player in [mover, mover.enemy()] {
        status::write(view, player, Block::new(sink, block(status::FIELDS)));
    }
}

/// Writes the row of an action, whose decks were checked.
pub(super) fn action<S: FeatureSink>(
    encoding: PieceEncoding<'_>,
    game: &Game<'_>,
    action: Action,
    preview: &ActionPreview,
    sink: &mut S,
) {
    let view = GameView::from(game);
    let own = PlayerSight::new(view, view.state.to_move, Information::Perfect);
    let content = own.hand_slot(action.slot.into());
    let SlotContent::Piece(known) = content else { return };
    encoding.write(content, Block::new(sink, 0));
    action::write(action, known, preview, Block::new(sink, encoding.width()));
}

/// Fills in what is in each slot: the board, both hands, both decks.
fn fill_slots<'a>(
    slots: &mut [SlotContent<'a>; N_SLOTS],
    view: GameView<'a>,
    [own, enemy]: [&PlayerSight<'a>; 2],
) {
    let cells = CellSet::ALL.iter().map(|at| match owner(view, at) {
        CellOwner::Own => own.on_board(view.state.at(at)),
        CellOwner::Enemy => enemy.on_board(view.state.at(at)),
        CellOwner::Nobody => SlotContent::Empty,
    });
    let hands =
        [own, enemy].into_iter().flat_map(|player| (0..HAND_SLOTS).map(|at| player.hand_slot(at)));
    let decks =
        [own, enemy].into_iter().flat_map(|player| (0..DECK_PIECES).map(|at| player.deck_slot(at)));
    for (slot, content) in slots.iter_mut().zip(cells.chain(hands).chain(decks)) {
        *slot = content;
    }
}

fn cell_status<'a>(view: GameView<'a>, at: Cell, content: SlotContent<'a>) -> CellStatus<'a> {
    CellStatus {
        owner: owner(view, at),
        content,
        running: view.state.at(at).running,
        class: at.class(),
        is_legal: view.state.legal.contains(at),
    }
}

/// Returns the owner of a cell, as the player whose turn it is sees it.
fn owner(view: GameView<'_>, at: Cell) -> CellOwner {
    let mover: Player = view.state.to_move;
    match view.state.owner(at) {
        Some(player) if player == mover => CellOwner::Own,
        Some(_) => CellOwner::Enemy,
        None => CellOwner::Nobody,
    }
}
