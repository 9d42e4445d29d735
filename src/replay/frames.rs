//! The frames of a replay that are wanted.

use crate::error::UsageError;

/// Frames of a trial, counted from 1: from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameRange {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl FrameRange {
    /// All frames of any trial.
    pub(crate) const ALL: Self = Self { first: 1, last: u64::MAX };

    /// Parses a range such as `1..20`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let bounds = text
            .split_once("..")
            .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        match bounds {
            Some((0, _)) => Err("frames are counted from 1".to_owned()),
            Some((first, last)) if last < first => {
                Err(format!("the last frame, {last}, is before {first}"))
            }
            Some((first, last)) => Ok(Self { first, last }),
            None => Err("not of the form FROM..TO, such as 1..20".to_owned()),
        }
    }

    /// Returns the last `n` frames of a trial of `n_frames`, or all if there are fewer.
    pub(crate) fn last_of(n: u64, n_frames: u64) -> Self {
        Self { first: n_frames.saturating_sub(n) + 1, last: n_frames.max(1) }
    }

    /// Checks that a trial with `n_frames` frames has the first of these frames.
    pub(crate) fn check(self, n_frames: u64) -> Result<(), UsageError> {
        let frame = self.first;
        if n_frames < frame { Err(UsageError::NoSuchFrame { frame, n_frames }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frames_are_all_of_a_short_trial() {
        let check = |n, n_frames, first, last| {
            assert_eq!(FrameRange::last_of(n, n_frames), FrameRange { first, last });
        };
        check(1, 10, 10, 10);
        check(3, 10, 8, 10);
        check(10, 10, 1, 10);
        check(u64::MAX, 10, 1, 10);
    }

    #[test]
    fn ranges_are_counted_from_1() {
        assert_eq!(FrameRange::parse("2..5"), Ok(FrameRange { first: 2, last: 5 }));
        for (text, said) in [("0..1", "from 1"), ("3..2", "before 3"), ("3", "FROM..TO")] {
            assert!(FrameRange::parse(text).unwrap_err().contains(said), "{text}");
        }
    }
}
