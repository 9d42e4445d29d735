//! The rules on set-up positions.
