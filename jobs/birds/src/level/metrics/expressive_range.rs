//! The expressive range of a generator.

use hatchery_core::DataTable;
use hatchery_figures::{FigurePicture, HeatMap, HistogramBins};

use super::LevelMetrics;

/// The number of bins per axis.
const N_BINS: usize = 20;

/// The axis of densities ends at a multiple of this.
const DENSITY_STEP: f64 = 0.01;

/// The expressive range of a generator: a histogram of the linearity and the density of its levels.
#[derive(Clone, Debug)]
pub struct ExpressiveRange {
    map: HeatMap,
}

impl ExpressiveRange {
    /// Returns the range of levels with these numbers. Levels without linearity are left out, and
    /// the title says how many. Linearity has 20 bins from 0 to 1; density as many from 0 to the
    /// next multiple of .01 above the densest level.
    #[must_use]
    pub fn of(levels: &[LevelMetrics]) -> Self {
        let points = levels.iter().filter_map(|level| Some([level.linearity?, level.density]));
        let points: Vec<_> = points.collect();
        let densest = points.iter().map(|[_, density]| *density).fold(0.0, f64::max);
        let top = DENSITY_STEP * libm::ceil(densest / DENSITY_STEP).max(1.0);
        let title = match levels.len() - points.len() {
            0 => format!("Expressive range of {} levels", points.len()),
            n => format!("Expressive range of {} levels; {n} have no linearity", points.len()),
        };
        let map = HeatMap {
            title,
            x_label: "linearity (R² of the objects' centers)".to_owned(),
            y_label: "density (share of the level's area)".to_owned(),
            x_bins: HistogramBins::between([0.0, 1.0], N_BINS),
            y_bins: HistogramBins::between([0.0, top], N_BINS),
            points,
        };
        Self { map }
    }

    /// Returns the histogram as an SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.map.to_svg()
    }

    /// Returns the histogram as a figure of a page.
    #[must_use]
    pub fn picture(&self) -> FigurePicture {
        self.map.picture()
    }

    /// Returns the histogram as a table of its cells that have levels.
    #[must_use]
    pub fn table(&self) -> DataTable {
        DataTable::of(&self.map.cells())
            .number("linearity_low", 2, |cell| cell.x[0])
            .number("linearity_high", 2, |cell| cell.x[1])
            .number("density_low", 4, |cell| cell.y[0])
            .number("density_high", 4, |cell| cell.y[1])
            .count("levels", |cell| cell.count)
            .build()
    }
}
