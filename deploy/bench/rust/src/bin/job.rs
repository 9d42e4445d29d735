//! One job as a process: `job KIND FOLDER`. When a `start` job started is in the folder then.

use std::path::Path;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().expect("a kind");
    let folder = arguments.next().expect("a folder");
    let result = hatchery_bench::work(&kind);
    if kind == "start" {
        let place = Path::new(&folder).join("started");
        std::fs::write(place, result.to_string()).expect("the folder can be written");
    }
}
