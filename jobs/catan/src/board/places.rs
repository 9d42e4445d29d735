//! The places of the board, each with a number.

macro_rules! place {
    ($name:ident, $count:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u8);

        impl $name {
            /// The number of places of this kind.
            pub const COUNT: usize = $count;

            /// All places of this kind, in order.
            pub const ALL: [Self; $count] = {
                let mut all = [Self(0); $count];
                let mut index = 0;
                while index < $count {
                    all[index] = Self::of(index);
                    index += 1;
                }
                all
            };

            /// Returns the place with this number; none from [`Self::COUNT`] on.
            #[must_use]
            pub const fn new(index: usize) -> Option<Self> {
                if index < $count { Some(Self::of(index)) } else { None }
            }

            /// Returns the number of the place, below [`Self::COUNT`].
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            pub(super) const fn of(index: usize) -> Self {
                assert!(index < $count);
                Self(narrow(index))
            }
        }
    };
}

place!(Hex, 19, "A land hex.");
place!(Node, 54, "A node: a corner of one to three land hexes, where a settlement or city stands.");
place!(Edge, 72, "An edge: a side of one or two land hexes, between two nodes, where a road lies.");
place!(PortPlace, 9, "A place on the coast for a port, usable from its two nodes.");

#[expect(clippy::cast_possible_truncation, reason = "checked on the line before")]
const fn narrow(index: usize) -> u8 {
    assert!(index <= u8::MAX as usize);
    index as u8
}
