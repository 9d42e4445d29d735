//! What runs of `othellonia-selfplay` show, for states that are made up.

mod made_up;
mod shown;
mod tables;
