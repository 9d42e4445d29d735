//! When and where a thing is seen.

use std::collections::BTreeMap;

use hatchery_core::scene::{SceneFrame, SymbolId, ThingId, ThingPose};

use crate::scene_player::drawing::{SceneDrawing, degrees};

/// How many extra seconds the last frame stays after its own time, before the animation starts
/// over.
const END_SECONDS: u32 = 3;

/// Parts of a file's time: enough for thousands of frames.
const PARTS: usize = 100_000;

/// The times of frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTimes {
    n_frames: usize,
    per_second: u32,
}

/// The attribute and the element that show something at times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SeenTimes {
    /// With a space before it; of what is seen in the last frame, it is empty.
    pub(super) attribute: &'static str,
    /// Empty for what is always seen.
    pub(super) animation: String,
}

impl FrameTimes {
    pub(super) const fn new(n_frames: usize, per_second: u32) -> Self {
        Self { n_frames, per_second }
    }

    /// Returns the total time of frames and end, counted in frames.
    fn total(&self) -> usize {
        self.n_frames + (END_SECONDS * self.per_second) as usize
    }

    /// Returns the beginning of a frame as a part of the whole time, such as `.5`.
    fn at(&self, frame: usize) -> String {
        match frame * PARTS / self.total() {
            0 => "0".to_owned(),
            parts => format!(".{parts:05}").trim_end_matches('0').to_owned(),
        }
    }

    /// Returns the attributes of an animation that jumps to each value at the beginning of its
    /// frame; the first belongs to frame 0.
    fn jumps(&self, values: &[(usize, String)]) -> String {
        let times: Vec<_> = values.iter().map(|(frame, _)| self.at(*frame)).collect();
        let values: Vec<_> = values.iter().map(|(_, value)| value.as_str()).collect();
        let tenths = self.total() * 10 / (self.per_second as usize).max(1);
        format!(
            "values=\"{}\" keyTimes=\"{}\" dur=\"{}.{}s\" calcMode=\"discrete\" \
             repeatCount=\"indefinite\"/>",
            values.join(";"),
            times.join(";"),
            tenths / 10,
            tenths % 10
        )
    }

    /// Returns how something is seen that appears and goes at the beginnings of these frames; the
    /// frame after the last frame never comes.
    pub(super) fn seen(&self, changes: &[(usize, bool)], is_seen_at_end: bool) -> SeenTimes {
        let mut values: Vec<(usize, bool)> = vec![(0, false)];
        for &(frame, is_seen) in changes.iter().filter(|(frame, _)| *frame < self.n_frames) {
            match values.last_mut() {
                Some((0, first)) if frame == 0 => *first = is_seen,
                Some((_, last)) if *last == is_seen => {}
                _ => values.push((frame, is_seen)),
            }
        }
        let attribute = if is_seen_at_end { "" } else { " opacity=\"0\"" };
        if values.len() < 2 {
            return SeenTimes { attribute, animation: String::new() };
        }
        let digit = |is_seen| if is_seen { "1" } else { "0" };
        let values: Vec<_> =
            values.into_iter().map(|(frame, is_seen)| (frame, digit(is_seen).to_owned())).collect();
        let animation = format!("<animate attributeName=\"opacity\" {}", self.jumps(&values));
        SeenTimes { attribute, animation }
    }
}

/// A thing: its poses from some frames on, and no pose from the frames where it vanishes.
#[derive(Clone, Debug)]
pub(super) struct ThingTrack(Vec<(usize, Option<ThingPose>)>);

/// Returns the tracks of the things in the order of drawing.
pub(super) fn thing_tracks(frames: &[SceneFrame]) -> Vec<ThingTrack> {
    let mut tracks: BTreeMap<ThingId, ThingTrack> = BTreeMap::new();
    for (idx, frame) in frames.iter().enumerate() {
        for change in &frame.changes {
            let track = tracks.entry(change.thing).or_insert_with(|| ThingTrack(Vec::new()));
            track.0.push((idx, change.pose));
        }
    }
    tracks.into_values().collect()
}

impl ThingTrack {
    /// Returns the thing as markup: an element for each symbol, and for each place if it has few;
    /// else its symbols move.
    pub(super) fn markup(&self, drawing: &SceneDrawing<'_>, times: &FrameTimes) -> String {
        let mut places: Vec<ThingPose> = Vec::new();
        let mut symbols: Vec<SymbolId> = Vec::new();
        for pose in self.0.iter().filter_map(|(_, pose)| *pose) {
            if !places.contains(&pose) && places.len() <= MAX_PLACES {
                places.push(pose);
            }
            if !symbols.contains(&pose.symbol) {
                symbols.push(pose.symbol);
            }
        }
        if places.len() <= MAX_PLACES {
            return places.iter().map(|pose| self.standing(drawing, times, *pose)).collect();
        }
        symbols.iter().map(|symbol| self.moving(drawing, times, *symbol)).collect()
    }

    /// Returns the thing as it is seen in one pose.
    fn standing(&self, drawing: &SceneDrawing<'_>, times: &FrameTimes, pose: ThingPose) -> String {
        let seen = self.seen(times, |other| other == pose);
        let (id, place) = (drawing.symbol_id(pose.symbol), drawing.transform(pose));
        let start = format!("<use href=\"#{id}\" transform=\"{place}\"{}", seen.attribute);
        match seen.animation.as_str() {
            "" => start + "/>\n",
            animation => format!("{start}>{animation}</use>\n"),
        }
    }

    /// Returns the thing as it moves with one symbol.
    fn moving(&self, drawing: &SceneDrawing<'_>, times: &FrameTimes, symbol: SymbolId) -> String {
        let seen = self.seen(times, |other| other.symbol == symbol);
        let poses = self.0.iter().filter_map(|(idx, pose)| Some((*idx, (*pose)?)));
        let poses: Vec<_> = poses.collect();
        let point = |pose: ThingPose| {
            let [x, y] = drawing.geometry.point(pose.place);
            format!("{x} {y}")
        };
        let angle = |pose: ThingPose| degrees(pose.turn.tenths());
        let places = jumping(&poses, point);
        let turns = jumping(&poses, angle);
        let last = |values: &[(usize, String)]| {
            values.last().map_or_else(String::new, |(_, value)| value.clone())
        };
        let animation = |kind: &str, values: &[(usize, String)]| match values.len() {
            0 | 1 => String::new(),
            _ => format!(
                "<animateTransform attributeName=\"transform\" type=\"{kind}\" {}",
                times.jumps(values)
            ),
        };
        format!(
            "<g transform=\"translate({})\"{}>{}{}<use href=\"#{}\" \
             transform=\"rotate({})\">{}</use></g>\n",
            last(&places),
            seen.attribute,
            seen.animation,
            animation("translate", &places),
            drawing.symbol_id(symbol),
            last(&turns),
            animation("rotate", &turns),
        )
    }

    /// Returns when the thing is seen in a pose for which `is_meant` holds.
    fn seen(&self, times: &FrameTimes, is_meant: impl Fn(ThingPose) -> bool) -> SeenTimes {
        let changes = self.0.iter().map(|(idx, pose)| (*idx, pose.is_some_and(&is_meant)));
        let changes: Vec<_> = changes.collect();
        times.seen(&changes, changes.last().is_some_and(|(_, is_seen)| *is_seen))
    }
}

/// The most poses that each have an element of their own.
const MAX_PLACES: usize = 4;

/// Returns the values of poses from the frames on at which they change; the first from frame 0 on.
fn jumping(
    poses: &[(usize, ThingPose)],
    value: impl Fn(ThingPose) -> String,
) -> Vec<(usize, String)> {
    let mut values: Vec<(usize, String)> = Vec::new();
    for (idx, pose) in poses {
        let value = value(*pose);
        if values.last().is_none_or(|(_, last)| *last != value) {
            values.push((if values.is_empty() { 0 } else { *idx }, value));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_has_times() {
        // Two frames a second: 4 frames, and 3 s of the last one.
        let times = FrameTimes::new(4, 2);
        let seen = times.seen(&[(1, true), (2, true), (3, false)], false);
        let expected = "<animate attributeName=\"opacity\" values=\"0;1;0\" keyTimes=\"0;.1;.3\" \
                        dur=\"5.0s\" calcMode=\"discrete\" repeatCount=\"indefinite\"/>";
        assert_eq!(seen.animation, expected);
        assert_eq!(seen.attribute, " opacity=\"0\"");
        assert_eq!(times.seen(&[(0, true), (4, false)], true), SeenTimes::default());
    }
}
