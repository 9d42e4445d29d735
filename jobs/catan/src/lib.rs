#![doc = include_str!("../README.md")]

pub mod board;
pub mod experiment;
pub mod features;
pub mod game;
pub mod learning;
pub mod map;
pub mod players;
pub mod resource;
pub mod results;
pub mod rules;
pub mod seat_balance;
pub mod streams;
pub mod wire;

pub use board::{Edge, Hex, Node, PortPlace};
pub use experiment::{CatanBalance, CatanDesign, CatanGames};
pub use map::Map;
pub use resource::{Resource, ResourceCards};
