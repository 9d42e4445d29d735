#![doc = include_str!("../README.md")]

pub mod record;
pub mod rules;
