//! Numbers of levels that can be computed by hand.

use hatchery_birds::level::metrics::{
    ExpressiveRange, LevelMetrics, OccupiedCells, column_linearity, mean_distance,
};
use hatchery_birds::level::{
    BlockMaterial, BlockShape, Level, LevelBlock, LevelElements, LevelPig, LevelPlatform, PigKind,
    Pose,
};
use hatchery_core::DataTable;

use super::samples::{level_of, odd_level, wood};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-5
}

fn of_blocks(blocks: Vec<LevelBlock>) -> Level {
    level_of(LevelElements { blocks, ..LevelElements::default() })
}

/// Returns small squares with these centers.
fn squares(centers: &[[f32; 2]]) -> Level {
    of_blocks(centers.iter().map(|&[x, y]| wood(BlockShape::SquareSmall, x, y)).collect())
}

/// Returns platforms that cover whole cells: from a column and a row, so many columns and rows.
fn cells(areas: &[[u8; 4]]) -> Level {
    let platform = |&[column, row, columns, rows]: &[u8; 4]| {
        let [column, row, columns, rows] = [column, row, columns, rows].map(f32::from);
        let pose = Pose::at(0.22 * (column + columns / 2.0), -3.5 + 0.22 * (row + rows / 2.0));
        LevelPlatform { pose, scale: [columns, rows].map(|n| 0.22 * n / LevelPlatform::SIDE) }
    };
    let platforms = areas.iter().map(platform).collect();
    level_of(LevelElements { platforms, ..LevelElements::default() })
}

/// Three squares of .43 in a row on the ground, their centers a unit apart.
#[test]
fn a_row_of_squares() {
    let metrics = LevelMetrics::of(&squares(&[[0.0, -3.285], [1.0, -3.285], [2.0, -3.285]]));
    assert_eq!((metrics.n_blocks(), metrics.n_birds), (3, 3));
    assert!(close(metrics.width, 2.43) && close(metrics.height, 0.43), "{metrics:?}");
    assert!(close(metrics.linearity.unwrap(), 1.0));
    // 3 x .43^2 = .5547 of 35 x 11.58, and of 2.43 x .43.
    assert!(close(metrics.density, 0.5547 / 405.3), "{metrics:?}");
    assert!(close(metrics.packing.unwrap(), 3.0 * 0.43 / 2.43), "{metrics:?}");
    assert!(close(metrics.symmetry.unwrap(), 1.0), "{metrics:?}");
    assert!(close(metrics.shape_entropy(), 0.0));
}

#[test]
fn areas_of_all_kinds_of_objects_add_up() {
    let blocks = vec![LevelBlock {
        pose: Pose { x: 0.0, y: 0.0, degrees: 33.0 },
        ..wood(BlockShape::Triangle, 0.0, 0.0)
    }];
    let pigs = vec![LevelPig { kind: PigKind::Medium, pose: Pose::at(3.0, 0.0) }];
    let platforms = vec![LevelPlatform { pose: Pose::at(0.0, 3.0), scale: [5.0, 0.5] }];
    let level = level_of(LevelElements { blocks, pigs, tnts: vec![], platforms });
    // .83^2 / 2 + pi .39^2 + .64^2 x 2.5.
    let area = 0.344_45 + 0.477_836 + 1.024;
    assert!(close(LevelMetrics::of(&level).density * 405.3, area));
}

#[test]
fn linearity_is_the_share_of_variance_explained() {
    let check = |centers: &[[f32; 2]], expected: Option<f64>| {
        let found = LevelMetrics::of(&squares(centers)).linearity;
        let close = found.zip(expected).map_or(found == expected, |(a, b)| close(a, b));
        assert!(close, "{found:?} instead of {expected:?}");
    };
    check(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], Some(1.0));
    check(&[[0.0, 5.0], [1.0, 3.0], [3.0, -1.0]], Some(1.0));
    check(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], Some(0.0));
    // The products of the deviations add up to 4, the squares to 5 each: r = .8.
    check(&[[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0]], Some(0.64));
    check(&[[0.0, 0.1], [1.0, 0.1], [3.0, 0.1]], Some(1.0));
    check(&[[1.0, 0.0], [1.0, 1.0]], None);
    check(&[[1.0, 0.0]], None);
    check(&[], None);
}

/// Three equal columns; 0 and 12 of at most 12: 1 - sqrt(72) / sqrt(144).
#[test]
fn linearity_of_columns_is_that_of_2015() {
    let check = |heights: &[f64], expected: f64| {
        let found = column_linearity(heights, 12.0).unwrap();
        assert!(close(found, expected), "{heights:?} have {found}");
    };
    check(&[3.0, 3.0, 3.0], 1.0);
    check(&[0.0, 12.0], 0.292_893);
    // 1 - sqrt(2) / sqrt(100 + 64).
    check(&[2.0, 4.0], 0.889_568);
    assert_eq!(column_linearity(&[12.0, 12.0], 12.0), None);
    assert_eq!(column_linearity(&[], 12.0), None);
}

#[test]
fn entropy_is_in_bits() {
    let entropy = |shapes: &[BlockShape]| {
        let blocks = shapes.iter().map(|shape| wood(*shape, 0.0, 0.0)).collect();
        LevelMetrics::of(&of_blocks(blocks)).shape_entropy()
    };
    use BlockShape::{Circle, RectBig, Triangle};
    assert!(close(entropy(&[]), 0.0));
    assert!(close(entropy(&[Circle, RectBig]), 1.0));
    assert!(close(entropy(&[Circle, Circle, RectBig, Triangle]), 1.5));
    assert!(close(entropy(&BlockShape::ALL), 3.584_963));
}

/// The levels have sixteen cells each. The first two share eight cells; the third has no cell in
/// common with the others.
#[test]
fn diversity_is_the_share_of_cells_not_shared() {
    let [a, b, c] =
        [[0, 0, 4, 4], [2, 0, 4, 4], [20, 9, 4, 4]].map(|area| OccupiedCells::of(&cells(&[area])));
    assert_eq!([a.n(), b.n(), c.n()], [16, 16, 16]);
    assert!(close(a.distance(&b), 1.0 - 8.0 / 24.0) && close(b.distance(&a), 2.0 / 3.0));
    assert!(close(a.distance(&a), 0.0) && close(a.distance(&c), 1.0));
    let mean = mean_distance(&[a.clone(), b.clone(), c]).unwrap();
    assert!(close(mean, (2.0 / 3.0 + 1.0 + 1.0) / 3.0), "{mean}");
    assert_eq!(mean_distance(&[a]), None);
    let none = OccupiedCells::of(&of_blocks(vec![]));
    assert!(close(none.distance(&none), 0.0) && close(none.distance(&b), 1.0));
}

/// Cells are where objects are, whatever their turn: their area is about that of the object.
#[test]
fn occupied_cells_have_the_area_of_objects() {
    for degrees in [0.0_f32, 10.0, 45.0, 72.0] {
        let pose = Pose { x: 3.3, y: 1.7, degrees };
        let platforms = vec![LevelPlatform { pose, scale: [8.0, 3.0] }];
        let level = level_of(LevelElements { platforms, ..LevelElements::default() });
        let cells = f64::from(OccupiedCells::of(&level).n()) * 0.0484;
        assert!((cells / (8.0 * 3.0 * 0.4096) - 1.0).abs() < 0.07, "{degrees}: {cells}");
    }
    // What is beside the grid, or below the ground, does not count.
    for [x, y] in [[150.0, 0.0], [-150.0, 0.0], [0.0, 100.0], [0.0, -100.0]] {
        assert_eq!(OccupiedCells::of(&squares(&[[x, y]])).n(), 0);
    }
}

/// Eight by four cells with four by four on their left half: the mirror image shares the 32 below,
/// of 64 that either has.
#[test]
fn symmetry_is_the_share_of_cells_that_have_a_mirror_image() {
    let symmetry = |areas: &[[u8; 4]]| LevelMetrics::of(&cells(areas)).symmetry.unwrap();
    assert!(close(symmetry(&[[3, 0, 8, 4], [3, 4, 4, 4]]), 0.5));
    assert!(close(symmetry(&[[3, 0, 8, 4], [5, 4, 4, 4]]), 1.0));
    assert!(close(symmetry(&[[3, 0, 1, 9], [40, 0, 1, 9]]), 1.0));
    assert_eq!(LevelMetrics::of(&of_blocks(vec![])).symmetry, None);
}

fn table(metrics: &LevelMetrics) -> DataTable {
    let rows = [metrics];
    LevelMetrics::columns(DataTable::of(&rows), |row| row).build()
}

#[test]
fn an_empty_level_has_no_shape() {
    let metrics = LevelMetrics::of(&of_blocks(vec![]));
    assert!(close(metrics.width, 0.0) && close(metrics.height, 0.0));
    assert!(close(metrics.density, 0.0) && close(metrics.shape_entropy(), 0.0));
    assert_eq!((metrics.linearity, metrics.packing, metrics.symmetry), (None, None, None));
    assert!(table(&metrics).csv().ends_with(",0.000000,,\n"));
}

#[test]
fn tables_have_a_field_for_each_name() {
    let metrics = LevelMetrics::of(&odd_level());
    let csv = table(&metrics).csv();
    let [names, fields] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    assert_eq!(names.split(',').count(), fields.split(',').count());
    let row: Vec<_> = names.split(',').zip(fields.split(',')).collect();
    let field = |name: &str| row.iter().find(|(it, _)| *it == name).unwrap().1;
    assert_eq!(
        ["blocks", "pigs", "tnts", "platforms", "birds"].map(field),
        ["3", "2", "2", "2", "2"]
    );
    assert_eq!(BlockMaterial::ALL.map(|it| field(it.name())), ["1", "1", "1"]);
    assert_eq!(["RectBig", "RectFat"].map(field), ["1", "0"]);
    assert_eq!(field("shape_entropy"), "1.584963");
}

#[test]
fn the_expressive_range_counts_levels() {
    let metrics: Vec<_> = [&[[0.0, 0.0], [1.0, 1.0]][..], &[[0.0, 0.0], [1.0, 5.0]], &[[0.0, 0.0]]]
        .into_iter()
        .map(|centers| LevelMetrics::of(&squares(centers)))
        .collect();
    let range = ExpressiveRange::of(&metrics);
    // Two squares are .00091 of the level.
    let expected = "linearity_low,linearity_high,density_low,density_high,levels\n\
                    0.95,1.00,0.0005,0.0010,2\n";
    assert_eq!(range.table().csv(), expected);
    let svg = range.to_svg();
    assert!(svg.contains("Expressive range of 2 levels; 1 have no linearity"), "{svg}");
    assert!(roxmltree::Document::parse(&svg).is_ok());
    assert!(roxmltree::Document::parse(&ExpressiveRange::of(&[]).to_svg()).is_ok());
}
