//! Small games with known values.

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_search::{
    DepthCap, ExplorationWeight, Margin, PlayoutBudget, PlayoutEnd, Side, StopRule, TurnGame,
    UctParams,
};

pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("search", 1).generation(0).stream(label)
}

pub(crate) fn rng(part: u64) -> FastRng {
    FastRng::seeded_by(&mut stream("rng").part(part))
}

/// Standard UCT of so many playouts.
pub(crate) fn uct(playouts: u32) -> UctParams {
    UctParams {
        exploration: ExplorationWeight::STANDARD,
        depth: DepthCap::UNCAPPED,
        budget: PlayoutBudget::new(playouts).expect("a budget in its range"),
        stop: StopRule::Budget,
        playout_end: PlayoutEnd::GameEnd,
    }
}

pub(crate) fn cap(plies: u32) -> DepthCap {
    DepthCap::new(plies).expect("a depth in its range")
}

/// The margin of a game that `winner` has won by one.
fn won_by(winner: Side) -> Margin {
    match winner {
        Side::First => Margin(1),
        Side::Second => Margin(-1),
    }
}

/// Tic-tac-toe; cells are counted row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TicTacToe {
    cells: [u16; 2],
    mover: Side,
}

impl TicTacToe {
    const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

    /// The position after these moves.
    pub(crate) fn after(moves: &[u8]) -> Self {
        let mut game = Self { cells: [0; 2], mover: Side::First };
        for &mv in moves {
            game.apply(mv, &mut rng(0));
        }
        game
    }

    /// The number of positions in the game tree from here, including this position.
    pub(crate) fn tree_size(self) -> u32 {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let below = moves.into_iter().map(|mv| {
            let mut next = self;
            next.apply(mv, &mut rng(0));
            next.tree_size()
        });
        1 + below.sum::<u32>()
    }
}

impl TurnGame for TicTacToe {
    type Move = u8;
    type Chance = ();
    const MAX_MOVES: u32 = 9;

    fn mover(&self) -> Side {
        self.mover
    }

    fn margin(&self) -> Option<Margin> {
        let has_line =
            |side: &Side| Self::LINES.iter().any(|line| self.cells[side.index()] & line == *line);
        match Side::BOTH.into_iter().find(has_line) {
            Some(winner) => Some(won_by(winner)),
            None => (self.cells[0] | self.cells[1] == 0o777).then_some(Margin::DRAW),
        }
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        if self.margin().is_none() {
            let taken = self.cells[0] | self.cells[1];
            moves.extend((0..9).filter(|cell| taken & (1 << cell) == 0));
        }
    }

    fn apply(&mut self, mv: u8, _rng: &mut FastRng) {
        self.cells[self.mover.index()] |= 1 << mv;
        self.mover = self.mover.other();
    }
}

/// Nim with three heaps; the side that takes the last stone wins (Bouton 1901).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nim {
    pub(crate) heaps: [u8; 3],
    pub(crate) mover: Side,
}

impl TurnGame for Nim {
    /// The heap and the number of stones that are taken.
    type Move = (u8, u8);
    type Chance = ();
    const MAX_MOVES: u32 = 3 * 255;

    fn mover(&self) -> Side {
        self.mover
    }

    fn margin(&self) -> Option<Margin> {
        (self.heaps == [0; 3]).then(|| won_by(self.mover.other()))
    }

    fn legal_moves(&self, moves: &mut Vec<(u8, u8)>) {
        for (heap, stones) in (0..).zip(self.heaps) {
            moves.extend((1..=stones).map(|taken| (heap, taken)));
        }
    }

    fn apply(&mut self, (heap, taken): (u8, u8), _rng: &mut FastRng) {
        self.heaps[usize::from(heap)] -= taken;
        self.mover = self.mover.other();
    }
}

/// One heap; a side takes 1, 2 or 3 stones, and after 3 the other must pass. Passes count no ply.
/// The last stone wins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TakeAway {
    pub(crate) stones: u8,
    pub(crate) mover: Side,
    must_pass: bool,
}

impl TakeAway {
    pub(crate) const PASS: u8 = 0;

    pub(crate) fn new(stones: u8) -> Self {
        Self { stones, mover: Side::First, must_pass: false }
    }
}

impl TurnGame for TakeAway {
    type Move = u8;
    type Chance = ();
    const MAX_MOVES: u32 = 2 * 255;

    fn mover(&self) -> Side {
        self.mover
    }

    fn margin(&self) -> Option<Margin> {
        (self.stones == 0).then(|| won_by(self.mover.other()))
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        match (self.stones, self.must_pass) {
            (0, _) => {}
            (_, true) => moves.push(Self::PASS),
            (stones, false) => moves.extend(1..=stones.min(3)),
        }
    }

    fn apply(&mut self, mv: u8, _rng: &mut FastRng) {
        self.stones -= mv;
        self.must_pass = mv == 3;
        self.mover = self.mover.other();
    }

    fn plies(&self, mv: u8) -> u32 {
        u32::from(mv != Self::PASS)
    }

    fn estimate(&self) -> Margin {
        Margin(i32::from(self.stones) % 3 - 1)
    }
}

/// Each side has a card of 1 to 6 and may swap it for a new one; the higher card wins. The first
/// side decides before the second has its card, which is dealt with that decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TwoCards {
    pub(crate) cards: [u8; 2],
    /// The number of decisions that were made.
    pub(crate) made: u8,
}

impl TwoCards {
    pub(crate) const KEEP: u8 = 0;
    pub(crate) const SWAP: u8 = 1;
    pub(crate) const FACES: u8 = 6;

    /// A game whose first side has this card.
    pub(crate) fn dealt(card: u8) -> Self {
        Self { cards: [card, 0], made: 0 }
    }

    fn draw(rng: &mut FastRng) -> u8 {
        1 + u8::try_from(rng.below(u32::from(Self::FACES))).expect("a face")
    }
}

impl TurnGame for TwoCards {
    type Move = u8;
    type Chance = [u8; 2];
    const MAX_MOVES: u32 = 2;

    fn mover(&self) -> Side {
        if self.made == 0 { Side::First } else { Side::Second }
    }

    fn margin(&self) -> Option<Margin> {
        let [first, second] = self.cards.map(i32::from);
        (self.made == 2).then_some(Margin(first - second))
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        if self.made < 2 {
            moves.extend([Self::KEEP, Self::SWAP]);
        }
    }

    fn apply(&mut self, mv: u8, rng: &mut FastRng) -> [u8; 2] {
        let side = self.mover();
        if mv == Self::SWAP {
            self.cards[side.index()] = Self::draw(rng);
        }
        if side == Side::First {
            self.cards[Side::Second.index()] = Self::draw(rng);
        }
        self.made += 1;
        self.cards
    }
}
