//! Sets of nodes and of edges, one bit each.

use super::places::{Edge, Node};

macro_rules! set {
    ($name:ident, $member:ident, $bits:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name($bits);

        impl $name {
            /// The empty set.
            pub const EMPTY: Self = Self(0);

            /// The set that holds every member.
            pub const ALL: Self = Self((1 << $member::COUNT) - 1);

            /// Returns the set whose only member is `member`.
            #[must_use]
            pub const fn of(member: $member) -> Self {
                Self(1 << member.index())
            }

            /// Returns true if the set contains `member`.
            #[must_use]
            pub const fn contains(self, member: $member) -> bool {
                self.0 >> member.index() & 1 == 1
            }

            /// Returns the set with `member` added.
            #[must_use]
            pub const fn with(self, member: $member) -> Self {
                self.union(Self::of(member))
            }

            /// Returns the set without `member`.
            #[must_use]
            pub const fn without(self, member: $member) -> Self {
                self.minus(Self::of(member))
            }

            /// Returns the members of either set.
            #[must_use]
            pub const fn union(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            /// Returns the members of both sets.
            #[must_use]
            pub const fn and(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }

            /// Returns the members of this set that `other` does not contain.
            #[must_use]
            pub const fn minus(self, other: Self) -> Self {
                Self(self.0 & !other.0)
            }

            /// Returns the number of members.
            #[must_use]
            pub const fn len(self) -> u32 {
                self.0.count_ones()
            }

            /// Returns true if the set is empty.
            #[must_use]
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Returns the first member.
            #[must_use]
            pub const fn first(self) -> Option<$member> {
                $member::new(self.0.trailing_zeros() as usize)
            }

            /// Returns the set without its first member.
            #[must_use]
            pub const fn rest(self) -> Self {
                Self(self.0 & self.0.wrapping_sub(1))
            }
        }

        impl Iterator for $name {
            type Item = $member;

            fn next(&mut self) -> Option<$member> {
                let first = self.first()?;
                *self = self.rest();
                Some(first)
            }
        }

        impl FromIterator<$member> for $name {
            fn from_iter<I: IntoIterator<Item = $member>>(members: I) -> Self {
                members.into_iter().fold(Self::EMPTY, Self::with)
            }
        }
    };
}

set!(NodeSet, Node, u64, "A set of nodes; as an iterator it yields its members in order.");
set!(EdgeSet, Edge, u128, "A set of edges; as an iterator it yields its members in order.");
