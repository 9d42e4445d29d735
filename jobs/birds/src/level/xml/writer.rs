//! The writer.

use crate::level::decimal::Decimal;
use crate::level::{Level, LevelSurroundings, Pose};

pub(super) fn write(level: &Level) -> String {
    let LevelSurroundings { width, camera, slingshot, birds } = level.surroundings();
    let [x, y, least, most] =
        [camera.center[0], camera.center[1], camera.widths[0], camera.widths[1]].map(Decimal);
    let [sling_x, sling_y] = slingshot.map(Decimal);
    let mut lines = vec![
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>".to_owned(),
        format!("<Level width=\"{width}\">"),
        format!("  <Camera x=\"{x}\" y=\"{y}\" minWidth=\"{least}\" maxWidth=\"{most}\" />"),
        "  <Birds>".to_owned(),
    ];
    lines.extend(birds.iter().map(|bird| format!("    <Bird type=\"{}\" />", bird.name())));
    lines.push("  </Birds>".to_owned());
    lines.push(format!("  <Slingshot x=\"{sling_x}\" y=\"{sling_y}\" />"));
    lines.push("  <GameObjects>".to_owned());
    lines.extend(elements(level));
    lines.push("  </GameObjects>".to_owned());
    lines.push("</Level>\n".to_owned());
    lines.join("\n")
}

/// Returns a line for each element of the level.
fn elements(level: &Level) -> impl Iterator<Item = String> {
    let blocks = level.blocks().iter().map(|block| {
        let (shape, material, pose) =
            (block.shape.name(), block.material.name(), pose(&block.pose));
        format!("    <Block type=\"{shape}\" material=\"{material}\" {pose} />")
    });
    let pigs = level.pigs().iter();
    let pigs =
        pigs.map(|pig| format!("    <Pig type=\"{}\" {} />", pig.kind.name(), pose(&pig.pose)));
    let tnts = level.tnts().iter();
    let tnts = tnts.map(|tnt| format!("    <TNT type=\"\" {} />", pose(&tnt.pose)));
    let platforms = level.platforms().iter().map(|platform| {
        let (pose, [x, y]) = (pose(&platform.pose), platform.scale.map(Decimal));
        format!("    <Platform type=\"Platform\" {pose} scaleX=\"{x}\" scaleY=\"{y}\" />")
    });
    blocks.chain(pigs).chain(tnts).chain(platforms)
}

fn pose(pose: &Pose) -> String {
    let [x, y, degrees] = [pose.x, pose.y, pose.degrees].map(Decimal);
    format!("x=\"{x}\" y=\"{y}\" rotation=\"{degrees}\"")
}
