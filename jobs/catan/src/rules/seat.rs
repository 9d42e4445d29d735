//! Seats, numbered by the order of the first settlements.

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
    /// Number of seats.
    pub const COUNT: usize = 4;

    /// All seats, in order.
    pub const ALL: [Self; Self::COUNT] = [Self::First, Self::Second, Self::Third, Self::Fourth];

    /// Returns the position in [`Seat::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the seat whose turn comes next.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::ALL[(self.index() + 1) % Self::COUNT]
    }

    /// Returns the other seats, in the order of their turns after this one.
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
}
