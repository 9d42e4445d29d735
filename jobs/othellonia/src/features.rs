//! Features: a state and an action as rows of numbers, as a network sees them.
//!
//! A [`FeatureLayout`] writes the row of a state once, and a short row for each of its actions. The
//! row of a state and an action is the one followed by the other. All is seen from the player whose
//! turn it is: *own* is that player's, *enemy* the other's. [`Information`] says which facts the
//! player sees. [`FeatureLayout::describe`] explains a column in the words of the lists below.
//!
//! # Parts
//!
//! A [`PieceEncoding`] says how the piece in a slot is told: in `w` columns. With vectors, `w` is
//! 30 however many kinds there are, and a row has 5,649 numbers, as many as that of Kono et al.
//! (the composition is our own). One-hot over a pool, `w` is the number of kinds; over a deck's own
//! pieces, 18.
//!
//! | part | slots x columns | first column, for `w` = 30 | columns |
//! |---|---|---|---|
//! | pieces | 76 x `w`: board 36, hands 4 + 4, decks 16 + 16 | 0 | 2280 |
//! | board | 36 x 64, by cell | 2280 | 2304 |
//! | own hand | 4 x 48 | 4584 | 192 |
//! | enemy hand | 4 x 48 | 4776 | 192 |
//! | own deck | 16 x 8 | 4968 | 128 |
//! | enemy deck | 16 x 8 | 5096 | 128 |
//! | game | 123 | 5224 | 123 |
//! | own status | 32 | 5347 | 32 |
//! | enemy status | 32 | 5379 | 32 |
//! | action piece | `w` | 5411 | 30 |
//! | action | 208 | 5441 | 208 |
//!
//! A row of a state has the first 5,411 columns, one of an action the last 238.
//!
//! # Scales
//!
//! Without a number below, a column is 1 if it holds, and otherwise 0. HP of players are over
//! 30,000, damage and healing over 10,000, HP and attack of pieces over 2,500. Magnitudes (*m*) are
//! over 2,500 (HP), 10,000 (basis points), 4 (pieces) or 1 (none); the number of an echoed piece is
//! left out. Turns are over 16. What is larger than 8 counts as 8.
//!
//! # Columns
//!
//! - **board**: owner 3 (own, enemy, empty); stands (the piece is not plain) 1; kinds of its skill
//!   24, of its combo skill 24; what runs of the skill 3 (m, turns left, until flipped), of the
//!   combo skill 3; attack 1; class of the cell 4; legal 1.
//! - **hand**: present 1; unknown 1; leader 1; attribute 3; HP 1; attack 1; kinds of its skill 24;
//!   that skill's m 1, turns 1, condition 11 (without its number), scales 1; has a combo skill 1,
//!   its m 1.
//! - **deck**: place 4 (deck, hand, board, used: placed and flipped); attribute 3; leader 1; all 0
//!   if the piece is not known.
//! - **game**: placements 34 (one of 0 to 33); log of 1 + own turn, over log of 34, 1; plays black
//!   1; passes 2 (the turn before was one; so far, over 8); HP 3 (own, enemy, own minus enemy's);
//!   HP as twentieths of the highest HP 21 + 21; poison at the end of the own and the enemy's turn
//!   2 (m); cells own, enemy and empty, over 36, 3; cells where the own player and the enemy can
//!   place, over 20, 2; actions, over 60, 1; the attribute that all the deck's pieces share 3 + 3
//!   (the enemy's if it is known); pieces in hand over 4, 2; in the deck over 16, 2; used over 16,
//!   2; turns 2; reserved 18.
//! - **status**: weaken by attribute of the attack 3 (m), turns left 1; charge 3, 1; curse 1 (m),
//!   turns left 1; seals 1, turns left 1; states over 8, 1; guard 3, banner 3, counter 3 (m); ward,
//!   regen, trap, thorns 4 (m); pieces on which something runs, over 16, 1; pieces that stand by
//!   attribute, over 16, 3; with a combo skill, over 16, 1; highest HP 1; all m are sums.
//! - **action**: cell 36; flipped cells 36; cells whose combo skill fires 36; cells where the enemy
//!   can place after it 36; slot of the hand 4; leader 1, attribute 3, HP 1, attack 1 of the piece;
//!   kinds that fire 24; the skill's condition 11, has a combo skill 1, the skill's m 1, turns 1;
//!   flips over 10, 1; skill fires 1; combo skills that fire, over 4, 1; damage of the attack 1,
//!   special damage 1, own damage 1, healed 1; HP after it 2 (own, enemy); share of the enemy's HP
//!   taken 1; game won, lost, drawn 3; the enemy's running effects that it ends, over 4, 1; effects
//!   that it starts, over 4, 1; cells where the enemy can place after it, over 20, 1.
//!
//! The outcome of an action is what [`Game::preview`](crate::rules::Game::preview) says, to the end
//! of the turn; damage counts in full where fewer HP were left.
//!
//! A deck's slots have the order that the deck lists its pieces in. In games with hidden decks,
//! that order must say nothing about the pieces.

mod blocks;
mod encoding;
mod error;
mod field;
mod layout;
mod mask;
mod scale;
mod sight;
mod sink;
mod vectors;
mod writer;

pub use encoding::PieceEncoding;
pub use error::FeatureError;
pub use layout::{FEATURE_VERSION, FeatureLayout, FeaturePart};
pub use scale::VECTOR_LEN;
pub use sight::{GameView, Information};
pub use sink::SparseRow;
pub use vectors::PieceVectors;
