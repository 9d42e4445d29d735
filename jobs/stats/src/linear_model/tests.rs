use proptest::prelude::*;

use super::*;

/// Longley, "An appraisal of least squares programs for the electronic computer from the point of
/// view of the user", JASA 62, 1967: employment, then prices, gross national product, unemployed,
/// armed forces, population and year.
const LONGLEY: [[f64; 7]; 16] = [
    [60323.0, 83.0, 234_289.0, 2356.0, 1590.0, 107_608.0, 1947.0],
    [61122.0, 88.5, 259_426.0, 2325.0, 1456.0, 108_632.0, 1948.0],
    [60171.0, 88.2, 258_054.0, 3682.0, 1616.0, 109_773.0, 1949.0],
    [61187.0, 89.5, 284_599.0, 3351.0, 1650.0, 110_929.0, 1950.0],
    [63221.0, 96.2, 328_975.0, 2099.0, 3099.0, 112_075.0, 1951.0],
    [63639.0, 98.1, 346_999.0, 1932.0, 3594.0, 113_270.0, 1952.0],
    [64989.0, 99.0, 365_385.0, 1870.0, 3547.0, 115_094.0, 1953.0],
    [63761.0, 100.0, 363_112.0, 3578.0, 3350.0, 116_219.0, 1954.0],
    [66019.0, 101.2, 397_469.0, 2904.0, 3048.0, 117_388.0, 1955.0],
    [67857.0, 104.6, 419_180.0, 2822.0, 2857.0, 118_734.0, 1956.0],
    [68169.0, 108.4, 442_769.0, 2936.0, 2798.0, 120_445.0, 1957.0],
    [66513.0, 110.8, 444_546.0, 4681.0, 2637.0, 121_950.0, 1958.0],
    [68655.0, 112.6, 482_704.0, 3813.0, 2552.0, 123_366.0, 1959.0],
    [69564.0, 114.2, 502_601.0, 3931.0, 2514.0, 125_368.0, 1960.0],
    [69331.0, 115.7, 518_173.0, 4806.0, 2572.0, 127_852.0, 1961.0],
    [70551.0, 116.9, 554_894.0, 4007.0, 2827.0, 130_081.0, 1962.0],
];

/// The certified values of the data set Longley of NIST's Statistical Reference Datasets, which
/// were computed again in exact fractions: coefficients with standard errors.
const CERTIFIED: [[f64; 2]; 7] = [
    [-3_482_258.634_595_82, 890_420.383_607_373],
    [15.061_872_271_373_3, 84.914_925_774_766_9],
    [-0.035_819_179_292_591_0, 0.033_491_007_772_243_2],
    [-2.020_229_803_816_83, 0.488_399_681_651_699],
    [-1.033_226_867_173_59, 0.214_274_163_161_675],
    [-0.051_104_105_653_580_7, 0.226_073_200_069_370],
    [1_829.151_464_613_55, 455.478_499_142_212],
];

fn columns<const N: usize>(
    rows: &[[f64; N]],
    at: impl IntoIterator<Item = usize>,
) -> Vec<Vec<f64>> {
    at.into_iter().map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}

#[test]
fn longleys_data_have_the_certified_coefficients() {
    let y = columns(&LONGLEY, [0]).remove(0);
    let found = LinearModel::fit(&y, &columns(&LONGLEY, 1..7)).unwrap();
    assert_eq!((found.degrees, found.slopes.len()), (9, 6));
    let near = |found: f64, certified: f64| (found / certified - 1.0).abs() < 1e-11;
    for (found, [value, error]) in [found.intercept].iter().chain(&found.slopes).zip(CERTIFIED) {
        assert!(near(found.value, value), "{} instead of {value}", found.value);
        assert!(near(found.error.value, error), "{} instead of {error}", found.error.value);
    }
    assert!(near(found.residual_variance, 304.854_073_561_965 * 304.854_073_561_965));
}

/// Seven rows whose normal equations have solutions with small denominators: 3, 15/11 and 1/11,
/// with s^2 = 20/11. The p-values come from scipy.stats.t.
#[test]
fn p_values_are_those_of_students_t() {
    let y = [3.0, 5.0, 4.0, 8.0, 9.0, 11.0, 10.0];
    let steps =
        [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0], [4.0, 0.0], [5.0, 1.0], [6.0, 0.0]];
    let found = LinearModel::fit(&y, &columns(&steps, 0..2)).unwrap();
    assert!((found.residual_variance - 20.0 / 11.0).abs() < 1e-14 && found.degrees == 4);
    let [first, second] = [found.slopes[0], found.slopes[1]];
    for (coefficient, value, margin, t, p) in [
        (found.intercept, 3.0, 0.0, 2.403_122_968_139_58, 0.037_052_476_392_83),
        (first, 15.0 / 11.0, 0.0, 5.123_475_382_979_80, 0.003_434_767_539_90),
        (first, 15.0 / 11.0, 1.0, 1.366_260_102_127_95, 0.121_812_631_656_27),
        (first, 15.0 / 11.0, 1.5, -0.512_347_538_297_98, 0.682_299_639_184_70),
        (second, 1.0 / 11.0, 0.0, 0.084_515_425_472_85, 0.468_353_789_812_45),
        (second, 1.0 / 11.0, 1.0, -0.845_154_254_728_52, 0.777_192_805_875_69),
    ] {
        assert!((coefficient.value - value).abs() < 1e-14, "{coefficient:?}");
        assert!((coefficient.t_statistic(margin) - t).abs() < 1e-13, "{coefficient:?}");
        let found = coefficient.p_value_above(margin);
        assert!((found - p).abs() < 1e-13, "{found} instead of {p}");
    }
}

#[test]
fn without_columns_the_intercept_is_the_mean() {
    // Mean 5, s^2 = 32 / 7.
    let found = LinearModel::fit(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], &[]).unwrap();
    assert!((found.intercept.value - 5.0).abs() < 1e-15 && found.degrees == 7);
    assert!((found.intercept.error.value - libm::sqrt(4.0 / 7.0)).abs() < 1e-15, "{found:?}");
}

#[test]
fn what_does_not_vary_is_no_evidence() {
    let found = LinearModel::fit(&[3.0; 4], &[vec![1.0, 2.0, 3.0, 5.0]]).unwrap();
    assert!(found.residual_variance <= 0.0, "{found:?}");
    assert!(1.0 <= found.intercept.p_value_above(0.0) && found.intercept.t_statistic(0.0) <= 0.0);
}

#[test]
fn invalid_rows_and_columns_are_refused() {
    let y = [1.0, 2.0, 4.0, 8.0];
    let check = |columns: &[[f64; 4]], expected: StatsError| {
        let columns: Vec<Vec<f64>> = columns.iter().map(|it| it.to_vec()).collect();
        assert_eq!(LinearModel::fit(&y, &columns), Err(expected));
    };
    let steps = [0.0, 1.0, 2.0, 3.0];
    check(&[steps; 3], StatsError::TooFewRows { n: 4, needed: 5 });
    check(&[steps; 2], StatsError::CollinearColumn { column: 1 });
    check(&[steps, [0.1; 4]], StatsError::CollinearColumn { column: 1 });
    check(&[[0.0; 4], steps], StatsError::CollinearColumn { column: 0 });
    check(&[[0.0, 1e-60, 0.0, 0.0]], StatsError::CollinearColumn { column: 0 });
    // 7 - 3 x of the first one.
    check(&[steps, [7.0, 4.0, 1.0, -2.0]], StatsError::CollinearColumn { column: 1 });
    let mismatch = StatsError::ColumnMismatch { column: 1, length: 3, expected: 4 };
    let columns = [steps.to_vec(), steps[1..].to_vec()];
    assert_eq!(LinearModel::fit(&y, &columns), Err(mismatch));
    for value in [f64::NAN, f64::INFINITY, 1e51] {
        let of_columns = LinearModel::fit(&y, &[vec![1.0, value, 2.0, 4.0]]);
        assert!(matches!(of_columns, Err(StatsError::OutOfRange { .. })), "{of_columns:?}");
        let of_y = LinearModel::fit(&[1.0, 2.0, value], &[vec![1.0, 2.0, 4.0]]);
        assert!(matches!(of_y, Err(StatsError::OutOfRange { .. })), "{of_y:?}");
    }
}

/// Decks of 16 pieces: columns of 0 and 1 that add up to 3 in each row.
#[test]
fn columns_that_add_up_to_a_constant_are_refused() {
    let has = |row: usize, piece: usize| f64::from(u8::from((row * 7 + row / 5 + piece) % 16 < 3));
    let of = |piece: usize| (0..60).map(|row| has(row, piece)).collect::<Vec<f64>>();
    let all: Vec<Vec<f64>> = (0..16).map(of).collect();
    let y: Vec<f64> = (0..60).map(|row| f64::from(row % 11)).collect();
    assert_eq!(LinearModel::fit(&y, &all), Err(StatsError::CollinearColumn { column: 15 }));
}

proptest! {
    /// A model is found again, wherever columns are counted from and in whatever unit.
    #[test]
    fn exact_models_are_found(
        cells in prop::collection::vec(-1.0..1.0_f64, 60),
        slopes in prop::collection::vec(-10.0..10.0_f64, 3),
        (offset, exponent) in (-1e3..1e3_f64, -40..40_i32),
    ) {
        let scale = libm::pow(10.0, f64::from(exponent));
        let column = |at: usize| cells.iter().skip(at).step_by(3).map(|it| scale * (it + offset));
        let x: Vec<Vec<f64>> = (0..3).map(|at| column(at).collect()).collect();
        let row = |at: usize| x.iter().zip(&slopes).map(|(x, slope)| x[at] / scale * slope).sum();
        let y: Vec<f64> = (0..20).map(row).collect();
        let found = LinearModel::fit(&y, &x).unwrap();
        for (found, slope) in found.slopes.iter().zip(&slopes) {
            prop_assert!((found.value * scale - slope).abs() < 1e-7, "{found:?} and {slope}");
        }
        prop_assert!(found.residual_variance < 1e-18);
    }
}
