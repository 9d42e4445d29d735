//! Levels as texts, messages, pictures and numbers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "levels/faults.rs"]
mod faults;
#[path = "levels/game_reader.rs"]
mod game_reader;
#[path = "levels/hostile.rs"]
mod hostile;
#[path = "levels/metrics.rs"]
mod metrics;
#[path = "levels/pictures.rs"]
mod pictures;
#[path = "levels/samples.rs"]
mod samples;
#[path = "levels/specs.rs"]
mod specs;
#[path = "levels/texts.rs"]
mod texts;
