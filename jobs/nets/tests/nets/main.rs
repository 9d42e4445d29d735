//! The tests of networks, in one program.

mod environments;
mod gradients;
mod reference;
mod tensors;
mod torch;
