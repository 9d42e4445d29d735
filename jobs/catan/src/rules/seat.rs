//! Seats, numbered by the order of the first settlements.

use std::ops::Deref;

/// A seat at the table: the position in the order of the first settlements and of the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Seat {
    /// Places first and last in the setup; has the first turn.
    First,
    /// Places second and second to last.
    Second,
    /// Places third and third to last.
    Third,
    /// Places twice in a row; has the last turn of a round.
    Fourth,
}

impl Seat {
    /// Number of seats: the most players of a game.
    pub const COUNT: usize = 4;

    /// All seats, in order.
    pub const ALL: [Self; Self::COUNT] = [Self::First, Self::Second, Self::Third, Self::Fourth];

    /// Returns the position in [`Seat::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the seat whose turn comes next in a game of [`Seat::COUNT`] players.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::ALL[(self.index() + 1) % Self::COUNT]
    }

    /// Returns the other seats, in the order of their turns after this one. In a game of fewer than
    /// [`Seat::COUNT`] players, some of them are empty: they have no pieces and no cards.
    #[must_use]
    pub const fn others(self) -> [Self; 3] {
        [self.next(), self.next().next(), self.next().next().next()]
    }
}

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const NONE: Self = Self(0);

    /// Returns the set with `seat` added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Self(self.0 | 1 << seat.index())
    }

    /// Returns true if `seat` is a member.
    #[must_use]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 == 1
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if every member is one of the first `n_players` seats.
    #[must_use]
    pub const fn is_within(self, n_players: u8) -> bool {
        self.0 >> n_players == 0
    }
}

/// Values for the seats of a game, in their order: one for each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BySeat<T> {
    /// The values; the rest repeats the first value.
    values: [T; Seat::COUNT],
    n_players: usize,
}

impl<T: Copy> BySeat<T> {
    /// Creates the list of `values`; none if there are none, or more than [`Seat::COUNT`].
    #[must_use]
    pub fn new(values: &[T]) -> Option<Self> {
        let mut all = [*values.first()?; Seat::COUNT];
        all.get_mut(..values.len())?.copy_from_slice(values);
        Some(Self { values: all, n_players: values.len() })
    }

    /// Returns the results of `f`, seat by seat.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat { values: self.values.map(f), n_players: self.n_players }
    }
}

impl<T> Deref for BySeat<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[..self.n_players]
    }
}
