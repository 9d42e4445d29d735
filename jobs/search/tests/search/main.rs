//! Tests on small games: searches against exact values and a plain program, matches, the contract.

mod chance;
mod contract;
mod games;
mod matches;
mod plain;
mod search;
