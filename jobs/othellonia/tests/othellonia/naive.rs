//! The rules written down once more, from the README alone: slow, plain, and in its order. Only the
//! definitions of pieces and decks are the crate's, as data.

mod firing;
mod resolution;

use hatchery_othellonia::pool::{DeckDefinition, PieceDefinition};
use hatchery_othellonia::rules::{Effect, EffectKind, EffectTarget, EndCause};

/// A column and a row, both from 0 on: `a1` is (0, 0), `f1` is (5, 0).
pub(crate) type Place = (usize, usize);

/// Something that runs on a piece, or a state of a player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaiveRunning {
    pub(crate) kind: EffectKind,
    pub(crate) magnitude: u64,
    pub(crate) target: EffectTarget,
    turns: u8,
    /// The turn when it fired, counted over all turns in the game.
    fired_in: u32,
}

/// What a cell has; players are 0 (A) and 1 (B).
#[derive(Clone, Copy, Debug)]
pub(crate) enum NaiveCell {
    Empty,
    Plain {
        owner: usize,
    },
    Standing {
        owner: usize,
        /// The index of the piece in its deck.
        index: usize,
        /// What runs on it of its skill, and of its combo skill.
        runs: [Option<NaiveRunning>; 2],
    },
}

#[derive(Clone, Debug)]
pub(crate) struct NaivePlayer {
    pub(crate) hp: u64,
    pub(crate) highest: u64,
    pub(crate) latched: u64,
    pub(crate) turn: u32,
    pub(crate) order: Vec<usize>,
    pub(crate) drawn: usize,
    pub(crate) hand: [Option<usize>; 4],
    /// The oldest first.
    pub(crate) states: Vec<NaiveRunning>,
}

/// An effect that fired, with the piece and skill that it is from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaiveFired {
    pub(crate) effect: Effect,
    /// The magnitude after scaling.
    pub(crate) magnitude: u64,
    pub(crate) place: Place,
    pub(crate) is_combo: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct NaiveGame<'a> {
    pool: &'a [PieceDefinition],
    decks: [&'a DeckDefinition; 2],
    /// Rows from the top, each from left to right.
    pub(crate) board: [[NaiveCell; 6]; 6],
    pub(crate) players: [NaivePlayer; 2],
    /// The player whose turn it is.
    pub(crate) player: usize,
    /// The turns of both players that have begun.
    turns: u32,
    /// True if step 16 has counted the present turn.
    is_counted: bool,
    pub(crate) turn_before_was_pass: bool,
    pub(crate) placements: u32,
    /// The winner, if there is one, and the cause.
    pub(crate) outcome: Option<(Option<usize>, EndCause)>,
    /// What fired at the latest placement.
    pub(crate) fired: Vec<NaiveFired>,
}

/// Stops all steps: the game is over, and `outcome` says how.
struct GameOver;

type Step = Result<(), GameOver>;

/// All cells in their order: by row, from left to right.
pub(crate) fn all_places() -> impl Iterator<Item = Place> {
    (0..6).flat_map(|row| (0..6).map(move |column| (column, row)))
}

// The numbers of "Rules".
fn share(x: u64, m: u64) -> u64 {
    x * m / 10_000
}

fn raised(x: u64, m: u64) -> u64 {
    (x * (10_000 + m) / 10_000).min(99_999)
}

fn lowered(x: u64, m: u64) -> u64 {
    x * (10_000 - m) / 10_000
}

// "Start": the orders in which the decks are drawn.
struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn deck_order(&mut self, deck: &DeckDefinition) -> Vec<usize> {
        let is_leader = |index: &usize| deck.pieces[*index] == deck.leader;
        let mut list: Vec<usize> = (0..16).filter(|index| !is_leader(index)).collect();
        for i in (1..=14).rev() {
            let n = u128::from(self.next_number());
            let other = n * (i as u128 + 1) / (1_u128 << 64);
            list.swap(i, usize::try_from(other).expect("at most i"));
        }
        let mut order: Vec<usize> = (0..16).filter(is_leader).collect();
        order.extend(list);
        order
    }
}

impl<'a> NaiveGame<'a> {
    /// Returns the game in the first turn of `first`, who plays black.
    pub(crate) fn start(
        pool: &'a [PieceDefinition],
        decks: [&'a DeckDefinition; 2],
        seed: u64,
        first: usize,
    ) -> Self {
        let mut numbers = SplitMix64 { state: seed };
        // A's order first, then B's with the numbers that follow.
        let players = decks.map(|deck| {
            let order = numbers.deck_order(deck);
            let hp = deck.pieces.iter().map(|piece| u64::from(pool[*piece as usize].hp)).sum();
            let hand = [0, 1, 2, 3].map(|slot| Some(order[slot]));
            let states = Vec::new();
            NaivePlayer { hp, highest: hp, latched: hp, turn: 0, order, drawn: 4, hand, states }
        });
        let mut board = [[NaiveCell::Empty; 6]; 6];
        let (black, white) = (first, 1 - first);
        board[2][3] = NaiveCell::Plain { owner: black }; // d3
        board[3][2] = NaiveCell::Plain { owner: black }; // c4
        board[2][2] = NaiveCell::Plain { owner: white }; // c3
        board[3][3] = NaiveCell::Plain { owner: white }; // d4
        let mut game = Self {
            pool,
            decks,
            board,
            players,
            player: first,
            turns: 0,
            is_counted: false,
            turn_before_was_pass: false,
            placements: 0,
            outcome: None,
            fired: Vec::new(),
        };
        game.begin_turns().ok();
        game
    }

    /// Returns where the player can place a piece, and from which slots, by cell and then by slot.
    pub(crate) fn actions(&self) -> Vec<(Place, usize)> {
        let slots: Vec<_> = (0..4).filter(|slot| self.me().hand[*slot].is_some()).collect();
        let cells = all_places().filter(|place| self.outcome.is_none() && self.is_legal(*place));
        cells.flat_map(|place| slots.iter().map(move |slot| (place, *slot))).collect()
    }

    /// Returns how many more turns of `holder` end until `it` is over; 0 if turns do not count. In
    /// a game that is over before step 16, the present turn is one more for what fired in it.
    pub(crate) fn ends_left(&self, it: &NaiveRunning, holder: usize) -> u8 {
        let is_new = it.fired_in == self.turns && holder == self.player && !self.is_counted;
        if is_new && it.turns != 0 { it.turns + 1 } else { it.turns }
    }

    /// Plays steps 7 to 17; the turn of the enemy has not begun.
    pub(crate) fn place(&mut self, place: Place, slot: usize) {
        self.steps_from_placement(place, slot).ok();
    }

    fn steps_from_placement(&mut self, place: Place, slot: usize) -> Step {
        self.steps_7_to_15(place, slot)?;
        self.step_16()?;
        // 17. Neither hand nor deck left.
        let me = self.me();
        if me.drawn == 16 && me.hand.iter().all(Option::is_none) {
            return self.higher_hp_win(EndCause::DeckUsedUp);
        }
        Ok(())
    }

    /// Plays steps 1 to 6 of the enemy, and of further turns as long as players pass.
    pub(crate) fn next_turn(&mut self) {
        if self.outcome.is_none() {
            self.turn_before_was_pass = false;
            self.player = self.enemy();
            self.begin_turns().ok();
        }
    }

    fn begin_turns(&mut self) -> Step {
        loop {
            self.steps_1_to_5()?;
            if !self.actions().is_empty() {
                return Ok(());
            }
            // 6. A pass.
            self.step_16()?;
            if self.turn_before_was_pass {
                return self.higher_hp_win(EndCause::NoMoves);
            }
            self.turn_before_was_pass = true;
            self.player = self.enemy();
        }
    }

    fn steps_1_to_5(&mut self) -> Step {
        let player = self.player;
        // 1. The turn number.
        self.turns += 1;
        self.is_counted = false;
        self.players[player].turn += 1;
        // 2. The draw.
        let me = &mut self.players[player];
        let empty = (0..4).find(|slot| me.hand[*slot].is_none());
        if let Some(slot) = empty
            && me.drawn < 16
        {
            me.hand[slot] = Some(me.order[me.drawn]);
            me.drawn += 1;
        }
        // 3. Curses.
        for state in self.me().states.clone() {
            if state.kind == EffectKind::Curse {
                self.lose(player, state.magnitude)?;
            }
        }
        // 4. Regen.
        for regen in self.running(player, EffectKind::Regen) {
            self.heal(regen.magnitude);
        }
        // 5. The HP at the start of the turn.
        self.players[player].latched = self.me().hp;
        Ok(())
    }

    fn step_16(&mut self) -> Step {
        let (player, turn) = (self.player, self.turns);
        for poison in self.running(self.enemy(), EffectKind::Poison) {
            self.lose(player, poison.magnitude)?;
        }
        // Counts a turn; returns what is left.
        let count = |it: NaiveRunning| {
            if it.fired_in == turn || it.turns == 0 {
                return Some(it);
            }
            (1 < it.turns).then_some(NaiveRunning { turns: it.turns - 1, ..it })
        };
        for (column, row) in all_places() {
            if let NaiveCell::Standing { owner, runs, .. } = &mut self.board[row][column]
                && *owner == player
            {
                *runs = runs.map(|it| it.and_then(count));
            }
        }
        let states = &mut self.players[player].states;
        *states = states.iter().copied().filter_map(count).collect();
        self.is_counted = true;
        Ok(())
    }

    fn higher_hp_win(&mut self, cause: EndCause) -> Step {
        let [a, b] = [self.players[0].hp, self.players[1].hp];
        let winner = if b < a {
            Some(0)
        } else if a < b {
            Some(1)
        } else {
            None
        };
        self.end(winner, cause)
    }

    fn end(&mut self, winner: Option<usize>, cause: EndCause) -> Step {
        self.outcome = Some((winner, cause));
        Err(GameOver)
    }

    /// Takes HP; a player whose HP reach 0 loses at that moment.
    fn lose(&mut self, player: usize, hp: u64) -> Step {
        self.players[player].hp = self.players[player].hp.saturating_sub(hp);
        match self.players[player].hp {
            0 => self.end(Some(1 - player), EndCause::HpZero),
            _ => Ok(()),
        }
    }

    /// Heals the player whose turn it is; healing stops at the highest HP.
    fn heal(&mut self, hp: u64) {
        let me = &mut self.players[self.player];
        me.hp = (me.hp + hp).min(me.highest);
    }

    fn me(&self) -> &NaivePlayer {
        &self.players[self.player]
    }

    fn enemy(&self) -> usize {
        1 - self.player
    }

    /// Returns what of a kind runs on a player's pieces, in the order of their cells, the skill's
    /// before the combo skill's.
    fn running(&self, player: usize, kind: EffectKind) -> Vec<NaiveRunning> {
        let mut found = Vec::new();
        for (column, row) in all_places() {
            if let NaiveCell::Standing { owner, runs, .. } = self.board[row][column]
                && owner == player
            {
                found.extend(runs.into_iter().flatten().filter(|it| it.kind == kind));
            }
        }
        found
    }
}

#[test]
fn the_numbers_of_splitmix64_are_the_known_ones() {
    // The first five of the seed 1234567, as Rosetta Code ("Pseudo-random numbers/Splitmix64") has.
    let mut numbers = SplitMix64 { state: 1_234_567 };
    let expected = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!([(); 5].map(|()| numbers.next_number()), expected);
}
