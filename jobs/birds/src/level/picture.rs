//! Levels as figures.

use hatchery_core::text::counted;
use hatchery_figures::{Color, DrawingSheet, FigurePicture, LinePattern, PlaneDrawing, PlaneShape};

use super::{
    BirdKind, BlockMaterial, BlockShape, ElementOutline, GROUND_TOP, GROUND_WIDTH, Level,
    LevelBlock, LevelElements, LevelPig, LevelSurroundings, LevelTnt, Pose,
};

const SKY: Color = Color::rgb(0xee, 0xf5, 0xfa);
const GROUND: Color = Color::rgb(0x8c, 0x9b, 0x5a);
const PLATFORM: Color = Color::rgb(0x6b, 0x5b, 0x4b);
const TNT: Color = Color::rgb(0xd8, 0x5a, 0x3c);
const PIG: Color = Color::rgb(0x86, 0xc2, 0x4c);
const SNOUT: Color = Color::rgb(0x5e, 0x94, 0x30);
const SLING: Color = Color::rgb(0x6e, 0x45, 0x22);
const ARC: Color = Color::rgb(0x44, 0x44, 0x44);
const INK: Color = Color::rgb(0x33, 0x30, 0x2b);

/// The height of the ground that is shown, below the lowest element.
const GROUND_SHOWN: f64 = 0.8;
/// The space beside and above everything.
const MARGIN: f64 = 0.5;
/// The size of a hole beside that of its block; only looks depend on it.
const HOLE_SHARE: f32 = 0.45;
/// The radius of waiting birds, and the distance of their centers.
const BIRD_RADIUS: f64 = 0.23;
const BIRD_STEP: f64 = 0.55;
/// The drawings in a row of a sheet.
const SHEET_COLUMNS: usize = 4;

/// A picture of a level: the exact outlines of its elements, colored by material, with the ground,
/// the slingshot, and the birds that wait behind it.
#[derive(Clone, Debug)]
pub struct LevelPicture<'a> {
    /// The level.
    pub level: &'a Level,
    /// The title; any characters are allowed.
    pub title: &'a str,
    /// The birds that wait. Before the first shot, these are the birds of the level.
    pub birds: &'a [BirdKind],
    /// Flight paths, as points; drawn dotted. Points further away than any element can be are left
    /// out.
    pub arcs: &'a [Vec<[f32; 2]>],
}

/// A sheet of pictures of levels.
#[derive(Clone, Debug)]
pub struct LevelSheet<'a> {
    /// The title of the sheet; any characters are allowed.
    pub title: &'a str,
    /// The pictures, row by row.
    pub pictures: Vec<LevelPicture<'a>>,
}

impl LevelPicture<'_> {
    /// Returns the picture as an SVG document. It has a hundred units for each unit of the level,
    /// and its y grows downward.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawing(self.view()).to_svg()
    }

    /// Returns the picture as a figure of a page.
    #[must_use]
    pub fn picture(&self) -> FigurePicture {
        self.drawing(self.view()).picture()
    }

    /// Returns the picture of a part of the world.
    fn drawing(&self, view: [f64; 4]) -> PlaneDrawing {
        let arcs = self.arcs.iter().map(|arc| PlaneShape::Line {
            points: near_points(arc).collect(),
            width: 0.05,
            color: ARC,
            pattern: LinePattern::Dotted,
        });
        let mut shapes = scenery(self.level.surroundings(), self.birds, view);
        shapes.extend(elements(self.level));
        shapes.extend(arcs);
        let title = self.title.to_owned();
        PlaneDrawing { title, description: self.description(), view, shapes }
    }

    /// Returns the part of the world that holds all elements and arcs, the slingshot and the birds.
    fn view(&self) -> [f64; 4] {
        let LevelSurroundings { slingshot, birds, .. } = self.level.surroundings();
        let ([x, y], top) = (slingshot.map(f64::from), f64::from(GROUND_TOP));
        let left = birds.iter().fold(x - BIRD_STEP, |left, _| left - BIRD_STEP);
        let elements = self.level.outlines().map(|outline| outline.bounds().map(f64::from));
        let points = self.arcs.iter().flat_map(|arc| near_points(arc)).map(|[x, y]| [x, y, x, y]);
        let [left, low, right, high] =
            elements.chain(points).fold([left, top, x + 0.5, y + 1.0], union);
        [left - MARGIN, low - GROUND_SHOWN, right + MARGIN, high + MARGIN]
    }

    /// Returns what the level has, in words.
    fn description(&self) -> String {
        let LevelElements { blocks, pigs, tnts, platforms } = &self.level.elements;
        let of = |material| blocks.iter().filter(|block| block.material == material).count();
        let [wood, stone, ice] = BlockMaterial::ALL.map(of);
        format!(
            "Blocks: {} (wood {wood}, stone {stone}, ice {ice}). Pigs: {}. TNT: {}. Platforms: \
             {}. Birds: {}.",
            blocks.len(),
            pigs.len(),
            tnts.len(),
            platforms.len(),
            self.birds.len()
        )
    }
}

impl LevelSheet<'_> {
    /// Returns the sheet as an SVG document, with each picture below its title. All show the same
    /// part of the world, so that they can be compared.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let views = self.pictures.iter().map(LevelPicture::view);
        let view = views.reduce(union).unwrap_or_default();
        let drawings: Vec<_> = self.pictures.iter().map(|it| it.drawing(view)).collect();
        let description = format!("{}.", counted(drawings.len(), "picture"));
        let title = self.title.to_owned();
        DrawingSheet { title, description, columns: SHEET_COLUMNS, drawings }.to_svg()
    }
}

/// Returns the left, lower, right and upper end of two areas together.
fn union([left, low, right, high]: [f64; 4], [x, y, x_end, y_end]: [f64; 4]) -> [f64; 4] {
    [left.min(x), low.min(y), right.max(x_end), high.max(y_end)]
}

/// Returns the points that are not too far away.
fn near_points(arc: &[[f32; 2]]) -> impl Iterator<Item = [f64; 2]> {
    let is_near = |point: &&[f32; 2]| point.iter().all(|at| at.abs() <= Pose::MAX_COORDINATE);
    arc.iter().filter(is_near).map(|point| point.map(f64::from))
}

/// Returns sky, ground, slingshot and birds.
fn scenery(
    surroundings: &LevelSurroundings,
    birds: &[BirdKind],
    view: [f64; 4],
) -> Vec<PlaneShape> {
    let [left, low, right, _] = view;
    let (half, top) = (f64::from(surroundings.width * GROUND_WIDTH / 2.0), f64::from(GROUND_TOP));
    let ground_left = left.max(-half);
    let ground = [ground_left, low, right.min(half).max(ground_left), top];
    let mut shapes = vec![area(view, SKY, SKY), area(ground, GROUND, GROUND)];
    let [x, y] = surroundings.slingshot.map(f64::from);
    let line = |points: &[[f64; 2]]| PlaneShape::Line {
        points: points.to_vec(),
        width: 0.14,
        color: SLING,
        pattern: LinePattern::Solid,
    };
    shapes.push(line(&[[x, top], [x, y + 0.3]]));
    shapes.push(line(&[[x - 0.25, y + 0.8], [x, y + 0.3], [x + 0.25, y + 0.8]]));
    let mut place = x - 0.7;
    for bird in birds {
        shapes.push(PlaneShape::Disk {
            center: [place, top + BIRD_RADIUS],
            radius: BIRD_RADIUS,
            fill: bird_color(*bird),
            outline: INK,
        });
        place -= BIRD_STEP;
    }
    shapes
}

/// Returns the elements of the level; pigs are above all others.
fn elements(level: &Level) -> Vec<PlaneShape> {
    let mut shapes: Vec<_> =
        level.platforms().iter().map(|it| shape(it.outline(), PLATFORM)).collect();
    for block in level.blocks() {
        shapes.push(shape(block.outline(), material_color(block.material)));
        shapes.extend(hole(block));
    }
    for tnt in level.tnts() {
        shapes.push(shape(tnt.outline(), TNT));
        shapes.push(PlaneShape::Label {
            at: [f64::from(tnt.pose.x), f64::from(tnt.pose.y) - 0.08],
            size: f64::from(LevelTnt::SIDE) / 3.0,
            color: INK,
            text: "TNT".to_owned(),
        });
    }
    for pig in level.pigs() {
        let LevelPig { kind, pose } = pig;
        let snout = ElementOutline::Disk { center: [pose.x, pose.y], radius: kind.radius() * 0.4 };
        shapes.extend([shape(pig.outline(), PIG), shape(snout, SNOUT)]);
    }
    shapes
}

/// Returns the hole of a block, which is only seen: nothing fits in.
fn hole(block: &LevelBlock) -> Option<PlaneShape> {
    if ![BlockShape::SquareHole, BlockShape::TriangleHole].contains(&block.shape) {
        return None;
    }
    // A share of the shape, also for a triangle, whose collider has a smaller hole.
    let mut corners = block.shape.corners();
    #[expect(clippy::cast_precision_loss, reason = "there are four or six corners")]
    let n = corners.len() as f32;
    let low = corners.iter().map(|corner| corner[1]).sum::<f32>() / n;
    for [x, y] in &mut corners {
        (*x, *y) = (*x * HOLE_SHARE, low + (*y - low) * HOLE_SHARE);
    }
    Some(shape(ElementOutline::Polygon(block.pose.place(&corners)), SKY))
}

fn shape(outline: ElementOutline, fill: Color) -> PlaneShape {
    match outline {
        ElementOutline::Polygon(corners) => PlaneShape::Polygon {
            corners: corners.into_iter().map(|corner| corner.map(f64::from)).collect(),
            fill,
            outline: INK,
        },
        ElementOutline::Disk { center, radius } => PlaneShape::Disk {
            center: center.map(f64::from),
            radius: f64::from(radius),
            fill,
            outline: INK,
        },
    }
}

fn area([left, low, right, high]: [f64; 4], fill: Color, outline: Color) -> PlaneShape {
    let corners = vec![[left, low], [right, low], [right, high], [left, high]];
    PlaneShape::Polygon { corners, fill, outline }
}

const fn material_color(material: BlockMaterial) -> Color {
    match material {
        BlockMaterial::Wood => Color::rgb(0xcd, 0x95, 0x55),
        BlockMaterial::Stone => Color::rgb(0x9d, 0xa1, 0xa6),
        BlockMaterial::Ice => Color::rgb(0xa9, 0xdb, 0xf0),
    }
}

const fn bird_color(bird: BirdKind) -> Color {
    match bird {
        BirdKind::Red => Color::rgb(0xc9, 0x2a, 0x2a),
        BirdKind::Blue => Color::rgb(0x3a, 0x7b, 0xd5),
        BirdKind::Yellow => Color::rgb(0xf2, 0xc1, 0x2e),
        BirdKind::Black => Color::rgb(0x3b, 0x3b, 0x3b),
        BirdKind::White => Color::rgb(0xf7, 0xf7, 0xf2),
    }
}
