//! Play-outs as scenes, with all bodies in flight.

use std::ops::ControlFlow;

use hatchery_core::scene::{
    SceneColor, ScenePlace, SceneSpace, SceneSymbol, SceneThings, SceneTile, SceneTurn, SymbolId,
    SymbolShape, ThingId, ThingPose,
};
use hatchery_core::text::counted;
use hatchery_core::{SceneBase, SceneSink, SceneWriter};

use crate::level::{
    BirdKind, BlockMaterial, BlockShape, GROUND_TOP, GROUND_WIDTH, LEVEL_HEIGHT, Level, LevelTnt,
    PigKind,
};
use crate::world::ballistics::LaunchVelocity;
use crate::world::playout::{LevelPlayout, PlayoutOutcome, PlayoutPhase};
use crate::world::{ElementId, ElementKind, ElementState, LevelWorld, WorldEvent, bird_radius};

/// Time steps from one frame to the next.
pub const STEPS_PER_FRAME: u32 = 3;

/// The most events that a caption names. A caption only counts the other events.
const MAX_TOLD: usize = 6;

/// The height of the ground that is shown.
const GROUND_SHOWN: f32 = 1.0;

/// The number of the ground's symbol, and of the first platform's.
const GROUND: u16 = 0;
const PLATFORM: u16 = 1;

/// Shows a play-out of `level`: the settled world first, then these shots, a frame every
/// [`STEPS_PER_FRAME`] steps, and the last moment of every shot; the last frame has the verdict.
///
/// Shots after the end of the play-out are not made. Things above the picture are not shown.
///
/// # Errors
/// Breaks when the sink wants no more.
pub fn replay(
    level: &Level,
    settled: LevelWorld,
    shots: &[LaunchVelocity],
    sink: &mut dyn SceneSink,
) -> ControlFlow<()> {
    let picture = ScenePicture::new(level);
    let mut scene = SceneWriter::begin(sink, &picture.base)?;
    let mut playout = LevelPlayout::new(settled);
    let n_pigs = playout.world().pigs().count();
    let [pigs, birds] = [(n_pigs, "pig"), (level.surroundings().birds.len(), "bird")]
        .map(|(n, noun)| counted(n, noun));
    scene.show(format!("{pigs}, {birds}"), picture.things(playout.world()))?;
    let mut n_told = 0;
    for &shot in shots {
        playout.launch(shot);
        let mut n_steps = 0;
        while playout.phase() == PlayoutPhase::Flying {
            let phase = playout.step();
            n_steps += 1;
            if n_steps % STEPS_PER_FRAME == 0 || phase != PlayoutPhase::Flying {
                let told = caption(&playout, &mut n_told);
                scene.show(told, picture.things(playout.world()))?;
            }
        }
    }
    scene.say(verdict(&playout))
}

/// Returns the time, and the events that were not told yet.
fn caption(playout: &LevelPlayout, n_told: &mut usize) -> String {
    let events = playout.events().get(*n_told..).unwrap_or_default();
    *n_told += events.len();
    let mut told: Vec<_> =
        events.iter().take(MAX_TOLD).map(|WorldEvent { kind, .. }| kind.to_string()).collect();
    if MAX_TOLD < events.len() {
        told.push(counted(events.len() - MAX_TOLD, "more event"));
    }
    let seconds = format!("{:.2} s", playout.result().seconds);
    if told.is_empty() { seconds } else { format!("{seconds}: {}", told.join("; ")) }
}

fn verdict(playout: &LevelPlayout) -> String {
    let birds = counted(playout.shots().len(), "bird");
    let pigs = counted(playout.world().pigs().count(), "pig");
    match playout.result().outcome {
        PlayoutOutcome::Cleared => format!("cleared with {birds}"),
        PlayoutOutcome::NotCleared if playout.shots().is_empty() => format!("not played: {pigs}"),
        PlayoutOutcome::NotCleared => format!("not cleared: {pigs} left after {birds}"),
        PlayoutOutcome::Unplayable => "no pig to be hit".to_owned(),
    }
}

/// The picture of a level, and the symbols and numbers of its things.
struct ScenePicture {
    base: SceneBase,
    platforms: Vec<(ThingId, ThingPose)>,
    /// The number of the first block's symbol. The symbols of pigs, TNT and birds follow the
    /// symbols of blocks.
    first_block: u16,
    /// The numbers of the first block, pig, TNT and bird.
    firsts: [u32; 4],
}

impl ScenePicture {
    fn new(level: &Level) -> Self {
        let half_width = level.surroundings().width * GROUND_WIDTH / 2.0;
        let [bottom, top] = [GROUND_TOP - GROUND_SHOWN, GROUND_TOP + LEVEL_HEIGHT.max(top(level))];
        let [left, right] = [-half_width, half_width];
        let ground = [[left, bottom], [right, bottom], [right, GROUND_TOP], [left, GROUND_TOP]];
        let [left, right, bottom, top] = [left, right, bottom, top].map(thousandths);
        let mut symbols = vec![SceneSymbol::new("ground", "_", SceneColor::Sand, polygon(&ground))];
        let mut platforms = Vec::new();
        for (number, platform) in (0..).zip(level.platforms()) {
            let [x, y] = platform.size().map(|length| length / 2.0);
            let name = ElementId::Platform(number).to_string();
            symbols.push(SceneSymbol::new(name, "-", SceneColor::Gray, rectangle(x, y)));
            let place = ScenePlace::new(thousandths(platform.pose.x), thousandths(platform.pose.y));
            let turn = SceneTurn::from_tenths(tenths(platform.pose.degrees));
            let pose = ThingPose::at(SymbolId(PLATFORM + number), place).turned(turn);
            platforms.push((ThingId(number.into()), pose));
        }
        let first_block = u16::try_from(symbols.len()).unwrap_or(u16::MAX);
        symbols.extend(element_symbols());
        let mut base = SceneBase::new(SceneSpace::World { left, right, bottom, top }, symbols);
        base.tiles.push(SceneTile { symbol: SymbolId(GROUND), place: ScenePlace::new(0, 0) });
        platforms.retain(|(_, pose)| base.contains(pose.place));
        let counts = [level.platforms().len(), level.blocks().len(), level.pigs().len()]
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let [blocks, pigs, tnts] = [counts[0], counts[0] + counts[1], counts.iter().sum()];
        let birds = tnts + u32::try_from(level.tnts().len()).unwrap_or(u32::MAX);
        Self { base, platforms, first_block, firsts: [blocks, pigs, tnts, birds] }
    }

    fn things(&self, world: &LevelWorld) -> SceneThings {
        let mut things: SceneThings = self.platforms.iter().copied().collect();
        for element in world.elements() {
            let place = element.place.map(thousandths);
            let place = ScenePlace::new(place[0], place[1]);
            let Some((thing, symbol)) = self.names(&element) else { continue };
            if self.base.contains(place) {
                let turn = SceneTurn::from_tenths(tenths(element.degrees()));
                things.insert(thing, ThingPose::at(symbol, place).turned(turn));
            }
        }
        things
    }

    /// Returns the number of a thing and its symbol.
    fn names(&self, element: &ElementState) -> Option<(ThingId, SymbolId)> {
        let [blocks, pigs, tnts, birds] = self.firsts;
        let thing = match element.id {
            ElementId::Ground | ElementId::Platform(_) => return None,
            ElementId::Block(number) => blocks + u32::from(number),
            ElementId::Pig(number) => pigs + u32::from(number),
            ElementId::Tnt(number) => tnts + u32::from(number),
            ElementId::Bird(number) => birds + u32::from(number),
        };
        let symbol = element_kinds().position(|kind| kind == element.kind)?;
        let symbol = self.first_block + u16::try_from(symbol).ok()?;
        Some((ThingId(thing), SymbolId(symbol)))
    }
}

/// Iterates over all kinds of things that can move, in the order of their symbols.
fn element_kinds() -> impl Iterator<Item = ElementKind> {
    let blocks = BlockShape::ALL.into_iter().flat_map(|shape| {
        BlockMaterial::ALL.into_iter().map(move |material| ElementKind::Block(shape, material))
    });
    let pigs = PigKind::ALL.into_iter().map(ElementKind::Pig);
    let birds = BirdKind::ALL.into_iter().map(ElementKind::Bird);
    blocks.chain(pigs).chain([ElementKind::Tnt]).chain(birds)
}

fn element_symbols() -> impl Iterator<Item = SceneSymbol> {
    element_kinds().filter_map(|kind| {
        Some(match kind {
            ElementKind::Ground | ElementKind::Platform => return None,
            ElementKind::Block(shape, material) => {
                let (glyph, color) = match material {
                    BlockMaterial::Wood => ("=", SceneColor::Brown),
                    BlockMaterial::Stone => ("#", SceneColor::Gray),
                    BlockMaterial::Ice => ("~", SceneColor::Blue),
                };
                let name = format!("{} of {}", shape.name(), material.name());
                SceneSymbol::new(name, glyph, color, polygon(&shape.corners()))
            }
            ElementKind::Pig(kind) => disk(kind.name(), "o", SceneColor::Green, kind.radius()),
            ElementKind::Tnt => {
                let half = LevelTnt::SIDE / 2.0;
                SceneSymbol::new("TNT", "!", SceneColor::Orange, rectangle(half, half))
            }
            ElementKind::Bird(kind) => {
                let color = match kind {
                    BirdKind::Red => SceneColor::Red,
                    BirdKind::Blue => SceneColor::Blue,
                    BirdKind::Yellow => SceneColor::Yellow,
                    BirdKind::Black => SceneColor::Black,
                    BirdKind::White => SceneColor::White,
                };
                disk(kind.name(), "@", color, bird_radius(kind))
            }
        })
    })
}

fn disk(name: &str, glyph: &str, color: SceneColor, radius: f32) -> SceneSymbol {
    let radius = thousandths(radius).unsigned_abs();
    SceneSymbol::new(name, glyph, color, SymbolShape::Disk { radius })
}

fn rectangle(x: f32, y: f32) -> SymbolShape {
    polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]])
}

fn polygon(corners: &[[f32; 2]]) -> SymbolShape {
    SymbolShape::Polygon { corners: corners.iter().map(|it| it.map(thousandths)).collect() }
}

/// Returns the height above the ground of the highest element's center, and a bit.
fn top(level: &Level) -> f32 {
    let blocks = level.blocks().iter().map(|it| it.pose.y);
    let pigs = level.pigs().iter().map(|it| it.pose.y);
    let tnts = level.tnts().iter().map(|it| it.pose.y);
    let platforms = level.platforms().iter().map(|it| it.pose.y);
    blocks.chain(pigs).chain(tnts).chain(platforms).fold(0.0, f32::max) - GROUND_TOP + 1.0
}

#[expect(clippy::cast_possible_truncation, reason = "worlds are some hundred units wide")]
fn thousandths(length: f32) -> i32 {
    libm::round(1000.0 * f64::from(length)) as i32
}

#[expect(clippy::cast_possible_truncation, reason = "turns have at most 3,600 degrees")]
fn tenths(degrees: f32) -> i32 {
    libm::roundf(10.0 * degrees) as i32
}
