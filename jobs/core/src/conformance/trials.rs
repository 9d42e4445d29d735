//! Checks of trials and tallies.

use crate::experiment::{Experiment, SharedOf};
use crate::seed::{RunSeed, StreamRng};
use crate::simulation::{Simulation, Tally, Work};
use crate::wire::WireValue;

use super::recording::{Block, Recording};
use super::violation::{Difference, Violation};

/// Checks that a trial simulated twice gives the same tally.
///
/// # Errors
/// [`Violation::Unrepeatable`]: the trial depends on more than its arguments.
pub fn trials_are_repeatable<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    each_block(recording, |shared, block| {
        for trial in 0..block.n_few() {
            let [first, again] = [(); 2].map(|()| block.play(shared, trial).encode());
            let what = format!("the tally of trial {trial} of {}", block.of);
            Difference::check(&what, &again, &first).map_err(Violation::Unrepeatable)?;
        }
        Ok(())
    })
}

/// Checks that trials give the same tallies when they are simulated from the last to the first: a
/// tally must depend on its trial's address only.
///
/// # Errors
/// [`Violation::OrderDependent`]: trials leave state behind.
pub fn trials_ignore_their_order<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for generation in recording.some_generations() {
        let (shared, blocks) =
            (generation.shared::<E::Simulation>()?, generation.blocks::<E::Simulation>()?);
        let trials: Vec<(&Block<E::Simulation>, usize)> = blocks
            .iter()
            .flat_map(|block| (0..block.n_few()).map(move |trial| (block, trial)))
            .collect();
        let play =
            |&(block, trial): &(&Block<E::Simulation>, usize)| block.play(&shared, trial).encode();
        let forwards: Vec<_> = trials.iter().map(play).collect();
        let mut backwards: Vec<_> = trials.iter().rev().map(play).collect();
        backwards.reverse();
        for (((block, trial), forwards), backwards) in trials.iter().zip(forwards).zip(backwards) {
            let what = format!("the tally of trial {trial} of {}", block.of);
            Difference::check(&what, &backwards, &forwards).map_err(Violation::OrderDependent)?;
        }
    }
    Ok(())
}

/// Checks that [`Simulation::trials`] gives the absorbed tallies of single trials, for one subject
/// and for several subjects.
///
/// # Errors
/// [`Violation::UnequalBlock`]
pub fn blocks_equal_single_trials<E: Experiment>(
    recording: &Recording<E>,
) -> Result<(), Violation> {
    each_block(recording, |shared, block| {
        let lengths = (1..=block.n_few()).chain([block.streams.len()]);
        for n_trials in lengths {
            let whole = block.play_block(shared, &block.streams[..n_trials]).encode();
            let single = absorbed((0..n_trials).map(|trial| block.play(shared, trial))).encode();
            let what = format!("the tally of the first {n_trials} trials of {}", block.of);
            Difference::check(&what, &whole, &single).map_err(Violation::UnequalBlock)?;
        }
        Ok(())
    })?;
    for generation in recording.some_generations() {
        let (shared, blocks) =
            (generation.shared::<E::Simulation>()?, generation.blocks::<E::Simulation>()?);
        let together = Block::play_together(&shared, &blocks);
        if together.len() != blocks.len() {
            let (found, expected) = (together.len().to_string(), blocks.len().to_string());
            return Err(Violation::wrong("the number of tallies of subjects", found, expected));
        }
        for (block, tally) in blocks.iter().zip(together) {
            let single = absorbed(block.play_few(&shared)).encode();
            let what = format!("the tally of {} with other subjects", block.of);
            Difference::check(&what, &tally.encode(), &single).map_err(Violation::UnequalBlock)?;
        }
    }
    Ok(())
}

/// Checks that `(a + b) + c` and `a + (b + c)` are the same to the byte.
///
/// # Errors
/// [`Violation::NotAssociative`]
pub fn absorbing_is_associative<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    each_block(recording, |shared, block| {
        for first in 0..block.n_few().saturating_sub(2) {
            let play = || [0, 1, 2].map(|later| block.play(shared, first + later));
            let left_first = absorbed(play());
            let [mut right_first, mut right, last] = play();
            right.absorb(last);
            right_first.absorb(right);
            let last = first + 2;
            let what = format!("the tally of trials {first} to {last} of {}", block.of);
            Difference::check(&what, &right_first.encode(), &left_first.encode())
                .map_err(Violation::NotAssociative)?;
        }
        Ok(())
    })
}

/// Checks that trials give the same tally whether they are cut into jobs or simulated in one piece.
/// The tallies are compared as values and as the bytes that travel.
///
/// # Errors
/// [`Violation::UnequalChunks`]
pub fn chunks_equal_the_whole<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let mut rng = RunSeed::new("conformance", 1).generation(0).stream("cuts");
    each_block(recording, |shared, block| {
        let whole = absorbed(block.play_few(shared)).encode();
        for cut in cuts(block.n_few(), &mut rng) {
            let mut rest = &block.streams[..];
            let play = |&n: &usize| {
                let (chunk, later) = rest.split_at(n);
                rest = later;
                block.play_block(shared, chunk)
            };
            let chunks: Vec<_> = cut.iter().map(play).collect();
            let mut accumulator = recording.configured.simulation().accumulator(1);
            for chunk in &chunks {
                accumulator.absorb(0, &chunk.encode())?;
            }
            let accumulated = accumulator.tallies().pop().flatten().unwrap_or_default();
            let what = format!("the tally of {}", block.of);
            Difference::check(&what, &absorbed(chunks).encode(), &whole)
                .and_then(|()| Difference::check(&format!("{what} in bytes"), &accumulated, &whole))
                .map_err(|difference| Violation::UnequalChunks { cut, difference })?;
        }
        Ok(())
    })
}

/// Checks that the work of tallies adds up when they are absorbed, and that all tallies have the
/// same units in the same order.
///
/// # Errors
/// [`Violation::WorkLost`], or [`Violation::Wrong`] if units differ.
pub fn work_adds_up<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let units = |work: &[Work]| work.iter().map(|work| work.unit.clone()).collect::<Vec<_>>();
    let mut known: Option<Vec<String>> = None;
    each_block(recording, |shared, block| {
        for first in 0..block.n_few().saturating_sub(1) {
            let mut tally = block.play(shared, first);
            let later = block.play(shared, first + 1);
            let mut sum = E::Simulation::work(&tally);
            Work::add(&mut sum, &E::Simulation::work(&later));
            tally.absorb(later);
            let work = E::Simulation::work(&tally);
            let known = known.get_or_insert_with(|| units(&work));
            let of = format!("trials {first} and {} of {}", first + 1, block.of);
            if units(&work) != *known || units(&sum) != *known {
                let (found, expected) = (units(&sum).join(", "), known.join(", "));
                return Err(Violation::wrong(format!("units of work of {of}"), found, expected));
            }
            if work != sum {
                let (value, expected) = (format!("{work:?}"), format!("{sum:?}"));
                let what = format!("the work of {of}");
                return Err(Violation::WorkLost(Difference { what, value, expected }));
            }
        }
        Ok(())
    })
}

fn each_block<E: Experiment>(
    recording: &Recording<E>,
    mut check: impl FnMut(&SharedOf<E>, &Block<E::Simulation>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    for generation in recording.some_generations() {
        let shared = generation.shared::<E::Simulation>()?;
        generation.blocks()?.iter().try_for_each(|block| check(&shared, block))?;
    }
    Ok(())
}

/// Absorbs `tallies` in order, and returns the sum.
fn absorbed<T: Tally>(tallies: impl IntoIterator<Item = T>) -> T {
    let sum = tallies.into_iter().reduce(|mut sum, later| {
        sum.absorb(later);
        sum
    });
    sum.expect("a block has at least one trial")
}

/// Returns ways to cut `n` trials into jobs: single trials, halves, thirds, and some uneven cuts.
fn cuts(n: usize, rng: &mut StreamRng) -> Vec<Vec<usize>> {
    let parts = |size: usize| {
        let starts = (0..n).step_by(size.max(1));
        starts.map(|start| size.clamp(1, n - start)).collect::<Vec<_>>()
    };
    let mut uneven = || {
        let mut cut = vec![1];
        for _ in 1..n {
            match rng.below(2) {
                0 => *cut.last_mut().expect("it begins with one") += 1,
                _ => cut.push(1),
            }
        }
        cut
    };
    vec![parts(1), parts(n.div_ceil(2)), parts(n.div_ceil(3)), uneven(), uneven(), uneven()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_lose_no_trial() {
        let mut rng = RunSeed::new("cuts", 1).generation(0).stream("");
        for n in 1..=8 {
            for cut in cuts(n, &mut rng) {
                assert_eq!(cut.iter().sum::<usize>(), n, "{cut:?}");
                assert!(cut.iter().all(|&part| part != 0), "{cut:?}");
            }
        }
        assert_eq!(cuts(8, &mut rng)[..3], [vec![1; 8], vec![4, 4], vec![3, 3, 2]]);
    }
}
