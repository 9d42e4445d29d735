//! The player of a replay without its terminal: the frames over time, and the effects of keys.

use std::str::FromStr;
use std::time::Duration;

/// Frames a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlaySpeed(f64);

impl PlaySpeed {
    /// The speed of boards, whose frames are moves.
    pub(super) const MOVES: Self = Self(2.0);
    /// The speed of worlds, whose frames follow each other without a jump.
    pub(super) const MOTION: Self = Self(20.0);

    const SLOWEST: f64 = 0.1;
    const FASTEST: f64 = 100.0;

    /// Returns the time from one frame to the next.
    pub(super) fn interval(self) -> Duration {
        Duration::from_secs_f64(1.0 / self.0)
    }

    fn times(self, factor: f64) -> Self {
        Self((self.0 * factor).clamp(Self::SLOWEST, Self::FASTEST))
    }

    /// Returns the speed for a person, such as `2 frames/s`.
    pub(super) fn text(self) -> String {
        let digits = if self.0 < 2.0 { 1 } else { 0 };
        format!("{:.digits$} frames/s", self.0)
    }
}

impl FromStr for PlaySpeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(speed) if (Self::SLOWEST..=Self::FASTEST).contains(&speed) => Ok(Self(speed)),
            _ => Err("not a number of frames a second from 0.1 to 100, such as 5".to_owned()),
        }
    }
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlayerKey {
    Pause,
    Forward,
    Back,
    First,
    Last,
    Faster,
    Slower,
}

/// The player: the shown frame, and whether the player advances by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScenePlayer {
    n_frames: usize,
    /// The index of the frame that is shown.
    pub(super) frame: usize,
    pub(super) is_playing: bool,
    pub(super) speed: PlaySpeed,
}

impl ScenePlayer {
    /// Returns a player at the first of `n_frames`, which begins at once.
    pub(super) const fn new(n_frames: usize, speed: PlaySpeed) -> Self {
        Self { n_frames, frame: 0, is_playing: true, speed }
    }

    const fn last(&self) -> usize {
        self.n_frames.saturating_sub(1)
    }

    /// Advances by a frame, and stops at the last frame.
    pub(super) fn advance(&mut self) {
        self.frame = (self.frame + 1).min(self.last());
        self.is_playing = self.is_playing && self.frame < self.last();
    }

    /// Executes a key. Stepping pauses; playing on from the end begins again.
    pub(super) fn press(&mut self, key: PlayerKey) {
        let last = self.last();
        match key {
            PlayerKey::Pause if self.is_playing => self.is_playing = false,
            PlayerKey::Pause => {
                self.is_playing = 0 < last;
                self.frame = if self.frame == last { 0 } else { self.frame };
            }
            PlayerKey::Forward => self.go(self.frame + 1),
            PlayerKey::Back => self.go(self.frame.saturating_sub(1)),
            PlayerKey::First => self.go(0),
            PlayerKey::Last => self.go(last),
            PlayerKey::Faster => self.speed = self.speed.times(1.5),
            PlayerKey::Slower => self.speed = self.speed.times(1.0 / 1.5),
        }
    }

    fn go(&mut self, frame: usize) {
        (self.frame, self.is_playing) = (frame.min(self.last()), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_plays_to_the_end_and_begins_again() {
        let mut player = ScenePlayer::new(3, PlaySpeed::MOVES);
        player.advance();
        assert_eq!((player.frame, player.is_playing), (1, true));
        player.advance();
        assert_eq!((player.frame, player.is_playing), (2, false));
        player.press(PlayerKey::Pause);
        assert_eq!((player.frame, player.is_playing), (0, true));
        player.press(PlayerKey::Pause);
        assert_eq!((player.frame, player.is_playing), (0, false));
    }

    #[test]
    fn steps_stay_within_the_frames_and_pause() {
        let mut player = ScenePlayer::new(3, PlaySpeed::MOVES);
        for (key, frame) in [
            (PlayerKey::Back, 0),
            (PlayerKey::Forward, 1),
            (PlayerKey::Last, 2),
            (PlayerKey::Forward, 2),
            (PlayerKey::Back, 1),
            (PlayerKey::First, 0),
        ] {
            player.press(key);
            assert_eq!((player.frame, player.is_playing), (frame, false), "{key:?}");
        }
        let mut one = ScenePlayer::new(1, PlaySpeed::MOVES);
        one.press(PlayerKey::Pause);
        one.press(PlayerKey::Pause);
        one.advance();
        assert_eq!((one.frame, one.is_playing), (0, false));
    }

    #[test]
    fn speeds_have_a_range() {
        let mut player = ScenePlayer::new(3, "5".parse().unwrap());
        assert_eq!(player.speed.text(), "5 frames/s");
        (0..50).for_each(|_| player.press(PlayerKey::Faster));
        assert_eq!(player.speed.text(), "100 frames/s");
        (0..50).for_each(|_| player.press(PlayerKey::Slower));
        assert_eq!(player.speed.text(), "0.1 frames/s");
        assert_eq!(player.speed.interval(), Duration::from_secs(10));
        for text in ["0", "101", "NaN", "fast", "-1", "inf"] {
            assert!(text.parse::<PlaySpeed>().is_err(), "{text}");
        }
    }
}
