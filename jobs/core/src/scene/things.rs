//! The things of a scene at one moment.

use std::collections::BTreeMap;

use super::frame::{SceneChange, ThingId, ThingPose};

/// The present things, each with its symbol, place and turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneThings(BTreeMap<ThingId, ThingPose>);

impl SceneThings {
    /// Returns no things.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Puts `thing` there, in place of an earlier thing of that number.
    pub fn insert(&mut self, thing: ThingId, pose: ThingPose) {
        self.0.insert(thing, pose);
    }

    /// Iterates over the things in the order of drawing: later things cover earlier things.
    pub fn iter(&self) -> impl Iterator<Item = (ThingId, ThingPose)> {
        self.0.iter().map(|(&thing, &pose)| (thing, pose))
    }

    /// Returns the differences from `before`, each thing at most once and in their order.
    #[must_use]
    pub fn changes_since(&self, before: &Self) -> Vec<SceneChange> {
        let gone = before.0.keys().filter(|thing| !self.0.contains_key(thing));
        let gone = gone.map(|&thing| SceneChange { thing, pose: None });
        let there = self.iter().filter(|(thing, pose)| before.0.get(thing) != Some(pose));
        let there = there.map(|(thing, pose)| SceneChange { thing, pose: Some(pose) });
        let mut changes: Vec<_> = gone.chain(there).collect();
        changes.sort_unstable_by_key(|change| change.thing);
        changes
    }

    /// Makes the `changes` of a frame.
    pub fn apply(&mut self, changes: &[SceneChange]) {
        for &SceneChange { thing, pose } in changes {
            match pose {
                Some(pose) => self.0.insert(thing, pose),
                None => self.0.remove(&thing),
            };
        }
    }
}

impl FromIterator<(ThingId, ThingPose)> for SceneThings {
    fn from_iter<I: IntoIterator<Item = (ThingId, ThingPose)>>(things: I) -> Self {
        Self(things.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{ScenePlace, SymbolId};

    #[test]
    fn applied_differences_give_the_later_moment() {
        let things = |xs: &[(u32, i32)]| {
            let pose = |&(thing, x): &(u32, i32)| {
                (ThingId(thing), ThingPose::at(SymbolId(0), ScenePlace::new(x, 0)))
            };
            xs.iter().map(pose).collect::<SceneThings>()
        };
        let (before, after) =
            (things(&[(1, 5), (2, 6), (4, 7)]), things(&[(0, 5), (2, 8), (4, 7)]));
        let changes = after.changes_since(&before);
        let changed: Vec<_> = changes.iter().map(|c| (c.thing.0, c.pose.is_some())).collect();
        assert_eq!(changed, [(0, true), (1, false), (2, true)]);
        let mut applied = before;
        applied.apply(&changes);
        assert_eq!(applied, after);
        assert_eq!(after.changes_since(&applied), []);
    }
}
