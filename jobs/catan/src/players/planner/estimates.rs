//! Estimates of a position: what a player has and sees, and the throws until it has more.

pub(crate) mod building_speed;
pub(crate) mod road_reach;
pub(crate) mod view;
pub(crate) mod win_eta;
