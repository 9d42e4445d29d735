//! Where the places of a scene are in its picture.

use hatchery_core::scene::{Scene, ScenePlace, SceneSpace};

/// The width of a cell of a board of squares, in units of the picture.
pub(super) const CELL: i64 = 100;

/// A sixth of a hexagonal cell to the right, and the steps of a row: exact for cells that are 312
/// wide and 360 high.
const HEX_X: i64 = 52;
const HEX_ROW: [i64; 2] = [26, 45];
const HEX_WIDTH: i64 = 6 * HEX_X;
/// The distance of a hexagonal cell's corners from its center.
const HEX_RADIUS: i64 = 4 * HEX_ROW[1];

/// The corners of a hexagonal cell around its center, clockwise from the north.
pub(super) const HEX_PATH: &str = "M0-180 156-90V90L0 180-156 90V-90Z";

/// The space around boards.
const BOARD_PADDING: i64 = 14;
const HEX_PADDING: i64 = 36;

/// The map from places to points of the picture, and the part of the picture that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SceneGeometry {
    /// The point of (1, 0), then the point of (0, 1).
    pub(super) matrix: [i64; 4],
    /// The length of a thousand thousandths.
    pub(super) unit: i64,
    /// The left and upper end, the width and the height.
    pub(super) view: [i64; 4],
}

impl SceneGeometry {
    /// Returns the geometry of a scene; none if it has no space.
    pub(super) fn new(scene: &Scene) -> Option<Self> {
        match scene.base.space {
            SceneSpace::Captions => None,
            SceneSpace::Grid { columns, rows, margin } => {
                let used = used(scene, |place| [place.x.into(), place.y.into()]);
                let within = |at: i64, n: u16| {
                    let margin = i64::from(margin);
                    at.clamp(-margin, i64::from(n) + margin - 1)
                };
                let [low_x, high_x] =
                    [used.low[0].min(0), used.high[0].max(i64::from(columns) - 1)];
                let [low_y, high_y] = [used.low[1].min(0), used.high[1].max(i64::from(rows) - 1)];
                let [left, right] = [low_x, high_x].map(|x| CELL * within(x, columns));
                let [top, bottom] = [low_y, high_y].map(|y| CELL * within(y, rows));
                let around = CELL / 2 + BOARD_PADDING;
                Some(Self {
                    matrix: [CELL, 0, 0, CELL],
                    unit: CELL,
                    view: view([left, top, right, bottom], [around, around]),
                })
            }
            SceneSpace::Hexes => {
                let matrix = [HEX_X, 0, HEX_ROW[0], HEX_ROW[1]];
                let Bounds { low, high } = used(scene, |place| point(matrix, place));
                let around = [HEX_WIDTH / 2 + HEX_PADDING, HEX_RADIUS + HEX_PADDING];
                let view = view([low[0], low[1], high[0], high[1]], around);
                Some(Self { matrix, unit: HEX_WIDTH, view })
            }
            SceneSpace::World { left, right, bottom, top } => {
                let [left, right, bottom, top] = [left, right, bottom, top].map(i64::from);
                let view = [left, -top, right - left, top - bottom];
                Some(Self { matrix: [1, 0, 0, -1], unit: 1000, view })
            }
        }
    }

    /// Returns the point of a place.
    pub(super) fn point(&self, place: ScenePlace) -> [i64; 2] {
        point(self.matrix, place)
    }

    /// Returns a length of thousandths in units of the picture, exact to a tenth.
    pub(super) fn length(&self, thousandths: i64) -> String {
        let tenths = (thousandths * self.unit).div_euclid(100);
        let (sign, tenths) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
        match tenths % 10 {
            0 => format!("{sign}{}", tenths / 10),
            tenth => format!("{sign}{}.{tenth}", tenths / 10),
        }
    }
}

/// The bounds of points: the smallest and the largest coordinates.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: [i64; 2],
    high: [i64; 2],
}

/// Returns the bounds of the places that are ever used, each at its point.
fn used(scene: &Scene, at: impl Fn(ScenePlace) -> [i64; 2]) -> Bounds {
    let tiles = scene.base.tiles.iter().map(|tile| tile.place);
    let labels = scene.base.labels.iter().map(|label| label.place);
    let changes = scene.frames.iter().flat_map(|frame| &frame.changes);
    let things = changes.filter_map(|change| Some(change.pose?.place));
    let mut bounds: Option<Bounds> = None;
    for place in tiles.chain(labels).chain(things) {
        let [x, y] = at(place);
        let Bounds { low, high } = bounds.unwrap_or(Bounds { low: [x, y], high: [x, y] });
        bounds = Some(Bounds {
            low: [low[0].min(x), low[1].min(y)],
            high: [high[0].max(x), high[1].max(y)],
        });
    }
    bounds.unwrap_or(Bounds { low: [0; 2], high: [0; 2] })
}

/// Returns the view of these ends with a space around them.
fn view([left, top, right, bottom]: [i64; 4], [across, along]: [i64; 2]) -> [i64; 4] {
    [left - across, top - along, right - left + 2 * across, bottom - top + 2 * along]
}

fn point([ax, ay, bx, by]: [i64; 4], ScenePlace { x, y }: ScenePlace) -> [i64; 2] {
    let (x, y) = (i64::from(x), i64::from(y));
    [ax * x + bx * y, ay * x + by * y]
}
