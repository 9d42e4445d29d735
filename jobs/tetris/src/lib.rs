//! tetris
