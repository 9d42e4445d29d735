//! A server as the medium of the conformance suite.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hatchery_store::conformance::{self, Medium};
use hatchery_store::{PartDirectoryOptions, RedisOptions, RedisStore, Store};
use hatchery_test_redis::Redis;
use tempfile::TempDir;

use super::play::{end_leases, expire_parts};

/// How many random sequences are played: fewer than with a store in memory, since each call goes
/// to another process.
const N_RANDOM: u32 = 40;

/// A server that is emptied each time.
struct Farm(Arc<Redis>);

impl Farm {
    fn empty(server: &Arc<Redis>) -> Self {
        assert_eq!(server.cli(&["FLUSHALL"]).expect("redis-cli is installed"), "OK\n");
        Self(Arc::clone(server))
    }

    /// Ends all that ends with time.
    fn age(&self) {
        end_leases(&self.0);
        expire_parts(&self.0);
    }
}

#[async_trait]
impl Medium for Farm {
    async fn open(&self) -> Store {
        self.age();
        Store::new(RedisStore::open(&self.0.url()).await.expect("the server is fit"))
    }

    fn shared(&self) -> bool {
        true
    }
}

/// A server that is emptied each time, with a new directory for the parts.
struct FarmWithDirectory(Farm, TempDir);

impl FarmWithDirectory {
    fn empty(server: &Arc<Redis>) -> Self {
        Self(Farm::empty(server), tempfile::tempdir().expect("a folder can be made"))
    }
}

#[async_trait]
impl Medium for FarmWithDirectory {
    async fn open(&self) -> Store {
        let Self(farm, folder) = self;
        farm.age();
        let path = folder.path().to_owned();
        let options = PartDirectoryOptions { path, removal_delay: Duration::ZERO };
        let opened =
            RedisStore::open_with(&RedisOptions::new(&farm.0.url()).with_parts_in(options)).await;
        Store::new(opened.expect("the server and the directory are fit"))
    }

    fn shared(&self) -> bool {
        true
    }

    fn keeps_open_parts(&self) -> bool {
        false
    }
}

#[test]
fn the_redis_store_keeps_the_contract() {
    let server = Arc::new(Redis::start().expect("redis-server is installed"));
    conformance::check_points(|| Farm::empty(&server));
    conformance::check_random(|| Farm::empty(&server), N_RANDOM);
}

#[test]
fn the_redis_store_with_a_directory_keeps_the_contract() {
    let server = Arc::new(Redis::start().expect("redis-server is installed"));
    conformance::check_points(|| FarmWithDirectory::empty(&server));
    conformance::check_random(|| FarmWithDirectory::empty(&server), N_RANDOM);
}
