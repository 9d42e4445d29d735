//! Checks learning against numbers from other programs, by properties, and on poor input.

use hatchery_catan::learning::basis::{GaussianCenters, median_distance};
use hatchery_catan::learning::clusters::{k_means, split_in_two};
use hatchery_catan::learning::pnu::validation_eta;
use hatchery_catan::learning::prior::PairStatistic;
use hatchery_catan::learning::validation::powers_of_ten;
use hatchery_catan::learning::{
    Basis, Classifier, FeatureScaling, LearningError, ParameterGrid, PnuSettings, PointClass,
    PointLabel, PointSet, TrainingSet, class_prior, cross_validate,
};
use hatchery_core::{RunSeed, StreamRng};
use proptest::prelude::*;

fn rng(label: &str) -> StreamRng {
    RunSeed::new("learning", 1).generation(0).stream(label)
}

fn points<const N: usize>(rows: &[[f64; N]]) -> PointSet {
    PointSet::new(N, rows).expect("rows are finite")
}

/// Returns a label without doubt.
fn certain(class: PointClass) -> PointLabel {
    let positive = if class == PointClass::Positive { 1.0 } else { 0.0 };
    PointLabel::soft(positive).expect("it is a probability")
}

fn samples(positive: &[[f64; 2]], negative: &[[f64; 2]], unlabelled: &[[f64; 2]]) -> TrainingSet {
    let labels = positive.iter().map(|_| certain(PointClass::Positive));
    let labels = labels.chain(negative.iter().map(|_| certain(PointClass::Negative))).collect();
    TrainingSet::new(points(&[positive, negative].concat()), labels, points(unlabelled))
        .expect("there are as many labels as points")
}

/// Returns the example that pywsl 0.1.4 was run on.
fn example() -> TrainingSet {
    samples(
        &[[1.0, 2.0], [2.0, 1.0], [1.5, 1.5]],
        &[[-1.0, -1.0], [-2.0, -0.5]],
        &[[0.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [2.0, 2.0], [-1.5, -1.0]],
    )
}

fn fit(samples: &TrainingSet, settings: PnuSettings) -> Result<Vec<f64>, LearningError> {
    let scaling = FeatureScaling::none(samples.labelled().dimension());
    let classifier = Classifier::fit(samples, scaling, Basis::Linear, &settings)?;
    Ok(classifier.weights().to_vec())
}

fn assert_close(got: &[f64], expected: &[f64], allowed: f64) {
    assert_eq!(got.len(), expected.len());
    for (a, b) in got.iter().zip(expected) {
        assert!((a - b).abs() <= allowed, "{got:?} instead of {expected:?}");
    }
}

#[test]
fn coefficients_are_those_of_pywsl() {
    for (eta, expected) in [
        (-0.5, [0.549718422670, 0.357935389334, -0.243460389800]),
        (0.0, [0.336258776325, 0.410732196543, -0.160732196821]),
        (0.5, [0.347603643431, 0.382473285855, -0.270419789267]),
    ] {
        let got = fit(&example(), PnuSettings { prior: 0.4, eta, lambda: 0.1 });
        assert_close(&got.unwrap(), &expected, 1e-9);
    }
}

#[test]
fn class_prior_and_validation_are_those_of_pywsl() {
    let prior = class_prior(&example(), 1.0, PairStatistic::All).unwrap();
    assert!((prior.theta - 0.507_021_266_633_860_9).abs() < 1e-14, "{prior:?}");
    assert_eq!(prior.labels, 5);
    assert!((validation_eta(&example(), 0.5) - 0.2).abs() < 1e-15);
}

/// By hand: dPN is 10, dPU 4, dNU 7; dPP and dNN are 2 over different pairs and 1 over all.
#[test]
fn class_priors_by_hand() {
    let labelled = points(&[[0.0], [2.0], [10.0], [12.0]]);
    let labels = [true, true, false, false]
        .map(|positive| if positive { PointClass::Positive } else { PointClass::Negative });
    let labels = labels.map(certain).to_vec();
    let samples = TrainingSet::new(labelled, labels, points(&[[1.0], [1.0], [11.0]])).unwrap();
    for (pairs, theta) in
        [(PairStatistic::Different, 11.0 / 16.0), (PairStatistic::All, 12.0 / 18.0)]
    {
        let got = class_prior(&samples, 1.0, pairs).unwrap().theta;
        assert!((got - theta).abs() < 1e-12, "{got} by {pairs:?}");
    }
}

/// Standard normal (the sum of 12 uniforms less 6: near enough, and exact everywhere).
fn normal(rng: &mut StreamRng) -> f64 {
    (0..12).map(|_| rng.unit_f64()).sum::<f64>() - 6.0
}

/// Two classes in `N` dimensions, their means `distance` apart along the first.
fn draw<const N: usize>(
    rng: &mut StreamRng,
    n: usize,
    positive: f64,
    distance: f64,
) -> Vec<[f64; N]> {
    (0..n)
        .map(|_| {
            let shift = if rng.unit_f64() < positive { distance } else { 0.0 };
            core::array::from_fn(|axis| normal(rng) + if axis == 0 { shift } else { 0.0 })
        })
        .collect()
}

/// Each set has 40 labels per class and 300 unlabelled points, and the standard deviation of its
/// estimate is about 0.06. Over 20 sets, the mean is within 0.05 of the truth (3.5 standard errors,
/// plus the bias from using all pairs), and 19 of 20 single estimates are within 0.2 of the truth.
#[test]
fn the_class_prior_of_mixtures_is_found() {
    for pairs in [PairStatistic::All, PairStatistic::Different] {
        for truth in [0.2, 0.5, 0.7] {
            let mut rng = rng("mixtures");
            let estimates: Vec<f64> = (0..20)
                .map(|_| {
                    let positive = draw(&mut rng, 40, 1.0, 2.0);
                    let negative = draw(&mut rng, 40, 0.0, 2.0);
                    let unlabelled = draw(&mut rng, 300, truth, 2.0);
                    let samples = samples(&positive, &negative, &unlabelled);
                    class_prior(&samples, 1.0, pairs).unwrap().theta
                })
                .collect();
            let mean = estimates.iter().sum::<f64>() / 20.0;
            assert!((mean - truth).abs() < 0.05, "{mean} instead of {truth} by {pairs:?}");
            let far = estimates.iter().filter(|&&theta| 0.2 < (theta - truth).abs()).count();
            assert!(far <= 1, "{estimates:?}");
        }
    }
}

/// The classes overlap: the best classifier is wrong on Q(1.5) = 6.7 % of points, and so may be the
/// learned one on 1,000 fresh points, plus three points for 30 labels and for chance.
#[test]
fn cross_validation_finds_a_good_classifier() {
    let mut rng = rng("cross-validation");
    let positive: Vec<[f64; 2]> = draw(&mut rng, 15, 1.0, 3.0);
    let samples = samples(&positive, &draw(&mut rng, 15, 0.0, 3.0), &draw(&mut rng, 200, 0.4, 3.0));
    let scaling = FeatureScaling::standard(samples.unlabelled()).unwrap();
    let centers = GaussianCenters::LabelledFirst.draw(&samples, &scaling, 40, &mut rng).unwrap();
    assert_eq!(centers.len(), 40);
    assert_eq!(centers.get(0), scaling.apply(samples.labelled().get(0)));
    let median = median_distance(&scaling.apply_all(samples.unlabelled()).unwrap(), &centers);
    let gaussians = powers_of_ten(-1.0, 1.0, 3)
        .into_iter()
        .map(|factor| Basis::gaussian(centers.clone(), median * factor).unwrap());
    for bases in [vec![Basis::Linear], gaussians.collect()] {
        let grid = ParameterGrid::usual(bases);
        let choice = cross_validate(&samples, &scaling, 0.4, &grid, &mut rng).unwrap();
        assert!(choice.risk < 0.15, "{choice:?}");
        let classifier =
            Classifier::fit(&samples, scaling.clone(), choice.basis, &choice.settings).unwrap();
        let wrong = |positive: f64, rng: &mut StreamRng| {
            let fresh = points(&draw::<2>(rng, 500, positive, 3.0));
            let scores = classifier.scores(&fresh).unwrap();
            scores.iter().filter(|&&score| (0.0 < score) != (0.5 < positive)).count()
        };
        let wrong = wrong(1.0, &mut rng) + wrong(0.0, &mut rng);
        assert!(wrong < 100, "{wrong} of 1,000 wrong with {:?}", choice.settings);
    }
}

fn rows(n: core::ops::Range<usize>) -> impl Strategy<Value = Vec<[f64; 2]>> {
    prop::collection::vec([-5.0..5.0_f64, -5.0..5.0_f64], n)
}

fn sets() -> impl Strategy<Value = TrainingSet> {
    (rows(2..8), rows(2..8), rows(3..20)).prop_map(|(p, n, u)| samples(&p, &n, &u))
}

/// Returns `samples`, all of weight 1, with the classes exchanged.
fn flipped(samples: &TrainingSet) -> TrainingSet {
    let opposite = |label: &PointLabel| PointLabel::soft(label.masses().1).expect("weight 1");
    let labels = samples.labels().iter().map(opposite).collect();
    TrainingSet::new(samples.labelled().clone(), labels, samples.unlabelled().clone())
        .expect("only labels changed")
}

/// The gradient of the weighted ridge regression on labels of 1 and -1 at `weights`.
fn ridge_gradient(samples: &TrainingSet, prior: f64, lambda: f64, weights: &[f64]) -> Vec<f64> {
    let of = |class| samples.labels().iter().filter(|label| label.class() == class).count() as f64;
    let (positive, negative) = (of(PointClass::Positive), of(PointClass::Negative));
    let mut gradient = vec![lambda * weights[0], lambda * weights[1], 0.0];
    for (point, label) in samples.labelled().iter().zip(samples.labels()) {
        let (target, weight) = match label.class() {
            PointClass::Positive => (1.0, prior / positive),
            _ => (-1.0, (1.0 - prior) / negative),
        };
        let phi = [point[0], point[1], 1.0];
        let score: f64 = phi.iter().zip(weights).map(|(a, b)| a * b).sum();
        for (sum, value) in gradient.iter_mut().zip(phi) {
            *sum += weight * (score - target) * value;
        }
    }
    gradient
}

/// Mostly numbers of a size that is allowed; some are huge, tiny, or none.
fn wild() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => -3.0..3.0_f64,
        20 => (-75..75_i32, -1.0..1.0_f64).prop_map(|(power, x)| x * libm::exp10(power.into())),
        20 => Just(0.0),
        1 => prop::num::f64::ANY,
    ]
}

proptest! {
    #[test]
    fn without_unlabelled_points_it_is_ridge_regression(
        samples in sets(), prior in 0.05..0.95_f64, lambda in 0.001..10.0_f64,
    ) {
        let weights = fit(&samples, PnuSettings { prior, eta: 0.0, lambda }).unwrap();
        assert_close(&ridge_gradient(&samples, prior, lambda, &weights), &[0.0; 3], 1e-9);
    }

    #[test]
    fn exchanged_classes_flip_the_sign(
        samples in sets(), prior in 0.05..0.95_f64, eta in -1.0..=1.0_f64,
    ) {
        let one = fit(&samples, PnuSettings { prior, eta, lambda: 0.1 }).unwrap();
        let other = PnuSettings { prior: 1.0 - prior, eta: -eta, lambda: 0.1 };
        let other: Vec<f64> = fit(&flipped(&samples), other).unwrap().iter().map(|w| -w).collect();
        assert_close(&one, &other, 1e-8);
        let [theta, opposite] = [&samples, &flipped(&samples)]
            .map(|samples| class_prior(samples, 1.0, PairStatistic::All).unwrap().theta);
        assert_close(&[theta], &[1.0 - opposite], 1e-9);
    }

    #[test]
    fn standardized_features_may_have_any_unit(
        samples in sets(), scale in 0.01..100.0_f64, shift in -100.0..100.0_f64,
    ) {
        let change = |points: &PointSet| {
            PointSet::new(2, points.iter().map(|row| [row[0] * scale + shift, row[1]])).unwrap()
        };
        let changed = TrainingSet::new(
            change(samples.labelled()), samples.labels().to_vec(), change(samples.unlabelled()),
        ).unwrap();
        let [one, other] = [&samples, &changed].map(|samples| {
            let scaling = FeatureScaling::standard(samples.unlabelled()).unwrap();
            let settings = PnuSettings { prior: 0.4, eta: 0.3, lambda: 0.1 };
            let classifier = Classifier::fit(samples, scaling, Basis::Linear, &settings).unwrap();
            classifier.scores(samples.unlabelled()).unwrap()
        });
        assert_close(&one, &other, 1e-6);
    }

    /// A point of mass 2 is two points, and a label of 1/2 is half a point in each class.
    #[test]
    fn masses_are_numbers_of_points(samples in sets(), prior in 0.05..0.95_f64) {
        let settings = PnuSettings { prior, eta: 0.4, lambda: 0.1 };
        let twice: Vec<&[f64]> =
            samples.labelled().iter().chain(samples.labelled().iter()).collect();
        let positive = vec![certain(PointClass::Positive); samples.labels().len()];
        let labels = [samples.labels(), &positive].concat();
        let twice = TrainingSet::new(
            PointSet::new(2, twice).unwrap(), labels, samples.unlabelled().clone(),
        ).unwrap();
        let merged = samples.labels().iter().map(|label| {
            let positive = (label.masses().0 + 1.0) / 2.0;
            PointLabel::soft(positive).unwrap().weighted(2.0).unwrap()
        });
        let merged = TrainingSet::new(
            samples.labelled().clone(), merged.collect(), samples.unlabelled().clone(),
        ).unwrap();
        assert_close(&fit(&twice, settings).unwrap(), &fit(&merged, settings).unwrap(), 1e-9);
        let [a, b] = [&twice, &merged]
            .map(|samples| class_prior(samples, 1.0, PairStatistic::All).map(|prior| prior.theta));
        prop_assert!((a.unwrap() - b.unwrap()).abs() < 1e-9);
    }

    /// No threshold between values has a smaller sum of squares, and 2-means agrees.
    #[test]
    fn splits_are_the_best(values in prop::collection::vec(-10.0..10.0_f64, 2..30)) {
        let split = split_in_two(&values).unwrap();
        let squares = |threshold: f64| {
            let (low, high): (Vec<f64>, Vec<f64>) = values.iter().partition(|x| **x <= threshold);
            let within = |part: &[f64]| {
                let mean = part.iter().sum::<f64>() / part.len().max(1) as f64;
                part.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>()
            };
            within(&low) + within(&high)
        };
        let best = squares(split.threshold);
        prop_assert!(values.iter().all(|&x| best <= squares(x) + 1e-9));
        let one_dimensional = PointSet::new(1, values.iter().map(|&x| [x])).unwrap();
        let clusters = k_means(&one_dimensional, 2, 10, &mut rng("k-means")).unwrap();
        prop_assert!(best <= clusters.inertia + 1e-9);
    }

    /// For any numbers, the answer is weights or an error.
    #[test]
    fn nothing_panics(
        values in prop::collection::vec(wild(), 12), theta in wild(),
        eta in wild(), lambda in wild(), positive in 0..4_usize,
    ) {
        let rows: Vec<&[f64]> = values.chunks(2).collect();
        let made = PointSet::new(2, &rows[..3]).and_then(|labelled| {
            let label = |idx| {
                certain(if idx < positive { PointClass::Positive } else { PointClass::Negative })
            };
            TrainingSet::new(labelled, (0..3).map(label).collect(), PointSet::new(2, &rows[3..])?)
        });
        if let Ok(samples) = made {
            let weights = fit(&samples, PnuSettings { prior: theta, eta, lambda });
            prop_assert!(weights.is_err() || weights.unwrap().iter().all(|w| w.is_finite()));
            let prior = class_prior(&samples, 1.0, PairStatistic::Different);
            prop_assert!(prior.is_err() || (0.0..=1.0).contains(&prior.unwrap().theta));
            let grid = ParameterGrid::usual(vec![Basis::Linear]);
            let scaling = FeatureScaling::standard(samples.unlabelled()).unwrap();
            drop(cross_validate(&samples, &scaling, 0.5, &grid, &mut rng("any")));
        }
    }
}

#[test]
fn missing_classes_are_named() {
    let settings = |eta| PnuSettings { prior: 0.5, eta, lambda: 0.1 };
    let missing = |class, least| LearningError::TooFew { class, found: 0, least };
    let p = [[1.0, 1.0], [2.0, 1.0]];
    let u = [[0.0, 0.0], [1.0, 3.0]];
    let only_positive = samples(&p, &[], &u);
    assert_eq!(fit(&only_positive, settings(0.5)), Err(missing(PointClass::Negative, 1)));
    assert!(fit(&only_positive, settings(1.0)).is_ok());
    let only_negative = samples(&[], &p, &u);
    assert_eq!(fit(&only_negative, settings(-0.5)), Err(missing(PointClass::Positive, 1)));
    assert!(fit(&only_negative, settings(-1.0)).is_ok());
    let labelled_only = samples(&p, &u, &[]);
    assert_eq!(fit(&labelled_only, settings(0.5)), Err(missing(PointClass::Unlabelled, 1)));
    assert!(fit(&labelled_only, settings(0.0)).is_ok());

    let prior = |samples: &TrainingSet, pairs| class_prior(samples, 1.0, pairs);
    assert_eq!(prior(&only_positive, PairStatistic::All), Err(missing(PointClass::Negative, 1)));
    assert_eq!(prior(&labelled_only, PairStatistic::All), Err(missing(PointClass::Unlabelled, 1)));
    let one_negative = samples(&p, &u[..1], &u);
    let too_few = LearningError::TooFew { class: PointClass::Negative, found: 1, least: 2 };
    assert_eq!(prior(&one_negative, PairStatistic::Different), Err(too_few.clone()));
    assert_eq!(too_few.to_string(), "1 negative points, at least 2 are needed");
    assert_eq!(prior(&samples(&p, &p, &u), PairStatistic::All), Err(LearningError::Alike));
    for alpha in [0.0, 2.0, f64::NAN] {
        assert!(matches!(
            class_prior(&example(), alpha, PairStatistic::All),
            Err(LearningError::Range { .. })
        ));
    }

    let validate = |samples: &TrainingSet, grid: &ParameterGrid| {
        let scaling = FeatureScaling::none(2);
        cross_validate(samples, &scaling, 0.5, grid, &mut rng("few")).map(|choice| choice.risk)
    };
    let grid = ParameterGrid::usual(vec![Basis::Linear]);
    assert_eq!(validate(&one_negative, &grid), Err(too_few));
    assert_eq!(
        validate(&example(), &ParameterGrid::usual(vec![])),
        Err(LearningError::EmptyGrid { name: "basis" })
    );
    // Five labels, and more folds than that.
    let many = ParameterGrid { folds: 9, ..grid.clone() };
    assert!((0.0..=1.0).contains(&validate(&example(), &many).unwrap()));
    assert!(validate(&example(), &ParameterGrid { folds: 1, ..grid }).is_err());
}

#[test]
fn constant_features_do_no_harm() {
    let samples = samples(
        &[[1.0, 7.0], [2.0, 7.0]],
        &[[-1.0, 7.0], [-2.0, 7.0]],
        &[[0.5, 7.0], [-0.5, 7.0], [1.5, 7.0]],
    );
    let standard = FeatureScaling::standard(samples.unlabelled()).unwrap();
    let fit = |lambda| {
        let settings = PnuSettings { prior: 0.5, eta: 0.2, lambda };
        Classifier::fit(&samples, standard.clone(), Basis::Linear, &settings)
    };
    let classifier = fit(0.1).unwrap();
    assert!(classifier.weights()[1].abs() < 1e-12);
    assert!(classifier.scores(&points(&[[1.0, 7.0], [-1.0, 7.0]])).unwrap()[0] > 0.0);
    assert_eq!(fit(0.0).unwrap_err(), LearningError::Singular { lambda: 0.0 });
    let other = points(&[[1.0, 2.0, 3.0]]);
    let wrong = LearningError::Dimension { point: 0, found: 3, expected: 2 };
    assert_eq!(classifier.scores(&other), Err(wrong));
}

#[test]
fn wrong_points_and_labels_are_named() {
    let error = PointSet::new(2, [[1.0, 2.0], [3.0, f64::NAN]]).unwrap_err();
    assert_eq!(error.to_string(), "number 1 of point 1 is NaN, it must be from -1e75 to 1e75");
    let ragged = PointSet::new(2, [vec![1.0, 2.0], vec![3.0]]).unwrap_err();
    assert_eq!(ragged, LearningError::Dimension { point: 1, found: 1, expected: 2 });
    let error = TrainingSet::new(points(&[[1.0]]), vec![], points(&[[1.0]])).unwrap_err();
    assert_eq!(error, LearningError::Labels { labels: 0, points: 1 });
    assert!(PointLabel::soft(1.5).is_err() && PointLabel::soft(f64::NAN).is_err());
    assert!(certain(PointClass::Positive).weighted(-1.0).is_err());
}
