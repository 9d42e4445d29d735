//! The values of properties.

use std::fmt;

use crate::record::{RecordError, RecordedGame};
use crate::rules::{ScoreRule, TurnState, shortened};

/// A text that can be the value of a property: one line without brackets, of at most
/// [`GgfText::MAX_BYTES`] bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgfText(String);

impl GgfText {
    /// The largest length. Names and dates are shorter.
    pub const MAX_BYTES: usize = 256;

    /// Returns the text, which `field` is to hold.
    ///
    /// # Errors
    /// If it is too long, or has brackets or control characters.
    pub fn new(field: &str, text: &str) -> Result<Self, RecordError> {
        let is_allowed = |c: char| !matches!(c, '[' | ']') && !c.is_control();
        if text.len() <= Self::MAX_BYTES && text.chars().all(is_allowed) {
            return Ok(Self(text.to_owned()));
        }
        let right = "one line of at most 256 bytes, without brackets";
        Err(field_error(field, text.as_bytes(), right))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A decimal number with at most three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thousandths(pub i32);

impl Thousandths {
    /// Reads a number such as `-2.5`. Decimals after the third are cut off.
    pub(super) fn read(field: &str, text: &[u8]) -> Result<Self, RecordError> {
        let right = "a decimal number such as -2.5, within 2000000";
        Self::parse(text).ok_or_else(|| field_error(field, text, right))
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let (negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let point = digits.iter().position(|&byte| byte == b'.').unwrap_or(digits.len());
        let (whole, decimals) = digits.split_at(point);
        let decimals = decimals.get(1..).unwrap_or_default();
        let all = || whole.iter().chain(decimals);
        if all().next().is_none() || !all().all(u8::is_ascii_digit) {
            return None;
        }
        let mut thousandths = 0_i64;
        let padded = decimals.iter().chain([b'0'; 3].iter()).take(3);
        for digit in whole.iter().chain(padded) {
            thousandths = thousandths.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        }
        let signed = if negative { -thousandths } else { thousandths };
        i32::try_from(signed).ok().map(Self)
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 1000, self.0.unsigned_abs() % 1000);
        write!(f, "{sign}{whole}")?;
        if rest != 0 {
            write!(f, ".{}", format!("{rest:03}").trim_end_matches('0'))?;
        }
        Ok(())
    }
}

/// The result of a game (`RE`): `-12`, or `+64:t` if it was not played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GgfResult {
    /// Black's score, in -64 ..= 64.
    pub black_score: i8,
    /// The end of the game.
    pub ending: GameEnding,
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnding {
    /// It was played until neither player could move.
    Played,
    /// A player resigned (`:r`).
    Resigned,
    /// A player lost by time (`:t`).
    TimedOut,
    /// The players agreed on the score (`:s`).
    Agreed,
}

impl GameEnding {
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Played => "",
            Self::Resigned => ":r",
            Self::TimedOut => ":t",
            Self::Agreed => ":s",
        }
    }
}

impl GgfResult {
    /// Returns the result of a finished game, with the empty squares to the winner.
    pub(super) fn of(game: &RecordedGame) -> Option<Self> {
        if game.state() != TurnState::Over {
            return None;
        }
        let score = game.last_position().count().black_score(ScoreRule::WinnerTakesEmpties);
        let black_score = i8::try_from(score).expect("scores are within 64");
        Some(Self { black_score, ending: GameEnding::Played })
    }

    /// Reads a value such as `-12`, `+4.000` or `+64:t`, with a komi less it; `?` is an unknown
    /// result.
    pub(super) fn read(
        text: &[u8],
        komi: Option<Thousandths>,
    ) -> Result<Option<Self>, RecordError> {
        if matches!(text, b"" | b"?") {
            return Ok(None);
        }
        let right = match komi {
            None => "a whole score from -64 to +64, then :r, :t or :s if the game stopped",
            Some(_) => "a whole score less `KM`, then :r, :t or :s if the game stopped",
        };
        let error = || field_error("RE", text, right);
        let colon = text.iter().position(|&byte| byte == b':').unwrap_or(text.len());
        let score = Thousandths::parse(&text[..colon]).ok_or_else(error)?.0;
        let score = score.checked_add(komi.map_or(0, |komi| komi.0)).ok_or_else(error)?;
        let ending = match &text[colon..] {
            b"" => GameEnding::Played,
            b":r" => GameEnding::Resigned,
            b":t" => GameEnding::TimedOut,
            b":s" => GameEnding::Agreed,
            _ => return Err(error()),
        };
        match i8::try_from(score / 1000) {
            Ok(black_score @ -64..=64) if score % 1000 == 0 => {
                Ok(Some(Self { black_score, ending }))
            }
            _ => Err(error()),
        }
    }

    /// Checks that a game that is said to be played to its end is, and ends so, by one of the
    /// conventions for empty squares.
    pub(super) fn check(self, game: &RecordedGame) -> Result<(), RecordError> {
        if self.ending != GameEnding::Played {
            return Ok(());
        }
        let last = game.last_position();
        if game.state() != TurnState::Over {
            let plies = game.moves().len();
            return Err(RecordError::Unfinished { plies, turn: last.turn() });
        }
        let found = i32::from(self.black_score);
        let score = |rule| last.count().black_score(rule);
        let right = score(ScoreRule::WinnerTakesEmpties);
        if found == right || found == score(ScoreRule::DiscDifference) {
            Ok(())
        } else {
            Err(RecordError::Result { found, right })
        }
    }
}

impl GgfResult {
    /// Returns the value of `RE` in a game with this komi.
    pub(super) fn less(self, komi: Option<Thousandths>) -> String {
        let Some(Thousandths(komi)) = komi else { return self.to_string() };
        let score = Thousandths((i32::from(self.black_score) * 1000).saturating_sub(komi));
        let sign = if score.0 < 0 { "" } else { "+" };
        format!("{sign}{score}{}", self.ending.suffix())
    }
}

impl fmt::Display for GgfResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+}{}", self.black_score, self.ending.suffix())
    }
}

pub(super) fn field_error(field: &str, found: &[u8], right: &'static str) -> RecordError {
    RecordError::field(field, &shortened(found), right)
}
