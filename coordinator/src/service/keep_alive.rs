//! Messages that keep quiet sessions open.
//!
//! A proxy or a load balancer ends a call whose server sends nothing for a while: nginx after 60 s
//! (`grpc_read_timeout`), AWS' balancers after 60 s, Envoy after 5 minutes. A worker that computes
//! a long job, or has none, hears nothing in that time, and pings of HTTP/2 do not pass a proxy.

use std::time::Duration;

use hatchery_proto::v1::{ToWorker, Verdicts, to_worker};
use tokio::time::{Instant, interval_at};
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;

/// The time after which a quiet session gets a message.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Returns `messages`, and a message without content after each [`KEEP_ALIVE`] without one:
/// verdicts on no job, which workers of all versions take.
pub(super) fn kept_alive(
    messages: impl Stream<Item = Result<ToWorker, Status>>,
) -> impl Stream<Item = Result<ToWorker, Status>> {
    let quiet = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    messages.timeout_repeating(quiet).map(|message| {
        let no_content = to_worker::Message::Verdicts(Verdicts { verdicts: Vec::new() });
        message.unwrap_or(Ok(ToWorker { message: Some(no_content) }))
    })
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::Drain;
    use tokio::sync::mpsc;
    use tokio_stream::wrappers::ReceiverStream;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_quiet_session_gets_messages_without_content() {
        let (sender, messages) = mpsc::channel(1);
        let mut kept = Box::pin(kept_alive(ReceiverStream::new(messages)));
        let begun = Instant::now();
        for n in 1..=3 {
            let message = kept.next().await.expect("it goes on").expect("no error");
            let Some(to_worker::Message::Verdicts(verdicts)) = message.message else { panic!() };
            assert!(verdicts.verdicts.is_empty());
            assert_eq!(begun.elapsed().as_secs(), n * KEEP_ALIVE.as_secs());
        }
        // A message begins the time anew.
        tokio::time::advance(KEEP_ALIVE / 2).await;
        let drain = ToWorker { message: Some(to_worker::Message::Drain(Drain {})) };
        sender.send(Ok(drain.clone())).await.expect("the session is there");
        assert_eq!(kept.next().await.expect("it goes on").expect("no error"), drain);
        let since = Instant::now();
        assert!(kept.next().await.is_some());
        assert_eq!(since.elapsed().as_secs(), KEEP_ALIVE.as_secs());
        drop(sender);
        assert!(kept.next().await.is_none(), "the session is over");
    }
}
