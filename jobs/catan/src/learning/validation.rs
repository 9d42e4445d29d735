//! Choice of settings by cross-validation.

use hatchery_core::StreamRng;
use nalgebra::DMatrix;

use super::basis::{Basis, FeatureScaling};
use super::error::{LearningError, PointClass};
use super::pnu::{PnuEquations, PnuSettings, WeightedMoments, design, validation_eta};
use super::training_set::{TrainingSet, to_f64};

/// A grid of settings. Validation tries every combination of the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterGrid {
    /// The basis functions.
    pub bases: Vec<Basis>,
    /// Values of eta, from -1 to 1.
    pub etas: Vec<f64>,
    /// Values of lambda, 0 or more.
    pub lambdas: Vec<f64>,
    /// The number of parts into which points are split, at least 2.
    pub folds: usize,
}

impl ParameterGrid {
    /// Creates the usual grid for `bases`: eta from -1 to 1 by 0.25, ten values of lambda from
    /// 0.001 to 10, evenly on a logarithmic scale, and 5 folds.
    #[must_use]
    pub fn usual(bases: Vec<Basis>) -> Self {
        let etas = (-4..=4_i8).map(|quarter| f64::from(quarter) / 4.0).collect();
        Self { bases, etas, lambdas: powers_of_ten(-3.0, 1.0, 10), folds: 5 }
    }
}

/// Returns `n` powers of ten whose exponents are spaced evenly from `first` to `last`.
#[must_use]
pub fn powers_of_ten(first: f64, last: f64, n: u32) -> Vec<f64> {
    let step = (last - first) / f64::from(n.max(2) - 1);
    (0..n).map(|idx| libm::exp10(first + step * f64::from(idx))).collect()
}

/// The choice of cross-validation.
#[derive(Clone, Debug, PartialEq)]
pub struct GridChoice {
    /// The basis functions.
    pub basis: Basis,
    /// The class prior as given, and eta and lambda as chosen.
    pub settings: PnuSettings,
    /// The risk of classifiers on points that they were not fitted to: an estimate of the share of
    /// wrong classifications, coarse with few labels.
    pub risk: f64,
}

/// Chooses the combination in `grid` with the least validation risk; of equal ones the first basis,
/// then the largest lambda, then the eta nearest to 0, then the first.
///
/// Points are split into folds at random, with positive, negative and unlabelled ones spread
/// evenly, so there may be fewer labels than folds. Each point is classified by the classifier
/// fitted to the other folds. The risk is that of Sakai et al. (ICML 2017, §4.2) with the 0-1 loss:
/// with the eta-bar of [`validation_eta`], (1 - |eta-bar|) R_PN + |eta-bar| R_PU, or R_NU if it is
/// below 0. The part of unlabelled points, an estimate of a share of errors, is clipped at 0 from
/// below.
///
/// # Errors
/// If the grid is empty or outside its range, a class has fewer than two points, there are no
/// unlabelled points though an eta needs them, dimensions differ, or no combination can be solved.
pub fn cross_validate(
    samples: &TrainingSet,
    scaling: &FeatureScaling,
    prior: f64,
    grid: &ParameterGrid,
    rng: &mut StreamRng,
) -> Result<GridChoice, LearningError> {
    let combinations = combinations(prior, grid)?;
    samples.check_count(PointClass::Positive, 2)?;
    samples.check_count(PointClass::Negative, 2)?;
    let folds = FoldAssignment::draw(samples, grid.folds, rng);
    let points = (scaling.apply_all(samples.labelled())?, scaling.apply_all(samples.unlabelled())?);
    let mut best: Result<GridChoice, LearningError> =
        Err(LearningError::EmptyGrid { name: "solvable setting" });
    for basis in &grid.bases {
        let designs = (design(&points.0, basis), design(&points.1, basis));
        let problems = folds.problems(samples, &designs, grid.folds);
        for settings in &combinations {
            let risk = match risk(samples, settings, &designs, &problems, &folds) {
                Ok(risk) => risk,
                Err(LearningError::Singular { lambda }) => {
                    best = best.or(Err(LearningError::Singular { lambda }));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if best.as_ref().map_or(true, |best| risk < best.risk) {
                best = Ok(GridChoice { basis: basis.clone(), settings: *settings, risk });
            }
        }
    }
    best
}

/// Returns all pairs of eta and lambda, those preferred among equals first.
fn combinations(prior: f64, grid: &ParameterGrid) -> Result<Vec<PnuSettings>, LearningError> {
    let lists =
        [("basis", grid.bases.len()), ("eta", grid.etas.len()), ("lambda", grid.lambdas.len())];
    if let Some((name, _)) = lists.into_iter().find(|(_, len)| *len == 0) {
        return Err(LearningError::EmptyGrid { name });
    }
    if grid.folds < 2 {
        let value = to_f64(grid.folds);
        return Err(LearningError::Range { name: "number of folds", value, range: "at least 2" });
    }
    let mut all = Vec::new();
    for &lambda in &grid.lambdas {
        for &eta in &grid.etas {
            let settings = PnuSettings { prior, eta, lambda };
            settings.check()?;
            all.push(settings);
        }
    }
    all.sort_by(|a, b| b.lambda.total_cmp(&a.lambda).then(a.eta.abs().total_cmp(&b.eta.abs())));
    Ok(all)
}

/// The fold that each point belongs to.
struct FoldAssignment {
    labelled: Vec<usize>,
    unlabelled: Vec<usize>,
}

impl FoldAssignment {
    fn draw(samples: &TrainingSet, n: usize, rng: &mut StreamRng) -> Self {
        let mut labelled = vec![0; samples.labels().len()];
        let mut next = 0;
        let order = rng.permutation(labelled.len());
        for class in [PointClass::Positive, PointClass::Negative] {
            for &idx in order.iter().filter(|&&idx| samples.labels()[idx].class() == class) {
                labelled[idx] = next % n;
                next += 1;
            }
        }
        let mut unlabelled = vec![0; samples.unlabelled().len()];
        for (rank, idx) in rng.permutation(unlabelled.len()).into_iter().enumerate() {
            unlabelled[idx] = rank % n;
        }
        Self { labelled, unlabelled }
    }

    /// Returns, for each fold, the equations of the points in all other folds.
    fn problems(
        &self,
        samples: &TrainingSet,
        designs: &(DMatrix<f64>, DMatrix<f64>),
        n: usize,
    ) -> Vec<PnuEquations> {
        let parts: Vec<PnuEquations> =
            (0..n).map(|fold| self.part(samples, designs, fold)).collect();
        let without = |fold: usize| {
            let mut others = parts.iter().enumerate().filter(|&(idx, _)| idx != fold);
            let (_, first) = others.next().expect("there are at least two folds");
            others.fold(first.clone(), |mut sum, (_, part)| {
                sum.add(part);
                sum
            })
        };
        (0..n).map(without).collect()
    }

    /// Returns the equations of the points in one fold.
    fn part(
        &self,
        samples: &TrainingSet,
        (labelled, unlabelled): &(DMatrix<f64>, DMatrix<f64>),
        fold: usize,
    ) -> PnuEquations {
        let of = |class| {
            WeightedMoments::of(labelled, &samples.masses(class), |idx| self.labelled[idx] == fold)
        };
        let masses = samples.masses(PointClass::Unlabelled);
        PnuEquations {
            positive: of(PointClass::Positive),
            negative: of(PointClass::Negative),
            unlabelled: WeightedMoments::of(unlabelled, &masses, |idx| {
                self.unlabelled[idx] == fold
            }),
        }
    }
}

/// Returns the validation risk of `settings`.
fn risk(
    samples: &TrainingSet,
    settings: &PnuSettings,
    (labelled, unlabelled): &(DMatrix<f64>, DMatrix<f64>),
    problems: &[PnuEquations],
    folds: &FoldAssignment,
) -> Result<f64, LearningError> {
    let mut labelled_scores = vec![0.0; labelled.ncols()];
    let mut unlabelled_scores = vec![0.0; unlabelled.ncols()];
    for (fold, problem) in problems.iter().enumerate() {
        let weights = problem.solve(settings)?;
        for (scores, design, of) in [
            (&mut labelled_scores, labelled, &folds.labelled),
            (&mut unlabelled_scores, unlabelled, &folds.unlabelled),
        ] {
            for (idx, score) in scores.iter_mut().enumerate().filter(|(idx, _)| of[*idx] == fold) {
                *score = design.column(idx).dot(&weights);
            }
        }
    }
    Ok(zero_one_risk(samples, settings.prior, &labelled_scores, &unlabelled_scores))
}

fn zero_one_risk(samples: &TrainingSet, prior: f64, labelled: &[f64], unlabelled: &[f64]) -> f64 {
    let share = |masses: &[f64], scores: &[f64], positive: bool| {
        let hits = masses.iter().zip(scores).filter(|&(_, &score)| (0.0 < score) == positive);
        hits.map(|(mass, _)| mass).sum::<f64>() / masses.iter().sum::<f64>()
    };
    let missed = prior * share(&samples.masses(PointClass::Positive), labelled, false);
    let false_alarms = (1.0 - prior) * share(&samples.masses(PointClass::Negative), labelled, true);
    let eta = validation_eta(samples, prior);
    if unlabelled.is_empty() {
        return missed + false_alarms;
    }
    let called_positive = share(&samples.masses(PointClass::Unlabelled), unlabelled, true);
    let with_unlabelled = if eta < 0.0 {
        // The share of points that are called negative but are not.
        false_alarms + (1.0 - called_positive + false_alarms - (1.0 - prior)).max(0.0)
    } else {
        missed + (called_positive + missed - prior).max(0.0)
    };
    (1.0 - eta.abs()) * (missed + false_alarms) + eta.abs() * with_unlabelled
}
