use hatchery_coordinator::store::conformance::View;
use hatchery_coordinator::store::{EmbeddedStore, StoreError};
use super::media::Disk;
use super::script;
use std::collections::BTreeMap;

#[test]
fn explore() {
    let rt = tokio::runtime::Builder::new_current_thread().build().unwrap();
    rt.block_on(async {
        let disk = Disk::default();
        let store = EmbeddedStore::open(&disk.path()).unwrap();
        let lead = script::begin(&store).await.unwrap();
        let t = std::time::Instant::now();
        for step in 0..60 { script::call(step, &lead).ask(&store).await.unwrap(); }
        println!("60 steps {:?}", t.elapsed());
        let open = std::fs::read(disk.path()).unwrap();
        drop(store);
        let closed = std::fs::read(disk.path()).unwrap();
        println!("len open {} closed {}", open.len(), closed.len());
        let t = std::time::Instant::now();
        drop(EmbeddedStore::open(&disk.path()).unwrap());
        println!("open+close {:?}", t.elapsed());
        for (name, bytes) in [("open", open), ("closed", closed)] {
            let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
            let lens = (0..600).step_by(7).chain((4096..bytes.len()).step_by(8192 * 3)).chain([bytes.len() - 1, bytes.len()-4096]);
            for len in lens {
                *counts.entry("trunc ".to_owned() + &attempt(&bytes[..len]).await).or_default() = (0, len);
            }
            for at in (0..512).chain((0..300).map(|i| (i * 104729) % bytes.len())) {
                for mask in [0xffu8, 1, 0x80, 2] {
                    let mut b = bytes.clone(); b[at] ^= mask;
                    let e = counts.entry("flip ".to_owned() + &attempt(&b).await).or_default();
                    e.0 += 1; e.1 = at;
                }
            }
            println!("{name}: {counts:#?}");
        }
    });
}
async fn attempt(bytes: &[u8]) -> String {
    let disk = Disk::default();
    std::fs::write(disk.path(), bytes).unwrap();
    match EmbeddedStore::open(&disk.path()) {
        Err(StoreError::Damaged { what, .. }) => format!("damaged {what}").chars().filter(|c| !c.is_ascii_digit()).collect(),
        Err(e) => format!("other {e:?}"),
        Ok(store) => {
            let r = match View::of(&store).await { Ok(v) if v == script::view_after(60) => "same".to_owned(), Ok(v) if v == script::view_after(59) => "ONE LESS".to_owned(), Ok(_) => "DIFFERENT".to_owned(), Err(e) => format!("view {e:?}") };
            let r2 = match script::begin(&store).await { Err(e) => format!("{e:?}"), Ok(lead) => {
                let mut s = String::new();
                for step in 60..68 { if let Err(e) = script::call(step, &lead).ask(&store).await { s = format!("{e:?}"); break; } }
                s
            } };
            drop(store);
            format!("{r} {r2}")
        }
    }
}
