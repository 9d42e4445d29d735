//! A server as the medium of the conformance suite.

use std::sync::Arc;

use async_trait::async_trait;
use hatchery_store::RedisStore;
use hatchery_store::Store;
use hatchery_store::conformance::{self, Medium};
use hatchery_test_redis::Redis;

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
}

#[async_trait]
impl Medium for Farm {
    async fn open(&self) -> Store {
        end_leases(&self.0);
        expire_parts(&self.0);
        Store::new(RedisStore::open(&self.0.url()).await.expect("the server is fit"))
    }

    fn shared(&self) -> bool {
        true
    }
}

#[test]
fn the_redis_store_keeps_the_contract() {
    let server = Arc::new(Redis::start().expect("redis-server is installed"));
    conformance::check_points(|| Farm::empty(&server));
    conformance::check_random(|| Farm::empty(&server), N_RANDOM);
}
