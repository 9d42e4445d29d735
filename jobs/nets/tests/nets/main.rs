//! The tests of networks, in one program.

mod gradients;
mod reference;
mod tensors;
mod torch;
