//! The terminal that a replay is played on.

use std::io::{self, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use console::truncate_str;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};
use hatchery_core::SceneSink;
use hatchery_core::scene::{Scene, SceneCut, SceneFrame, SceneSpace, SceneText};
use hatchery_core::text::grouped;

use super::player::{PlaySpeed, PlayerKey, ScenePlayer};
use crate::error::{CommandError, UsageError};
use crate::signals::StopSignals;
use crate::terminal::escape_controls;

/// The time after which a signal is noticed.
const TICK: Duration = Duration::from_millis(50);

/// The size of a terminal that does not tell its own: columns and rows.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

/// Checks that there is a terminal to play on.
pub(super) fn check_terminal() -> Result<(), UsageError> {
    match io::stdin().is_terminal() && io::stdout().is_terminal() {
        true => Ok(()),
        false => Err(UsageError::PlayWithoutTerminal),
    }
}

/// Plays a scene on the terminal until the person quits. Must be called within the async runtime,
/// whose threads listen for signals meanwhile.
///
/// # Errors
///
/// Fails if the terminal does, or with [`CommandError::Interrupted`] at Ctrl-C or SIGTERM.
pub(super) fn play(scene: &Scene, speed: Option<PlaySpeed>) -> Result<(), CommandError> {
    let speed = speed.unwrap_or(match scene.base.space {
        SceneSpace::World { .. } => PlaySpeed::MOTION,
        SceneSpace::Captions | SceneSpace::Grid { .. } | SceneSpace::Hexes => PlaySpeed::MOVES,
    });
    let moments = moments(scene);
    let is_stopped = stop_flag().map_err(CommandError::set_up)?;
    let mut screen = PlayerScreen::open().map_err(CommandError::Output)?;
    let ended = run(&mut screen, &moments, ScenePlayer::new(moments.len(), speed), &is_stopped);
    // The terminal is put back before anything else is printed.
    drop(screen);
    match ended.map_err(CommandError::Output)? {
        PlayerEnd::Quit => Ok(()),
        PlayerEnd::Interrupted => Err(CommandError::Interrupted),
    }
}

/// A frame as lines of text.
struct ShownMoment {
    number: u64,
    caption: String,
    picture: Rc<str>,
}

/// Returns all frames as text: a frame without changes has the previous picture.
fn moments(scene: &Scene) -> Vec<ShownMoment> {
    let mut texts = Vec::new();
    let mut text = SceneText::new(|frame: &str| {
        texts.push(frame.to_owned());
        ControlFlow::Continue(())
    });
    let mut flow = text.begin(&scene.base);
    for frame in &scene.frames {
        if flow.is_break() {
            break;
        }
        flow = text.frame(frame.clone());
    }
    drop(text);
    let mut picture: Rc<str> = "".into();
    let moment = |(frame, text): (&SceneFrame, String)| {
        let drawn = text.strip_prefix(frame.caption.as_str()).unwrap_or_default();
        if !drawn.is_empty() {
            picture = escape_controls(drawn.trim_matches('\n')).into();
        }
        let mut caption = escape_controls(&frame.caption);
        if let Some(SceneCut { first, last }) = scene.cut.filter(|cut| cut.last + 1 == frame.number)
        {
            caption = format!("(frames {first} to {last} are left out)\n{caption}");
        }
        ShownMoment { number: frame.number, caption, picture: Rc::clone(&picture) }
    };
    scene.frames.iter().zip(texts).map(moment).collect()
}

/// How playing has ended.
enum PlayerEnd {
    Quit,
    Interrupted,
}

/// Shows frames and obeys keys until the person quits.
fn run(
    screen: &mut PlayerScreen,
    moments: &[ShownMoment],
    mut player: ScenePlayer,
    is_stopped: &AtomicBool,
) -> io::Result<PlayerEnd> {
    let mut shown_since = Instant::now();
    screen.draw(moments, &player)?;
    loop {
        let interval = player.speed.interval();
        let wait = match player.is_playing {
            true => interval.saturating_sub(shown_since.elapsed()).min(TICK),
            false => TICK,
        };
        let before = player;
        let mut is_resized = false;
        if poll(wait)? {
            match read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match command(key) {
                    Some(PlayerCommand::End(end)) => return Ok(end),
                    Some(PlayerCommand::Key(key)) => player.press(key),
                    None => {}
                },
                Event::Resize(..) => is_resized = true,
                _ => {}
            }
        }
        if is_stopped.load(Ordering::Relaxed) {
            return Ok(PlayerEnd::Interrupted);
        }
        if player.is_playing && before.is_playing && interval <= shown_since.elapsed() {
            player.advance();
        }
        if player != before || is_resized {
            if player.frame != before.frame || player.is_playing != before.is_playing {
                shown_since = Instant::now();
            }
            screen.draw(moments, &player)?;
        }
    }
}

/// The purpose of a key.
enum PlayerCommand {
    Key(PlayerKey),
    End(PlayerEnd),
}

fn command(KeyEvent { code, modifiers, .. }: KeyEvent) -> Option<PlayerCommand> {
    let key = match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => {
            return Some(PlayerCommand::End(PlayerEnd::Interrupted));
        }
        KeyCode::Char('q') | KeyCode::Esc => return Some(PlayerCommand::End(PlayerEnd::Quit)),
        KeyCode::Char(' ') => PlayerKey::Pause,
        KeyCode::Right | KeyCode::Char('l') => PlayerKey::Forward,
        KeyCode::Left | KeyCode::Char('h') => PlayerKey::Back,
        KeyCode::Home => PlayerKey::First,
        KeyCode::End => PlayerKey::Last,
        KeyCode::Up | KeyCode::Char('+' | '=') => PlayerKey::Faster,
        KeyCode::Down | KeyCode::Char('-') => PlayerKey::Slower,
        _ => return None,
    };
    Some(PlayerCommand::Key(key))
}

/// The terminal while something is played on it. Dropping it puts the terminal back as it was.
struct PlayerScreen {
    out: Stdout,
}

impl PlayerScreen {
    fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        // From here on, dropping it puts the terminal back.
        let mut screen = Self { out: io::stdout() };
        execute!(screen.out, EnterAlternateScreen, DisableLineWrap, Hide)?;
        Ok(screen)
    }

    fn draw(&mut self, moments: &[ShownMoment], player: &ScenePlayer) -> io::Result<()> {
        let size = match size() {
            Ok((0, _) | (_, 0)) | Err(_) => DEFAULT_SIZE,
            Ok(size) => size,
        };
        let lines = lines(moments, player, size);
        for (row, line) in (0..).zip(&lines) {
            queue!(self.out, MoveTo(0, row), Print(line), Clear(ClearType::UntilNewLine))?;
        }
        self.out.flush()
    }
}

impl Drop for PlayerScreen {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing.
        execute!(self.out, Show, EnableLineWrap, LeaveAlternateScreen).unwrap_or(());
        disable_raw_mode().unwrap_or(());
    }
}

/// Returns the lines of the screen: the frame cut to its size, and at the bottom the state and the
/// keys.
fn lines(
    moments: &[ShownMoment],
    player: &ScenePlayer,
    (columns, rows): (u16, u16),
) -> Vec<String> {
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let total = moments.last().map_or(0, |moment| moment.number);
    let (number, caption, picture) = match moments.get(player.frame) {
        Some(moment) => (moment.number, moment.caption.as_str(), &*moment.picture),
        None => (0, "", ""),
    };
    let content: Vec<_> = caption.lines().chain([""]).chain(picture.lines()).collect();
    let n_shown = rows.saturating_sub(1);
    let is_cut = n_shown < content.len()
        || content.iter().any(|line| columns < console::measure_text_width(line));
    let mark = if is_cut { " | cut to fit" } else { "" };
    let state = if player.is_playing { "playing" } else { "paused" };
    // The most needed keys come first: a narrow terminal cuts the others.
    let [number, total] = [number, total].map(grouped);
    let status = format!(
        "frame {number}/{total} | {state}, {}{mark} | q: quit, space: play, arrows: step and \
         speed, Home, End",
        player.speed.text()
    );
    let cut = |line: &str| truncate_str(line, columns, "").into_owned();
    let mut lines: Vec<_> = content.into_iter().take(n_shown).map(cut).collect();
    lines.resize(n_shown, String::new());
    lines.push(cut(&status));
    lines
}

/// Returns a flag that is set at Ctrl-C or SIGTERM from outside: in raw mode, the terminal sends
/// keys instead.
fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let mut signals = StopSignals::listen()?;
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    tokio::spawn(async move {
        signals.next().await;
        set.store(true, Ordering::Relaxed);
    });
    Ok(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(number: u64, caption: &str, picture: &str) -> ShownMoment {
        ShownMoment { number, caption: caption.to_owned(), picture: picture.into() }
    }

    #[test]
    fn frames_are_cut_to_the_terminal() {
        let picture = "|aaaaaaaa|\n|bbbbbbbb|\n+--------+";
        let moments = [moment(1, "one", picture), moment(2, "a long caption", picture)];
        let mut player = ScenePlayer::new(2, PlaySpeed::MOVES);
        player.advance();
        let shown = lines(&moments, &player, (6, 4));
        assert_eq!(shown, ["a long", "", "|aaaaa", "frame "]);
        let shown = lines(&moments, &player, (200, 7));
        assert_eq!(
            shown[..6],
            ["a long caption", "", "|aaaaaaaa|", "|bbbbbbbb|", "+--------+", ""]
        );
        let status = "frame 2/2 | paused, 2 frames/s | q: quit, space: play, arrows: step and \
                      speed, Home, End";
        assert_eq!(shown[6], status);
        assert!(lines(&moments, &player, (200, 3))[2].contains("cut to fit"));
        // A letter that is two columns wide is not cut in half.
        let wide = [moment(1, "\u{5c06}\u{68cb}", "")];
        let player = ScenePlayer::new(1, PlaySpeed::MOVES);
        assert_eq!(lines(&wide, &player, (3, 2))[0], "\u{5c06}");
    }
}
